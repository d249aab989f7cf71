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

/** The state of a diagram: its scene, options, and the runs that result. */

import {ALGORITHMS, runAlgorithm, SIGHT} from './algorithms.js';
import {boundOf, deadReckoning, shortestPath} from './bounds.js';
import {gatesOf} from './gates.js';
import {between, distance, minus, nearestOn, plus, scaled} from './geometry.js';
import {Scene} from './scene.js';
import {copyOf, kindOf, loopsOf, minimumOf, placesOf, solidLoops} from './scenes.js';
import {tr} from './strings.js';
import {GeometryError, unionOf} from './union.js';

/** Minimum range of the sensor [m]. */
export const MIN_RANGE = 0.1;
/** Minimum distance of a new wall from everything else [m]. */
const WALL_CLEARANCE = 0.3;
/** Minimum length of the piece of wall that a new end adds [m]. */
const MIN_PIECE = 0.2;
/** Places of a new wall in shares of the picture, and its lengths in shares of the height. */
const SHARES = [0.5, 0.375, 0.625, 0.25, 0.75, 0.125, 0.875];
const WALL_LENGTHS = [0.4, 0.2, 0.1];
const NO_PROOF = tr('The lap is closed, but a part of it may walk away: no proof.');

const cm = (value) => Math.round(value * 100) / 100;

/** Return the scene of a disc of radius rho [m] for a description, with or without its persons. */
export function sceneOf(description, rho, withPersons = true) {
  const {obstacles, start, goal} = description;
  const shapes = withPersons ? obstacles : obstacles.filter((shape) => kindOf(shape) !== 'person');
  return new Scene(solidLoops({obstacles: shapes}, rho), start, goal,
    {walls: shapes.flatMap(loopsOf), rho});
}

/** Scene and options of a diagram. `compute` is called after each change. */
export class Model {
  /** @param {object} options algorithms, turn, rho, range, drift, noise, seed, wantsShortest. */
  constructor(scene, options) {
    this.original = copyOf(scene);
    this.scene = scene;
    this.options = {turn: 'left', rho: 0, range: SIGHT, drift: 0, noise: 0,
      seed: 1, ...options};
    this.result = this.compute();
  }

  /** Change the scene; if the new one is not valid, keep the old one and return the reason. */
  change(edit) {
    const before = this.scene;
    this.scene = copyOf(before);
    try {
      edit(this.scene);
      this.result = this.compute();
      return '';
    } catch (error) {
      this.scene = before;
      return this.reasonOf(error);
    }
  }

  /** Set options; return the reason if they are not possible in this scene. */
  set(options) {
    const before = this.options;
    this.options = {...before, ...options};
    try {
      this.result = this.compute();
      return '';
    } catch (error) {
      this.options = before;
      return this.reasonOf(error);
    }
  }

  reset() {
    this.restore(this.original);
  }

  /** Show an earlier scene. */
  restore(scene) {
    this.scene = copyOf(scene);
    this.result = this.compute();
  }

  reasonOf(error) {
    if (error instanceof RangeError) {
      return this.options.rho
        ? tr('The start must be farther from all obstacles than the radius.')
        : tr('The start must be outside all obstacles.');
    }
    if (error instanceof GeometryError) return error.message;
    throw error;
  }

  /** Return the solids, the scene of the point robot, and the runs. */
  compute() {
    const {algorithms, turn, rho, range, drift, seed, wantsShortest} = this.options;
    // A robot that sees less far than it steps would go through walls.
    const sight = Math.max(range, MIN_RANGE);
    const solids = unionOf(this.scene.obstacles.flatMap(loopsOf));
    const scene = sceneOf(this.scene, rho);
    const runs = algorithms.map((name) => ({name, title: ALGORITHMS[name].title,
      run: runAlgorithm(scene, name, turn, sight, {drift, seed}), bound: boundOf(scene, name)}));
    const blocked = runs.filter(({run}) => this.isBlockedByPerson(run, sight));
    for (const {run: {moments}} of blocked) moments[moments.length - 1].reason = NO_PROOF;
    for (const {run} of runs) {
      if (rho && run.certificate) run.gates = gatesOf(run.certificate, solids, rho);
    }
    return {solids, loops: scene.boundaries.map(({corners}) => corners), scene, runs,
      isBlockedByPerson: blocked.length > 0,
      shortest: wantsShortest ? shortestPath(scene) : null,
      estimate: drift && runs.length
        ? runs[0].run.estimate ?? deadReckoning(runs[0].run, drift, seed) : null};
  }

