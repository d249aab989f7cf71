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
 * TangentBug as a walk of a point robot, in steps of a few centimetres.
 *
 * Source: I. Kamon, E. Rivlin and E. Rimon, ICRA 1996; IJRR 17(9), 1998. Ours, so that it ends and
 * proves nothing false: motion to the goal uses only nodes that are closer to the goal; at a local
 * minimum, the robot moves straight on until it is blocked; a mere continuation of the followed
 * wall is no reason to leave it; and a closed lap is a proof only if the way from its closest
 * place to the goal is blocked. Otherwise the robot leaves there, as Bug1 does.
 *
 * The nodes of the local tangent graph are exact; walls are sampled every WALL_GRAIN. The choice
 * among nodes of equal length is free, so path lengths are not unique.
 */

import {metres} from '../dom.js';
import {TINY} from './boundary.js';
import {between, crossOf, distance, dotOf, minus} from './geometry.js';
import {Run} from './run.js';
import {tr} from './strings.js';

/** Step of the robot, and distance between places of walls [m]. */
export const GRAIN = 0.05;
const WALL_GRAIN = 0.1;
/** A node must be closer to the goal by this [m]. */
const NODE_MARGIN = 0.005;
/** A place to leave for must be closer than the followed wall by this [m]. */
const LEAVE_MARGIN = 0.02;
/** The chosen side is kept unless another is shorter by this [m]. */
const HYSTERESIS = 0.10;
const MAX_STEPS = 50000;

/** Return the nodes of the local tangent graph at a place, visible or not. */
const nodesFrom = (scene, here, sight) => [
  ...cornersFrom(scene, here, sight), ...endsOfSight(scene, here, sight)];

/** Return the corners within sight at which a ray from a place touches the obstacle. */
function cornersFrom(scene, here, sight) {
  return scene.edges.filter(({a, b, before}) => {
    const ray = minus(a, here);
    const far = Math.hypot(...ray);
    const sides = crossOf(ray, minus(before, a)) * crossOf(ray, minus(b, a));
    return sides >= -TINY && crossOf(minus(a, before), minus(b, a)) > 0 && far > TINY
      && far <= sight;
  }).map(({a}) => a);
}

/** Return the places of walls at the range of sight. */
function endsOfSight(scene, here, sight) {
  const found = [[], []];
  for (const {a, b, along} of scene.edges) {
    const gap = minus(a, here);
    const length2 = Math.max(dotOf(along, along), TINY ** 2);
    const middle = -dotOf(gap, along) / length2;
    const root = middle ** 2 - (dotOf(gap, gap) - sight ** 2) / length2;
    if (!(root > 0)) continue;
    [middle - Math.sqrt(root), middle + Math.sqrt(root)].forEach((share, k) => {
      if (share > 0 && share < 1) found[k].push(between(a, b, share));
    });
  }
  return found.flat();
}

/** Return the visible nodes at a place: {point, isCloser}, closer to the goal than the place. */
export function visibleNodes(scene, here, sight) {
  const limit = scene.toGoal(here) - NODE_MARGIN;
  return nodesFrom(scene, here, sight).filter((point) => scene.sees(here, point))
    .map((point) => ({point, isCloser: scene.toGoal(point) < limit}));
}

/** One run, with the state that its two modes share. */
class TangentBug {
  constructor(scene, sight) {
    Object.assign(this, {scene, sight});
    this.run = new Run('tangent_bug', scene.start);
    // Places of all walls, the closest to the goal first: their abscissa and boundary.
    this.places = scene.boundaries.flatMap((boundary) => stopsOf(boundary).map((at) => {
      const point = boundary.pointAt(at);
      return {boundary, at, point, toGoal: scene.toGoal(point)};
    })).sort((a, b) => a.toGoal - b.toGoal);
  }

  get here() {
    return this.run.here;
  }

  go() {
    while (!this.run.verdict) {
      this.motionToGoal();
      if (!this.run.verdict) this.follow();
    }
    return this.run;
  }

