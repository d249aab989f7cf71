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
How fast the control tick and the embedded simulator are: ``python -m bug_nav.bench.timing``.

Bug2 drives a TurtleBot3 Burger (360 beams at 5 Hz, noise 1 cm, 20 Hz control) through a world of
about 100 wall segments, once with the kernels compiled by numba and once with numpy alone, each
in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import Dict, List

from bug_nav import kernels
from bug_nav.algorithms.bug2 import Bug2
from bug_nav.geometry import Pose
from bug_nav.navigator import Navigator
from bug_nav.sim.episode import Episode, run_episode, warm_up
from bug_nav.sim.generators import cluttered
from bug_nav.sim.world import World
import numpy as np

SEGMENTS = (90, 110)
"""The worlds that are measured have so many wall segments."""
TARGETS = {'numba': {'mean': 25.0, 'p99': 500.0, 'factor': 1000.0},
           'numpy': {'p50': 100.0, 'p99': 500.0}}


class _TimedNavigator(Navigator):
    """A navigator that notes how long each tick takes [us]."""

    times: List[float] = []

    def tick(self, observation):
        """Decide, and note the time it took."""
        began = time.perf_counter()
        decision = super().tick(observation)
        self.times.append(1e6 * (time.perf_counter() - began))
        return decision


def _worlds(count: int) -> List[World]:
    found: List[World] = []
    seed = 0
    while len(found) < count:
        world = cluttered(seed)
        if SEGMENTS[0] <= len(world.segments) <= SEGMENTS[1]:
            found.append(world)
        seed += 1
    return found


def measure(episodes: int) -> Dict[str, float]:
    """Return the figures of this process: tick times [us] and simulated per wall time."""
    worlds = _worlds(episodes)
    warm_up()
    runs = [_drive(world) for world in worlds]
    _TimedNavigator.times.clear()
    for world in worlds:
        _drive(world, _TimedNavigator)
    times = np.array(_TimedNavigator.times)
    return {'mean': float(times.mean()), 'p50': float(np.percentile(times, 50)),
            'p99': float(np.percentile(times, 99)), 'ticks': float(times.size),
            'factor': sum(run.time for run in runs) / sum(run.wall_time for run in runs)}


def _drive(world: World, navigator_type=Navigator) -> Episode:
    assert world.start is not None and world.goal is not None
    return run_episode(world, Pose(*world.start), world.goal, Bug2(), keep_samples=False,
                       navigator_type=navigator_type)


def _measure_apart(numba: bool, episodes: int) -> Dict[str, float]:
    """Measure in a process of its own, for the kernels are compiled, or not, on import."""
    environment = dict(os.environ, BUG_NAV_NUMBA='1' if numba else '0')
    done = subprocess.run(
        [sys.executable, '-m', 'bug_nav.bench.timing', '--here', '--episodes', str(episodes)],
        env=environment, check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return json.loads(done.stdout)


def _line(name: str, figures: Dict[str, float]) -> str:
    targets = TARGETS[name]

    def cell(key: str, unit: str) -> str:
        wanted = f' (target {targets[key]:g})' if key in targets else ''
        return f'{figures[key]:.4g} {unit}{wanted}'

    return (f'| {name} | {cell("mean", "us")} | {cell("p50", "us")} | {cell("p99", "us")} | '
            f'{cell("factor", "x")} |')


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[1])
    parser.add_argument('--episodes', type=int, default=20)
    parser.add_argument('--here', action='store_true', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(measure(arguments.episodes)))
        return
    print('| kernels | tick, mean | tick, p50 | tick, p99 | simulated per wall time |')
    print('|---|---|---|---|---|')
    for name in ('numba', 'numpy'):
        if name == 'numpy' or kernels.HAVE_NUMBA:
            print(_line(name, _measure_apart(name == 'numba', arguments.episodes)), flush=True)
        else:
            print('| numba | not installed | | | |')


if __name__ == '__main__':
    main()
