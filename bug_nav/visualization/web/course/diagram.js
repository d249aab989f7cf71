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

import {clamp, debounced, el} from '../dom.js';
import {ALGORITHMS, SIGHT} from './algorithms.js';
import {checkAttributes, wordsOf} from './attributes.js';
import {lengthOf} from './bounds.js';
import {DoorButtons, OptionSliders, PlayBar} from './controls.js';
import {SceneEditor} from './editor.js';
import {Mover} from './handles.js';
import {PLAYGROUND, playgroundAddress, sceneFromAddress} from './link.js';
import {Model} from './model.js';
import {CodePanel, differencesOf, driftText, legendParts, RunRows, runSentence} from './panel.js';
import {Picture} from './picture.js';
import {Profile} from './profile.js';
import {randomScene} from './randoms.js';
import {boundsOf, kindOf, SceneError, sceneFrom} from './scenes.js';
import {LANGUAGE, tr} from './strings.js';
import {styleElement, ThemedElement} from './themed.js';
import {GeometryError} from './union.js';

/** Shortest and longest duration of a playback [s], and speed between them [m/s]. */
const MIN_TIME = 3;
const MAX_TIME = 18;
const SPEED = 1.6;
/** Time for a moment if motion is reduced [ms]. */
const MOMENT_TIME = 1500;
const SPOKEN_DELAY = 500;
/** Share of an upright window that the picture of a large diagram fills. */
const LARGE_SHARE = 0.5;
/** Letters of a large diagram, the largest ones first [% of the height of the window]. */
const LETTERS = [3, 2.8, 2.6, 2.5, 2.4, 2.3, 2.2, 2.1, 2, 1.9, 1.8, 1.7, 1.6];
/** Width of a picture that is not laid out yet [px]. */
const USUAL_WIDTH = 800;
const ATTRIBUTES = [
  'algorithm', 'compare', 'scene', 'link', 'turn', 'drag', 'edit', 'code', 'show', 'rho', 'range',
  'noise', 'drift', 'seed', 'sliders', 'at', 'covered', 'height', 'caption', 'label', 'controls',
  'theme'];

