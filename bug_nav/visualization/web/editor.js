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

/** World editor: move, draw and erase start, goal and obstacles, with undo. */

import {byId} from './dom.js';
import {editedSolids, isInside, middleOf, movedShape, centroid, NO_EDITS, simplified}
  from './shapes.js';
import {pathsOf} from './view.js';

const SNAP = 0.05;
const ROTATION_SNAP = Math.PI / 12;
const THICKNESS = 0.1;
/** Simplification tolerance of a free-hand line [m]. */
const SIMPLIFY_TOLERANCE = 0.03;
/** Minimum size of a drawn shape [m]. */
const MIN_SIZE = 0.04;
const MAX_UNDO = 200;
/** Maximum number of corners of a shape, as on the server. */
const MAX_CORNERS = 300;
/** Distance of the rotation handle [px]. */
const HANDLE_DISTANCE = 34;
const GRAB_RADIUS = {mouse: 15, pen: 17, touch: 26};
const TOOLS = {v: 'select', w: 'wall', b: 'box', c: 'circle', p: 'polygon', f: 'free', e: 'erase'};
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

const mm = (value) => Math.round(value * 1000) / 1000;
const snapped = (value, step) => Math.round(value / step) * step;

/**
 * Editor of the state {start, goal, edits}, with undo and redo.
 *
 * `changed(isMoving)` is called during a drag, and once more at its end.
 */
export class Editor {
  constructor(scene, board, {changed, limit}) {
    this.scene = scene;
    this.board = board;
    this.changed = changed;
    this.limit = limit;
    this.base = [];
    this.state = {start: null, goal: null, edits: NO_EDITS};
    this.undone = [];
    this.done = [];
    this.tool = 'select';
    this.selected = 'goal';
    this.draft = null;
    this.connect();
  }

  connect() {
    for (const button of document.querySelectorAll('[data-tool]')) {
      button.addEventListener('click', () => this.setTool(button.dataset.tool));
    }
    byId('undo').addEventListener('click', () => this.undo());
    byId('redo').addEventListener('click', () => this.redo());
  }

  /** Set another world; `solids` are those without edits. */
  setWorld(solids, state) {
    this.base = solids;
    this.state = state;
    this.done = [];
    this.undone = [];
    this.selected = 'goal';
    this.draft = null;
    this.rebuild();
  }

  setTool(tool) {
    this.tool = tool;
    this.draft = null;
    for (const button of document.querySelectorAll('[data-tool]')) {
      button.setAttribute('aria-pressed', String(button.dataset.tool === tool));
    }
    for (const {canvas} of this.board.stages) {
      canvas.classList.toggle('drawing', tool !== 'select');
    }
    this.board.refresh();
  }

  // ---- steps ----------------------------------------------------------------------------------

  /** Add an undo step from the state `before` to the current one. */
  commit(before) {
    if (before === this.state) return;
    this.done.push(before);
    if (this.done.length > MAX_UNDO) this.done.shift();
    this.undone = [];
    this.finishStep();
  }

  undo() {
    this.swap(this.done, this.undone);
  }

  redo() {
    this.swap(this.undone, this.done);
  }

  swap(from, to) {
    if (!from.length) return;
    to.push(this.state);
    this.state = from.pop();
    if (this.selected?.length !== undefined && !this.has(this.selected)) this.selected = null;
    this.rebuild();
    this.finishStep();
  }

  finishStep() {
    byId('undo').disabled = !this.done.length;
    byId('redo').disabled = !this.undone.length;
    this.changed(false);
  }

  /** Change part of the state during a drag. */
  set(part) {
    this.state = {...this.state, ...part};
    this.rebuild('edits' in part);
    this.changed(true);
  }

  setEdits(part) {
    this.set({edits: {...this.state.edits, ...part}});
  }

  rebuild(areSolids = true) {
    const {scene} = this;
    scene.start = this.state.start;
    scene.goal = this.state.goal;
    if (areSolids) {
      this.solids = editedSolids(this.base, this.state.edits);
      scene.paths = pathsOf(this.solids);
      this.board.stages.forEach((stage) => stage.invalidate());
    }
    byId('undo').disabled = !this.done.length;
    byId('redo').disabled = !this.undone.length;
    this.board.refresh();
  }

  has(key) {
    return key === 'start' || key === 'goal' || this.solids.some((solid) => solid.key === key);
  }

  // ---- moving ---------------------------------------------------------------------------------

