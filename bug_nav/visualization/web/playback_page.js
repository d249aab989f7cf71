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

/** Playback page with embedded runs; it works without a server. */

import {Board, connectMenus, isTyping} from './board.js';
import {decodeRun, inflated} from './document.js';
import {byId, copyText, fillIcons} from './dom.js';
import {spoken} from './table.js';
import {pathsOf, solidsOf} from './view.js';

/** Return the scene of a playback document, without its runs. */
export function sceneOf(playback) {
  const [run] = playback.runs;
  return {paths: pathsOf(solidsOf(playback.world)), bounds: playback.world.bounds,
    start: playback.start, goal: playback.goal, rho: run?.rho ?? 0, radius: run?.radius ?? 0.1,
    tolerance: run?.tolerance ?? 0.1, mLine: true, growing: null};
}

async function openPlayback() {
  fillIcons(document);
  connectMenus();
  const playback = await inflated(byId('playback').textContent);
  const board = new Board(sceneOf(playback));
  const runs = playback.runs.map(decodeRun);
  board.setEntries(runs.map((run, colour) => ({
    name: `${run.algorithm}-${colour}`, title: run.title, colour, run})));
  byId('announce').textContent = runs.map(spoken).join(' ');
  byId('copy-command').addEventListener('click', () => {
    copyText(board.focused?.run.source.command ?? '');
  });
  document.addEventListener('keydown', (event) => {
    if (!isTyping(event) && board.player.key(event)) event.preventDefault();
    else if (event.key === 'Escape' && board.isPresenting) board.setPresenting(false);
  });
  window.bugNav = Object.freeze({
    state: () => ({runs: runs.map((run) => run.source.outcome), tick: board.player.tick,
      isPlaying: board.player.isPlaying, mode: board.mode}),
    framesPerSecond: () => board.player.frames.perSecond,
  });
}

openPlayback();
