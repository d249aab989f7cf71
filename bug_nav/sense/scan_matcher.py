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
Where the robot is by what it sees: the drift of odometry, taken back by scan matching.

Odometry drifts and walls do not. Each scan is laid onto the walls that earlier ones have seen
(`bug_nav.sense.surfels`), and what odometry is off by is known from then on. What walls do not
tell, as the way along a smooth corridor, odometry tells alone; and how well the pose is known is
told with it. A scan that fits nowhere corrects nothing.

The frame of the corrected poses is odometry's as it was at the beginning.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.core.geometry import IDENTITY, Point, Pose, wrap
from bug_nav.core.interface import Scan
from bug_nav.sense.odometry_error import OdometryError, usual
from bug_nav.sense.surfels import align, COLUMNS, enter, EXTENT, facets, grown, handed_on
import numpy as np

ROWS = 4096
"""Tables grow by so many rows."""
SLOTS = 1 << 14
"""Of the hash table in which facets are found."""
MOST = 100_000
"""No more facets are kept: 5 km of walls."""
EXTENT_OF_NOISE = 5.0
"""Facets reach so many standard deviations of a measurement from their middle, or more."""
NEEDED = 3
"""A match needs so many facets that are laid onto one ..."""
FIT = 0.4
"""... and such a share of these to fit well."""
CONTRADICTS = 25.0
"""A match contradicts odometry by so many variances ..."""
MANY = 20
"""... where it is one of so many facets."""
NOISE = 0.01
"""A measurement is off by so much at first [m]; what it really is is learnt ..."""
LEAST_NOISE, MOST_NOISE = 0.005, 0.1
"""... between these [m] ..."""
LEARNT = 0.05
"""... by so much with each scan."""
UPPER = np.triu_indices(3)
"""The half of a covariance that says it all."""


