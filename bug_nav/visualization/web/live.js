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

/** Live view of a running navigator: scan, path and state; sends goals and cancels them. */

import {byId, el, fillIcons, metres, words} from './dom.js';
import {PHASES, phaseOf, ThemeSwitch} from './palette.js';
import {ReconnectingSocket} from './socket.js';
import {navigate, pathsOf, Stage} from './view.js';

/** Age from which data counts as stale [s]. */
const DATA_TIMEOUT = 2;
/** Size of the cells that keep earlier scan points, for display only [m]. */
const CELL = 0.05;
const MAX_CELLS = 30000;
const LEVELS = ['ok', 'warning', 'error', 'stale'];
const SOURCES = {odom: 'odometry', scan: 'scan', node: 'navigator'};
/** Half the size of the initial view around the robot [m]. */
const VIEW_RADIUS = 3;

class LivePage {
  constructor() {
    this.scene = {paths: pathsOf([]),
      bounds: [-VIEW_RADIUS, -VIEW_RADIUS, VIEW_RADIUS, VIEW_RADIUS], start: null, goal: null,
      rho: 0, radius: 0.1, tolerance: 0.1, mLine: false, growing: null};
    this.pose = null;
    this.scan = null;
    this.path = [];
    this.marks = {events: [], certificate: []};
    this.cells = new Set();
    this.pending = null;
    this.phase = phaseOf('');
    this.isFollowing = true;
    this.receivedAt = 0;
    this.ages = {odom: null, scan: null, node: null};
    this.makeStage();
    this.connect();
    this.channel = new ReconnectingSocket('live', {
      received: (message) => this.received(message), changed: (isOpen) => this.connected(isOpen)});
    setInterval(() => this.showDataAges(), 500);
  }

