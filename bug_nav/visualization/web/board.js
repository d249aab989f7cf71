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

/** Runs overlaid or side by side, with a common player, table and explanation. */

import {byId, el} from './dom.js';
import {colourClass, PHASES, ThemeSwitch} from './palette.js';
import {Player} from './player.js';
import {RunsTable} from './table.js';
import {navigate, Stage} from './view.js';
import {WhyPanel} from './why.js';

/** Line and text scale of the presentation. */
const PRESENTATION_WEIGHT = 1.75;
/** Maximum distance of a click from a mark [px]. */
const MARK_RADIUS = 14;

/**
 * Shows `entries`, [{name, title, colour, run, message, isBusy, stale}], in a `scene`.
 *
 * `hooks.grab` and `hooks.tapped` handle the pointer, with the stage as first argument;
 * `hooks.prepared` is called with each new stage.
 */
export class Board {
  constructor(scene, hooks = {}) {
    this.scene = scene;
    this.hooks = hooks;
    this.entries = [];
    this.stages = [];
    this.focus = null;
    this.mode = 'top';
    this.shape = '';
    this.show = {scan: true, points: true, contour: true, ahead: true};
    this.host = byId('stages');
    this.isFrameRequested = false;
    this.player = new Player(() => this.refresh());
    this.table = new RunsTable(byId('runs-host'), (name) => this.setFocus(name));
    this.why = new WhyPanel(byId('why'), (tick) => this.player.seek(tick));
    this.themes = new ThemeSwitch(byId('theme'), (theme) => this.setTheme(theme));
    this.connect();
    this.arrange();
  }

  connect() {
    const switchTo = (mode) => () => this.setMode(mode);
    byId('on-top').addEventListener('click', switchTo('top'));
    byId('side-by-side').addEventListener('click', switchTo('side'));
    byId('present')?.addEventListener('click', () => this.setPresenting(!this.isPresenting));
    byId('present-end').addEventListener('click', () => this.setPresenting(false));
    byId('zoom-in').addEventListener('click', () => this.zoom(1.3));
    byId('zoom-out').addEventListener('click', () => this.zoom(1 / 1.3));
    byId('fit').addEventListener('click', () => this.fit());
    for (const name of Object.keys(this.show)) {
      byId(`show-${name}`).addEventListener('change', (event) => {
        this.show[name] = event.target.checked;
        this.invalidate();
      });
    }
    new ResizeObserver(() => this.resized()).observe(this.host);
  }

  get focused() {
    return this.entries.find((entry) => entry.name === this.focus) ?? null;
  }

  /** Set the entries and update everything. */
  setEntries(entries) {
    this.entries = entries;
    if (!this.focused) this.focus = entries[0]?.name ?? null;
    this.arrange();
    this.update();
  }

  setFocus(name) {
    this.focus = name;
    this.arrange();
    this.update();
    this.hooks.focused?.(name);
  }

  setMode(mode) {
    this.mode = mode;
    byId('on-top').setAttribute('aria-pressed', String(mode === 'top'));
    byId('side-by-side').setAttribute('aria-pressed', String(mode === 'side'));
    this.arrange();
    this.update();
    this.hooks.modeChanged?.(mode);
  }

  /** Switch the presentation: larger lines and text, only map and explanation. */
  setPresenting(isPresenting) {
    this.isPresenting = isPresenting;
    document.body.classList.toggle('presenting', isPresenting);
    byId('present').setAttribute('aria-pressed', String(isPresenting));
    for (const stage of this.stages) stage.weight = isPresenting ? PRESENTATION_WEIGHT : 1;
    this.invalidate();
  }

  setTheme(theme) {
    this.theme = theme;
    this.player?.setTheme(theme);
    this.invalidate();
  }

  // ---- stages ---------------------------------------------------------------------------------

