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
From scans to what the algorithms ask: obstacle points, free distances, free headings.

The points of a scan are placed into the odometry's frame with the pose *at the scan's stamp* and
are remembered for about a second, since a scan is up to 0.2 s old when it is used: 4 cm of
travel, and in a turn a quarter of a radian.
"""

from __future__ import annotations

import functools
import math
from typing import Optional, Tuple

from bug_nav import kernels
from bug_nav.geometry import Point, Pose
from bug_nav.interface import Scan
import numpy as np

CELL = 0.04
"""Remembered points in a cell of this size [m] give way to new ones in the same cell."""
UNSEEN = 10.0
"""For so long [s] points are remembered that the sensor cannot see from where it is."""


@functools.lru_cache(maxsize=8)
def _beams(angle_min: float, increment: float, count: int) -> Tuple[np.ndarray, np.ndarray]:
    angles = angle_min + increment * np.arange(count)
    return np.cos(angles), np.sin(angles)


def obstacle_points(scan: Scan, reach: float = math.inf) -> np.ndarray:
    """
    Return the obstacle points of a scan in the robot's frame, (n, 2) [m].

    Too near to measure (-inf, or below range_min) is an obstacle; 0.0 is unknown, NaN an error
    and what lies beyond range_max free: none of these gives a point, nor does what lies farther
    than ``reach`` [m] from the sensor.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    cosines, sines = _beams(scan.angle_min, scan.angle_increment, ranges.size)
    points = kernels.valid_points(ranges, cosines, sines, scan.range_min,
                                  min(scan.range_max, reach))
    return kernels.transform(points, *scan.mount)


class Perception:
    """
    The obstacle points of the last second, and the questions that are asked of them.

    All points and headings are in the odometry's frame, which is continuous.
    """

    def __init__(self, memory: float = 1.0, reach: float = math.inf):
        """Remember points up to ``reach`` [m] away, for ``memory`` seconds."""
        self.memory = memory
        self.reach = reach
        self.points = np.empty((0, 2))
        """The points (n, 2) [m]."""
        self._stamps = np.empty(0)
        self._cells = np.empty(0, dtype=np.int64)
        self._position: Point = (0.0, 0.0)
        self._dx = self._dy = self._r2 = np.empty(0)
        self.nearest = math.inf
        """Distance from the robot to the nearest point [m], inf where there is none."""

    def add(self, scan: Scan, pose: Pose) -> None:
        """
        Add a scan that was taken at ``pose``.

        A new point replaces what it sees again; what the scan does not see again is kept for
        ``memory`` seconds. What it could not have seen is kept for longer: what lies in the
        sensor's blind zone, where Gazebo reports nothing and a real LDS 0.0, or outside its field
        of view.
        """
        new = kernels.transform(obstacle_points(scan, self.reach), *pose)
        cells = kernels.cells(new, CELL)
        old, stamps, old_cells = self.points, self._stamps, self._cells
        if old.size:
            age = scan.stamp - stamps
            keep = np.flatnonzero(
                ((age < self.memory) | (age < UNSEEN) & self._hidden(scan, pose))
                & ~kernels.among(old_cells, cells))
            old, stamps, old_cells = old[keep], stamps[keep], old_cells[keep]
        self.points = np.concatenate((new, old))
        self._stamps = np.concatenate((np.full(len(new), scan.stamp), stamps))
        self._cells = np.concatenate((cells, old_cells))

    def _hidden(self, scan: Scan, pose: Pose) -> np.ndarray:
        """Tell which remembered points the scan could not have seen, (n,) bool."""
        sensor = pose.compose(scan.mount)
        dx, dy = self.points[:, 0] - sensor.x, self.points[:, 1] - sensor.y
        r2 = dx * dx + dy * dy
        hidden = r2 < (scan.range_min + CELL / 2) ** 2
        field = abs(scan.angle_increment) * len(scan.ranges)
        if field < 2.0 * math.pi - 0.1:
            low = min(scan.angle_min, scan.angle_min + scan.angle_increment * len(scan.ranges))
            angle = np.mod(np.arctan2(dy, dx) - sensor.theta - low, 2.0 * math.pi)
            hidden |= (angle > field) & (r2 < self.reach ** 2)
        return hidden

    def look_from(self, position: Point) -> None:
        """Make ``position`` the place that the following questions are asked from."""
        self._position = position
        self._dx, self._dy, self._r2, nearest2 = kernels.relative(self.points, *position)
        self.nearest = math.sqrt(nearest2)

    def free_distance(self, heading: float, radius: float, reach: float,
                      origin: Optional[Point] = None) -> Tuple[float, Optional[Point]]:
        """
        Return how far [m], up to ``reach``, a disc can go along a heading, and what stops it.

        The disc begins at ``origin``, a place near the robot, or at the robot. The second value is
        the obstacle point that stops the disc, None where nothing does.
        """
        if origin is None:
            if self.nearest >= radius + reach:
                return reach, None
            dx, dy = self._dx, self._dy
        else:
            dx, dy = self.points[:, 0] - origin[0], self.points[:, 1] - origin[1]
        free, i = kernels.free_distance(dx, dy, heading, radius, reach)
        return free, self._point(i) if i >= 0 else None

    def nearest_on_either_side(self, heading: float, within: float
                               ) -> Optional[Tuple[Point, Point]]:
        """
        Return the nearest points on the left and on the right of a heading.

        None where one of them is not nearer than ``within`` [m].
        """
        left, right = kernels.nearest_beside(
            self._dx, self._dy, self._r2, heading, within * within)
        if left < 0 or right < 0:
            return None
        return self._point(left), self._point(right)

    def _point(self, i: int) -> Point:
        return float(self.points[i, 0]), float(self.points[i, 1])
