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
A map of what the scans of a recording have seen.

The obstacle memory (`bug_nav.sense.memory`) knows what is near the robot, as finely as a verdict
needs it. A map wants all that was ever seen, and what is free besides. So here each cell of a grid
counts in how many scans a beam ended in it, and in how many one went on through it; that share
decides. A scan says one thing of a cell: where any beam ended, no grazing one has passed, or long
walls would be worn away by what looks along them. Nor is a wall worn away by beams that see
nothing: glass and black are as silent as an open door, and of a cell in which anything was ever
met they do not count.
"""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Scan
from bug_nav.recording import RecordingError
from bug_nav.recording.marking import mark
from bug_nav.sim.map_file import FREE, GridMap, OCCUPIED, UNKNOWN
from bug_nav.sim.occupancy import MAX_SIDE
import numpy as np

RESOLUTION = 0.05
"""The side of a cell, if nothing else is asked for [m]."""
FARTHEST = 20.0
"""What lies farther from the lidar is not mapped, if nothing else is asked for [m]."""
CLEARED = 1.0
"""So much of its way is cleared by a beam that sees nothing, where nothing else is known [m]."""
SHARE = 0.25
"""A cell is occupied where so large a share of the scans that tell of it have met something."""
PAD = 64
"""The grid grows by so many cells at once."""


class MapBuilder:
    """Builds a map of scans and the poses that they were taken at; it grows with them."""

    def __init__(self, resolution: float = RESOLUTION, farthest: float = FARTHEST):
        """Begin with nothing known; ``farthest`` [m] from the lidar things are mapped."""
        self._resolution, self._farthest = resolution, farthest
        self._low, self._high = np.zeros(2, dtype=int), np.zeros(2, dtype=int)
        """What is known, from the first row and column to those behind the last ..."""
        self._corner = self._low
        """... and the first row and column of the grid."""
        self._hits, self._passes, self._silent, self._last = (
            np.zeros((0, 0), np.int32) for _ in range(4))
        self._count = 0

    def add(self, scan: Scan, pose: Pose) -> None:
        """Take in a scan; RecordingError where the map becomes too large."""
        sensor, size = pose.compose(scan.mount), self._resolution
        met, cleared, silent = self._told(np.asarray(scan.ranges, dtype=float), scan.range_max)
        angles = sensor.theta + scan.angle_min + scan.angle_increment * np.arange(met.size)
        cosines, sines = np.cos(angles), np.sin(angles)
        x, y = sensor.x / size, sensor.y / size
        length = np.maximum(np.maximum(met, cleared), silent)
        self._make_room(np.append(x + length * cosines, x), np.append(y + length * sines, y))
        self._count += 1
        row, column = self._corner
        for passes, ends, ways in ((self._passes, met, cleared),
                                   (self._silent, np.zeros(met.size), silent)):
            mark(self._hits, passes, self._last, self._count, x - column, y - row, cosines,
                 sines, ends, ways)

    def _told(self, ranges: np.ndarray, range_max: float) -> Tuple[np.ndarray, ...]:
        """
        Return how far away each beam has met something [cells], and how much of its way it clears.

        The third are those that have seen nothing; what a beam does not tell is 0.
        """
        measured = (ranges > 0.0) & (ranges <= range_max)
        met = np.where(measured & (ranges <= self._farthest), ranges, 0.0)
        # A wall is not cleared by the noise of what measures it.
        cleared = np.where(met > 0.0, met - self._resolution, 0.0)
        cleared[measured & (met == 0.0)] = self._farthest
        silent = np.where(ranges == math.inf, min(CLEARED, range_max, self._farthest), 0.0)
        return tuple(each / self._resolution for each in (met, cleared, silent))

    def _make_room(self, x: np.ndarray, y: np.ndarray) -> None:
        """Have the grid hold places [cells]."""
        # One more on each side, or rounding may leave the grid.
        low = np.floor([y.min(), x.min()]).astype(int) - 1
        high = np.floor([y.max(), x.max()]).astype(int) + 2
        if self._count:
            low, high = np.minimum(low, self._low), np.maximum(high, self._high)
        rows, columns = high - low
        if max(rows, columns) > MAX_SIDE:
            raise RecordingError(
                f'the map has {columns} x {rows} cells of {self._resolution:g} m by now; up to '
                f'{MAX_SIDE} x {MAX_SIDE} are allowed, so take larger cells (--resolution), or '
                'map less of what is far away (--farthest)')
        before = self._low, self._high
        self._low, self._high = low, high
        if np.any(low < self._corner) or np.any(high > self._corner + self._hits.shape):
            self._grow(*before)

    def _grow(self, low: np.ndarray, high: np.ndarray) -> None:
        """Have the grid hold what is known now, and some more; it was ``low`` to ``high``."""
        corner = self._low - PAD
        shape = self._high + PAD - corner
        old, new = (tuple(map(slice, low - first, high - first))
                    for first in (self._corner, corner))

        def grown(grid: np.ndarray) -> np.ndarray:
            larger = np.zeros(shape, np.int32)
            larger[new] = grid[old]
            return larger
        self._hits, self._passes = grown(self._hits), grown(self._passes)
        self._silent, self._last = grown(self._silent), grown(self._last)
        self._corner = corner

    def grid(self) -> GridMap:
        """Return what is known, cut to its size; RecordingError where that is nothing."""
        known = self._last > 0
        rows, columns = (np.flatnonzero(known.any(axis=axis)) for axis in (1, 0))
        if not rows.size:
            raise RecordingError('there is nothing to make a map of: no scan could be placed')
        cut = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        hits, passes = self._hits[cut], self._passes[cut]
        solid = (hits > 0) & (hits >= SHARE * (hits + passes))
        cells = np.where(solid, OCCUPIED, np.where(known[cut], FREE, UNKNOWN))
        size = self._resolution
        first_row, first_column = self._corner
        return GridMap(cells.astype(np.int8), size, (size * float(first_column + columns[0]),
                                                     size * float(first_row + rows[0])))
