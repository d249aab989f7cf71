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

"""How fast each algorithm is driven in one and the same world, with the noise of the lidar."""

from __future__ import annotations

import time
from typing import Tuple

from bug_nav.algorithms.registry import find, registered
from bug_nav.core.geometry import Pose
from bug_nav.sim.catalogue import find_world
from bug_nav.sim.episode import run_episode, warm_up

WORLD = 'maze'
LONGEST = 600.0
"""Who goes round in it is watched for so long [s, simulated]."""
AIM = 500.0
"""Simulated time per CPU time that each is to have."""
AIMS = {'bug2': 4000.0, 'tangent_bug': 1000.0, 'vis_bug_21': 1000.0}
"""Of those that have another one."""


def table(repeats: int) -> str:
    """Return simulated time per CPU time of each algorithm, the best of several episodes."""
    warm_up()
    lines = [f'Simulated time per CPU time in `{WORLD}`, noise 1 cm, one episode after another on '
             f'one core, the best of {repeats}:\n',
             '| algorithm | simulated | per CPU time | us a tick |', '|---|---|---|---|']
    for name in sorted(registered()):
        simulated, ticks, processor = min(
            (_episode(name) for _ in range(repeats)), key=lambda run: run[2] / run[0])
        lines.append(f'| {name} | {simulated:.0f} s | {simulated / processor:.4g} x '
                     f'(target {AIMS.get(name, AIM):g}) | {1e6 * processor / ticks:.1f} |')
    return '\n'.join(lines)


def _episode(name: str) -> Tuple[float, int, float]:
    """Return simulated time [s], ticks and CPU time [s] of an episode, always the same one."""
    world = find_world(WORLD)
    assert world.start is not None and world.goal is not None
    algorithm = find(name)()
    began = time.process_time()
    episode = run_episode(world, Pose(*world.start), world.goal, algorithm, seed=1,
                          keep_samples=False, time_allowance=LONGEST)
    return episode.time, episode.ticks, time.process_time() - began
