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

"""Several robots with crossing routes, all of which run bug_nav."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.simulation.generators.clearance_grid import ClearanceGrid
from bug_nav.simulation.generators.halls import boundary_walls, pieces
from bug_nav.simulation.generators.shapes import ring
from bug_nav.simulation.other_robots import OtherRobot
from bug_nav.simulation.world import World
import numpy as np

ALGORITHMS = ('bug1', 'bug2', 'dist_bug', 'tangent_bug')
"""Algorithms of the other robots."""
SPACING = 0.9
"""Minimum distance between the starts and goals of different robots [m]."""
WALL_DISTANCE = 0.7
"""Minimum distance of starts and goals from the walls [m]."""
END_DISTANCE = 0.6
"""Minimum distance of starts and goals from the ends of a corridor [m]."""
CORRIDOR = (1.6, 2.4)
"""Range of widths of a corridor in which robots meet head on [m]."""
_MAX_IN_CORRIDOR = 4
"""Maximum number of robots in a corridor."""
_RING = (0.6, 1.0)
_Way = Tuple[np.ndarray, np.ndarray]
"""Start and goal of a robot."""


def traffic(seed: int, *, reachable: bool = True, robots: Optional[int] = None) -> World:
    """
    Return a hall that robots cross, or a corridor in which they meet, and start and goal.

    In a hall, starts and goals lie on a circle, and each robot drives to the opposite side. In
    half of the worlds with up to four robots, these meet in a corridor of 1.6 to 2.4 m instead.
    The other robots drive back and forth during the whole episode.

    An unreachable goal is in a ring of walls in the middle of the hall, or beyond the end of the
    corridor.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param robots: number of robots, with the robot itself; by default random, 2 to 10.
    """
    rng = np.random.default_rng((seed, int(reachable), *b'traffic'))
    count = int(rng.integers(2, 11)) if robots is None else robots
    narrow = count <= _MAX_IN_CORRIDOR and rng.random() < 0.5
    solids, ways = (_corridor if narrow else _hall)(rng, count, reachable)
    (start, goal), *others = ways
    other_robots = tuple(OtherRobot((*one, _heading(one, two)), tuple(two.tolist()),
                         str(rng.choice(ALGORITHMS))) for one, two in others)
    world = World(f'traffic_{seed}{"" if reachable else "_shut"}', tuple(solids),
                  (*start, _heading(start, goal)), tuple(goal), other_robots=other_robots)
    return world.transformed(0.0, 0.0, rng.uniform(-math.pi, math.pi))


def _hall(rng: np.random.Generator, count: int, reachable: bool
          ) -> Tuple[List[np.ndarray], List[_Way]]:
    # Starts and goals alternate on the circle, so that an odd number of each are opposite.
    half = count | 1
    radius = max(2.0, 1.1 * SPACING * half / math.pi) + rng.uniform(0.1, 1.5)
    size = 2.0 * (radius + WALL_DISTANCE) + rng.uniform(0.0, 1.0)
    walls = boundary_walls(size, size, rng.uniform(0.08, 0.2))
    angles = rng.uniform(-math.pi, math.pi) + math.pi * np.arange(2 * half) / half
    away = radius * rng.uniform(0.92, 1.0, 2 * half)
    places = 0.5 * size + np.column_stack((away * np.cos(angles), away * np.sin(angles)))
    ways = [(places[2 * k], places[(2 * k + half) % (2 * half)]) for k in range(count)]
    inner: List[np.ndarray] = []
    if not reachable:
        middle = np.full(2, 0.5 * size)
        inner = ring(rng, middle, radii=_RING)
        ways[0] = ways[0][0], middle
    others = ways if reachable else ways[1:]
    keep_clear = [(place, 0.5 * SPACING) for way in (ways[0][:1], *others) for place in way]
    while True:
        solids = [*walls, *inner, *pieces(rng, size, int(rng.integers(0, 5)), keep_clear)]
        if ClearanceGrid(solids).connected(*(place for way in others for place in way)):
            return solids, ways


def _corridor(rng: np.random.Generator, count: int, reachable: bool
              ) -> Tuple[List[np.ndarray], List[_Way]]:
    width, length = rng.uniform(*CORRIDOR), rng.uniform(9.0, 14.0)
    thickness = rng.uniform(0.08, 0.2)
    aside = 0.5 * width - 0.4
    ways = []
    for k in range(count):
        # At each end, the goals of arriving and the starts of departing robots alternate.
        x = np.array([END_DISTANCE + SPACING * (k // 2 * 2 + 1),
                      length - END_DISTANCE - SPACING * (k // 2 * 2)])
        if k % 2:
            x = length - x
        y = 0.5 * width + rng.uniform(-aside, aside, 2)
        ways.append((np.array([x[0], y[0]]), np.array([x[1], y[1]])))
    if not reachable:
        ways[0] = ways[0][0], np.array([length + thickness + rng.uniform(0.6, 1.2), 0.5 * width])
    return boundary_walls(length, width, thickness), ways


def _heading(one: np.ndarray, two: np.ndarray) -> float:
    return math.atan2(two[1] - one[1], two[0] - one[0])
