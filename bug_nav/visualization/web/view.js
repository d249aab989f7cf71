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
 * Map on a canvas: the world and its runs at a tick.
 *
 * Static content is cached in layers: the ground (world, contour, whole paths), the points, and
 * the trail, which grows incrementally. Long runs therefore play as smoothly as short ones.
 */

import {Camera} from './camera.js';
import {clamp, markName} from './dom.js';
import {frameAt, lastBefore, phaseAt} from './document.js';
import {COLOURS, RETURN} from './palette.js';

/** Margin around the world, for a robot that follows its outermost solids [m]. */
const ROBOT_MARGIN = 0.3;
const FULL_CIRCLE = 2 * Math.PI;
/** Spacing of arrow heads [px], and minimum scale of maps with labels [px/m]. */
const ARROW_SPACING = 40;
const LABEL_SCALE = 32;

/** Off-screen canvas that is drawn as one image. */
class Layer {
  constructor() {
    this.canvas = document.createElement('canvas');
    this.context = this.canvas.getContext('2d');
  }

  clear(width, height) {
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, width, height);
  }
}

/** Return the outline of polygons [x, y, x, y, ...] in metres as one path. */
export function outlineOf(polygons) {
  const path = new Path2D();
  for (const polygon of polygons) {
    for (let k = 0; k + 1 < polygon.length; k += 2) {
      if (k) path.lineTo(polygon[k], polygon[k + 1]);
      else path.moveTo(polygon[0], polygon[1]);
    }
    path.closePath();
  }
  return path;
}

/** Return the polygons grouped by surface, as paths. */
export function pathsOf(solids) {
  const kinds = new Map();
  for (const {polygon, surface} of solids) {
    if (!kinds.has(surface)) kinds.set(surface, []);
    kinds.get(surface).push(polygon);
  }
  return {all: outlineOf(solids.map((solid) => solid.polygon)),
    faces: [...kinds].map(([surface, polygons]) => [surface, outlineOf(polygons)])};
}

/** Return the solids of an unedited world. */
export function solidsOf(world) {
  return world.solids.map((solid, k) => ({
    key: `b${k}`, polygon: solid.map((value) => value / 1000),
    surface: world.surfaces[k] ?? 'wall'}));
}

/**
 * Canvas with its layers and camera.
 *
 * `scene` is shared by all stages of a page: {paths, bounds, start, goal, rho, radius, tolerance,
 * mLine, growing}. `runs` are those of this stage: [{run, colour, stale}]; a single run is
 * coloured by phase.
 */
