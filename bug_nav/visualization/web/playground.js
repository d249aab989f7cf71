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

/** Playground: edit a world and watch the algorithms in it. */

import {AddressError, decodeState, encodeState, keepWhole, keptState} from './address.js';
import {Board, closeMenus, connectMenus, isTyping} from './board.js';
import {decodeRun} from './document.js';
import {debounced, byId, copyText, fillIcons, metres, words} from './dom.js';
import {Editor} from './editor.js';
import {fetchChecked, uploadWorldFiles, jsonPost, saveAs, upload} from './files.js';
import {Panel} from './panel.js';
import {editedSolids, freePlace, isEdited, NO_EDITS} from './shapes.js';
import {RunRequester, ReconnectingSocket} from './socket.js';
import {spoken} from './table.js';
import {pathsOf, solidsOf} from './view.js';

const INITIAL_STATE = {
  world: {name: 'demo', edits: NO_EDITS}, algorithms: ['bug2', 'tangent_bug']};
/** Time after which the previous path is dimmed [ms]. */
const STALE_DELAY = 120;
/** Time after which a run shows its progress and can be cancelled [ms]. */
const PROGRESS_DELAY = 800;
const TIME_ALLOWANCE = 3600;
const EMPTY = 'mine';

class Playground {
  constructor(options) {
    /** What the file of the world has and the world lacks. */
    this.worldNote = '';
    this.options = options;
    this.spec = {name: 'demo'};
    this.entries = new Map();
    this.growing = new Map();
    this.shownId = 0;
    this.isReady = false;
    this.turn = this.reads = this.reading = 0;
    this.scene = {paths: pathsOf([]), bounds: [0, 0, 1, 1], start: null, goal: null, rho: 0,
      radius: 0.1, tolerance: 0.1, mLine: true, growing: this.growing};
    this.board = new Board(this.scene, {
      grab: (...given) => this.editor.grab(...given),
      tapped: () => this.editor.select(null),
      prepared: (stage) => this.prepare(stage),
      modeChanged: (mode) => {
        this.showSettings(mode !== 'side');
        this.remember();
      },
    });
    this.editor = new Editor(this.scene, this.board, {
      changed: (isMoving, problem) => this.edited(isMoving, problem),
      limit: () => options.limits?.shapes ?? 500});
    this.panel = new Panel(options, (what) => this.chosen(what));
    const requestLater = debounced(() => this.ask(true), 60);
    this.requestDetail = () => {
      this.isDue = true;
      requestLater();
    };
    this.remember = debounced(() => this.writeAddress(), 300);
    this.connect();
    this.channel = new ReconnectingSocket('ws', {
      received: (message) => this.received(message), changed: (isOpen) => this.connected(isOpen)});
    this.requester = new RunRequester(this.channel);
  }

  prepare(stage) {
    stage.overlay = (...given) => this.editor?.draw(...given);
    stage.hover = (x, y, event) => this.editor.hover(stage, x, y, event);
    if (this.editor) stage.canvas.classList.toggle('drawing', this.editor.tool !== 'select');
  }

  connect() {
    this.fillWorlds();
    const on = (id, what) => byId(id).addEventListener('click', () => what());
    byId('world').addEventListener('change', (event) => this.chooseWorld(event.target.value));
    on('settings', () => this.showSettings(document.body.classList.contains('no-settings')));
    on('die', () => this.openRandomWorld());
    on('open', () => byId('file').click());
    byId('file').addEventListener('change', (event) => {
      this.openFiles([...event.target.files]);
      event.target.value = '';
    });
    on('copy-link', () => this.copyLink());
    on('copy-command', () => this.copy(
      this.board.focused?.run?.source.command, 'Command copied'));
    on('copy-access', () => this.copyLink(true));
    byId('copy-access').hidden = !this.options.token;
    for (const format of ['png', 'svg', 'gif']) {
      on(`save-${format}`, () => this.savePicture(format));
    }
    on('save-sdf', () => this.save('sdf'));
    on('save-txt', () => this.save('txt'));
    on('help', () => byId('help-dialog').showModal());
    on('cancel-runs', () => this.cancel());
    setInterval(() => this.showProgress(), 200);
    this.connectDrop();
    document.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('paste', (event) => this.pasted(event));
    document.addEventListener('pointerdown', () => this.endHint());
    window.addEventListener('hashchange', () => {
      if (location.hash !== this.written) this.readAddress();
    });
  }

