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
 * Record of a run: the path with the state of each piece, hit and leave points, laps, and the
 * moments at which a step of the pseudo-code begins or is checked, with the reason.
 */

import {distance} from './geometry.js';
import {tr} from './strings.js';

/** Verdicts in words, as they are shown and read aloud. */
export const VERDICTS = {
  reached: tr('Goal reached'),
  unreachable: tr('Goal proven unreachable'),
  unproven: tr('Not proven: a defect of this diagram'),
  misled: tr('Believes a wrong proof'),
  lost: tr('Believes to be at the goal'),
  loop: tr('Endless loop'),
  limit: tr('Stopped: too many steps'),
};

/** A run of one algorithm while it is computed, and afterwards. */
export class Run {
  constructor(algorithm, start) {
    this.algorithm = algorithm;
    this.verdict = '';
    /** Places of the path, the length of the path up to each, and the state on the way there. */
    this.path = [start];
    this.at = [0];
    this.states = ['motion_to_goal'];
    this.hits = [];
    this.leaves = [];
    /** Laps around an obstacle: {hit, s, end, perimeter, closest, ahead, boundary}. */
    this.laps = [];
    /** Moments: {s, step, reason}. */
    this.moments = [];
    /** The closed chain that separates the goal from the robot, if it is unreachable. */
    this.certificate = null;
    /** Why the certificate proves nothing; '' after a check that found nothing. */
    this.fault = null;
    /** The chain of wall points beside it, if the robot is a disc. */
    this.gates = null;
  }

  get here() {
    return this.path[this.path.length - 1];
  }

  /** Length of the path [m]. */
  get length() {
    return this.at[this.at.length - 1];
  }

  /** Go straight to a place. */
  goTo(place, state) {
    this.at.push(this.length + distance(this.here, place));
    this.path.push(place);
    this.states.push(state);
  }

  /** Note that a step begins or is checked here. */
  say(step, reason) {
    this.moments.push({s: this.length, step, reason});
  }

  addHit(point, away) {
    this.hits.push({point, s: this.length, away});
  }

  addLeave(point, away, s = this.length) {
    this.leaves.push({point, s, away});
  }

  end(verdict, step, reason) {
    this.verdict = verdict;
    this.say(step, reason);
    return this;
  }

  /** Keep the result of the check of the certificate; without a valid one there is no verdict. */
  checked(fault) {
    this.fault = fault;
    if (fault) {
      this.verdict = 'unproven';
      this.moments[this.moments.length - 1].reason =
        tr('The chain is no certificate: {0}. This is '
        + 'a defect of the diagram, not a proof.', fault);
    }
    return this;
  }

  /** Return {index, point, share, state} of the path at a length s [m]. */
  placeAt(s) {
    let [low, high] = [0, this.at.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at[middle] < s) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return {index: 0, point: this.path[0], state: this.states[0]};
    const step = this.at[low] - this.at[low - 1];
    const share = step > 0 ? Math.min(Math.max((s - this.at[low - 1]) / step, 0), 1) : 1;
    const [a, b] = [this.path[low - 1], this.path[low]];
    return {index: low, state: this.states[low],
      point: [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]};
  }

  /** Return the index of the last moment at a length s; -1 before the first. */
  momentAt(s) {
    let found = -1;
    while (found + 1 < this.moments.length && this.moments[found + 1].s <= s + 1e-9) found++;
    return found;
  }
}
