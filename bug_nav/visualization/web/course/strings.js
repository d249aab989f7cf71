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

/** The language of the texts; those without a translation stay English. */

const WANTED_LANGUAGE = (new URLSearchParams(globalThis.location?.search).get('lang')
  || globalThis.document?.documentElement.lang || 'en').toLowerCase().split('-')[0];

/** Language of the texts: `?lang=de` in the address, or the `lang` of the page, or English. */
export const LANGUAGE = Object.hasOwn(COURSE_TRANSLATIONS, WANTED_LANGUAGE) ? WANTED_LANGUAGE
  : 'en';

/** Return a text in the language of the page, with values in the places of {0}, {1} and so on. */
export function tr(text, ...values) {
  return (COURSE_TRANSLATIONS[LANGUAGE]?.[text] ?? text)
    .replace(/\{(\d)\}/g, (_, number) => values[number]);
}