export class Stage {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.scene = scene;
    this.runs = [];
    this.camera = new Camera();
    this.show = {scan: true, points: true, contour: true, ahead: true};
    this.weight = 1;
    this.overlay = null;
    this.insets = {};
    this.ratio = 1;
    this.ground = new Layer();
    this.trail = new Layer();
    this.points = new Layer();
    this.frame = {x: 0, y: 0, turn: 0};
    this.drawn = {x: 0, y: 0, turn: 0};
    this.invalidate();
  }

  /** Adapt to the size of the element; return whether it changed. */
  resize() {
    const {clientWidth, clientHeight} = this.canvas;
    const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (!width || !height) return false;
    if (width === this.canvas.width && height === this.canvas.height && ratio === this.ratio
        && this.camera.width === clientWidth) return false;
    this.ratio = ratio;
    this.canvas.width = width;
    this.canvas.height = height;
    this.camera.width = clientWidth;
    this.camera.height = clientHeight;
    this.invalidate();
    return true;
  }

  fit() {
    const {bounds, start, goal} = this.scene;
    const places = [start, goal].filter(Boolean);
    const xs = places.map((place) => place[0]);
    const ys = places.map((place) => place[1]);
    const margin = ROBOT_MARGIN;
    this.camera.fit([Math.min(bounds[0], ...xs) - margin, Math.min(bounds[1], ...ys) - margin,
      Math.max(bounds[2], ...xs) + margin, Math.max(bounds[3], ...ys) + margin], this.insets);
    this.invalidate();
  }

  /** Invalidate all layers. */
  invalidate() {
    this.isGroundDrawn = false;
    this.invalidateTrail();
  }

  invalidateTrail() {
    this.trailTicks = null;
    this.pointsTick = -1;
  }

  px(pixels) {
    return pixels / this.camera.scale;
  }

  /** Return whether colours represent states, not algorithms. */
  get isByPhase() {
    return this.runs.length === 1 && !this.isByRun;
  }

  colourOf(entry, phase, theme) {
    return this.isByPhase ? theme.phases[phase] : theme.runs[entry.colour % COLOURS];
  }

  /** Draw the frame of a tick. */
  draw(tick, theme) {
    const {context, canvas} = this;
    if (!canvas.width || !this.camera.width) return;
    if (!this.isGroundDrawn) this.drawGround(theme);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.ground.canvas, 0, 0);
    this.drawPoints(tick, theme);
    this.drawMovers(tick, theme);
    this.drawScans(tick, theme);
    this.drawMLine(theme);
    this.drawTrail(tick, theme);
    this.drawProofs(tick, theme);
    this.drawGrowing(theme);
    this.drawGoalArea(theme);
    this.drawStart(theme);
    this.drawMarks(tick, theme);
    this.drawRobots(tick, theme);
    this.drawGoal(theme);
    this.overlay?.(context, this, theme);
    this.drawScale(theme);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  // ---- layers ---------------------------------------------------------------------------------

  drawGround(theme) {
    const {ground, camera, scene, canvas} = this;
    const {context} = ground;
    ground.clear(canvas.width, canvas.height);
    context.fillStyle = theme.floor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    this.drawGrid(context, theme);
    camera.world(context, this.ratio);
    context.lineJoin = 'round';
    if (this.show.contour && scene.rho) this.drawContour(context, theme);
    context.lineWidth = this.px(1.6 * this.weight);
    context.strokeStyle = theme.solid_edge;
    // Edges before faces, so that overlapping walls look like one.
    context.stroke(scene.paths.all);
    for (const [surface, path] of scene.paths.faces) {
      context.fillStyle = {glass: theme.glass, black: theme.black}[surface] ?? theme.solid;
      context.fill(path);
    }
    if (this.show.ahead) this.runs.forEach((entry) => this.drawWholePath(entry, theme));
    this.isGroundDrawn = true;
  }

  drawContour(context, theme) {
    const {paths, rho} = this.scene;
    context.strokeStyle = theme.contour;
    context.lineWidth = 2 * rho + this.px(1.2);
    context.stroke(paths.all);
    context.strokeStyle = theme.contour_fill;
    context.lineWidth = Math.max(2 * rho - this.px(1.2), 0);
    context.stroke(paths.all);
  }

  drawGrid(context, theme) {
    const {camera, ratio} = this;
    const step = gridStep(camera.scale, 56);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.strokeStyle = theme.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (let k = Math.ceil(camera.worldX(0) / step);
      k * step <= camera.worldX(camera.width); k++) {
      const x = Math.round(camera.screenX(k * step)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, camera.height);
    }
    for (let k = Math.ceil(camera.worldY(camera.height) / step);
      k * step <= camera.worldY(0); k++) {
      const y = Math.round(camera.screenY(k * step)) + 0.5;
      context.moveTo(0, y);
      context.lineTo(camera.width, y);
    }
    context.stroke();
  }

  /** Draw the whole path faintly, also a stale one during a drag. */
  drawWholePath(entry, theme) {
    const {context} = this.ground;
    context.globalAlpha = entry.stale ? 0.22 : 0.28;
    this.strokePath(context, entry, 0, entry.run.last, theme, 1.6 * this.weight);
    context.globalAlpha = 1;
  }

  /** Stroke a path between two ticks, each phase in its colour. */
  strokePath(context, entry, from, to, theme, width) {
    const {run} = entry;
    context.lineWidth = this.px(width);
    context.lineCap = 'round';
    context.lineJoin = 'round';
    let corner = lastBefore(run.corners, from) + 1;
    let phase = phaseAt(run, from);
    this.beginSection(context, entry, phase, from, theme);
    for (; corner < run.corners.length && run.corners[corner] < to; corner++) {
      const tick = run.corners[corner];
      context.lineTo(run.x[tick], run.y[tick]);
      const next = phaseAt(run, tick);
      if (next !== phase) {
        context.stroke();
        phase = next;
        this.beginSection(context, entry, phase, tick, theme);
      }
    }
    context.lineTo(run.x[to], run.y[to]);
    context.stroke();
    context.setLineDash([]);
  }

  /** Begin a path section at a tick, with the colour and dashes of its phase. */
  beginSection(context, entry, phase, tick, theme) {
    const {run} = entry;
    const isDashed = this.isByPhase ? phase === RETURN : entry.colour >= COLOURS;
    context.setLineDash(isDashed ? [this.px(7), this.px(6)] : []);
    // The trail grows frame by frame: continue its dashes.
    context.lineDashOffset = run.travelled[tick];
    context.strokeStyle = this.colourOf(entry, phase, theme);
    context.beginPath();
    context.moveTo(run.x[tick], run.y[tick]);
  }

  /** Add the path since the last frame to the trail. */
  drawTrail(tick, theme) {
    const {trail, camera, canvas} = this;
    const {context} = trail;
    const isAfter = this.trailTicks !== null && this.runs.every(
      (entry, k) => this.trailTicks[k] <= Math.min(tick, entry.run.last));
    if (!isAfter) {
      trail.clear(canvas.width, canvas.height);
      this.trailTicks = new Int32Array(this.runs.length);
    }
    camera.world(context, this.ratio);
    for (let k = 0; k < this.runs.length; k++) {
      const entry = this.runs[k];
      const to = Math.min(tick, entry.run.last);
      if (entry.stale || this.trailTicks[k] >= to) continue;
      this.strokePath(context, entry, this.trailTicks[k], to, theme, this.trailWidth(k));
      this.strokeArrows(context, entry, this.trailTicks[k], to, theme);
      this.trailTicks[k] = to;
    }
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.drawImage(trail.canvas, 0, 0);
  }

  /** Return the width of overlaid paths: lower ones are wider, so that all are visible. */
  trailWidth(k) {
    const above = this.runs.length - 1 - k;
    return (2.8 + Math.min(above, 4) * 1.5) * this.weight;
  }

  strokeArrows(context, entry, from, to, theme) {
    const {run} = entry;
    const size = this.px(5.5 * this.weight);
    const every = Math.ceil(ARROW_SPACING * this.weight / this.camera.scale / run.spacing);
    for (let k = lastBefore(run.arrows, from) + 1; k < run.arrows.length
        && run.arrows[k] <= to; k++) {
      if (k % every) continue;
      const tick = run.arrows[k];
      const [cos, sin] = [Math.cos(run.yaw[tick]) * size, Math.sin(run.yaw[tick]) * size];
      const [x, y] = [run.x[tick], run.y[tick]];
      context.beginPath();
      context.moveTo(x + 1.2 * cos, y + 1.2 * sin);
      context.lineTo(x - 0.8 * cos - sin, y - 0.8 * sin + cos);
      context.lineTo(x - 0.8 * cos + sin, y - 0.8 * sin - cos);
      context.closePath();
      context.fillStyle = this.colourOf(entry, phaseAt(run, tick), theme);
      context.strokeStyle = theme.floor;
      context.lineWidth = this.px(1.2);
      context.fill();
      context.stroke();
    }
  }

  /** Draw the remembered points; of a single run only, because they would overlap. */
  drawPoints(tick, theme) {
    const entry = this.runs.length === 1 ? this.runs[0] : null;
    const points = entry?.run.points;
    if (!this.show.points || !points || entry.stale) return;
    const now = Math.min(tick, entry.run.last);
    const frame = frameAt(entry.run, now, this.frame);
    const {x, y, from, to, removed} = points;
    const before = this.pointsTick;
    const isNew = before < 0 || before > now || this.hasMoved(frame)
      || lastBefore(removed, now) !== lastBefore(removed, before);
    if (isNew) {
      this.points.clear(this.canvas.width, this.canvas.height);
      Object.assign(this.drawn, frame);
    }
    const {context} = this.points;
    this.camera.world(context, this.ratio);
    context.fillStyle = theme.point;
    const size = Math.max(0.02, this.px(2 * this.weight));
    const [cos, sin] = [Math.cos(frame.turn), Math.sin(frame.turn)];
    const end = lastBefore(from, now);
    for (let k = isNew ? 0 : lastBefore(from, before) + 1; k <= end; k++) {
      if (to[k] <= now) continue;
      context.fillRect(frame.x + cos * x[k] - sin * y[k] - size / 2,
        frame.y + sin * x[k] + cos * y[k] - size / 2, size, size);
    }
    this.pointsTick = now;
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.drawImage(this.points.canvas, 0, 0);
  }

  /** Return whether the odometry frame has visibly moved since the last drawing. */
  hasMoved(frame) {
    const {drawn} = this;
    const seen = this.px(0.7);
    return Math.abs(frame.x - drawn.x) > seen || Math.abs(frame.y - drawn.y) > seen
      || Math.abs(frame.turn - drawn.turn) > 0.002;
  }

  // ---- dynamic content ------------------------------------------------------------------------

  drawMovers(tick, theme) {
    const entry = this.runs.find((each) => each.run.movers.length && !each.stale);
    if (!entry) return;
    const {context} = this;
    this.camera.world(context, this.ratio);
    context.fillStyle = theme.mover;
    for (const {solid, every, poses} of entry.run.movers) {
      const at = 3 * Math.min(Math.floor(Math.min(tick, entry.run.last) / every),
        poses.length / 3 - 1);
      if (poses[at] === null) continue;
      const [cos, sin] = [Math.cos(poses[at + 2] / 1000), Math.sin(poses[at + 2] / 1000)];
      context.beginPath();
      for (let k = 0; k < solid.length; k += 2) {
        context.lineTo((poses[at] + cos * solid[k] - sin * solid[k + 1]) / 1000,
          (poses[at + 1] + sin * solid[k] + cos * solid[k + 1]) / 1000);
      }
      context.fill();
    }
  }

  drawScans(tick, theme) {
    if (!this.show.scan) return;
    for (const entry of this.runs) {
      const {run} = entry;
      if (!run.scans || entry.stale || (tick >= run.last && this.runs.length > 1)) continue;
      const at = lastBefore(run.scans.at, Math.min(tick, run.last));
      if (at < 0) continue;
      const {angleMin, increment, mount, rows} = run.scans;
      const when = run.scans.at[at];
      const [cos, sin] = [Math.cos(run.yaw[when]), Math.sin(run.yaw[when])];
      this.strokeScan(rows[at], run.x[when] + cos * mount[0] - sin * mount[1],
        run.y[when] + sin * mount[0] + cos * mount[1], run.yaw[when] + mount[2], angleMin,
        increment, this.runs.length > 1 ? theme.runs[entry.colour % COLOURS] : theme.scan);
    }
  }

  /** Draw the area of a scan; `ranges` in centimetres, 0 for no return. */
  strokeScan(ranges, x, y, yaw, angleMin, increment, colour) {
    const {context} = this;
    this.camera.world(context, this.ratio);
    context.fillStyle = colour;
    context.globalAlpha = 0.13;
    context.beginPath();
    context.moveTo(x, y);
    for (let k = 0; k < ranges.length; k++) {
      const angle = yaw + angleMin + k * increment;
      const range = ranges[k] / 100;
      context.lineTo(x + range * Math.cos(angle), y + range * Math.sin(angle));
    }
    context.closePath();
    context.fill();
    context.globalAlpha = 0.75;
    const size = this.px(2.6 * this.weight);
    for (let k = 0; k < ranges.length; k++) {
      if (!ranges[k]) continue;
      const angle = yaw + angleMin + k * increment;
      const range = ranges[k] / 100;
      context.fillRect(x + range * Math.cos(angle) - size / 2,
        y + range * Math.sin(angle) - size / 2, size, size);
    }
    context.globalAlpha = 1;
  }

  drawMLine(theme) {
    const {start, goal, mLine} = this.scene;
    if (!mLine || !start || !goal || this.runs.every((entry) => !entry.run.source.m_line)) return;
    const {context} = this;
    this.camera.world(context, this.ratio);
    context.strokeStyle = theme.m_line;
    context.lineWidth = this.px(1.2 * this.weight);
    context.setLineDash([this.px(7), this.px(6)]);
    context.beginPath();
    context.moveTo(start[0], start[1]);
    context.lineTo(goal[0], goal[1]);
    context.stroke();
    context.setLineDash([]);
  }

  /** Draw the proof of an unreachable goal at the end of a run. */
  drawProofs(tick, theme) {
    for (const entry of this.runs) {
      const {run} = entry;
      if (entry.stale || tick < run.last) continue;
      const {certificate, lap} = run.source;
      if (certificate.length) this.drawCertificate(certificate, theme);
      else if (lap) this.drawLap(entry, lap, theme);
    }
  }

  drawCertificate(chain, theme) {
    const {context} = this;
    this.camera.world(context, this.ratio);
    context.beginPath();
    for (const [x, y] of chain) context.lineTo(x, y);
    context.closePath();
    context.fillStyle = context.strokeStyle = theme.certificate;
    context.globalAlpha = 0.1;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = this.px(1.8 * this.weight);
    context.stroke();
    const size = this.px(2.6 * this.weight);
    for (const [x, y] of chain) {
      context.beginPath();
      context.arc(x, y, size, 0, FULL_CIRCLE);
      context.fill();
    }
  }

  drawLap(entry, [from, to], theme) {
    const {context} = this;
    this.camera.world(context, this.ratio);
    context.globalAlpha = 0.3;
    context.strokeStyle = theme.certificate;
    context.lineWidth = this.px(11 * this.weight);
    context.beginPath();
    for (let tick = from; tick <= Math.min(to, entry.run.last); tick += 3) {
      context.lineTo(entry.run.x[tick], entry.run.y[tick]);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  /** Draw the paths that are being computed. */
  drawGrowing(theme) {
    if (!this.scene.growing) return;
    const {context} = this;
    this.camera.world(context, this.ratio);
    context.lineCap = context.lineJoin = 'round';
    const paths = [...this.scene.growing.values()];
    for (const {xy, length, colour, algorithm, before} of [
      ...paths.map((path) => path.before).filter(Boolean), ...paths]) {
      if (length < 4 || (this.only && this.only !== algorithm)) continue;
      // `before` is null for a path that is being replaced.
      context.globalAlpha = before === null ? 0.3 : 1;
      context.strokeStyle = theme.runs[colour % COLOURS];
      context.lineWidth = this.px(2.8 * this.weight);
      context.beginPath();
      for (let k = 0; k < length; k += 2) context.lineTo(xy[k], xy[k + 1]);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  drawGoalArea(theme) {
    const {goal, tolerance} = this.scene;
    if (!goal) return;
    const {context, camera} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const [x, y] = [camera.screenX(goal[0]), camera.screenY(goal[1])];
    context.globalAlpha = 0.22;
    context.fillStyle = theme.goal;
    context.beginPath();
    context.arc(x, y, Math.max((tolerance ?? 0) * camera.scale, 13 * this.weight), 0, FULL_CIRCLE);
    context.fill();
    context.globalAlpha = 1;
  }

  /** Draw the goal as a star, on top of the robot. */
  drawGoal(theme) {
    const {goal} = this.scene;
    if (!goal) return;
    const {context, camera} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const [x, y] = [camera.screenX(goal[0]), camera.screenY(goal[1])];
    context.fillStyle = theme.goal;
    star(context, x, y, 9.5 * this.weight);
    context.strokeStyle = theme.floor;
    context.lineWidth = 1.5 * this.weight;
    context.lineJoin = 'round';
    context.stroke();
    context.fill();
    if (camera.scale < LABEL_SCALE) return;
    this.label('goal', x, y - 20 * this.weight, theme.goal, theme);
  }

  drawStart(theme) {
    const {start, radius} = this.scene;
    if (!start) return;
    this.disc(start[0], start[1], start[2], radius, theme.robot, theme, 1);
    const {camera} = this;
    if (camera.scale < LABEL_SCALE) return;
    const size = Math.max(radius * camera.scale, 7 * this.weight);
    this.label('start', camera.screenX(start[0]),
      camera.screenY(start[1]) + size + 11 * this.weight, theme.ink, theme);
  }

  /** Draw a robot as a disc with a heading line. */
  disc(x, y, yaw, radius, colour, theme, alpha) {
    const {context, camera} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const [sx, sy] = [camera.screenX(x), camera.screenY(y)];
    const size = Math.max(radius * camera.scale, 7 * this.weight);
    context.globalAlpha = alpha;
    context.beginPath();
    context.arc(sx, sy, size, 0, FULL_CIRCLE);
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = theme.floor;
    context.lineWidth = 1.6 * this.weight;
    context.stroke();
    context.beginPath();
    context.moveTo(sx, sy);
    context.lineTo(sx + size * Math.cos(yaw), sy - size * Math.sin(yaw));
    context.lineWidth = 2 * this.weight;
    context.stroke();
  }

  drawMarks(tick, theme) {
    for (const entry of this.runs) {
      if (entry.stale) continue;
      for (const event of entry.run.events) this.drawMark(event, tick, theme);
    }
  }

  drawMark(event, tick, theme) {
    const {context, camera, weight} = this;
    const isHit = event.kind === 'hit';
    if (event.tick > tick && !this.show.ahead) return;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const [x, y] = [camera.screenX(event.x), camera.screenY(event.y)];
    const size = (camera.scale < LABEL_SCALE ? 3.4 : 4.6) * weight;
    context.globalAlpha = event.tick > tick ? 0.3 : 1;
    context.fillStyle = isHit ? theme.hit : theme.leave;
    context.strokeStyle = theme.floor;
    context.lineWidth = 1.5 * weight;
    context.beginPath();
    if (isHit) context.arc(x, y, size, 0, FULL_CIRCLE);
    else context.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
    context.fill();
    context.stroke();
    if (this.runs.length === 1 && camera.scale >= LABEL_SCALE) {
      this.label(markName(event), x + 12 * weight, y - 11 * weight,
        isHit ? theme.hit : theme.leave, theme);
    }
    context.globalAlpha = 1;
  }

  drawRobots(tick, theme) {
    for (const entry of this.runs) {
      const {run} = entry;
      if (entry.stale) continue;
      const at = Math.min(tick, run.last);
      const colour = this.colourOf(entry, phaseAt(run, at), theme);
      if (run.estimated) this.drawEstimated(run, at, theme);
      this.disc(run.x[at], run.y[at], run.yaw[at], run.source.radius, colour, theme, 0.92);
      if (run.outcome === 'collision' && tick >= run.last) this.drawCollision(run, theme);
    }
  }

  /** Draw a ring at the estimated pose of the robot. */
  drawEstimated(run, at, theme) {
    const {context, camera} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.strokeStyle = theme.muted;
    context.lineWidth = 1.3 * this.weight;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.arc(camera.screenX(run.estimated.x[at]), camera.screenY(run.estimated.y[at]),
      Math.max(run.source.radius * camera.scale, 7), 0, FULL_CIRCLE);
    context.stroke();
    context.setLineDash([]);
  }

  drawCollision(run, theme) {
    const {context, camera} = this;
    const [x, y] = [camera.screenX(run.x[run.last]), camera.screenY(run.y[run.last])];
    context.strokeStyle = theme.hit;
    context.lineWidth = 2.4 * this.weight;
    context.beginPath();
    const radius = Math.max(run.source.radius * camera.scale, 7) + 6 * this.weight;
    context.arc(x, y, radius, 0, FULL_CIRCLE);
    context.stroke();
  }

  /** Draw text with an outline in the floor colour, for contrast. */
  label(text, x, y, colour, theme) {
    const {context} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.font = `650 ${12 * this.weight}px ${theme.font}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.lineWidth = 3.5 * this.weight;
    context.strokeStyle = theme.floor;
    context.strokeText(text, x, y);
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }

  drawScale(theme) {
    const {context, camera} = this;
    const length = gridStep(camera.scale, 56);
    const [x, y] = [18, camera.height - 18];
    const end = x + length * camera.scale;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.strokeStyle = theme.muted;
    context.lineWidth = 1.5;
    context.lineCap = 'butt';
    context.beginPath();
    context.moveTo(x, y - 4);
    context.lineTo(x, y);
    context.lineTo(end, y);
    context.lineTo(end, y - 4);
    context.stroke();
    this.label(`${Number(length.toPrecision(2))} m`, (x + end) / 2, y - 10, theme.muted, theme);
  }
}

/** Return 1, 2 or 5 times a power of ten that is at least `least` pixels long [m]. */
export function gridStep(scale, least) {
  const power = 10 ** Math.floor(Math.log10(least / scale));
  return [1, 2, 5, 10].find((factor) => factor * power * scale >= least) * power;
}

function star(context, x, y, size) {
  context.beginPath();
  for (let k = 0; k < 10; k++) {
    const radius = k % 2 ? 0.45 * size : size;
    const angle = Math.PI * (k / 5 - 0.5);
    context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  context.closePath();
}

/**
 * Pan and zoom a stage by wheel, mouse and touch.
 *
 * `grab(x, y, event)` is called first: it returns pointer handlers {move, end, cancel}, or null
 * to pan the view. `tapped(x, y, event)` is called after a click without movement. Coordinates
 * are in canvas pixels.
 */
export function navigate(stage, {grab, tapped, moved}) {
  const {canvas, camera} = stage;
  const pointers = new Map();
  let held = null;
  let travelled = 0;
  let spread = 0;

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const changed = () => {
    stage.invalidate();
    moved();
  };
  const two = () => {
    const [[ax, ay], [bx, by]] = pointers.values();
    return [Math.hypot(ax - bx, ay - by), (ax + bx) / 2, (ay + by) / 2];
  };

  // Prevent the browser from dragging a text selection, which would capture the pointer.
  canvas.addEventListener('dragstart', (event) => event.preventDefault());

  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    camera.zoom(Math.exp(-clamp(event.deltaY * lines, -200, 200) * 0.0016), ...place(event));
    changed();
  }, {passive: false});

  canvas.addEventListener('pointerdown', (event) => {
    const at = place(event);
    pointers.set(event.pointerId, at);
    canvas.setPointerCapture(event.pointerId);
    travelled = 0;
    if (pointers.size === 2) {
      held?.cancel?.();
      held = null;
      [spread] = two();
    } else if (event.button === 0) {
      held = grab?.(...at, event) ?? null;
    }
  });

  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    const at = place(event);
    if (!before) {
      stage.hover?.(...at, event);
      return;
    }
    const [dx, dy] = [at[0] - before[0], at[1] - before[1]];
    travelled += Math.hypot(dx, dy);
    if (pointers.size === 2) {
      const [, middleX, middleY] = two();
      pointers.set(event.pointerId, at);
      const [apart, x, y] = two();
      camera.pan(x - middleX, y - middleY);
      camera.zoom(apart / Math.max(spread, 1), x, y);
      spread = apart;
      changed();
      return;
    }
    pointers.set(event.pointerId, at);
    if (held) held.move(...at, event);
    else if (pointers.size === 1) {
      camera.pan(dx, dy);
      changed();
    }
  });

  const released = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    const wasTap = travelled < (event.pointerType === 'touch' ? 10 : 5);
    if (held) held.end(...place(event), event, wasTap);
    else if (wasTap && event.type === 'pointerup') tapped?.(...place(event), event);
    held = null;
  };
  canvas.addEventListener('pointerup', released);
  canvas.addEventListener('pointercancel', released);
}
