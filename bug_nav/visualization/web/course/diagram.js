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

/** `<bug-diagram>`: a scene, a run of an algorithm in it, and its explanation. */

import {clamp, debounced, el, icon, setIcon} from '../dom.js';
import {ALGORITHMS, SIGHT} from './algorithms.js';
import {lengthOf} from './bounds.js';
import {GeometryError} from './geometry.js';
import {Mover} from './handles.js';
import {PLAYGROUND, playgroundAddress, sceneFromAddress} from './link.js';
import {Model} from './model.js';
import {CodePanel, driftText, legendParts, RunRows, runSentence} from './panel.js';
import {Picture} from './picture.js';
import {Profile} from './profile.js';
import {boundsOf, SceneError, sceneFrom} from './scenes.js';
import {styleElement, ThemedElement} from './themed.js';

/** Shortest and longest duration of a playback [s], and speed between them [m/s]. */
const MIN_TIME = 3;
const MAX_TIME = 18;
const SPEED = 1.6;
/** Time for a moment if motion is reduced [ms]. */
const MOMENT_TIME = 1500;
const SPOKEN_DELAY = 500;
const MAX_HISTORY = 100;
const SLIDERS = {
  rho: {label: 'Robot radius', unit: 'm', min: 0, max: 0.6, step: 0.01},
  range: {label: 'Sensor range', unit: 'm', min: 0.3, max: 8, step: 0.1},
  noise: {label: 'Range noise', unit: 'm', min: 0, max: 0.1, step: 0.005},
  drift: {label: 'Drift', unit: '°/m', min: 0, max: 5, step: 0.1},
};
const ATTRIBUTES = [
  'algorithm', 'compare', 'scene', 'link', 'turn', 'drag', 'edit', 'code', 'show', 'rho', 'range',
  'noise', 'drift', 'seed', 'sliders', 'at', 'height', 'caption', 'label', 'controls', 'theme'];

/** Return the words of an attribute. */
const wordsOf = (text) => new Set((text ?? '').split(/[\s,]+/).filter(Boolean));

/** The custom element; docs/embed_diagrams.md lists its attributes. */
export class BugDiagram extends ThemedElement {
  static observedAttributes = ATTRIBUTES;

