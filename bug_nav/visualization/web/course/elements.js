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

/** Registration of the elements, once per page. */

import {BugAdversary} from './adversary.js';
import {BugDiagram} from './diagram.js';
import {BugEmbed} from './embed.js';
import {BugExercise, BugProgress} from './exercise.js';
import {BugChecker} from './handin.js';
import {BugSlides} from './slides.js';

for (const [name, element] of [['bug-diagram', BugDiagram], ['bug-exercise', BugExercise],
  ['bug-progress', BugProgress], ['bug-checker', BugChecker], ['bug-slides', BugSlides],
  ['bug-embed', BugEmbed], ['bug-adversary', BugAdversary]]) {
  if (!customElements.get(name)) customElements.define(name, element);
}
