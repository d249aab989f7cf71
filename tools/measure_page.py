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
Measure the responsiveness of the playground in Chromium, and print the tables for `make bench`.

The mouse moves the goal: by single jumps, and by a drag of some seconds. A picture is the first
line on the screen for a newer position of the goal. Latencies count from each mouse move to the
first line, and to the complete path, of that position or a newer one. Also measured: the time from
the command to the first finished run, and the frame rate while a run of ten minutes is played.
Without a browser, prints what is missing.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import time
from typing import Optional, Sequence

from browsing import browser, NoBrowser, Served, until, until_idle
from bug_nav.simulation.episode import warm_up

ALGORITHMS = (('bug2',), ('dist_bug',), ('tangent_bug',), ('bug2', 'dist_bug', 'tangent_bug'))
CENTRE, RADIUS = (7.0, 5.1), 0.3
"""Circle of goal positions in `demo` [m]."""
JUMPS = 8
DRAGGED = 4.0
"""Duration of a drag [s]."""
ROUND = 3.0
"""Period of a drag around the circle [s]."""
PLAYED = 10.0
"""Duration of the measurement of the frame rate [s]."""

WATCH = """(() => {
  const log = {moves: [], asks: [], firsts: {}, wholes: {}};
  window.measured = log;
  window.addEventListener('pointermove', (event) => {
    if (event.buttons) log.moves.push(performance.now());
  }, true);
  const shown = (times, id) => requestAnimationFrame(() => { times[id] ??= performance.now(); });
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({data}) => {
        const {type, id} = JSON.parse(data);
        if (type === 'path' || type === 'run') shown(log.firsts, id);
        if (type === 'ready') shown(log.wholes, id);
      });
    }

    send(text) {
      const {type, id} = JSON.parse(text);
      if (type === 'run') log.asks.push([id, performance.now()]);
      super.send(text);
    }
  };
})()"""
"""Script that logs times of mouse moves, requests and drawn answers [ms]."""
ALL_SHOWN = """(() => {
  const {asks, wholes} = window.measured;
  return asks.length > 0 && asks[asks.length - 1][0] in wholes;
})()"""


def place(page, angle):
    """Return the screen position of the goal at an angle of the circle [rad]."""
    return page.evaluate('([x, y]) => window.bugNav.toScreen(x, y)', [
        CENTRE[0] + RADIUS * math.cos(angle), CENTRE[1] + RADIUS * math.sin(angle)])


def grab(page):
    """Press the mouse on the goal and move it to the circle."""
    until_idle(page)
    page.mouse.move(*page.evaluate('window.bugNav.toScreen(...window.bugNav.state().goal)'))
    page.mouse.down()
    page.mouse.move(*place(page, 0.0), steps=3)
    page.wait_for_timeout(300)
    until(page, ALL_SHOWN)


def forget(page):
    """Clear the log."""
    page.evaluate('window.measured.moves.length = window.measured.asks.length = 0')


def latencies(log, times):
    """Return the time from each move until it or a newer position is on the screen [ms]."""
    found = []
    shown = {int(number): when for number, when in log[times].items()}
    for move in log['moves']:
        asked = min((number for number, when in log['asks'] if when >= move), default=math.inf)
        later = [when for number, when in shown.items() if number >= asked]
        if later:
            found.append(min(later) - move)
    return found


def jump(page):
    """Return the latencies of single moves: first lines and complete paths [ms]."""
    grab(page)
    firsts, wholes = [], []
    for number in range(JUMPS):
        forget(page)
        page.mouse.move(*place(page, 2.4 * (number + 1)))
        until(page, f'window.measured.asks.length > 0 && {ALL_SHOWN}')
        log = page.evaluate('window.measured')
        firsts += latencies(log, 'firsts')[-1:]
        wholes += latencies(log, 'wholes')[-1:]
    page.mouse.up()
    return firsts, wholes


def drag(page):
    """Return pictures per second, latencies of a drag, and time to the last path [ms]."""
    grab(page)
    forget(page)
    began = time.monotonic()
    while time.monotonic() < began + DRAGGED:
        page.mouse.move(*place(page, 2.0 * math.pi * (time.monotonic() - began) / ROUND))
    page.mouse.up()
    until_idle(page)
    until(page, ALL_SHOWN)  # the picture follows with the next frame
    log = page.evaluate('window.measured')
    begun, ended = log['moves'][0], log['moves'][-1]
    pictures = sum(begun < when <= ended for when in log['firsts'].values())
    last = log['asks'][-1][0]
    return (1000.0 * pictures / (ended - begun), latencies(log, 'firsts'),
            latencies(log, 'wholes'), log['wholes'][str(last)] - ended)


def spread(times):
    """Return median and 95th percentile as a cell of a table."""
    return (f'{statistics.median(times):.0f}, '
            f'{sorted(times)[min(int(0.95 * len(times)), len(times) - 1)]:.0f}')


def choose(page, algorithms):
    """Select exactly these algorithms."""
    for name in {name for names in ALGORITHMS for name in names}:
        page.get_by_test_id(f'algorithm-{name}').set_checked(name in algorithms)
    until_idle(page)


def frames(page):
    """Return the frame rate while a long run is played [1/s], and the ticks of the run."""
    page.get_by_test_id('world').select_option('maze')
    until_idle(page)
    page.get_by_test_id('algorithm-bug1').check()
    choose(page, ())
    page.get_by_test_id('speed').select_option('16')
    page.keyboard.press('Home')
    page.get_by_test_id('play').click()
    until(page, 'window.bugNav.state().tick > 0')
    page.wait_for_timeout(1000.0 * PLAYED)
    figures = page.evaluate('[window.bugNav.framesPerSecond(), window.bugNav.state().last]')
    page.get_by_test_id('play').click()
    return figures


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Print the tables."""
    argparse.ArgumentParser(description=__doc__.strip().splitlines()[0]).parse_args(argv)
    print(f'The playground in Chromium, the goal moved by mouse in `demo`; {os.cpu_count()} '
          f'cores, load average {os.getloadavg()[0]:.1f}; '
          'latencies [ms]: median, 95th percentile:\n')
    warm_up()  # the first start after an installation compiles the kernels, which takes longer
    try:
        with browser() as chromium:
            began = time.monotonic()
            with Served() as server:
                page = chromium.new_page(viewport={'width': 1300, 'height': 850})
                page.add_init_script(WATCH)
                page.goto(server.address)
                until_idle(page)
                first = time.monotonic() - began
                print('| algorithms | jump: first line | jump: complete path | drag: pictures per '
                      'second | drag: first line | drag: complete path | last move to final path '
                      '|\n'
                      '|---|---|---|---|---|---|---|')
                for algorithms in ALGORITHMS:
                    choose(page, algorithms)
                    lines, paths = jump(page)
                    rate, dragged, whole, final = drag(page)
                    print(f'| {", ".join(algorithms)} | {spread(lines)} | {spread(paths)} '
                          f'| {rate:.1f} | {spread(dragged)} | {spread(whole)} | {final:.0f} |',
                          flush=True)
                rate, ticks = frames(page)
                print(f'\nFrom the command to the first finished run: {first:.1f} s.\n'
                      f'{rate:.0f} pictures per second while a run of {ticks / 1200.0:.1f} '
                      'minutes is played.')
    except NoBrowser as missing:
        print(f'not measured: {missing}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