/** Return a scene by its name, as JSON, or a random one by its seed. */
function namedScene(text) {
  const seed = /^random:(\d{1,9})$/.exec(text.trim())?.[1];
  return seed === undefined ? sceneFrom(text) : randomScene(Number(seed));
}

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
    window.addEventListener('resize', () => this.stage && this.resized(),
      {signal: this.pageEvents.signal});
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.seen.disconnect();
    this.sizes?.disconnect();
    this.pause();
    this.built = null;
  }

  attributeChangedCallback() {
    if (this.built) this.rebuild();
  }

  /** Build everything again, with the attributes and the scene of now. */
  rebuild() {
    if (this.isStale) return;
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
      checkAttributes(this);
      const link = this.getAttribute('link');
      this.assemble(link ? await sceneFromAddress(link) : {scene: this.givenScene
        ?? namedScene(this.getAttribute('scene') ?? 'box')});
    } catch (error) {
      if (![SceneError, RangeError, GeometryError].some((kind) => error instanceof kind)) {
        throw error;
      }
      this.style.minHeight = '';
      this.shadowRoot.replaceChildren(styleElement(), el('p', {class: 'problem', role: 'alert'},
        tr('This diagram cannot be shown: {0}', error.message)));
    }
  }

  assemble({scene, algorithms, turn}) {
    const names = algorithms ?? [...wordsOf(this.getAttribute('algorithm') ?? 'bug2'),
      ...wordsOf(this.getAttribute('compare'))];
    const unknown = names.find((name) => name !== 'none' && !Object.hasOwn(ALGORITHMS, name));
    if (unknown) {
      // From a link: the playground has algorithms that the course has not.
      throw new SceneError(tr("unknown algorithm '{0}'; available: {1}", unknown,
        [...Object.keys(ALGORITHMS), 'none'].join(', ')));
    }
    this.readOptions();
    if (this.canReveal) this.isCovered = this.isAheadHidden = true;
    this.model = new Model(scene, {algorithms: names.filter((name) => name !== 'none'),
      turn: turn ?? this.getAttribute('turn') ?? 'left', rho: this.numberOf('rho', 0),
      range: this.numberOf('range', SIGHT), drift: this.numberOf('drift', 0),
      noise: this.numberOf('noise', 0),
      seed: this.numberOf('seed', 1), wantsShortest: this.show.has('shortest')});
    if (this.originalScene) this.model.original = this.originalScene;
    this.chosen = this.model.options.algorithms[0];
    this.picture = new Picture(boundsOf(scene), {show: this.show, isCovered: this.isCovered,
      height: this.pictureHeight, chosen: this.chosen, hidden: new Set()});
    this.mover = new Mover(this.picture, this.model, {
      changed: (message, isDone) => this.changed(message, isDone),
      selected: (handle) => this.select(handle)});
    this.compose();
    this.sizes?.disconnect();
    this.sizes = new ResizeObserver(() => this.resized());
    this.sizes.observe(this.stage);
    this.width = 0;
    this.resized();
    this.s = this.longest * this.restsAt;
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

  /** A slide and an examination have no room for it. */
  get wantsDifferences() {
    return this.bar && !this.isLarge;
  }

  /** Whether a large diagram is shown beside its text; only a wide window has room for that. */
  get isWide() {
    return this.isLarge && Boolean(this.stage?.clientWidth)
      && getComputedStyle(this.figure).display === 'grid';
  }

  get isLarge() {
    return this.hasAttribute('large');
  }

  /** Maximum height of the picture [px]; a large one fills its window. */
  get pictureHeight() {
    if (!this.isLarge) return this.numberOf('height', 320);
    return this.isWide ? this.stage.clientHeight : Math.round(window.innerHeight * LARGE_SHARE);
  }

  /** Share of the path at which a diagram rests that is not being played. */
  get restsAt() {
    const at = this.getAttribute('at') ?? 'end';
    return {start: 0, end: 1}[at] ?? clamp(Number(at) || 0, 0, 1);
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
    this.rows = new RunRows(this.show, (name) => this.choose(name), this.picture.options.hidden,
      (name) => this.toggleRun(name));
    this.profile = hasRuns && this.show.has('profile') ? new Profile() : null;
    this.legend = el('p', {class: 'legend'});
    this.driftNote = el('p', {class: 'note drift-note'});
    this.bar = this.getAttribute('controls') === 'none' ? null : new PlayBar(this, hasRuns);
    this.sliders = new OptionSliders([...wordsOf(this.getAttribute('sliders'))],
      (option) => this.changed(this.model.set(option), true));
    this.doors = new DoorButtons(this.model.scene, (number) => this.toggleDoor(number));
    this.editor = new SceneEditor(this.model, this.picture.bounds, {
      changed: (message) => this.changed(message, true),
      notice: (message) => this.showNotice(message),
      select: (handle) => this.picture.focusOn(handle),
      inside: (place) => this.mover.inside(place)});
    const main = el('div', {class: 'main'}, this.stage,
      el('div', {class: 'controls'}, ...(this.bar?.parts ?? [])));
    const extras = el('div', {class: 'extras'},
      ...[...this.sliders.parts, ...this.doors.parts].map(({root}) => root),
      ...(this.hasAttribute('edit') ? this.editor.parts : []));
    const rows = hasRuns ? this.rows.root : '';
    const [profile, code] = [this.profile, this.code].map((part) => part?.root ?? '');
    // A large picture has its text beside it, not below.
    this.side = this.isLarge ? el('div', {class: 'side'}, code, rows, this.driftNote) : null;
    main.append(...(this.side ? [extras, profile, this.legend] : [code]));
    this.figure = el('figure', {class: this.code ? 'diagram with-code' : 'diagram',
      lang: LANGUAGE}, main, ...(this.side ? [this.side]
      : [extras, rows, profile, this.legend, this.driftNote]),
      this.getAttribute('caption') && el('figcaption', {lang: this.closest('[lang]')?.lang ?? ''},
        this.getAttribute('caption')),
      this.wantsDifferences && differencesOf(this.model.options.algorithms), this.spoken);
    if (this.hasAttribute('edit')) {
      this.figure.addEventListener('keydown', (event) => this.editor.pressed(event));
    }
    this.shadowRoot.replaceChildren(styleElement(), this.figure);
  }

  // ---- state ----------------------------------------------------------------------------------

  get longest() {
    return Math.max(...this.model.result.runs.map(({run}) => run.length), 1e-6);
  }

  get chosenEntry() {
    const {runs} = this.model.result;
    return runs.find(({name}) => name === this.chosen) ?? runs[0];
  }

  /** Whether Play, and not an exercise, shows hidden runs. */
  get canReveal() {
    return this.hasAttribute('covered');
  }

  /** Hide or show the runs, for predictions. */
  set covered(isCovered) {
    this.isCovered = isCovered;
    if (!this.picture) return;
    this.picture.options.isCovered = isCovered;
    this.update();
  }

  /** Hide or show the path of an algorithm. */
  toggleRun(name) {
    const {hidden} = this.picture.options;
    if (!hidden.delete(name)) hidden.add(name);
    this.update();
  }

  choose(name) {
    this.chosen = name;
    this.picture.options.chosen = name;
    this.update();
  }

  /** Make a corner the one that the buttons change. */
  select(handle) {
    this.editor.selection = handle;
    if (this.hasAttribute('edit')) this.picture.select(handle);
  }

  toggleDoor(number) {
    this.changed(this.model.change((scene) => {
      scene.obstacles[number].open = !scene.obstacles[number].open;
    }), true);
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

  /** Show a changed model; a message says why a change was refused, null that there was none. */
  changed(message, isDone) {
    if (message !== null) {
      // A diagram that shows a moment of the run, such as a graph, keeps it.
      const share = this.restsAt || 1;
      this.pause();
      if (message) this.showNotice(message);
      else this.notice.hidden = true;
      this.s = this.longest * share;
    }
    if (isDone) this.editor.remember();
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
    this.sliders.show(model.options);
    this.doors.show(model.scene);
    this.bar?.showTurn(model.options.turn, model.options.algorithms.every(
      (name) => ALGORITHMS[name].choosesTurn));
    this.bar?.showCovered(Boolean(this.isCovered), this.canReveal);
    this.showProfile();
    this.driftNote.textContent = model.result.runs.length
      ? driftText(model.result, model.options.drift) : '';
    this.driftNote.hidden = !this.driftNote.textContent || Boolean(this.isCovered);
    const handles = model.handles(this.kinds);
    if (isDone) {
      picture.drawHandles(handles, this.kinds.has('walls'), (node, handle) => (
        this.mover.listen(node, handle)));
      this.describe();
      this.updateLink();
    } else picture.moveHandles(handles);
    this.seek(this.s);
    if (isDone) this.fitLetters();
  }

  showProfile() {
    if (!this.profile) return;
    const {runs} = this.model.result;
    this.profile.root.toggleAttribute('hidden', Boolean(this.isCovered));
    this.profile.setRun(this.chosenEntry.run, this.model.scene.goal,
      (this.isLarge ? this.stage : this.figure).clientWidth || this.width,
      runs.length === 1 ? null : runs.indexOf(this.chosenEntry));
  }

  describe() {
    const {runs, shortest} = this.model.result;
    const hidden = this.canReveal ? tr('The path is hidden until you press Play.')
      : tr('The path is hidden until you check your prediction.');
    const sentences = this.isCovered ? [hidden] : runs.map((entry) => (
      runSentence(entry, this.model)));
    if (shortest) sentences.push(tr('Shortest path: {0} metres.', lengthOf(shortest).toFixed(2)));
    this.picture.root.setAttribute('aria-label', `${this.getAttribute('label')
      ?? tr('Diagram with movable points')}. ${sentences.join(' ')}`);
    this.speak ??= debounced((text) => { this.spoken.textContent = text; }, SPOKEN_DELAY);
    this.speak(sentences.join(' '));
  }

  updateLink() {
    if (!this.bar) return;
    const {scene, options} = this.model;
    // In the playground, a person would be a wall, and a door could not be opened.
    // The path of a prediction is shown nowhere.
    this.bar.link.hidden = (this.isCovered && !this.canReveal) || scene.obstacles.some(
      (shape) => ['person', 'door'].includes(kindOf(shape)));
    const base = this.getAttribute('playground') ?? PLAYGROUND;
    this.linkWrite = debounced(async () => {
      this.bar.link.href = await playgroundAddress(scene, options.algorithms, options.turn, base);
    }, 0);
    this.linkWrite();
  }

  resized() {
    // A slide that is not shown has no width, but may be printed.
    const width = this.stage.clientWidth || this.width || USUAL_WIDTH;
    const height = this.pictureHeight;
    if (width === this.width && height === this.picture.options.height) return;
    this.width = width;
    this.picture.options.height = height;
    this.picture.resize(width);
    if (this.s !== undefined) this.update();
  }

  /** Choose the largest letters with which the text beside a large picture needs no scrolling. */
  fitLetters() {
    if (!this.isWide) return;
    const {name, run} = this.chosenEntry ?? {};
    const longest = run?.moments.reduce((a, b) => (a.reason.length < b.reason.length ? b
      : a), run.moments[0]);
    // A row is widest just before its end.
    this.rows.draw((each) => 0.9999 * each.length);
    const fits = (s) => {
      this.code?.show(name, run, s);
      return this.side.scrollHeight <= this.side.clientHeight;
    };
    for (const size of LETTERS) {
      this.style.setProperty('--letters', `${size}vh`);
      // The end is shown in bold.
      if ([longest?.s, run?.length].every(fits)) break;
    }
    this.seek(this.s);
  }

  // ---- playback -------------------------------------------------------------------------------

  /** Show the runs at a length of the path [m]; shorter paths are complete then. */
  seek(s) {
    this.s = clamp(s, 0, this.longest);
    if (!this.isCovered && this.s >= this.longest - 1e-6) this.isAheadHidden = false;
    this.picture.root.classList.toggle('ahead-hidden', Boolean(this.isAheadHidden));
    const at = (run) => Math.min(this.s, run.length);
    this.picture.draw(at);
    this.rows.draw(at);
    const entry = this.chosenEntry;
    this.profile?.draw(at(entry.run), this.isAheadHidden);
    if (this.code && entry) {
      this.code.root.classList.toggle('covered', Boolean(this.isCovered));
      this.reason = this.code.show(entry.name, this.isCovered ? null : entry.run, at(entry.run));
    }
    this.bar?.showPosition(this.isCovered ? 0 : this.s / this.longest);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.isCovered) {
      if (!this.canReveal) return;
      this.s = 0;
      this.covered = false;
    }
    if (this.s >= this.longest - 1e-6) this.seek(0);
    this.isPlaying = true;
    this.bar?.showPlaying(this.isPlaying);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.ticker = setInterval(() => this.nextMoment(), MOMENT_TIME);
      return;
    }
    const speed = this.numberOf('speed', 1)
      * this.longest / clamp(this.longest / SPEED, MIN_TIME, MAX_TIME);
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
    this.bar?.showPlaying(this.isPlaying);
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
