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

/** The attributes of a diagram: their values, and the refusal of invalid ones. */

import {ALGORITHMS} from './algorithms.js';
import {SceneError} from './scenes.js';
import {tr} from './strings.js';

/** Return the words of an attribute. */
export const wordsOf = (text) => new Set((text ?? '').split(/[\s,]+/).filter(Boolean));

const SHOWN_PARTS = ['mline', 'crossings', 'closer', 'disc', 'bounds', 'circumnavigation',
  'passes', 'profile', 'certificate', 'sensor', 'scan', 'shortest'];
/** Attributes with words, and the words that they may have. */
const WORDS = {
  algorithm: [...Object.keys(ALGORITHMS), 'none'], compare: Object.keys(ALGORITHMS),
  turn: ['left', 'right'], drag: ['start', 'goal', 'walls', 'none'], show: SHOWN_PARTS,
  sliders: ['rho', 'range', 'noise', 'drift'], controls: ['none'], theme: ['light', 'dark'],
};
/** Attributes with one number, and the least and the greatest one. */
const NUMBERS = {rho: [0, 10], range: [0, 1000], noise: [0, 10], drift: [-90, 90],
  seed: [0, 2 ** 32], height: [50, 4000], speed: [0.1, 10]};

/** @throws {SceneError} if an attribute of an element has a value that is not allowed. */
export function checkAttributes(element) {
  for (const [name, allowed] of Object.entries(WORDS)) {
    for (const word of wordsOf(element.getAttribute(name))) {
      if (!allowed.includes(word)) {
        throw new SceneError(['algorithm', 'compare'].includes(name)
          ? tr("unknown algorithm '{0}'; available: {1}", word, allowed.join(', '))
          : tr("{0} is '{1}'; available: {2}", name, word, allowed.join(', ')));
      }
    }
  }
  for (const [name, [least, most]] of Object.entries(NUMBERS)) {
    const text = element.getAttribute(name);
    if (text === null) continue;
    const value = Number(text);
    if (!text.trim() || !(value >= least && value <= most)) {
      throw new SceneError(tr("{0} is '{1}'; give a number from {2} to {3}", name, text, least,
        most));
    }
  }
  const at = element.getAttribute('at');
  if (at !== null && !['start', 'end'].includes(at)
      && !(at.trim() && Number(at) >= 0 && Number(at) <= 1)) {
    throw new SceneError(tr("at is '{0}'; give start, end, or a number from 0 to 1", at));
  }
}
