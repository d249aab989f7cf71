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
The readings near the robot of the last second, in the frame of odometry.

Obstacle points are in the frame of the localization. If that jumps, points that are out of view
seem nearer to the robot, or farther, than they were measured. Over a second, odometry is exact
to millimetres: whatever the localization does, obstacles are where odometry says.
"""

from __future__ import annotations

import collections
import functools
import itertools
import math
from typing import Deque, Dict, Optional

from bug_nav.navigation.geometry import distance, Pose, wrap
from bug_nav.navigation.perception.beams import obstacle_points
from bug_nav.navigation.types import Scan
import numpy as np

DURATION = 1.0
"""Time for which readings count [s]."""
SPACING = 0.1
"""Minimum time between two scans of a sensor that are kept, apart from the newest [s]."""
TOLERANCE = 0.02
"""Maximum shift by the localization after which obstacle points are where odometry says [m]."""
NOWHERE = np.empty((0, 2))


class _Kept:
    """The readings of a scan."""

    def __init__(self, scan: Scan, pose: Pose, drift: Pose, reach: float):
        """Take a scan at an odometry pose; ``drift`` and ``reach`` are as for `RecentReadings`."""
        self.stamp, self.drift = scan.stamp, drift
        self.turned = math.cos(drift.theta), math.sin(drift.theta)
        self._scan, self._pose, self._reach = scan, pose, reach

    @functools.cached_property
    def points(self) -> np.ndarray:
        """Return the places near the robot in the odometry frame, (n, 2) [m]."""
        # Not before they are needed: with good odometry, the localization hardly moves them.
        points = obstacle_points(self._scan, self._pose)
        dx, dy = (points - self._pose.position).T
        return points[dx * dx + dy * dy < self._reach * self._reach]


class RecentReadings:
    """The readings of the last second."""

    def __init__(self, reach: float, body_radius: float):
        """Keep readings up to ``reach`` [m] from a robot of radius ``body_radius`` [m]."""
        self._reach, self._body_radius = reach, body_radius
        self._kept: Dict[Pose, Deque[_Kept]] = collections.defaultdict(collections.deque)
        """Those of each sensor, by its mount."""
        self._drift: Optional[Pose] = None
        self._is_constant = True
        """Whether the drift has never changed, as without scan matching."""
        self.displaced = NOWHERE
        """
        Those that the localization has moved since, where odometry says (map frame), (n, 2) [m].
        """

    def add(self, scan: Scan, pose: Pose, drift: Pose) -> None:
        """
        Add a scan that was taken at an odometry pose.

        ``drift`` is the pose of the odometry frame in the map frame.
        """
        kept = self._kept[scan.mount]
        if len(kept) > 1 and kept[-1].stamp - kept[-2].stamp < SPACING:
            kept.pop()
        while kept and not 0.0 <= scan.stamp - kept[0].stamp <= DURATION:
            kept.popleft()
        kept.append(_Kept(scan, pose, drift, self._reach))
        self._is_constant &= self._drift in (None, drift)
        self._drift = drift
        if self._is_constant:  # rangers have many readings
            return
        (x, y), here = pose.position, drift.apply(pose.position)
        moved = []
        for each in itertools.chain(*self._kept.values()):
            if each.drift == drift or abs(scan.stamp - each.stamp) > DURATION:
                continue
            (x0, y0, theta), (cos, sin) = each.drift, each.turned
            if (distance((x0 + cos * x - sin * y, y0 + sin * x + cos * y), here)
                    + self._body_radius * abs(wrap(theta - drift.theta)) > TOLERANCE):
                moved.append(each.points)
        if moved or len(self.displaced):
            # Seldom needed, and so no kernel, which would have to be compiled while driving.
            cos, sin = math.cos(drift.theta), math.sin(drift.theta)
            self.displaced = (np.concatenate((*moved, NOWHERE)) @ np.array(
                ((cos, sin), (-sin, cos))) + drift.position)
