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

/** Settings panel: algorithms, robot and parameters, built from the options of the server. */

import {byId, clamp, el, icon, words} from './dom.js';
import {colourClass, COLOURS} from './palette.js';

/** Number of slider steps. */
const STEPS = 200;
/** Ratio of upper to lower limit (or default) above which a slider is logarithmic. */
const LOG_SCALE_RATIO = 10;

/**
 * Settings panel.
 *
 * `values` are {algorithms: Map of name to colour, robot, turn, seed, set}; `changed(what)` is
 * called when one of them changes.
 */
export class Panel {
  constructor(options, changed) {
    this.options = options;
    this.changed = changed;
    this.values = {algorithms: new Map(), robot: options.robots[0]?.name,
      turn: options.turns[0], seed: 1, set: {}};
    this.rows = new Map();
    this.fields = new Map();
    this.buildAlgorithms();
    this.buildRobot();
    byId('reset').addEventListener('click', () => {
      this.values.set = {};
      this.showParameters();
      this.changed('set');
    });
    byId('parameter-search').addEventListener('input', () => this.filterParameters());
    byId('algorithm-search').addEventListener('input', () => this.filterAlgorithms());
  }

  /** Set all values, for example from an address. */
  setValues(values) {
    const known = new Set(this.options.algorithms.map((each) => each.name));
    const names = values.algorithms.filter((name) => known.has(name));
    this.values = {...this.values, ...values,
      algorithms: new Map(names.slice(0, this.most).map((name, colour) => [name, colour]))};
    byId('robot').value = this.values.robot;
    byId('turn').value = this.values.turn;
    byId('seed').value = String(this.values.seed);
    this.showAlgorithms();
    this.buildParameters();
  }

  get most() {
    return this.options.limits?.algorithms ?? COLOURS;
  }

  // ---- algorithms -----------------------------------------------------------------------------

  buildAlgorithms() {
    for (const algorithm of this.options.algorithms) {
      const {name, title, complete, about, source, sensing} = algorithm;
      const box = el('input', {type: 'checkbox', id: `algorithm-${name}`,
        'data-testid': `algorithm-${name}`,
        onchange: (event) => this.toggle(name, event.target.checked)});
      const row = el('label', {class: 'algorithm', title: `${source}; ${sensing}`}, box,
        el('i', {class: 'chip'}), el('span', {class: 'name'}, title),
        complete && el('span', {class: 'tag'}, 'complete'),
        el('span', {class: 'about'}, about));
      this.rows.set(name, {row, box, text: `${name} ${title} ${about} ${source}`.toLowerCase()});
    }
  }

  toggle(name, isOn) {
    const {algorithms} = this.values;
    const problem = byId('algorithm-problem');
    problem.hidden = true;
    if (isOn && algorithms.size >= this.most) {
      problem.textContent = `At most ${this.most} algorithms can run; deselect one first.`;
      problem.hidden = false;
      this.showAlgorithms();
      return;
    }
    if (isOn) algorithms.set(name, this.freeColour());
    else algorithms.delete(name);
    this.showAlgorithms();
    this.buildParameters();
    this.changed('algorithms');
  }

  /** Return the first unused colour; an algorithm keeps its colour while selected. */
  freeColour() {
    const taken = new Set(this.values.algorithms.values());
    let colour = 0;
    while (taken.has(colour)) colour++;
    return colour;
  }

  showAlgorithms() {
    const {algorithms} = this.values;
    for (const [name, {row, box}] of this.rows) {
      const colour = algorithms.get(name);
      box.checked = colour !== undefined;
      row.className = `algorithm${box.checked ? ` on ${colourClass(colour)}` : ''}`;
    }
    const focused = document.activeElement;
    const all = this.options.algorithms.map((each) => each.name);
    const order = [...all.filter((name) => algorithms.has(name)),
      ...all.filter((name) => !algorithms.has(name))];
    byId('algorithms').replaceChildren(...order.map((name) => this.rows.get(name).row));
    if (focused?.id?.startsWith('algorithm-')) focused.focus({preventScroll: true});
  }

  filterAlgorithms() {
    const wanted = byId('algorithm-search').value.trim().toLowerCase();
    for (const {row, text} of this.rows.values()) row.hidden = !text.includes(wanted);
  }

  // ---- robot ----------------------------------------------------------------------------------

  buildRobot() {
    const fill = (id, items, key) => {
      const select = byId(id);
      select.replaceChildren(...items.map(([value, text]) => new Option(text, value)));
      select.addEventListener('change', () => {
        this.values[key] = select.value;
        this.changed(key);
      });
    };
    fill('robot', this.options.robots.map((robot) => [robot.name, robot.title]), 'robot');
    fill('turn', this.options.turns.map((turn) => [turn, turn]), 'turn');
    byId('seed').addEventListener('change', (event) => {
      const seed = Math.round(Number(event.target.value));
      if (!(seed >= 0 && seed < 1e9)) return;
      this.values.seed = seed;
      this.changed('seed');
    });
  }

  // ---- parameters -----------------------------------------------------------------------------

  buildParameters() {
    const open = new Set([...document.querySelectorAll('#parameters details[open]')].map(
      (details) => details.dataset.title));
    this.fields.clear();
    const chosen = this.options.algorithms.filter(
      ({name, parameters}) => this.values.algorithms.has(name) && parameters.length);
    const groups = [
      ...chosen, ...this.options.groups.filter(({parameters}) => parameters.length)];
    byId('parameters').replaceChildren(...groups.map(({title, parameters}) => el('details',
      {'data-title': title, open: open.has(title)},
      el('summary', {}, title, ' ', el('span', {class: 'count'})),
      ...parameters.map((each) => this.field(each)))));
    this.filterParameters();
    this.showParameters();
  }

