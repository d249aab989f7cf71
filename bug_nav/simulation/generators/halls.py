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

"""A square hall with random obstacles."""

from __future__ import annotations

import math
from typing import List, NamedTuple

from bug_nav.simulation.generators.clearance_grid import ClearanceGrid
from bug_nav.simulation.generators.clutter import piece, separating_solids, TRIES
from bug_nav.simulation.generators.shapes import clear, polyline
import numpy as np

AT_WALL = 0.7
"""Minimum clearance of start and goal [m]."""


class Hall(NamedTuple):
    """A square hall between the origin and (size, size)."""

    solids: List[np.ndarray]
    start: np.ndarray
    goal: np.ndarray
    size: float


def hall(rng: np.random.Generator, size: float, count: int, reachable: bool = True) -> Hall:
    """
    Return a hall with at most ``count`` obstacles, and start and goal.

    An unreachable goal is in an obstacle, or a ring of walls surrounds it or the start.

    :param size: side of the hall [m].
    """
    thickness = rng.uniform(0.08, 0.2)
    walls = boundary_walls(size, size, thickness)
    while True:
        start, goal = rng.uniform(AT_WALL, size - AT_WALL, (2, 2))
        if math.dist(start, goal) < 0.6 * size:
            continue
        inner = [] if reachable else separating_solids(rng, start, goal)
        keep_clear = [(start, AT_WALL), (goal, AT_WALL if reachable else -math.inf)]
        if inner and not clear(inner, [(start, 0.35)]):
            continue
        solids = [*walls, *inner, *pieces(rng, size, count, keep_clear)]
        if not reachable or ClearanceGrid(solids).connected(start, goal):
            return Hall(solids, start, goal, size)


def boundary_walls(length: float, width: float, thickness: float) -> List[np.ndarray]:
    """Return walls around the free area between the origin and (length, width)."""
    half = 0.5 * thickness
    low, right, top = -half, length + half, width + half
    return polyline(np.array([(low, low), (right, low), (right, top), (low, top), (low, low)]),
                    thickness)


def pieces(rng: np.random.Generator, size: float, count: int, keep_clear: list
           ) -> List[np.ndarray]:
    """Return ``count`` obstacles within a hall, or fewer if it is full."""
    found: List[np.ndarray] = []
    for _ in range(TRIES):
        if len(found) >= count:
            break
        _, solid = piece(rng, size)
        if solid.min() >= 0.0 and solid.max() <= size and clear([solid], keep_clear):
            found.append(solid)
    return found
