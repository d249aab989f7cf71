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

/** How often each piece of a boundary has been walked. */

import {between} from './geometry.js';

const STATES = new Set(['boundary_following', 'circumnavigation', 'return_to_leave_point']);
/** Spacing of the samples of a boundary [m]. */
const SPACING = 0.05;

/**
 * Return the walked pieces of boundaries: {count, places}, at a length of the path [m].
 *
 * Counts are exact up to SPACING at the ends of a piece.
 */
export function passesOf(run, scene, s) {
  const counts = new Map(scene.boundaries.map((boundary) => [
    boundary, new Array(Math.max(1, Math.ceil(boundary.perimeter / SPACING))).fill(0)]));
  const {index, point} = run.placeAt(s);
  for (let k = 1; k <= index; k++) {
    if (!STATES.has(run.states[k])) continue;
    const [a, b] = [run.path[k - 1], k === index ? point : run.path[k]];
    const boundary = scene.boundaryAt(between(a, b, 0.5));
    addPass(counts.get(boundary), boundary, a, b);
  }
  return [...counts].flatMap(([boundary, samples]) => piecesOf(boundary, samples));
}

/** Count a straight walk between two places of one edge. */
function addPass(samples, boundary, a, b) {
  const {perimeter} = boundary;
  let [from, to] = [boundary.placeOf(a), boundary.placeOf(b)].sort((x, y) => x - y);
  // A walk to the place where the abscissa begins again.
  if (to - from > perimeter / 2) [from, to] = [to, from + perimeter];
  const count = samples.length;
  const step = perimeter / count;
  for (let k = Math.round(from / step); k < Math.round(to / step); k++) samples[k % count]++;
}

/** Return stretches with the same count. */
function piecesOf(boundary, samples) {
  const step = boundary.perimeter / samples.length;
  const corners = boundary.at;
  const pieces = [];
  for (let k = 0; k < samples.length; k++) {
    const last = pieces[pieces.length - 1];
    if (last?.count === samples[k]) last.end = (k + 1) * step;
    else pieces.push({count: samples[k], begin: k * step, end: (k + 1) * step});
  }
  return pieces.filter(({count}) => count > 0).map(({count, begin, end}) => ({count, places: [
    begin, ...corners.filter((at) => at > begin && at < end), end - 1e-9]
    .map((at) => boundary.pointAt(at))}));
}