  /**
   * Return whether a goal is unreachable only because of persons, who may go away.
   *
   * If it is unreachable without them as well, the certificate becomes one of walls alone.
   */
  isBlockedByPerson(run, sight) {
    if (run.verdict !== 'unreachable'
        || !this.scene.obstacles.some((shape) => kindOf(shape) === 'person')) return false;
    const {rho, turn} = this.options;
    const alone = runAlgorithm(sceneOf(this.scene, rho, false), run.algorithm, turn, sight);
    if (alone.verdict !== 'unreachable') return true;
    run.certificate = alone.certificate;
    return false;
  }

  /** Return the movable places: {kind, shape, corner, label, at}. */
  handles(kinds) {
    const found = [];
    if (kinds.has('walls')) {
      this.scene.obstacles.forEach((shape, k) => placesOf(shape).forEach((at, corner) => {
        const kind = kindOf(shape) === 'person' ? 'person' : 'corner';
        found.push({kind, shape: k, corner, at, label: kind === 'person' ? tr('Person')
          : tr('Corner {0} of obstacle {1}', corner + 1, k + 1)});
      }));
    }
    if (this.scene.flag) found.push({kind: 'flag', at: this.scene.flag, label: tr('Flag')});
    for (const kind of ['goal', 'start']) {
      if (kinds.has(kind)) {
        found.push({kind, at: this.scene[kind], label: kind === 'goal' ? tr('Goal')
          : tr('Start')});
      }
    }
    return found;
  }

  /** Move a handle; return the reason if the place is not allowed. */
  move({kind, shape, corner}, [x, y]) {
    const place = [cm(x), cm(y)];
    return this.change((scene) => {
      if (shape === undefined) scene[kind] = place;
      else placesOf(scene.obstacles[shape])[corner].splice(0, 2, ...place);
    });
  }

  /** Move a whole shape by a distance; return the reason if the place is not allowed. */
  moveShape(shape, [dx, dy], from) {
    return this.change((scene) => placesOf(scene.obstacles[shape]).forEach((place, k) => {
      place.splice(0, 2, cm(from[k][0] + dx), cm(from[k][1] + dy));
    }));
  }

  /** Add a wall at a free place, the longer the better; return {message, added}. */
  addWall([x0, y0, x1, y1]) {
    const [width, height] = [x1 - x0, y1 - y0];
    const wall = WALL_LENGTHS.flatMap((length) => SHARES.flatMap((up) => SHARES.map((right) => (
      [-0.5, 0.5].map((end) => [
        cm(x0 + right * width), cm(y0 + (up + end * length) * height)])))))
      .find((line) => this.hasRoomFor(line));
    if (!wall) return {message: tr('There is no room for another wall.')};
    return {message: this.change((scene) => { scene.obstacles.push({wall, width: 0.2}); }),
      added: {kind: 'corner', shape: this.scene.obstacles.length - 1, corner: 1}};
  }

  hasRoomFor([a, b]) {
    const {scene} = this.result;
    const isFar = (from, to, place) => (
      distance(nearestOn(from, to, place), place) > WALL_CLEARANCE);
    return scene.sees(a, b) && isFar(a, b, scene.start) && isFar(a, b, scene.goal)
      && scene.edges.every((edge) => isFar(a, b, edge.a) && isFar(edge.a, edge.b, a)
        && isFar(edge.a, edge.b, b));
  }

  /**
   * Add a corner halfway to the next one; an end of a wall continues it.
   *
   * @param {Function} inside returns the nearest place inside the picture.
   * @returns {object} {message, added}, the handle of the new corner.
   */
  addCorner({shape, corner}, inside) {
    const places = placesOf(this.scene.obstacles[shape]);
    const isOpen = this.scene.obstacles[shape].wall && !this.scene.obstacles[shape].closed;
    const isFirst = isOpen && corner === 0;
    const isLast = isOpen && corner === places.length - 1;
    const [a, b] = [places[corner], places[isLast ? corner - 1 : (corner + 1) % places.length]];
    const [x, y] = isFirst || isLast ? beyond(a, b, inside) : between(a, b, 0.5);
    const number = isFirst ? 0 : corner + 1;
    return {message: this.change((scene) => {
      placesOf(scene.obstacles[shape]).splice(number, 0, [cm(x), cm(y)]);
    }), added: {kind: 'corner', shape, corner: number}};
  }

  /** Remove a corner, or the whole shape if too few would remain. */
  remove({shape, corner}) {
    return this.change((scene) => {
      const places = placesOf(scene.obstacles[shape]);
      if (places.length > minimumOf(scene.obstacles[shape])) places.splice(corner, 1);
      else scene.obstacles.splice(shape, 1);
    });
  }
}

/** Return a place inside the picture that continues a wall from b to its end a, or turns there. */
function beyond(a, b, inside) {
  const [x, y] = scaled(minus(a, b), 0.5);
  const places = [[x, y], [y, -x], [-y, x]].map((step) => inside(plus(a, step)));
  return places.find((place) => distance(place, a) >= MIN_PIECE) ?? places[0];
}
