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

"""Random obstacles that may overlap."""

from __future__ import annotations

import math
from typing import Callable, Optional

from bug_nav.simulation.generators.shapes import (
    clear,
    DOOR_JITTER,
    placed,
    rectangle,
    RHO,
    ring,
    START_MARGIN,
)
from bug_nav.simulation.world import World
import numpy as np

TRIES = 200
"""Maximum number of obstacles of a world."""


def cluttered(seed: int, *, reachable: bool = True, count: Optional[int] = None,
              size: float = 7.0, rho: float = RHO, gaps: float = 0.3) -> World:
    """
    Return a square of random obstacles with start and goal.

    The obstacles are bars, rectangles, L and U shapes and poles at any angle; they may overlap.
    With ``reachable``, one world in seven has a room around start or goal whose door is near the
    critical width of a robot; that door, or chance, can still close the goal off: check with
    `lab.ground_truth.judge`. An unreachable goal is inside an obstacle, or behind a closed ring
    around it or around the start.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param count: number of obstacles; by default random, 6 to 30.
    :param size: side of the square in metres; start and goal are at least half of it apart.
    :param rho: contour radius in metres. The start has a clearance of rho + 0.02 m, and so has the
        goal in four of five reachable worlds; in the others it may be close to a wall.
    :param gaps: share of obstacles that are parallel to another one, at a distance within 0.06 m
        of 2 rho, the critical width at which a gap may appear open or closed.
    """
    rng = np.random.default_rng((seed, int(reachable)))
    while True:
        world = _attempt(rng, reachable, count, size, rho, gaps)
        if world is not None:
            return World(f'cluttered_{seed}{"" if reachable else "_shut"}', world.solids,
                         world.start, world.goal)


def _attempt(rng: np.random.Generator, reachable: bool, count: Optional[int], size: float,
             rho: float, gaps: float) -> Optional[World]:
    start, goal = _ends(rng, size)
    keep_clear = [(start, rho + START_MARGIN)]
    if reachable:
        keep_clear.append((goal, rho + START_MARGIN if rng.random() < 0.8 else 0.04))
        solids = _room(rng, start, goal, 2 * rho) if rng.random() < 0.15 else []
    else:
        solids = separating_solids(rng, start, goal)
    if solids and not clear(solids, keep_clear):
        return None
    solids += _clutter(rng, int(rng.integers(6, 31)) if count is None else count, size,
                       gaps, 2 * rho, keep_clear)
    yaw = float(rng.uniform(-math.pi, math.pi))
    return World('', tuple(solids), (*start, yaw), goal)


def _ends(rng: np.random.Generator, size: float) -> tuple[tuple, tuple]:
    while True:
        ends = rng.uniform(0.0, size, (2, 2))
        if math.dist(*ends) >= 0.5 * size:
            start, goal = ends.tolist()
            return tuple(start), tuple(goal)


def _clutter(rng: np.random.Generator, count: int, size: float, gaps: float, width: float,
             keep_clear: list) -> list[np.ndarray]:
    solids: list[np.ndarray] = []
    blocks: list[tuple] = []
    for _ in range(TRIES):
        if len(solids) >= count:
            break
        block: Optional[tuple]
        if blocks and rng.random() < gaps:
            block = _beside(rng, blocks[rng.integers(len(blocks))], width)
            solid = rectangle(*block)
        else:
            block, solid = piece(rng, size)
        if clear([solid], keep_clear):
            solids.append(solid)
            blocks += [block] if block else []
    return solids


def piece(rng: np.random.Generator, size: float) -> tuple[Optional[tuple], np.ndarray]:
    """Return a random obstacle, and its dimensions if it is a rectangle."""
    x, y = rng.uniform(-0.05 * size, 1.05 * size, 2)
    yaw = rng.uniform(-math.pi, math.pi)
    kind = rng.choice(['rectangle', 'bar', 'l', 'u', 'pole'], p=[0.4, 0.2, 0.15, 0.15, 0.1])
    if kind == 'rectangle':
        block = (x, y, *rng.uniform(0.2, 1.2, 2), yaw)
        return block, rectangle(*block)
    if kind == 'bar':
        block = (x, y, rng.uniform(1.0, 2.4), rng.uniform(0.06, 0.2), yaw)
        return block, rectangle(*block)
    shape: Callable = {'l': _l_shape, 'u': _u_shape, 'pole': _pole}[kind]
    return None, placed(shape(rng), x, y, yaw)


def _beside(rng: np.random.Generator, block: tuple, width: float) -> tuple:
    """Return a block parallel to another one, with about the critical width in between."""
    x, y, length, depth, yaw = block
    new_length, new_depth = rng.uniform(0.3, 1.5), rng.uniform(0.1, 0.8)
    across = 0.5 * (depth + new_depth) + width + rng.uniform(-DOOR_JITTER, DOOR_JITTER)
    across *= rng.choice((-1.0, 1.0))
    along = rng.uniform(-0.5, 0.5) * (length + new_length)
    cos, sin = math.cos(yaw), math.sin(yaw)
    return (x + cos * along - sin * across, y + sin * along + cos * across,
            new_length, new_depth, yaw)


def separating_solids(rng: np.random.Generator, start: tuple, goal: tuple) -> list[np.ndarray]:
    """Return walls that separate two places, or an obstacle that contains the goal."""
    choice = rng.random()
    if choice < 0.1:
        x, y = np.add(goal, rng.uniform(-0.1, 0.1, 2))
        length, width = rng.uniform(0.4, 1.5, 2)
        return [rectangle(x, y, length, width, rng.uniform(-math.pi, math.pi))]
    return ring(rng, start if choice < 0.5 else goal)


def _room(rng: np.random.Generator, start: tuple, goal: tuple, width: float) -> list[np.ndarray]:
    door = width + rng.uniform(-2 * DOOR_JITTER, 4 * DOOR_JITTER)
    return ring(rng, start if rng.random() < 0.5 else goal, door)


def _l_shape(rng: np.random.Generator) -> np.ndarray:
    a, b = rng.uniform(0.5, 1.6, 2)
    wall = rng.uniform(0.08, 0.3)
    return np.array([(0, 0), (a, 0), (a, wall), (wall, wall), (wall, b), (0, b)])


def _u_shape(rng: np.random.Generator) -> np.ndarray:
    inner, left, right = rng.uniform(0.3, 1.3, 3)
    wall = rng.uniform(0.08, 0.2)
    outer = inner + 2 * wall
    return np.array([(0, 0), (outer, 0), (outer, wall + right), (outer - wall, wall + right),
                     (outer - wall, wall), (wall, wall), (wall, wall + left), (0, wall + left)])


def _pole(rng: np.random.Generator) -> np.ndarray:
    angles = np.arange(16) * math.pi / 8
    return rng.uniform(0.03, 0.25) * np.column_stack((np.cos(angles), np.sin(angles)))
