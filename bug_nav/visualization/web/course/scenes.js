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
 * Scenes of the course: shapes that a reader can move, and the loops that they make.
 *
 * A shape is a polygon [[x, y], ...], or one of {wall, width, closed}, {room}, {person, radius},
 * {door, width, open}; coordinates in metres.
 */

import {circleLoop, oriented, wallParts} from './geometry.js';
import {tr} from './strings.js';
import {inflated, polygonLoops, unionOf} from './union.js';

const WALL_WIDTH = 0.2;
const DOOR_WIDTH = 0.1;
const PERSON_RADIUS = 0.25;
/** Width of the solid around a room [m]. */
const OUTSIDE = 50;
const MAX_SHAPES = 60;
const MAX_CORNERS = 200;

const U_TRAP = [[2, 1.4], [4, 1.4], [4, -1.4], [2, -1.4]];
const SPIRAL = [[0, 0], [7, 0], [7, 7], [0, 7], [0, 1.8], [5.2, 1.8], [5.2, 5.2], [1.8, 5.2],
  [1.8, 3.5]];
const SP12 = [[0, 0], [1.8, 0], [1.8, 1.8], [-1.8, 1.8], [-1.8, -1.8], [3.6, -1.8], [3.6, 3.6],
  [-3.6, 3.6], [-3.6, -3.6], [5.4, -3.6], [5.4, 5.4], [-5.4, 5.4], [-5.4, -5.4]];
const box = (x0, y0, x1, y1) => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
const wall = (...places) => ({wall: places, width: WALL_WIDTH});
const ring = (x0, y0, x1, y1) => ({
  wall: box(x0 + 0.1, y0 + 0.1, x1 - 0.1, y1 - 0.1), width: WALL_WIDTH, closed: true});
/** Return the corners of a spiral of straight pieces, 1 m apart. */
function spiralOf(pieces) {
  const [places, headings] = [[[0, 0]], [[1, 0], [0, 1], [-1, 0], [0, -1]]];
  for (let k = 0; k < pieces; k++) {
    const [[x, y], [dx, dy], length] = [places[k], headings[k % 4], 1 + Math.floor(k / 2)];
    places.push([x + dx * length, y + dy * length]);
  }
  return places;
}
const comb = (teeth) => [[1, -1.5], ...Array.from({length: teeth}, (_, k) => [
  [1 + 1.2 * k, 1.2], [1.4 + 1.2 * k, 1.2], [1.4 + 1.2 * k, -1.1], [2.2 + 1.2 * k, -1.1]])
  .flat().slice(0, -1), [1 + 1.2 * teeth - 0.8, -1.5]];

/** Walls with an opening of 0.5 m, in which one person fits. */
const ROOM_WITH_A_DOOR = wall([3, 0.25], [3, 1.6], [6, 1.6], [6, -1.6], [3, -1.6], [3, -0.25]);

