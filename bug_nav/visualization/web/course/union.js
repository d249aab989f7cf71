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
 * Exact unions and inflated outlines of loops.
 *
 * Loops add up: a place is solid where the sum of the winding numbers of all loops is positive.
 */

import {areaOf, between, crossOf, distance, dotOf, minus, nearestOn, plus, scaled, unit, WELD}
  from './geometry.js';
import {tr} from './strings.js';

/** A place this far from an edge decides whether its side is solid [m]. */
const SIDE = 1e-6;
const MIN_AREA = 1e-9;
/** Enlargement of a radius whose contour cannot be decided [m]. */
const NUDGE = 2e-5;
/** Corners that turn by less than this get no arc [rad]. */
const STRAIGHT = 0.01;
/** Maximum angle of a chord of an arc [rad]. */
const ARC = Math.PI / 12;

/** It cannot be decided how the corners of a scene are connected; the message says why. */
export class GeometryError extends Error {}

/** Return the sum of the winding numbers of edges [a, b] around a place. */
function windingOf(edges, [x, y]) {
  let sum = 0;
  for (const [a, b] of edges) {
    if (a[1] <= y) {
      if (b[1] > y && (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) > 0) sum++;
    } else if (b[1] <= y && (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < 0) sum--;
  }
  return sum;
}

/** Returns one and the same corner for places closer than WELD. */
class Welder {
  constructor() {
    this.corners = new Map();
    this.points = [];
  }

  /** Return the number of a corner. */
  at([x, y]) {
    const [i, j] = [Math.round(x / WELD / 4), Math.round(y / WELD / 4)];
    for (let u = i - 1; u <= i + 1; u++) {
      for (let v = j - 1; v <= j + 1; v++) {
        const found = this.corners.get(`${u},${v}`);
        if (found !== undefined && distance(this.points[found], [x, y]) < WELD) return found;
      }
    }
    this.corners.set(`${i},${j}`, this.points.length);
    return this.points.push([x, y]) - 1;
  }
}

function edgesOf(loops) {
  return loops.flatMap((loop) => loop.map((corner, k) => [corner, loop[(k + 1) % loop.length]]))
    .filter(([a, b]) => distance(a, b) > WELD);
}

/** Add to the cuts of two edges the places where they meet. */
function cutEachOther([a, b], [c, d], cuts, others) {
  if (Math.max(a[0], b[0]) < Math.min(c[0], d[0]) - WELD
      || Math.max(c[0], d[0]) < Math.min(a[0], b[0]) - WELD
      || Math.max(a[1], b[1]) < Math.min(c[1], d[1]) - WELD
      || Math.max(c[1], d[1]) < Math.min(a[1], b[1]) - WELD) return;
  let touches = false;
  for (const end of [c, d]) {
    if (distance(nearestOn(a, b, end), end) < WELD) touches = cuts.push(end) > 0;
  }
  for (const end of [a, b]) {
    if (distance(nearestOn(c, d, end), end) < WELD) touches = others.push(end) > 0;
  }
  if (touches) return;
  const [along, other, gap] = [minus(b, a), minus(d, c), minus(c, a)];
  const across = crossOf(along, other);
  if (across === 0) return;
  const [share, there] = [crossOf(gap, other) / across, crossOf(gap, along) / across];
  if (share <= 0 || share >= 1 || there <= 0 || there >= 1) return;
  const place = between(a, b, share);
  cuts.push(place);
  others.push(place);
}

/** Return the stretches of edges between the places where edges meet, each once. */
function stretchesOf(edges, welder) {
  const cuts = edges.map(([a, b]) => [a, b]);
  for (let i = 0; i < edges.length; i++) {
    for (let j = i + 1; j < edges.length; j++) {
      cutEachOther(edges[i], edges[j], cuts[i], cuts[j]);
    }
  }
  const stretches = new Map();
  edges.forEach(([a, b], i) => {
    const along = minus(b, a);
    const sorted = cuts[i].map((place) => [dotOf(minus(place, a), along), welder.at(place)])
      .sort((one, other) => one[0] - other[0]);
    for (let k = 1; k < sorted.length; k++) {
      const [from, to] = [sorted[k - 1][1], sorted[k][1]];
      if (from !== to) stretches.set(`${Math.min(from, to)},${Math.max(from, to)}`, [from, to]);
    }
  });
  return [...stretches.values()];
}

/** Return the stretches with free space on one side only, with the solid on their left. */
function bordersOf(stretches, edges, welder, isSolid) {
  return stretches.flatMap(([from, to]) => {
    const [a, b] = [welder.points[from], welder.points[to]];
    const [middle, along] = [between(a, b, 0.5), unit(minus(b, a))];
    const aside = [-along[1] * SIDE, along[0] * SIDE];
    const left = isSolid(windingOf(edges, plus(middle, aside)));
    const right = isSolid(windingOf(edges, minus(middle, aside)));
    if (left === right) return [];
    return [left ? [from, to] : [to, from]];
  });
}

/**
 * Return closed loops of numbers of corners.
 *
 * Obstacles that touch at a single point are rejected: a point robot could pass there by the
 * numbers, but not by the picture.
 */
function chained(borders) {
  const next = new Map();
  for (const [from, to] of borders) {
    if (next.has(from)) {
      throw new GeometryError(tr('Obstacles would touch at a single point.'));
    }
    next.set(from, to);
  }
  const loops = [];
  for (const [first] of borders) {
    const loop = [];
    for (let here = first; next.has(here);) {
      loop.push(here);
      const to = next.get(here);
      next.delete(here);
      here = to;
      if (!next.has(here) && here !== first) {
        throw new GeometryError(tr('Some corners would be too close to each other.'));
      }
    }
    if (loop.length) loops.push(loop);
  }
  return loops;
}

/** Return a loop without corners that lie on a straight line. */
function straightened(loop) {
  return loop.filter((corner, k) => {
    const before = loop[(k + loop.length - 1) % loop.length];
    const [a, b] = [minus(corner, before), minus(loop[(k + 1) % loop.length], corner)];
    return Math.abs(crossOf(a, b)) > WELD * Math.hypot(...a) * Math.hypot(...b) * 0.01
      || dotOf(a, b) < 0;
  });
}

const isPositive = (winding) => winding > 0;
const isNotZero = (winding) => winding !== 0;

/**
 * Return the loops of the union of overlapping loops.
 *
 * @param {number[][][]} loops their winding numbers are added.
 * @param {Function} isSolid whether a sum of winding numbers is solid; default: if positive.
 * @throws {GeometryError} if it is unclear how corners are connected.
 */
export function unionOf(loops, isSolid = isPositive) {
  const [edges, welder] = [edgesOf(loops), new Welder()];
  const borders = bordersOf(stretchesOf(edges, welder), edges, welder, isSolid);
  return chained(borders)
    .map((loop) => straightened(loop.map((number) => welder.points[number])))
    .filter((loop) => loop.length > 2 && Math.abs(areaOf(loop)) > MIN_AREA);
}

/**
 * Return the loops of one polygon, in any direction.
 *
 * @throws {GeometryError} if it crosses or touches itself.
 */
export function polygonLoops(corners) {
  try {
    return unionOf([corners], isNotZero);
  } catch (error) {
    if (!(error instanceof GeometryError)) throw error;
    throw new GeometryError(tr('The outline of an obstacle would cross itself.'));
  }
}

/**
 * Return loops inflated by a radius [m].
 *
 * Arcs are chords of at most 15 degrees with their ends on the arc, so the result is too small by
 * at most 0.9 % of the radius. The shifted edges, the arcs at convex corners and the corners where
 * the boundary turns the other way have, in sum, a winding number of the polygon plus one for each
 * strip and sector that covers a place. So their union is the inflated polygon.
 */
export function inflated(loops, radius) {
  if (!radius) return loops;
  try {
    return unionOf(loops.map((loop) => shifted(loop, radius)));
  } catch (error) {
    if (!(error instanceof GeometryError)) throw error;
    // Two parts of the contour touch: with a slightly larger radius, they overlap.
    return unionOf(loops.map((loop) => shifted(loop, radius + NUDGE)));
  }
}

function shifted(loop, radius) {
  const count = loop.length;
  const normals = loop.map((corner, k) => {
    const along = unit(minus(loop[(k + 1) % count], corner));
    return [along[1], -along[0]];
  });
  return loop.flatMap((corner, k) => {
    const [before, after] = [normals[(k + count - 1) % count], normals[k]];
    const turn = Math.atan2(crossOf(before, after), dotOf(before, after));
    if (Math.abs(turn) < STRAIGHT) {
      return [plus(corner, scaled(unit(plus(before, after)), radius / Math.cos(turn / 2)))];
    }
    const ends = [before, after].map((normal) => plus(corner, scaled(normal, radius)));
    return turn < 0 ? [ends[0], corner, ends[1]] : arcOf(corner, before, turn, radius);
  });
}

function arcOf(centre, normal, turn, radius) {
  const count = Math.max(1, Math.ceil(turn / ARC - 1e-9));
  return Array.from({length: count + 1}, (_, k) => {
    const [cos, sin] = [Math.cos(turn * k / count), Math.sin(turn * k / count)];
    return plus(centre, scaled(
      [cos * normal[0] - sin * normal[1], sin * normal[0] + cos * normal[1]], radius));
  });
}