  /** Create the stages for the current mode; keep existing ones if possible. */
  arrange() {
    const isSide = this.mode === 'side' && this.entries.length > 1;
    const names = isSide ? this.entries.map((entry) => entry.name) : [''];
    const shape = names.join(' ');
    if (shape !== this.shape || !this.stages.length) {
      this.shape = shape;
      const kept = this.stages[0]?.camera;
      this.stages = [];
      this.host.replaceChildren(...names.map((name) => this.newStage(name)));
      this.host.parentElement.classList.toggle('many', isSide);
      if (kept) this.stages.forEach((stage) => Object.assign(stage.camera, kept));
      requestAnimationFrame(() => this.resized(true));
    }
    for (const stage of this.stages) {
      const mine = isSide ? this.entries.filter((entry) => entry.name === stage.only)
        : [...this.entries].sort((one, other) =>
          Number(one.name === this.focus) - Number(other.name === this.focus));
      stage.runs = mine.filter((entry) => entry.run);
      stage.isByRun = !isSide && this.entries.length > 1;
      stage.caption?.closest('.cell').classList.toggle('chosen', stage.only === this.focus);
    }
    this.describe();
  }

  newStage(name) {
    const entry = this.entries.find((each) => each.name === name);
    const label = `Map${entry ? ` of ${entry.title}` : ''}: arrow keys move the selection, `
      + 'question mark shows all keys';
    const canvas = el('canvas', {class: 'map', tabindex: '0', role: 'application',
      'aria-label': label, 'data-testid': name ? `map-${name}` : 'map'});
    const stage = new Stage(canvas, this.scene);
    stage.show = this.show;
    stage.weight = this.isPresenting ? PRESENTATION_WEIGHT : 1;
    stage.only = name || null;
    navigate(stage, {
      grab: (x, y, event) => this.hooks.grab?.(stage, x, y, event),
      tapped: (x, y, event) => this.tapped(stage, x, y, event),
      moved: () => this.cameraMoved(stage),
    });
    this.hooks.prepared?.(stage);
    this.stages.push(stage);
    stage.caption = entry ? el('button', {type: 'button', class: 'cell-title',
      onclick: () => this.setFocus(name)}, el('i', {class: `chip ${colourClass(entry.colour)}`}),
    entry.title) : null;
    return el('div', {class: 'cell'}, canvas, stage.caption);
  }

  /** Go to the time of the clicked mark. */
  tapped(stage, x, y, event) {
    for (const entry of stage.runs) {
      const mark = entry.run.events.find((each) => Math.hypot(
        stage.camera.screenX(each.x) - x, stage.camera.screenY(each.y) - y) < MARK_RADIUS);
      if (!mark) continue;
      if (entry.name !== this.focus) this.setFocus(entry.name);
      this.player.seek(mark.tick);
      return;
    }
    this.hooks.tapped?.(stage, x, y, event);
  }

  cameraMoved(stage) {
    const {x, y, scale} = stage.camera;
    for (const other of this.stages) {
      if (other !== stage) {
        Object.assign(other.camera, {x, y, scale});
        other.invalidate();
      }
    }
    this.refresh();
  }

  resized(isFirst = false) {
    const {clientWidth, clientHeight} = this.host;
    const count = this.stages.length;
    const columns = columnsFor(count, clientWidth, clientHeight, this.scene.bounds);
    this.host.style.setProperty('--columns', String(columns));
    // The last map fills its row.
    this.stages[count - 1].canvas.parentElement.style.gridColumnEnd = `span ${
      columns - (count - 1) % columns}`;
    const changed = this.stages.map((stage) => stage.resize()).some(Boolean);
    if (changed || isFirst) this.fit();
  }

  /** Show the whole world next to the toolbar. */
  fit() {
    const tools = document.querySelector('.tools');
    const isBeside = this.stages.length === 1 && tools?.offsetHeight > tools?.offsetWidth;
    const isAbove = this.stages.length === 1 && tools?.offsetWidth > tools?.offsetHeight;
    const insets = this.stages.length > 1 ? {left: 8, right: 8, top: 42, bottom: 8}
      : {left: isBeside ? 62 : 20, top: isAbove ? 46 : 20, bottom: isAbove ? 66 : 36};
    const [first, ...others] = this.stages;
    first.insets = insets;
    first.fit();
    for (const {camera} of others) {
      Object.assign(camera, {x: first.camera.x, y: first.camera.y, scale: first.camera.scale});
    }
    others.forEach((stage) => stage.invalidate());
    this.refresh();
  }

