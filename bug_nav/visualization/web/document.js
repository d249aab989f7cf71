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

/** Decode a run document for queries by tick. */

import {phaseOf} from './palette.js';

/** Maximum deviation of the simplified path [m]. */
const MAX_DEVIATION = 0.003;

/** Return the cumulative sums of differences, converted from 1/1000 m or rad. */
function summed(differences) {
  const values = new Float32Array(differences.length);
  let sum = 0;
  for (let k = 0; k < differences.length; k++) {
    sum += differences[k];
    values[k] = sum / 1000;
  }
  return values;
}

/** Return the index of the last of the sorted `ticks` not after `tick`; -1 if none. */
export function lastBefore(ticks, tick) {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ticks[middle] <= tick) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Return the path length at each tick [m]. */
function lengths(x, y) {
  const values = new Float32Array(x.length);
  for (let k = 1; k < x.length; k++) {
    values[k] = values[k - 1] + Math.hypot(x[k] - x[k - 1], y[k] - y[k - 1]);
  }
  return values;
}

/** Return the ticks of the simplified path: straight parts keep only their ends. */
function corners(x, y, changes) {
  const kept = [0];
  let from = 0;
  for (let k = 1; k < x.length; k++) {
    if (k - from > 60 || changes.has(k) || k === x.length - 1 || bends(x, y, from, k + 1)) {
      kept.push(k);
      from = k;
    }
  }
  return Int32Array.from(kept);
}

function bends(x, y, from, to) {
  if (to >= x.length) return false;
  const dx = x[to] - x[from];
  const dy = y[to] - y[from];
  const length = Math.hypot(dx, dy) || 1e-9;
  for (let k = from + 1; k < to; k++) {
    const off = Math.abs(dx * (y[k] - y[from]) - dy * (x[k] - x[from])) / length;
    if (off > MAX_DEVIATION) return true;
  }
  return false;
}

/** Return the ticks of arrow heads: evenly spaced, away from the marks. */
function arrows(run, x, y, travelled, spacing) {
  const found = [];
  let next = 0.5 * spacing;
  for (let k = 0; k < x.length; k++) {
    const clear = () => run.events.every(
      (event) => Math.hypot(event.x - x[k], event.y - y[k]) > 0.25);
    if (travelled[k] >= next && clear()) {
      found.push(k);
      next = travelled[k] + spacing;
    }
  }
  return Int32Array.from(found);
}

/** Return the obstacle points that the robot remembered, by time of observation. */
function decodePoints(points, last) {
  const sorted = [...points].sort((one, other) => one[2] - other[2]);
  const end = (point) => (point[3] < 0 ? last + 1 : point[3]);
  return {
    x: Float32Array.from(sorted, (point) => point[0] / 100),
    y: Float32Array.from(sorted, (point) => point[1] / 100),
    from: Int32Array.from(sorted, (point) => point[2]),
    to: Int32Array.from(sorted, end),
    removed: Int32Array.from(sorted, end).sort(),
  };
}

function decodeScans(scans) {
  return {
    at: Int32Array.from(scans.at),
    angleMin: scans.angle_min, increment: scans.angle_increment, mount: scans.mount,
    rows: scans.ranges.map((row) => Uint16Array.from(row)),
  };
}

/** Return a decoded run. */
export function decodeRun(run) {
  const [x, y, yaw] = [summed(run.x), summed(run.y), summed(run.yaw)];
  const last = x.length - 1;
  const stateTicks = Int32Array.from(run.states, (each) => each[0]);
  const phases = [];
  run.states.forEach(([tick, state], k) => {
    // The last tick has no state; it keeps the previous phase.
    const phase = state ? phaseOf(state) : phases[k - 1] ?? phaseOf('');
    phases.push(phase);
  });
  const travelled = lengths(x, y);
  const spacing = Math.max(0.9, travelled[last] / 30);
  return {
    source: run, algorithm: run.algorithm, title: run.title || run.algorithm,
    outcome: run.outcome, message: run.message, report: run.report, events: run.events,
    period: run.period, last, x, y, yaw, travelled,
    estimated: run.estimated && {
      x: summed(run.estimated.x), y: summed(run.estimated.y), yaw: summed(run.estimated.yaw)},
    stateTicks, states: run.states.map((each) => each[1]), phases,
    whyTicks: Int32Array.from(run.why, (each) => each[0]), why: run.why,
    corners: corners(x, y, new Set(stateTicks)),
    spacing, arrows: arrows(run, x, y, travelled, spacing),
    scans: run.detail?.scans ? decodeScans(run.detail.scans) : null,
    points: run.detail ? decodePoints(run.detail.points, last) : null,
    movers: (run.detail?.movers ?? []).filter((mover) => mover.poses.length),
  };
}

export const stateAt = (run, tick) => run.states[lastBefore(run.stateTicks, tick)] ?? '';
export const phaseAt = (run, tick) => run.phases[Math.max(lastBefore(run.stateTicks, tick), 0)]
  ?? phaseOf('');

/** Return step and reason at a tick; null if there are none. */
export function whyAt(run, tick) {
  const found = run.why[lastBefore(run.whyTicks, tick)];
  return found ? {tick: found[0], step: found[1], reason: found[2]} : null;
}

/**
 * Store in `into` the pose of the robot's odometry frame in the true frame at a tick: points are
 * remembered in the former and drawn in the latter.
 */
export function frameAt(run, tick, into) {
  if (!run.estimated) {
    into.x = into.y = into.turn = 0;
    return into;
  }
  const {x, y, yaw} = run.estimated;
  into.turn = run.yaw[tick] - yaw[tick];
  const [cos, sin] = [Math.cos(into.turn), Math.sin(into.turn)];
  into.x = run.x[tick] - cos * x[tick] + sin * y[tick];
  into.y = run.y[tick] - sin * x[tick] - cos * y[tick];
  return into;
}

/** Return a playback document from its compressed base64 text. */
export async function inflated(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}