/** Scenes by name; those of the literature have the coordinates of the shipped worlds. */
export const SCENES = {
  open: {obstacles: [], start: [0, 0], goal: [5, 0], bounds: [-0.8, -1.5, 5.8, 1.5]},
  box: {obstacles: [box(2.5, -0.8, 3.5, 1.6)], start: [0, 0], goal: [6, 0]},
  u_trap: {obstacles: [wall(...U_TRAP)], start: [0, 0.2], goal: [6, 0.2]},
  hook: {obstacles: [wall([2.4, -1.4], [2.4, 0.6], [5.4, 0.6], [5.4, -2.2], [-0.4, -2.2])],
    start: [0, 0], goal: [4.6, 0]},
  spiral_in: {obstacles: [wall(...SPIRAL)], start: [-2, 3.2], goal: [3.4, 3.4]},
  spiral_out: {obstacles: [wall(...SPIRAL)], start: [3.4, 3.4], goal: [10, 3]},
  spiral_out_W: {obstacles: [wall(...SPIRAL)], start: [3.4, 3.4], goal: [-3, 3.9]},
  sp12_E: {obstacles: [wall(...SP12)], start: [0.9, 0.9], goal: [7.4, 1]},
  sp12_in: {obstacles: [wall(...SP12)], start: [7.4, 1], goal: [0.9, 0.9]},
  spiral_6: {obstacles: [wall(...spiralOf(24))], start: [9, 0.45], goal: [0.4, 0.5],
    bounds: [-8, -8.8, 10, 8]},
  ring_goal: {obstacles: [ring(3, -1.5, 6, 1.5)], start: [0, 0.3], goal: [4.5, 0.1]},
  ring_start: {obstacles: [ring(-1.5, -1.5, 1.5, 1.5)], start: [0, 0.2], goal: [5, 0.1]},
  arena_out: {obstacles: [{room: box(0, 0, 4, 6)}], start: [1, 1], goal: [7, 5],
    bounds: [-1.2, -1.2, 8, 7.2]},
  goal_solid: {obstacles: [box(3, -1, 5, 1)], start: [0, 0.2], goal: [4, 0.1]},
  narrow_door: {obstacles: [[[3, -1.5], [6, -1.5], [6, 1.5], [3, 1.5], [3, 0.25], [3.2, 0.25],
    [3.2, 1.3], [5.8, 1.3], [5.8, -1.3], [3.2, -1.3], [3.2, 0.08], [3, 0.08]]],
  start: [0, 0.3], goal: [4.5, 0.1]},
  two_close: {obstacles: [box(2, -1, 3, 0), box(2, 0.2, 3, 1.2)], start: [0, -0.3],
    goal: [5, -0.31]},
  maze: {obstacles: [{room: box(0, 0, 6, 6)}, wall([1.5, 0], [1.5, 4.5]),
    wall([3, 6], [3, 1.5]), wall([4.5, 0], [4.5, 4.5])], start: [0.7, 0.7], goal: [5.3, 0.75],
  bounds: [-0.4, -0.4, 6.4, 6.4]},
  pole: {obstacles: [circleLoop([2, 0.02], 0.05, 16)], start: [0, 0], goal: [4, 0]},
  comb: {obstacles: [comb(4)], start: [0, 0], goal: [6.4, 0]},
  door: {obstacles: [{wall: [[3, 0.6], [3, 1.6], [6, 1.6], [6, -1.6], [3, -1.6], [3, -0.4]],
    width: WALL_WIDTH}, {door: [[3, -0.4], [3, 0.6]], width: DOOR_WIDTH, open: false}],
  start: [0, 0.3], goal: [4.6, 0.1]},
  person_in_door: {obstacles: [ROOM_WITH_A_DOOR, {person: [3, 0], radius: 0.3}],
    start: [0, 0.3], goal: [4.6, 0.1]},
  person_beside_door: {obstacles: [ROOM_WITH_A_DOOR, {person: [1.6, 1.3], radius: 0.3}],
    start: [0, 0.3], goal: [4.6, 0.1]},
};

/** A description of a scene is not valid; the message names the value and the rule. */
export class SceneError extends Error {}

/** Return a valid scene from a name or a JSON text. */
export function sceneFrom(text) {
  if (!text.trim().startsWith('{')) {
    if (!Object.hasOwn(SCENES, text)) {
      throw new SceneError(tr("unknown scene '{0}'; available: {1}", text,
        Object.keys(SCENES).join(', ')));
    }
    return copyOf(SCENES[text]);
  }
  let found;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new SceneError(tr('the scene is no valid JSON: {0}', error.message));
  }
  return checked(found);
}

export const copyOf = (scene) => JSON.parse(JSON.stringify(scene));