  /** Return the object at a screen point: start, goal, handle, or a solid's key; or null. */
  at(stage, x, y, event) {
    const {camera} = stage;
    const grabRadius = GRAB_RADIUS[event.pointerType] ?? GRAB_RADIUS.mouse;
    const isAt = (px, py, more = 0) => Math.hypot(px - x, py - y) < grabRadius + more;
    const {start, goal} = this.state;
    if (goal && isAt(camera.screenX(goal[0]), camera.screenY(goal[1]))) return 'goal';
    const handle = this.handleOf(stage);
    if (handle && isAt(...handle)) return 'handle';
    if (start && isAt(camera.screenX(start[0]), camera.screenY(start[1]),
      Math.max(this.scene.radius * camera.scale - grabRadius, 0))) return 'start';
    return this.solidAt(camera.worldX(x), camera.worldY(y));
  }

  solidAt(x, y) {
    const found = this.solids.findLast((solid) => isInside(solid.polygon, x, y));
    return found ? found.key : null;
  }

  /** Return the position of the rotation handle [px]; null if there is none. */
  handleOf(stage) {
    const {camera, weight} = stage;
    const away = HANDLE_DISTANCE * weight;
    const {selected, state} = this;
    if (!selected || selected === 'goal') return null;
    if (selected === 'start') {
      if (!state.start) return null;
      const [x, y, yaw] = state.start;
      const far = Math.max(this.scene.radius * camera.scale, 8) + away * 0.7;
      return [camera.screenX(x) + far * Math.cos(yaw), camera.screenY(y) - far * Math.sin(yaw)];
    }
    const outline = this.outlineOf(selected);
    if (!outline.length) return null;
    const ys = outline.flatMap((polygon) => polygon.filter((_, k) => k % 2));
    return [camera.screenX(this.middle(selected)[0]),
      camera.screenY(Math.max(...ys)) - away * 0.7];
  }

  outlineOf(key) {
    return this.solids.filter((solid) => solid.key === key).map((solid) => solid.polygon);
  }

  middle(key) {
    const number = Number(key.slice(1));
    return key[0] === 'a' ? middleOf(this.state.edits.added[number])
      : centroid(this.outlineOf(key)[0]);
  }

  /** Return the edits of state `from` with a solid moved by [dx, dy, turn]. */
  shifted(from, key, [dx, dy, turn]) {
    const number = Number(key.slice(1));
    const {edits} = from;
    if (key[0] === 'a') {
      const added = edits.added.map((shape, k) => (
        k === number ? movedShape(shape, [dx, dy, turn]) : shape));
      return {...edits, added};
    }
    const [x, y, yaw] = edits.moved[number] ?? [0, 0, 0];
    return {...edits, moved: {...edits.moved, [number]: [mm(x + dx), mm(y + dy), mm(yaw + turn)]}};
  }

  /** Return the pointer handlers for `navigate`; null pans the view. */
  grab(stage, x, y, event) {
    const place = (px, py, by) => {
      const isSnapped = by.shiftKey;
      const at = [stage.camera.worldX(px), stage.camera.worldY(py)];
      return at.map((value) => mm(isSnapped ? snapped(value, SNAP) : value));
    };
    if (this.tool !== 'select') return this.grabWithTool(place, x, y, event);
    const found = this.at(stage, x, y, event);
    if (!found) return null;
    const before = this.state;
    const moveHandler = found === 'handle' ? this.rotationHandler(stage, before)
      : this.moveHandler(found, before, place(x, y, {}), place);
    if (found !== 'handle') this.select(found);
    return {
      move: moveHandler,
      end: () => this.commit(before),
      cancel: () => {
        this.state = before;
        this.rebuild();
        this.changed(false);
      },
    };
  }

  moveHandler(key, before, from, place) {
    if (key === 'goal' || key === 'start') {
      const was = before[key];
      return (x, y, event) => {
        const [px, py] = place(x, y, {});
        const isSnapped = event.shiftKey;
        const to = [was[0] + px - from[0], was[1] + py - from[1]].map(
          (value) => mm(isSnapped ? snapped(value, SNAP) : value));
        this.set({[key]: [...to, ...was.slice(2)]});
      };
    }
    const [cx, cy] = this.middle(key);
    return (x, y, event) => {
      const [px, py] = place(x, y, {});
      let [dx, dy] = [px - from[0], py - from[1]];
      if (event.shiftKey) [dx, dy] = [snapped(cx + dx, SNAP) - cx, snapped(cy + dy, SNAP) - cy];
      this.set({edits: this.shifted(before, key, [dx, dy, 0])});
    };
  }

