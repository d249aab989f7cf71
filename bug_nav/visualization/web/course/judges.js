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
 * `check(case)`, which returns {isSolved, text}. `judged` is the way to call it: scenes in which
 * the task has no meaning are refused first. A value counts as it is shown, rounded.
 */

import {metres} from '../dom.js';
import {runAlgorithm} from './algorithms.js';
import {boundOf} from './bounds.js';
import {turnsAround} from './certificate.js';
import {distance, nearestOn, perimeterOf} from './geometry.js';
import {MIN_RANGE, sceneOf} from './model.js';

/** Minimum clearance of start and goal in `shortest-certificate` [m]. */
const CLEARANCE = 0.4;
/** Minimum clearance of start and goal elsewhere, beside the radius of the robot [m]. */
const LEAST_CLEARANCE = 0.1;
/** Minimum distance from start to goal [m]. */
const LEAST_WAY = 0.5;

/** A scene to judge, with the runs in it. */
export class Case {
  constructor({scene, options, result}, target) {
    Object.assign(this, {description: scene, options, result, target});
    this.scene = result.scene;
  }

  /** Return the run of an algorithm with the chosen turn, or another one. */
  run(name, turn = this.options.turn, scene = this.scene) {
    return runAlgorithm(scene, name, turn, Math.max(this.options.range, MIN_RANGE), this.options);
  }

  get isReachable() {
    return this.run('bug2').verdict === 'reached';
  }

  /** Return the scene of a point robot, even if the robot is a disc. */
  get pointScene() {
    return sceneOf(this.description, 0);
  }

  /** Return why the scene is no case of the task; '' if start and goal have a clearance [m]. */
  reasonAgainst(clearance) {
    const {start, goal} = this.description;
    const scene = this.pointScene;
    const way = distance(start, goal);
    if (shown(way) < LEAST_WAY) {
      return `Start and goal are ${metres(way)} apart; they need at least ${metres(LEAST_WAY)}.`;
    }
    if (scene.isSolid(goal)) return 'The goal must be in free space.';
    for (const [name, place] of [['start', start], ['goal', goal]]) {
      const free = Math.min(...scene.edges.map(
        ({a, b}) => distance(place, nearestOn(a, b, place))));
      if (shown(free) < clearance) {
        return `The ${name} is ${metres(free)} from an obstacle; it needs at least ${
          metres(clearance)}.`;
      }
    }
    return '';
  }
}

/** Return the judgement of a case: {isSolved, text}. */
export function judged(judge, given) {
  const reason = given.reasonAgainst(judge.clearance ?? LEAST_CLEARANCE + given.options.rho);
  return reason ? not(reason) : judge.check(given);
}

/** Return a value as it is shown, in steps of 0.01. */
const shown = (value) => Number(value.toFixed(2));
const percent = (share) => Math.round(100 * share);
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
    return shown(bad / good) >= given.target ? solved(`${text}.`)
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
    return shown(off) <= given.target ? solved(`${text}: your flag is ${metres(off)} away.`)
      : not(`${text}: your flag is ${metres(off)} away. Step through the code to see why; then `
        + 'try a new scene.');
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
      const {length, hits, verdict} = given.run('bug1');
      if (verdict !== 'reached') return not(UNREACHABLE);
      if (!hits.length) return not('Bug1 hits no obstacle here.');
      const {direct, value} = boundOf(given.scene, 'bug1');
      // Of what the obstacles add to D: otherwise a small obstacle far away would do.
      const share = (length - direct) / (value - direct);
      const text = `Beyond D = ${metres(direct)}, Bug1 walks ${metres(length - direct)}, ${
        percent(share)} % of the ${metres(value - direct)} of its bound`;
      return percent(share) >= percent(given.target) ? solved(`${text}.`)
        : not(`${text}; you need ${percent(given.target)} %.`);
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
    title: 'The shortest certificate', target: 6, clearance: CLEARANCE,
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
        percent(share)} %`;
      return percent(share) <= percent(given.target) ? solved(`${text}.`)
        : not(`${text}; you need ${percent(given.target)} % or less.`);
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
  'drift-misleads': {
    title: 'Mislead a robot',
    defaults: {algorithm: 'bug1_believing', edit: '', code: '', drift: '0.5', sliders: 'drift',
      show: 'certificate'},
    check(given) {
      if (!given.isReachable) return not(UNREACHABLE);
      const {verdict, fault} = given.run('bug1_believing');
      return verdict === 'misled' ? solved('The goal can be reached, and the robot believes to '
        + `have proven that it cannot. The check of its chain: ${fault}.`)
        : not(`${MISLED_ENDS[verdict]} It must believe to have closed a lap, and then find the `
          + 'way to the goal blocked.');
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

const MISLED_ENDS = {
  reached: 'The robot reaches the goal.', lost: 'The robot believes to be at the goal.',
  loop: 'The robot never recognizes the hit point.', limit: 'The robot walks on and on.',
  unreachable: 'The proof of the robot is right.'};

const verdictWord = (verdict) => ({reached: 'the goal is reached',
  unreachable: 'the goal is proven unreachable', loop: 'an endless loop'})[verdict] ?? verdict;

function checkCertificate(given) {
  const {certificate, verdict} = given.run('bug2');
  if (verdict !== 'unreachable') return not('The robot reaches the goal: close the chain.');
  if (!turnsAround(certificate, given.scene.goal)) {
    return not('The chain encloses the start; it must enclose the goal.');
  }
  const length = perimeterOf(certificate);
  const text = `The chain is closed: ${metres(length)}`;
  return shown(length) <= given.target ? solved(`${text}.`)
    : not(`${text}; you need at most ${metres(given.target)}.`);
}