  /** Go to the goal, or to the best node closer to it, until there is none. */
  motionToGoal() {
    const {scene, run, sight} = this;
    let [aim, said] = [null, ''];
    while (run.path.length < MAX_STEPS) {
      const [away, way] = [scene.toGoal(this.here), scene.wayToGoal(this.here)];
      if (way >= away && away <= sight) {
        run.say('1', tr('The goal is visible: the robot moves to it.'));
        if (away > 0) run.goTo(scene.goal, 'motion_to_goal');
        run.end('reached', '1', tr('The goal is reached after {0}.', metres(run.length)));
        return;
      }
      const isFree = way >= Math.min(sight, away);
      aim = isFree ? scene.goal : this.bestNode(aim);
      if (!aim) return;
      const kind = isFree ? 'goal' : 'node';
      if (kind !== said) this.sayAim(kind);
      said = kind;
      this.moveTo(aim, GRAIN, isFree ? 'motion_to_goal' : 'motion_to_node');
    }
    run.end('limit', '1', tr('The run was stopped after very many steps.'));
  }

  sayAim(kind) {
    this.run.say('1', kind === 'goal' ? tr('The visible way to the goal is free.')
      : tr('An obstacle blocks the way: the robot aims at the visible end O_i with the shortest '
        + 'way over it to the goal.'));
  }

  /** Return the node closer to the goal with the shortest way through it, or null. */
  bestNode(old) {
    const {scene, here} = this;
    const limit = scene.toGoal(here) - NODE_MARGIN;
    const nodes = nodesFrom(scene, here, this.sight)
      .filter((node) => scene.toGoal(node) < limit)
      .map((node) => ({node, length: distance(node, here) + scene.toGoal(node)
        - (old && distance(node, old) < HYSTERESIS ? HYSTERESIS : 0)}))
      .sort((a, b) => a.length - b.length);
    return nodes.find(({node}) => scene.sees(here, node))?.node ?? null;
  }

  /** Follow the obstacle until a visible place is closer than all of its followed part. */
  follow() {
    const {scene, run} = this;
    const hit = scene.hitFrom(this.here);
    run.say('1', tr('No visible end is closer to the goal: a local minimum. The robot moves '
      + 'straight on until it is blocked.'));
    this.moveTo(hit, Infinity, 'motion_to_goal');
    run.addHit(hit, scene.toGoal(hit));
    const lap = this.lapFrom(hit);
    let followed = scene.toGoal(hit);
    run.say('2', tr('The robot follows the boundary ({0}, the shorter side); d_followed = {1}.',
      tr(lap.turn), metres(followed)));
    for (let node = 0; node <= lap.last; node++) {
      if (node) this.moveTo(lap.points[node], Infinity, 'boundary_following');
      if (lap.isAtGoal(node)) {
        run.end('reached', '2', tr('The goal is on the boundary.'));
        return;
      }
      const [back, ahead] = this.seenWall(lap, node);
      for (let k = back; k <= ahead; k++) {
        followed = Math.min(followed, lap.toGoal[((k % lap.last) + lap.last) % lap.last]);
      }
      const place = this.placeToLeaveFor(lap, back, ahead, followed - LEAVE_MARGIN);
      if (place) {
        this.transition(place, followed);
        return;
      }
    }
    this.leaveAtClosest(lap);
  }

  /** Return the lap from a hit towards the visible end of the wall with the shorter way to T. */
  lapFrom(hit) {
    const stops = stopsOf(this.scene.boundaryAt(hit));
    const [left, right] = ['left', 'right'].map((turn) => this.scene.lap(hit, turn, {stops}));
    const [lengthLeft, lengthRight] = [left, right].map((lap) => {
      const end = this.seenWall(lap, 0)[1] % lap.last;
      return distance(hit, lap.points[end]) + lap.toGoal[end];
    });
    return lengthRight < lengthLeft - TINY ? right : left;
  }

