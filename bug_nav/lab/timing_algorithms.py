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

"""Simulation speed of each algorithm in the same world, with range noise."""

from __future__ import annotations

import time
from typing import Tuple

from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode, warm_up

WORLD = 'maze'
MAX_DURATION = 600.0
"""Maximum duration of an episode, for algorithms that circle, simulated [s]."""
TARGET = 500.0
"""Target of simulated time / CPU time."""
TARGETS = {'bug2': 4000.0, 'tangent_bug': 1000.0, 'vis_bug_21': 1000.0}
"""Targets of algorithms that have another one."""


def table(repeats: int) -> str:
    """Return a table of simulated time / CPU time of each algorithm, best of several episodes."""
    warm_up()
    lines = [f'Simulated time per CPU time in `{WORLD}`, range noise 1 cm, one core, best of '
             f'{repeats}:\n',
             '| algorithm | simulated | per CPU time | us per tick |', '|---|---|---|---|']
    for name in sorted(registered()):
        simulated, ticks, processor = min(
            (_episode(name) for _ in range(repeats)), key=lambda run: run[2] / run[0])
        lines.append(f'| {name} | {simulated:.0f} s | {simulated / processor:.4g} x '
                     f'(target {TARGETS.get(name, TARGET):g}) | {1e6 * processor / ticks:.1f} |')
    return '\n'.join(lines)


def _episode(name: str) -> Tuple[float, int, float]:
    """Return simulated time [s], ticks and CPU time [s] of an episode with a fixed seed."""
    world = find_world(WORLD)
    assert world.start is not None and world.goal is not None
    algorithm = find(name)()
    began = time.process_time()
    episode = run_episode(world, Pose(*world.start), world.goal, algorithm, seed=1,
                          keep_samples=False, time_allowance=MAX_DURATION)
    return episode.time, episode.ticks, time.process_time() - began