/** Return a scene after checking all of its parts. */
export function checked(scene) {
  const {obstacles, start, goal, bounds} = scene;
  if (!Array.isArray(obstacles) || obstacles.length > MAX_SHAPES) {
    throw new SceneError(tr("'obstacles' must be a list of at most {0} shapes", MAX_SHAPES));
  }
  checkPlace(start, tr('Start'));
  checkPlace(goal, tr('Goal'));
  if (bounds && !(bounds.length === 4 && bounds.every(isNumber))) {
    throw new SceneError(tr("'bounds' must be [x0, y0, x1, y1]"));
  }
  obstacles.forEach((shape, k) => {
    const places = placesOf(shape);
    if (!places) {
      throw new SceneError(tr('obstacle {0} is no polygon, wall, room, person or door', k + 1));
    }
    if (places.length < minimumOf(shape) || places.length > MAX_CORNERS) {
      throw new SceneError(tr('obstacle {0} has {1} corners; allowed: {2} to {3}', k + 1,
        places.length, minimumOf(shape), MAX_CORNERS));
    }
    places.forEach((place) => checkPlace(place, tr('a corner of obstacle {0}', k + 1)));
    for (const key of ['width', 'radius']) {
      const size = shape[key] ?? 1;
      if (!(isNumber(size) && size > 0 && size <= MAX_SIZE)) {
        throw new SceneError(tr('{0} of obstacle {1} must be a number from 0 to {2} m', key, k + 1,
          MAX_SIZE));
      }
    }
  });
  return copyOf({obstacles, start, goal, bounds});
}

/** Maximum width of a wall and radius of a person [m]. */
const MAX_SIZE = 100;
const isNumber = (value) => typeof value === 'number' && Math.abs(value) < 1e4;

function checkPlace(place, what) {
  if (!(Array.isArray(place) && place.length === 2 && place.every(isNumber))) {
    throw new SceneError(tr('{0} must be [x, y] in metres, not {1}', what, JSON.stringify(place)));
  }
}

/** Return the movable places of a shape, the very arrays; undefined if it is no shape. */
export function placesOf(shape) {
  if (Array.isArray(shape)) return shape;
  if (shape?.person) return [shape.person];
  return shape?.wall ?? shape?.room ?? shape?.door;
}

/** Return the kind of a shape. */
export const kindOf = (shape) => (Array.isArray(shape) ? 'polygon'
  : ['wall', 'room', 'person', 'door'].find((kind) => shape[kind]));

/** Return the least number of places of a shape. */
export const minimumOf = (shape) => ({person: 1, wall: shape.closed ? 3 : 2, door: 2})[
  kindOf(shape)] ?? 3;

/** Return the loops of one shape, whose winding numbers add up to those of its solid. */
export function loopsOf(shape) {
  const places = placesOf(shape);
  switch (kindOf(shape)) {
    case 'person': return [circleLoop(shape.person, shape.radius ?? PERSON_RADIUS)];
    case 'room': return roomLoops(places);
    case 'door': return shape.open ? [] : wallParts(places, shape.width ?? DOOR_WIDTH);
    case 'wall': return wallParts(places, shape.width ?? WALL_WIDTH, shape.closed === true);
    default: return polygonLoops(places);
  }
}

/** Return a room as a hole in a large solid. */
function roomLoops(places) {
  const [x, y] = [0, 1].map((axis) => places.map((place) => place[axis]));
  return [box(Math.min(...x) - OUTSIDE, Math.min(...y) - OUTSIDE, Math.max(...x) + OUTSIDE,
    Math.max(...y) + OUTSIDE), ...polygonLoops(places).map((loop) => oriented(loop, true))];
}

/** Return the union of the shapes of a scene, inflated by a radius [m]. */
export function solidLoops({obstacles}, radius = 0) {
  return inflated(unionOf(obstacles.flatMap(loopsOf)), radius);
}

/** Return the box [x0, y0, x1, y1] that a picture of a scene shows. */
export function boundsOf({obstacles, start, goal, bounds}, margin = 0.7) {
  if (bounds) return bounds;
  const places = [start, goal, ...obstacles.flatMap((shape) => (
    kindOf(shape) === 'room' ? shape.room : loopsOf(shape).flat()))];
  const [x, y] = [0, 1].map((axis) => places.map((place) => place[axis]));
  return [Math.min(...x) - margin, Math.min(...y) - margin, Math.max(...x) + margin,
    Math.max(...y) + margin];
}
