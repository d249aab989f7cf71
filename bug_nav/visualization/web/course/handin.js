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
 * Hand-in codes: the drawing of a solved exercise as a line of text, which anybody can judge
 * again.
 *
 * A code contains no verdict: the checker runs the judge on the drawing.
 */

import {el} from '../dom.js';
import {SIGHT} from './algorithms.js';
import {Case, judged, JUDGES} from './judges.js';
import {Model} from './model.js';
import {checked, placesOf, SceneError} from './scenes.js';
import {tr} from './strings.js';
import {styleElement, ThemedElement} from './themed.js';
import {GeometryError} from './union.js';

const PREFIX = 'bug1-';
const MAX_CODE = 20000;
/** Maximum coordinate in a code [m]: in a larger scene, an algorithm that looks takes minutes. */
const MAX_PLACE = 100;
/** Options of a diagram on which a judgement depends. */
const KEPT = ['algorithms', 'turn', 'rho', 'range', 'drift', 'seed'];

/** Return the code of a solved exercise. */
export function codeOf({exercise, name, target, scene, options}) {
  const kept = Object.fromEntries(KEPT.map((key) => [key, options[key]]));
  const text = JSON.stringify({exercise, name, target, scene, options: kept});
  return PREFIX + btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Return {exercise, isSolved, text, scene, terms} for a code, whatever it contains. */
export function checkCode(code) {
  const not = (text) => ({exercise: '', isSolved: false, text});
  if (!code.startsWith(PREFIX) || code.length > MAX_CODE) {
    return not(tr('This is no hand-in code.'));
  }
  let found;
  try {
    found = JSON.parse(new TextDecoder().decode(Uint8Array.from(
      atob(code.slice(PREFIX.length)), (letter) => letter.charCodeAt(0))));
  } catch {
    return not(tr('The code is incomplete: copy it again.'));
  }
  if (!Object.hasOwn(JUDGES, found?.name ?? '')) {
    return not(tr('The code is for no known exercise.'));
  }
  // It is printed before the judgement, and must not look like one.
  const exercise = String(found.exercise).replace(/[^\p{L}\p{N}_-]+/gu, '_').slice(0, 40);
  try {
    const scene = checked(found.scene);
    if (found.scene.flag) [scene.flag] = [checked({...scene, start: found.scene.flag}).start];
    const places = [scene.start, scene.goal, ...scene.obstacles.flatMap(placesOf)];
    if (places.flat().some((value) => Math.abs(value) > MAX_PLACE)) {
      throw new SceneError(tr('a place is more than {0} m from the origin', MAX_PLACE));
    }
    const model = new Model(scene, optionsOf(found.options));
    return {exercise, scene, terms: termsOf(found),
      ...judged(JUDGES[found.name], new Case(model, targetOf(found)))};
  } catch (error) {
    if (![SceneError, GeometryError, RangeError, TypeError].some(
      (kind) => error instanceof kind)) throw error;
    return {exercise, isSolved: false, text: tr('The drawing is not valid: {0}', error.message)};
  }
}

/** Return judge and settings of a code: anybody can write others into it. */
function termsOf({name, target, options: {rho, range, drift}}) {
  const numbers = {target, rho, range, drift};
  const usual = {rho: 0, range: SIGHT, drift: 0};
  return [JUDGES[name].title, ...Object.entries(numbers)
    .filter(([key, value]) => value !== undefined && value !== usual[key])
    .map(([key, value]) => `${key} ${value}`)].join(', ');
}

/** Return the target of a code; an exercise without one has none. */
function targetOf({name, target = JUDGES[name].target}) {
  if (target !== undefined && !Number.isFinite(target)) {
    throw new SceneError(tr('{0} is no number', 'target'));
  }
  return target;
}

function optionsOf({algorithms, turn, rho, range, drift, seed}) {
  const numbers = {rho, range, drift, seed};
  for (const [name, value] of Object.entries(numbers)) {
    if (!(Number.isFinite(value) && Math.abs(value) <= 1e6)) {
      throw new SceneError(tr('{0} is no number', name));
    }
  }
  return {...numbers, turn: turn === 'right' ? 'right' : 'left',
    algorithms: algorithms.slice(0, 4).map(String)};
}

/** `<bug-checker>`: judges pasted codes again, and marks drawings that are the same. */
export class BugChecker extends ThemedElement {
  connectedCallback() {
    super.connectedCallback();
    this.codes = el('textarea', {rows: '8', 'aria-label': tr('Hand-in codes, one in a line'),
      oninput: () => this.check()});
    this.results = el('ol', {class: 'results', 'aria-live': 'polite'});
    this.shadowRoot.replaceChildren(styleElement(), this.codes, this.results);
  }

  check() {
    const seen = new Map();
    const lines = this.codes.value.split(/\s+/).filter(Boolean);
    this.results.replaceChildren(...lines.map((code, k) => {
      const {exercise, isSolved, text, scene, terms} = checkCode(code);
      const key = scene && JSON.stringify([exercise, scene]);
      const twin = key && seen.get(key);
      if (key && !twin) seen.set(key, k + 1);
      const what = exercise && `${exercise}${terms ? ` (${terms})` : ''}:`;
      return el('li', {class: isSolved ? 'good' : ''}, [what,
        isSolved ? tr('solved.') : tr('not solved.'), text,
        twin && tr('The same drawing as {0}.', twin)].filter(Boolean).join(' '));
    }));
  }
}
