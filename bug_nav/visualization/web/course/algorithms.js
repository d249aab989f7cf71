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

/** The algorithms of the course: their steps as in the papers, and how to run them. */

import {believingBug1} from './believer.js';
import {faultOf} from './certificate.js';
import {CONTACT_POLICIES, explore} from './contact.js';
import {tr} from './strings.js';
import {tangentBug} from './tangent.js';
import {visBug} from './visbug.js';

const GO = {name: '1', text: tr('Move straight towards the goal T. If T is reached, stop. If an '
  + 'obstacle is hit at H_i, continue with 2.')};
const STEPS_OF_BUG2 = [
  {name: '1', text: tr('Move along the M-line towards the goal T. If T is reached, stop. If an '
    + 'obstacle is hit at H_i, continue with 2.')},
  {name: '2', text: tr('Follow the boundary in the chosen direction until one of these applies:')},
  {name: '2a', text: tr('T is reached. Stop.')},
  {name: '2b', text: tr('The M-line is met at Q, d(Q) < d(H_i), and the way from Q to T is free. '
    + 'Define L_i = Q and continue with 1.')},
  {name: '2c', text: tr('The robot is back at H_i. T is unreachable. Stop.')}];

const stepsOfVisBug = (shortcut) => [
  {name: '1', text: tr('If T is visible, it becomes T_i. The robot always moves straight to '
    + 'T_i.')},
  {name: '2', text: tr('Move T_i along the visible part of the M-line. If it meets an obstacle at '
    + 'H, continue with 3.')},
  {name: '3', text: tr('Move T_i along the boundary as far as it is visible without a break. '
    + 'Where it crosses the M-line closer than H, and the way is free, continue with 2.')},
  {name: '4', text: tr('If a point of the M-line is visible {0}, move T_i there; continue with 2.',
    shortcut)},
  {name: '5', text: tr('If T_i is back at H, T is unreachable. Stop there.')}];

/**
 * Steps, titles and functions by name.
 *
 * `looks` is true for algorithms that look every 5 cm only; the others have no step width.
 */
export const ALGORITHMS = {
  bug0: {title: 'Bug0', sensing: 'contact', steps: [GO,
    {name: '2', text: tr('Follow the boundary in the chosen direction.')},
    {name: '3', text: tr('As soon as the way to T is free, leave the boundary and continue with '
      + '1.')},
  ]},
  bug1: {title: 'Bug1', sensing: 'contact', steps: [GO,
    {name: '2', text: tr('Follow the boundary once around, back to H_i. Store the point Q of the '
      + 'boundary that is closest to T. If T is met, stop.')},
    {name: '3', text: tr('Return to Q by the shorter way. If the way from Q to T is blocked by '
      + 'this obstacle, T is unreachable. Stop. Otherwise define L_i = Q and continue with 1.')}]},
  bug1_believing: {title: tr('Bug1 that believes its odometry'), sensing: 'contact', steps: [
    {name: '1', text: tr('Move to where T seems to be. If T seems to be reached, stop. If an '
      + 'obstacle is hit at H_i, continue with 2.')},
    {name: '2', text: tr('Follow the boundary until H_i seems to be reached again. Store the '
      + 'point Q that seems to be closest to T.')},
    {name: '3', text: tr('Return to Q. If the way to where T seems to be is blocked, T seems to '
      + 'be unreachable. Stop. Otherwise define L_i = Q and continue with 1.')}]},
  bug2: {title: 'Bug2', sensing: 'contact', mLine: true, steps: STEPS_OF_BUG2},
  bug2_naive: {title: tr('Bug2 without memory'), sensing: 'contact', mLine: true, steps: [
    STEPS_OF_BUG2[0], STEPS_OF_BUG2[1], STEPS_OF_BUG2[2],
    {name: '2b', text: tr('The line is met anywhere, and the way to T is free. Continue with 1. '
      + '(Wrong: d(Q) < d(H_i) is missing, and so is 2c.)')}]},
  tangent_bug: {title: 'TangentBug', sensing: 'range', looks: true, choosesTurn: true, steps: [
    {name: '1', text: tr('If the visible way to T is free, move towards T. Otherwise move to the '
      + 'visible end O_i of an obstacle that is closer to T and has the least length '
      + '|x O_i| + |O_i T|. If there is none, a local minimum: move straight on until blocked '
      + '(ours), and continue with 2.')},
    {name: '2', text: tr('Follow the boundary to the side whose visible end has the shorter way '
      + 'to T. d_followed is the least distance from T to the boundary seen on the way.')},
    {name: '2b', text: tr('If a visible point has d_reach < d_followed, continue with 3.')},
    {name: '2c', text: tr('If the lap is closed and the way from its closest place to T is '
      + 'blocked, T is unreachable. Stop. If that way is free, return there, leave, and continue '
      + 'with 1 (ours).')},
    {name: '3', text: tr('Move to that point until d(x) < d_followed, and continue with 1.')}]},
  vis_bug_21: {title: 'VisBug-21', sensing: 'range', mLine: true, looks: true,
    steps: stepsOfVisBug(tr('that is closer to T than all crossings since H, and the robot is in '
      + 'the main semiplane'))},
  vis_bug_22: {title: 'VisBug-22', sensing: 'range', mLine: true, looks: true,
    steps: stepsOfVisBug(tr('that is closer to T than H'))},
};

/** Default range of the sensor [m]. */
export const SIGHT = 3.5;

/**
 * Run an algorithm with a point robot.
 *
 * @param {Scene} scene loops, start and goal.
 * @param {string} algorithm a name in ALGORITHMS.
 * @param {string} turn 'left' keeps obstacles on the right hand, 'right' on the left.
 * @param {number} sight range of the sensor [m]; contact algorithms ignore it.
 * @param {object} drift drift [degrees per metre] and seed, for `bug1_believing`.
 * @returns {Run} with the verdict 'reached', 'unreachable', 'loop', or 'limit'; 'unproven' if the
 *   check of the certificate finds a fault.
 */
export function runAlgorithm(scene, algorithm, turn = 'left', sight = SIGHT,
  drift = {drift: 0, seed: 1}) {
  if (algorithm === 'bug1_believing') return believingBug1(scene, turn, drift);
  const run = walkOf(scene, algorithm, turn, sight);
  return run.verdict === 'unreachable' ? run.checked(faultOf(run.certificate, scene)) : run;
}

function walkOf(scene, algorithm, turn, sight) {
  if (algorithm === 'tangent_bug') return tangentBug(scene, sight);
  if (algorithm.startsWith('vis_bug')) return visBug(algorithm, scene, turn, sight);
  return explore(scene, turn, algorithm, CONTACT_POLICIES[algorithm]);
}
