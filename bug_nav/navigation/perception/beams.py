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

"""Beams: which one points at a place, where each ends, and the complete newest scan."""

from __future__ import annotations

import functools
import math
from typing import Tuple

from bug_nav.navigation.compiled import fan, kernel
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import Scan
import numpy as np

TURN = 2.0 * math.pi
COEFFICIENTS = (
    0.9999999996155, -0.33333323672260634, 0.19999595986399651, -0.14279049616956843,
    0.11053790690016921, -0.08796135033313308, 0.06710145829512083, -0.044274028775427174,
    0.022203699979387873, -0.007166255494914988, 0.0010845065184761592)
"""Chebyshev fit of atan(sqrt(s)) / sqrt(s) over 0 <= s <= 1, lowest power first."""

MEDIAN_TO_SIGMA = 0.605
"""Ratio of standard deviation and median second difference of normal noise."""
MIN_DIFFERENCES = 12
"""Minimum number of second differences in an estimate of the noise."""

BEAMS = np.dtype((np.record, [
    # The geometry of a scan: direction of beam 0; angle from a beam to the next, negative if they
    # are clockwise; angle between two beams, a full turn for a single beam without one [rad].
    ('first', 'f8'), ('step', 'f8'), ('width', 'f8'),
    ('range_min', 'f8'), ('range_max', 'f8'),
    ('x', 'f8'), ('y', 'f8'),  # position of the sensor [m]
    ('is_whole', '?')]))  # they cover a full turn, so that the last is beside the first
Geometry = Tuple[np.ndarray, np.ndarray]
"""The beams of a scan, (1,) of `BEAMS`, and the cosines and sines of their directions, (2, n)."""


def beams_of(scan: Scan, mount: Pose = IDENTITY) -> Geometry:
    """Return the beams of a scan in the frame in which the pose of the sensor is ``mount``."""
    beams, directions = _beams(len(scan.ranges), mount, *scan[2:6])
    if scan.directions is not None:
        directions, turned = scan.directions, mount.theta - scan.mount.theta
        if turned:
            cos, sin = math.cos(turned), math.sin(turned)
            directions = np.array(((cos, -sin), (sin, cos))) @ directions
    return beams, directions


@functools.lru_cache(maxsize=64)
def _beams(count: int, mount: Pose, angle_min: float, step: float, range_min: float,
           range_max: float) -> Geometry:
    first, width = mount.theta + angle_min, beam_width(float(step))
    beams = (first, step, width, range_min, range_max, *mount.position, is_full_turn(count, width))
    return np.array([beams], BEAMS), np.array(fan(first, step, count))


@kernel
def fast_atan2(y, x):
    """Return atan2 to within 3e-10 rad, without branches so that the compiler vectorizes it."""
    abs_x, abs_y = abs(x), abs(y)
    largest, least = max(abs_x, abs_y), min(abs_x, abs_y)
    a = least / (largest if largest > 0.0 else 1.0)
    s = a * a
    c = COEFFICIENTS
    angle = a * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * (c[5] + s * (
        c[6] + s * (c[7] + s * (c[8] + s * (c[9] + s * c[10]))))))))))
    angle = 0.5 * math.pi - angle if abs_y > abs_x else angle
    angle = math.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@kernel
def beam_width(step):
    """Return the angle between two beams [rad]; a full turn for a single beam without one."""
    return abs(step) if step != 0.0 else TURN


@kernel
def is_full_turn(count, width):
    """Return whether ``count`` beams cover a full turn, so that the last is beside the first."""
    return count > TURN / width - 1.5


