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
 * VisBug-21 and VisBug-22 as walks of a point robot, in steps of a few centimetres.
 *
 * Source: V. Lumelsky and T. Skewis, IEEE SMC 20(5), 1990; V. Lumelsky, Sensing, Intelligence,
 * Motion, 2006, section 3.6.
 *
 * A virtual Bug2 runs ahead as far as it is visible to the robot C without a break; T_i is its
 * place, and C goes straight there. The numbers in the code are the steps of the procedure
 * Compute T_i. The main semiplane is the side of the M-line to which the local direction turns.
 */

import {metres} from '../dom.js';
import {offsetFrom, TINY} from './boundary.js';
import {between, distance} from './geometry.js';
import {Run} from './run.js';
import {tr} from './strings.js';

const VISBUG_STEP = 0.05;
const MAX_LOOKS = 100000;

/** One run; `lap` is the boundary that T_i is on, null for the M-line. */
class VisBug {
  constructor(algorithm, scene, turn, sight) {
    Object.assign(this, {scene, turn, sight, lap: null, node: 0});
    this.isCautious = algorithm === 'vis_bug_21';
    this.run = new Run(algorithm, scene.start);
    /** T_i, and X, the best crossing of the M-line on this boundary. */
    this.aim = this.best = scene.start;
    /** Places of T_i by length of the path, for the picture. */
    this.run.aims = [{s: 0, point: this.aim}];
  }

  go() {
    const {run} = this;
    run.say('2', tr('T_i moves along the visible part of the M-line, and the robot follows it.'));
    for (let look = 0; look < MAX_LOOKS; look++) {
      this.compute();
      if (run.verdict) return run;
      run.aims.push({s: run.length, point: this.aim});
      const left = distance(run.here, this.aim);
      run.goTo(between(run.here, this.aim, Math.min(1, VISBUG_STEP / Math.max(left, TINY))),
        this.lap ? 'boundary_following' : 'motion_to_goal');
    }
    return run.end('limit', '1', tr('The run was stopped after very many steps.'));
  }

  /** Move T_i ahead as far as it is visible. */
  compute() {
    const {scene, run} = this;
    if (this.isInSight(scene.goal)) {                                                // 1
      run.say('1', tr('The goal is visible: it becomes T_i.'));
      run.aims.push({s: run.length, point: scene.goal});
      run.goTo(scene.goal, 'motion_to_goal');
      run.end('reached', '1', tr('The goal is reached after {0}.', metres(run.length)));
      return;
    }
    for (;;) {
      if (this.lap || this.alongTheMLine()) {                                        // 2
        if (!this.alongTheBoundary()) continue;                                      // 3
        if (this.node === this.lap.last) {
          // Back at H. The robot goes there before it reports that.
          if (distance(run.here, this.aim) < TINY) this.prove();
          return;
        }
      }
      if (!this.shortcut()) return;                                                  // 4
    }
  }

  prove() {
    this.run.certificate = this.lap.boundary.corners;
    this.run.end('unreachable', '5', tr('The virtual Bug2 is back at H without a leave point: the '
      + 'goal is unreachable.'));
  }

  /** Advance T_i along the M-line; return whether it met an obstacle. */
  alongTheMLine() {
    const {scene} = this;
    const hit = scene.hitFrom(this.aim);
    for (const point of samples(this.aim, hit ?? scene.goal)) {
      if (!this.isInSight(point)) return false;
      this.aim = point;
    }
    if (!hit) return false;
    const stops = [];
    const {perimeter} = scene.boundaryAt(hit);
    for (let k = 1; k * VISBUG_STEP < perimeter; k++) stops.push(k * VISBUG_STEP);
    this.lap = scene.lap(hit, this.turn, {stops});
    this.node = 0;
    this.best = hit;
    this.run.addHit(hit, scene.toGoal(hit));
    this.run.say('3', tr('T_i meets an obstacle at H{0} and moves along its boundary as far as it '
      + 'is visible.', this.run.hits.length));
    return true;
  }

  /** Advance T_i along the boundary; return whether it is still there, not on the M-line. */
  alongTheBoundary() {
    const {lap, scene, run} = this;
    while (this.node < lap.last) {
      // The robot itself at T_i follows the boundary (S2).
      if (distance(run.here, this.aim) > TINY && !this.isInSight(lap.points[this.node + 1])) {
        break;
      }
      this.aim = lap.points[++this.node];
      if (!lap.isOnMLine(this.node) || lap.toGoal[this.node] >= lap.toGoal[0] - TINY) continue;
      if (lap.toGoal[this.node] < scene.toGoal(this.best)) this.best = this.aim;
      if (scene.isFree(this.aim)) {
        this.leave(this.aim, '3', tr('T_i crosses the M-line closer than H, and the way is free: '
          + 'T_i leaves the boundary.'));
        return false;
      }
    }
    return true;
  }

  /** Move T_i to a visible place of the M-line that is closer than Bug2 has come, if any. */
  shortcut() {
    const {scene, run: {here}} = this;
    const side = offsetFrom(here, scene.start, scene.goal);
    if (this.isCautious && (this.turn === 'left' ? side : -side) < -TINY) return false;
    const reference = !this.lap ? this.aim : this.isCautious ? this.best : this.lap.points[0];
    const limit = scene.toGoal(reference);
    for (const place of samples(scene.goal, reference)) {
      // Not the reference itself.
      if (limit > scene.toGoal(place) + TINY && distance(place, here) <= this.sight
          && scene.sees(here, place)) {
        this.leave(place, '4', tr('A point of the M-line is visible, {0} from the goal, closer '
          + 'than the crossings before: a shortcut.', metres(scene.toGoal(place))));
        return true;
      }
    }
    return false;
  }

  leave(place, step, reason) {
    if (this.lap) {
      this.run.addLeave(place, this.scene.toGoal(place));
      this.run.say(step, reason);
    }
    this.aim = place;
    this.lap = null;
  }

  isInSight(point) {
    return distance(this.run.here, point) <= this.sight + TINY
      && this.scene.sees(this.run.here, point);
  }
}

/** Return places on the way from begin (not itself) to end, at most a step apart. */
function samples(begin, end) {
  const count = Math.ceil(distance(begin, end) / VISBUG_STEP);
  return Array.from({length: count}, (_, k) => between(begin, end, (k + 1) / count));
}

/** Run VisBug-21 or VisBug-22 with a range sensor that sees `sight` metres to all sides. */
export const visBug = (algorithm, scene, turn, sight) => (
  new VisBug(algorithm, scene, turn, sight).go());
