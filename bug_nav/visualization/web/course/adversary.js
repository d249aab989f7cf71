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

/** `<bug-adversary>`: the reader steers along a wall that an opponent draws meanwhile. */

import {el, metres} from '../dom.js';
import {Opponent} from './opponent.js';
import {svg} from './picture.js';
import {tr} from './strings.js';
import {styleElement, ThemedElement} from './themed.js';

/** Units of the picture per metre, its sides, and the place of the start in it. */
const UNITS = 100;
const SIDES = [640, 500];
const ORIGIN = [50, 250];
/** Distance that a key or a button moves the robot [m]. */
const STRIDE = 0.2;
const STEER_KEYS = {ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1};
const spot = (x, y) => [ORIGIN[0] + UNITS * x, ORIGIN[1] - UNITS * y].join(' ');

/** The custom element. */
export class BugAdversary extends ThemedElement {
  connectedCallback() {
    super.connectedCallback();
    const button = (label, action) => el('button', {type: 'button', onclick: action}, label);
    this.moves = [[tr('Up'), 1], [tr('Down'), -1]].map(([label, sense]) => (
      button(label, () => this.steer(this.game.y + sense * STRIDE))));
    this.verdict = el('p', {class: 'note', role: 'status', 'aria-live': 'polite'});
    this.picture = svg('svg', {class: 'picture game', viewBox: `0 0 ${SIDES.join(' ')}`,
      role: 'slider', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label':
      tr('Height of the robot on the wall')});
    this.stage = el('div', {class: 'stage'}, this.picture);
    this.picture.addEventListener('keydown', (event) => {
      const sense = STEER_KEYS[event.key];
      if (!sense) return;
      event.preventDefault();
      this.steer(this.game.y + sense * STRIDE);
    });
    this.picture.addEventListener('pointerdown', (event) => {
      this.picture.setPointerCapture(event.pointerId);
      this.follow(event);
    });
    this.picture.addEventListener('pointermove', (event) => {
      if (this.picture.hasPointerCapture(event.pointerId)) this.follow(event);
    });
    this.shadowRoot.replaceChildren(styleElement(), el('figure', {class: 'diagram'}, this.stage,
      el('div', {class: 'controls'}, ...this.moves, button(tr('New game'), () => this.begin())),
      this.verdict));
    this.begin();
  }

  begin() {
    this.game = new Opponent();
    this.draw();
  }

  steer(height) {
    // A multiple of the stride, so that keys and buttons end exactly.
    this.game.steer(Math.round(100 * height) / 100);
    this.draw();
  }

  follow(event) {
    const box = this.picture.getBoundingClientRect();
    const scale = Math.min(box.width / SIDES[0], box.height / SIDES[1]);
    const above = (box.top + box.height / 2 - event.clientY) / scale;
    this.steer((above + ORIGIN[1] - SIDES[1] / 2) / UNITS);
  }

  draw() {
    const {game} = this;
    const {wall, goal, isOver, low, high, y} = game;
    const path = [`M${spot(0, 0)}`, ...game.turns.map((turn) => `L${spot(wall.x - 0.05, turn)}`),
      ...(isOver ? [`L${spot(wall.x + wall.width + 0.05, y)}L${spot(goal, 0)}`] : [])].join('');
    const [x, top] = spot(wall.x, high).split(' ').map(Number);
    const width = UNITS * wall.width;
    const label = (text, place) => {
      const [left, up] = spot(...place).split(' ').map(Number);
      return svg('text', {class: 'label', x: left, y: up - 18}, text);
    };
    const mark = (name, radius, place) => {
      const [cx, cy] = spot(...place).split(' ');
      return svg('circle', {class: name, r: radius, cx, cy});
    };
    this.picture.replaceChildren(
      svg('rect', {class: 'floor', width: SIDES[0], height: SIDES[1]}),
      ...(isOver ? [] : [svg('rect', {class: 'undecided', x, y: 0, width, height: SIDES[1]})]),
      svg('rect', {class: 'solid', x, y: top, width, height: UNITS * (high - low)}),
      svg('path', {class: 'trail', d: path}), mark('start-mark', 8, [0, 0]), label('S', [0, 0]),
      svg('g', {class: 'goal-mark'}, mark('', 8, [goal, 0])), label('T', [goal + 0.15, 0]),
      svg('g', {class: 'robot'}, mark('', 9, isOver ? [goal, 0] : [wall.x - 0.05, y])));
    for (const move of this.moves) move.disabled = isOver;
    this.picture.setAttribute('aria-valuemin', high - wall.length);
    this.picture.setAttribute('aria-valuemax', low + wall.length);
    this.picture.setAttribute('aria-valuenow', y.toFixed(2));
    this.verdict.textContent = this.text();
  }

  text() {
    const {isOver, low, high, length, bound, withMap} = this.game;
    if (isOver) {
      return tr('The wall ends here, where you looked last. Your path: {0}. D + p = {1}. With a '
        + 'map: {2}.', metres(length), metres(bound), metres(withMap));
    }
    return high > low ? tr('You know {0} of the wall; it goes on both ways. Your path: {1}.',
      metres(high - low), metres(length))
      : tr('You hit a wall. Look for its end: drag the robot up or down.');
  }
}
