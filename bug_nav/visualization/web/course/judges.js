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
import {tr} from './strings.js';

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
      return tr('Start and goal are {0} apart; they need at least {1}.', metres(way),
        metres(LEAST_WAY));
    }
    if (scene.isSolid(goal)) return tr('The goal must be in free space.');
    for (const [name, place] of [[tr('The start'), start], [tr('The goal'), goal]]) {
      const free = Math.min(...scene.edges.map(
        ({a, b}) => distance(place, nearestOn(a, b, place))));
      if (shown(free) < clearance) {
        return tr('{0} is {1} from an obstacle; it needs at least {2}.', name, metres(free),
          metres(clearance));
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
const youNeed = (text, target) => not(tr('{0}; you need {1}.', text, target));
const UNREACHABLE = tr('The goal cannot be reached at all here: open a way to it.');
const factor = (value) => value.toFixed(2);

/** Return a judge that compares the lengths of two algorithms. */
const beats = (winner, loser, titles) => ({
  title: tr('{0} beats {1}', ...titles), target: 3,
  defaults: {algorithm: winner, compare: loser, edit: '', show: 'mline bounds'},
  check(given) {
    if (!given.isReachable) return not(UNREACHABLE);
    const [good, bad] = [given.run(winner).length, given.run(loser).length];
    const text = tr('{0} takes {1}, {2} {3}: a factor of {4}', titles[0], metres(good), titles[1],
      metres(bad), factor(bad / good));
    return shown(bad / good) >= given.target ? solved(`${text}.`) : youNeed(text, given.target);
  },
});

/** Return a judge of a predicted leave point. */
const predicts = (name, title) => ({
  title: tr('Where does {0} leave?', title), target: 0.15, isPrediction: true,
  defaults: {algorithm: name, drag: 'none', show: 'mline circumnavigation', code: ''},
  check(given) {
    const [leave] = given.run(name).leaves;
    if (!leave) return not(tr('{0} does not leave the boundary here at all.', title));
    const off = distance(given.description.flag, leave.point);
    const text = tr('{0} leaves at ({1}, {2}): your flag is {3} away.', title,
      ...leave.point.map((value) => value.toFixed(2)), metres(off));
    return shown(off) <= given.target ? solved(text)
      : not(`${text} ${tr('Step through the code to see why; then try a new scene.')}`);
  },
});

export const JUDGES = {
  'bug0-loops': {
    title: tr('Make Bug0 loop'), defaults: {algorithm: 'bug0', edit: '', code: ''},
    check(given) {
      if (!given.isReachable) return not(UNREACHABLE);
      const {verdict, length} = given.run('bug0');
      return verdict === 'loop'
        ? solved(tr('Bug0 repeats itself forever, although a way exists, which Bug2 finds.'))
        : not(tr('Bug0 reaches the goal after {0}. It must come back to a place where it has been '
          + 'before.', metres(length)));
    },
  },
  'bug0-one-side': {
    title: tr('One turn loops, the other arrives'),
    defaults: {algorithm: 'bug0', edit: '', code: ''},
    check(given) {
      const verdicts = ['left', 'right'].map((turn) => given.run('bug0', turn).verdict);
      const text = tr('Turning left: {0}. Turning right: {1}.', ...verdicts.map(verdictWord));
      return new Set(verdicts).size === 2 ? solved(text) : not(text);
    },
  },
  'bug1-beats-bug2-by-3': beats('bug1', 'bug2', ['Bug1', 'Bug2']),
  'bug2-beats-bug1-by-3': beats('bug2', 'bug1', ['Bug2', 'Bug1']),
  'bug1-near-bound': {
    title: tr('Bring Bug1 to its bound'), target: 0.95,
    defaults: {algorithm: 'bug1', edit: '', show: 'bounds circumnavigation disc'},
    check(given) {
      const {length, hits, verdict} = given.run('bug1');
      if (verdict !== 'reached') return not(UNREACHABLE);
      if (!hits.length) return not(tr('Bug1 hits no obstacle here.'));
      const {direct, value} = boundOf(given.scene, 'bug1');
      // Of what the obstacles add to D: otherwise a small obstacle far away would do.
      const share = (length - direct) / (value - direct);
      const text = tr('Beyond D = {0}, Bug1 walks {1}, {2} % of the {3} of its bound',
        metres(direct), metres(length - direct), percent(share), metres(value - direct));
      return percent(share) >= percent(given.target) ? solved(`${text}.`)
        : youNeed(text, `${percent(given.target)} %`);
    },
  },
  'bug2-revisits': {
    title: tr('Send Bug2 around again'), target: 3,
    defaults: {algorithm: 'bug2', edit: '', show: 'mline bounds'},
    check(given) {
      const {hits, verdict} = given.run('bug2');
      if (verdict !== 'reached') return not(UNREACHABLE);
      const hit = hits.map(({point}) => given.scene.boundaryAt(point));
      const most = Math.max(0, ...hit.map((one) => hit.filter((other) => other === one).length));
      const text = most === 1 ? tr('Bug2 hits the same obstacle 1 time')
        : tr('Bug2 hits the same obstacle {0} times', most);
      return most >= given.target ? solved(tr('{0}, and arrives.', text))
        : youNeed(text, given.target);
    },
  },
  'shortest-certificate': {
    title: tr('The shortest certificate'), target: 6, clearance: CLEARANCE,
    defaults: {algorithm: 'bug2', edit: '', show: 'mline certificate'}, check: checkCertificate,
  },
  'predict-bug2-leave': predicts('bug2', 'Bug2'),
  'predict-bug1-leave': predicts('bug1', 'Bug1'),
  'range-halves': {
    title: tr('A range sensor halves the path'), target: 0.5,
    defaults: {algorithm: 'tangent_bug', compare: 'bug2', edit: '', show: 'sensor'},
    check(given) {
      if (!given.isReachable) return not(UNREACHABLE);
      const [sees, touches] = [given.run('tangent_bug'), given.run('bug2')];
      if (sees.verdict !== 'reached') return not(tr('TangentBug does not arrive here.'));
      const share = sees.length / touches.length;
      const text = tr('TangentBug takes {0}, Bug2 {1}: {2} %', metres(sees.length),
        metres(touches.length), percent(share));
      return percent(share) <= percent(given.target) ? solved(`${text}.`)
        : not(tr('{0}; you need {1} % or less.', text, percent(given.target)));
    },
  },
  'gap-closes': {
    title: tr('A gap for a point only'),
    defaults: {algorithm: 'bug2', edit: '', show: 'certificate', rho: '0.25'},
    check(given) {
      const point = given.run('bug2', given.options.turn, given.pointScene).verdict;
      const disc = given.run('bug2').verdict;
      const text = tr('For a point robot: {0}. For a disc of {1} radius: {2}.', verdictWord(point),
        metres(given.options.rho), verdictWord(disc));
      return point === 'reached' && disc === 'unreachable' ? solved(text) : not(text);
    },
  },
  'drift-misleads': {
    title: tr('Mislead a robot'),
    defaults: {algorithm: 'bug1_believing', edit: '', code: '', drift: '0.5', sliders: 'drift',
      show: 'certificate'},
    check(given) {
      if (!given.isReachable) return not(UNREACHABLE);
      const {verdict, fault} = given.run('bug1_believing');
      return verdict === 'misled' ? solved(tr('The goal can be reached, and the robot believes to '
        + 'have proven that it cannot. The check of its chain: {0}.', fault))
        : not(`${MISLED_ENDS[verdict]} ${tr('It must believe to have closed a lap, and then find '
          + 'the way to the goal blocked.')}`);
    },
  },
  'person-blocks': {
    title: tr('A person is no proof'),
    defaults: {algorithm: 'bug2', drag: 'start goal walls', show: 'certificate'},
    check({result}) {
      const [{run}] = result.runs;
      if (result.isBlockedByPerson) {
        return solved(tr('The robot closes the lap, but the chain contains a person, who may go '
          + 'away: this proves nothing.'));
      }
      return not(run.verdict === 'reached'
        ? tr('The robot reaches the goal: let the person stand in the only way.')
        : tr('Without the person, the goal is unreachable as well: open a way.'));
    },
  },
};

const MISLED_ENDS = {
  reached: tr('The robot reaches the goal.'), lost: tr('The robot believes to be at the goal.'),
  loop: tr('The robot never recognizes the hit point.'), limit: tr('The robot walks on and on.'),
  unreachable: tr('The proof of the robot is right.')};

const verdictWord = (verdict) => ({reached: tr('the goal is reached'),
  unreachable: tr('the goal is proven unreachable'), loop: tr('an endless loop')})[verdict]
  ?? verdict;

function checkCertificate(given) {
  const {certificate, verdict} = given.run('bug2');
  if (verdict !== 'unreachable') {
    return not(tr('The robot reaches the goal: close the chain.'));
  }
  if (!turnsAround(certificate, given.scene.goal)) {
    return not(tr('The chain encloses the start; it must enclose the goal.'));
  }
  const length = perimeterOf(certificate);
  const text = tr('The chain is closed: {0}', metres(length));
  return shown(length) <= given.target ? solved(`${text}.`)
    : not(tr('{0}; you need at most {1}.', text, metres(given.target)));
}
