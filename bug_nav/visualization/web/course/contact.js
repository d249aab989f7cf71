// Copyright 2026 The bug_nav authors
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

/**
 * The Bug algorithms with a contact sensor, as exact walks.
 *
 * Sources: V. Lumelsky and A. Stepanov, Algorithmica 2, 1987 (Bug1, Bug2); H. Choset et al.,
 * Principles of Robot Motion, 2005 (Bug0).
 *
 * The way to the goal is free if it is free for CLEAR or up to the goal: otherwise Bug0 would
 * leave an inner corner in infinitely many, infinitely small steps. A way that runs along a wall,
 * or only touches a corner, is free.
 */

import {metres} from '../dom.js';
import {TINY} from './boundary.js';
import {between, distance} from './geometry.js';
import {Run} from './run.js';
import {SHORT} from './scene.js';
import {tr} from './strings.js';

const MAX_HITS = 400;
/** Number of hits of one place that count as a loop. */
const SAME_HITS = 3;
/** Minimum free way at a leave point of Bug0 [m]. */
const CLEAR = 1e-3;
/** Distance that Bug2 without memory walks before it looks for the M-line [m]. */
const NAIVE_GUARD = 0.3;

/** Go straight to the goal until a hit, then follow the policy of an algorithm. */
export function explore(scene, turn, algorithm, policy) {
  const run = new Run(algorithm, scene.start);
  while (run.hits.length < MAX_HITS) {
    run.say('1', run.hits.length ? tr('The way from the leave point leads straight to the goal.')
      : tr('The robot moves straight to the goal.'));
    const hit = scene.hitFrom(run.here);
    if (arrives(scene, run, hit)) return run;
    run.goTo(hit, 'motion_to_goal');
    run.addHit(hit, scene.toGoal(hit));
    if (run.hits.filter(({point}) => distance(point, hit) < SHORT).length >= SAME_HITS) {
      return run.end('loop', '1', tr('The robot is at the same hit point for the {0}rd time: it '
        + 'would repeat this forever.', SAME_HITS));
    }
    const leave = policy(scene, run, hit, turn);
    if (run.verdict) return run;
    run.addLeave(leave, scene.toGoal(leave));
  }
  return run.end('loop', '1', tr('{0} hits, and no end.', MAX_HITS));
}

/** Go straight to the goal and return true, unless there is a hit first. */
function arrives(scene, run, hit) {
  const away = scene.toGoal(run.here);
  const way = Math.max(away - scene.reach, 0);
  if (hit && distance(run.here, hit) < way) return false;
  const end = scene.reach > TINY ? between(run.here, scene.goal, way / away) : scene.goal;
  if (away > 0) run.goTo(end, 'motion_to_goal');
  run.end('reached', '1', tr('The goal is reached after {0}.', metres(run.length)));
  return true;
}

/** Walk a lap up to a node, with a state. */
function walk(run, lap, from, to, state = 'boundary_following') {
  for (let node = from + 1; node <= to; node++) run.goTo(lap.points[node], state);
}

/** Walk to a node and end there, or return it as the leave point. */
function walkTo(run, lap, from, node, step) {
  walk(run, lap, from, node);
  if (lap.isAtGoal(node)) return run.end('reached', step, tr('The goal is on the boundary.'));
  return lap.points[node];
}

/** Leave where the way to the goal is free; a lap without such a place never ends. */
function bug0(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn, {freeFor: [CLEAR]});
  const {free, middleFree, middleToGoal} = lap;
  const isFree = (way, away) => way >= Math.min(CLEAR, away) - TINY;
  run.say('2', tr('Hit H{0}: the robot turns {1} and follows the boundary.', run.hits.length,
    tr(turn)));
  for (let node = 0; node <= lap.last; node++) {
    const leaves = (node < lap.last && isFree(middleFree[node], middleToGoal[node]))
      || (node > 0 && isFree(free[node], lap.toGoal[node]));
    if (!leaves && !(node > 0 && lap.isAtGoal(node))) continue;
    const place = walkTo(run, lap, 0, node, '2');
    if (!run.verdict) run.say('3', tr('The way to the goal is free: the robot leaves.'));
    return place;
  }
  walk(run, lap, 0, lap.last);
  return run.end('loop', '2', tr('A whole lap without a free way to the goal: Bug0 has no memory, '
    + 'so it circles forever.'));
}

