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
Occupancy grid map from the scans of a recording.

The obstacle memory (`perception.memory`) measures only points near the robot. Here, each cell
counts the scans with a beam that ended in it (hits) and the scans with a beam that passed through
(passes); the ratio decides. Per scan a cell counts only once, and hits take precedence, because
grazing beams would otherwise erase long walls. Beams without a return do not count in cells with a
hit either, because glass and black surfaces return as little as an open door.
"""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import Scan
from bug_nav.recording import RecordingError
from bug_nav.recording.marking import mark
from bug_nav.simulation.map_file import FREE, GridMap, OCCUPIED, UNKNOWN
from bug_nav.simulation.occupancy import MAX_SIDE
import numpy as np

RESOLUTION = 0.05
"""Default side of a cell [m]."""
FARTHEST = 20.0
"""Default maximum distance from the lidar that is mapped [m]."""
CLEAR_LENGTH = 1.0
"""Length cleared by a beam without a return, in cells without hits [m]."""
OCCUPIED_SHARE = 0.25
"""Minimum hits / (hits + passes) of an occupied cell."""
GROWTH = 64
"""Number of cells that are added on each side when the grid grows."""


class MapBuilder:
    """Builds a map from scans and their poses; the grid grows as needed."""

    def __init__(self, resolution: float = RESOLUTION, farthest: float = FARTHEST):
        """Start with an empty map; ``farthest`` is the maximum distance from the lidar [m]."""
        self._resolution, self._farthest = resolution, farthest
        self._low, self._high = np.zeros(2, dtype=int), np.zeros(2, dtype=int)
        """First known row and column, and those after the last."""
        self._corner = self._low
        """First row and column of the grid."""
        self._hits, self._passes, self._silent, self._last = (
            np.zeros((0, 0), np.int32) for _ in range(4))
        self._count = 0
        self.start = IDENTITY
        """Pose of the robot at the first scan."""

    def add(self, scan: Scan, pose: Pose) -> None:
        """Add a scan; RecordingError if the map becomes too large."""
        sensor, size = pose.compose(scan.mount), self._resolution
        met, cleared, silent = self._beam_lengths(
            np.asarray(scan.ranges, dtype=float), scan.range_max)
        angles = sensor.theta + scan.angle_min + scan.angle_increment * np.arange(met.size)
        cosines, sines = np.cos(angles), np.sin(angles)
        x, y = sensor.x / size, sensor.y / size
        length = np.maximum(np.maximum(met, cleared), silent)
        self._make_room(np.append(x + length * cosines, x), np.append(y + length * sines, y))
        self.start = self.start if self._count else pose
        self._count += 1
        row, column = self._corner
        for passes, ends, ways in ((self._passes, met, cleared),
                                   (self._silent, np.zeros(met.size), silent)):
            mark(self._hits, passes, self._last, self._count, x - column, y - row, cosines,
                 sines, ends, ways)

    def _beam_lengths(self, ranges: np.ndarray, range_max: float) -> Tuple[np.ndarray, ...]:
        """
        Return the distances that each beam hits, clears, and clears without a return [cells].

        A distance that does not apply is 0.
        """
        measured = (ranges > 0.0) & (ranges <= range_max)
        met = np.where(measured & (ranges <= self._farthest), ranges, 0.0)
        # Stop one cell short, so that range noise does not clear the wall.
        cleared = np.where(met > 0.0, met - self._resolution, 0.0)
        cleared[measured & (met == 0.0)] = self._farthest
        silent = np.where(ranges == math.inf, min(CLEAR_LENGTH, range_max, self._farthest), 0.0)
        return tuple(each / self._resolution for each in (met, cleared, silent))

    def _make_room(self, x: np.ndarray, y: np.ndarray) -> None:
        """Extend the grid to contain some points [cells]."""
        # One more cell on each side, against rounding.
        low = np.floor([y.min(), x.min()]).astype(int) - 1
        high = np.floor([y.max(), x.max()]).astype(int) + 2
        if self._count:
            low, high = np.minimum(low, self._low), np.maximum(high, self._high)
        rows, columns = high - low
        if max(rows, columns) > MAX_SIDE:
            raise RecordingError(
                f'the map has {columns} x {rows} cells of {self._resolution:g} m by now; allowed '
                f'are {MAX_SIDE} x {MAX_SIDE}. Give larger cells (--resolution) or a smaller '
                'maximum distance (--farthest)')
        before = self._low, self._high
        self._low, self._high = low, high
        if np.any(low < self._corner) or np.any(high > self._corner + self._hits.shape):
            self._grow(*before)

    def _grow(self, low: np.ndarray, high: np.ndarray) -> None:
        """Copy the known cells ``low`` to ``high`` to a larger grid."""
        corner = self._low - GROWTH
        shape = self._high + GROWTH - corner
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
        """Return the map, cropped to the known cells; RecordingError if it is empty."""
        known = self._last > 0
        rows, columns = (np.flatnonzero(known.any(axis=axis)) for axis in (1, 0))
        if not rows.size:
            raise RecordingError('the map is empty: no scan ' + (
                'shows anything within the maximum distance (--farthest)' if self._count else
                'could be placed'))
        cut = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        hits, passes = self._hits[cut], self._passes[cut]
        solid = (hits > 0) & (hits >= OCCUPIED_SHARE * (hits + passes))
        cells = np.where(solid, OCCUPIED, np.where(known[cut], FREE, UNKNOWN))
        size = self._resolution
        first_row, first_column = self._corner
        return GridMap(cells.astype(np.int8), size, (size * float(first_column + columns[0]),
                                                     size * float(first_row + rows[0])))
