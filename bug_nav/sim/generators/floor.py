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

"""Which places of a world are free, and between which of them there is a way."""

from __future__ import annotations

from typing import List, Sequence, Union

from bug_nav.sim.generators.cells import parts
from bug_nav.sim.generators.shapes import RHO, SPARE
from bug_nav.sim.world import World
import numpy as np

Place = Union[Sequence[float], np.ndarray]
CELL = 0.1
"""The places that are looked at lie so far apart [m]."""
PASSES = RHO + SPARE
"""A robot passes where its centre keeps so much from everything [m]."""


class Floor:
    """The clearance of a grid of places, which is all around the solids and beyond."""

    def __init__(self, solids: List[np.ndarray], room: float = 2.0):
        """Measure it; ``room`` [m] is what there is beyond the solids."""
        every = np.vstack(solids)
        self._low = every.min(axis=0) - room
        count = np.ceil((every.max(axis=0) + room - self._low) / CELL).astype(int) + 1
        self._places = self._low + CELL * np.argwhere(np.ones(count, dtype=bool))
        self._clearance = World('', tuple(solids)).clearance(self._places).reshape(count)

    def with_solids(self, solids: List[np.ndarray]) -> Floor:
        """Return it with more solids."""
        more = World('', tuple(solids)).clearance(self._places).reshape(self._clearance.shape)
        floor = Floor.__new__(Floor)
        floor._low, floor._places = self._low, self._places
        floor._clearance = np.minimum(self._clearance, more)
        return floor

    @property
    def passable(self) -> np.ndarray:
        """Which places of the grid a robot may be at."""
        # Between two neighbours that are half a cell better off than that it passes, too.
        return self._clearance >= PASSES + 0.5 * CELL

    def around(self, place: Place) -> np.ndarray:
        """Return which places of the grid a robot can get to from there."""
        part = parts(~self.passable)
        number = part[self._cell(place)]
        return (part == number) if number else np.zeros(part.shape, dtype=bool)

    def connected(self, one: Place, *others: Place) -> bool:
        """Tell whether a robot can get from one place to others, all of which are clear."""
        around = self.around(one)
        return all(around[self._cell(other)] for other in others)

    def _cell(self, place: Place) -> tuple:
        return tuple(np.rint((np.asarray(place) - self._low) / CELL).astype(int).tolist())


def way_is_free(world: World, one: Place, other: Place, room: float) -> bool:
    """Tell whether the straight way between two places keeps so much from everything [m]."""
    ends = np.array([one, other], dtype=float)
    count = int(np.hypot(*(ends[1] - ends[0])) / CELL) + 2
    way = np.linspace(ends[0], ends[1], count)
    return bool(world.clearance(way).min() >= room + 0.5 * CELL)
