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
import itertools
import math
from typing import Deque, Dict, NamedTuple, Tuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import distance, Pose, wrap
from bug_nav.navigation.perception.beams import beam_ends, beams_of, range_of
from bug_nav.navigation.types import Scan
import numpy as np

DURATION = 1.0
"""Time for which readings count [s]."""
SPACING = 0.1
"""Minimum time between two scans of a sensor that are kept, apart from the newest [s]."""
TOLERANCE = 0.02
"""Maximum shift by the localization after which obstacle points are where odometry says [m]."""
NOWHERE = np.empty((0, 2))


class _Kept(NamedTuple):
    """The readings of a scan."""

    stamp: float
    drift: Pose
    """The pose of the odometry frame with which they have become obstacle points."""
    points: np.ndarray
    """Their places in the odometry frame, (n, 2) [m]."""


class RecentReadings:
    """The readings of the last second."""

    def __init__(self, reach: float, body_radius: float):
        """Keep readings up to ``reach`` [m] from a robot of radius ``body_radius`` [m]."""
        self._reach, self._body_radius = reach, body_radius
        self._kept: Dict[Pose, Deque[_Kept]] = collections.defaultdict(collections.deque)
        """Those of each sensor, by its mount."""
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
        kept.append(_Kept(scan.stamp, drift, near_readings(
            np.asarray(scan.ranges, dtype=float), *beams_of(scan), pose.compose(scan.mount)[:],
            *pose.position, self._reach)))
        here = drift.apply(pose.position)
        moved = [each.points for each in itertools.chain(*self._kept.values())
                 if abs(scan.stamp - each.stamp) <= DURATION
                 and distance(each.drift.apply(pose.position), here)
                 + self._body_radius * abs(wrap(each.drift.theta - drift.theta)) > TOLERANCE]
        if moved or len(self.displaced):
            # Rare, and so no kernel, which would have to be compiled while the robot drives.
            cos, sin = math.cos(drift.theta), math.sin(drift.theta)
            self.displaced = (np.concatenate((*moved, NOWHERE)) @ np.array(
                ((cos, sin), (-sin, cos))) + drift.position)


@kernel
def near_readings(ranges: np.ndarray, geometry: np.ndarray, directions: np.ndarray,
                  sensor: Tuple[float, float, float], x: float, y: float, reach: float
                  ) -> np.ndarray:
    """
    Return the ends of the beams that end on an obstacle near the robot, (n, 2) [m].

    The beams are as for `beam_ends`; ``x`` and ``y`` [m] are the place of the robot.
    """
    beams, count = geometry[0], 0
    ends = beam_ends(ranges, directions, sensor, beams.range_min)
    for i in range(ranges.size):
        dx, dy = ends[i, 0] - x, ends[i, 1] - y
        if (0.0 < range_of(ranges[i], beams.range_min) <= beams.range_max
                and dx * dx + dy * dy < reach * reach):
            ends[count, 0], ends[count, 1] = ends[i, 0], ends[i, 1]
            count += 1
    return ends[:count].copy()
