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
Courtyards, corridors and mazes whose walls are rows of posts.

A scan has few readings on each post, and none between two of them: there are no lines to match.
"""

from __future__ import annotations

import functools
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.simulation.generators.shapes import (
    DOOR_JITTER,
    rectangle,
    RHO,
    ring,
    START_MARGIN,
)
from bug_nav.simulation.generators.world_builder import build_world, Plan
from bug_nav.simulation.world import World
import numpy as np

PITCHES = 0.1, 0.6
"""Minimum and maximum distance between the centres of neighboring posts [m]."""
MIN_RADIUS, MAX_RADIUS = 0.03, 0.15
"""Minimum and maximum radius, or half side, of a post [m]."""
CLOSED_GAP, OPEN_GAP = 2 * RHO - DOOR_JITTER, 2 * RHO + 0.05
"""Maximum gap that is clearly impassable, and minimum gap that is clearly passable [m]."""
MIN_DOOR, MAX_DOOR = 0.6, 1.2
"""Minimum and maximum width of a door [m]."""
FACETS = 12
"""Number of sides of a round post."""
# Minimum and maximum numbers of columns and rows, and minimum and maximum side of a cell [m], of
# a courtyard, a corridor and a maze.
_SHAPES = (((1, 1), (2, 2), (2.2, 3.4)), ((4, 1), (6, 1), (1.2, 2.2)),
           ((3, 3), (4, 4), (0.8, 1.2)))
# Share of the worlds whose rows a robot can pass, if their pitch is not given.
_PASSABLE = 0.15
# Shares of doors beyond those that connect all cells, within the walls and in the outer wall.
_EXTRA, _EXTRA_OUTSIDE = 0.15, 0.03


def posts(seed: int, *, reachable: bool = True, pitch: Optional[float] = None) -> World:
    """
    Return a courtyard, a corridor or a maze of posts with start and goal.

    All posts of a world are round or all are square, with the same radius or half side of 3 to
    15 cm, less than half the pitch. The gap between two neighbors is at most 0.39 m, so that a row
    is a wall, or in a few worlds at least 0.50 m, so that a robot passes it. Doors are 0.6 to
    1.2 m wide. An unreachable goal is behind a row without a door, or in a ring of walls if robots
    pass the rows; instead, the start may be there.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param pitch: distance between the centres of neighboring posts [m]; None to draw it.
    """
    return build_world('posts', functools.partial(_draw, pitch), seed, reachable)


def _draw(pitch: Optional[float], rng: np.random.Generator, reachable: bool) -> Optional[Plan]:
    post = _draw_post(rng, pitch)
    grid = _Grid(rng, post)
    first, second = rng.choice(grid.outdoors + 1, 2, replace=False).tolist()
    if not reachable and not post.is_passable:
        grid.separate(rng, first, second)
    start, goal = grid.place(rng, first), grid.place(rng, second)
    if math.dist(start, goal) < 1.0:
        return None
    solids = grid.posts()
    if not reachable and post.is_passable:
        solids += ring(rng, (start, goal)[rng.integers(2)])
    return solids, start, goal


class _Post(NamedTuple):
    """The shape of all posts, and the distance between neighbors."""

    pitch: float
    radius: float
    is_round: bool

    @property
    def is_passable(self) -> bool:
        """Return whether a robot passes between two neighbors."""
        return self.pitch - 2.0 * self.radius > CLOSED_GAP

    def at(self, node: Sequence[int]) -> np.ndarray:
        """Return the corners of the post at a node of the grid."""
        (x, y), side = self.pitch * np.array(node), 2.0 * self.radius
        if not self.is_round:
            return rectangle(x, y, side, side, 0.0)
        angles = 2.0 * math.pi / FACETS * np.arange(FACETS)
        return (x, y) + self.radius * np.column_stack((np.cos(angles), np.sin(angles)))

    def steps(self, length: float) -> int:
        """Return the number of steps between two posts with at least a length free [m]."""
        return math.ceil((length + 2.0 * self.radius) / self.pitch)


def _draw_post(rng: np.random.Generator, pitch: Optional[float]) -> _Post:
    widest = OPEN_GAP + 2.0 * MIN_RADIUS
    is_passable = rng.random() < _PASSABLE if pitch is None else (
        pitch >= widest and rng.random() < 0.5)
    if pitch is None:
        pitch = rng.uniform(widest, PITCHES[1]) if is_passable else rng.uniform(*PITCHES)
    least, most = (MIN_RADIUS, 0.5 * (pitch - OPEN_GAP)) if is_passable else (
        max(MIN_RADIUS, 0.5 * (pitch - CLOSED_GAP)), min(0.45 * pitch, MAX_RADIUS))
    return _Post(pitch, rng.uniform(least, most), bool(rng.random() < 0.5))


class _Wall(NamedTuple):
    """A row of posts between two cells."""

    cells: Tuple[int, int]
    corner: np.ndarray
    """First node (2,)."""
    along: np.ndarray
    """Step to the next node (2,)."""


class _Grid:
    """Cells between rows of posts, numbered row by row; the outdoors has the next number."""

    def __init__(self, rng: np.random.Generator, post: _Post) -> None:
        self._post = post
        low, high, sides = _SHAPES[rng.integers(len(_SHAPES))]
        self._shape = rng.integers(low, high, endpoint=True)
        self._steps = post.steps(rng.uniform(*sides))
        self.outdoors = int(self._shape.prod())
        self._walls = list(self._all_walls())
        self._doors: Dict[int, Tuple[int, int]] = {}
        """First and last missing post, in steps from the corner, by the number of the wall."""
        # Few doors lead outdoors.
        orders = [rng.random() + 0.7 * (self.outdoors in wall.cells) for wall in self._walls]
        for number in np.argsort(orders).tolist():
            wall = self._walls[number]
            extra = _EXTRA_OUTSIDE if self.outdoors in wall.cells else _EXTRA
            if self._way(*wall.cells) is None or rng.random() < extra:
                self._doors[number] = self._door(rng)

    def _all_walls(self) -> Iterator[_Wall]:
        columns, rows = self._shape.tolist()

        def cell(i: int, j: int) -> int:
            return j * columns + i if 0 <= i < columns and 0 <= j < rows else self.outdoors
        for i, j in np.ndindex(columns + 1, rows + 1):
            corner = self._steps * np.array([i, j])
            if j < rows:
                yield _Wall((cell(i - 1, j), cell(i, j)), corner, np.array([0, 1]))
            if i < columns:
                yield _Wall((cell(i, j - 1), cell(i, j)), corner, np.array([1, 0]))

    def _door(self, rng: np.random.Generator) -> Tuple[int, int]:
        width = min(self._post.steps(rng.uniform(MIN_DOOR, MAX_DOOR)), self._steps)
        first = int(rng.integers(1, self._steps - width + 2))
        return first, first + width - 2

    def _way(self, first: int, second: int) -> Optional[List[int]]:
        """Return the walls with doors on the way between two cells; None without a way."""
        ways: Dict[int, List[int]] = {first: []}
        waiting = [first]
        for here in waiting:
            for number in self._doors:
                cells = self._walls[number].cells
                if here in cells:
                    other = cells[cells[0] == here]
                    if other not in ways:
                        ways[other] = [*ways[here], number]
                        waiting.append(other)
        return ways.get(second)

    def separate(self, rng: np.random.Generator, first: int, second: int) -> None:
        """Close doors until no way leads from one cell to another."""
        way = self._way(first, second)
        while way is not None:
            del self._doors[int(rng.choice(way))]
            way = self._way(first, second)

    def posts(self) -> List[np.ndarray]:
        """Return the posts of all walls; those at corners are shared."""
        nodes = {}
        for number, wall in enumerate(self._walls):
            first, last = self._doors.get(number, (1, 0))
            for step in range(self._steps + 1):
                if not first <= step <= last:
                    nodes[tuple((wall.corner + step * wall.along).tolist())] = True
        return [self._post.at(node) for node in nodes]

    def place(self, rng: np.random.Generator, cell: int) -> np.ndarray:
        """Return a place in a cell or outdoors, clear of the walls."""
        side, least = self._steps * self._post.pitch, self._post.radius + RHO + START_MARGIN
        if cell < self.outdoors:
            low = side * np.array(divmod(cell, int(self._shape[0]))[::-1])
            return rng.uniform(low + least, low + side - least)
        size = side * self._shape
        place = rng.uniform(-least, size + least)
        axis = rng.integers(2)
        place[axis] = rng.choice((-1.0, size[axis] + 1.0)) + rng.uniform(-0.5, 0.5)
        return place
