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

/** Common time of all runs on a page, and its controls. */

import {byId, clamp, clock, setIcon} from './dom.js';
import {lastBefore} from './document.js';

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64];
/** Maximum time step between two frames, after the page was hidden [s]. */
const MAX_GAP = 0.25;
const FRAME_SAMPLES = 90;

/** Measures the frame rate over the last frames. */
export class FrameCounter {
  constructor() {
    this.times = new Float64Array(FRAME_SAMPLES);
    this.count = 0;
  }

  add(milliseconds) {
    this.times[this.count++ % FRAME_SAMPLES] = milliseconds;
  }

  get perSecond() {
    const n = Math.min(this.count, FRAME_SAMPLES);
    if (n < 2) return 0;
    const newest = this.times[(this.count - 1) % FRAME_SAMPLES];
    const oldest = this.times[(this.count - n) % FRAME_SAMPLES];
    return newest > oldest ? 1000 * (n - 1) / (newest - oldest) : 0;
  }
}

/**
 * Plays runs and calls `changed()` when the tick changes.
 *
 * At the end it stays at the end when the runs are replaced, so that the whole path is visible
 * while the goal is dragged.
 */
export class Player {
  constructor(changed) {
    this.changed = changed;
    this.runs = [];
    this.focus = null;
    this.time = 0;
    this.last = 0;
    this.period = 0.05;
    this.isPlaying = false;
    this.atEnd = true;
    this.theme = null;
    this.frames = new FrameCounter();
    this.before = 0;
    this.connect();
  }

  get tick() {
    return Math.floor(this.time + 1e-6);
  }

  connect() {
    const on = (id, what) => byId(id).addEventListener('click', what);
    this.bar = byId('timeline');
    this.strip = byId('timeline-strip');
    on('play', () => this.toggle());
    on('to-first', () => this.seek(0));
    on('to-last', () => this.seek(this.last));
    on('step-back', () => this.seek(this.tick - 1));
    on('step-forward', () => this.seek(this.tick + 1));
    on('state-back', () => this.seekState(-1));
    on('state-forward', () => this.seekState(1));
    this.bar.addEventListener('input', () => this.seek(Number(this.bar.value)));
    const speed = byId('speed');
    SPEEDS.forEach((each) => speed.append(new Option(`${each}×`, String(each), each === 8,
      each === 8)));
    this.speed = 8;
    speed.addEventListener('change', () => { this.speed = Number(speed.value); });
    new ResizeObserver(() => this.drawStrip()).observe(this.strip);
  }

  /** Set the runs; the focused one defines the strip colours and the state steps. */
  setRuns(runs, focus) {
    const wasAtEnd = this.atEnd;
    this.runs = runs;
    this.focus = focus;
    this.last = Math.max(0, ...runs.map((run) => run.last));
    this.period = focus?.period ?? 0.05;
    this.bar.max = String(this.last);
    for (const each of document.querySelectorAll('#player button, #player input')) {
      each.disabled = !runs.length;
    }
    this.time = wasAtEnd ? this.last : Math.min(this.time, this.last);
    this.drawStrip();
    this.show();
  }

  setTheme(theme) {
    this.theme = theme;
    this.drawStrip();
  }

  toggle() {
    if (!this.runs.length) return;
    if (!this.isPlaying && this.time >= this.last) this.time = 0;
    this.setPlaying(!this.isPlaying);
  }

  setPlaying(isPlaying) {
    this.isPlaying = isPlaying;
    this.before = 0;
    if (isPlaying) this.frames = new FrameCounter();
    const button = byId('play');
    setIcon(button, isPlaying ? 'pause' : 'play');
    button.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    this.show();
  }

  seek(tick) {
    if (this.isPlaying) this.setPlaying(false);
    this.time = clamp(tick, 0, this.last);
    this.show();
  }

  /** Go to the next or previous state change of the focused run. */
  seekState(direction) {
    if (!this.focus) return;
    const ticks = this.focus.stateTicks;
    const here = lastBefore(ticks, this.tick);
    const began = ticks[here] ?? 0;
    const index = direction > 0 ? here + 1 : here - (this.tick === began ? 1 : 0);
    this.seek(index < 0 ? 0 : ticks[index] ?? this.focus.last);
  }

  /** Advance the time to that of a frame. */
  advance(milliseconds) {
    if (!this.isPlaying) return;
    this.frames.add(milliseconds);
    const gap = this.before ? Math.min((milliseconds - this.before) / 1000, MAX_GAP) : 0;
    this.before = milliseconds;
    this.time += gap * this.speed / this.period;
    if (this.time >= this.last) {
      this.time = this.last;
      this.setPlaying(false);
    }
    this.show();
  }

  show() {
    const {tick} = this;
    this.atEnd = this.time >= this.last && !this.isPlaying;
    this.bar.value = String(tick);
    const shown = `${clock(tick * this.period)} / ${clock(this.last * this.period)}`;
    const text = byId('time');
    if (text.textContent !== shown) {
      text.textContent = shown;
      this.bar.setAttribute('aria-valuetext', `${(tick * this.period).toFixed(1)} seconds`);
    }
    this.changed();
  }

  /** Draw phases, hit and leave points of the focused run above the slider. */
  drawStrip() {
    const {strip, theme, focus} = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
    const [width, height] = [strip.clientWidth, strip.clientHeight];
    if (!width || !theme) return;
    strip.width = Math.round(width * ratio);
    strip.height = Math.round(height * ratio);
    const context = strip.getContext('2d');
    context.scale(ratio, ratio);
    if (!focus || !this.last) return;
    const x = (tick) => tick / this.last * width;
    focus.phases.forEach((phase, k) => {
      const from = x(focus.stateTicks[k]);
      const to = x(focus.stateTicks[k + 1] ?? focus.last);
      context.fillStyle = theme.phases[phase];
      context.fillRect(from, 6, Math.max(to - from, 0.5), height - 6);
    });
    for (const event of focus.events) {
      context.fillStyle = event.kind === 'hit' ? theme.hit : theme.leave;
      const at = clamp(x(event.tick), 3, width - 3);
      context.beginPath();
      if (event.kind === 'hit') context.arc(at, 3.2, 2.8, 0, 2 * Math.PI);
      else context.rect(at - 2.5, 0.8, 5, 5);
      context.fill();
    }
  }

  /** Handle a key; return whether it was one of the player. */
  key(event) {
    const keys = {
      ' ': () => this.toggle(), ',': () => this.seek(this.tick - 1),
      '.': () => this.seek(this.tick + 1), '<': () => this.seekState(-1),
      '>': () => this.seekState(1), 'Home': () => this.seek(0),
      'End': () => this.seek(this.last),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return false;
    keys[event.key]();
    return true;
  }
}
