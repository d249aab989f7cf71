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

/** The chart of the distance to the goal along the path. */

import {markName} from '../dom.js';
import {colourClass, PHASES, phaseOf} from '../palette.js';
import {distance} from './geometry.js';
import {svg} from './picture.js';
import {tr} from './strings.js';

const HEIGHT = 116;
const MARGINS = {left: 42, right: 12, top: 22, bottom: 24};
/** Spacing of samples on long straight pieces [m]. */
const SAMPLE = 0.1;
const MAX_SAMPLES = 3000;

/** Draws d(x) of the chosen run, with its hit and leave points and the position of the robot. */
export class Profile {
  constructor() {
    this.root = svg('svg', {class: 'profile', role: 'img', height: HEIGHT});
    this.cursor = svg('line', {class: 'cursor'});
    this.veil = svg('rect', {class: 'veil', y: 0, height: HEIGHT - MARGINS.bottom});
  }

  setRun(run, goal, width, number) {
    this.run = run;
    this.goal = goal;
    this.width = width;
    const far = Math.max(...run.path.map((place) => distance(place, goal)), 1e-6);
    this.x = (s) => MARGINS.left
      + (width - MARGINS.left - MARGINS.right) * s / Math.max(run.length, 1e-6);
    this.y = (d) => HEIGHT - MARGINS.bottom - (HEIGHT - MARGINS.top - MARGINS.bottom) * d / far;
    this.root.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.root.setAttribute('aria-label', tr('Distance to the goal along the path, at most {0} '
      + 'metres', far.toFixed(2)));
    this.root.replaceChildren(...this.curve(run, number), ...this.marks(run), this.veil,
      ...this.axes(run, far), this.cursor);
  }

  axes(run, far) {
    const base = HEIGHT - MARGINS.bottom;
    const text = (name, x, y, words) => svg('text', {class: `axis ${name}`, x, y}, words);
    return [svg('path', {class: 'axes', d: `M${MARGINS.left} ${MARGINS.top}V${base}H${
      this.width - MARGINS.right}`}),
    text('end', MARGINS.left - 6, MARGINS.top + 5, far.toFixed(1)),
    text('end', MARGINS.left - 6, base + 4, '0'),
    text('start', 12, 11, 'd(x) [m]'),
    text('end', this.width - MARGINS.right, base + 17, tr('path {0} m', run.length.toFixed(1)))];
  }

  /** Return the curve in the colours of the states. */
  curve(run, number) {
    const pieces = [];
    const step = Math.max(SAMPLE, run.length / MAX_SAMPLES);
    for (let k = 1; k < run.path.length; k++) {
      const phase = phaseOf(run.states[k]);
      const [a, b] = [run.path[k - 1], run.path[k]];
      const count = Math.max(1, Math.ceil((run.at[k] - run.at[k - 1]) / step));
      if (pieces[pieces.length - 1]?.phase !== phase) {
        pieces.push({phase, d: `M${this.place(run.at[k - 1], a)}`});
      }
      for (let part = 1; part <= count; part++) {
        const share = part / count;
        pieces[pieces.length - 1].d += `L${this.place(
          run.at[k - 1] + share * (run.at[k] - run.at[k - 1]),
          [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])])}`;
      }
    }
    return pieces.map(({phase, d}) => svg('path', {d, class: `curve ${
      number === null ? `phase-${PHASES[phase].key}` : colourClass(number)}`}));
  }

  place(s, point) {
    return `${this.x(s).toFixed(1)} ${this.y(distance(point, this.goal)).toFixed(1)}`;
  }

  marks(run) {
    return ['hit', 'leave'].flatMap((kind) => run[kind === 'hit' ? 'hits' : 'leaves'].slice(0, 12)
      .map((mark, k) => svg('text', {
        class: `label ${kind}`,
        x: Math.min(this.x(mark.s), this.width - MARGINS.right),
        y: Math.max(11, this.y(distance(mark.point, this.goal)) - 5),
      }, markName({kind, index: k + 1}))));
  }

  /** Show a position on the path, and hide the curve ahead of it if required. */
  draw(s, isAheadHidden = false) {
    this.veil.setAttribute('x', this.x(s));
    this.veil.setAttribute('width', isAheadHidden ? this.width - this.x(s) : 0);
    for (const [name, value] of [['x1', this.x(s)], ['x2', this.x(s)], ['y1', MARGINS.top],
      ['y2', HEIGHT - MARGINS.bottom]]) this.cursor.setAttribute(name, value);
  }
}
