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

/**
 * Colours of states and of algorithms, all distinct. The light theme has the colours of
 * `bug_nav run --plot` and `bug_nav compare`.
 */

/** Phases: states with the same colour, in order of precedence. */
export const PHASES = [
  {key: 'return', states: ['return_to_leave_point'], label: 'return to a leave point'},
  {key: 'node', states: ['motion_to_node', 'transition'], label: 'motion to a node'},
  {key: 'boundary', states: ['boundary_following', 'circumnavigation'],
    label: 'boundary following'},
  {key: 'heading', states: ['motion_along_heading'], label: 'motion along a heading'},
  {key: 'goal', states: ['motion_to_goal'], label: 'motion to goal'},
  {key: 'other', states: [], label: 'other'},
];
/** Index of the dashed phase, which retraces an earlier lap. */
export const RETURN = 0;
const OTHER = PHASES.length - 1;

/** Return the index of the phase of a stack of states, joined by '/'. */
export function phaseOf(state) {
  const names = state.split('/');
  const found = PHASES.findIndex((phase) => phase.states.some((each) => names.includes(each)));
  return found < 0 ? OTHER : found;
}

/** Number of distinct colours for algorithms. */
export const COLOURS = 6;

/** Return the CSS classes of a run's chip; colours repeat with dashes. */
export const colourClass = (number) => (
  `c${number % COLOURS}${number < COLOURS ? '' : ' dashed'}`);

const NAMES = ['paper', 'ink', 'muted', 'line', 'accent', 'floor', 'solid', 'solid-edge', 'glass',
  'black', 'contour', 'contour-fill', 'grid', 'hit', 'leave', 'goal', 'certificate', 'm-line',
  'robot', 'scan', 'point', 'mover'];

/** Read the theme colours from the style sheet; called once per theme change. */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const theme = Object.fromEntries(NAMES.map((name) => [name.replace('-', '_'), read(name)]));
  theme.phases = PHASES.map((phase) => read(`phase-${phase.key}`));
  theme.runs = Array.from({length: COLOURS}, (_, number) => read(`s${number}`));
  theme.font = style.getPropertyValue('--font').trim() || 'sans-serif';
  return theme;
}

/**
 * Apply the system theme, or the stored choice of the user.
 */
export class ThemeSwitch {
  constructor(button, changed) {
    this.changed = changed;
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.chosen = remembered('theme');
    this.system.addEventListener('change', () => this.apply());
    button?.addEventListener('click', () => {
      this.chosen = this.isDark ? 'light' : 'dark';
      remember('theme', this.chosen);
      this.apply();
    });
    this.apply();
  }

  get isDark() {
    return this.chosen ? this.chosen === 'dark' : this.system.matches;
  }

  apply() {
    document.documentElement.dataset.theme = this.isDark ? 'dark' : 'light';
    this.changed(readTheme());
  }
}

/** Return a stored setting; null if storage is unavailable. */
export function remembered(name) {
  try {
    return localStorage.getItem(`bug_nav.${name}`);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`bug_nav.${name}`, value);
  } catch {
    // Storage is unavailable, for example in a private window.
  }
}
