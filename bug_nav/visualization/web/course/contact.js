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
 * The Bug algorithms with a contact sensor, as exact walks; test/oracle_contact.py has the
 * same ones for the tests.
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
import {distance} from './geometry.js';
import {Run} from './run.js';
import {SHORT} from './scene.js';

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
    run.say('1', run.hits.length ? 'The way from the leave point leads straight to the goal.'
      : 'The robot moves straight to the goal.');
    const hit = scene.hitFrom(run.here);
    if (arrives(scene, run, hit)) return run;
    run.goTo(hit, 'motion_to_goal');
    run.addHit(hit, scene.toGoal(hit));
    if (run.hits.filter(({point}) => distance(point, hit) < SHORT).length >= SAME_HITS) {
      return run.end('loop', '1', `The robot is at the same hit point for the ${
        SAME_HITS}rd time: it would repeat this forever.`);
    }
    const leave = policy(scene, run, hit, turn);
    if (run.verdict) return run;
    run.addLeave(leave, scene.toGoal(leave));
  }
  return run.end('loop', '1', `${MAX_HITS} hits, and no end.`);
}

/** Go straight to the goal and return true, unless there is a hit first. */
function arrives(scene, run, hit) {
  const away = scene.toGoal(run.here);
  const way = Math.max(away - scene.reach, 0);
  if (hit && distance(run.here, hit) < way) return false;
  if (away > 0) run.goTo(scene.goal, 'motion_to_goal');
  run.end('reached', '1', `The goal is reached after ${metres(run.length)}.`);
  return true;
}

/** Walk a lap up to a node, with a state. */
function walk(run, lap, from, to, state = 'boundary_following') {
  for (let node = from + 1; node <= to; node++) run.goTo(lap.points[node], state);
}

/** Walk to a node and end there, or return it as the leave point. */
function walkTo(run, lap, from, node, step) {
  walk(run, lap, from, node);
  if (lap.isAtGoal(node)) return run.end('reached', step, 'The goal is on the boundary.');
  return lap.points[node];
}

/** Leave where the way to the goal is free; a lap without such a place never ends. */
function bug0(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn, {freeFor: [CLEAR]});
  const {free, middleFree, middleToGoal} = lap;
  const isFree = (way, away) => way >= Math.min(CLEAR, away) - TINY;
  run.say('2', `Hit H${run.hits.length}: the robot turns ${turn} and follows the boundary.`);
  for (let node = 0; node <= lap.last; node++) {
    const leaves = (node < lap.last && isFree(middleFree[node], middleToGoal[node]))
      || (node > 0 && isFree(free[node], lap.toGoal[node]));
    if (!leaves && !(node > 0 && lap.isAtGoal(node))) continue;
    const place = walkTo(run, lap, 0, node, '2');
    if (!run.verdict) run.say('3', 'The way to the goal is free: the robot leaves.');
    return place;
  }
  walk(run, lap, 0, lap.last);
  return run.end('loop', '2', 'A whole lap without a free way to the goal: Bug0 has no memory, '
    + 'so it circles forever.');
}

/** Walk the lap, go back to its closest place by the shorter way, and leave if it is free. */
function bug1(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn);
  const number = run.hits.length;
  const begin = run.length;
  run.say('2', `Hit H${number}: the robot circumnavigates the obstacle and stores the closest `
    + 'point Q.');
  if (lap.goalNode !== null) return walkTo(run, lap, 0, lap.goalNode, '2');
  const {closest, boundary: {perimeter}} = lap;
  const ahead = lap.walked[closest];
  walk(run, lap, 0, closest, 'circumnavigation');
  if (closest > 0) run.say('2', `Closest point so far: d(Q) = ${metres(lap.toGoal[closest])}.`);
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
  if (!scene.isFree(lap.points[closest])) return proven(run, lap, '3', 'The way from Q to the '
    + 'goal is blocked by the same obstacle, although Q is its closest point: the goal is '
    + 'unreachable.');
  run.say('3', `The way from Q to the goal is free: L${number} = Q, `
    + `d(L${number}) = ${metres(lap.toGoal[closest])}.`);
  return lap.points[closest];
}

function backText(ahead, perimeter) {
  if (ahead === 0) return 'The lap is closed. Q is the hit point itself.';
  const back = perimeter - ahead;
  const way = ahead <= back ? 'in the same direction' : 'backwards';
  return `The lap is closed: ${metres(perimeter)}. The shorter way to Q leads ${way}: ${
    metres(Math.min(ahead, back))}.`;
}

function proven(run, lap, step, reason) {
  run.certificate = lap.boundary.corners;
  return run.end('unreachable', step, reason);
}

/** Leave where the M-line is crossed closer to the goal than the hit and the way is free. */
function bug2(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn);
  const [number, away] = [run.hits.length, scene.toGoal(hit)];
  run.say('2', `Hit H${number}, d(H${number}) = ${metres(away)}: the robot turns ${
    turn} and follows the boundary.`);
  for (let node = 1; node <= lap.last; node++) {
    walk(run, lap, node - 1, node);
    const {point, here} = {point: lap.points[node], here: metres(lap.toGoal[node])};
    if (lap.isAtGoal(node)) return run.end('reached', '2a', 'The goal is on the boundary.');
    if (node === lap.last || !lap.isOnMLine(node)) continue;
    if (lap.toGoal[node] >= away - TINY) {
      run.say('2b', `The M-line is met at Q, but d(Q) = ${here} is not less than d(H${
        number}) = ${metres(away)}: the robot stays on the boundary.`);
    } else if (!scene.isFree(point)) {
      run.say('2b', `The M-line is met at Q, d(Q) = ${here}, but the way from Q to the goal is `
        + 'blocked: the robot stays on the boundary.');
    } else {
      run.say('2b', `The M-line is met at Q, d(Q) = ${here} < d(H${number}) = ${
        metres(away)}, and the way is free: the robot leaves.`);
      return point;
    }
  }
  return proven(run, lap, '2c', `The robot is back at H${number} without a leave point: the `
    + 'goal is unreachable.');
}

/** Leave where the line is crossed, at any distance from the goal; detect no lap. */
function bug2Naive(scene, run, hit, turn) {
  const lap = scene.lap(hit, turn);
  run.say('2', `Hit H${run.hits.length}: the robot follows the boundary.`);
  for (let node = 1; node <= lap.last; node++) {
    walk(run, lap, node - 1, node);
    if (lap.isAtGoal(node)) return run.end('reached', '2a', 'The goal is on the boundary.');
    if (lap.isOnLine(node) && lap.walked[node] > NAIVE_GUARD
        && scene.isFree(lap.points[node])) {
      const farther = lap.toGoal[node] >= scene.toGoal(hit) - TINY;
      run.say('2b', `The line is met and the way is free: the robot leaves${
        farther ? ', although it is farther from the goal than at the hit' : ''}.`);
      return lap.points[node];
    }
  }
  return run.end('loop', '2', 'A whole lap without a leave point: this variant does not notice '
    + 'it and circles forever.');
}

export const CONTACT_POLICIES = {bug0, bug1, bug2, bug2_naive: bug2Naive};
