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
 * Exact geometry of a point robot among polygons: a port of test/oracle.py, line by line.
 *
 * There are no scans, no time and no tolerances beside the rounding of coordinates. A lap is a
 * sequence of nodes: all corners, crossings of the M-line, places nearest to the goal on an edge,
 * and other places on request. No condition changes between two nodes, so the middle of a stretch
 * represents all of it.
 */

import {between, crossOf, distance, dotOf, minus} from './geometry.js';

/** Rounding of coordinates [m]. */
export const TINY = 1e-9;
/** A way that is free for less than this is blocked; one solid for less is grazed [m]. */
export const SHORT = 1e-6;

const modulo = (value, period) => ((value % period) + period) % period;
const ascending = (a, b) => a - b;

/** Return the number of sorted values that are not greater than a value. */
function countUpTo(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the signed distance of a point from the line through two places. */
export function offsetFrom(point, begin, end) {
  const along = minus(end, begin);
  return crossOf(along, minus(point, begin)) / Math.max(Math.hypot(...along), TINY);
}

/** Obstacles as loops with the solid on their left, a start, a goal and the M-line. */
export class Scene {
  /** @throws {RangeError} if the start is inside an obstacle. */
  constructor(loops, start, goal, reach = 0) {
    this.start = start;
    this.goal = goal;
    this.reach = Math.max(reach, TINY);
    this.edges = loops.flatMap((loop, owner) => loop.map((a, k) => {
      const b = loop[(k + 1) % loop.length];
      const along = minus(b, a);
      return {a, b, along, length: distance(a, b), owner,
        before: loop[(k + loop.length - 1) % loop.length],
        x0: a[0], y0: a[1], ex: along[0], ey: along[1],
        left: Math.min(a[0], b[0]), right: Math.max(a[0], b[0]),
        low: Math.min(a[1], b[1]), high: Math.max(a[1], b[1])};
    }));
    this.boundaries = loops.map((loop) => new Boundary(this, loop));
    if (this.isSolid(start)) throw new RangeError('The start is inside an obstacle.');
  }

  toGoal(point) {
    return distance(point, this.goal);
  }

  /** Return where the straight way to a target enters a solid, or null. */
  hitFrom(point, target = this.goal) {
    const along = minus(target, point);
    const length = Math.hypot(...along);
    const cuts = [0, ...this.cutsOf(point, along).sort(ascending), 1];
    for (let k = 0; k + 1 < cuts.length; k++) {
      if ((cuts[k + 1] - cuts[k]) * length > SHORT
          && this.isSolid(between(point, target, 0.5 * (cuts[k] + cuts[k + 1])))) {
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

  /** Return whether a place is inside an obstacle and not on its boundary. */
  isSolid([x, y]) {
    let winding = 0;
    for (const {x0, y0, ex, ey, low, high} of this.edges) {
      if (low > y || high <= y) continue;
      const left = ex * (y - y0) - ey * (x - x0);
      if (ey > 0 && left > 0) winding++;
      else if (ey < 0 && left < 0) winding--;
    }
    if (winding <= 0) return false;
    for (const edge of this.edges) if (distanceToEdge(edge, x, y) <= TINY) return false;
    return true;
  }

  /** Return whether a target is in sight from a point. */
  sees(point, target) {
    // No arrays in this loop, because range algorithms spend most of their time here.
    const [x, y] = point;
    const [dx, dy] = [target[0] - x, target[1] - y];
    const length = Math.sqrt(dx * dx + dy * dy);
    const [left, right] = dx < 0 ? [target[0], x] : [x, target[0]];
    const [low, high] = dy < 0 ? [target[1], y] : [y, target[1]];
    let isTouched = false;
    for (const edge of this.edges) {
      const {x0, y0, ex, ey} = edge;
      if (edge.right < left || edge.left > right || edge.high < low || edge.low > high) continue;
      const across = dx * ey - dy * ex;
      // Along an edge, rounding decides where it is crossed, if at all.
      if (Math.abs(across) <= TINY * length * edge.length) continue;
      const share = ((x0 - x) * ey - (y0 - y) * ex) / across;
      if (share <= SHORT || share >= 1 - SHORT) continue;
      const onEdge = ((x0 - x) * dy - (y0 - y) * dx) / across;
      if (onEdge > SHORT && onEdge < 1 - SHORT) return false;
      if (onEdge >= -SHORT && onEdge <= 1 + SHORT) isTouched = true;
    }
    return isTouched ? this.hitFrom(point, target) === null
      : !this.isSolid(between(point, target, 0.5));
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
    for (const {x0, y0, ex, ey} of this.edges) {
      const across = dx * ey - dy * ex;
      const [u, v] = [x0 - origin[0], y0 - origin[1]];
      if (across !== 0) {
        const onEdge = (u * dy - v * dx) / across;
        if (onEdge >= -TINY && onEdge <= 1 + TINY) found.push((u * ey - v * ex) / across);
      }
      // An edge that runs along the segment has no crossing of its own: its ends are cuts.
      const corner = (u * dx + v * dy) / length2;
      const aside = Math.abs(u - corner * dx);
      if (aside < TINY && Math.hypot(aside, v - corner * dy) < TINY) {
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

/** One closed loop of a scene; places on it are abscissae [m]. */
export class Boundary {
  constructor(scene, corners) {
    this.scene = scene;
    this.corners = corners;
    const steps = corners.map((a, k) => minus(corners[(k + 1) % corners.length], a));
    this.lengths = steps.map((step) => Math.hypot(...step));
    this.along = steps.map((step, k) => [step[0] / this.lengths[k], step[1] / this.lengths[k]]);
    this.outward = this.along.map(([x, y]) => [y, -x]);
    this.at = [0];
    for (const length of this.lengths) this.at.push(this.at[this.at.length - 1] + length);
    this.perimeter = this.at[corners.length];
    // For the line of each edge: its place nearest to the goal, and their outward distance.
    const gaps = corners.map((corner) => minus(scene.goal, corner));
    this.foot = gaps.map((gap, k) => dotOf(gap, this.along[k]));
    this.height = gaps.map((gap, k) => dotOf(gap, this.outward[k]));
  }

  edgeAt(abscissa) {
    return Math.min(Math.max(countUpTo(this.at, abscissa) - 1, 0), this.corners.length - 1);
  }

  pointAt(abscissa) {
    const edge = this.edgeAt(abscissa);
    const [corner, along, beyond] = [
      this.corners[edge], this.along[edge], abscissa - this.at[edge]];
    return [corner[0] + beyond * along[0], corner[1] + beyond * along[1]];
  }

  /** Return the abscissa of a place on this loop. */
  placeOf(point) {
    let [best, least] = [0, Infinity];
    this.corners.forEach((corner, k) => {
      const gap = minus(point, corner);
      const share = Math.min(Math.max(dotOf(gap, this.along[k]), 0), this.lengths[k]);
      const away = Math.hypot(gap[0] - share * this.along[k][0],
        gap[1] - share * this.along[k][1]);
      if (away < least) [best, least] = [this.at[k] + share, away];
    });
    return best;
  }

  distanceTo(point) {
    return distance(this.pointAt(this.placeOf(point)), point);
  }

  cornersAndFeet() {
    return [...this.at.slice(0, -1), ...this.onEdges(this.foot)];
  }

  /** Return the places at this distance from the goal. */
  atDistance(away) {
    const half = this.height.map((height) => (Math.abs(height) > away ? Infinity
      : Math.sqrt(Math.max(away ** 2 - height ** 2, 0))));
    return [...this.onEdges(this.foot.map((foot, k) => foot - half[k])),
      ...this.onEdges(this.foot.map((foot, k) => foot + half[k]))];
  }

  /** Return where the line through a place and the goal is crossed. */
  across(begin) {
    const sides = this.corners.map((corner) => {
      const side = offsetFrom(corner, begin, this.scene.goal);
      return Math.abs(side) < TINY ? 0 : side;
    });
    return sides.flatMap((side, k) => {
      const after = sides[(k + 1) % sides.length];
      return side * after < 0 ? [this.at[k] + side / (side - after) * this.lengths[k]] : [];
    });
  }

  /** Return the view to the goal from each stretch between corners and tangent places. */
  get view() {
    this.cachedView ??= this.makeView();
    return this.cachedView;
  }

  makeView() {
    const sorted = [...this.at.slice(0, -1), ...this.tangentPlaces()].sort(ascending);
    const begins = sorted.filter((place, k) => place - (k ? sorted[k - 1] : -1) > TINY);
    return {begins, stretches: begins.map((begin, k) => this.stretchOf(
      begin, begins[k + 1] ?? this.perimeter))};
  }

  /** Return the edge that ends the way to the goal, a place on it and its normal. */
  stretchOf(begin, end) {
    const {scene} = this;
    const middle = 0.5 * (begin + end);
    const [edge, point] = [this.edgeAt(middle), this.pointAt(middle)];
    const faces = this.height[edge] > TINY;
    const isAlong = Math.abs(this.height[edge]) <= TINY;
    let [line, normal] = [scene.goal, minus(scene.goal, point)];
    const solid = faces ? scene.firstSolid(point) : null;
    if (solid) [line, normal] = [solid.a, [solid.along[1], -solid.along[0]]];
    // The way to the goal runs along the edge.
    if (isAlong) line = scene.hitFrom(point) ?? line;
    const length = Math.max(Math.hypot(...normal), TINY);
    return {begin, end, edge, faces: faces || isAlong, line,
      normal: [normal[0] / length, normal[1] / length]};
  }

  /** Return the places where the free way to the goal becomes longer or shorter than this. */
  freeFor(length) {
    return this.view.stretches.flatMap((stretch) => {
      if (!stretch.faces) return [];
      const near = [stretch.begin, stretch.end].map((at) => Math.abs(
        dotOf(minus(this.pointAt(at), stretch.line), stretch.normal)));
      return Math.min(...near) <= length ? this.rootsOn(stretch, length) : [];
    });
  }

  /** Solve d(x) (A s + B) / (C s + D) = length for the abscissa s on one stretch. */
  rootsOn({begin, end, edge, line, normal}, length) {
    const [origin, along] = [this.corners[edge], this.along[edge]];
    const top = [dotOf(minus(origin, line), normal), dotOf(along, normal)];
    const bottom = [dotOf(minus(origin, this.scene.goal), normal), dotOf(along, normal)];
    const d2 = [this.foot[edge] ** 2 + this.height[edge] ** 2, -2 * this.foot[edge], 1];
    const equation = product(product(top, top), d2);
    product(bottom, bottom).forEach((factor, k) => { equation[k] -= length ** 2 * factor; });
    const offset = this.at[edge];
    return realRoots(equation, begin - offset, end - offset).map((root) => root + offset);
  }

  /** Return the places where rays from the goal through corners arrive. */
  tangentPlaces() {
    const {edges, goal} = this.scene;
    const found = [];
    this.corners.forEach((_, k) => {
      if (this.height[k] <= TINY) return;
      for (const {a} of edges) {
        const ray = minus(a, goal);
        const fall = dotOf(this.outward[k], ray);
        if (fall >= 0) continue;
        const reach = -this.height[k] / fall;
        const place = reach * dotOf(this.along[k], ray) + this.foot[k];
        if (place > TINY && place < this.lengths[k] - TINY && reach > 1 + TINY) {
          found.push(place + this.at[k]);
        }
      }
    });
    return found;
  }

  onEdges(shares) {
    return shares.flatMap((share, k) => (
      share > 0 && share < this.lengths[k] ? [this.at[k] + share] : []));
  }
}

/** Return the product of polynomials, lowest power first. */
function product(a, b) {
  const result = new Array(a.length + b.length - 1).fill(0);
  a.forEach((x, i) => b.forEach((y, j) => { result[i + j] += x * y; }));
  return result;
}

/** Return the sign changes of a polynomial between two places, by those of its derivative. */
export function realRoots(polynomial, low, high) {
  const valueAt = (x) => polynomial.reduceRight((sum, factor) => sum * x + factor, 0);
  if (polynomial.length < 2) return [];
  const slope = polynomial.slice(1).map((factor, k) => factor * (k + 1));
  const places = [low, ...realRoots(slope, low, high), high];
  const roots = [];
  for (let k = 0; k + 1 < places.length; k++) {
    let [a, b] = [places[k], places[k + 1]];
    const rises = valueAt(a) < 0;
    if (rises === valueAt(b) < 0) continue;
    for (let step = 0; step < 80 && b > a; step++) {
      const middle = 0.5 * (a + b);
      if ((valueAt(middle) < 0) === rises) a = middle;
      else b = middle;
    }
    roots.push(0.5 * (a + b));
  }
  return roots.filter((root) => root > low && root < high);
}

/**
 * One lap of a boundary: arrays over its nodes, and over the stretches between them.
 *
 * `walked` are the metres since the place where the lap begins; the last is the perimeter.
 */
export class Lap {
  constructor(boundary, point, turn, {mLineFrom, marks = [], stops = [], distances = [],
    freeFor = []}) {
    this.boundary = boundary;
    this.scene = boundary.scene;
    this.turn = turn;
    this.mLineFrom = mLineFrom ?? this.scene.start;
    this.sense = turn === 'left' ? -1 : 1;
    this.begin = boundary.placeOf(point);
    const cuts = [...boundary.cornersAndFeet(), ...boundary.across(this.mLineFrom),
      ...marks.map((mark) => boundary.placeOf(mark)),
      ...[this.scene.reach, ...distances].flatMap((away) => boundary.atDistance(away)),
      ...freeFor.flatMap((length) => boundary.freeFor(length)),
      ...(freeFor.length ? boundary.view.begins : [])];
    const sorted = [...cuts.map((at) => this.walkedTo(at)), ...stops].sort(ascending);
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
    return Math.abs(offsetFrom(this.points[node], this.mLineFrom, this.scene.goal)) < 10 * TINY;
  }

  /** Return whether a node is on the M-line, the segment to the goal. */
  isOnMLine(node) {
    if (!this.isOnLine(node)) return false;
    const along = minus(this.scene.goal, this.mLineFrom);
    const abscissa = dotOf(minus(this.points[node], this.mLineFrom), along);
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
