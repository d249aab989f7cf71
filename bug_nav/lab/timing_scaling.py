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

"""Cost of a tick against the number of wall segments and of beams."""

from __future__ import annotations

import math

from bug_nav.lab.timing_workload import clocked, drive, ticks
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.world import World
import numpy as np

SEGMENTS = (10, 30, 100, 300, 1000, 3000, 10000)
BEAMS = (90, 180, 360, 720, 1440)
CORNERS = 4
PILLAR = 0.2
"""Radius of a pillar [m]."""
SPACING = 1.2
"""Distance between pillars [m]."""
DISTANCE = 6.0 * SPACING
"""Distance from start to goal [m]."""


def table(repeats: int) -> str:
    """Return a table of the cost of a tick with more and more pillars, and more beams."""
    lines = [f'A hall of pillars {SPACING:g} m apart around the same route, with more and more of '
             f'them, and with more beams in the hall of 100 segments; best of {repeats}:\n',
             '| wall segments | beams | tick, mean | simulator, per tick | '
             'simulated per wall time | per CPU time |',
             '|---|---|---|---|---|---|']
    for segments, beams in ([(segments, 360) for segments in SEGMENTS]
                            + [(100, beams) for beams in BEAMS if beams != 360]):
        lines.append(_line(hall(segments // CORNERS), beams, repeats))
    return '\n'.join(lines)


def hall(count: int) -> World:
    """Return a world with the ``count`` pillars of a square grid nearest to the route."""
    side = np.arange(-math.ceil(math.sqrt(count)) - 2, math.ceil(math.sqrt(count)) + 3)
    # The route starts and ends between two pillars and meets a row of them head-on.
    grid = SPACING * (np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2) + (0.5, 0.0))
    nearest = np.argsort(np.hypot(*grid.T), kind='stable')[:count]
    angles = 2.0 * math.pi * np.arange(CORNERS) / CORNERS
    corners = PILLAR * np.column_stack((np.cos(angles), np.sin(angles)))
    return World(f'hall_{count}', tuple(corners + place for place in grid[nearest]),
                 (-0.5 * DISTANCE, 0.0, 0.0), (0.5 * DISTANCE, 0.0))


def _line(world: World, beams: int, repeats: int) -> str:
    lidar = LidarModel(scan_count=beams)
    episode = drive(world, lidar=lidar)
    wall, processor = np.min([clocked(lambda: drive(world, lidar=lidar))
                              for _ in range(repeats)], axis=0)
    tick = float(np.min([ticks(world, lidar=lidar) for _ in range(repeats)], axis=0).mean())
    rest = 1e6 * processor / episode.ticks - tick
    return (f'| {len(world.segments)} | {beams} | {tick:.3g} us | {rest:.3g} us | '
            f'{episode.time / wall:.4g} x | {episode.time / processor:.4g} x |')