  field(parameter) {
    const {name: key, about, unit} = parameter;
    const id = `parameter-${key}`;
    const name = words(key.split('.').pop());
    const input = inputOf(parameter, id);
    const scale = scaleOf(parameter);
    const slider = scale && el('input', {type: 'range', min: '0', max: String(STEPS), step: '1',
      'data-testid': `slider-${key}`, 'aria-label': name, tabindex: '-1'});
    const take = (value) => this.setValue(parameter, value);
    input.addEventListener('change', () => {
      if (input.checkValidity?.() === false) {
        problem.textContent = rangeOf(parameter);
        return;
      }
      take(valueOf(input, parameter));
    });
    slider?.addEventListener('input', () => { input.value = scale.valueAt(slider.value); });
    slider?.addEventListener('change', () => take(scale.valueAt(slider.value)));
    const problem = el('span', {class: 'problem', role: 'alert'});
    const back = el('button', {type: 'button', class: 'quiet', 'aria-label': `Reset ${name}`,
      title: `Reset to ${parameter.default ?? 'no limit'}`,
      onclick: () => take(parameter.default)}, icon('reset'));
    const row = el('div', {class: 'parameter'},
      el('div', {class: 'parameter-line'}, el('label', {for: id}, name),
        input, el('span', {class: 'unit'}, unit || ''), back),
      slider, el('p', {}, about, ' ', problem));
    this.fields.set(key, {row, input, slider, scale, parameter, problem,
      text: `${key} ${name} ${about}`.toLowerCase()});
    return row;
  }

  setValue({name: key, default: fallback}, value) {
    if (value === fallback) delete this.values.set[key];
    else this.values.set[key] = value;
    this.showParameters();
    this.changed('set');
  }

  showParameters() {
    const {set} = this.values;
    for (const [key, {row, input, slider, scale, parameter, problem}] of this.fields) {
      const value = set[key] ?? parameter.default ?? '';
      if (input.type === 'checkbox') input.checked = value;
      else input.value = String(value);
      if (slider) {
        slider.value = String(scale.stepOf(Number(value)));
        slider.setAttribute('aria-valuetext', `${value} ${parameter.unit}`);
      }
      row.classList.toggle('changed', key in set);
      problem.textContent = '';
    }
    for (const details of document.querySelectorAll('#parameters details')) {
      const count = details.querySelectorAll('.changed').length;
      details.querySelector('.count').textContent = count ? `${count} changed` : '';
    }
    byId('reset').hidden = !Object.keys(set).length;
  }

  filterParameters() {
    const wanted = byId('parameter-search').value.trim().toLowerCase();
    for (const {row, text} of this.fields.values()) row.hidden = !text.includes(wanted);
    for (const details of document.querySelectorAll('#parameters details')) {
      const found = details.querySelector('.parameter:not([hidden])');
      details.hidden = !found;
      if (wanted) details.open = Boolean(found);
    }
  }
}

function inputOf({kind, choices, low, high}, id) {
  const common = {id, 'data-testid': id};
  if (choices) return el('select', common, ...choices.map((each) => new Option(each, each)));
  if (kind === 'bool') return el('input', {...common, type: 'checkbox'});
  if (kind === 'str') return el('input', {...common, type: 'text'});
  return el('input', {...common, type: 'number', step: kind === 'int' ? '1' : 'any',
    min: low === null ? null : String(low), max: high === null ? null : String(high)});
}

/**
 * Return the scale of a parameter's slider, {valueAt, stepOf}; null for no slider.
 *
 * A range of several powers of ten has a logarithmic scale that starts at zero where zero is
 * allowed. Seeds and similar numbers have no slider.
 */
export function scaleOf({kind, choices, low, high, default: fallback}) {
  if (choices || low === null || high === null || !/^(float|int)$/.test(kind)) return null;
  if (kind === 'int' && high - low > 5000) return null;
  const round = (value) => (kind === 'int' ? Math.round(value) : Number(value.toPrecision(3)));
  const within = (value) => clamp(round(value), low, high);
  const isWide = high > LOG_SCALE_RATIO * Math.max(low, Math.abs(fallback ?? 0))
    && high - low >= 0.5;
  if (!isWide || (low < 0 && high - low < 20)) {
    const step = (high - low) / STEPS;
    const even = (at) => (Math.abs(low + at * step) < step / 100 ? 0 : low + at * step);
    return {valueAt: (at) => within(even(at)), stepOf: (value) => (value - low) / step};
  }
  if (low < 0) return null;
  const least = low || (fallback > 0 ? fallback / 100 : Math.min(high / 1000, 0.1));
  const growth = Math.log(high / least) / STEPS;
  return {
    valueAt: (at) => (Number(at) ? within(least * Math.exp(at * growth)) : low),
    stepOf: (value) => (value > least ? Math.log(value / least) / growth : 0),
  };
}

function valueOf(input, {kind, default: fallback}) {
  if (kind === 'bool') return input.checked;
  if (kind === 'str') return input.value;
  const value = input.value === '' ? NaN : Number(input.value);
  return Number.isFinite(value) ? value : fallback;
}

function rangeOf({low, high, unit}) {
  const of = unit ? ` ${unit}` : '';
  if (low !== null && high !== null) return `Allowed: ${low} to ${high}${of}.`;
  if (low !== null) return `Allowed: at least ${low}${of}.`;
  return high !== null ? `Allowed: at most ${high}${of}.` : 'Enter a number.';
}