  makeStage() {
    const canvas = el('canvas', {class: 'map', tabindex: '0', 'data-testid': 'map',
      role: 'application',
      'aria-label': 'Map: arrow keys move the next goal, Enter sends it'});
    byId('stages').append(el('div', {class: 'cell'}, canvas));
    this.stage = new Stage(canvas, this.scene);
    this.stage.overlay = (context, stage, theme) => this.draw(context, stage, theme);
    this.themes = new ThemeSwitch(byId('theme'), (theme) => {
      this.theme = theme;
      this.stage.invalidate();
      this.refresh();
    });
    navigate(this.stage, {
      tapped: (x, y) => this.choosePlace(this.stage.camera.worldX(x), this.stage.camera.worldY(y)),
      moved: () => this.setFollowing(false)});
    canvas.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => {
      if (this.stage.resize() && !this.pose) this.stage.fit();
      this.refresh();
    }).observe(canvas);
  }

  connect() {
    byId('go').addEventListener('click', () => this.go());
    byId('cancel').addEventListener('click', () => this.send({type: 'cancel'}));
    byId('follow').addEventListener('click', () => this.setFollowing(!this.isFollowing));
    const zoom = (factor) => () => {
      const {camera} = this.stage;
      camera.zoom(factor, camera.width / 2, camera.height / 2);
      this.stage.invalidate();
      this.refresh();
    };
    byId('zoom-in').addEventListener('click', zoom(1.4));
    byId('zoom-out').addEventListener('click', zoom(1 / 1.4));
  }

  // ---- messages -------------------------------------------------------------------------------

  received(message) {
    const handlers = {live: this.live, scan: this.updateScan, path: this.updatePath,
      marks: this.updateMarks,
      state: this.showState, diagnostics: this.showDiagnostics, result: this.showResult,
      options: this.showOptions, error: this.showError};
    handlers[message.type]?.call(this, message);
    this.refresh();
  }

  live({ages, pose, radius, rho}) {
    this.receivedAt = performance.now();
    this.ages = ages;
    Object.assign(this.scene, {radius: radius ?? this.scene.radius, rho: rho ?? 0});
    const isFirst = !this.pose && pose;
    if (pose) this.pose = pose;
    if (isFirst) {
      const [x, y] = pose;
      this.stage.camera.fit([x - VIEW_RADIUS, y - VIEW_RADIUS, x + VIEW_RADIUS, y + VIEW_RADIUS]);
      this.stage.invalidate();
    }
    if (this.isFollowing && this.pose) this.followRobot();
    this.showDataAges();
  }

  /** Keep the robot near the centre of the view. */
  followRobot() {
    const {camera} = this.stage;
    const [x, y] = this.pose;
    const room = 0.25 / camera.scale;
    const dx = x - camera.x;
    const dy = y - camera.y;
    if (Math.abs(dx) > camera.width * room || Math.abs(dy) > camera.height * room) {
      camera.x += dx * 0.2;
      camera.y += dy * 0.2;
      this.stage.invalidate();
    }
  }

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    byId('follow').setAttribute('aria-pressed', String(isFollowing));
    if (isFollowing && this.pose) {
      [this.stage.camera.x, this.stage.camera.y] = this.pose;
      this.stage.invalidate();
    }
    this.refresh();
  }

  updateScan(scan) {
    this.scan = scan;
    const [x, y, yaw] = scan.origin;
    if (this.cells.size > MAX_CELLS) this.cells.clear();
    scan.ranges.forEach((range, k) => {
      if (!range) return;
      const angle = yaw + scan.angle_min + k * scan.angle_increment;
      const column = Math.round((x + range / 100 * Math.cos(angle)) / CELL);
      const row = Math.round((y + range / 100 * Math.sin(angle)) / CELL);
      this.cells.add(column * 65536 + row);
    });
  }

  updatePath({xy}) {
    this.path = xy;
  }

  updateMarks(marks) {
    this.marks = marks;
    this.scene.start = marks.start;
    this.scene.goal = marks.goal;
  }

  showState({state, algorithm, goal_distance: distance, path_length: length, hits, leaves,
    active}) {
    const names = (state || '').split('/');
    this.phase = phaseOf(state || '');
    const name = words(names[names.length - 1] || 'running');
    byId('state').textContent = active ? name : 'stopped';
    byId('state').className = `live-state phase-${PHASES[this.phase].key}`;
    byId('algorithm-now').textContent = algorithm ? words(algorithm) : '';
    byId('goal-distance').textContent = metres(distance);
    byId('path-length').textContent = metres(length);
    byId('hits').textContent = hits ?? '–';
    byId('leaves').textContent = leaves ?? '–';
    if (active) byId('result').hidden = true;
    document.body.classList.toggle('active', Boolean(active));
  }

  showDiagnostics({items}) {
    byId('diagnostics').replaceChildren(...items.map(({name, level, message}) => el('li',
      {class: LEVELS[level] ?? 'stale'}, el('b', {}, name),
      el('span', {class: 'unseen'}, ` ${LEVELS[level] ?? 'stale'}: `), el('span', {}, message))));
  }

  showResult({outcome, message}) {
    const place = byId('result');
    place.hidden = false;
    place.className = `live-result ${outcome === 'reached' ? 'good' : 'proof'}`;
    place.replaceChildren(el('b', {}, words(outcome)), message ? ` ${message}` : '');
  }

  showOptions({algorithms, turns}) {
    const fill = (id, items) => {
      const {value} = byId(id);
      byId(id).replaceChildren(new Option('as configured', ''),
        ...items.map(([name, title]) => new Option(title, name)));
      byId(id).value = value;
    };
    fill('algorithm', algorithms.map((each) => [each.name, each.title]));
    fill('turn', turns.map((turn) => [turn, turn]));
  }

  showError({message}) {
    const place = byId('notice');
    place.textContent = message;
    place.hidden = !message;
  }

  connected(isOpen) {
    byId('connection').textContent = isOpen ? '' : 'Connection lost. Reconnecting …';
    byId('cancel').disabled = !isOpen;
    this.updateGoButton();
    this.showDataAges();
  }

  /** Show the age of the data of each source; ages also grow without new messages. */
  showDataAges() {
    const since = this.receivedAt ? (performance.now() - this.receivedAt) / 1000 : Infinity;
    const late = [];
    let youngest = Infinity;
    const chips = Object.entries(SOURCES).map(([key, name]) => {
      const age = this.ages[key] === null || this.ages[key] === undefined ? Infinity
        : this.ages[key] + since;
      const isLate = !(age < DATA_TIMEOUT);
      youngest = Math.min(youngest, age);
      if (isLate) late.push(isFinite(age) ? `${name} for ${Math.round(age)} s` : name);
      return el('span', {class: isLate ? 'late' : 'fresh'}, name);
    });
    const key = chips.map((chip) => chip.className).join();
    if (byId('ages').dataset.key !== key) {
      byId('ages').dataset.key = key;
      byId('ages').replaceChildren(...chips);
    }
    const place = byId('silence');
    const text = late.length === chips.length ? `No data from the robot${
      isFinite(youngest) ? ` for ${Math.round(youngest)} s` : ''}.`
      : late.length ? `No data: ${late.join(', ')}.` : '';
    if (place.textContent !== text) place.textContent = text;
    place.hidden = !text;
    document.body.classList.toggle('silent', late.length > 0);
  }

  // ---- commands -------------------------------------------------------------------------------

  choosePlace(x, y) {
    this.pending = [Math.round(x * 100) / 100, Math.round(y * 100) / 100];
    byId('hint').hidden = true;
    this.updateGoButton();
    this.refresh();
  }

  updateGoButton() {
    const button = byId('go');
    button.disabled = !this.pending || !this.channel?.isOpen;
    button.textContent = this.pending
      ? `Drive to ${this.pending.map((value) => value.toFixed(2)).join(', ')}`
      : 'Choose a goal on the map';
  }

  go() {
    const [x, y] = this.pending;
    const isSent = this.send({type: 'goal', x, y, yaw: null, algorithm: byId('algorithm').value,
      turn: byId('turn').value});
    if (!isSent) return;
    byId('result').hidden = true;
    this.pending = null;
    this.updateGoButton();
    this.refresh();
  }

  send(message) {
    this.showError({message: ''});
    const isSent = this.channel.send(message);
    if (!isSent) this.showError({message: 'Not sent: the connection is lost.'});
    return isSent;
  }

  key(event) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    const step = steps[event.key];
    if (step) {
      const [x, y] = this.pending ?? this.scene.goal ?? this.pose ?? [0, 0];
      const length = event.shiftKey ? 0.1 : 0.01;
      this.choosePlace(x + step[0] * length, y + step[1] * length);
    } else if (event.key === 'Enter' && this.pending) this.go();
    else if (event.key === 'Escape' && this.pending) {
      this.pending = null;
      this.updateGoButton();
      this.refresh();
    } else return;
    event.preventDefault();
  }

  // ---- drawing --------------------------------------------------------------------------------

  refresh() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.stage.draw(0, this.theme);
    });
  }

  draw(context, stage, theme) {
    const {camera} = stage;
    camera.world(context, stage.ratio);
    context.fillStyle = theme.solid_edge;
    const size = Math.max(CELL * 0.8, stage.px(2));
    for (const cell of this.cells) {
      const column = Math.round(cell / 65536);
      context.fillRect(column * CELL - size / 2, (cell - column * 65536) * CELL - size / 2, size,
        size);
    }
    if (this.scan) {
      const [x, y, yaw] = this.scan.origin;
      stage.strokeScan(this.scan.ranges, x, y, yaw, this.scan.angle_min,
        this.scan.angle_increment, theme.scan);
    }
    this.drawPath(context, stage, theme);
    if (this.marks.certificate?.length) stage.drawCertificate(this.marks.certificate, theme);
    stage.drawGoal(theme);
    for (const event of this.marks.events) {
      stage.drawMark({...event, tick: 0}, 0, theme);
      stage.label(`${event.kind === 'hit' ? 'H' : 'L'}${event.index}`,
        camera.screenX(event.x) + 13, camera.screenY(event.y) - 12,
        event.kind === 'hit' ? theme.hit : theme.leave, theme);
    }
    if (this.pending) this.drawPending(context, stage, theme);
    if (this.pose) this.drawRobot(context, stage, theme);
  }

  drawPath(context, stage, theme) {
    if (this.path.length < 4) return;
    stage.camera.world(context, stage.ratio);
    context.strokeStyle = theme.phases[PHASES.findIndex((phase) => phase.key === 'goal')];
    context.lineWidth = stage.px(3);
    context.lineCap = context.lineJoin = 'round';
    context.beginPath();
    for (let k = 0; k < this.path.length; k += 2) {
      context.lineTo(this.path[k] / 1000, this.path[k + 1] / 1000);
    }
    context.stroke();
  }

  drawRobot(context, stage, theme) {
    const [x, y, yaw] = this.pose;
    const {rho, radius} = this.scene;
    stage.disc(x, y, yaw, radius, theme.phases[this.phase], theme, 1);
    if (!rho) return;
    stage.camera.world(context, stage.ratio);
    context.strokeStyle = theme.contour;
    context.lineWidth = stage.px(1.3);
    context.beginPath();
    context.arc(x, y, rho, 0, 2 * Math.PI);
    context.stroke();
  }

  drawPending(context, stage, theme) {
    const {camera} = stage;
    context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0);
    const [x, y] = [camera.screenX(this.pending[0]), camera.screenY(this.pending[1])];
    context.strokeStyle = theme.accent;
    context.lineWidth = 2.4;
    context.beginPath();
    context.arc(x, y, 15, 0, 2 * Math.PI);
    context.moveTo(x - 22, y);
    context.lineTo(x + 22, y);
    context.moveTo(x, y - 22);
    context.lineTo(x, y + 22);
    context.stroke();
  }
}

fillIcons(document);
const page = new LivePage();
window.bugNav = Object.freeze({
  state: () => ({pose: page.pose, pending: page.pending, isConnected: page.channel.isOpen,
    isFollowing: page.isFollowing, goal: page.scene.goal, ages: page.ages}),
  toScreen: (x, y) => {
    const box = page.stage.canvas.getBoundingClientRect();
    return [box.left + page.stage.camera.screenX(x), box.top + page.stage.camera.screenY(y)];
  },
});
