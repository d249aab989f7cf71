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

/** Elements that have the colours of the system, or those that the page or the reader chooses. */

import {el} from '../dom.js';
import {remembered} from '../palette.js';

/** Base of the elements: a shadow root, colours, and light colours on paper. */
export class ThemedElement extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({mode: 'open'});
    this.setTheme();
    this.pageEvents = new AbortController();
    const {signal} = this.pageEvents;
    window.addEventListener('beforeprint', () => this.beforePrint(), {signal});
    window.addEventListener('afterprint', () => this.setTheme(), {signal});
    matchMedia('(prefers-color-scheme: dark)').addEventListener(
      'change', () => this.setTheme(), {signal});
  }

  disconnectedCallback() {
    this.pageEvents?.abort();
  }

  setTheme() {
    const chosen = this.getAttribute('theme') ?? remembered('theme');
    const isDark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    this.dataset.theme = isDark ? 'dark' : 'light';
  }

  beforePrint() {
    this.dataset.theme = 'light';
  }
}

/** Return the style of the elements. */
export function styleElement() {
  return el('style', {}, COURSE_STYLE);
}