  rotationHandler(stage, before) {
    const key = this.selected;
    const [cx, cy] = key === 'start' ? before.start : this.middle(key);
    return (x, y, event) => {
      const {camera} = stage;
      let yaw = Math.atan2(camera.worldY(y) - cy, camera.worldX(x) - cx);
      if (key === 'start') {
        if (event.shiftKey) yaw = snapped(yaw, ROTATION_SNAP);
        this.set({start: [before.start[0], before.start[1], mm(yaw)]});
        return;
      }
      // The handle is above the centre: up is zero rotation.
      yaw -= Math.PI / 2;
      if (event.shiftKey) yaw = snapped(yaw, ROTATION_SNAP);
      this.set({edits: this.shifted(before, key, [0, 0, yaw])});
    };
  }

  /** Highlight the object under the pointer; extend an open polygon to it. */
  hover(stage, x, y, event) {
    if (this.draft?.open) {
      this.draft = {...this.draft, to: [stage.camera.worldX(x), stage.camera.worldY(y)]};
      this.board.refresh();
    }
    const isOver = this.tool === 'select' && this.at(stage, x, y, event) !== null;
    stage.canvas.classList.toggle('over', isOver);
  }

  select(key) {
    this.selected = key;
    this.board.refresh();
  }

  // ---- drawing --------------------------------------------------------------------------------

  grabWithTool(place, x, y, event) {
    if (this.tool === 'erase') return this.eraser(place, x, y, event);
    if (this.tool === 'polygon') return this.addCorner(place, x, y, event);
    const from = place(x, y, event);
    const points = [from];
    const makers = {
      wall: (to) => ({l: [from, to], w: THICKNESS}),
      box: (to) => ({b: [mm((from[0] + to[0]) / 2), mm((from[1] + to[1]) / 2),
        mm(Math.abs(to[0] - from[0])), mm(Math.abs(to[1] - from[1])), 0]}),
      circle: (to) => ({c: [...from, mm(Math.hypot(to[0] - from[0], to[1] - from[1]))]}),
      free: () => (
        {l: simplified(points, SIMPLIFY_TOLERANCE).slice(0, MAX_CORNERS), w: THICKNESS}),
    };
    const make = makers[this.tool];
    return {
      move: (px, py, by) => {
        const to = place(px, py, by);
        points.push(to);
        this.draft = make(to);
        this.board.refresh();
      },
      end: () => {
        const shape = this.draft;
        this.draft = null;
        if (shape && isLargeEnough(shape)) this.add(shape);
        else this.board.refresh();
      },
      cancel: () => {
        this.draft = null;
        this.board.refresh();
      },
    };
  }

  addCorner(place, x, y, event) {
    const at = place(x, y, event);
    const points = this.draft?.open ?? [];
    const [first] = points;
    const {scale} = this.board.stages[0].camera;
    const isBack = first && points.length > 2
      && Math.hypot(first[0] - at[0], first[1] - at[1]) * scale < GRAB_RADIUS.touch / 2;
    if (isBack || event.detail > 1) {
      this.closePolygon();
      return {move: () => {}, end: () => {}};
    }
    this.draft = {open: [...points, at], to: at};
    this.board.refresh();
    const follow = (px, py, by) => {
      this.draft = {...this.draft, to: place(px, py, by)};
      this.board.refresh();
    };
    return {move: follow, end: () => {}};
  }

  closePolygon() {
    const points = this.draft?.open ?? [];
    this.draft = null;
    if (points.length > 2) this.add({p: points});
    else this.board.refresh();
  }

  eraser(place, x, y) {
    const before = this.state;
    const rub = (px, py) => {
      const [wx, wy] = place(px, py, {});
      const key = this.solidAt(wx, wy);
      if (key) this.remove(key);
    };
    rub(x, y);
    return {move: rub, end: () => this.commit(before), cancel: () => this.commit(before)};
  }

  add(shape) {
    if (this.state.edits.added.length >= this.limit()) {
      this.changed(false, `At most ${this.limit()} shapes are allowed; erase one first.`);
      return;
    }
    const before = this.state;
    const added = [...before.edits.added, shape];
    this.selected = `a${added.length - 1}`;
    this.state = {...before, edits: {...before.edits, added}};
    this.rebuild();
    this.commit(before);
  }

  remove(key) {
    const number = Number(key.slice(1));
    const {edits} = this.state;
    if (this.selected === key) this.selected = null;
    if (key[0] === 'a') {
      this.selected = null;
      this.setEdits({added: edits.added.filter((_, k) => k !== number)});
      return;
    }
    const others = Object.fromEntries(Object.entries(edits.moved).filter(
      ([k]) => Number(k) !== number));
    this.setEdits({removed: [...edits.removed, number], moved: others});
  }

  // ---- keys -----------------------------------------------------------------------------------

