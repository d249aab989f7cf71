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

"""Resource usage of a process and its growth."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, NamedTuple, Sequence

import numpy as np

WARM = 0.5
"""Initial share of a run that is ignored, because caches fill and modules load."""
PER_GOAL = 0.5
"""Maximum growth of RSS per goal, a margin for noise [kB]."""
PER_MINUTE = 200.0
"""
Maximum growth of RSS per simulated minute of one goal [kB].

Along a wall, at 0.2 m/s, the obstacle points need 67 kB, up to a maximum of 9.6 MB, surfels and
keyframes 25 kB, the contour 22 kB, and the path 5 kB. One huge page of 2 MB in the half hour that
is judged adds 68 kB.
"""
SLOWER = 1.5
"""Maximum factor of growth of the CPU time per tick, a margin for shared caches."""


class Usage(NamedTuple):
    """Resource usage at one time."""

    at: float
    """Number of goals, or simulated time [min]."""
    ticks: int
    rss: float
    """Resident memory [kB]."""
    threads: int
    descriptors: int
    cpu: float
    """CPU time [s]."""
    endpoints: int = 0
    """Publishers, subscriptions and services of the node."""


def usage_of(pid: int, at: float, ticks: int, endpoints: int = 0) -> Usage:
    """Measure a process (Linux)."""
    folder = Path('/proc') / str(pid)
    status = dict(line.split(':', 1) for line in (folder / 'status').read_text().splitlines())
    # After the name in parentheses, which may contain anything.
    times = (folder / 'stat').read_text().rpartition(')')[2].split()[11:13]
    return Usage(at, ticks, float(status['VmRSS'].split()[0]), int(status['Threads']),
                 len(os.listdir(folder / 'fd')), sum(map(int, times)) / os.sysconf('SC_CLK_TCK'),
                 endpoints)


def growth(measured: Sequence[Usage], allowed: float) -> List[str]:
    """
    Return the resources that grow, in a few words each.

    After the warm part, the slope of a line fit through memory must be at most ``allowed`` [kB]
    per unit of ``at``, and threads, descriptors and endpoints must not increase; a tick of the
    second half of the run must take at most SLOWER times the CPU time of one of the first half.
    """
    settled = [each for each in measured if each.at >= WARM * measured[-1].at]
    if len(settled) < 3:
        return ['the run is too short to judge']
    first, last = settled[0], settled[-1]
    found = []
    slope = slope_of(settled)
    if slope > allowed:
        found.append(f'memory, by {slope:.2f} kB each; allowed are {allowed:g} kB')
    for name in ('threads', 'descriptors', 'endpoints'):
        before, after = getattr(first, name), getattr(last, name)
        if after > before:
            found.append(f'{name}, from {before} to {after}')
    middle = measured[len(measured) // 2]
    before, after = per_tick(measured[0], middle), per_tick(middle, last)
    if after > SLOWER * before:
        found.append(f'CPU time of a tick, from {before:.2f} to {after:.2f} ms')
    return found


def slope_of(measured: Sequence[Usage]) -> float:
    """Return the slope of a line fit through memory [kB per unit]."""
    return float(np.polyfit([each.at for each in measured], [each.rss for each in measured], 1)[0])


def per_tick(before: Usage, after: Usage) -> float:
    """Return the mean CPU time per tick between two times [ms]."""
    return 1e3 * (after.cpu - before.cpu) / max(after.ticks - before.ticks, 1)


def report(measured: Sequence[Usage], unit: str) -> str:
    """Return a table of what was measured."""
    lines = [f'{unit:>10} {"RSS [MB]":>9} {"threads":>8} {"fds":>5} {"endpoints":>10} '
             f'{"CPU [ms/tick]":>14} {f"CPU [s/{unit}]":>14}']
    for before, now in zip((None, *measured), measured):
        cpu = ('', '') if before is None else (
            f'{per_tick(before, now):.2f}',
            f'{(now.cpu - before.cpu) / max(now.at - before.at, 1e-9):.3f}')
        lines.append(f'{now.at:>10.4g} {now.rss / 1024.0:>9.1f} {now.threads:>8} '
                     f'{now.descriptors:>5} {now.endpoints:>10} {cpu[0]:>14} {cpu[1]:>14}')
    return '\n'.join(lines)
