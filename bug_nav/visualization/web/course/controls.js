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

/** The buttons and sliders of a diagram. */

import {el, icon, setIcon} from '../dom.js';
import {PLAYGROUND} from './link.js';
import {tr} from './strings.js';

const SLIDERS = {
  rho: {label: tr('Robot radius'), unit: 'm', min: 0, max: 0.6, step: 0.01},
  range: {label: tr('Sensor range'), unit: 'm', min: 0.1, max: 8, step: 0.1},
  noise: {label: tr('Range noise'), unit: 'm', min: 0, max: 0.1, step: 0.005},
  drift: {label: tr('Drift'), unit: '°/m', min: 0, max: 5, step: 0.1},
};

/** Buttons of the playback, the direction, and the scene; calls the methods of a diagram. */
export class PlayBar {
  constructor(diagram, hasRuns) {
    const button = (name, label, action) => el('button', {type: 'button', class: `icon-button ${
      name}`, 'aria-label': label, title: label, onclick: action}, icon(name));
    this.playButton = button('play', tr('Play'), () => diagram.toggle());
    this.slider = el('input', {type: 'range', class: 'timeline', min: '0', max: '1000', value: '0',
      'aria-label': tr('Position on the path'),
      oninput: () => {
        diagram.pause();
        diagram.seek(this.slider.value / 1000 * diagram.longest);
      }});
    this.turnButton = el('button', {type: 'button', class: 'turn', onclick: () => diagram.flip(),
      title: tr('Change the local direction')});
    this.link = el('a', {class: 'open-link', target: '_blank', rel: 'noopener',
      title: tr('Works while `bug_nav play` runs on this computer'),
      href: PLAYGROUND}, tr('Open in the playground (needs bug_nav play)'));
    this.moves = [button('back', tr('One step back'), () => diagram.step(-1)),
      button('forward', tr('One step forward'), () => diagram.step(1)), this.slider];
    this.parts = [...(hasRuns ? [this.playButton, ...this.moves, this.turnButton]
      : [el('span', {class: 'spread'})]),
      button('reset', tr('Reset the scene'), () => diagram.reset()), this.link];
  }

  /** Show the direction; `isChosen` if each algorithm shown chooses its own. */
  showTurn(turn, isChosen) {
    this.turnButton.hidden = isChosen;
    this.turnButton.textContent = `${turn === 'left' ? '↰' : '↱'} ${tr(turn)}`;
    this.turnButton.setAttribute('aria-label', tr('Local direction: {0}', tr(turn)));
  }

  /** Disable what does nothing while the runs are hidden. */
  showCovered(isCovered, canReveal) {
    for (const control of this.moves) control.disabled = isCovered;
    this.playButton.disabled = isCovered && !canReveal;
  }

  /** Show a position from 0 to 1. */
  showPosition(share) {
    this.slider.value = String(Math.round(1000 * share));
  }

  showPlaying(isPlaying) {
    setIcon(this.playButton, isPlaying ? 'pause' : 'play');
    const label = isPlaying ? tr('Pause') : tr('Play');
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = label;
  }
}

/** Sliders of options. */
export class OptionSliders {
  /** @param {Function} changed called with {name: value}. */
  constructor(names, changed) {
    this.parts = names.filter((name) => Object.hasOwn(SLIDERS, name)).map((name) => {
      const {label, unit, min, max, step} = SLIDERS[name];
      const output = el('output', {});
      const slider = el('input', {type: 'range', min: String(min), max: String(max),
        step: String(step), 'aria-label': `${label} [${unit}]`,
        oninput: () => changed({[name]: Number(slider.value)})});
      return {name, slider, output, unit, root: el('label', {class: 'slider'},
        `${label} `, slider, output)};
    });
  }

  /** Show the options of a model. */
  show(options) {
    for (const {name, slider, output, unit} of this.parts) {
      slider.value = options[name];
      output.textContent = `${options[name].toFixed({rho: 2, noise: 3}[name] ?? 1)} ${unit}`;
    }
  }
}

/** Buttons that open and close the doors of a scene. */
export class DoorButtons {
  /** @param {Function} toggle called with the number of the obstacle. */
  constructor(scene, toggle) {
    this.parts = scene.obstacles.flatMap((shape, number) => (shape.door ? [{number,
      root: el('button', {type: 'button', onclick: () => toggle(number)})}] : []));
  }

  show(scene) {
    for (const {number, root} of this.parts) {
      const isOpen = scene.obstacles[number]?.open;
      root.textContent = isOpen ? tr('Close the door') : tr('Open the door');
      root.hidden = !scene.obstacles[number]?.door;
    }
  }
}