  connectedCallback() {
    super.connectedCallback();
    this.isPlaying = false;
    this.style.display = 'block';
    this.style.minHeight = `${this.numberOf('height', 320)}px`;
    this.seen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.build();
    }, {rootMargin: '800px'});
    this.seen.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.seen.disconnect();
    this.sizes?.disconnect();
    this.pause();
    this.built = null;
  }

  attributeChangedCallback() {
    if (!this.built || this.isStale) return;
    this.isStale = true;
    queueMicrotask(() => {
      this.isStale = false;
      if (!this.isConnected) return;
      this.built = null;
      this.build();
    });
  }

  /** Show the finished picture on paper. */
  beforePrint() {
    this.build();
    this.pause();
    super.beforePrint();
    if (this.model) this.seek(Infinity);
  }

  // ---- building -------------------------------------------------------------------------------

  /** Build everything, once. */
  build() {
    this.built ??= this.construct();
    return this.built;
  }

  /** Show the diagram, or a problem in its place. */
  async construct() {
    try {
      const link = this.getAttribute('link');
      this.assemble(link ? await sceneFromAddress(link) : {
        scene: this.givenScene ?? sceneFrom(this.getAttribute('scene') ?? 'box')});
    } catch (error) {
      if (![SceneError, RangeError, GeometryError].some((kind) => error instanceof kind)) {
        throw error;
      }
      this.style.minHeight = '';
      this.shadowRoot.replaceChildren(styleElement(), el('p', {class: 'problem', role: 'alert'},
        `This diagram cannot be shown: ${error.message}`));
    }
  }

  assemble({scene, algorithms, turn}) {
    const names = algorithms ?? [...wordsOf(this.getAttribute('algorithm') ?? 'bug2'),
      ...wordsOf(this.getAttribute('compare'))];
    const unknown = names.find((name) => name !== 'none' && !Object.hasOwn(ALGORITHMS, name));
    if (unknown) {
      throw new SceneError(`unknown algorithm '${unknown}'; available: ${
        Object.keys(ALGORITHMS).join(', ')}, none`);
    }
    this.readOptions();
    this.model = new Model(scene, {algorithms: names.filter((name) => name !== 'none'),
      turn: turn ?? this.getAttribute('turn') ?? 'left', rho: this.numberOf('rho', 0),
      range: this.numberOf('range', SIGHT), drift: this.numberOf('drift', 0),
      noise: this.numberOf('noise', 0),
      seed: this.numberOf('seed', 1), wantsShortest: this.show.has('shortest')});
    this.chosen = this.model.options.algorithms[0];
    this.picture = new Picture(boundsOf(scene), {show: this.show, isCovered: this.isCovered,
      height: this.numberOf('height', 320), chosen: this.chosen});
    this.mover = new Mover(this.picture, this.model, {
      changed: (message, isDone) => this.changed(message, isDone),
      selected: (handle) => this.select(handle)});
    this.history = [];
    this.settled = this.model.scene;
    this.compose();
    this.remember();
    this.sizes?.disconnect();
    this.sizes = new ResizeObserver(() => this.resized());
    this.sizes.observe(this.stage);
    this.width = 0;
    this.resized();
    const at = this.getAttribute('at') ?? 'end';
    this.s = this.longest * ({start: 0, end: 1}[at] ?? clamp(Number(at) || 0, 0, 1));
    this.update();
    this.style.minHeight = '';
    this.dispatchEvent(new CustomEvent('bug-ready', {bubbles: true}));
    this.announceChange();
  }

  readOptions() {
    this.show = wordsOf(this.getAttribute('show'));
    if (this.hasAttribute('drift')) this.show.add('drift');
    this.kinds = this.hasAttribute('edit') ? new Set(['start', 'goal', 'walls'])
      : wordsOf(this.getAttribute('drag') ?? 'start goal');
  }

  numberOf(name, otherwise) {
    const value = Number.parseFloat(this.getAttribute(name));
    return Number.isFinite(value) ? value : otherwise;
  }

  /** Put the parts into the shadow root. */
  compose() {
    const hasRuns = this.model.options.algorithms.length > 0;
    this.spoken = el('p', {class: 'unseen', role: 'status', 'aria-live': 'polite'});
    this.notice = el('p', {class: 'notice', role: 'alert', hidden: true});
    this.stage = el('div', {class: 'stage'}, this.picture.root, this.notice);
    this.code = hasRuns && this.hasAttribute('code') ? new CodePanel() : null;
    this.rows = new RunRows(this.show, (name) => this.choose(name));
    this.profile = hasRuns && this.show.has('profile') ? new Profile() : null;
    this.legend = el('p', {class: 'legend'});
    this.driftNote = el('p', {class: 'note drift-note'});
    const isPlain = this.getAttribute('controls') === 'none';
    this.controls = el('div', {class: 'controls'}, ...(isPlain ? [] : this.makeControls(hasRuns)));
    this.figure = el('figure', {class: this.code ? 'diagram with-code' : 'diagram'},
      el('div', {class: 'main'}, this.stage, this.controls, this.code?.root),
      el('div', {class: 'extras'}, ...this.makeSliders(), ...this.makeEditButtons(),
        ...this.makeDoors()),
      hasRuns && this.rows.root, this.profile?.root, this.legend, this.driftNote,
      this.getAttribute('caption') && el('figcaption', {}, this.getAttribute('caption')),
      this.spoken);
    this.figure.addEventListener('keydown', (event) => this.pressed(event));
    this.shadowRoot.replaceChildren(styleElement(), this.figure);
  }

  makeControls(hasRuns) {
    const button = (name, label, action) => el('button', {type: 'button', class: `icon-button ${
      name}`, 'aria-label': label, title: label, onclick: action}, icon(name));
    this.playButton = button('play', 'Play', () => this.toggle());
    this.slider = el('input', {type: 'range', class: 'timeline', min: '0', max: '1000', value: '0',
      'aria-label': 'Position on the path',
      oninput: () => {
        this.pause();
        this.seek(this.slider.value / 1000 * this.longest);
      }});
    this.turnButton = el('button', {type: 'button', class: 'turn', onclick: () => this.flip(),
      title: 'Change the local direction'});
    this.playLink = el('a', {class: 'open-link', target: '_blank', rel: 'noopener',
      title: 'Open this scene in the playground (start `bug_nav play` first)',
      href: PLAYGROUND}, 'Open in the playground');
    const playback = [this.playButton,
      button('back', 'One step back', () => this.step(-1)),
      button('forward', 'One step forward', () => this.step(1)), this.slider, this.turnButton];
    return [...(hasRuns ? playback : [el('span', {class: 'spread'})]),
      button('reset', 'Reset the scene', () => this.reset()), this.playLink];
  }

  makeSliders() {
    this.sliderShows = new Map();
    return [...wordsOf(this.getAttribute('sliders'))].filter((name) => SLIDERS[name])
      .map((name) => {
        const {label, unit, min, max, step} = SLIDERS[name];
        const shown = el('output', {});
        const slider = el('input', {type: 'range', min: String(min), max: String(max),
          step: String(step), 'aria-label': `${label} [${unit}]`,
          oninput: () => this.changed(this.model.set({[name]: Number(slider.value)}), true)});
        const show = () => {
          const value = this.model.options[name];
          slider.value = value;
          shown.textContent = `${value.toFixed({rho: 2, noise: 3}[name] ?? 1)} ${unit}`;
        };
        this.sliderShows.set(name, show);
        show();
        return el('label', {class: 'slider'}, `${label} `, slider, shown);
      });
  }

  makeEditButtons() {
    if (!this.hasAttribute('edit')) return [];
    const button = (label, action) => el('button', {type: 'button', onclick: action}, label);
    const onCorner = (action) => () => {
      if (this.selection?.shape === undefined || !this.isInScene(this.selection)) {
        this.showNotice('Select a corner first.');
        return;
      }
      this.changed(action(this.selection), true);
    };
    this.undoButton = button('Undo', () => this.undo());
    return [button('New wall', () => this.changed(this.model.addWall(this.picture.bounds), true)),
      button('New corner', onCorner((corner) => this.model.addCorner(corner))),
      button('Remove', onCorner((corner) => this.model.remove(corner))), this.undoButton];
  }

  isInScene({shape, corner}) {
    return this.model.handles(new Set(['walls'])).some(
      (each) => each.shape === shape && each.corner === corner);
  }

  /** Return a button for each door. */
  makeDoors() {
    return this.model.scene.obstacles.flatMap((shape, number) => {
      if (!shape.door) return [];
      const button = el('button', {type: 'button', onclick: () => {
        this.changed(this.model.change((scene) => {
          scene.obstacles[number].open = !scene.obstacles[number].open;
        }), true);
        name();
      }});
      const name = () => {
        button.textContent = this.model.scene.obstacles[number]?.open ? 'Close the door'
          : 'Open the door';
      };
      name();
      return [button];
    });
  }

  // ---- state ----------------------------------------------------------------------------------

  get longest() {
    return Math.max(...this.model.result.runs.map(({run}) => run.length), 1e-6);
  }

  get chosenEntry() {
    const {runs} = this.model.result;
    return runs.find(({name}) => name === this.chosen) ?? runs[0];
  }

  /** Hide or show the runs, for predictions. */
  set covered(isCovered) {
    this.isCovered = isCovered;
    if (!this.picture) return;
    this.picture.options.isCovered = isCovered;
    this.update();
  }

  select(handle) {
    this.selection = handle;
  }

  choose(name) {
    this.chosen = name;
    this.picture.options.chosen = name;
    this.update();
  }

  flip() {
    const turn = this.model.options.turn === 'left' ? 'right' : 'left';
    this.changed(this.model.set({turn}), true);
  }

  reset() {
    this.pause();
    this.model.reset();
    this.changed('', true);
  }

  /** Return to the scene before the last change. */
  undo() {
    const before = this.history.pop();
    if (!before) return;
    this.model.restore(before);
    this.settled = this.model.scene;
    this.changed('', true);
  }

  /** Keep the scene before a change, for `undo`. */
  remember() {
    if (this.settled && this.settled !== this.model.scene) {
      this.history.push(this.settled);
      if (this.history.length > MAX_HISTORY) this.history.shift();
    }
    this.settled = this.model.scene;
    if (this.undoButton) this.undoButton.disabled = this.history.length === 0;
  }

  /** Remove a corner or undo by keyboard. */
  pressed(event) {
    if (!this.hasAttribute('edit')) return;
    const isUndo = (event.ctrlKey || event.metaKey) && event.key === 'z';
    const isRemoval = ['Delete', 'Backspace'].includes(event.key) && event.target.dataset?.key;
    if (!isUndo && !isRemoval) return;
    event.preventDefault();
    if (isUndo) this.undo();
    else if (this.selection?.shape !== undefined && this.isInScene(this.selection)) {
      this.changed(this.model.remove(this.selection), true);
    }
  }

  /** Show a changed model; a message says why a change was refused, null that there was none. */
  changed(message, isDone) {
    if (message !== null) {
      this.pause();
      if (message) this.showNotice(message);
      else this.notice.hidden = true;
      this.s = this.longest;
    }
    if (isDone) this.remember();
    this.update(isDone);
    if (isDone) this.announceChange();
  }

  showNotice(message) {
    this.notice.textContent = message;
    this.notice.hidden = false;
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => { this.notice.hidden = true; }, 4000);
  }

  announceChange() {
    this.dispatchEvent(new CustomEvent('bug-change', {bubbles: true, detail: {
      scene: this.model.scene, options: this.model.options, result: this.model.result}}));
  }

  /** Redraw everything. */
  update(isDone = true) {
    const {model, picture, rows} = this;
    picture.setResult(model);
    rows.setResult(model.result, this.chosen);
    rows.root.hidden = Boolean(this.isCovered);
    this.legend.replaceChildren(...legendParts(model, this.show, this.isCovered));
    for (const show of this.sliderShows?.values() ?? []) show();
    this.showProfile();
    this.driftNote.textContent = model.result.runs.length
      ? driftText(model.result, model.options.drift) : '';
    this.driftNote.hidden = !this.driftNote.textContent;
    if (this.turnButton) {
      this.turnButton.textContent = model.options.turn === 'left' ? '↰ left' : '↱ right';
      this.turnButton.setAttribute('aria-label', `Local direction: ${model.options.turn}`);
    }
    const handles = model.handles(this.kinds);
    if (isDone) {
      picture.drawHandles(handles, this.kinds.has('walls'), (node, handle) => (
        this.mover.listen(node, handle)));
      this.describe();
      this.updateLink();
    } else picture.moveHandles(handles);
    this.seek(this.s);
  }

  showProfile() {
    if (!this.profile) return;
    const {runs} = this.model.result;
    this.profile.root.toggleAttribute('hidden', Boolean(this.isCovered));
    this.profile.setRun(this.chosenEntry.run, this.model.scene.goal,
      this.figure.clientWidth || this.width,
      runs.length === 1 ? null : runs.indexOf(this.chosenEntry));
  }

  describe() {
    const {runs, shortest} = this.model.result;
    const sentences = this.isCovered ? ['The path is hidden until you check your prediction.']
      : runs.map((entry) => runSentence(entry, this.model));
    if (shortest) sentences.push(`Shortest path: ${lengthOf(shortest).toFixed(2)} metres.`);
    this.picture.root.setAttribute('aria-label', `${this.getAttribute('label')
      ?? 'Diagram with movable points'}. ${sentences.join(' ')}`);
    this.speak ??= debounced((text) => { this.spoken.textContent = text; }, SPOKEN_DELAY);
    this.speak(sentences.join(' '));
  }

  updateLink() {
    if (!this.playLink) return;
    const {scene, options} = this.model;
    const base = this.getAttribute('playground') ?? PLAYGROUND;
    this.linkWrite = debounced(async () => {
      this.playLink.href = await playgroundAddress(scene, options.algorithms, options.turn, base);
    }, 0);
    this.linkWrite();
  }

  resized() {
    const width = this.stage.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.picture.resize(width);
    if (this.s !== undefined) this.update();
  }

  // ---- playback -------------------------------------------------------------------------------

  /** Show the runs at a length of the path [m]; shorter paths are complete then. */
  seek(s) {
    this.s = clamp(s, 0, this.longest);
    const at = (run) => Math.min(this.s, run.length);
    this.picture.draw(at);
    this.rows.draw(at);
    const entry = this.chosenEntry;
    this.profile?.draw(at(entry.run));
    if (this.code && entry) {
      this.code.root.classList.toggle('covered', Boolean(this.isCovered));
      this.reason = this.code.show(entry.name, this.isCovered ? null : entry.run, at(entry.run));
    }
    if (this.slider) this.slider.value = String(Math.round(1000 * this.s / this.longest));
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.isCovered) return;
    if (this.s >= this.longest - 1e-6) this.seek(0);
    this.isPlaying = true;
    this.showPlaying();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.ticker = setInterval(() => this.nextMoment(), MOMENT_TIME);
      return;
    }
    const speed = this.longest / clamp(this.longest / SPEED, MIN_TIME, MAX_TIME);
    let before = performance.now();
    const frame = (now) => {
      if (!this.isPlaying) return;
      this.seek(this.s + speed * Math.min(now - before, 100) / 1000);
      before = now;
      if (this.s >= this.longest - 1e-6) this.pause();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  nextMoment() {
    this.step(1, true);
    if (this.s >= this.longest - 1e-6) this.pause();
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    clearInterval(this.ticker);
    this.showPlaying();
  }

  showPlaying() {
    if (!this.playButton) return;
    setIcon(this.playButton, this.isPlaying ? 'pause' : 'play');
    const label = this.isPlaying ? 'Pause' : 'Play';
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = label;
  }

  /** Go to the next or previous moment of the chosen run. */
  step(sense, isPlaying = false) {
    if (!isPlaying) this.pause();
    const {run} = this.chosenEntry;
    const places = [...new Set([0, ...run.moments.map((moment) => moment.s), run.length])];
    const next = sense > 0 ? places.find((s) => s > this.s + 1e-6)
      : places.findLast((s) => s < this.s - 1e-6);
    this.seek(next ?? (sense > 0 ? this.longest : 0));
    this.speak(this.reason || '');
  }
}
