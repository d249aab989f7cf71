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

"""Clearance on a grid, for free places and connectivity."""

from __future__ import annotations

from typing import List, Sequence, Union

from bug_nav.simulation.generators.cells import components
from bug_nav.simulation.generators.shapes import RHO, START_MARGIN
from bug_nav.simulation.world import World
import numpy as np

Place = Union[Sequence[float], np.ndarray]
CELL = 0.1
"""Spacing of the grid [m]."""
MIN_CLEARANCE = RHO + START_MARGIN
"""Clearance at which the centre of a robot passes [m]."""


class ClearanceGrid:
    """Clearance at the points of a grid that covers all solids."""

    def __init__(self, solids: List[np.ndarray], margin: float = 2.0):
        """Compute the clearance; the grid extends ``margin`` [m] beyond the solids."""
        every = np.vstack(solids)
        self._low = every.min(axis=0) - margin
        count = np.ceil((every.max(axis=0) + margin - self._low) / CELL).astype(int) + 1
        self._places = self._low + CELL * np.argwhere(np.ones(count, dtype=bool))
        self._clearance = World('', tuple(solids)).clearance(self._places).reshape(count)

    def with_solids(self, solids: List[np.ndarray]) -> ClearanceGrid:
        """Return the grid with more solids."""
        more = World('', tuple(solids)).clearance(self._places).reshape(self._clearance.shape)
        grid = ClearanceGrid.__new__(ClearanceGrid)
        grid._low, grid._places = self._low, self._places
        grid._clearance = np.minimum(self._clearance, more)
        return grid

    @property
    def passable(self) -> np.ndarray:
        """Return the points of the grid that a robot can pass, as a mask."""
        # The half cell ensures that the robot also passes between two neighbours.
        return self._clearance >= MIN_CLEARANCE + 0.5 * CELL

    def reachable_from(self, place: Place) -> np.ndarray:
        """Return a mask of the points that a robot can reach from a place."""
        part = components(~self.passable)
        number = part[self._cell(place)]
        return (part == number) if number else np.zeros(part.shape, dtype=bool)

    def connected(self, one: Place, *others: Place) -> bool:
        """Return whether a robot can reach all other places from one; all must be clear."""
        reachable = self.reachable_from(one)
        return all(reachable[self._cell(other)] for other in others)

    def _cell(self, place: Place) -> tuple:
        return tuple(np.rint((np.asarray(place) - self._low) / CELL).astype(int).tolist())


def is_straight_path_free(world: World, one: Place, other: Place, room: float) -> bool:
    """Return whether the straight line between two places keeps a clearance of ``room`` [m]."""
    ends = np.array([one, other], dtype=float)
    count = int(np.hypot(*(ends[1] - ends[0])) / CELL) + 2
    way = np.linspace(ends[0], ends[1], count)
    return bool(world.clearance(way).min() >= room + 0.5 * CELL)