  /** Show or hide the settings panel. */
  showSettings(isShown) {
    document.body.classList.toggle('no-settings', !isShown);
    byId('settings').setAttribute('aria-expanded', String(isShown));
  }

  // ---- worlds ---------------------------------------------------------------------------------

  fillWorlds() {
    const group = (label, items) => {
      const found = document.createElement('optgroup');
      found.label = label;
      found.append(...items.map(([value, text]) => new Option(text, value)));
      return found;
    };
    byId('world').replaceChildren(
      group('Shipped', this.options.worlds.map((name) => [name, name])),
      group('Random', this.options.random.map((name) => [name, name.replace(':', ' ')])),
      group('New', [[EMPTY, 'empty floor']]));
  }

  chooseWorld(name) {
    if (name.startsWith('random:')) this.openRandomWorld(name);
    else if (name !== 'file') this.open({name});
  }

  openRandomWorld(kind) {
    const here = this.spec.name?.startsWith('random:') ? this.spec.name.split('?')[0] : null;
    const name = kind ?? here ?? this.options.random[0];
    this.open({name: `${name}?seed=${1 + Math.floor(Math.random() * 9999)}`});
  }

  /** Return the world for the server, without edits. */
  static plain({name, file}) {
    if (file) return {file};
    return name === EMPTY ? {name: EMPTY, solids: []} : {name};
  }

  async open(spec, state = {}) {
    const turn = ++this.turn;
    try {
      const found = await Playground.found(spec);
      // Show only the last one of several quick changes.
      if (turn === this.turn) this.use({...spec, file: found.file}, found.world, state);
      return true;
    } catch (error) {
      this.showWorld();
      this.showNotice(error.message);
      return false;
    }
  }

  /** Return {file, world}; upload the world if the server does not have it. */
  static async found(spec) {
    try {
      const response = await fetchChecked('api/world', jsonPost(Playground.plain(spec)));
      return {file: spec.file, world: await response.json()};
    } catch (error) {
      if (!spec.text) throw error;
      return upload('linked.world', spec.text);
    }
  }

  /** Show a world, or another start, goal and edits in the same one, and run the algorithms. */
  use(spec, world, {start, goal, edits = NO_EDITS}) {
    const isSame = this.spec.name === spec.name && this.spec.file === spec.file
      && this.editor.state.goal;
    this.spec = spec;
    const base = solidsOf(world);
    const solids = editedSolids(base, edits);
    const [x0, y0, x1, y1] = world.bounds;
    this.scene.bounds = boundsWith(solids, x1 - x0 > 0.5 && y1 - y0 > 0.5 ? world.bounds
      : [-1, -2.5, 6, 2.5]);
    const [bx0, by0, bx1, by1] = this.scene.bounds;
    const free = (share) => freePlace(solids, this.scene.bounds,
      [bx0 + share * (bx1 - bx0), by0 + share * (by1 - by0)]);
    if (!isSame) this.clearRuns();
    this.editor.setWorld(base, {start: start ?? world.start ?? [...free(0.15), 0],
      goal: goal ?? world.goal ?? free(0.85), edits});
    this.showWorld();
    byId('waiting').hidden = true;
    this.worldNote = (world.notes ?? []).join('; ');
    this.showNotice('');
    if (!isSame) this.board.fit();
    this.ask(true);
    this.remember();
    if (spec.file && !spec.text) this.loadWorldText(spec);
  }

  /** Load the SDF text of an opened world, so that links can contain it. */
  async loadWorldText(spec) {
    try {
      const response = await fetchChecked(
        'api/save?format=sdf', jsonPost({world: {file: spec.file}}));
      spec.text = await response.text();
    } catch (error) {
      spec.problem = error.message;
    }
    if (spec === this.spec) this.remember();
  }

  showWorld() {
    const select = byId('world');
    const {name, file} = this.spec;
    select.querySelector('option[value="file"]')?.remove();
    for (const option of select.options) {
      if (option.value.startsWith('random:')) option.text = option.value.replace(':', ' ');
    }
    if (file) select.lastElementChild.append(new Option(this.spec.title ?? 'a file', 'file'));
    select.value = file ? 'file' : name.split('?')[0];
    const seed = name?.match(/[?&]seed=(\d+)/);
    if (seed && select.selectedOptions[0]) select.selectedOptions[0].text += ` · ${seed[1]}`;
  }

