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

/** Links between a diagram and the playground, in the format of address.js. */

import {AddressError, decodeState, encodeState} from '../address.js';
import {editedSolids, NO_EDITS} from '../shapes.js';
import {checked, kindOf, loopsOf, placesOf, SceneError} from './scenes.js';
import {tr} from './strings.js';
import {unionOf} from './union.js';

/** Default address of `bug_nav play`. */
export const PLAYGROUND = 'http://127.0.0.1:8770/';
/** Thickness of the walls that stand for the solid around a room [m]. */
const ROOM_WALL = 0.1;
const MAX_SHIPPED = 400;

const toMillimetre = (value) => Math.round(value * 1000) / 1000;
const rounded = (places) => places.map((place) => place.map(toMillimetre));

/** Return the shapes of the playground for a shape of a diagram. */
function playgroundShapes(shape) {
  const places = rounded(placesOf(shape));
  switch (kindOf(shape)) {
    case 'person': return [{c: [...places[0], shape.radius ?? 0.25]}];
    case 'room': return [{l: [...places, places[0]], w: ROOM_WALL}];
    case 'door': return shape.open ? [] : [{l: places, w: shape.width ?? 0.1}];
    case 'wall':
      if (shape.closed) return [{l: [...places, places[0]], w: shape.width ?? 0.2}];
      return outlinesOf(shape).map((loop) => ({p: rounded(loop)}));
    default: return [{p: places}];
  }
}

/** Return the outlines of a wall; the playground would extend its ends. */
const outlinesOf = (shape) => unionOf(loopsOf(shape)).filter((loop) => loop.length > 2);

/** Return the names of the playground for algorithms of the course. */
const playable = (algorithms) => [...new Set(algorithms.map(
  (name) => (name === 'bug2_naive' ? 'bug2' : name)))].filter((name) => name !== 'none');

/** Return the address that opens a scene in the playground. */
export async function playgroundAddress(scene, algorithms, turn, base = PLAYGROUND) {
  const {fragment} = await encodeState({
    world: {name: 'open', edits: {removed: [], moved: {},
      added: scene.obstacles.flatMap(playgroundShapes)}},
    start: [...scene.start.map(toMillimetre), 0], goal: scene.goal.map(toMillimetre),
    robot: 'burger', turn, set: {}, algorithms: playable(algorithms), view: 'top'});
  return `${base}#${fragment}`;
}

/** Return {scene, algorithms, turn} of a link that the playground has copied. */
export async function sceneFromAddress(link) {
  let state;
  try {
    state = await decodeState(link.slice(link.indexOf('#') + 1));
  } catch (error) {
    if (error instanceof AddressError) throw new SceneError(error.message);
    throw error;
  }
  const {name, edits = NO_EDITS} = state.world;
  if (!Object.hasOwn(SHIPPED_WORLDS, name ?? '')) {
    throw new SceneError(tr("the world '{0}' of the link is not part of the course script",
      name ?? state.world.title ?? tr('opened file')));
  }
  const world = SHIPPED_WORLDS[name];
  const solids = editedSolids(world.solids.slice(0, MAX_SHIPPED).map((solid, k) => ({
    key: `b${k}`, polygon: solid.map((value) => value / 1000), surface: 'wall'})), edits);
  const obstacles = solids.map(({polygon}) => polygon.flatMap(
    (value, k) => (k % 2 ? [] : [[value, polygon[k + 1]]])));
  return {algorithms: state.algorithms, turn: state.turn, scene: checked({
    obstacles, start: (state.start ?? world.start)?.slice(0, 2), goal: state.goal ?? world.goal})};
}