/** Walk the lap, go back to its closest place by the shorter way, and leave if it is free. */
function bug1(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn);
  const number = run.hits.length;
  const begin = run.length;
  run.say('2', tr('Hit H{0}: the robot circumnavigates the obstacle and stores the closest point '
    + 'Q.', number));
  if (lap.goalNode !== null) return walkTo(run, lap, 0, lap.goalNode, '2');
  const {closest, boundary: {perimeter}} = lap;
  const ahead = lap.walked[closest];
  walk(run, lap, 0, closest, 'circumnavigation');
  if (closest > 0) {
    run.say('2', tr('Closest point so far: d(Q) = {0}.', metres(lap.toGoal[closest])));
  }
  walk(run, lap, closest, lap.last, 'circumnavigation');
  run.laps.push({hit, s: begin, end: run.length, perimeter, ahead, boundary: lap.boundary,
    closest: lap.points[closest]});
  run.say('3', backText(ahead, perimeter));
  if (ahead <= perimeter - ahead) walk(run, lap, 0, closest, 'return_to_leave_point');
  else {
    for (let node = lap.last - 1; node >= closest; node--) {
      run.goTo(lap.points[node], 'return_to_leave_point');
    }
  }
  if (!scene.isFree(lap.points[closest])) return proven(run, lap, '3', tr('The way from Q to the '
    + 'goal is blocked by the same obstacle, although Q is its closest point: the goal is '
    + 'unreachable.'));
  run.say('3', tr('The way from Q to the goal is free: L{0} = Q, d(L{0}) = {1}.', number,
    metres(lap.toGoal[closest])));
  return lap.points[closest];
}

function backText(ahead, perimeter) {
  if (ahead === 0) return tr('The lap is closed. Q is the hit point itself.');
  const back = perimeter - ahead;
  const way = ahead <= back ? tr('in the same direction') : tr('backwards');
  return tr('The lap is closed: {0}. The shorter way to Q leads {1}: {2}.', metres(perimeter), way,
    metres(Math.min(ahead, back)));
}

function proven(run, lap, step, reason) {
  run.certificate = lap.boundary.corners;
  return run.end('unreachable', step, reason);
}

/** Leave where the M-line is crossed closer to the goal than the hit and the way is free. */
function bug2(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn);
  const [number, away] = [run.hits.length, scene.toGoal(hit)];
  run.say('2', tr('Hit H{0}, d(H{0}) = {1}: the robot turns {2} and follows the boundary.', number,
    metres(away), tr(turn)));
  for (let node = 1; node <= lap.last; node++) {
    walk(run, lap, node - 1, node);
    const {point, here} = {point: lap.points[node], here: metres(lap.toGoal[node])};
    if (lap.isAtGoal(node)) return run.end('reached', '2a', tr('The goal is on the boundary.'));
    if (node === lap.last || !lap.isOnMLine(node)) continue;
    if (lap.toGoal[node] >= away - TINY) {
      run.say('2b',
        tr('The M-line is met at Q, but d(Q) = {0} is not less than d(H{1}) = {2}: the '
        + 'robot stays on the boundary.', here, number, metres(away)));
    } else if (!scene.isFree(point)) {
      run.say('2b', tr('The M-line is met at Q, d(Q) = {0}, but the way from Q to the goal is '
        + 'blocked: the robot stays on the boundary.', here));
    } else {
      run.say('2b', tr('The M-line is met at Q, d(Q) = {0} < d(H{1}) = {2}, and the way is free: '
        + 'the robot leaves.', here, number, metres(away)));
      return point;
    }
  }
  return proven(run, lap, '2c', tr('The robot is back at H{0} without a leave point: the goal is '
    + 'unreachable.', number));
}

/** Leave where the line is crossed, at any distance from the goal; detect no lap. */
function bug2Naive(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn);
  run.say('2', tr('Hit H{0}: the robot follows the boundary.', run.hits.length));
  for (let node = 1; node <= lap.last; node++) {
    walk(run, lap, node - 1, node);
    if (lap.isAtGoal(node)) return run.end('reached', '2a', tr('The goal is on the boundary.'));
    if (lap.isOnLine(node) && lap.walked[node] > NAIVE_GUARD
        && scene.isFree(lap.points[node])) {
      const farther = lap.toGoal[node] >= scene.toGoal(hit) - TINY;
      run.say('2b', farther ? tr('The line is met and the way is free: the robot leaves, although '
        + 'it is farther from the goal than at the hit.')
        : tr('The line is met and the way is free: the robot leaves.'));
      return lap.points[node];
    }
  }
  return run.end('loop', '2', tr('A whole lap without a leave point: this variant does not notice '
    + 'it and circles forever.'));
}

export const CONTACT_POLICIES = {bug0, bug1, bug2, bug2_naive: bug2Naive};