  async openFiles(files) {
    if (!files.length) return;
    try {
      const opened = await uploadWorldFiles(files, this.options.limits?.upload ?? Infinity);
      if (!opened) return;
      this.use({file: opened.file, title: opened.name}, opened.world, {});
    } catch (error) {
      this.showNotice(`${files[0].name}: ${error.message}`);
    }
  }

  connectDrop() {
    const drop = byId('drop');
    const holdsFiles = (event) => event.dataTransfer?.types.includes('Files');
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      if (holdsFiles(event)) drop.hidden = false;
    });
    document.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) drop.hidden = true;
    });
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.hidden = true;
      this.openFiles([...event.dataTransfer.files]);
    });
  }

  // ---- runs -----------------------------------------------------------------------------------

  get world() {
    const {edits} = this.editor.state;
    const spec = Playground.plain(this.spec);
    return isEdited(edits) ? {...spec, edits} : spec;
  }

  get case() {
    const {robot, turn, seed, set} = this.panel.values;
    const {start, goal} = this.editor.state;
    const of = (key) => key.split('.')[0];
    const own = Object.entries(set).filter(
      ([key]) => !key.includes('.') || this.panel.values.algorithms.has(of(key)));
    return {world: this.world, start, goal, robot, turn, seed, time_allowance: TIME_ALLOWANCE,
      set: Object.fromEntries(own)};
  }

  ask(detail) {
    const algorithms = [...this.panel.values.algorithms.keys()];
    this.isDue = false;
    if (!this.editor.state.start || !algorithms.length) return;
    this.isReady = false;
    this.requester.ask({detail, case: this.case, algorithms});
  }

  edited(isMoving, problem) {
    if (problem) this.showNotice(problem);
    else if (isMoving && !this.isOfRuns) this.showNotice('');
    if (isMoving && !this.channel.isOpen) this.markStale();
    if (isMoving) {
      this.ask(false);
      this.endHint();
    } else {
      this.requestDetail();
      this.remember();
    }
  }

  /** Mark the current runs as stale, because no newer ones are being computed. */
  markStale() {
    const fresh = [...this.entries.values()].filter((entry) => entry.run && !entry.stale);
    for (const entry of fresh) entry.stale = true;
    if (fresh.length) this.board.setEntries(this.board.entries);
  }

  chosen(what) {
    if (what === 'algorithms') this.arrange();
    this.requestDetail();
    this.remember();
  }

  /** Remove all runs, which belong to another world. */
  clearRuns() {
    this.entries.clear();
    this.growing.clear();
    this.shownId = this.requester.id;
    this.arrange();
  }

  /** Create an entry for each selected algorithm. */
  arrange() {
    const {algorithms} = this.panel.values;
    for (const name of [...this.entries.keys()]) {
      if (!algorithms.has(name)) {
        this.entries.delete(name);
        this.growing.delete(name);
      }
    }
    for (const [name, colour] of algorithms) {
      const title = this.options.algorithms.find((each) => each.name === name).title;
      const entry = this.entries.get(name) ?? {name, title, run: null, message: ''};
      this.entries.set(name, {...entry, colour});
    }
    const order = [...algorithms.keys()].map((name) => this.entries.get(name));
    this.board.setEntries(order);
    document.body.classList.toggle('nothing', !order.length);
    if (!order.length) this.hint('Select an algorithm on the left.');
  }

  received(message) {
    if (message.id < this.shownId) return;
    const handlers = {
      path: this.extendPath, run: this.show, error: this.showError, ready: this.end};
    handlers[message.type]?.call(this, message);
  }

  /** Extend the path of a running episode. */
  extendPath({id, algorithm, from, xy, time, length: driven, state}) {
    const entry = this.entries.get(algorithm);
    if (!entry) return;
    entry.progress = {id, time, length: driven, state};
    let path = this.growing.get(algorithm);
    if (!path || path.id !== id) {
      // Keep the previous path, faintly, until the new one is complete.
      const before = path && {...path, before: null};
      path = {id, algorithm, colour: entry.colour, length: 0, before,
        xy: path?.before?.xy ?? new Float32Array(1024)};
      this.growing.set(algorithm, path);
    }
    const length = 2 * from + xy.length;
    if (length > path.xy.length) {
      const more = new Float32Array(2 * length);
      more.set(path.xy);
      path.xy = more;
    }
    for (let k = 0; k < xy.length; k++) path.xy[2 * from + k] = xy[k] / 1000;
    path.length = length;
    const isLate = performance.now() - this.requester.sentAt > STALE_DELAY || id > entry.runId + 1;
    if (!entry.stale && isLate) {
      entry.stale = entry.isBusy = true;
      this.board.setEntries(this.board.entries);
    } else {
      this.board.refresh();
    }
  }

  show({id, algorithm, run}) {
    const entry = this.entries.get(algorithm);
    if (!entry) return;
    this.shownId = id;
    this.growing.delete(algorithm);
    Object.assign(entry, {run: decodeRun(run), runId: id, message: '', stale: false,
      isBusy: false, progress: null});
    Object.assign(this.scene, {rho: run.rho, radius: run.radius, tolerance: run.tolerance});
    if (this.isOfRuns) this.showNotice('');
    this.board.setEntries(this.board.entries);
  }

  showError({algorithm, message}) {
    const entry = this.entries.get(algorithm);
    if (!entry) {
      this.showNotice(message, true);
      this.growing.clear();
      this.markStale();
    } else {
      this.growing.delete(algorithm);
      Object.assign(entry, {run: null, message, stale: false, isBusy: false});
      if ([...this.entries.values()].every((each) => each.message === message)) {
        this.showNotice(message, true);
      }
    }
    this.board.setEntries(this.board.entries);
  }

  /** Show the progress of long runs. */
  showProgress() {
    const {requester} = this;
    const isLong = !requester.isAnswered && performance.now() - requester.sentAt > PROGRESS_DELAY;
    const place = byId('progress');
    if (isLong) {
      const lines = [...this.entries.values()].filter(
        ({progress}) => progress?.id === requester.id)
        .map(({title, progress: {time, length, state}}) => `${title}: ${Math.round(time)} s, ${
          metres(length)}, ${words(state.split('/').join(', '))}`);
      byId('progress-text').textContent = lines.join('\n') || 'Waiting for the server …';
      if (place.hidden) byId('announce').textContent = 'Running. Press Escape to cancel.';
    }
    place.hidden = !isLong;
  }

  /** Cancel the runs and show their progress; return whether there were any. */
  cancel() {
    if (!this.requester.cancel()) return false;
    this.shownId = this.requester.id + 1;
    for (const entry of this.entries.values()) {
      if (entry.runId === this.requester.id) continue;
      const {id, time, length} = entry.progress ?? {};
      const message = id === this.requester.id
        ? `Cancelled after ${Math.round(time)} s and ${metres(length)}.` : 'Cancelled.';
      Object.assign(entry, {run: null, message, stale: false, isBusy: false, progress: null});
    }
    byId('announce').textContent = 'Cancelled.';
    this.showProgress();
    this.board.setEntries(this.board.entries);
    this.isReady = true;
    return true;
  }

  end({id}) {
    this.requester.answered(id);
    if (!this.requester.isAnswered || !this.requester.last.detail) return;
    byId('announce').textContent = [...this.entries.values()].filter((entry) => entry.run)
      .map((entry) => spoken(entry.run)).join(' ');
    this.isReady = true;
  }

  connected(isOpen) {
    const place = byId('connection');
    if (isOpen) {
      place.textContent = '';
      this.requester?.resume();
    } else {
      place.textContent = 'Connection lost. Reconnecting …';
    }
  }

  // ---- notices --------------------------------------------------------------------------------

  /**
   * Show a problem; '' shows what the world lacks of its file instead, or nothing.
   *
   * A successful run hides problems of runs.
   */
  showNotice(text, isOfRuns = false) {
    const place = byId('notice');
    this.isOfRuns = isOfRuns;
    place.textContent = text || this.worldNote;
    place.hidden = !place.textContent;
  }

  hint(text, milliseconds = 0) {
    const place = byId('hint');
    place.textContent = text;
    place.hidden = !text;
    // Keep the goal and its label visible.
    const [{camera}] = this.board.stages;
    const {goal} = this.scene;
    place.classList.toggle('low', Boolean(goal) && camera.screenY(goal[1]) < camera.height / 2);
    clearTimeout(this.hintTimer);
    if (milliseconds) this.hintTimer = setTimeout(() => this.endHint(), milliseconds);
  }

  endHint() {
    byId('hint').hidden = true;
  }

  // ---- sharing --------------------------------------------------------------------------------

  get shared() {
    const {robot, turn, seed, set, algorithms} = this.panel.values;
    const {start, goal, edits} = this.editor.state;
    const {name, file, title, text} = this.spec;
    return {world: {name, file, title, text, edits}, start, goal, robot, turn, seed, set,
      algorithms: [...algorithms.keys()], view: this.board.mode};
  }

  /** Return the key of a history entry: world, edits, start and goal. */
  get place() {
    const {start, goal, edits} = this.editor.state;
    return JSON.stringify([this.spec.name, this.spec.file, start, goal, edits]);
  }

  /** Write the state to the address; add a history entry if the place changed. */
  async writeAddress() {
    // While an address is read, the page still shows the previous one; reading ends with a write.
    if (this.reading) return;
    const {place, reads} = this;
    const encoded = await encodeState(this.shared);
    const {fragment, carriesWorld, isTooLong} = encoded;
    // Another address has been read meanwhile, or is about to be: the browser changes the address
    // before it sends the event.
    if (reads !== this.reads || location.hash !== this.written) return;
    keepWhole(encoded);
    Object.assign(this, {carriesWorld, isTooLong});
    const isStep = this.written && this.writtenPlace && this.writtenPlace !== place;
    this.writtenPlace = place;
    if (this.written === `#${fragment}`) return;
    this.written = `#${fragment}`;
    if (isStep) history.pushState(null, '', this.written);
    else history.replaceState(null, '', this.written);
  }

  /** Read the address and show its state. */
  async readAddress() {
    this.reads++;
    this.reading++;
    try {
      await this.showAddress();
    } finally {
      this.reading--;
      this.remember();
    }
  }

  /** Show the state of the address, or the initial one if there is no valid state. */
  async showAddress() {
    const first = {...INITIAL_STATE,
      world: {...(this.options.first ?? INITIAL_STATE.world), edits: NO_EDITS}};
    let [state, problem] = [first, ''];
    try {
      if (location.hash.length > 1) {
        state = await keptState(location.hash) ?? await decodeState(location.hash);
      }
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      problem = error.message;
    }
    // The next write replaces this history entry.
    this.written = location.hash;
    this.writtenPlace = null;
    const {robots, turns} = this.options;
    const has = (list, value) => list.some((each) => (each.name ?? each) === value);
    this.panel.setValues({algorithms: state.algorithms, seed: state.seed ?? 1,
      set: state.set ?? {},
      robot: has(robots, state.robot) ? state.robot : robots[0].name,
      turn: has(turns, state.turn) ? state.turn : turns[0]});
    this.arrange();
    if (this.board.mode !== (state.view ?? 'top')) this.board.setMode(state.view ?? 'top');
    const {edits, ...spec} = state.world;
    const isOpen = await this.open(spec, {start: state.start, goal: state.goal, edits});
    if (!isOpen && state !== first) {
      problem = byId('notice').textContent;
      await this.open({name: 'demo'});
    }
    if (problem) this.showNotice(problem);
    if (state === first && !problem) this.hint('Drag the green star to move the goal.');
  }

  /** Copy a link, on request with the token of this server. */
  async copyLink(withToken = false) {
    await this.writeAddress();
    const query = withToken ? `?token=${encodeURIComponent(this.options.token)}` : '';
    const {file, problem} = this.spec;
    const what = this.isTooLong ? 'Link copied, but without your changes of the world, which are '
        + 'too large for a link. Save the world, and send its file as well.'
      : withToken ? 'Link copied. Anyone with it can use this server.'
      : !file || this.carriesWorld ? 'Link copied. Paste it into any playground to open it.'
        : `Link copied. It works only on this server, while it is running: ${
          problem ?? 'the world is too large for a link; send its file as well.'}`;
    this.copy(`${location.origin}${location.pathname}${query}${this.written}`, what);
  }

  /** Open a pasted playground link. */
  pasted(event) {
    const found = (event.clipboardData?.getData('text') ?? '').match(/#(1[\w-]+)\s*$/);
    if (!found || isTyping(event)) return;
    event.preventDefault();
    location.hash = found[1];
  }

  /** Save a picture of the runs, drawn by the server. */
  async savePicture(format) {
    closeMenus();
    const algorithms = [...this.panel.values.algorithms.keys()];
    const title = this.spec.file ? this.spec.title ?? 'a file' : '';
    const name = (title || this.spec.name.split('?')[0]).replace(/\W+/g, '_');
    this.hint(`Drawing the ${format.toUpperCase()} …`);
    document.body.classList.add('saving');
    try {
      const response = await fetchChecked(`api/picture?format=${format}`, jsonPost(
        {case: this.case, algorithms, side: this.board.mode === 'side', title}));
      await saveAs(response, `${[name, ...algorithms].join('_').slice(0, 80)}.${format}`);
      this.hint(`${format.toUpperCase()} saved`, 4000);
    } catch (error) {
      this.endHint();
      this.showNotice(error.message);
    }
    document.body.classList.remove('saving');
  }

  async copy(text, what) {
    closeMenus();
    if (!text) {
      this.hint('No run to copy yet.', 3000);
      return;
    }
    if (await copyText(text)) this.hint(what, 6000);
    else this.hint(text, 15000);
  }

  async save(format) {
    try {
      const {start, goal} = this.editor.state;
      const response = await fetchChecked(`api/save?format=${format}`,
        jsonPost({world: this.world, start, goal}));
      const disposition = response.headers.get('content-disposition') ?? '';
      await saveAs(response,
        disposition.match(/filename="([\w.-]+)"/)?.[1] ?? `playground.${format}`);
    } catch (error) {
      this.showNotice(error.message);
    }
  }

  // ---- keys -----------------------------------------------------------------------------------

  key(event) {
    if (isTyping(event) || document.querySelector('dialog[open]')) return;
    const isOnMap = event.target.classList?.contains('map');
    const isSlider = event.target.type === 'range' && /^(Arrow|Home|End)/.test(event.key);
    if (isSlider) return;
    if (this.editor.key(event, isOnMap) || this.board.player.key(event) || this.pageKey(event)) {
      event.preventDefault();
    }
  }

  pageKey(event) {
    const keys = {
      '?': () => byId('help-dialog').showModal(), '+': () => this.board.zoom(1.25),
      '-': () => this.board.zoom(0.8), '0': () => this.board.fit()};
    if (event.key === 'Escape' && this.cancel()) return true;
    if (event.key === 'Escape' && this.board.isPresenting) this.board.setPresenting(false);
    else if (keys[event.key] && !event.ctrlKey && !event.metaKey) keys[event.key]();
    else return false;
    return true;
  }
}

