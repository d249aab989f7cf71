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

/** Bounds of the path lengths in the papers, the shortest path, and dead reckoning. */

import {between, crossOf, distance, minus, nearestOn, plus} from './geometry.js';

/** Return {direct, parts, value, text}: the bound of an algorithm in a scene; null if none. */
export function boundOf(scene, algorithm) {
  const direct = scene.toGoal(scene.start);
  const parts = PARTS[algorithm]?.(scene, direct);
  if (!parts) return null;
  return {direct, parts, text: TEXTS[algorithm],
    value: parts.reduce((sum, {factor, perimeter}) => sum + factor * perimeter, direct)};
}

const TEXTS = {
  bug1: 'D + 1.5 Σ p_i',
  bug2: 'D + Σ n_i p_i / 2',
  vis_bug_21: 'D + Σ n_i p_i / 2',
  tangent_bug: 'D + Σ p_i + Σ p_i m_i',
};

const PARTS = {
  bug1: (scene, direct) => loopsInDisc(scene, direct)
    .map(({perimeter}) => ({perimeter, factor: 1.5})),
  bug2: crossingParts,
  vis_bug_21: crossingParts,
  tangent_bug: (scene, direct) => loopsInDisc(scene, direct).map((boundary) => ({
    perimeter: boundary.perimeter, factor: 1 + minimaOf(boundary, direct)})),
};

/** Half of the crossings, rounded up: odd if the boundary separates start and goal. */
function crossingParts(scene) {
  return scene.boundaries.map((boundary) => {
    const crossings = crossingPlaces(boundary).length;
    return {perimeter: boundary.perimeter, crossings, factor: Math.ceil(crossings / 2)};
  }).filter(({factor}) => factor > 0);
}

function loopsInDisc({boundaries, goal}, radius) {
  return boundaries.filter(({corners}) => corners.some((corner, k) => distance(
    goal, nearestOn(corner, corners[(k + 1) % corners.length], goal)) <= radius));
}

/** Return the places where the M-line crosses a boundary. */
export function crossingPlaces({corners, scene: {start, goal}}) {
  const along = minus(goal, start);
  const sides = corners.map((corner) => crossOf(along, minus(corner, start)) >= 0);
  return corners.flatMap((a, k) => {
    const next = (k + 1) % corners.length;
    if (sides[k] === sides[next]) return [];
    const edge = minus(corners[next], a);
    const share = crossOf(minus(a, start), edge) / crossOf(along, edge);
    return share > 0 && share < 1 ? [between(start, goal, share)] : [];
  });
}

/** Return the number of local minima of the distance to the goal on a boundary in a disc. */
function minimaOf(boundary, radius) {
  const places = [...new Set(boundary.cornersAndFeet())].sort((a, b) => a - b);
  const away = places.map((at) => boundary.scene.toGoal(boundary.pointAt(at)));
  return away.filter((value, k) => value <= radius
    && value < away[(k + away.length - 1) % away.length]
    && value < away[(k + 1) % away.length]).length;
}

/** Return the shortest path from start to goal as places; null if there is none. */
export function shortestPath(scene) {
  const corners = scene.edges.filter(({a, before, along}) => (
    crossOf(minus(a, before), along) > 0)).map(({a}) => a);
  const places = [scene.start, scene.goal, ...corners];
  const lengths = places.map((_, k) => (k ? Infinity : 0));
  const before = places.map(() => 0);
  const open = new Set(places.keys());
  while (open.size) {
    let here = -1;
    for (const k of open) if (here < 0 || lengths[k] < lengths[here]) here = k;
    if (!isFinite(lengths[here])) return null;
    if (here === 1) break;
    open.delete(here);
    for (const k of open) {
      const length = lengths[here] + distance(places[here], places[k]);
      if (length < lengths[k] && scene.sees(places[here], places[k])) {
        lengths[k] = length;
        before[k] = here;
      }
    }
  }
  const path = [];
  for (let k = 1; k; k = before[k]) path.unshift(places[k]);
  return [scene.start, ...path];
}

/** Return the length of an open polyline [m]. */
export const lengthOf = (path) => path.slice(1).reduce(
  (sum, place, k) => sum + distance(path[k], place), 0);

/** Return a function with random numbers between 0 and 1, the same for the same seed. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Return a function with normally distributed numbers, the same for the same seed. */
export function gaussianFrom(seed) {
  const random = randomFrom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export const RECKONING_STEP = 0.05;

/**
 * Dead reckoning along a path; `estimate` is {path, at, errors}, the errors of the heading.
 *
 * The error of the heading grows by `degrees` per metre on average, with a random part of the same
 * size per square root of a metre.
 */
export class Reckoning {
  constructor(start, degrees, seed) {
    this.gaussian = gaussianFrom(seed);
    this.rate = degrees * Math.PI / 180;
    this.here = start;
    this.error = 0;
    this.estimate = {path: [start], at: [0], errors: [0]};
  }

  /** Move from one place to another, at most RECKONING_STEP apart. */
  move(from, to) {
    const [step, {path, at, errors}] = [minus(to, from), this.estimate];
    const length = Math.hypot(...step);
    this.error += this.rate * length + this.rate * Math.sqrt(length) * this.gaussian();
    const [cos, sin] = [Math.cos(this.error), Math.sin(this.error)];
    this.here = plus(this.here, [cos * step[0] - sin * step[1], sin * step[0] + cos * step[1]]);
    path.push(this.here);
    at.push(at[at.length - 1] + length);
    errors.push(this.error);
  }
}

/** Return the path of a run as dead reckoning estimates it. */
export function deadReckoning(run, degrees, seed = 1) {
  const reckoning = new Reckoning(run.path[0], degrees, seed);
  for (let k = 1; k < run.path.length; k++) {
    const [a, b] = [run.path[k - 1], run.path[k]];
    const count = Math.max(1, Math.ceil((run.at[k] - run.at[k - 1]) / RECKONING_STEP));
    for (let part = 0; part < count; part++) {
      reckoning.move(between(a, b, part / count), between(a, b, (part + 1) / count));
    }
  }
  return reckoning.estimate;
}

/** Return the index of the first estimate at or after a length of the true path. */
function estimateIndex({at}, s) {
  const found = at.findIndex((each) => each >= s - 1e-9);
  return found < 0 ? at.length - 1 : found;
}

/** Return how much the estimated heading is off at a length of the true path [rad]. */
export const headingErrorAt = (estimate, s) => estimate.errors[estimateIndex(estimate, s)];

/** Return the estimated place at a length of the true path [m]. */
export function estimateAt(estimate, s) {
  const [{path, at}, k] = [estimate, estimateIndex(estimate, s)];
  if (k === 0) return path[0];
  const share = (s - at[k - 1]) / Math.max(at[k] - at[k - 1], 1e-12);
  return between(path[k - 1], path[k], Math.min(share, 1));
}
