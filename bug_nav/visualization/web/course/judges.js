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

/**
 * The judges of the exercises: each decides with the exact simulator, and says why.
 *
 * A judge has a title, defaults for the attributes of its diagram, a default target, and
 * `check(case)`, which returns {isSolved, text}.
 */

import {metres} from '../dom.js';
import {runAlgorithm} from './algorithms.js';
import {boundOf} from './bounds.js';
import {distance, nearestOn} from './geometry.js';
import {MIN_RANGE} from './model.js';
import {Scene} from './scene.js';
import {solidLoops} from './scenes.js';

/** Minimum clearance of start and goal in `shortest-certificate` [m]. */
const CLEARANCE = 0.4;

/** A scene to judge, with the runs in it. */
export class Case {
  constructor({scene, options, result}, target) {
    Object.assign(this, {description: scene, options, result, target});
    this.scene = result.scene;
  }

  /** Return the run of an algorithm with the chosen turn, or another one. */
  run(name, turn = this.options.turn, scene = this.scene) {
    return runAlgorithm(scene, name, turn, Math.max(this.options.range, MIN_RANGE));
  }

  get isReachable() {
    return this.run('bug2').verdict === 'reached';
  }

  /** Return the scene of a point robot, even if the robot is a disc. */
  get pointScene() {
    return new Scene(solidLoops(this.description), this.description.start, this.description.goal);
  }
}

const not = (text) => ({isSolved: false, text});
const solved = (text) => ({isSolved: true, text});
const UNREACHABLE = 'The goal cannot be reached at all here: open a way to it.';
const factor = (value) => value.toFixed(2);

/** Return a judge that compares the lengths of two algorithms. */
const beats = (winner, loser, titles) => ({
  title: `${titles[0]} beats ${titles[1]}`, target: 3,
  defaults: {algorithm: winner, compare: loser, edit: '', show: 'mline bounds'},
  check(given) {
    if (!given.isReachable) return not(UNREACHABLE);
    const [good, bad] = [given.run(winner).length, given.run(loser).length];
    const text = `${titles[0]} takes ${metres(good)}, ${titles[1]} ${metres(bad)}: a factor of ${
      factor(bad / good)}`;
    return bad >= given.target * good ? solved(`${text}.`)
      : not(`${text}; you need ${given.target}.`);
  },
});

/** Return a judge of a predicted leave point. */
const predicts = (name, title) => ({
  title: `Where does ${title} leave?`, target: 0.15, isPrediction: true,
  defaults: {algorithm: name, drag: 'none', show: 'mline circumnavigation', code: ''},
  check(given) {
    const [leave] = given.run(name).leaves;
    if (!leave) return not(`${title} does not leave the boundary here at all.`);
    const off = distance(given.description.flag, leave.point);
    const text = `${title} leaves at (${leave.point.map((value) => value.toFixed(2)).join(', ')})`;
    return off <= given.target ? solved(`${text}: your flag is ${metres(off)} away.`)
      : not(`${text}: your flag is ${metres(off)} away. Step through the code to see why; then `
        + 'try the other direction.');
  },
});

