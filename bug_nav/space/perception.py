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

The points of a scan are placed into the odometry's frame with the pose *at the scan's stamp*, for
a scan is up to 0.2 s old when it is used: 4 cm of travel, and in a turn a quarter of a radian.
Each is measured anew by every scan that sees it, and stays (`bug_nav.sense.memory`).
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.core.geometry import Point, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.memory import ObstacleMemory
from bug_nav.sense.touch import felt
from bug_nav.space import kernels
import numpy as np


class Perception:
    """
    The obstacle points near the robot, and the questions that are asked of them.

    All points and headings are in the odometry's frame, which is continuous.
    """

    def __init__(self, doubt: float = 1.0, reach: float = math.inf, share: float = 1.0,
                 felt: float = math.inf):
        """
        Measure points up to ``reach`` [m] away; the rest is as for `ObstacleMemory`.

        ``felt`` [m]: the robot has a sense of touch, and knows of nothing farther away than this.
        """
        self.reach = reach
        self._felt = felt
        self._memory = ObstacleMemory(doubt, reach, share)
        self.points = np.empty((0, 2))
        """The points near the robot (n, 2) [m]."""
        self._real = self.points
        self._fence = np.empty((0, 2))
        self._position: Point = (0.0, 0.0)
        self.newest: Optional[Tuple[Scan, Pose]] = None
        """The newest scan, and the pose that it was taken at."""
        self.sight = math.inf
        """How far from the robot nothing can be overlooked [m]."""
        self.nearest = math.inf
        """Distance from the robot to the nearest point [m], inf where there is none."""

    def add(self, scan: Scan, pose: Pose) -> None:
        """Add a scan that was taken at ``pose``."""
        if len(scan.ranges) > 1:  # of single rangers, each sees its own part
            self.sight = scan.range_max - math.hypot(scan.mount.x, scan.mount.y)
        if self._felt < math.inf:
            scan = felt(scan, self._felt)
        self.newest = scan, pose
        self._real = self._memory.measure(scan, pose)
        self._join()

    def _join(self) -> None:
        """Put together what is real and what of the fence is within reach."""
        self.points = self._real
        if not len(self._fence):
            return
        dx, dy = (self._fence - self._position).T
        fence = self._fence[dx * dx + dy * dy < self.reach ** 2]
        self.points = np.concatenate((self._real, fence))

    @property
    def remembered(self) -> np.ndarray:
        """Return all obstacle points of this goal, near and far, (n, 2) [m]."""
        return self._memory.points

    def remember(self, points: np.ndarray) -> None:
        """Remember points (n, 2) [m] that are far away, for something rests on them."""
        self._memory.add(points)

    def set_fence(self, points: np.ndarray) -> None:
        """Make virtual obstacle points, (n, 2) [m], in the place of those before."""
        self._fence = points
        self._join()
        self.look_from(self._position)

    def look_from(self, position: Point) -> None:
        """Make ``position`` the place that the following questions are asked from."""
        self._position = position
        self.nearest = kernels.nearest(self.points, *position)

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
            origin = self._position
        free, i = kernels.free_distance(self.points, *origin, heading, radius, reach)
        return free, self._point(i) if i >= 0 else None

    def nearest_on_either_side(self, heading: float, within: float
                               ) -> Optional[Tuple[Point, Point]]:
        """
        Return the nearest points on the left and on the right of a heading.

        None where one of them is not nearer than ``within`` [m].
        """
        left, right = kernels.nearest_beside(self.points, *self._position, heading, within)
        if left < 0 or right < 0:
            return None
        return self._point(left), self._point(right)

    def encloses(self, radius: float, within: float) -> bool:
        """
        Tell whether a disc of ``radius`` [m] at the robot has no free heading, all around.

        Each point nearer than ``within`` blocks the headings within asin(radius / r) of its own.
        """
        dx, dy = (self.points - self._position).T
        r2 = dx * dx + dy * dy
        near = np.flatnonzero(r2 < within * within)
        if near.size == 0:
            return False
        bearings = np.arctan2(dy[near], dx[near])
        half_widths = np.arcsin(np.minimum(radius / np.sqrt(r2[near]), 1.0))
        order = np.argsort(bearings - half_widths)
        low = (bearings - half_widths)[order]
        high = np.maximum.accumulate((bearings + half_widths)[order])
        # The last sector ends where the first begins, a turn later.
        return bool(np.all(low[1:] <= high[:-1]) and high[-1] >= low[0] + 2.0 * math.pi)

    def _point(self, i: int) -> Point:
        return float(self.points[i, 0]), float(self.points[i, 1])
