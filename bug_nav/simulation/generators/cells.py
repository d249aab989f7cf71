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

"""Mazes of square cells, some of which are solid."""

from __future__ import annotations

from typing import Iterator, Optional

from bug_nav.simulation.generators.shapes import rectangle, RHO, START_MARGIN
from bug_nav.simulation.generators.world_builder import build_world, Plan
from bug_nav.simulation.world import World
import numpy as np

# Minimum distance between start and goal [cells].
_APART = 3.5


def cells(seed: int, *, reachable: bool = True) -> World:
    """
    Return a square of 7 or 8 cells per side, a third of them solid, with start and goal.

    A cell measures 0.9 to 1.1 m, over 4 rho. No two solid cells touch only at a corner. Half of
    the mazes have an outer wall. An unreachable goal is in another component of the free cells
    than the start, or, in one case of five, in a solid cell.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    return build_world('cells', _draw, seed, reachable)


def _draw(rng: np.random.Generator, reachable: bool) -> Optional[Plan]:
    side = rng.uniform(0.9, 1.1)
    solid = _grid(rng)
    part = components(solid)
    free, filled = np.argwhere(~solid), np.argwhere(solid[1:-1, 1:-1]) + 1
    first = free[rng.integers(len(free))]
    if not reachable and rng.random() < 0.2:
        others = filled
    else:
        same = part[tuple(free.T)] == part[tuple(first)]
        others = free[same == reachable]
    others = others[np.hypot(*(others - first).T) >= _APART]
    if not len(others):
        return None
    second = others[rng.integers(len(others))]
    start, goal = (side * (cell + 0.5 + rng.uniform(-0.3, 0.3, 2)) for cell in (first, second))
    # The start keeps its margin from the walls of its cell.
    least = RHO + START_MARGIN
    start = np.clip(start, side * first + least, side * (first + 1) - least)
    return [_block(side * low, side * high) for low, high in _blocks(solid)], start, goal


def _block(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    (x, y), (length, width) = 0.5 * (low + high), high - low
    return rectangle(x, y, length, width, 0.0)


def _grid(rng: np.random.Generator) -> np.ndarray:
    """Return which cells are solid, with a border of free or solid cells."""
    count = int(rng.integers(7, 9))
    solid = np.zeros((count + 2, count + 2), dtype=bool)
    solid[1:-1, 1:-1] = rng.random((count, count)) < rng.uniform(0.32, 0.42)
    if rng.random() < 0.5:
        solid[[0, -1]] = solid[:, [0, -1]] = True
    changed = True
    while changed:
        changed = False
        for i, j in np.ndindex(count + 1, count + 1):
            square = solid[i:i + 2, j:j + 2]
            if square.sum() == 2 and square[0, 0] == square[1, 1]:
                square[tuple(np.argwhere(~square)[rng.integers(2)])] = changed = True
    return solid


def components(solid: np.ndarray) -> np.ndarray:
    """Label the 4-connected components of the free cells; 0 for solid cells."""
    # Union-find of runs of free cells with those that they touch in the row above.
    free = np.pad(~solid, ((0, 0), (1, 1)))
    row, begin = np.nonzero(free[:, 1:] & ~free[:, :-1])
    end = np.nonzero(free[:, :-1] & ~free[:, 1:])[1]
    first = np.searchsorted(row, np.arange(len(solid) + 1)).tolist()
    begins, ends, root = begin.tolist(), end.tolist(), list(range(len(row)))

    def root_of(run: int) -> int:
        while root[run] != run:
            root[run] = run = root[root[run]]
        return run
    for run, at in enumerate(row.tolist()):
        for other in range(first[at - 1], first[at]) if at else ():
            if begins[other] < ends[run] and begins[run] < ends[other]:
                one, another = sorted((root_of(run), root_of(other)))
                root[another] = one
    numbers = np.unique([root_of(run) for run in root], return_inverse=True)[1]
    part = np.zeros(solid.shape, dtype=int)
    part[~solid] = np.repeat(1 + numbers, end - begin)
    return part


def _blocks(solid: np.ndarray) -> Iterator[tuple]:
    """
    Yield the corners of rectangles that cover the solid cells.

    They are runs in both directions, because each covers the seams between those that cross it.
    """
    for turned in (False, True):
        grid = solid.T if turned else solid
        for row, line in enumerate(grid):
            ends = np.flatnonzero(np.diff(np.concatenate(([False], line, [False]))))
            for begin, end in zip(ends[::2], ends[1::2]):
                if turned and end - begin == 1:
                    continue  # a run in the other direction covers it
                low, high = np.array([row, begin]), np.array([row + 1, end])
                yield (low[::-1], high[::-1]) if turned else (low, high)
