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

"""Robots whose ways cross, all of which run bug_nav."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.sim.generators.floor import Floor
from bug_nav.sim.generators.halls import fence, pieces
from bug_nav.sim.generators.shapes import ring
from bug_nav.sim.rivals import Rival
from bug_nav.sim.world import World
import numpy as np

ALGORITHMS = ('bug1', 'bug2', 'dist_bug', 'tangent_bug')
"""What the other robots run."""
BESIDE = 0.9
"""Start and goal of each are so far from those of all others, at least [m]."""
AT_WALL = 0.7
"""And so far from the walls [m]."""
AT_END = 0.6
"""And from the ends of a corridor [m]."""
CORRIDOR = (1.6, 2.4)
"""The width of a corridor in which robots meet head on [m]."""
_MEET = 4
"""No more robots than this meet in a corridor."""
_RING = (0.6, 1.0)
_Way = Tuple[np.ndarray, np.ndarray]
"""Start and goal of a robot."""


def traffic(seed: int, *, reachable: bool = True, robots: Optional[int] = None) -> World:
    """
    Return a hall that robots cross, or a corridor in which they meet, and a start and a goal.

    In a hall starts and goals lie on a circle, and each robot goes to the other side. In a
    half of the worlds with up to four robots these are in a corridor of 1.6 to 2.4 m instead, and
    come from both ends. The others go to and fro for as long as the robot is under way.

    A goal that is wished unreachable is in a ring of walls in the middle of the hall, or beyond
    the end of the corridor.

    :param seed: any integer from 0; two wishes with one seed have nothing in common.
    :param robots: how many, with the robot itself; by default 2 to 10, drawn too.
    """
    rng = np.random.default_rng((seed, int(reachable), *b'traffic'))
    count = int(rng.integers(2, 11)) if robots is None else robots
    narrow = count <= _MEET and rng.random() < 0.5
    solids, ways = (_corridor if narrow else _hall)(rng, count, reachable)
    (start, goal), *others = ways
    rivals = tuple(Rival((*one, _heading(one, two)), tuple(two.tolist()),
                         str(rng.choice(ALGORITHMS))) for one, two in others)
    world = World(f'traffic_{seed}{"" if reachable else "_shut"}', tuple(solids),
                  (*start, _heading(start, goal)), tuple(goal), rivals=rivals)
    return world.transformed(0.0, 0.0, rng.uniform(-math.pi, math.pi))


def _hall(rng: np.random.Generator, count: int, reachable: bool
          ) -> Tuple[List[np.ndarray], List[_Way]]:
    # Starts and goals take turns on the circle, so that an odd number of each are opposite.
    half = count | 1
    radius = max(2.0, 1.1 * BESIDE * half / math.pi) + rng.uniform(0.1, 1.5)
    size = 2.0 * (radius + AT_WALL) + rng.uniform(0.0, 1.0)
    walls = fence(size, size, rng.uniform(0.08, 0.2))
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
    keep_clear = [(place, 0.5 * BESIDE) for way in (ways[0][:1], *others) for place in way]
    while True:
        solids = [*walls, *inner, *pieces(rng, size, int(rng.integers(0, 5)), keep_clear)]
        if Floor(solids).connected(*(place for way in others for place in way)):
            return solids, ways


def _corridor(rng: np.random.Generator, count: int, reachable: bool
              ) -> Tuple[List[np.ndarray], List[_Way]]:
    width, length = rng.uniform(*CORRIDOR), rng.uniform(9.0, 14.0)
    thickness = rng.uniform(0.08, 0.2)
    aside = 0.5 * width - 0.4
    ways = []
    for k in range(count):
        # Places at an end are taken in turns by the goal of one that comes and the start of one
        # that goes.
        x = np.array([AT_END + BESIDE * (k // 2 * 2 + 1), length - AT_END - BESIDE * (k // 2 * 2)])
        if k % 2:
            x = length - x
        y = 0.5 * width + rng.uniform(-aside, aside, 2)
        ways.append((np.array([x[0], y[0]]), np.array([x[1], y[1]])))
    if not reachable:
        ways[0] = ways[0][0], np.array([length + thickness + rng.uniform(0.6, 1.2), 0.5 * width])
    return fence(length, width, thickness), ways


def _heading(one: np.ndarray, two: np.ndarray) -> float:
    return math.atan2(two[1] - one[1], two[0] - one[0])
