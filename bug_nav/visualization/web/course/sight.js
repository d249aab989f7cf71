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

/** The visible area and scans of a range sensor, for the picture. */

import {gaussianFrom} from './bounds.js';
import {crossOf, minus} from './geometry.js';

/** Directions of the visible area beside those of corners. */
const RAYS = 72;
const BESIDE = 1e-5;
/** Beams of a scan. */
const BEAMS = 360;

/** Return the points of a scan with range noise of a standard deviation [m]. */
export function scanFrom(loops, point, range, noise, seed) {
  const gaussian = gaussianFrom(seed);
  const edges = loops.flatMap((loop) => loop.map((a, k) => ({
    a, along: minus(loop[(k + 1) % loop.length], a)})));
  return Array.from({length: BEAMS}, (_, k) => 2 * Math.PI * k / BEAMS).flatMap((angle) => {
    const along = [Math.cos(angle), Math.sin(angle)];
    const far = rayLength(edges, point, along) + noise * gaussian();
    return far <= range ? [[point[0] + far * along[0], point[1] + far * along[1]]] : [];
  });
}

/** Return the outline of the area that is visible from a place within a range. */
export function visibleArea(scene, point, range) {
  const angles = Array.from({length: RAYS}, (_, k) => 2 * Math.PI * k / RAYS - Math.PI);
  for (const {a} of scene.edges) {
    const ray = minus(a, point);
    if (Math.hypot(...ray) > range) continue;
    const angle = Math.atan2(ray[1], ray[0]);
    angles.push(angle - BESIDE, angle, angle + BESIDE);
  }
  return angles.sort((a, b) => a - b).map((angle) => {
    const along = [Math.cos(angle), Math.sin(angle)];
    const far = Math.min(range, rayLength(scene.edges, point, along));
    return [point[0] + far * along[0], point[1] + far * along[1]];
  });
}

/** Return the length of a ray to the first edge that it enters from outside. */
function rayLength(edges, point, along) {
  let least = Infinity;
  for (const {a, along: edge} of edges) {
    const across = crossOf(along, edge);
    // The solid is on the left of an edge; rays that come from there leave it.
    if (across >= -1e-12) continue;
    const gap = minus(a, point);
    const onEdge = crossOf(gap, along) / across;
    const far = crossOf(gap, edge) / across;
    if (onEdge >= -1e-9 && onEdge <= 1 + 1e-9 && far > -1e-9 && far < least) {
      least = Math.max(far, 0);
    }
  }
  return least;
}
