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
 * Exact geometry of a point robot among polygons.
 *
 * There are no scans, no time and no tolerances beside the rounding of coordinates.
 */

import {Boundary, TINY} from './boundary.js';
import {between, distance, minus, nearestOn, WELD} from './geometry.js';
import {Lap} from './lap.js';
import {tr} from './strings.js';

/** A way that is free for less than this is blocked; one solid for less is grazed [m]. */
export const SHORT = 1e-6;
/** So close to an end on a wall, rounding may put a wall between it and the other end [m]. */
const NEAR_END = 1e-3;

/** Obstacles as loops with the solid on their left, a start, a goal and the M-line. */
export class Scene {
  /**
   * @param {object} options reach, at which the goal is reached [m]; for the check of proofs also
   *   the loops as they were drawn, before their union and inflation (walls), and rho [m].
   * @throws {RangeError} if the start is inside an obstacle.
   */
  constructor(loops, start, goal, {reach = 0, walls = loops, rho = 0} = {}) {
    Object.assign(this, {walls, rho, reach: Math.max(reach, TINY)});
    this.edges = loops.flatMap((loop, owner) => loop.map((a, k) => {
      const b = loop[(k + 1) % loop.length];
      const along = minus(b, a);
      return {a, b, along, length: distance(a, b), owner,
        before: loop[(k + loop.length - 1) % loop.length],
        x0: a[0], y0: a[1], ex: along[0], ey: along[1],
        left: Math.min(a[0], b[0]), right: Math.max(a[0], b[0]),
        low: Math.min(a[1], b[1]), high: Math.max(a[1], b[1])};
    }));
    this.start = this.onWall(start);
    this.goal = this.onWall(goal);
    this.boundaries = loops.map((loop) => new Boundary(this, loop));
    this.isGoalSolid = this.isSolid(goal);
    if (this.isSolid(start)) {
      throw new RangeError(tr('The start is inside an obstacle.'));
    }
  }

  /** Return a place on a wall that it is on up to rounding, or the place itself. */
  onWall(place) {
    const edge = this.edges.find((each) => distanceToEdge(each, ...place) <= 2 * WELD);
    return edge ? nearestOn(edge.a, edge.b, place) : place;
  }

  toGoal(point) {
    return distance(point, this.goal);
  }

  /** Return where the straight way to a target enters a solid, or null. */
  hitFrom(point, target = this.goal) {
    const along = minus(target, point);
    const length = Math.hypot(...along);
    const cuts = [0, ...this.cutsOf(point, along).sort((a, b) => a - b), 1];
    for (let k = 0; k + 1 < cuts.length; k++) {
      // A wall may be grazed, but not at the end of the way.
      const isEnd = target === this.goal && this.isGoalSolid && cuts[k + 1] === 1;
      if (isEnd || ((cuts[k + 1] - cuts[k]) * length > SHORT
          && this.isSolid(between(point, target, 0.5 * (cuts[k] + cuts[k + 1]))))) {
        return between(point, target, cuts[k]);
      }
    }
    return null;
  }

  /** Return the length of the free way to the goal; Infinity if nothing blocks it. */
  wayToGoal(point) {
    const hit = this.hitFrom(point);
    return hit ? distance(point, hit) : Infinity;
  }

  /** Return whether the way to the goal is free at this place on a boundary. */
  isFree(point) {
    return this.wayToGoal(point) > SHORT;
  }

  /** Return whether a place is inside an obstacle and not on its boundary, exact up to WELD. */
  isSolid(point) {
    return this.isSolidAt(point[0], point[1]);
  }

  isSolidAt(x, y) {
    let winding = 0;
    for (const {x0, y0, ex, ey, low, high} of this.edges) {
      if (low > y || high <= y) continue;
      const left = ex * (y - y0) - ey * (x - x0);
      if (ey > 0 && left > 0) winding++;
      else if (ey < 0 && left < 0) winding--;
    }
    if (winding <= 0) return false;
    for (const edge of this.edges) if (distanceToEdge(edge, x, y) <= 2 * WELD) return false;
    return true;
  }

