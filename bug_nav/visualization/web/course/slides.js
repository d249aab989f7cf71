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

/** `<bug-slides>`: shows the sections of a page one at a time, full screen if asked. */

import {clamp, el} from '../dom.js';
import {LANGUAGE, tr} from './strings.js';
import {styleElement, ThemedElement} from './themed.js';

const SLIDE_KEYS = {ArrowRight: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity,
  End: Infinity};
const SPEEDS = ['0.25', '0.5', '1', '2', '4'];

export class BugSlides extends ThemedElement {
  connectedCallback() {
    super.connectedCallback();
    const {signal} = this.pageEvents;
    const button = (label, action) => el('button', {type: 'button', onclick: action}, label);
    this.count = el('span', {class: 'slide-count', role: 'status'});
    this.speed = el('select', {'aria-label': tr('Speed of the diagrams'), onchange: () => (
      this.setSpeed())}, ...SPEEDS.map((value) => el('option', {value},
      tr('{0}x speed', value))));
    this.speed.value = '1';
    this.shadowRoot.replaceChildren(styleElement(), el('div', {class: 'slide-bar', lang: LANGUAGE},
      button(tr('Back'), () => this.turn(-1)), this.count, button(tr('Next'), () => this.turn(1)),
      this.speed,
      button(tr('Full screen'), () => document.documentElement.requestFullscreen?.())));
    // A diagram uses the arrow keys itself while one of its places has the focus.
    document.addEventListener('keydown', (event) => {
      if (event.defaultPrevented || event.target.closest?.('bug-diagram, bug-slides')) return;
      if (!Object.hasOwn(SLIDE_KEYS, event.key)) return;
      event.preventDefault();
      this.turn(SLIDE_KEYS[event.key]);
    }, {signal});
    window.addEventListener('hashchange', () => this.show(), {signal});
    this.show();
  }

  get slides() {
    return [...document.querySelectorAll('.deck > section')];
  }

  get number() {
    return clamp((Number(location.hash.slice(1)) || 1) - 1, 0, this.slides.length - 1);
  }

  turn(step) {
    location.hash = clamp(this.number + step, 0, this.slides.length - 1) + 1;
  }

  show() {
    this.slides.forEach((slide, k) => slide.classList.toggle('current', k === this.number));
    this.count.textContent = tr('{0} of {1}', this.number + 1, this.slides.length);
  }

  setSpeed() {
    for (const diagram of document.querySelectorAll('bug-diagram')) {
      diagram.setAttribute('speed', this.speed.value);
    }
  }
}