  zoom(factor) {
    const [stage] = this.stages;
    stage.camera.zoom(factor, stage.camera.width / 2, stage.camera.height / 2);
    stage.invalidate();
    this.cameraMoved(stage);
  }

  // ---- showing --------------------------------------------------------------------------------

  update() {
    const focused = this.focused;
    this.player.setRuns(this.entries.filter((entry) => entry.run).map((entry) => entry.run),
      focused?.run ?? null);
    this.table.show(this.entries, this.focus);
    this.why.setRun(focused?.run ?? null);
    byId('on-top').parentElement.hidden = this.entries.length < 2;
    this.invalidate();
  }

  /** Update the legends. */
  describe() {
    const {isByRun} = this.stages[0];
    const runs = this.entries.map((entry) => entry.run).filter(Boolean);
    const kinds = new Set(runs.flatMap((run) => run.events.map((event) => event.kind)));
    fillLegend(byId('legend'), [
      ...(isByRun ? this.entries.map(
        (entry) => [`chip ${colourClass(entry.colour)}`, entry.title]) : []),
      ...['hit', 'leave'].filter((kind) => kinds.has(kind)).map(
        (kind) => [`point ${kind}`, `${kind} point`])]);
    // By run, the map shows no states: they are those of the focused run, over time.
    const shown = isByRun ? runs.filter((run) => run === this.focused?.run) : runs;
    const phases = [...new Set(shown.flatMap((run) => run.phases))].sort().reverse();
    fillLegend(byId('states'), [
      ...(phases.length ? [[null, isByRun ? `States of ${this.focused?.title} over time:`
        : 'States, on the map and over time:']] : []),
      ...phases.map((phase) => [`chip phase-${PHASES[phase].key}`, PHASES[phase].label])]);
  }

  invalidate() {
    this.stages.forEach((stage) => stage.invalidate());
    this.refresh();
  }

  /** Request a redraw in the next animation frame. */
  refresh() {
    if (this.isFrameRequested) return;
    this.isFrameRequested = true;
    requestAnimationFrame((now) => this.drawFrame(now));
  }

  drawFrame(now) {
    this.isFrameRequested = false;
    const {player} = this;
    player.advance(now);
    for (const stage of this.stages) stage.draw(player.tick, this.theme);
    this.why.show(player.tick);
    if (player.isPlaying) this.refresh();
  }
}

/** Fill a legend; `items` are [CSS classes of the sample, text]. */
function fillLegend(legend, items) {
  const key = items.join(';');
  if (legend.dataset.key === key) return;
  legend.dataset.key = key;
  legend.replaceChildren(...items.map(
    ([kind, text]) => el('span', {}, kind && el('i', {class: kind}), text)));
}

/** Return the number of columns for which `count` maps are largest. */
function columnsFor(count, width, height, [x0, y0, x1, y1]) {
  const scale = (columns) => Math.min(width / columns / (x1 - x0),
    height / Math.ceil(count / columns) / (y1 - y0));
  let best = 1;
  for (let columns = 2; columns <= count; columns++) {
    if (scale(columns) > scale(best)) best = columns;
  }
  return best;
}

export function closeMenus() {
  for (const menu of document.querySelectorAll('details.menu[open]')) menu.open = false;
}

/** Close menus on a click elsewhere and on Escape. */
export function connectMenus() {
  const open = () => [...document.querySelectorAll('details.menu[open]')];
  document.addEventListener('pointerdown', (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector('summary').focus();
    }
  });
}

/** Return whether a key is meant for an input field, not for the page. */
export function isTyping(event) {
  const {target} = event;
  return target.closest?.('input:not([type=range]):not([type=checkbox]), select, textarea, dialog')
    || (event.key === ' ' && target.closest?.('button, summary, input, a'));
}
