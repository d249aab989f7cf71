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
 * Vectors and simple shapes.
 *
 * A loop is a list of corners [x, y] in metres with the solid on its left: outer boundaries
 * counter-clockwise, holes clockwise.
 */

/** Corners closer than this are one corner [m]. */
export const WELD = 1e-7;
/** A mitre longer than this many half widths is cut off, as in shapely. */
const MITRE = 5;

/** Return the distance of two places; Math.hypot would take several times as long. */
export function distance(a, b) {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  return Math.sqrt(dx * dx + dy * dy);
}

export const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];
export const plus = (a, b) => [a[0] + b[0], a[1] + b[1]];
export const scaled = (a, factor) => [a[0] * factor, a[1] * factor];
export const crossOf = (a, b) => a[0] * b[1] - a[1] * b[0];
export const dotOf = (a, b) => a[0] * b[0] + a[1] * b[1];
export const between = (a, b, share) => [
  a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
/** Return a vector of length 1 in the same direction. */
export const unit = (a) => scaled(a, 1 / Math.hypot(a[0], a[1]));

/** Return the area of a loop [m2], negative if it is clockwise. */
export function areaOf(loop) {
  let sum = 0;
  for (let k = 0, j = loop.length - 1; k < loop.length; j = k, k++) {
    sum += crossOf(loop[j], loop[k]);
  }
  return sum / 2;
}

/** Return the length of a closed loop [m]. */
export function perimeterOf(loop) {
  return loop.reduce((sum, corner, k) => (
    sum + distance(corner, loop[(k + 1) % loop.length])), 0);
}

/** Return loops as counter-clockwise ones, or as clockwise ones. */
export const oriented = (loop, isClockwise = false) => (
  (areaOf(loop) < 0) === isClockwise ? loop : [...loop].reverse());

/** Return the place of a segment nearest to a point. */
export function nearestOn(a, b, point) {
  const along = minus(b, a);
  const length2 = Math.max(dotOf(along, along), 1e-18);
  return between(a, b, Math.min(Math.max(dotOf(minus(point, a), along) / length2, 0), 1));
}

/** Return the convex parts of a thick polyline with mitre joins and flat ends. */
export function wallParts(places, width, isClosed = false) {
  const line = places.filter((place, k) => !k || distance(place, places[k - 1]) > WELD);
  const ends = isClosed ? [...line, line[0], line[1]] : line;
  const half = width / 2;
  const parts = [];
  for (let k = 0; k + 1 < ends.length; k++) {
    if (isClosed && k === line.length) break;
    const [a, b] = [ends[k], ends[k + 1]];
    const along = unit(minus(b, a));
    const side = scaled([-along[1], along[0]], half);
    parts.push([minus(a, side), minus(b, side), plus(b, side), plus(a, side)]);
  }
  for (let k = 1; k + 1 < ends.length; k++) parts.push(...joint(ends, k, half));
  return parts;
}

/** Return the mitre on the outer side of a bend, or a bevel if it would be very long. */
function joint(line, k, half) {
  const [before, after] = [unit(minus(line[k], line[k - 1])), unit(minus(line[k + 1], line[k]))];
  const turn = crossOf(before, after);
  if (Math.abs(turn) < 1e-9) return [];
  const sense = turn > 0 ? -1 : 1;
  const [a, b] = [before, after].map(([x, y]) => scaled([-y * sense, x * sense], half));
  const sum = plus(a, b);
  const mitre = scaled(sum, half * half / Math.max(dotOf(sum, a), 1e-12));
  const isShort = Math.hypot(...mitre) <= MITRE * half;
  const corners = [[0, 0], a, ...(isShort ? [mitre] : []), b];
  return [oriented(corners.map((corner) => plus(line[k], corner)))];
}

/** Return a circle as a regular polygon whose corners are on it. */
export const circleLoop = ([x, y], radius, count = 24) => Array.from({length: count}, (_, k) => [
  x + radius * Math.cos(2 * Math.PI * k / count), y + radius * Math.sin(2 * Math.PI * k / count)]);
