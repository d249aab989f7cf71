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

/** The text of a diagram: pseudo-code with the lit step, verdicts, and bars towards bounds. */

import {el, metres, typeset} from '../dom.js';
import {colourClass, PHASES, phaseOf, RETURN} from '../palette.js';
import {ALGORITHMS} from './algorithms.js';
import {estimateAt, headingErrorAt, lengthOf} from './bounds.js';
import {areaOf, distance, perimeterOf} from './geometry.js';
import {VERDICTS} from './run.js';
import {tr} from './strings.js';

/** Pseudo-code of one algorithm, with the lit step and its reason. */
export class CodePanel {
  constructor() {
    this.title = el('p', {class: 'code-title'});
    this.list = el('ol', {class: 'steps'});
    this.reason = el('p', {class: 'reason'});
    this.root = el('div', {class: 'code'}, this.title, this.list, this.reason);
    this.name = '';
  }

  /** Show the moment of a run at a length of its path; return its text. */
  show(name, run, s) {
    if (name !== this.name) this.setAlgorithm(name);
    const moment = run?.moments[run.momentAt(s)];
    for (const [step, item] of this.items) {
      const isLit = step === moment?.step;
      item.classList.toggle('lit', isLit);
      if (isLit) item.setAttribute('aria-current', 'step');
      else item.removeAttribute('aria-current');
    }
    const text = moment?.reason ?? '';
    if (text !== this.text) {
      this.reason.replaceChildren(...typeset(text));
      this.text = text;
    }
    this.reason.classList.toggle('over', Boolean(run) && s >= run.length - 1e-9);
    return text;
  }

  setAlgorithm(name) {
    this.name = name;
    const {title, steps} = ALGORITHMS[name];
    this.title.textContent = title;
    this.items = new Map(steps.map((step) => [step.name, el('li', {},
      el('span', {class: 'step-name'}, step.name), el('span', {}, ...typeset(step.text)))]));
    this.list.replaceChildren(...this.items.values());
  }
}

/** One row per run: name, verdict, length, and the bar that fills up towards the bound. */
export class RunRows {
  /** @param {Set} hidden names of algorithms whose paths are not drawn. */
  constructor(show, choose, hidden, toggle) {
    Object.assign(this, {hidden, toggle});
    this.show = show;
    this.choose = choose;
    this.root = el('div', {class: 'rows'});
  }

  setResult({runs, shortest, isBlockedByPerson}, chosen) {
    const bounds = this.show.has('bounds') ? runs.map(({bound}) => bound?.value ?? 0) : [];
    const scale = Math.max(...runs.map(({run}) => run.length), ...bounds,
      shortest ? lengthOf(shortest) : 0, 1e-6);
    this.parts = runs.map((entry, k) => this.row(entry, k, {
      scale, isSingle: runs.length === 1, isBlockedByPerson, shortest, chosen}));
    this.root.replaceChildren(...this.parts.map(({root}) => root));
  }

  row({name, title, run, bound}, number, {scale, isSingle, isBlockedByPerson, shortest, chosen}) {
    const colour = isSingle ? '' : colourClass(number);
    const heading = isSingle ? el('span', {class: 'run-name'}, title)
      : el('span', {class: 'run-heads'}, el('input', {type: 'checkbox', 'aria-label':
        tr('Show the path of {0}', title), checked: !this.hidden.has(name), onchange: () => (
        this.toggle(name))}), el('button', {type: 'button', class: 'run-name',
        'aria-pressed': String(name === chosen), onclick: () => this.choose(name)},
      el('span', {class: `chip ${colour}`}), title));
    const length = el('span', {class: 'run-length'});
    const outcome = el('span', {
      class: `outcome result ${outcomeClass(run, isBlockedByPerson)}`},
    verdictText(run, isBlockedByPerson));
    const fill = el('div', {class: `fill ${colour}`});
    const bar = el('div', {class: 'bar', 'aria-hidden': 'true'}, fill,
      ...this.ticks(bound, shortest, scale));
    const root = el('div', {class: 'row'}, heading, outcome, length, bar,
      ...this.notes(run, bound, isBlockedByPerson));
    return {root, run, length, fill, scale};
  }

