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

/** The picture of a diagram: an SVG with the scene, the runs and the movable places. */

import {Camera} from '../camera.js';
import {markName} from '../dom.js';
import {colourClass, PHASES, phaseOf, RETURN} from '../palette.js';
import {ALGORITHMS} from './algorithms.js';
import {crossingPlaces, estimateAt} from './bounds.js';
import {distance} from './geometry.js';
import {passesOf} from './passes.js';
import {kindOf, loopsOf} from './scenes.js';
import {scanFrom, visibleArea} from './sight.js';
import {tr} from './strings.js';
import {visibleNodes} from './tangent.js';

const SVG = 'http://www.w3.org/2000/svg';
const MIN_HEIGHT = 170;
const TOUCH = 20;
/** Maximum number of passes that have a width of their own. */
const MAX_PASSES = 6;

/** Return the name of a movable place. */
export const keyOf = (handle) => [handle?.kind, handle?.shape, handle?.corner].join('-');

/** Return a new SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const LAYERS = [
  'disc', 'closer', 'contour', 'discs', 'solids', 'lines', 'sight', 'passes', 'ghost', 'trail',
  'scan', 'estimate', 'chain', 'marks', 'ends', 'robot', 'bodies', 'handles'];

/** Draws a result of a model at a length of the path. */
export class Picture {
  /** @param {object} options show (a Set), height, isCovered, kinds. */
  constructor(bounds, options) {
    this.bounds = bounds;
    this.options = options;
    this.camera = new Camera();
    this.root = svg('svg', {class: 'picture'});
    this.floor = svg('rect', {class: 'floor', width: '100%', height: '100%'});
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, svg('g', {class: name})]));
    this.root.append(this.floor, ...Object.values(this.layers));
  }

  /** Fit the scene to a width [px]. */
  resize(width) {
    const [x0, y0, x1, y1] = this.bounds;
    const height = Math.round(Math.min(this.options.height,
      Math.max(MIN_HEIGHT, width * (y1 - y0) / (x1 - x0))));
    Object.assign(this.camera, {width, height});
    this.camera.fit(this.bounds, {left: 2, top: 2, right: 2, bottom: 2});
    this.root.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.root.style.height = `${height}px`;
  }

  x(point) {
    return this.camera.screenX(point[0]).toFixed(1);
  }

  y(point) {
    return this.camera.screenY(point[1]).toFixed(1);
  }

  /** Return places as the data of an SVG path. */
  line(places, isClosed = false) {
    if (!places.length) return '';
    return `M${places.map((place) => `${this.x(place)} ${this.y(place)}`).join('L')}${
      isClosed ? 'Z' : ''}`;
  }

  loops(loops) {
    return loops.map((loop) => this.line(loop, true)).join('');
  }

  /** Draw everything that does not depend on the playback. */
  setResult(model) {
    this.model = model;
    const {result, scene, options: {rho}} = model;
    const {show} = this.options;
    const direct = distance(scene.start, scene.goal);
    this.layers.disc.replaceChildren(...(show.has('disc') ? [this.circle('disc', scene.goal,
      direct * this.camera.scale)] : []));
    this.layers.contour.replaceChildren(...(rho ? [svg('path', {class: 'contour',
      d: this.loops(result.loops)})] : []));
    this.drawSolids(scene, result);
    this.drawLines(scene, result);
    const runs = this.shownRuns();
    this.layers.ghost.replaceChildren(...runs.map(({run, number}) => svg('path', {
      class: `ghost ${this.isSingle ? '' : colourClass(number)}`, d: this.line(run.path)})));
    this.drawEnds(scene);
  }

  get isSingle() {
    return this.model.result.runs.length === 1;
  }

  shownRuns() {
    return this.options.isCovered ? [] : this.model.result.runs.map((entry, number) => ({
      ...entry, number})).filter(({name}) => !this.options.hidden.has(name));
  }

  drawSolids(scene, result) {
    const special = (kind, name) => scene.obstacles.filter((shape) => kindOf(shape) === kind)
      .map((shape) => svg('path', {class: name, d: this.loops(loopsOf(shape))}));
    this.layers.solids.replaceChildren(
      svg('path', {class: 'solid', d: this.loops(result.solids)}),
      ...special('door', 'door'), ...special('person', 'person'));
  }

  drawLines({start, goal}, {scene, shortest}) {
    const {show} = this.options;
    const lines = [];
    if (show.has('mline')) {
      lines.push(svg('path', {class: 'm-line', d: this.line([start, goal])}));
    }
    if (show.has('crossings')) {
      lines.push(...scene.boundaries.flatMap((boundary) => crossingPlaces(boundary))
        .map((place) => this.circle('crossing', place, 3.5, {
          'data-away': distance(place, goal)})));
    }
    if (show.has('shortest') && shortest) {
      lines.push(svg('path', {class: 'shortest', d: this.line(shortest)}));
    }
    this.layers.lines.replaceChildren(...lines);
  }

  drawEnds({start, goal, flag}) {
    const goalMark = svg('g', {class: 'goal-mark', transform: `translate(${this.x(goal)} ${
      this.y(goal)})`}, svg('circle', {r: 8}), svg('circle', {r: 3, class: 'centre'}));
    this.layers.ends.replaceChildren(this.circle('start-mark', start, 6), goalMark,
      this.label('S', start, 'end', -14), this.label('T', goal, 'end', -14),
      ...(flag ? [svg('path', {class: 'flag', transform: `translate(${this.x(flag)} ${
        this.y(flag)})`, d: 'M0 0V-24H16L11 -18L16 -12H0'})] : []));
  }

  /** Draw the runs up to lengths of their paths: `at(run)`. */
  draw(at) {
    const runs = this.shownRuns();
    this.layers.trail.replaceChildren(...runs.flatMap(({run, number}) => (
      this.trail(run, at(run), number))));
    const chosen = runs[0] && runs.find(({name}) => name === this.options.chosen);
    const main = chosen ?? runs[0];
    this.layers.marks.replaceChildren(...(main ? this.marks(main.run, at(main.run)) : []));
    this.layers.closer.replaceChildren(...(main ? this.closerDisc(main.run, at(main.run)) : []));
    this.layers.chain.replaceChildren(...(main ? this.chain(main.run, at(main.run)) : []));
    this.countCrossings(main, at);
    this.layers.passes.replaceChildren(...(main ? this.passes(main.run, at(main.run)) : []));
    this.layers.robot.replaceChildren(...runs.flatMap(({run, number}) => this.robot(
      run, at(run), number, run === main.run)));
    this.layers.sight.replaceChildren(...(main ? this.sight(main.run, at(main.run)) : []));
    this.drawScan(main ? main.run.placeAt(at(main.run)).point : this.model.scene.start);
    const {estimate} = this.model.result;
    this.layers.estimate.replaceChildren(...(estimate && main ? this.estimate(estimate,
      at(main.run)) : []));
  }

  /** Show which crossings of the M-line are still closer to the goal than the last hit point. */
  countCrossings(main, at) {
    const hit = main?.run.hits.findLast((each) => each.s <= at(main.run) + 1e-9);
    for (const node of this.layers.lines.querySelectorAll('.crossing')) {
      node.classList.toggle('done', Boolean(hit) && node.dataset.away >= hit.away - 1e-6);
    }
  }

  /** Return the walked part of a path, a single one in the colours of its states. */
  trail(run, s, number) {
    const {index, point} = run.placeAt(s);
    if (!this.isSingle) {
      return [svg('path', {class: `trail ${colourClass(number)}`,
        d: this.line([...run.path.slice(0, index), point])})];
    }
    const pieces = [];
    for (let k = 1; k <= index; k++) {
      const phase = phaseOf(run.states[k]);
      const last = pieces[pieces.length - 1];
      const to = k === index ? point : run.path[k];
      if (last?.phase === phase) last.places.push(to);
      else pieces.push({phase, places: [run.path[k - 1], to]});
    }
    return pieces.map(({phase, places}) => svg('path', {d: this.line(places),
      class: `trail phase-${PHASES[phase].key}${phase === RETURN ? ' back' : ''}`}));
  }

  marks(run, s) {
    const marks = ['hit', 'leave'].flatMap((kind) => run[kind === 'hit' ? 'hits' : 'leaves']
      .map((mark, k) => ({...mark, kind, index: k + 1})))
      .filter((mark) => mark.s <= s + 1e-9);
    const labelled = marks.filter(({point, kind}, k) => !marks.slice(0, k).some(
      (other) => other.kind === kind && distance(other.point, point) < 0.05)).slice(0, 60);
    const shown = labelled.map(({point, kind}) => (kind === 'hit'
      ? this.circle('hit', point, 4.5) : svg('rect', {class: 'leave', width: 8, height: 8,
        x: this.x(point) - 4, y: this.y(point) - 4})));
    return [...this.closestMarks(run, s), ...shown, ...labelled.map((mark) => this.label(
      markName(mark), mark.point, mark.kind, mark.kind === 'hit' ? -9 : 19))];
  }

  /** Return the closest points of closed and current laps. */
  closestMarks(run, s) {
    if (!this.options.show.has('circumnavigation')) return [];
    return run.laps.filter((lap) => s >= lap.s + lap.ahead).flatMap(({closest}) => [
      svg('path', {class: 'closest', d: `${this.line([closest])}m-7 0h14m-7 -7v14`}),
      this.label('Q', closest, 'q', -10, 12)]);
  }

  /** Return the boundary; width and darkness show how often it has been followed. */
  passes(run, s) {
    if (!this.options.show.has('passes')) return [];
    return passesOf(run, this.model.result.scene, s).map(({count, places}) => svg('path', {
      class: `pass pass-${Math.min(count, MAX_PASSES)}`, d: this.line(places)}));
  }

  /** Return the disc of places that are closer to the goal than the last hit point. */
  closerDisc(run, s) {
    const hit = run.hits.findLast((each) => each.s <= s + 1e-9);
    if (!hit || !this.options.show.has('closer')) return [];
    return [this.circle('closer', this.model.scene.goal, hit.away * this.camera.scale)];
  }

  /** Return the certificate when the run has ended. */
  chain(run, s) {
    if (!run.certificate || s < run.length - 1e-6 || !this.options.show.has('certificate')) {
      return [];
    }
    const isDoubtful = this.model.result.isBlockedByPerson || run.fault;
    const name = isDoubtful ? 'certificate doubtful' : 'certificate';
    return [svg('path', {class: name, d: this.line(run.gates ?? run.certificate, true)}),
      ...(run.gates ?? []).map((point) => this.circle('gate', point, 3))];
  }

  robot(run, s, number, isMain) {
    const {point} = run.placeAt(s);
    const radius = Math.max(5, this.model.options.rho * this.camera.scale);
    const colour = this.isSingle ? '' : colourClass(number);
    const size = this.model.options.rho ? 'wide' : '';
    const parts = [this.circle(`robot ${colour} ${size}`, point, radius)];
    if (isMain && run.aims) {
      const aim = run.aims.findLast((each) => each.s <= s + 1e-9).point;
      parts.unshift(svg('path', {class: 'aim', d: this.line([point, aim])}),
        this.circle('aim-mark', aim, 4));
    }
    return parts;
  }

  /** Return the range of the sensor and the visible area. */
  sight(run, s) {
    if (!this.options.show.has('sensor') || ALGORITHMS[run.algorithm].sensing !== 'range') {
      return [];
    }
    const {point} = run.placeAt(s);
    const {range} = this.model.options;
    const {scene} = this.model.result;
    const nodes = run.algorithm === 'tangent_bug' ? visibleNodes(scene, point, range) : [];
    return [svg('path', {class: 'visible', d: this.line(visibleArea(scene, point, range), true)}),
      this.circle('range', point, range * this.camera.scale),
      ...nodes.map((node) => svg('path', {class: `graph ${node.isCloser ? '' : 'farther'}`,
        d: this.line(node.isCloser ? [point, node.point, scene.goal] : [point, node.point])})),
      ...nodes.map((node) => this.circle(`node ${node.isCloser ? 'closer-node' : ''}`,
        node.point, 7))];
  }

  /** Draw the points of a scan, and the discs about them that the robot keeps out of. */
  drawScan(point) {
    const {rho, range, noise, seed} = this.model.options;
    const points = this.options.show.has('scan') && !this.options.isCovered
      ? scanFrom(this.model.result.solids, point, range, noise, seed) : [];
    this.layers.scan.replaceChildren(...points.map((each) => this.circle('point', each, 1.8)));
    this.layers.discs.replaceChildren(...(rho ? points.map((each) => this.circle('kept-out', each,
      rho * this.camera.scale)) : []));
  }

  estimate(estimate, s) {
    const last = estimate.at.findIndex((each) => each > s + 1e-9);
    const places = estimate.path.slice(0, last < 0 ? undefined : last);
    const here = estimateAt(estimate, s);
    return [svg('path', {class: 'estimate', d: this.line([...places, here])}),
      this.circle('estimate-mark', here, 4.5)];
  }

  circle(name, point, radius, more = {}) {
    return svg('circle', {class: name, cx: this.x(point), cy: this.y(point), r: radius, ...more});
  }

  label(text, point, name, dy, dx = 0) {
    return svg('text', {class: `label ${name}`, x: Number(this.x(point)) + dx,
      y: Math.max(12, Number(this.y(point)) + dy)}, text);
  }

  /** Draw the movable places, with the focus where it was. */
  drawHandles(handles, isShapes, listen) {
    const focused = this.root.getRootNode().activeElement?.dataset?.key;
    const nodes = handles.map((handle) => {
      const node = svg('g', {class: `handle ${handle.kind}`, tabindex: 0, role: 'button',
        'data-key': keyOf(handle), 'aria-roledescription': tr('movable point'), 'aria-label': `${
          handle.label}, x ${handle.at[0].toFixed(2)}, y ${handle.at[1].toFixed(2)}`,
        transform: `translate(${this.x(handle.at)} ${this.y(handle.at)})`},
      svg('circle', {class: 'touch', r: TOUCH}), svg('circle', {class: 'ring', r: 11}),
      ...(handle.kind === 'corner' ? [svg('rect', {class: 'grip', x: -4, y: -4, width: 8,
        height: 8})] : []));
      listen(node, handle);
      return node;
    });
    this.layers.bodies.replaceChildren(...(isShapes ? this.bodies(listen) : []));
    this.root.setAttribute('role', nodes.length ? 'application' : 'img');
    this.layers.handles.replaceChildren(...nodes);
    this.select(this.selected);
    if (focused) nodes.find(({dataset}) => dataset.key === focused)?.focus({preventScroll: true});
  }

  /** Mark a place as the one that the buttons change, also while they have the focus. */
  select(handle) {
    this.selected = handle;
    for (const node of this.layers.handles.children) {
      node.classList.toggle('selected', node.dataset.key === keyOf(handle));
    }
  }

  focusOn(handle) {
    [...this.layers.handles.children].find(({dataset}) => dataset.key === keyOf(handle))
      ?.focus({preventScroll: true});
  }

  /** Move the drawn handles, while one of them is dragged. */
  moveHandles(handles) {
    handles.forEach(({at}, k) => this.layers.handles.children[k]?.setAttribute('transform',
      `translate(${this.x(at)} ${this.y(at)})`));
  }

  /** Return the insides of shapes, which move whole shapes. */
  bodies(listen) {
    return this.model.scene.obstacles.flatMap((shape, number) => {
      if (['person', 'room'].includes(kindOf(shape))) return [];
      const node = svg('path', {class: 'body', d: this.loops(loopsOf(shape))});
      listen(node, {kind: 'body', shape: number});
      return [node];
    });
  }
}
