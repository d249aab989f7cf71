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

/** Adding, removing and undoing in a diagram. */

import {el} from '../dom.js';

const MAX_HISTORY = 100;

/** Buttons and keys that edit the scene of a model, and its history. */
export class SceneEditor {
  /** @param {Function} changed called with a message after each change, '' if it is valid. */
  constructor(model, bounds, {changed, notice}) {
    Object.assign(this, {model, bounds, changed, notice});
    this.history = [];
    this.settled = model.scene;
    this.selection = null;
    const button = (label, action) => el('button', {type: 'button', onclick: action}, label);
    this.undoButton = button('Undo', () => this.undo());
    this.undoButton.disabled = true;
    this.parts = [button('New wall', () => changed(model.addWall(bounds))),
      button('New corner', () => this.onCorner((corner) => model.addCorner(corner))),
      button('Remove', () => this.onCorner((corner) => model.remove(corner))), this.undoButton];
  }

  onCorner(action) {
    if (this.hasSelection) this.changed(action(this.selection));
    else this.notice('Select a corner first.');
  }

  get hasSelection() {
    return this.selection?.shape !== undefined && this.model.handles(new Set(['walls'])).some(
      ({shape, corner}) => shape === this.selection.shape && corner === this.selection.corner);
  }

  /** Keep the scene before the last change. */
  remember() {
    if (this.settled !== this.model.scene) {
      this.history.push(this.settled);
      if (this.history.length > MAX_HISTORY) this.history.shift();
    }
    this.settled = this.model.scene;
    this.undoButton.disabled = this.history.length === 0;
  }

  /** Return to the scene before the last change. */
  undo() {
    const before = this.history.pop();
    if (!before) return;
    this.model.restore(before);
    this.settled = this.model.scene;
    this.changed('');
  }

  /** Remove the selected corner, or undo, by keyboard. */
  pressed(event) {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key === 'z';
    const isRemoval = ['Delete', 'Backspace'].includes(event.key) && event.target.dataset?.key;
    if (!isUndo && !isRemoval) return;
    event.preventDefault();
    if (isUndo) this.undo();
    else if (this.hasSelection) this.changed(this.model.remove(this.selection));
  }
}
