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

/** Table of runs: outcome, path length, and bound from the paper. */

import {el, metres, words} from './dom.js';
import {colourClass} from './palette.js';

/** Label and colour class of each outcome. */
const OUTCOMES = {
  reached: ['reached', 'good'], reached_uncertain: ['reached uncertain', 'proof'],
  unreachable: ['unreachable', 'proof'],
  loop_detected: ['loop detected', 'proof'], collision: ['collision', 'bad'],
  timeout: ['timeout', 'bad'],
};

/** Outcomes of a robot that is at the goal by its own estimate. */
const ARRIVED = new Set(['reached', 'reached_uncertain']);

export const outcomeOf = (run) => OUTCOMES[run.outcome] ?? [words(run.outcome), 'bad'];

/** Return a summary for screen readers. */
export function spoken(run) {
  const {path_length: length, time} = run.report;
  return `${run.title}: ${outcomeOf(run)[0]}, ${metres(length)} in ${Math.round(time ?? 0)} s. ${
    run.message ?? ''}`;
}

/**
 * A table of runs.
 *
 * `rows` are [{name, title, colour, run, message, isBusy}] in the order of the colours; `choose`
 * is called with the name of the selected row.
 */
export class RunsTable {
  constructor(host, choose) {
    this.choose = choose;
    this.body = el('tbody');
    const head = ['Algorithm', 'Length', '× shortest', 'Time', 'Hits'].map(
      (text, k) => el('th', {scope: 'col', class: k ? 'number' : ''}, text));
    this.table = el('table', {class: 'runs', id: 'runs'},
      el('caption', {class: 'unseen'}, 'The runs'), el('thead', {}, el('tr', {}, ...head)),
      this.body);
    host.replaceChildren(this.table);
  }

  show(rows, focus) {
    const lengths = rows.map((row) => row.run?.report.path_length ?? 0);
    const bounds = rows.map((row) => row.run?.source.bound ?? 0);
    // A run through a gap narrower than 2 rho has a shorter shortest path, which serves for all.
    const known = rows.map((row) => row.run?.report.shortest_path).filter(Boolean);
    const shortest = known.length ? Math.min(...known) : null;
    // A bound much longer than the paths is shown at the end of the bar.
    const full = Math.max(...lengths, ...bounds.filter(
      (bound) => bound < 3 * Math.max(...lengths)), shortest ?? 0, 0.1) * 1.04;
    this.body.replaceChildren(...rows.flatMap((row) => this.rowsOf(row, full, shortest, focus)));
  }

  rowsOf(row, full, shortest, focus) {
    const {run} = row;
    const isChosen = row.name === focus;
    const name = el('button', {type: 'button', class: 'run-name', 'aria-pressed': String(isChosen),
      'data-testid': `run-${row.name}`, onclick: () => this.choose(row.name)},
    el('i', {class: `chip ${colourClass(row.colour)}`}), row.title);
    const cells = run ? cellsOf(run, shortest) : [el('td', {class: 'pending', colspan: '4'},
      row.message ? '' : 'computing …')];
    const line = el('tr', {class: `${isChosen ? 'chosen ' : ''}${row.isBusy ? 'busy' : ''}`},
      el('th', {scope: 'row'}, name), ...cells);
    const below = row.message
      ? el('p', {class: 'problem'}, row.message)
      : run && barOf(run, full, shortest, row.colour);
    return [line, el('tr', {class: `below${isChosen ? ' chosen' : ''}`},
      el('td', {colspan: '5'}, below || ''))];
  }
}

function cellsOf(run, shortest) {
  const {path_length: length, time, hits} = run.report;
  const ratio = shortest && ARRIVED.has(run.outcome) ? ratioOf(run.report, shortest) : '–';
  return [metres(length), ratio, time === null ? '–' : `${Math.round(time)} s`, String(hits ?? 0)]
    .map((text) => el('td', {class: 'number'}, text));
}

/**
 * Return path / shortest path as text, both to the goal itself.
 *
 * There is none if the path is shorter than the shortest path of the world's final state, because
 * the robot passed before an obstacle moved into the way.
 */
function ratioOf({path_length: length, goal_error: rest, goal_missed: missed}, shortest) {
  const ratio = (length + (rest ?? 0)) / shortest;
  return missed || ratio < 0.98 ? '–' : Math.max(ratio, 1).toFixed(2);
}

/** Return a bar of the path length with marks for the shortest path and the bound. */
function barOf(run, full, shortest, colour) {
  const {path_length: length} = run.report;
  const [text, kind] = outcomeOf(run);
  const bar = el('span', {class: `bar ${colourClass(colour)}`});
  const add = (name, value, title) => {
    const part = el('i', {class: name, title});
    part.style[name === 'fill' ? 'width' : 'left'] = `${Math.min(100 * value / full, 100)}%`;
    bar.append(part);
  };
  add('fill', length ?? 0, `path ${metres(length)}`);
  if (shortest) add('shortest', shortest, `shortest path ${metres(shortest)}`);
  const {bound, bound_text: terms} = run.source;
  if (bound) {
    add(bound > full ? 'bound beyond' : 'bound', bound, `the bound: ${metres(bound)} = ${terms}`);
  }
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', `${metres(length)}${shortest ? `, the shortest path is ${
    metres(shortest)}` : ''}${bound ? `, the bound is ${metres(bound)}` : ''}`);
  return el('div', {class: 'bar-row'}, el('span', {class: `outcome ${kind}`}, text), bar,
    bound ? el('span', {class: 'bound-text', title: terms}, `bound ${bound.toFixed(1)} m`) : null);
}
