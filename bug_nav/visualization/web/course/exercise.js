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

/** `<bug-exercise>`: a task, an editable diagram and a judge; `<bug-progress>`: a list of them. */

import {copyText, el} from '../dom.js';
import {remember, remembered} from '../palette.js';
import {codeOf} from './handin.js';
import {Case, judged, JUDGES} from './judges.js';
import {randomScene} from './randoms.js';
import {checked, SceneError, sceneFrom} from './scenes.js';
import {LANGUAGE, tr} from './strings.js';
import {styleElement, ThemedElement} from './themed.js';

/** Attributes that an exercise passes on to its diagram. */
const PASSED = [
  'algorithm', 'compare', 'scene', 'turn', 'drag', 'code', 'show', 'rho', 'range', 'noise',
  'drift', 'seed', 'sliders', 'height', 'caption', 'label', 'theme'];
const stored = (key) => `exercise.${key}`;
/** Name under which the drawing of a reader is stored. */
const drawing = (key) => `drawing.${key}`;
/** Name under which the number of revealed scenes of a prediction is stored. */
const revealed = (key) => `revealed.${key}`;

/** Return whether an exercise has been solved in this browser. */
export const isSolved = (key) => remembered(stored(key)) === '1';

/** The custom element; the task is its content. */
export class BugExercise extends ThemedElement {
  connectedCallback() {
    const isNew = !this.shadowRoot;
    super.connectedCallback();
    if (!isNew) return;
    this.style.display = 'block';
    const judge = JUDGES[this.getAttribute('name')];
    if (!judge) {
      this.shadowRoot.append(styleElement(), el('p', {class: 'problem', role: 'alert'},
        tr("unknown exercise '{0}'; available: {1}", this.getAttribute('name'),
          Object.keys(JUDGES).join(', '))));
      return;
    }
    this.judge = judge;
    this.target = Number.parseFloat(this.getAttribute('target')) || judge.target;
    this.compose();
  }

  get key() {
    return this.id || this.getAttribute('name');
  }

  compose() {
    const {title, isPrediction} = this.judge;
    this.tick = el('span', {class: 'tick'});
    this.verdict = el('p', {});
    this.judgement = el('div', {class: 'judgement', role: 'status', 'aria-live': 'polite'},
      this.verdict);
    this.checkButton = el('button', {type: 'button', onclick: () => this.reveal()},
      tr('Check my prediction'));
    this.codeButton = el('button', {type: 'button', hidden: true, onclick: () => this.handIn()},
      tr('Copy the hand-in code'));
    this.newButton = el('button', {type: 'button', onclick: () => this.ask()},
      tr('New scene'));
    this.diagram = this.makeDiagram();
    const buttons = [...(isPrediction ? [this.checkButton, this.newButton] : []),
      ...(this.getAttribute('hint') ? [this.hintButton()] : []), this.codeButton];
    this.hint = el('p', {class: 'hint-text', hidden: true}, this.getAttribute('hint') ?? '');
    this.box = el('section', {class: 'exercise', 'aria-label': tr('Exercise: {0}', title)},
      el('div', {class: 'exercise-head'},
        el('h3', {}, this.getAttribute('heading') ?? title), this.tick),
      el('div', {class: 'task'}, el('slot')), this.diagram, this.judgement,
      el('div', {class: 'exercise-buttons', lang: LANGUAGE}, ...buttons), this.hint);
    this.shadowRoot.append(styleElement(), this.box);
    this.showTick();
  }

  makeDiagram() {
    const diagram = document.createElement('bug-diagram');
    for (const [name, value] of Object.entries(this.judge.defaults)) {
      diagram.setAttribute(name, value);
    }
    for (const name of PASSED) {
      if (this.hasAttribute(name)) diagram.setAttribute(name, this.getAttribute(name));
    }
    if (this.judge.isPrediction) {
      diagram.givenScene = this.question();
      diagram.covered = true;
    }
    const kept = this.keptScene();
    if (kept) {
      diagram.givenScene = kept;
      diagram.originalScene = sceneFrom(this.getAttribute('scene') ?? 'box');
    }
    diagram.addEventListener('bug-change', (event) => this.changed(event.detail));
    return diagram;
  }