  /** Return whether a target is in sight from a point. */
  sees(point, target) {
    // No arrays in this loop, because range algorithms spend most of their time here.
    const x = point[0];
    const y = point[1];
    const dx = target[0] - x;
    const dy = target[1] - y;
    const length = Math.sqrt(dx * dx + dy * dy);
    if (target === this.goal && this.isGoalSolid) return false;
    // On a wall, rounding would put the middle of so short a way inside.
    if (length <= TINY) return true;
    const left = Math.min(x, target[0]) - SHORT;
    const right = Math.max(x, target[0]) + SHORT;
    const low = Math.min(y, target[1]) - SHORT;
    const high = Math.max(y, target[1]) + SHORT;
    let isTouched = false;
    for (const edge of this.edges) {
      if (edge.right < left || edge.left > right || edge.high < low || edge.low > high) continue;
      const {x0, y0, ex, ey} = edge;
      const across = dx * ey - dy * ex;
      // Along an edge, rounding decides where it is crossed, if at all.
      if (Math.abs(across) <= TINY * length * edge.length) continue;
      const share = ((x0 - x) * ey - (y0 - y) * ex) / across;
      if (share <= SHORT || share >= 1 - SHORT) continue;
      const onEdge = ((x0 - x) * dy - (y0 - y) * dx) / across;
      const isAtEnd = Math.min(share, 1 - share) * length < NEAR_END;
      if (!isAtEnd && onEdge > SHORT && onEdge < 1 - SHORT) return false;
      if (onEdge >= -SHORT && onEdge <= 1 + SHORT) isTouched = true;
    }
    return isTouched ? this.hitFrom(point, target) === null
      : !this.isSolidAt(x + 0.5 * dx, y + 0.5 * dy);
  }

  /** Return one lap from a point back to it; turning left keeps the obstacle on the right. */
  lap(point, turn, options = {}) {
    return new Lap(this.boundaryAt(point), point, turn, options);
  }

  /** Return the loop through a point. */
  boundaryAt([x, y]) {
    let [best, least] = [0, Infinity];
    for (const edge of this.edges) {
      const away = distanceToEdge(edge, x, y);
      if (away < least) [best, least] = [edge.owner, away];
    }
    return this.boundaries[best];
  }

  /** Return the first edge on the ray to the goal that is not at the point itself, or null. */
  firstSolid(point) {
    const [dx, dy] = minus(this.goal, point);
    const length = Math.hypot(dx, dy);
    let [first, least] = [null, Infinity];
    for (const edge of this.edges) {
      const across = dx * edge.ey - dy * edge.ex;
      if (across === 0) continue;
      const [u, v] = [edge.x0 - point[0], edge.y0 - point[1]];
      const share = (u * edge.ey - v * edge.ex) / across;
      const onEdge = (u * dy - v * dx) / across;
      if (onEdge >= -TINY && onEdge <= 1 + TINY && share * length > TINY
          && (1 - share) * length > TINY && share < least) [first, least] = [edge, share];
    }
    return first;
  }

  /** Return the shares of a segment at which edges, or corners on it, meet it. */
  cutsOf(origin, along) {
    const found = [];
    const [dx, dy] = along;
    const length2 = Math.max(dx * dx + dy * dy, TINY ** 2);
    for (const {x0, y0, ex, ey, length} of this.edges) {
      const across = dx * ey - dy * ex;
      const [u, v] = [x0 - origin[0], y0 - origin[1]];
      // Corners are exact up to WELD only, so that a way along a wall may miss one by as much. A
      // cut too many changes nothing.
      const slack = SHORT / length;
      if (across !== 0) {
        const onEdge = (u * dy - v * dx) / across;
        if (onEdge >= -slack && onEdge <= 1 + slack) found.push((u * ey - v * ex) / across);
      }
      // An edge that runs along the segment has no crossing of its own: its ends are cuts.
      const corner = (u * dx + v * dy) / length2;
      const aside = Math.abs(u - corner * dx);
      if (aside < SHORT && Math.hypot(aside, v - corner * dy) < SHORT) {
        found.push(corner);
      }
    }
    return found.filter((share) => share > 0 && share < 1);
  }
}

function distanceToEdge({x0, y0, ex, ey}, x, y) {
  const length2 = Math.max(ex * ex + ey * ey, TINY ** 2);
  const share = Math.min(Math.max(((x - x0) * ex + (y - y0) * ey) / length2, 0), 1);
  const u = x - x0 - share * ex;
  const v = y - y0 - share * ey;
  return Math.sqrt(u * u + v * v);
}
