# Copyright 2026 The bug_nav authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""
Measure the playground as people feel it, in Chromium, and write the table for `make bench`.

From the moved goal to the first line of the new path on the screen, and to the whole of it; the
time from the command to the first picture; the pictures a second while ten minutes are played.
Says what is missing where there is no browser.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from typing import Optional, Sequence

from browsing import browser, NoBrowser, Served, until, until_idle

ALGORITHMS = (('bug2',), ('dist_bug',), ('tangent_bug',), ('bug2', 'dist_bug', 'tangent_bug'))
GOALS = [(7.3 - 0.05 * number, 5.2 - 0.02 * number) for number in range(12)]
PLAYED = 10.0
"""So long the frames are counted [s]."""
CASE = {'world': {'name': 'demo'}, 'start': [0.7, 0.8, 0.6]}

ASK = """([algorithms, goals, given]) => new Promise((resolve) => {
  const socket = new WebSocket(`ws://${location.host}/ws`);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const times = [];
  let began, first, number = -1;
  const next = () => {
    number++;
    if (number === goals.length) { socket.close(); resolve(times); return; }
    began = performance.now();
    first = null;
    socket.send(JSON.stringify({type: 'run', id: number, detail: false, algorithms,
      case: {...given, goal: goals[number]}}));
  };
  socket.onopen = next;
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    const draw = (points) => {
      context.beginPath();
      for (let k = 0; k + 1 < points.length; k += 2) context.lineTo(points[k], points[k + 1]);
      context.stroke();
    };
    if (message.type === 'path') { draw(message.xy); first ??= performance.now() - began; }
    if (message.type === 'run') draw(message.run.x);
    if (message.type === 'ready') requestAnimationFrame(() => {
      times.push([first ?? performance.now() - began, performance.now() - began]);
      next();
    });
  };
})"""


def drags(page, algorithms):
    """Return first line and whole path of each moved goal [ms], without the first two."""
    return page.evaluate(ASK, [list(algorithms), GOALS, CASE])[2:]


def frames(page):
    """Return the pictures a second while a long run is played."""
    page.get_by_test_id('world').select_option('maze')
    until_idle(page)
    for name in ('tangent_bug', 'bug2'):
        page.get_by_test_id(f'algorithm-{name}').uncheck()
    page.get_by_test_id('algorithm-bug1').check()
    until_idle(page)
    page.get_by_test_id('speed').select_option('16')
    page.keyboard.press('Home')
    page.get_by_test_id('play').click()
    until(page, 'window.bugNav.state().tick > 0')
    page.wait_for_timeout(1000.0 * PLAYED)
    told = page.evaluate('[window.bugNav.framesPerSecond(), window.bugNav.state().last]')
    page.get_by_test_id('play').click()
    return told


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__.strip().splitlines()[0]).parse_args(argv)
    print('The playground in Chromium, a moved goal in `demo`, medians of '
          f'{len(GOALS) - 2}; load average {os.getloadavg()[0]:.1f}:\n')
    try:
        with browser() as chromium:
            began = time.monotonic()
            with Served() as server:
                page = chromium.new_page(viewport={'width': 1300, 'height': 850})
                page.goto(server.address)
                until_idle(page)
                first = time.monotonic() - began
                print('| algorithms | first line | whole path |')
                print('|---|---|---|')
                for algorithms in ALGORITHMS:
                    times = drags(page, algorithms)
                    line, whole = (statistics.median(each[k] for each in times) for k in (0, 1))
                    print(f'| {", ".join(algorithms)} | {line:.0f} ms | {whole:.0f} ms |',
                          flush=True)
                rate, ticks = frames(page)
                print(f'\nFrom the command to the first finished picture: {first:.1f} s.\n'
                      f'{rate:.0f} pictures a second while a run of {ticks / 1200.0:.1f} minutes '
                      'is played.')
    except NoBrowser as missing:
        print(f'not measured: {missing}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
