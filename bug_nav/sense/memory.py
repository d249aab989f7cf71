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
from typing import Optional

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.measuring import COLUMNS, DOUBTED, MARGIN, measure, READ, X, Y
import numpy as np

ROWS = 512
"""The table of the points grows by so many, at first."""
MOST = 200_000
"""So many points are kept; then those that have been known for the longest go."""
AROUND = 0.3
"""Which points are near by is looked at anew once the robot has come so far [m]."""
LEARNT = 0.05
"""A scan counts so much in what the noise of the ranges is."""
DEVIATION = 1.25
"""The standard deviation is so many times the mean distance, of normal noise."""
FAR_SPACING = 0.05
"""Points that are seen from afar are so far apart [m]."""


class ObstacleMemory:
    """The obstacle points of a goal (odometry's frame)."""

    def __init__(self, doubt: float, reach: float = math.inf, share: float = 1.0,
                 body: float = 0.0):
        """
        Begin with none.

        ``doubt`` [s]: a point through which beams pass is forgotten after so long. ``reach`` [m]:
        what is farther away is not measured. ``share``: 1, or less for a robot that is small:
        points are so much denser, and their noise so much less. ``body`` [m]: nothing is so near
        to the robot's centre but the robot.
        """
        self._doubt, self._reach, self._share, self._body = doubt, reach, share, body
        self._noise = 0.0
        self._table = np.empty((ROWS, COLUMNS))
        self._rows = 0
        self._nearby = np.empty(0, dtype=np.int64)
        self._looked_from: Optional[Pose] = None

    @property
    def points(self) -> np.ndarray:
        """
        Return all points, near and far, (n, 2) [m].

        But for those that a single reading has seen and beams have passed through since.
        """
        table = self._table[:self._rows]
        sure = (table[:, READ] > 1.0) | (table[:, DOUBTED] == math.inf)
        return table[sure & (table[:, X] < math.inf), :READ]

    def add(self, points: np.ndarray) -> None:
        """Add points (n, 2) [m] that have been seen from afar, but for those that are known."""
        self._make_room(len(points))
        for point in points:
            known = self._table[:self._rows, :READ]
            if np.all(np.hypot(known[:, X] - point[X], known[:, Y] - point[Y]) > FAR_SPACING):
                self._table[self._rows] = *point, 1.0, math.inf
                self._nearby = np.append(self._nearby, self._rows)
                self._rows += 1

    def measure(self, scan: Scan, pose: Pose) -> np.ndarray:
        """
        Measure the points anew with a scan that was taken at ``pose``; return those near by.

        The answer is (n, 2) [m], a new array with what is not farther from the robot than the
        reach.
        """
        ranges = np.asarray(scan.ranges, dtype=float)
        self._make_room(ranges.size)
        before = self._looked_from
        if before is None or math.hypot(pose.x - before.x, pose.y - before.y) > AROUND:
            self._look_around(pose)
        sensor = pose.compose(scan.mount)
        rows = self._rows
        self._rows, near, met, off = measure(
            self._table, rows, self._nearby, scan.stamp, ranges, sensor.x, sensor.y,
            sensor.theta + scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max,
            pose.x, pose.y, self._reach, self._doubt, self._share, self._body,
            self._noise)
        if met:
            self._noise += LEARNT * (DEVIATION * off / met - self._noise)
        if self._rows > rows:
            self._nearby = np.append(self._nearby, np.arange(rows, self._rows))
        return near

    def _look_around(self, pose: Pose) -> None:
        """Find the rows that may come within reach until this is asked again."""
        table = self._table[:self._rows]
        away = np.hypot(table[:, X] - pose.x, table[:, Y] - pose.y)
        # Those that are forgotten are at inf, and no reach goes as far.
        self._nearby = np.flatnonzero(away < self._reach + AROUND + MARGIN)
        self._looked_from = pose

    def _make_room(self, count: int) -> None:
        """Have room for so many more points."""
        if self._rows > MOST:
            kept = self._table[:self._rows]
            kept = kept[kept[:, X] < math.inf][-MOST:]
            self._rows, self._looked_from = len(kept), None
            self._table[:self._rows] = kept
        if self._rows + count > len(self._table):
            more = np.empty((max(ROWS, len(self._table), count), COLUMNS))
            self._table = np.concatenate((self._table, more))
