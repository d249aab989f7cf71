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

import numpy as np

from bug_nav import kernels
from bug_nav.geometry import Point, Pose
from bug_nav.interface import Scan

CELL = 0.04
"""Remembered points in a cell of this size [m] give way to new ones in the same cell."""
NEAR = 1.0
"""Radius around the robot [m] within which the points are kept at hand."""
FRESH = 0.05
"""The points at hand are gathered anew after this much motion [m]."""


@functools.lru_cache(maxsize=8)
def _beams(angle_min: float, increment: float, count: int) -> Tuple[np.ndarray, np.ndarray]:
    angles = angle_min + increment * np.arange(count)
    return np.cos(angles), np.sin(angles)


def obstacle_points(scan: Scan) -> np.ndarray:
    """
    Return the obstacle points of a scan in the robot's frame, (n, 2) [m].

    Too near to measure (-inf, or below range_min) is an obstacle; 0.0 is unknown, NaN an error
    and what lies beyond range_max free: none of these gives a point.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    cosines, sines = _beams(scan.angle_min, scan.angle_increment, ranges.size)
    with np.errstate(invalid='ignore'):
        ranges = np.where(ranges == -math.inf, scan.range_min, ranges)
        seen = (ranges > 0.0) & (ranges <= scan.range_max)
    r = ranges[seen]
    x, y = r * cosines[seen], r * sines[seen]
    cos, sin = math.cos(scan.mount.theta), math.sin(scan.mount.theta)
    return np.column_stack((scan.mount.x + cos * x - sin * y, scan.mount.y + sin * x + cos * y))


class Perception:
    """
    The obstacle points of the last second, and the questions that are asked of them.

    All points and headings are in the odometry's frame, which is continuous.
    """

    def __init__(self, memory: float = 1.0):
        """Remember points for ``memory`` seconds."""
        self.memory = memory
        self.points = np.empty((0, 2))
        self._stamps = np.empty(0)
        self._gathered_at: Optional[Point] = None
        self._position: Point = (0.0, 0.0)
        self._dx = self._dy = self._r = np.empty(0)
        self.near = np.empty((0, 2))
        """The points at hand, (n, 2) [m]."""

    def add(self, scan: Scan, pose: Pose) -> None:
        """
        Add a scan that was taken at ``pose``.

        A new point replaces what it sees again; what the scan does not see again is kept for
        ``memory`` seconds. A point ages only while the sensor could have seen it: not in its
        blind zone, where Gazebo reports nothing and a real LDS 0.0, nor outside its field of view.
        """
        body = obstacle_points(scan)
        cos, sin = math.cos(pose.theta), math.sin(pose.theta)
        new = body @ np.array([[cos, sin], [-sin, cos]]) + (pose.x, pose.y)
        old, stamps = self.points, self._stamps
        if old.size:
            stamps = np.where(self._hidden(old, scan, pose), scan.stamp, stamps)
            keep = (stamps > scan.stamp - self.memory) & ~np.isin(_cells(old), _cells(new))
            old, stamps = old[keep], stamps[keep]
        self.points = np.concatenate((new, old))
        self._stamps = np.concatenate((np.full(len(new), scan.stamp), stamps))
        self._gathered_at = None

    def _hidden(self, points: np.ndarray, scan: Scan, pose: Pose) -> np.ndarray:
        """Tell which points near the robot the scan could not have seen, (n,) bool."""
        sensor = pose.compose(scan.mount)
        dx, dy = points[:, 0] - sensor.x, points[:, 1] - sensor.y
        r = np.hypot(dx, dy)
        hidden = r < scan.range_min + CELL / 2
        field = abs(scan.angle_increment) * len(scan.ranges)
        if field < 2.0 * math.pi - 0.1:
            low = min(scan.angle_min, scan.angle_min + scan.angle_increment * len(scan.ranges))
            angle = np.mod(np.arctan2(dy, dx) - sensor.theta - low, 2.0 * math.pi)
            hidden |= (angle > field) & (r < NEAR)
        return hidden

    def look_from(self, position: Point) -> None:
        """Make ``position`` the place that the following questions are asked from."""
        self._position = position
        at = self._gathered_at
        if at is None or abs(position[0] - at[0]) + abs(position[1] - at[1]) > FRESH:
            dx, dy = self.points[:, 0] - position[0], self.points[:, 1] - position[1]
            self.near = self.points[dx * dx + dy * dy < NEAR * NEAR]
            self._gathered_at = position
        self._dx = self.near[:, 0] - position[0]
        self._dy = self.near[:, 1] - position[1]
        self._r = np.sqrt(self._dx * self._dx + self._dy * self._dy)

    @property
    def nearest(self) -> float:
        """Distance to the nearest point [m], inf where there is none at hand."""
        return float(self._r.min()) if self._r.size else math.inf

    def free_distance(self, heading: float, radius: float, reach: float,
                      origin: Optional[Point] = None) -> Tuple[float, Optional[Point]]:
        """
        Return how far [m], up to ``reach``, a disc can go along a heading, and what stops it.

        The disc begins at ``origin``, a place near the robot, or at the robot. The second value is
        the obstacle point that stops the disc, None where nothing does.
        """
        points = self.near if reach + radius < NEAR - 2.0 * FRESH else self.points
        x, y = origin or self._position
        free, i = kernels.free_distance(points[:, 0] - x, points[:, 1] - y,
                                        heading, radius, reach)
        return free, (float(points[i, 0]), float(points[i, 1])) if i >= 0 else None

    def wall_point(self, heading: float, side: int) -> Optional[Point]:
        """
        Return the nearest point on the wall's side of a heading, None where there is none.

        The wall's side is the right (``side`` = +1) or the left hand (-1).
        """
        if self._r.size == 0:
            return None
        across = side * (math.cos(heading) * self._dy - math.sin(heading) * self._dx)
        distances = np.where(across <= 0.0, self._r, np.inf)
        i = int(distances.argmin())
        if not math.isfinite(distances[i]):
            return None
        return float(self.near[i, 0]), float(self.near[i, 1])


def _cells(points: np.ndarray) -> np.ndarray:
    """Number the cells that points lie in, (n,) int64."""
    cells = np.floor(points / CELL).astype(np.int64)
    return cells[:, 0] * 1_000_003 + cells[:, 1]
