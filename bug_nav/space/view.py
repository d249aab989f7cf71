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

"""What the sensor sees now, as far as it reaches: the newest scan, whole."""

from __future__ import annotations

import math

from bug_nav.core.geometry import distance, Point, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.points import obstacle_points, transform
from bug_nav.space import kernels
import numpy as np


class View:
    """The newest scan, in the odometry's frame; `Perception` remembers what is near by."""

    def __init__(self, scan: Scan, pose: Pose):
        """Take a scan and the robot's pose when it was taken."""
        self.scan = scan
        self.origin = pose.compose(scan.mount)
        """The sensor's pose."""
        self.reach = scan.range_max
        """How far it sees [m]."""
        self.points: np.ndarray = transform(obstacle_points(scan), *pose)
        """The obstacle points (n, 2) [m]."""

    def beyond(self, reach: float) -> np.ndarray:
        """Return the points (n, 2) [m] that are farther than ``reach`` [m] from the sensor."""
        return self.points[np.hypot(self.points[:, 0] - self.origin.x,
                                    self.points[:, 1] - self.origin.y) > reach]

    def free_distance(self, origin: Point, heading: float, radius: float, reach: float,
                      beyond: float = 0.0) -> float:
        """
        Return how far [m] a disc at ``origin`` can go along a heading, for all that is seen.

        Points nearer than ``beyond`` [m] to the sensor do not count. A point counts for as wide
        as the gap to the next beam, in which a corner is not seen.
        """
        # What could stop the disc at its side lies farther away than its centre ever comes.
        seen = self.reach - radius - distance(self.origin.position, origin)
        reach = min(reach, max(seen, 0.0))
        away = np.hypot(self.points[:, 0] - self.origin.x, self.points[:, 1] - self.origin.y)
        far = away > beyond
        radii = radius + abs(self.scan.angle_increment) * away[far]
        return kernels.free_distance(self.points[far], *origin, heading, radii, reach)[0]


EMPTY = View(Scan(0.0, np.empty(0), 0.0, math.radians(1.0), 0.0, 0.0), Pose(0.0, 0.0, 0.0))
