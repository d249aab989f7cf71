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
"""For so long [s] points are remembered that lie outside of the sensor's field of view."""
BLIND_MARGIN = 0.02
"""So much [m] beyond the smallest range a point may have been taken for too near to measure."""


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
        self._fence = np.empty((0, 2))
        self._position: Point = (0.0, 0.0)
        self._dx = self._dy = self._r2 = np.empty(0)
        self.newest: Optional[Tuple[Scan, Pose]] = None
        """The newest scan, and the pose that it was taken at."""
        self.nearest = math.inf
        """Distance from the robot to the nearest point [m], inf where there is none."""

    def add(self, scan: Scan, pose: Pose) -> None:
        """
        Add a scan that was taken at ``pose``.

        A new point replaces what it sees again; what the scan does not see again is kept for
        ``memory`` seconds. What lies in the sensor's blind zone, where Gazebo reports nothing
        and a real LDS 0.0, is kept until it can be seen again; what lies outside of its field of
        view for `UNSEEN` seconds.
        """
        self.newest = scan, pose
        new = kernels.transform(obstacle_points(scan, self.reach), *pose)
        cells = kernels.cells(new, CELL)
        old, stamps, old_cells = self.points, self._stamps, self._cells
        if old.size:
            age = scan.stamp - stamps
            blind, outside = self._unseen(scan, pose)
            keep = np.flatnonzero(
                blind | ((age < self.memory) | (age < UNSEEN) & outside)
                & ~kernels.among(old_cells, cells))
            old, stamps, old_cells = old[keep], stamps[keep], old_cells[keep]
        # The fence is older than anything, so that it lasts until the next scan.
        fence = self._fence[np.hypot(*(self._fence - pose.position).T) < self.reach]
        self.points = np.concatenate((new, old, fence))
        self._stamps = np.concatenate((np.full(len(new), scan.stamp), stamps,
                                       np.full(len(fence), -math.inf)))
        self._cells = np.concatenate((cells, old_cells, kernels.cells(fence, CELL)))

    def set_fence(self, points: np.ndarray) -> None:
        """Make virtual obstacle points, (n, 2) [m], in the place of those before."""
        real = np.flatnonzero(self._stamps > -math.inf)
        self.points, self._stamps = self.points[real], self._stamps[real]
        self._cells = self._cells[real]
        self._fence = points
        self.look_from(self._position)

    def _unseen(self, scan: Scan, pose: Pose) -> Tuple[np.ndarray, np.ndarray]:
        """Tell which points were in the scan's blind zone, and which outside of its field."""
        sensor = pose.compose(scan.mount)
        dx, dy = self.points[:, 0] - sensor.x, self.points[:, 1] - sensor.y
        r2 = dx * dx + dy * dy
        blind = r2 < (scan.range_min + BLIND_MARGIN) ** 2
        field = abs(scan.angle_increment) * len(scan.ranges)
        if field > 2.0 * math.pi - 0.1:
            return blind, np.zeros(len(blind), dtype=bool)
        # Each beam stands for its surroundings, half way to the next on either side.
        last = scan.angle_min + scan.angle_increment * (len(scan.ranges) - 1)
        low = min(scan.angle_min, last) - 0.5 * abs(scan.angle_increment)
        angle = np.mod(np.arctan2(dy, dx) - sensor.theta - low, 2.0 * math.pi)
        return blind, (angle > field) & (r2 < self.reach ** 2)

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

    def encloses(self, radius: float, within: float) -> bool:
        """
        Tell whether a disc of ``radius`` [m] at the robot has no free heading, all around.

        Each point nearer than ``within`` blocks the headings within asin(radius / r) of its own.
        """
        near = np.flatnonzero(self._r2 < within * within)
        if near.size == 0:
            return False
        bearings = np.arctan2(self._dy[near], self._dx[near])
        half_widths = np.arcsin(np.minimum(radius / np.sqrt(self._r2[near]), 1.0))
        order = np.argsort(bearings - half_widths)
        low = (bearings - half_widths)[order]
        high = np.maximum.accumulate((bearings + half_widths)[order])
        # The last sector ends where the first begins, a turn later.
        return bool(np.all(low[1:] <= high[:-1]) and high[-1] >= low[0] + 2.0 * math.pi)

    def _point(self, i: int) -> Point:
        return float(self.points[i, 0]), float(self.points[i, 1])
