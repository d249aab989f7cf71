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
What a robot knows of the obstacles: those of the goal so far, and those that the newest scan sees.

The points of a scan are placed into the odometry's frame with the pose *at the scan's stamp*, for
a scan is up to 0.2 s old when it is used: 4 cm of travel, and in a turn a quarter of a radian.
Each is measured anew by every scan that sees it, and stays (`bug_nav.sense.memory`).
"""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Tuple

from bug_nav.core.geometry import Point, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.memory import ObstacleMemory
from bug_nav.sense.newest_scan import NewestScan, NOTHING_SEEN
from bug_nav.sense.touch import felt
import numpy as np


class Perception:
    """The obstacle points (odometry's frame, which is continuous)."""

    def __init__(self, doubt: float = 1.0, reach: float = math.inf, share: float = 1.0,
                 felt: float = math.inf, body: float = 0.0):
        """
        Measure points up to ``reach`` [m] away; the rest is as for `ObstacleMemory`.

        ``felt`` [m]: the robot has a sense of touch, and knows of nothing farther away than this.
        """
        self.reach = reach
        self._felt = felt
        self._memory = ObstacleMemory(doubt, reach, share, body)
        self.points = np.empty((0, 2))
        """The points near the robot (n, 2) [m]."""
        self._real = self.points
        self._fence = np.empty((0, 2))
        self._position: Point = (0.0, 0.0)
        self.newest: Optional[Tuple[Scan, Pose]] = None
        """The newest scan, and the pose that it was taken at."""
        self.watchers: List[Callable[[Scan, Pose], None]] = []
        """Each is called with every scan and the pose that it is believed to be taken at."""
        self._seen = NOTHING_SEEN
        self.sight = math.inf
        """How far from the robot nothing can be overlooked [m]."""

    def add(self, scan: Scan, pose: Pose) -> None:
        """Add a scan that was taken at ``pose``."""
        for watch in self.watchers:
            watch(scan, pose)
        if len(scan.ranges) > 1:  # of single rangers, each sees its own part
            self.sight = scan.range_max - math.hypot(scan.mount.x, scan.mount.y)
        if self._felt < math.inf:
            scan = felt(scan, self._felt)
        self.newest = scan, pose
        self._position = pose.position
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

    def set_fence(self, points: np.ndarray) -> None:
        """Make virtual obstacle points, (n, 2) [m], in the place of those before."""
        self._fence = points
        self._join()

    @property
    def seen(self) -> NewestScan:
        """Return what the sensor sees now, as far as it reaches; made when it is asked for."""
        if self.newest is not None and self.newest[0] is not self._seen.scan:
            self._seen = NewestScan(*self.newest)
        return self._seen

    @property
    def remembered(self) -> np.ndarray:
        """Return all obstacle points of this goal, near and far, (n, 2) [m]."""
        return self._memory.points

    def remember(self, points: np.ndarray) -> None:
        """Remember points (n, 2) [m] that are far away, for something rests on them."""
        self._memory.add(points)
