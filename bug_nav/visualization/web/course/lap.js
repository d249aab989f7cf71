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
 * One lap around a boundary.
 *
 * A lap is a sequence of nodes: all corners, crossings of the M-line, places nearest to the goal
 * on an edge, and other places on request. No condition changes between two nodes, so the middle
 * of a stretch represents all of it.
 */

import {countUpTo, offsetFrom, TINY} from './boundary.js';
import {dotOf, minus} from './geometry.js';

const modulo = (value, period) => ((value % period) + period) % period;

/**
 * One lap of a boundary: arrays over its nodes, and over the stretches between them.
 *
 * `walked` are the metres since the place where the lap begins; the last is the perimeter.
 */
export class Lap {
  constructor(boundary, point, turn, {stops = [], freeFor = []}) {
    this.boundary = boundary;
    this.scene = boundary.scene;
    this.turn = turn;
    this.sense = turn === 'left' ? -1 : 1;
    this.begin = boundary.placeOf(point);
    const cuts = [...boundary.cornersAndFeet(), ...boundary.across(this.scene.start),
      ...boundary.atDistance(this.scene.reach),
      ...freeFor.flatMap((length) => boundary.freeFor(length)),
      ...(freeFor.length ? boundary.view.begins : [])];
    const sorted = [...cuts.map((at) => this.walkedTo(at)), ...stops].sort((a, b) => a - b);
    const inner = sorted.filter((walked, k) => walked > TINY
      && walked < boundary.perimeter - TINY && walked - (k ? sorted[k - 1] : 0) > TINY);
    this.walked = [0, ...inner, boundary.perimeter];
    this.points = this.walked.map((walked) => boundary.pointAt(this.abscissa(walked)));
    this.points[0] = this.points[this.points.length - 1] = point;
    this.toGoal = this.points.map((place) => this.scene.toGoal(place));
  }

  get last() {
    return this.walked.length - 1;
  }

  walkedTo(abscissa) {
    return modulo(this.sense * (abscissa - this.begin), this.boundary.perimeter);
  }

  abscissa(walked) {
    return modulo(this.begin + this.sense * walked, this.boundary.perimeter);
  }

  isAtGoal(node) {
    return this.toGoal[node] <= this.scene.reach + TINY;
  }

  /** Return whether a node is on the infinite line through the M-line. */
  isOnLine(node) {
    return Math.abs(offsetFrom(this.points[node], this.scene.start, this.scene.goal)) < 10 * TINY;
  }

  /** Return whether a node is on the M-line, the segment to the goal. */
  isOnMLine(node) {
    if (!this.isOnLine(node)) return false;
    const {start, goal} = this.scene;
    const along = minus(goal, start);
    const abscissa = dotOf(minus(this.points[node], start), along);
    return abscissa >= -TINY && abscissa <= dotOf(along, along) + TINY;
  }

  /** Return the abscissae of the middles of all stretches. */
  get middles() {
    this.cachedMiddles ??= this.walked.slice(1).map((walked, k) => (
      this.abscissa(0.5 * (this.walked[k] + walked))));
    return this.cachedMiddles;
  }

  /** Return the distances of the middles of all stretches to the goal. */
  get middleToGoal() {
    return this.middles.map((at) => this.scene.toGoal(this.boundary.pointAt(at)));
  }

  /** Return the free way to the goal from the middle of every stretch. */
  get middleFree() {
    return this.middles.map((at, k) => this.freeWay(this.boundary.pointAt(at), k));
  }

  /**
   * Return the free way to the goal from every node, the longer one at a tangent.
   *
   * A ray that only touches a corner passes it, so the longer way of both sides counts.
   */
  get free() {
    const before = this.middles.map((_, k) => this.freeWay(this.points[k + 1], k));
    const after = this.middles.map((_, k) => this.freeWay(this.points[k], k));
    return this.points.map((_, k) => Math.max(
      k < after.length ? after[k] : before[k - 1], k ? before[k - 1] : after[0]));
  }

  freeWay(point, stretch) {
    const {view} = this.boundary;
    const row = Math.max(countUpTo(view.begins, this.middles[stretch]) - 1, 0);
    const {faces, line, normal} = view.stretches[row];
    if (!faces) return 0;
    const whole = dotOf(minus(this.scene.goal, point), normal);
    const way = dotOf(minus(line, point), normal);
    const share = Math.min(Math.max(way / (whole === 0 ? 1 : whole), 0), 1);
    return share * this.scene.toGoal(point);
  }

  /** Return the node of the lap that is closest to the goal. */
  get closest() {
    return this.toGoal.indexOf(Math.min(...this.toGoal));
  }

  /** Return the first node at the goal, or null. */
  get goalNode() {
    for (let node = 1; node <= this.last; node++) if (this.isAtGoal(node)) return node;
    return null;
  }
}
