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
 * One boundary of a scene, and the view to the goal from it.
 */

import {crossOf, dotOf, minus} from './geometry.js';

/** Rounding of coordinates [m]. */
export const TINY = 1e-9;

const ascending = (a, b) => a - b;

/** Return the number of sorted values that are not greater than a value. */
export function countUpTo(sorted, value) {
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
