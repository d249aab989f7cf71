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

/** Random scenes in which Bug1 and Bug2 leave at places that a reader can tell apart. */

import {runAlgorithm} from './algorithms.js';
import {randomFrom} from './bounds.js';
import {distance} from './geometry.js';
import {sceneOf} from './model.js';
import {GeometryError} from './union.js';

const MAX_DRAWS = 500;
/** Minimum distance of the leave points of two algorithms [m]. */
const LEAST_APART = 0.5;
/** The closest place must be closer to the goal than any other far from it, by this [m]. */
const LEAST_CLOSER = 0.12;

/** Return a scene {obstacles, start, goal}, the same for the same seed; its answers are unique. */
export function randomScene(seed) {
  const random = randomFrom(seed);
  for (let k = 0; k < MAX_DRAWS; k++) {
    const scene = drawn(random);
    if (isClear(scene)) return scene;
  }
  throw new Error(`no scene found for the seed ${seed}`);
}

function drawn(random) {
  const between = (low, high) => Math.round(10 * (low + (high - low) * random())) / 10;
  const count = 5 + Math.floor(4 * random());
  const [x, y] = [between(2.8, 3.4), between(-0.4, 0.4)];
  const corners = Array.from({length: count}, (_, k) => {
    const [angle, radius] = [2 * Math.PI * k / count, 0.7 + 1.1 * random()];
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
      .map((value) => Math.round(10 * value) / 10);
  });
  return {obstacles: [corners], start: [0, between(-0.8, 0.8)], goal: [6.2, between(-0.8, 0.8)]};
}

/** Return whether both algorithms leave once, apart, and no other place is nearly as close. */
function isClear(description) {
  let scene;
  try {
    scene = sceneOf(description, 0);
  } catch (error) {
    if (error instanceof GeometryError || error instanceof RangeError) return false;
    throw error;
  }
  const [q] = runAlgorithm(scene, 'bug1').leaves;
  const others = ['left', 'right'].map((turn) => runAlgorithm(scene, 'bug2', turn).leaves);
  if (!q || others.some(([leave, more]) => !leave || more
    || distance(leave.point, q.point) < LEAST_APART)) return false;
  const [boundary] = scene.boundaries;
  return boundary.cornersAndFeet().map((at) => boundary.pointAt(at)).every((place) => (
    distance(place, q.point) < LEAST_APART || scene.toGoal(place) > q.away + LEAST_CLOSER));
}