class ScanMatcher:
    """Lays each scan onto what earlier ones have seen, and knows what odometry is off by."""

    def __init__(self, body: float = 0.0):
        """Begin with nothing seen; what is within ``body`` [m] of the centre is the robot's."""
        self.drift = IDENTITY
        """The pose of odometry's frame, as it is now, in what it was at the beginning."""
        self.covariance = np.zeros((3, 3))
        """Of the pose of the newest scan in that frame: x, y, theta [m, rad]."""
        self.matched = self.unmatched = 0
        """How many scans have corrected the drift, and how many have fitted nowhere."""
        self._body = body
        self._error = OdometryError()
        self._noise = NOISE
        self._facets = np.empty((ROWS, COLUMNS))
        self._following = np.full(ROWS, -1)
        self._heads = np.full(SLOTS, -1)
        self._count = 0
        self._views = np.empty((ROWS, 8))
        self._view_count = 0
        self._last: Optional[Tuple[Pose, Pose]] = None
        # The covariance is that of the pose among the walls that the scan is laid onto, and what
        # they hand on to it, which is that of these walls.
        self._among = np.zeros((3, 3))
        self._handed_on = np.zeros((3, 3))
        # Before the first wall was seen there was odometry alone: by usual one.
        self._blind = np.zeros((3, 3))

    def place(self, scan: Scan, odometry: Pose) -> Pose:
        """Return the corrected pose of a scan that odometry takes to have been made at a pose."""
        mount = scan.mount
        seen = facets(np.asarray(scan.ranges, dtype=float), mount.x, mount.y,
                      mount.theta + scan.angle_min, scan.angle_increment, scan.range_min,
                      scan.range_max, self._body, max(EXTENT, EXTENT_OF_NOISE * self._noise))
        pose, onto = self._found(seen, odometry)
        self.covariance = (self._among + self._handed_on
                           + self._error.share * self._blind)
        self._enter(seen, onto, pose)
        self.drift = pose.compose(odometry.inverse())
        self._last = odometry, pose
        return pose

    def uncertainty(self, place: Point) -> float:
        """
        Return how well it is known where a place is from the robot [m].

        It is a standard deviation, of the direction in which it is the largest; ``place`` is in
        the frame of the corrected poses.
        """
        if self._last is None:
            return 0.0
        here = self._last[1]
        there = grown(self.covariance, place[0] - here.x, place[1] - here.y, 0.0, 0.0)
        return math.sqrt(max(np.linalg.eigvalsh(there[:2, :2])))

    # ---- a scan -------------------------------------------------------------------------------

    def _found(self, seen: np.ndarray, odometry: Pose) -> Tuple[Pose, np.ndarray]:
        """Return the pose of a scan, and onto which facets it is laid, -1 for none."""
        nowhere = np.full(len(seen), -1)
        if self._last is None:
            return odometry, nowhere
        last_odometry, last = self._last
        step = last_odometry.inverse().compose(odometry)
        step = step._replace(theta=wrap(step.theta))
        guess = last.compose(self._error.corrected(step))
        dx, dy = guess.x - last.x, guess.y - last.y
        blind = usual(step) if self._count == 0 else (0.0, 0.0)
        self._blind = grown(self._blind, dx, dy, *blind)
        if self._count == 0:
            return guess, nowhere
        self._handed_on = grown(self._handed_on, dx, dy, 0.0, 0.0)
        known = self._among
        while True:
            self._among = grown(known, dx, dy, *self._error.variances(step))
            found = self._match(seen, guess, step)
            # What contradicts odometry is odometry's fault, if that helps.
            if found is not None or len(seen) < MANY or not self._error.doubt():
                break
        if found is None:
            self.unmatched += 1
            return guess, nowhere
        self.matched += 1
        return found

    def _match(self, seen: np.ndarray, guess: Pose, step: Pose
               ) -> Optional[Tuple[Pose, np.ndarray]]:
        """Lay a scan onto the walls; None where it does not fit, or not with odometry."""
        before = self._among
        x, y, theta, after, laid, well, off, onto = align(
            self._facets, self._heads, self._following, self._count, seen, *guess, before,
            self._noise)
        if laid < NEEDED or well < FIT * laid:
            return None
        put_right = (x - guess.x, y - guess.y, theta - guess.theta)
        contradicts = laid >= MANY and any(
            put_right[k] ** 2 > CONTRADICTS * max(before[k, k] - after[k, k], 1e-12)
            for k in range(3))
        if contradicts and self._error.is_believed:
            return None
        self._among = after
        ahead = math.cos(guess.theta), math.sin(guess.theta)
        self._error.learn(step, _variances(before, ahead), _variances(after, ahead),
                          (*put_right, ahead[0] * put_right[0] + ahead[1] * put_right[1]))
        self._handed_on = handed_on(self._facets, self._views, onto, x, y)
        learnt = self._noise + LEARNT * (off - self._noise)
        self._noise = min(max(learnt, LEAST_NOISE), MOST_NOISE)
        return Pose(x, y, wrap(theta)), onto

    def _enter(self, seen: np.ndarray, onto: np.ndarray, pose: Pose) -> None:
        """Keep what a scan has seen."""
        if self._count + len(seen) > MOST:
            return
        if self._count + len(seen) > len(self._facets):
            self._facets = np.concatenate((self._facets, np.empty((ROWS, COLUMNS))))
            self._following = np.concatenate((self._following, np.full(ROWS, -1)))
        if self._view_count == len(self._views):
            self._views = np.concatenate((self._views, np.empty((ROWS, 8))))
        self._views[self._view_count] = (pose.x, pose.y, *self.covariance[UPPER])
        count = enter(self._facets, self._heads, self._following, self._count, seen, onto, *pose,
                      self.covariance, self._view_count)
        self._view_count += count > self._count
        self._count = count


def _variances(covariance: np.ndarray, ahead: Tuple[float, float]) -> Tuple[float, ...]:
    """Return the variances of a pose in x, y and heading, and in a direction (a unit vector)."""
    xx, yy, tt = covariance.diagonal().tolist()
    dx, dy = ahead
    return xx, yy, tt, dx * dx * xx + 2.0 * dx * dy * float(covariance[0, 1]) + dy * dy * yy
