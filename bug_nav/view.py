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

from bug_nav import kernels
from bug_nav.geometry import Point, Pose
from bug_nav.interface import Scan
from bug_nav.perception import obstacle_points
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
        self.points: np.ndarray = kernels.transform(obstacle_points(scan), *pose)
        """The obstacle points (n, 2) [m]."""

    def free_distance(self, origin: Point, heading: float, radius: float, reach: float) -> float:
        """Return how far [m] a disc at ``origin`` can go along a heading, as far as is seen."""
        reach = min(reach, self.reach)
        free, _ = kernels.free_distance(self.points[:, 0] - origin[0],
                                        self.points[:, 1] - origin[1], heading, radius, reach)
        return min(free, reach)


EMPTY = View(Scan(0.0, np.empty(0), 0.0, math.radians(1.0), 0.0, 0.0), Pose(0.0, 0.0, 0.0))