  /** Return the marks of a bar: bound and shortest path. */
  ticks(bound, shortest, scale) {
    const tick = (name, value) => {
      const mark = el('div', {class: name});
      mark.style.left = `${(100 * value / scale).toFixed(2)}%`;
      return mark;
    };
    return [...(bound && this.show.has('bounds') ? [tick('bound', bound.value)] : []),
      ...(shortest ? [tick('shortest-tick', lengthOf(shortest))] : [])];
  }

  notes(run, bound, isBlockedByPerson) {
    const known = [];
    const results = [];
    if (this.show.has('bounds')) (bound ? known : results).push(boundText(run, bound));
    const {looks, choosesTurn} = ALGORITHMS[run.algorithm];
    if (looks) {
      known.push(choosesTurn
        ? tr('The robot looks around every 5 cm, and chooses the direction itself.')
        : tr('The robot looks around every 5 cm.'));
    }
    if (this.show.has('circumnavigation')) results.push(...run.laps.map(lapText));
    if (run.certificate && (this.show.has('certificate') || run.fault)) {
      results.push(chainText(run, isBlockedByPerson));
    }
    return [['note', known], ['note result', results]].flatMap(([name, texts]) => (
      texts.map((text) => el('p', {class: name}, ...typeset(text)))));
  }

  /** Show lengths at a time of the playback: `at(run)` is the length walked. */
  draw(at) {
    for (const {root, run, length, fill, scale} of this.parts ?? []) {
      const s = at(run);
      const isOver = s >= run.length - 1e-6;
      root.classList.toggle('running', !isOver);
      length.textContent = isOver ? metres(run.length)
        : tr('{0} of {1}', metres(s), metres(run.length));
      fill.style.width = `${(100 * s / scale).toFixed(2)}%`;
    }
  }
}

const outcomeClass = (run, isBlocked) => (isBlocked ? 'bad'
  : {reached: '', unreachable: 'proof'}[run.verdict] ?? 'bad');

/** Return the verdict of a run in words. */
export const verdictText = (run, isBlockedByPerson) => (isBlockedByPerson
  ? tr('Blocked by a person: no proof') : VERDICTS[run.verdict]);

function boundText(run, bound) {
  if (!bound) {
    return run.verdict === 'loop' ? tr('No bound: the path never ends.')
      : tr('No bound is known.');
  }
  const parts = bound.parts.map(({factor, perimeter}) => `${factor} · ${perimeter.toFixed(2)}`);
  const sum = `${bound.text} = ${[bound.direct.toFixed(2), ...parts].join(' + ')} = ${
    metres(bound.value)}`;
  return bound.parts.some(({crossings}) => crossings % 2)
    ? tr('Bound {0} (odd n_i rounded up)', sum) : tr('Bound {0}', sum);
}

const lapText = ({perimeter, ahead}, k, laps) => tr('Lap{0}: {1}, Q after {2}, back to Q {3}',
  laps.length > 1 ? ` ${k + 1}` : '', metres(perimeter), metres(ahead),
  metres(Math.min(ahead, perimeter - ahead)));

function chainText({certificate, gates, fault}, isBlockedByPerson) {
  if (fault) return tr('Check of the chain: {0}. It proves nothing.', fault);
  const length = metres(perimeterOf(gates ?? certificate));
  if (isBlockedByPerson) return tr('The chain of {0} contains a person: no certificate.', length);
  return gates ? tr('Certificate: a closed chain of {0} through wall points less than 2 rho apart '
    + 'separates S from T: checked.', length)
    : tr('Certificate: a closed chain of {0} separates S from T: checked.', length);
}

