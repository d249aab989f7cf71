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

/** Shapes that can be drawn and moved, in message format and as polygons. */

const ROUND = 32;
const mm = (value) => Math.round(value * 1000) / 1000;

/** Return a point rotated about the origin. */
function turned(x, y, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [cos * x - sin * y, sin * x + cos * y];
}

/** Return the mean of a polygon's corners, the centre of rotation on the server as well. */
export function centroid(polygon) {
  const n = polygon.length / 2;
  let [x, y] = [0, 0];
  for (let k = 0; k < polygon.length; k += 2) {
    x += polygon[k] / n;
    y += polygon[k + 1] / n;
  }
  return [x, y];
}

/** Return a polygon moved by dx, dy and rotated about its centroid. */
export function moved(polygon, [dx, dy, turn]) {
  const [cx, cy] = centroid(polygon);
  const result = new Array(polygon.length);
  for (let k = 0; k < polygon.length; k += 2) {
    const [x, y] = turned(polygon[k] - cx, polygon[k + 1] - cy, turn);
    result[k] = cx + dx + x;
    result[k + 1] = cy + dy + y;
  }
  return result;
}

/** Return the polygons of a shape, [x, y, x, y, ...] in metres each. */
export function polygonsOf(shape) {
  if (shape.p) return [shape.p.flat()];
  if (shape.b) {
    const [x, y, w, h, yaw] = shape.b;
    return [[[-w, -h], [w, -h], [w, h], [-w, h]].flatMap(([u, v]) => {
      const [a, b] = turned(u / 2, v / 2, yaw);
      return [x + a, y + b];
    })];
  }
  if (shape.c) {
    const [x, y, r] = shape.c;
    return [Array.from({length: ROUND}, (_, k) => 2 * Math.PI * k / ROUND)
      .flatMap((angle) => [x + r * Math.cos(angle), y + r * Math.sin(angle)])];
  }
  return shape.l.slice(1).map((end, k) => wallSegment(shape.l[k], end, shape.w / 2));
}

/** Return a wall segment that extends half its thickness beyond its end points. */
function wallSegment([ax, ay], [bx, by], half) {
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const [ux, uy] = [(bx - ax) / length * half, (by - ay) / length * half];
  return [ax - ux - uy, ay - uy + ux, ax - ux + uy, ay - uy - ux,
    bx + ux + uy, by + uy - ux, bx + ux - uy, by + uy + ux];
}

/** Return the centre of rotation of a shape. */
export function middleOf(shape) {
  if (shape.b) return [shape.b[0], shape.b[1]];
  if (shape.c) return [shape.c[0], shape.c[1]];
  const points = shape.p ?? shape.l;
  if (shape.p) return centroid(points.flat());
  const xs = points.map((point) => point[0]);
  const ys = points.map((point) => point[1]);
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
}

/** Return a shape moved by dx, dy and rotated about its centre. */
export function movedShape(shape, [dx, dy, turn]) {
  if (shape.b) {
    const [x, y, w, h, yaw] = shape.b;
    return {b: [mm(x + dx), mm(y + dy), w, h, mm(yaw + turn)]};
  }
  if (shape.c) return {c: [mm(shape.c[0] + dx), mm(shape.c[1] + dy), shape.c[2]]};
  const [cx, cy] = middleOf(shape);
  const move = ([x, y]) => {
    const [u, v] = turned(x - cx, y - cy, turn);
    return [mm(cx + dx + u), mm(cy + dy + v)];
  };
  return shape.p ? {p: shape.p.map(move)} : {l: shape.l.map(move), w: shape.w};
}

/** Return a line simplified by Douglas-Peucker with `tolerance` [m]. */
export function simplified(points, tolerance) {
  if (points.length < 3) return points;
  const [[ax, ay], [bx, by]] = [points[0], points[points.length - 1]];
  const length = Math.hypot(bx - ax, by - ay);
  let [worst, at] = [0, 0];
  for (let k = 1; k < points.length - 1; k++) {
    const [x, y] = points[k];
    const off = length > 1e-9 ? Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length
      : Math.hypot(x - ax, y - ay);
    if (off > worst) [worst, at] = [off, k];
  }
  if (worst <= tolerance) return [points[0], points[points.length - 1]];
  return [...simplified(points.slice(0, at + 1), tolerance).slice(0, -1),
    ...simplified(points.slice(at), tolerance)];
}

/** Return whether a point is inside a polygon [x, y, x, y, ...]. */
export function isInside(polygon, x, y) {
  let inside = false;
  for (let k = 0, j = polygon.length - 2; k < polygon.length; j = k, k += 2) {
    const [ay, by] = [polygon[k + 1], polygon[j + 1]];
    if ((ay > y) !== (by > y)
        && x < (polygon[j] - polygon[k]) * (y - ay) / (by - ay) + polygon[k]) inside = !inside;
  }
  return inside;
}

/** Return the solids of a world with its edits, each with its key. */
export function editedSolids(solids, {removed, moved: shifts, added}) {
  const gone = new Set(removed);
  const kept = solids.flatMap((solid, k) => {
    if (gone.has(k)) return [];
    return [shifts[k] ? {...solid, polygon: moved(solid.polygon, shifts[k])} : solid];
  });
  const fresh = added.flatMap((shape, k) => polygonsOf(shape).map(
    (polygon) => ({key: `a${k}`, polygon, surface: 'wall'})));
  return [...kept, ...fresh];
}

export const NO_EDITS = Object.freeze({removed: [], moved: {}, added: []});
export const isEdited = (edits) => edits.removed.length > 0 || edits.added.length > 0
  || Object.keys(edits.moved).length > 0;

/** Return the distance from a point to the outline of a polygon. */
function distanceTo(polygon, x, y) {
  let least = Infinity;
  for (let k = 0, j = polygon.length - 2; k < polygon.length; j = k, k += 2) {
    const [ax, ay] = [polygon[j], polygon[j + 1]];
    const [dx, dy] = [polygon[k] - ax, polygon[k + 1] - ay];
    const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
    const part = Math.min(Math.max(along, 0), 1);
    least = Math.min(least, Math.hypot(ax + part * dx - x, ay + part * dy - y));
  }
  return least;
}

/** Return a free place near a point, for worlds without a start or a goal. */
export function freePlace(solids, [x0, y0, x1, y1], [cornerX, cornerY], room = 0.4) {
  const parts = 24;
  let [best, least] = [[(x0 + x1) / 2, (y0 + y1) / 2], Infinity];
  for (let k = 0; k < parts * parts; k++) {
    const x = x0 + (x1 - x0) * ((k % parts) + 0.5) / parts;
    const y = y0 + (y1 - y0) * (Math.floor(k / parts) + 0.5) / parts;
    const away = Math.hypot(x - cornerX, y - cornerY);
    if (away < least && solids.every(({polygon}) => !isInside(polygon, x, y)
        && distanceTo(polygon, x, y) > room)) [best, least] = [[mm(x), mm(y)], away];
  }
  return best;
}