export const JUDGES = {
  'bug0-loops': {
    title: 'Make Bug0 loop', defaults: {algorithm: 'bug0', edit: '', code: ''},
    check(given) {
      if (!given.isReachable) return not(UNREACHABLE);
      const {verdict, length} = given.run('bug0');
      return verdict === 'loop'
        ? solved('Bug0 repeats itself forever, although a way exists, which Bug2 finds.')
        : not(`Bug0 reaches the goal after ${metres(length)}. It must come back to a place where `
          + 'it has been before.');
    },
  },
  'bug0-one-side': {
    title: 'One turn loops, the other arrives', defaults: {algorithm: 'bug0', edit: '', code: ''},
    check(given) {
      const verdicts = ['left', 'right'].map((turn) => given.run('bug0', turn).verdict);
      const text = `Turning left: ${verdictWord(verdicts[0])}. Turning right: ${
        verdictWord(verdicts[1])}.`;
      return new Set(verdicts).size === 2 ? solved(text) : not(text);
    },
  },
  'bug1-beats-bug2-by-3': beats('bug1', 'bug2', ['Bug1', 'Bug2']),
  'bug2-beats-bug1-by-3': beats('bug2', 'bug1', ['Bug2', 'Bug1']),
  'bug1-near-bound': {
    title: 'Bring Bug1 to its bound', target: 0.95,
    defaults: {algorithm: 'bug1', edit: '', show: 'bounds circumnavigation disc'},
    check(given) {
      const {length, hits} = given.run('bug1');
      if (!hits.length) return not('Bug1 hits no obstacle here.');
      const bound = boundOf(given.scene, 'bug1').value;
      const text = `Bug1 takes ${metres(length)}, ${Math.round(100 * length / bound)} % of its `
        + `bound, ${metres(bound)}`;
      return length >= given.target * bound ? solved(`${text}.`)
        : not(`${text}; you need ${Math.round(100 * given.target)} %.`);
    },
  },
  'bug2-revisits': {
    title: 'Send Bug2 around again', target: 3,
    defaults: {algorithm: 'bug2', edit: '', show: 'mline bounds'},
    check(given) {
      const {hits, verdict} = given.run('bug2');
      if (verdict !== 'reached') return not(UNREACHABLE);
      const hit = hits.map(({point}) => given.scene.boundaryAt(point));
      const most = Math.max(0, ...hit.map((one) => hit.filter((other) => other === one).length));
      const text = `Bug2 hits the same obstacle ${most} time${most === 1 ? '' : 's'}`;
      return most >= given.target ? solved(`${text}, and arrives.`)
        : not(`${text}; you need ${given.target}.`);
    },
  },
  'shortest-certificate': {
    title: 'The shortest certificate', target: 6,
    defaults: {algorithm: 'bug2', edit: '', show: 'mline certificate'}, check: checkCertificate,
  },
  'predict-bug2-leave': predicts('bug2', 'Bug2'),
  'predict-bug1-leave': predicts('bug1', 'Bug1'),
  'range-halves': {
    title: 'A range sensor halves the path', target: 0.5,
    defaults: {algorithm: 'tangent_bug', compare: 'bug2', edit: '', show: 'sensor'},
    check(given) {
      if (!given.isReachable) return not(UNREACHABLE);
      const [sees, touches] = [given.run('tangent_bug'), given.run('bug2')];
      if (sees.verdict !== 'reached') return not('TangentBug does not arrive here.');
      const share = sees.length / touches.length;
      const text = `TangentBug takes ${metres(sees.length)}, Bug2 ${metres(touches.length)}: ${
        Math.round(100 * share)} %`;
      return share <= given.target ? solved(`${text}.`)
        : not(`${text}; you need ${Math.round(100 * given.target)} % or less.`);
    },
  },
  'gap-closes': {
    title: 'A gap for a point only',
    defaults: {algorithm: 'bug2', edit: '', show: 'certificate', rho: '0.25'},
    check(given) {
      const point = given.run('bug2', given.options.turn, given.pointScene).verdict;
      const disc = given.run('bug2').verdict;
      const text = `For a point robot: ${verdictWord(point)}. For a disc of ${
        metres(given.options.rho)} radius: ${verdictWord(disc)}.`;
      return point === 'reached' && disc === 'unreachable' ? solved(text) : not(text);
    },
  },
  'person-blocks': {
    title: 'A person is no proof',
    defaults: {algorithm: 'bug2', drag: 'start goal walls', show: 'certificate'},
    check({result}) {
      const [{run}] = result.runs;
      if (result.isBlockedByPerson) {
        return solved('The robot closes the lap, but the chain contains a person, who may go '
          + 'away: this proves nothing.');
      }
      return not(run.verdict === 'reached' ? 'The robot reaches the goal: let the person stand in '
        + 'the only way.' : 'Without the person, the goal is unreachable as well: open a way.');
    },
  },
};

const verdictWord = (verdict) => ({reached: 'the goal is reached',
  unreachable: 'the goal is proven unreachable', loop: 'an endless loop'})[verdict] ?? verdict;

function checkCertificate(given) {
  const {scene} = given;
  const run = given.run('bug2');
  if (scene.isSolid(scene.goal)) return not('The goal must be in free space.');
  for (const [name, place] of [['start', scene.start], ['goal', scene.goal]]) {
    const clearance = Math.min(...scene.edges.map(({a, b}) => (
      distance(place, nearestOn(a, b, place)))));
    if (clearance < CLEARANCE) {
      return not(`The ${name} is ${metres(clearance)} from an obstacle; it needs ${
        metres(CLEARANCE)}.`);
    }
  }
  if (run.verdict !== 'unreachable') return not('The robot reaches the goal: close the chain.');
  const chain = run.certificate.reduce((sum, corner, k, all) => (
    sum + distance(corner, all[(k + 1) % all.length])), 0);
  const text = `The chain is closed: ${metres(chain)}`;
  return chain <= given.target ? solved(`${text}.`)
    : not(`${text}; you need at most ${metres(given.target)}.`);
}