/** Return the legend of the lines in a picture. */
export function legendParts({result, options}, show, isCovered) {
  const items = [];
  if (!isCovered && result.runs.length === 1) {
    const found = new Set(result.runs[0].run.states.map(phaseOf));
    PHASES.forEach(({key, label}, phase) => {
      if (found.has(phase)) {
        items.push([`phase-${key}${phase === RETURN ? ' back' : ''}`, tr(label)]);
      }
    });
  }
  if (show.has('mline')) items.push(['m-line-chip', tr('M-line')]);
  if (show.has('crossings')) {
    items.push(['crossing-chip',
      tr('crossings; filled ones are closer to T than the last H')]);
  }
  if (show.has('sensor') && result.runs[0]?.name === 'tangent_bug') {
    items.push(['node-chip',
      tr('local tangent graph: visible ends O_i, filled if closer to the goal')]);
  }
  if (show.has('certificate') && !isCovered && result.runs.some(({run}) => run.certificate)) {
    const holds = !result.isBlockedByPerson && result.runs.every(({run}) => !run.fault);
    items.push(['certificate-chip', holds ? tr('certificate: the closed chain')
      : tr('a chain that proves nothing')]);
  }
  if (result.shortest) items.push(['shortest-chip', tr('shortest path')]);
  if (result.estimate && !isCovered) items.push(['estimate-chip', tr('estimated path')]);
  if (show.has('passes')) {
    items.push(['pass-chip', tr('boundary; width: how often it was followed')]);
  }
  if (show.has('scan')) items.push(['point-chip', tr('points of the scan')]);
  if (options.rho) items.push(['contour-chip', tr('contour at the robot radius')]);
  return items.map(([name, text]) => el('span', {}, el('span', {class: `chip ${name}`}),
    el('span', {}, ...typeset(text))));
}

/** Return how the algorithms of bug_nav differ from their papers, to unfold; null if unknown. */
export function differencesOf(names) {
  const known = names.filter((name) => Object.hasOwn(PAPER_DIFFERENCES, name));
  return known.length ? el('details', {class: 'differences'},
    el('summary', {}, tr('Differences from the papers')), ...known.map((name) => el('p', {},
      tr('{0} as bug_nav implements it for a real robot:', ALGORITHMS[name].title), ' ',
      el('span', {lang: 'en'}, ...typeset(`${PAPER_DIFFERENCES[name]}.`)))),
    el('p', {},
      tr('The diagram runs the pseudo-code of the course with a point; its own rules are '
      + 'marked (ours).'))) : null;
}

/** Return how far dead reckoning is off, as a sentence. */
export function driftText({runs: [{run}], estimate}, degrees) {
  if (!estimate || !run) return '';
  const end = distance(estimateAt(estimate, run.length), run.here);
  const lap = run.laps[run.laps.length - 1] ?? (run.verdict === 'unreachable'
    && run.hits.length ? {s: run.hits[run.hits.length - 1].s, end: run.length} : null);
  const gap = lap && distance(estimateAt(estimate, lap.s), estimateAt(estimate, lap.end));
  const sense = lap && Math.sign(areaOf(run.path.filter(
    (_, k) => run.at[k] >= lap.s && run.at[k] <= lap.end)));
  const turned = lap && Math.round(360 + sense * (headingErrorAt(estimate, lap.end)
    - headingErrorAt(estimate, lap.s)) * 180 / Math.PI);
  const text = tr('Dead reckoning with {0} degrees per metre is {1} off at the end.', degrees,
    metres(end));
  return gap ? `${text} ${tr('It ends the lap {0} from where it began, after a measured turn of '
    + '{1} instead of 360 degrees.', metres(gap), turned)}` : text;
}

/** Return a run as a sentence for screen readers. */
export function runSentence({title, run, bound}, model) {
  const {result: {isBlockedByPerson}, options: {turn}} = model;
  const name = ALGORITHMS[run.algorithm].choosesTurn ? title
    : tr('{0}, turning {1}', title, tr(turn));
  const hits = run.hits.length === 1 ? tr('1 hit') : tr('{0} hits', run.hits.length);
  const given = [name, verdictText(run, isBlockedByPerson), run.length.toFixed(2), hits];
  return bound ? tr('{0}: {1} after {2} metres and {3}; bound {4} metres.', ...given,
    bound.value.toFixed(2)) : tr('{0}: {1} after {2} metres and {3}.', ...given);
}
