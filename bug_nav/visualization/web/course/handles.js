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

/** Moving the places of a diagram, by pointer and by keyboard. */

import {clamp} from '../dom.js';

const ARROW_STEP = 0.1;
const FINE_STEP = 0.02;
const MAX_TIMES = 2000;
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

/** Connects the places of a picture with a model; calls `changed(message, isDone)`. */
export class Mover {
  constructor(picture, model, {changed, selected}) {
    Object.assign(this, {picture, model, changed, selected, dragged: null, isPending: false});
    /** Durations of the first updates during drags [ms]. */
    this.times = [];
    const {root} = picture;
    // Browsers differ in whether touch-action applies to parts of a picture.
    root.addEventListener('touchstart', (event) => {
      if (event.target.closest('.handle, .body')) event.preventDefault();
    }, {passive: false});
    root.addEventListener('pointermove', (event) => this.moved(event));
    for (const name of ['pointerup', 'pointercancel']) {
      root.addEventListener(name, () => this.dropped());
    }
  }

  /** Make a node of the picture movable, a whole shape by pointer only. */
  listen(node, handle) {
    node.addEventListener('pointerdown', (event) => this.grabbed(event, handle));
    // A listener of the focus would make a shape a tab stop.
    if (handle.kind === 'body') return;
    node.addEventListener('keydown', (event) => this.pressed(event, handle));
    node.addEventListener('focus', () => {
      if (handle.shape !== undefined) this.selected(handle);
    });
  }

  place(event) {
    const box = this.picture.root.getBoundingClientRect();
    const {camera} = this.picture;
    const scale = camera.width / Math.max(box.width, 1);
    return [camera.worldX((event.clientX - box.left) * scale),
      camera.worldY((event.clientY - box.top) * scale)];
  }

  /** Return a place inside the picture. */
  inside([x, y]) {
    const {camera} = this.picture;
    const [a, b] = [[camera.worldX(4), camera.worldX(camera.width - 4)],
      [camera.worldY(camera.height - 4), camera.worldY(4)]];
    return [clamp(x, ...a), clamp(y, ...b)];
  }

  grabbed(event, handle) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.picture.root.setPointerCapture?.(event.pointerId);
    const from = this.place(event);
    this.dragged = {handle, from, offset: handle.at
      ? [handle.at[0] - from[0], handle.at[1] - from[1]] : [0, 0],
    places: handle.kind === 'body' ? this.placesOf(handle) : null};
    this.picture.focusOn(handle);
  }

  placesOf({shape}) {
    return this.model.handles(new Set(['walls'])).filter((each) => each.shape === shape)
      .map(({at}) => [...at]);
  }

  /** Follow the pointer, at most once per frame. */
  moved(event) {
    if (!this.dragged) return;
    this.target = this.place(event);
    if (this.isPending) return;
    this.isPending = true;
    requestAnimationFrame(() => {
      this.isPending = false;
      if (this.dragged) this.apply();
    });
  }

  apply() {
    const begin = performance.now();
    const {handle, from, offset, places} = this.dragged;
    const message = places
      ? this.model.moveShape(handle.shape,
        [this.target[0] - from[0], this.target[1] - from[1]], places)
      : this.model.move(handle, this.inside(
        [this.target[0] + offset[0], this.target[1] + offset[1]]));
    this.target = null;
    this.changed(message, false);
    if (this.times.length < MAX_TIMES) this.times.push(performance.now() - begin);
  }

  dropped() {
    if (!this.dragged) return;
    if (this.target) this.apply();
    this.dragged = null;
    this.changed(null, true);
  }

  /** Move the focused place with the arrow keys. */
  pressed(event, handle) {
    const arrow = ARROWS[event.key];
    if (!arrow || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const step = event.shiftKey ? FINE_STEP : ARROW_STEP;
    const {at} = this.model.handles(new Set(['start', 'goal', 'walls'])).find((each) => (
      each.kind === handle.kind && each.shape === handle.shape
      && each.corner === handle.corner)) ?? handle;
    const message = this.model.move(handle, this.inside(
      [at[0] + step * arrow[0], at[1] + step * arrow[1]]));
    this.changed(message, true);
  }
}
