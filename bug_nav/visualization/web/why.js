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

/** Explanation of a run: steps of the paper, active step, its reason, states. */

import {el, markName, metres, typeset, words} from './dom.js';
import {lastBefore, phaseAt, stateAt, whyAt} from './document.js';
import {PHASES} from './palette.js';

/** Panel of one run; calls `seek(tick)` when a mark is clicked. */
export class WhyPanel {
  constructor(host, seek) {
    this.host = host;
    this.seek = seek;
    this.run = null;
    this.shown = '';
  }

  setRun(run) {
    if (run === this.run) return;
    this.run = run;
    this.shown = '';
    this.host.replaceChildren();
    if (!run) {
      this.host.append(el('p', {class: 'empty'}, 'No run to explain yet.'));
      return;
    }
    this.reason = el('p', {class: 'reason', id: 'why-reason'});
    this.stack = el('div', {class: 'stack', id: 'why-states', 'aria-label': 'states'});
    this.known = el('div', {class: 'known', id: 'why-known'});
    this.steps = new Map(run.source.steps.map((step) => [step.name, el('li', {},
      el('span', {class: 'step-name'}, step.name), el('span', {}, ...typeset(step.text)))]));
    this.host.append(
      el('p', {class: 'why-title'}, run.title),
      ...(this.steps.size ? [el('ol', {class: 'steps', id: 'why-steps'}, ...this.steps.values())]
        : []),
      this.reason, this.stack, this.known, this.marks());
  }

  /** Return buttons for the hit and leave points, accessible by keyboard. */
  marks() {
    const buttons = this.run.events.map((event) => el('button', {
      type: 'button', class: `mark ${event.kind}`, onclick: () => this.seek(event.tick),
      title: `${event.kind} point ${event.index}: ${metres(event.goal_distance)} from the goal`,
    }, el('span', {}, ...typeset(`${event.kind === 'hit' ? 'H' : 'L'}${event.index}`))));
    return el('div', {class: 'marks', 'aria-label': 'hit and leave points'}, ...buttons);
  }

  /** Show a tick; skip the update if nothing visible changes. */
  show(tick) {
    const {run} = this;
    if (!run) return;
    const now = Math.min(tick, run.last);
    const isOver = tick >= run.last;
    const at = run.events.findLastIndex((event) => Math.abs(event.tick - now) <= 2);
    const key = [lastBefore(run.whyTicks, now), lastBefore(run.stateTicks, now), isOver, at]
      .join();
    if (key === this.shown) return;
    this.shown = key;
    const why = whyAt(run, now);
    for (const [name, step] of this.steps) {
      const isLit = why !== null && name === why.step;
      step.classList.toggle('lit', isLit);
      if (isLit) step.setAttribute('aria-current', 'step');
      else step.removeAttribute('aria-current');
    }
    this.reason.replaceChildren(...typeset(
      isOver ? run.message || words(run.outcome) : why?.reason ?? ''));
    this.reason.classList.toggle('over', isOver);
    this.showStates(now);
    this.showMark(run.events[at], now);
  }

  showStates(now) {
    const state = stateAt(this.run, now);
    this.stack.className = `stack phase-${PHASES[phaseAt(this.run, now)].key}`;
    this.stack.replaceChildren(...(state ? state.split('/') : []).map(
      (name) => el('span', {class: 'state'}, words(name))));
  }

  /** Show the data at a hit or leave point. */
  showMark(event, now) {
    this.known.replaceChildren();
    if (!event) return;
    const points = this.run.points;
    let count = 0;
    if (points) {
      for (let k = lastBefore(points.from, now); k >= 0; k--) count += points.to[k] > now;
    }
    const pairs = [
      [`d(${markName(event)})`, metres(event.goal_distance)],
      ['path', metres(event.path_length)],
      ['time', `${(event.tick * this.run.period).toFixed(1)} s`],
      ...(points ? [['remembered points', String(count)]] : [])];
    this.known.append(el('dl', {}, ...pairs.flatMap(
      ([term, text]) => [el('dt', {}, term), el('dd', {}, text)])));
  }
}
