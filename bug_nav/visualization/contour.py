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

"""The contour of the inflated obstacles, as the zero level of a field."""

from __future__ import annotations

from typing import Tuple

from bug_nav.simulation.world import World
import numpy as np

CELLS = 320
"""Cells of the field along its longer side."""
REACH = 3
"""Maximum offset of a place on the contour from free cells [cells]."""


def contour_field(world: World, radius: float, places: np.ndarray, low: np.ndarray,
                  high: np.ndarray) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    Return x (n,), y (m,) and the field (m, n) between two corners: clearance minus ``radius`` [m].

    Free space that is not connected to any of ``places`` (k, 2) counts as solid, so that contours
    out of reach of the robot, such as the outside of an arena, are not drawn. Without places, all
    contours are.
    """
    count = np.maximum(CELLS * (high - low) / (high - low).max(), 8).astype(int)
    x, y = np.linspace(low[0], high[0], count[0]), np.linspace(low[1], high[1], count[1])
    mesh = np.meshgrid(x, y)
    points = np.column_stack([values.ravel() for values in mesh])
    field = world.clearance(points).reshape(mesh[0].shape) - radius
    if not len(places):
        return x, y, field
    seeds = _cells_at((places - low) / (high - low) * (count - 1), count)
    field[(field > 0.0) & ~_connected(field > 0.0, seeds)] = -radius
    return x, y, field


def _connected(free: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Return the free cells that are connected to a seed."""
    found = seeds & free
    columns = free.shape[1]
    flat_free, flat_found = free.ravel().tolist(), found.ravel().tolist()
    stack = np.nonzero(found.ravel())[0].tolist()
    while stack:
        cell = stack.pop()
        column = cell % columns
        for other in (cell - columns, cell + columns, cell - 1 if column else -1,
                      cell + 1 if column < columns - 1 else -1):
            if 0 <= other < len(flat_free) and flat_free[other] and not flat_found[other]:
                flat_found[other] = True
                stack.append(other)
    return np.array(flat_found).reshape(free.shape)


def _cells_at(places: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return a mask of the cells around places, given in cells; contours lie between cells."""
    seeds = np.zeros((count[1], count[0]), dtype=bool)
    for by in range(-REACH, REACH + 1):
        for dx, dy in ((by, 0), (0, by)):
            column, row = np.clip(np.rint(places).astype(int) + (dx, dy), 0, count - 1).T
            seeds[row, column] = True
    return seeds
