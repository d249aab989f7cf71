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
The obstacle points of a goal: each is one place of a wall, which every scan measures anew.

A point is the mean of what the beams towards it have measured, so that noise does not move a
wall: were each reading a point of its own, it would be the nearest of many that counts, and a
door would look the narrower the longer the robot looks at it. A point stays as long as the goal,
unless beams go on passing through it: what is hidden, behind the robot or too near to be
measured is there still.
"""

from __future__ import annotations

import math

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.measuring import COLUMNS, measure
import numpy as np

ROWS = 512
"""The table of the points grows by so many, at first."""
MOST = 20000
"""So many points are kept; then those that have been known for the longest go."""
FAR_SPACING = 0.05
"""Points that are seen from afar are so far apart [m]."""


class ObstacleMemory:
    """The obstacle points of a goal (odometry's frame)."""

    def __init__(self, doubt: float, reach: float = math.inf, share: float = 1.0):
        """
        Begin with none.

        ``doubt`` [s]: a point through which beams pass is forgotten after so long. ``reach`` [m]:
        what is farther away is not measured. ``share``: 1, or less for a robot that is small:
        points are so much denser, and their noise so much less.
        """
        self._doubt, self._reach, self._share = doubt, reach, share
        self._table = np.empty((ROWS, COLUMNS))
        self.count = 0
        """How many points there are."""

    @property
    def points(self) -> np.ndarray:
        """Return all points, (n, 2) [m]."""
        return self._table[:self.count, :2].copy()

    def add(self, points: np.ndarray) -> None:
        """Add points (n, 2) [m] that have been seen from afar, but for those that are known."""
        self._make_room(len(points))
        for point in points:
            known = self._table[:self.count, :2]
            if np.all(np.hypot(known[:, 0] - point[0], known[:, 1] - point[1]) > FAR_SPACING):
                self._table[self.count] = *point, 1.0, math.inf
                self.count += 1

    def measure(self, scan: Scan, pose: Pose) -> np.ndarray:
        """
        Measure the points anew with a scan that was taken at ``pose``; return those near by.

        The answer is (n, 2) [m], a new array with what is not farther from the robot than the
        reach.
        """
        ranges = np.asarray(scan.ranges, dtype=float)
        self._make_room(ranges.size)
        sensor = pose.compose(scan.mount)
        self.count, near = measure(
            self._table, self.count, scan.stamp, ranges, sensor.x, sensor.y,
            sensor.theta + scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max,
            pose.x, pose.y, self._reach, self._doubt, self._share)
        return near

    def _make_room(self, count: int) -> None:
        """Have room for so many more points."""
        if self.count > MOST:
            self._table[:MOST] = self._table[self.count - MOST:self.count]
            self.count = MOST
        if self.count + count > len(self._table):
            more = np.empty((max(ROWS, len(self._table), count), COLUMNS))
            self._table = np.concatenate((self._table, more))