/** Return bounds that also contain the solids, which edits may have put outside a world. */
function boundsWith(solids, [x0, y0, x1, y1]) {
  const bounds = [x0, y0, x1, y1];
  for (const {polygon} of solids) {
    polygon.forEach((value, k) => {
      bounds[k % 2] = Math.min(bounds[k % 2], value);
      bounds[2 + k % 2] = Math.max(bounds[2 + k % 2], value);
    });
  }
  return bounds;
}

/** Expose the test interface. */
function expose(page) {
  const runs = () => Object.fromEntries([...page.entries].map(([name, entry]) => [name, {
    outcome: entry.run?.outcome ?? null, message: entry.message, stale: Boolean(entry.stale),
    isBusy: Boolean(entry.isBusy),
    hasDetail: Boolean(entry.run?.source.detail), path_length: entry.run?.report.path_length}]));
  window.bugNav = Object.freeze({
    state: () => ({...structuredClone(page.shared), runs: runs(), selected: page.editor.selected,
      tool: page.editor.tool, tick: page.board.player.tick, last: page.board.player.last,
      isPlaying: page.board.player.isPlaying, focus: page.board.focus,
      isConnected: page.channel.isOpen}),
    isIdle: () => page.isReady && !page.isDue && page.requester.isAnswered
      && !page.requester.waiting,
    framesPerSecond: () => page.board.player.frames.perSecond,
    toScreen: (x, y) => {
      const [{camera, canvas}] = page.board.stages;
      const box = canvas.getBoundingClientRect();
      return [box.left + camera.screenX(x), box.top + camera.screenY(y)];
    },
  });
}

/** Remove the token from the visible address and return it. */
function takeToken() {
  const token = new URLSearchParams(location.search).get('token');
  if (token) history.replaceState(null, '', `${location.pathname}${location.hash}`);
  return token;
}

async function begin() {
  fillIcons(document);
  connectMenus();
  try {
    const options = await (await fetchChecked('api/options')).json();
    options.token = takeToken();
    const page = new Playground(options);
    expose(page);
    await page.readAddress();
    document.body.classList.remove('loading');
  } catch (error) {
    byId('waiting').hidden = false;
    byId('waiting').replaceChildren(Object.assign(document.createElement('p'),
      {textContent: error.message}));
  }
}

begin();