@kernel
def look_up_beams(xs, ys, x, y, first, step, beam, distance):
    """
    Write the beam index and the distance of places as seen from a sensor at ``x, y`` [m].

    ``xs`` and ``ys`` [m] are the places. Beam 0 points along ``first`` [rad] and the next one is
    ``step`` [rad] further. The results are ``beam`` (n,), a fractional index from 0 to a full
    turn, and ``distance`` (n,) [m].
    """
    per_turn, sign = TURN / beam_width(step), -1.0 if step < 0.0 else 1.0
    for i in range(beam.size):
        dx, dy = xs[i] - x, ys[i] - y
        distance[i] = math.sqrt(dx * dx + dy * dy)
        turns = sign * (fast_atan2(dy, dx) - first) * (1.0 / TURN)
        beam[i] = (turns - np.floor(turns)) * per_turn  # NaN stays NaN


@kernel
def range_of(r, range_min):
    """Return the range of a reading [m]: -inf is an obstacle that is too near to measure."""
    return range_min if r == -np.inf else r


@kernel
def beam_ends(ranges, directions, sensor, range_min):
    """Return the ends of the beams of a sensor at a pose (x, y, theta), (n, 2) [m]."""
    cos, sin = math.cos(sensor[2]), math.sin(sensor[2])
    cosines, sines = directions[0], directions[1]
    ends = np.empty((ranges.size, 2))
    for i in range(ranges.size):
        r = range_of(ranges[i], range_min)
        ends[i, 0] = sensor[0] + r * (cos * cosines[i] - sin * sines[i])
        ends[i, 1] = sensor[1] + r * (sin * cosines[i] + cos * sines[i])
    return ends


@kernel
def points_at(ranges, geometry, directions, sensor):
    """
    Return the ends of those beams that end on an obstacle, (m, 2) [m]; see `beam_ends`.

    0.0, NaN and ranges beyond the maximum are left out.
    """
    beams, count = geometry[0], 0
    ends = beam_ends(ranges, directions, sensor, beams.range_min)
    for i in range(ranges.size):
        if 0.0 < range_of(ranges[i], beams.range_min) <= beams.range_max:
            ends[count, 0], ends[count, 1] = ends[i, 0], ends[i, 1]
            count += 1
    return ends[:count].copy()


def obstacle_points(scan: Scan, origin: Pose = IDENTITY) -> np.ndarray:
    """
    Return the obstacle points of a scan that was taken at ``origin``, (n, 2) [m].

    Too near to measure (-inf, or below range_min) is an obstacle; 0.0 is unknown, NaN an error
    and what lies beyond range_max free: none of these gives a point.
    """
    points: np.ndarray = points_at(
        np.asarray(scan.ranges, dtype=float), *beams_of(scan), origin.compose(scan.mount)[:])
    return points


class NewestScan:
    """The newest scan in the odometry frame; the points in memory are only those nearby."""

    def __init__(self, scan: Scan, pose: Pose):
        """Take a scan, and the pose of the robot when it was taken."""
        self.scan, self.pose = scan, pose

    @functools.cached_property
    def origin(self) -> Pose:
        """Return the pose of the sensor."""
        return self.pose.compose(self.scan.mount)

    @functools.cached_property
    def points(self) -> np.ndarray:
        """Return the obstacle points, (n, 2) [m]."""
        # Without beams no kernel is called: loading the first one takes 0.25 s, even for a command
        # that drives nothing.
        return (obstacle_points(self.scan, self.pose) if len(self.scan.ranges)
                else np.empty((0, 2)))


NOTHING_SEEN = NewestScan(Scan(0.0, np.empty(0), 0.0, math.radians(1.0), 0.0, 0.0), IDENTITY)


@kernel
def noise_between_beams(ranges, least, most):
    """
    Return the standard deviation of the ranges (n,) of a scan from ``least`` to ``most`` [m].

    It is that of the second differences between neighbouring beams, which neither motion nor the
    texture of walls changes much; inf if too few are measured.
    """
    middle = ranges[1:-1]
    differences = np.abs(ranges[:-2] - 2.0 * middle + ranges[2:])
    differences = differences[(differences < np.inf) & (middle >= least) & (middle < most)]
    if differences.size < MIN_DIFFERENCES:
        return np.inf
    return MEDIAN_TO_SIGMA * np.median(differences)
