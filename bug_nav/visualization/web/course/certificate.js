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
 * The check of a certificate. It shares no code with the algorithms, nor with the geometry that
 * unites and inflates obstacles, so that an error there does not confirm itself.
 *
 * The claim: no path of the centre of a disc of radius rho leads from S to T. A closed chain
 * proves it if each place of it is within rho of a wall, so that the centre cannot cross it, and
 * if its winding numbers around S and T differ, so that each path between them would have to.
 */

import {tr} from './strings.js';

/** Corners are exact up to this [m]; a gap in the chain of this width is none. */
const EXACT = 1e-6;
/** A contour is inflated by this more where two parts of it would only touch [m]. */
const INFLATED = 3e-5;
/** Distance from the chain at which the side of a start on it is looked at [m]. */
const ASIDE = 1e-5;

/**
 * Return why a chain proves nothing; '' if it separates start and goal.
 *
 * @param {number[][]} chain the corners of a closed chain.
 * @param {object} given walls: loops as they were drawn, start, goal, and the radius rho [m].
 */
export function faultOf(chain, {walls, start, goal, rho}) {
  if (!chain?.length) return tr('there is no chain');
  const edges = linksOf(chain);
  const wallEdges = walls.flatMap(linksOf);
  const reach = rho ? rho + INFLATED : EXACT;
  const gap = edges.find((edge) => !isCovered(edge, wallEdges, reach));
  if (gap) return tr('a gap in it, near ({0}, {1})', ...gap[0].map((value) => value.toFixed(2)));
  if (edges.some((edge) => awayFrom(edge, goal) < EXACT ** 1.5)) return tr('the goal is on it');
  const from = sideOf(start, edges, walls, wallEdges);
  return windings(edges, from) === windings(edges, goal)
    ? tr('it does not separate the start from the goal') : '';
}

const linksOf = (loop) => loop.map((a, k) => [a, loop[(k + 1) % loop.length]]);

/** Return whether each place of a link is near a wall. */
function isCovered([[px, py], [qx, qy]], wallEdges, reach) {
  const length = Math.hypot(qx - px, qy - py);
  if (length === 0) return true;
  const [ux, uy] = [(qx - px) / length, (qy - py) / length];
  const near = wallEdges.map((wall) => nearPart(px, py, ux, uy, wall, reach))
    .filter(([begin, end]) => begin < end).sort((a, b) => a[0] - b[0]);
  let done = 0;
  for (const [begin, end] of near) {
    if (begin > done) return false;
    done = Math.max(done, end);
    if (done >= length) return true;
  }
  return false;
}

/** Return from where to where on a line its places are near a wall: a convex area. */
function nearPart(px, py, ux, uy, [[ax, ay], [bx, by]], reach) {
  const ends = [[ax, ay], [bx, by]].map(([x, y]) => {
    const [along, aside] = [(x - px) * ux + (y - py) * uy, (y - py) * ux - (x - px) * uy];
    const half = Math.sqrt(Math.max(reach ** 2 - aside ** 2, 0));
    return half > 0 ? [along - half, along + half] : [Infinity, -Infinity];
  });
  const length = Math.hypot(bx - ax, by - ay);
  if (length > 0) {
    const [vx, vy] = [(bx - ax) / length, (by - ay) / length];
    const [rate, shift] = [ux * vx + uy * vy, (px - ax) * vx + (py - ay) * vy];
    const [drift, offset] = [vx * uy - vy * ux, vx * (py - ay) - vy * (px - ax)];
    const [along, across] = [within(rate, shift, 0, length), within(drift, offset, -reach, reach)];
    const beside = [Math.max(along[0], across[0]), Math.min(along[1], across[1])];
    if (beside[0] < beside[1]) ends.push(beside);
  }
  return [Math.min(...ends.map((part) => part[0])), Math.max(...ends.map((part) => part[1]))];
}

/** Return where low <= rate s + shift <= high. */
function within(rate, shift, low, high) {
  if (rate === 0) return shift >= low && shift <= high ? [-Infinity, Infinity] : [1, -1];
  const [a, b] = [(low - shift) / rate, (high - shift) / rate];
  return a < b ? [a, b] : [b, a];
}

/** Return the distance of a place from an edge. */
function awayFrom([[ax, ay], [bx, by]], [x, y]) {
  const length = Math.hypot(bx - ax, by - ay);
  if (length === 0) return Math.hypot(x - ax, y - ay);
  const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length;
  const inside = Math.min(Math.max(along, 0), length) / length;
  return Math.hypot(x - ax - inside * (bx - ax), y - ay - inside * (by - ay));
}

/** Return how often edges run around a place, counter-clockwise. */
function windings(edges, [x, y]) {
  return edges.reduce((sum, [[ax, ay], [bx, by]]) => {
    if ((ay > y) === (by > y)) return sum;
    const isRight = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) * (by > ay ? 1 : -1) > 0;
    return isRight ? sum + (by > ay ? 1 : -1) : sum;
  }, 0);
}

/** Return whether a loop encloses a place. */
export const turnsAround = (loop, place) => windings(linksOf(loop), place) !== 0;

/** Return the start, or, if it is on the chain, a place in the free space beside it. */
function sideOf(start, edges, walls, wallEdges) {
  const touched = edges.filter((edge) => awayFrom(edge, start) < EXACT);
  if (!touched.length) return start;
  const aside = touched.map(([[ax, ay], [bx, by]]) => {
    const length = Math.hypot(bx - ax, by - ay);
    return [(ay - by) / length, (bx - ax) / length];
  });
  // On an edge, the normals lead to both sides; at a corner, the bisectors do.
  const sum = aside.reduce(([x, y], [u, v]) => [x + u, y + v], [0, 0]);
  const length = Math.hypot(...sum) || 1;
  const freedom = (place) => Math.min(...wallEdges.map((edge) => awayFrom(edge, place)))
    * (walls.reduce((count, loop) => count + windings(linksOf(loop), place), 0) > 0 ? -1 : 1);
  return [...aside, [sum[0] / length, sum[1] / length]].flatMap(([x, y]) => [-ASIDE, ASIDE].map(
    (step) => [start[0] + step * x, start[1] + step * y]))
    .map((place) => ({place, free: freedom(place)}))
    .reduce((best, each) => (each.free > best.free ? each : best)).place;
}