  /** Handle a key; `isOnMap`: the map has the focus. Return whether it was handled. */
  key(event, isOnMap) {
    const letter = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && (letter === 'z' || letter === 'y')) {
      if (letter === 'y' || event.shiftKey) this.redo();
      else this.undo();
      return true;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === 'Escape' && (this.draft || this.tool !== 'select')) {
      if (this.draft) this.draft = null;
      else this.setTool('select');
      this.board.refresh();
      return true;
    }
    if (event.key === 'Enter' && this.draft?.open) {
      this.closePolygon();
      return true;
    }
    if (TOOLS[letter] && !event.shiftKey) {
      this.setTool(TOOLS[letter]);
      return true;
    }
    return isOnMap && this.mapKey(event, letter);
  }

  mapKey(event, letter) {
    const before = this.state;
    const key = this.selected;
    const isSolid = key && key !== 'start' && key !== 'goal';
    if (letter === 's' || letter === 'g') {
      this.select(letter === 's' ? 'start' : 'goal');
    } else if (letter === 'n') {
      this.selectNext(event.shiftKey ? -1 : 1);
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && isSolid) {
      this.remove(key);
      this.commit(before);
    } else if (ARROWS[event.key] && key) {
      const step = event.shiftKey ? 0.1 : 0.01;
      this.nudge(key, [...ARROWS[event.key].map((part) => part * step), 0]);
    } else if ((event.key === '[' || event.key === ']') && key && key !== 'goal') {
      this.nudge(key, [0, 0, (event.key === '[' ? 1 : -1) * Math.PI / 36]);
    } else {
      return false;
    }
    return true;
  }

  nudge(key, [dx, dy, turn]) {
    const before = this.state;
    if (key === 'goal') this.set({goal: [mm(before.goal[0] + dx), mm(before.goal[1] + dy)]});
    else if (key === 'start') {
      const [x, y, yaw] = before.start;
      this.set({start: [mm(x + dx), mm(y + dy), mm(yaw + turn)]});
    } else this.set({edits: this.shifted(before, key, [dx, dy, turn])});
    this.commit(before);
  }

  selectNext(direction) {
    const keys = [...new Set(this.solids.map((solid) => solid.key))];
    if (!keys.length) return;
    const here = keys.indexOf(this.selected);
    const next = here < 0 ? 0 : (here + direction + keys.length) % keys.length;
    this.select(keys[next]);
  }

  // ---- drawing the selection ------------------------------------------------------------------

  draw(context, stage, theme) {
    const {camera} = stage;
    if (this.tool === 'select') this.drawSelection(context, stage, theme);
    if (!this.draft) return;
    camera.world(context, stage.ratio);
    context.globalAlpha = 0.65;
    context.fillStyle = context.strokeStyle = theme.accent;
    if (this.draft.open) {
      context.lineWidth = stage.px(2);
      context.beginPath();
      for (const [x, y] of [...this.draft.open, this.draft.to]) context.lineTo(x, y);
      context.stroke();
      for (const [x, y] of this.draft.open) {
        context.beginPath();
        context.arc(x, y, stage.px(4), 0, 2 * Math.PI);
        context.fill();
      }
    } else {
      const solids = editedSolids([], {removed: [], moved: {}, added: [this.draft]});
      context.fill(pathsOf(solids).all);
    }
    context.globalAlpha = 1;
  }

  drawSelection(context, stage, theme) {
    const {camera, ratio, weight} = stage;
    const key = this.selected;
    if (!key || document.body.classList.contains('presenting')) return;
    context.strokeStyle = context.fillStyle = theme.accent;
    if (key !== 'start' && key !== 'goal') {
      camera.world(context, ratio);
      context.lineWidth = stage.px(2.2);
      context.stroke(pathsOf(this.outlineOf(key).map((polygon) => ({polygon}))).all);
    }
    const handle = this.handleOf(stage);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (key === 'goal' && this.state.goal) {
      const [x, y] = this.state.goal;
      context.lineWidth = 1.6 * weight;
      context.beginPath();
      context.arc(camera.screenX(x), camera.screenY(y), 17 * weight, 0, 2 * Math.PI);
      context.stroke();
    }
    if (!handle) return;
    context.beginPath();
    context.arc(...handle, 6 * weight, 0, 2 * Math.PI);
    context.fillStyle = theme.floor;
    context.lineWidth = 2 * weight;
    context.fill();
    context.stroke();
  }
}

function isLargeEnough(shape) {
  if (shape.b) return shape.b[2] >= MIN_SIZE && shape.b[3] >= MIN_SIZE;
  if (shape.c) return shape.c[2] >= MIN_SIZE;
  const [first, ...rest] = shape.l;
  return rest.some(([x, y]) => Math.hypot(x - first[0], y - first[1]) >= MIN_SIZE);
}