  /** Return the drawing that this browser has kept, if it is one; null otherwise. */
  keptScene() {
    if (this.judge.isPrediction || !('edit' in this.judge.defaults)) return null;
    try {
      return checked(JSON.parse(remembered(drawing(this.key)) ?? ''));
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof SceneError
          || error instanceof TypeError) return null;
      throw error;
    }
  }

  /** Copy the code of the solution, for the teacher. */
  async handIn() {
    const {description, options} = this.given;
    const code = codeOf({exercise: this.key, name: this.getAttribute('name'), target: this.target,
      scene: description, options});
    const isCopied = await copyText(code);
    this.codeButton.textContent = isCopied ? tr('Copied') : tr('Copying is not allowed here');
  }

  /** Return the scene of a prediction: that of the page, or another one once it was revealed. */
  question() {
    const count = this.asked = this.countOfReveals;
    const scene = count ? randomScene(count) : sceneFrom(this.getAttribute('scene') ?? 'u_trap');
    const {start, goal} = scene;
    return {...scene, flag: [(start[0] + goal[0]) / 2, (start[1] + goal[1]) / 2]};
  }

  /** Ask about another scene. */
  ask() {
    if (this.diagram.isCovered && this.asked === this.countOfReveals) this.countReveal();
    this.diagram.givenScene = this.question();
    this.diagram.covered = true;
    this.diagram.rebuild();
  }

  get countOfReveals() {
    return Number(remembered(revealed(this.key))) || this.revealedCount || 0;
  }

  /** A scene whose answer may have been read is not asked again, not after a reload either. */
  countReveal() {
    this.revealedCount = this.countOfReveals + 1;
    remember(revealed(this.key), String(this.revealedCount));
  }

  hintButton() {
    const button = el('button', {type: 'button', 'aria-expanded': 'false', onclick: () => {
      this.hint.hidden = !this.hint.hidden;
      button.setAttribute('aria-expanded', String(!this.hint.hidden));
    }}, tr('Hint'));
    return button;
  }

  /** Judge a changed scene; a prediction waits for its button. */
  changed(detail) {
    this.given = new Case(detail, this.target);
    if (!this.judge.isPrediction) {
      remember(drawing(this.key), JSON.stringify(detail.scene));
      this.showJudgement(judged(this.judge, this.given));
      return;
    }
    this.checkButton.disabled = !this.diagram.isCovered;
    this.showJudgement({text: this.diagram.isCovered
      ? tr('Drag the flag, or move it with the arrow keys. Then check.')
      : tr('The leave point is shown. Ask for a new scene to predict again.')});
  }

  reveal() {
    if (this.asked !== this.countOfReveals) {
      // Another tab has shown the answer.
      this.ask();
      return;
    }
    this.diagram.covered = false;
    this.checkButton.disabled = true;
    this.countReveal();
    this.showJudgement(judged(this.judge, this.given));
  }

  showJudgement({isSolved: isGood = false, text}) {
    this.verdict.textContent = isGood ? tr('Solved. {0}', text) : text;
    this.judgement.classList.toggle('good', isGood);
    this.codeButton.hidden = !isGood;
    this.codeButton.textContent = tr('Copy the hand-in code');
    if (!isGood || this.wasSolved) return;
    this.wasSolved = true;
    remember(stored(this.key), '1');
    this.showTick();
    this.dispatchEvent(new CustomEvent('bug-solved', {bubbles: true, composed: true,
      detail: {key: this.key}}));
  }

  showTick() {
    const done = this.wasSolved || isSolved(this.key);
    this.tick.textContent = done ? `✓ ${tr('solved')}` : '';
    this.box.classList.toggle('solved', Boolean(done));
  }
}

/** Forget tick and drawing of an exercise, but not which scenes' answers were shown. */
const forget = (key) => [stored, drawing].forEach((name) => remember(name(key), ''));

/** A list of exercises with ticks; its content are links, which end in #id of an exercise. */
export class BugProgress extends ThemedElement {
  connectedCallback() {
    super.connectedCallback();
    this.show();
    document.addEventListener('bug-solved', () => this.show(), {signal: this.pageEvents.signal});
  }

  reset(links) {
    for (const link of links) forget(link.hash.slice(1));
    this.show();
  }

  show() {
    const links = [...this.querySelectorAll('a')];
    const done = links.map((link) => isSolved(link.hash.slice(1)));
    this.shadowRoot.replaceChildren(styleElement(), el('p', {role: 'status'},
      tr('{0} of {1} exercises solved in this browser.', done.filter(Boolean).length,
        links.length)),
    el('ul', {class: 'progress'}, ...links.map((link, k) => el('li', {},
      el('span', {class: 'tick', role: 'img', 'aria-label': done[k] ? tr('solved') : tr('open')},
        done[k] ? '✓' : '○'), el('a', {href: link.href}, link.textContent)))),
    el('button', {type: 'button', disabled: !done.some(Boolean), onclick: () => this.reset(links)},
      tr('Reset my progress')));
  }
}
