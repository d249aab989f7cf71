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

"""Cost of a tick against the number of people in a hall."""

from __future__ import annotations

import dataclasses

from bug_nav.lab.timing_workload import clocked, drive, ticks
from bug_nav.simulation.generators import crowd
from bug_nav.simulation.world import World
import numpy as np

PEOPLE = (0, 5, 20, 50)
MAX_PEOPLE = max(PEOPLE)
SEED = 3
TIME_ALLOWANCE = 60.0
"""Maximum duration of an episode, because people may block the robot, simulated [s]."""


def table(repeats: int) -> str:
    """Return a table of the cost of a tick with more and more people in the same hall."""
    hall = crowd(SEED, people=MAX_PEOPLE)
    lines = [f'The first people of random:crowd?seed={SEED}&people={MAX_PEOPLE}, '
             f'{TIME_ALLOWANCE:g} s at most, best of {repeats}:\n',
             '| people | tick, mean | simulator, per tick | simulated per wall time | '
             'per CPU time |', '|---|---|---|---|---|']
    return '\n'.join(lines + [_line(hall, count, repeats) for count in PEOPLE])


def _line(hall: World, count: int, repeats: int) -> str:
    world = dataclasses.replace(hall, movers=hall.movers[:count])
    episode = drive(world, time_allowance=TIME_ALLOWANCE)
    wall, processor = np.min([clocked(lambda: drive(world, time_allowance=TIME_ALLOWANCE))
                              for _ in range(repeats)], axis=0)
    tick = float(np.min([ticks(world, time_allowance=TIME_ALLOWANCE) for _ in range(repeats)],
                        axis=0).mean())
    rest = 1e6 * processor / episode.ticks - tick
    return (f'| {count} | {tick:.3g} us | {rest:.3g} us | {episode.time / wall:.4g} x | '
            f'{episode.time / processor:.4g} x |')
