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

"""The newest scan, whole: what the sensor sees now, as far as it reaches."""

from __future__ import annotations

import math

from bug_nav.core.compiled import fan
from bug_nav.core.geometry import IDENTITY, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.points import points_at
import numpy as np


class NewestScan:
    """The newest scan, in the odometry's frame; `Perception` remembers what is near by."""

    def __init__(self, scan: Scan, pose: Pose, origin: Pose):
        """Take a scan, the robot's pose when it was taken, and the sensor's."""
        self.scan, self.origin = scan, origin
        self.reach = scan.range_max
        """How far it sees [m]."""
        # Of no beams without a kernel: to load the first one takes a quarter of a second, which a
        # command that drives nothing can do without.
        ranges = np.asarray(scan.ranges, dtype=float)
        self.points: np.ndarray = points_at(
            ranges, *fan(scan.angle_min, scan.angle_increment, ranges.size), scan.range_min,
            scan.range_max, scan.mount[:], pose[:]) if ranges.size else np.empty((0, 2))
        """The obstacle points (n, 2) [m]."""


NOTHING_SEEN = NewestScan(Scan(0.0, np.empty(0), 0.0, math.radians(1.0), 0.0, 0.0),
                          IDENTITY, IDENTITY)
