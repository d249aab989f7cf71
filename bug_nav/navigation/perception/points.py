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

"""The obstacle points of a scan, and the complete newest scan."""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.compiled import fan, kernel
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import Scan
import numpy as np


@kernel
def valid_points(ranges: np.ndarray, cosines: np.ndarray, sines: np.ndarray, range_min: float,
                 farthest: float) -> np.ndarray:
    """
    Return the obstacle points of ranges, (n, 2) [m] in the frame of the sensor.

    -inf, too near to measure, counts as ``range_min``; 0.0, NaN and ranges beyond ``farthest`` [m]
    have no point.
    """
    points, count = np.empty((ranges.size, 2)), 0
    for i in range(ranges.size):
        r = range_min if ranges[i] == -np.inf else ranges[i]
        if 0.0 < r <= farthest:
            points[count, 0], points[count, 1] = r * cosines[i], r * sines[i]
            count += 1
    return points[:count].copy()


@kernel
def transform(points: np.ndarray, x: float, y: float, theta: float) -> np.ndarray:
    """Transform points (n, 2) from the frame of a pose to the frame in which the pose is given."""
    cos, sin = math.cos(theta), math.sin(theta)
    moved = np.empty(points.shape)
    for i in range(points.shape[0]):
        moved[i, 0] = x + cos * points[i, 0] - sin * points[i, 1]
        moved[i, 1] = y + sin * points[i, 0] + cos * points[i, 1]
    return moved


@kernel
def points_at(ranges: np.ndarray, cosines: np.ndarray, sines: np.ndarray, range_min: float,
              farthest: float, mount: Tuple[float, ...], pose: Tuple[float, ...]) -> np.ndarray:
    """Return the points of `valid_points` in the frame of the robot's ``pose``."""
    points = valid_points(ranges, cosines, sines, range_min, farthest)
    return transform(transform(points, *mount), *pose)


def obstacle_points(scan: Scan, reach: float = math.inf) -> np.ndarray:
    """
    Return the obstacle points of a scan in the robot's frame, (n, 2) [m].

    Too near to measure (-inf, or below range_min) is an obstacle; 0.0 is unknown, NaN an error
    and what lies beyond range_max free: none of these gives a point, nor does what lies farther
    than ``reach`` [m] from the sensor.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    cosines, sines = fan(scan.angle_min, scan.angle_increment, ranges.size)
    points = valid_points(ranges, cosines, sines, scan.range_min, min(scan.range_max, reach))
    return transform(points, *scan.mount)


class NewestScan:
    """The newest scan in the odometry frame; the points in memory are only those nearby."""

    def __init__(self, scan: Scan, pose: Pose, origin: Pose):
        """Take a scan, and the poses of the robot and of the sensor when it was taken."""
        self.scan, self.origin = scan, origin
        self.reach = scan.range_max
        """Maximum range [m]."""
        # Without beams no kernel is called: loading the first one takes 0.25 s, even for a command
        # that drives nothing.
        ranges = np.asarray(scan.ranges, dtype=float)
        self.points: np.ndarray = points_at(
            ranges, *fan(scan.angle_min, scan.angle_increment, ranges.size), scan.range_min,
            scan.range_max, scan.mount[:], pose[:]) if ranges.size else np.empty((0, 2))
        """The obstacle points (n, 2) [m]."""


NOTHING_SEEN = NewestScan(Scan(0.0, np.empty(0), 0.0, math.radians(1.0), 0.0, 0.0),
                          IDENTITY, IDENTITY)
