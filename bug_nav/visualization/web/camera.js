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

/** The part of a world that a picture shows. */

import {clamp} from './dom.js';

const MAX_SCALE = 4000;
const MIN_SCALE = 0.5;
/** Default margin around a fitted view [px]. */
const MARGIN = 20;

/** View transform: world in metres with y up, screen in CSS pixels with y down. */
export class Camera {
  constructor() {
    this.scale = 80;
    this.x = 0;
    this.y = 0;
    this.width = 1;
    this.height = 1;
  }

  screenX(x) {
    return (x - this.x) * this.scale + this.width / 2;
  }

  screenY(y) {
    return this.height / 2 - (y - this.y) * this.scale;
  }

  worldX(x) {
    return (x - this.width / 2) / this.scale + this.x;
  }

  worldY(y) {
    return (this.height / 2 - y) / this.scale + this.y;
  }

  /** Fit a box [x0, y0, x1, y1] between the insets of overlays. */
  fit([x0, y0, x1, y1], {left = MARGIN, top = MARGIN, right = MARGIN, bottom = MARGIN} = {}) {
    const room = (side, length) => Math.max(side, 40) / Math.max(length, 0.5);
    this.scale = clamp(Math.min(room(this.width - left - right, x1 - x0),
      room(this.height - top - bottom, y1 - y0)), MIN_SCALE, MAX_SCALE);
    this.x = (x0 + x1) / 2 - (left - right) / 2 / this.scale;
    this.y = (y0 + y1) / 2 + (top - bottom) / 2 / this.scale;
  }

  /** Zoom by a factor about a fixed screen point. */
  zoom(factor, atX, atY) {
    const [x, y] = [this.worldX(atX), this.worldY(atY)];
    this.scale = clamp(this.scale * factor, MIN_SCALE, MAX_SCALE);
    this.x += x - this.worldX(atX);
    this.y += y - this.worldY(atY);
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Set the transform of a context to metres. */
  world(context, ratio) {
    const scale = this.scale * ratio;
    context.setTransform(scale, 0, 0, -scale, (this.width / 2 - this.x * this.scale) * ratio,
      (this.height / 2 + this.y * this.scale) * ratio);
  }
}
