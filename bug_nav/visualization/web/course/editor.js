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
import {keyOf} from './picture.js';
import {tr} from './strings.js';

const MAX_HISTORY = 100;
const KEYS = {Delete: 'remove', Backspace: 'remove', Insert: 'addCorner', '+': 'addCorner'};

/** Buttons and keys that edit the scene of a model, and its history. */
export class SceneEditor {
  /**
   * @param {Function} changed called with a message after each change, '' if it is valid.
   * @param {Function} select called with a new corner.
   * @param {Function} inside returns the nearest place inside the picture.
   */
  constructor(model, bounds, {changed, notice, select, inside}) {
    Object.assign(this, {model, changed, select, inside});
    this.history = [];
    this.settled = model.scene;
    this.selection = null;
    const button = (label, action, attributes) => el('button', {type: 'button', onclick: action,
      ...attributes}, label);
    const onCorner = (label, action, key) => button(label, () => {
      if (this.hasSelection) this[action]();
      else notice(tr('Select a corner first.'));
    }, {title: tr('{0} ({1} key)', label, key), 'aria-keyshortcuts': key});
    this.undoButton = button(tr('Undo'), () => this.undo(), {disabled: true});
    this.parts = [button(tr('New wall'), () => this.show(model.addWall(bounds))),
      onCorner(tr('New corner'), 'addCorner', 'Insert'),
      onCorner(tr('Remove'), 'remove', 'Delete'),
      this.undoButton];
  }

  get hasSelection() {
    return this.model.handles(new Set(['walls'])).some(
      (handle) => keyOf(handle) === keyOf(this.selection));
  }

  addCorner() {
    this.show(this.model.addCorner(this.selection, this.inside));
  }

  remove() {
    this.changed(this.model.remove(this.selection));
  }

  /** Show the result of an addition, and select the new corner. */
  show({message, added}) {
    this.changed(message);
    if (!message) this.select(added);
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

  /** Undo, or change the focused corner, by keyboard. */
  pressed(event) {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key === 'z';
    const isOnCorner = this.hasSelection && event.target.dataset?.key === keyOf(this.selection);
    const action = isUndo ? 'undo' : isOnCorner && KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    this[action]();
  }
}
