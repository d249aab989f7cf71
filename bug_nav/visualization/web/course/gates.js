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

/** The chain of wall points that a disc cannot cross. */

import {between, distance, nearestOn} from './geometry.js';

/** Spacing of points on a straight wall [radii]; points less than 2 radii apart are a gate. */
const SPACING_IN_RADII = 1.5;
const INSIDE = 1e-6;

/**
 * Return the wall points that are nearest to a contour at a radius [m], in its order.
 *
 * Each edge of the contour has one nearest wall or corner, so its samples are less than 2 radii
 * apart. At a corner of the contour, both points are one radius away from it.
 */
export function gatesOf(contour, solids, radius) {
  const walls = solids.flatMap((loop) => loop.map((a, k) => [a, loop[(k + 1) % loop.length]]));
  const nearest = (place) => walls.map(([a, b]) => nearestOn(a, b, place)).reduce(
    (best, point) => (distance(point, place) < distance(best, place) ? point : best));
  const points = contour.flatMap((a, k) => {
    const b = contour[(k + 1) % contour.length];
    const count = Math.ceil(distance(a, b) / (SPACING_IN_RADII * radius));
    return Array.from({length: count + 1}, (_, part) => nearest(between(
      a, b, INSIDE + (1 - 2 * INSIDE) * part / count)));
  });
  return points.filter((point, k) => !k || distance(point, points[k - 1]) > 1e-3);
}
