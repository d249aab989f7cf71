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
 * Bug1 of a robot that believes its odometry.
 *
 * It walks along the true boundary, but decides where the goal, H and Q are by dead reckoning. So
 * it may miss the end of a lap, go past the goal, or prove something wrong. The check of the
 * certificate, which knows where the robot has been, tells a right proof from a wrong one.
 */

import {metres} from '../dom.js';
import {Reckoning, RECKONING_STEP} from './bounds.js';
import {faultOf} from './certificate.js';
import {between, distance, dotOf, minus, plus, scaled, unit} from './geometry.js';
import {Run} from './run.js';
import {tr} from './strings.js';

/** The robot believes to be at a place that it believes to be this close [m]. */
const SAME_PLACE = 0.3;
/** Least cosine of the angle between two headings that it believes to be one. */
const SAME_WAY = 0.5;
/** Distance within which it looks whether the way to the goal is free [m]. */
const LOOK = 0.02;
const MAX_LAPS = 3;
const MAX_BELIEVED_HITS = 20;
const MAX_LENGTH = 400;

class Believer {
  constructor(scene, turn, {drift, seed}) {
    Object.assign(this, {scene, turn});
    this.run = new Run('bug1_believing', scene.start);
    this.reckoning = new Reckoning(scene.start, drift, seed);
    this.run.estimate = this.reckoning.estimate;
  }

  get estimated() {
    return this.reckoning.here;
  }

  get believedAway() {
    return distance(this.estimated, this.scene.goal);
  }

  go() {
    const {run} = this;
    while (!run.verdict) {
      if (run.hits.length === MAX_BELIEVED_HITS) {
        return run.end('loop', '1', tr('{0} hits, and no end.', MAX_BELIEVED_HITS));
      }
      this.motionToGoal();
      if (!run.verdict) this.circumnavigate();
    }
    return run;
  }

  moveTo(place, state) {
    const count = Math.max(1, Math.ceil(distance(this.run.here, place) / RECKONING_STEP));
    const from = this.run.here;
    for (let k = 1; k <= count; k++) {
      this.reckoning.move(this.run.here, between(from, place, k / count));
      this.run.goTo(between(from, place, k / count), state);
    }
  }

  /** Return the true direction in which the robot believes the goal to be. */
  get towardsGoal() {
    return this.turned(unit(minus(this.scene.goal, this.estimated)), -1);
  }

  /** Return a true direction as the robot believes it (sense 1), or the reverse (-1). */
  turned([x, y], sense) {
    const [cos, sin] = [Math.cos(this.reckoning.error), sense * Math.sin(this.reckoning.error)];
    return [cos * x - sin * y, sin * x + cos * y];
  }

  motionToGoal() {
    const {scene, run} = this;
    run.say('1', tr('The robot moves to where it believes the goal to be.'));
    while (run.length < MAX_LENGTH) {
      if (this.believedAway <= RECKONING_STEP) {
        this.arrive('1');
        return;
      }
      const ahead = plus(run.here, scaled(this.towardsGoal, RECKONING_STEP));
      const hit = scene.hitFrom(run.here, ahead);
      this.moveTo(hit ?? ahead, 'motion_to_goal');
      if (hit) return;
    }
    run.end('limit', '1', tr('The run was stopped after a very long path.'));
  }

  arrive(step) {
    const {run, scene} = this;
    const off = scene.toGoal(run.here);
    run.end(off <= SAME_PLACE ? 'reached' : 'lost', step,
      tr('The robot believes to be at the goal; it is {0} from it.', metres(off)));
  }

  /** Follow the boundary until the robot believes to be back at H; then go to Q. */
  circumnavigate() {
    const {scene, run} = this;
    const hit = run.here;
    const believedHit = this.estimated;
    run.addHit(hit, scene.toGoal(hit));
    run.say('2', tr('Hit H{0}: the robot follows the boundary until it believes to be back there.',
      run.hits.length));
    const lap = this.lapFrom(hit);
    const [begin, followed] = [run.length, [hit]];
    let best = {away: this.believedAway, node: 0};
    let [wasAway, before, heading] = [false, Infinity, null];
    for (let node = 1; node <= MAX_LAPS * lap.last; node++) {
      this.moveTo(lap.points[node % lap.last], 'circumnavigation');
      followed.push(run.here);
      if (this.believedAway < best.away) best = {away: this.believedAway, node};
      if (this.believedAway <= RECKONING_STEP) {
        this.arrive('2');
        return;
      }
      const off = distance(this.estimated, believedHit);
      const believed = this.turned(minus(run.here, lap.points[(node - 1) % lap.last]), 1);
      heading ??= believed;
      wasAway ||= off > 2 * SAME_PLACE;
      // The other side of a thin wall is near as well, but followed in the other direction.
      const isHere = wasAway && off < SAME_PLACE
        && dotOf(unit(believed), unit(heading)) > SAME_WAY;
      const isOver = isHere && (off >= before || off < RECKONING_STEP / 2);
      before = isHere ? off : Infinity;
      if (isOver) {
        run.laps.push({hit, s: begin, end: run.length, perimeter: run.length - begin,
          boundary: lap.boundary, ahead: 0, closest: lap.points[best.node % lap.last]});
        this.judge(lap, node, best.node, followed);
        return;
      }
    }
    run.end('loop', '2', tr('The robot has passed H{0} {1} times and never recognized it: it '
      + 'follows the obstacle forever.', run.hits.length, MAX_LAPS));
  }

  lapFrom(hit) {
    const {perimeter} = this.scene.boundaryAt(hit);
    const stops = Array.from({length: Math.floor(perimeter / RECKONING_STEP)},
      (_, k) => (k + 1) * RECKONING_STEP);
    return this.scene.lap(hit, this.turn, {stops});
  }

  /** Go back to Q, and leave, or believe that the goal is unreachable. */
  judge(lap, node, closest, followed) {
    const {scene, run} = this;
    const gap = metres(distance(run.here, followed[0]));
    run.say('3', tr('The robot believes that the lap is closed; its end is {0} from H.', gap));
    const ahead = lap.last - (node - closest);
    if (ahead > 0 && ahead < node - closest) {
      for (let k = 1; k <= ahead; k++) {
        this.moveTo(lap.points[(node + k) % lap.last], 'return_to_leave_point');
      }
    } else {
      for (let k = node - 1; k >= closest; k--) {
        this.moveTo(lap.points[k % lap.last], 'return_to_leave_point');
      }
    }
    const look = plus(run.here, scaled(this.towardsGoal, LOOK));
    if (!scene.hitFrom(run.here, look)) {
      run.say('3', tr('The way to where the robot believes the goal to be is free: it leaves.'));
      run.addLeave(run.here, scene.toGoal(run.here));
      return;
    }
    run.certificate = followed;
    run.fault = faultOf(followed, scene);
    const check = run.fault ? tr('That is wrong: the chain has a fault, {0}.', run.fault)
      : tr('The check confirms it.');
    run.end(run.fault ? 'misled' : 'unreachable', '3',
      tr('The way to where the robot believes the '
      + 'goal to be is blocked: it believes to have proven that T is unreachable. {0}', check));
  }
}

/** Run Bug1 with dead reckoning: drift in degrees per metre, and the seed of its random part. */
export const believingBug1 = (scene, turn, drift) => new Believer(scene, turn, drift).go();