  /** Prove that the goal is unreachable, or return to the closest place of the lap and leave. */
  leaveAtClosest(lap) {
    const {scene, run} = this;
    const {closest} = lap;
    const away = metres(lap.toGoal[closest]);
    if (!scene.isFree(lap.points[closest])) {
      run.certificate = lap.boundary.corners;
      run.end('unreachable', '2c', tr('The lap is closed without a leave point, and the way from '
        + 'its closest place, {0} from the goal, is blocked: the goal is unreachable.', away));
      return;
    }
    run.say('2c',
      tr('The lap is closed without a leave point, but the way from its closest place, '
      + '{0} from the goal, is free: the robot returns there and leaves.', away));
    const isAhead = lap.walked[closest] <= lap.boundary.perimeter / 2;
    const nodes = isAhead ? lap.points.slice(1, closest + 1)
      : lap.points.slice(closest, lap.last).reverse();
    for (const point of nodes) this.moveTo(point, Infinity, 'return_to_leave_point');
    run.addLeave(this.here, scene.toGoal(this.here));
  }

  transition(place, followed) {
    const {scene, run} = this;
    run.say('2b', tr('A visible point is {0} from the goal, closer than the whole followed '
      + 'boundary, {1}: the robot leaves.', metres(scene.toGoal(place)), metres(followed)));
    run.addLeave(this.here, scene.toGoal(this.here));
    run.say('3', tr('The robot moves to that point until it is closer than d_followed.'));
    // A wall that ends at the goal is followed at a distance of 0.
    while (scene.toGoal(this.here) >= followed && distance(this.here, place) > TINY) {
      this.moveTo(place, GRAIN, 'transition');
    }
  }

  /** Return the nodes up to which the wall is visible backwards and ahead without a break. */
  seenWall(lap, node) {
    const count = lap.last;
    return [-1, 1].map((sense) => {
      let steps = 0;
      while (steps < count - 1) {
        const next = node + sense * (steps + 1);
        const point = lap.points[((next % count) + count) % count];
        if (distance(point, this.here) > this.sight
            || !this.scene.sees(this.here, point)) break;
        steps++;
      }
      return node + sense * steps;
    });
  }

  /** Return the visible place closest to the goal that the followed wall does not lead to. */
  placeToLeaveFor(lap, back, ahead, closerThan) {
    const {scene, here, sight} = this;
    const [away, way] = [scene.toGoal(here), scene.wayToGoal(here)];
    const free = Math.min(sight, away);
    // The goal itself is closer than any wall, however close to one it is.
    if (way >= free && (free === away || away - free < closerThan)) {
      return between(here, scene.goal, free / Math.max(away, TINY));
    }
    const isOnWall = this.seenWallTest(lap, back, ahead);
    for (const place of this.places) {
      if (place.toGoal >= closerThan) return null;
      if (distance(place.point, here) <= sight && !isOnWall(place)
          && scene.sees(here, place.point)) return place.point;
    }
    return null;
  }

  /** Return a test for places on the visible part of the followed wall. */
  seenWallTest(lap, back, ahead) {
    const [count, {perimeter}] = [lap.last, lap.boundary];
    const wrap = (value, period) => ((value % period) + period) % period;
    // One more node on both sides, because the view breaks somewhere between nodes.
    const [begin, end] = [lap.walked[wrap(back - 1, count)], lap.walked[wrap(ahead + 1, count)]];
    const length = ahead - back + 2 >= count ? perimeter : wrap(end - begin, perimeter);
    return ({boundary, at}) => boundary === lap.boundary
      && wrap(lap.walkedTo(at) - begin, perimeter) <= length;
  }

  moveTo(place, atMost, state) {
    const left = distance(this.here, place);
    this.run.goTo(between(this.here, place, Math.min(1, atMost / Math.max(left, TINY))), state);
  }
}

function stopsOf(boundary) {
  const regular = Array.from({length: Math.ceil(boundary.perimeter / WALL_GRAIN)},
    (_, k) => k * WALL_GRAIN);
  return [...new Set([...regular, ...boundary.cornersAndFeet()])].sort((a, b) => a - b);
}

/** Run TangentBug with a range sensor that sees `sight` metres to all sides. */
export const tangentBug = (scene, sight) => new TangentBug(scene, sight).go();
