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
The frame of poses and goals: that of a localizer, or that of scan matching.

Odometry drifts, and so do places in its frame. If a localizer corrects the drift, its correction
is used (REP-105: the localizer moves the odometry frame in the global frame, in jumps). Otherwise
scan matching corrects it: the map frame of the navigator is then the odometry frame *at the start
of the goal*, and stays fixed. A localizer is detected by a change of the pose of the odometry
frame in the global frame, because a fixed transform never changes. From then on scan matching
makes no corrections.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.navigation.geometry import IDENTITY, Point, Pose, wrap
from bug_nav.navigation.perception import odometry_error
from bug_nav.navigation.perception.beams import beams_of
from bug_nav.navigation.perception.scan_matching import (
    forget,
    INITIAL_NOISE,
    INITIAL_SCATTERED,
    KEYFRAME,
    match,
    MATCHING_STATE,
    MAX_SURFELS,
    propagate,
)
from bug_nav.navigation.perception.surfels import SURFEL
from bug_nav.navigation.perception.tables import enlarged
from bug_nav.navigation.types import Scan
import numpy as np

ROWS = 4096
"""Number of rows by which tables grow."""
SLOTS = 1 << 14
"""Number of slots of the hash table that finds surfels."""


class Localization:
    """Transforms poses and goals to frames that do not drift."""

    def __init__(self, uses_scan_matching: bool = False, body: float = 0.0):
        """
        Start in the odometry frame; ``uses_scan_matching``: poses are corrected by it.

        Readings within ``body`` [m] of the centre are those of the robot.
        """
        self.uses_scan_matching, self._body = uses_scan_matching, body
        self.drift = IDENTITY
        """The current pose of the odometry frame in the map frame of the navigator."""
        self.skew = 0.0
        """The clock skew of the lidar ahead of odometry that is compensated [s]."""
        self.knows_skew = False
        """Whether the rest of the clock skew is known to be small."""
        self._states = np.zeros(1, MATCHING_STATE)
        self._states['noise'] = INITIAL_NOISE ** 2
        self._states['scattered'] = INITIAL_SCATTERED
        self._states['error'] = odometry_error.initial_error()
        self._surfels = np.empty(ROWS, SURFEL)
        self._heads = np.full(SLOTS, -1)
        self._keyframes = np.empty(ROWS, KEYFRAME)
        self._used = 0, 0
        """Numbers of used rows of surfels and keyframes."""
        self._has_localizer = False
        self._initial_correction: Optional[Pose] = None
        self._correction = IDENTITY
        self._last_request: Optional[Tuple[Point, Optional[float]]] = None
        self._goal: Tuple[Point, Optional[float]] = (0.0, 0.0), None

    def localize(self, scan: Scan, odometry: Pose, rate: float = 0.0, has_moved: bool = False
                 ) -> Pose:
        """
        Return the corrected pose of a scan that was taken at an odometry pose.

        ``rate`` is the turning rate then [rad/s]. ``has_moved``: an obstacle has moved, so that
        few walls are no match: a door beside the robot moves most of a scan.
        """
        if not self.uses_scan_matching:
            return odometry
        if not self._has_localizer:
            return self._match(scan, odometry, rate, has_moved)
        return self.drift.compose(odometry)

    def forget_distorted(self, drift: Pose) -> None:
        """Forget what was learnt from distorted scans; ``drift`` is the one before them."""
        self.drift, self.skew, self.knows_skew = drift, 0.0, False
        forget(self._states, self._heads, drift[:])
        self._used = 0, 0

    def _match(self, scan: Scan, odometry: Pose, rate: float, has_moved: bool) -> Pose:
        """Update the drift and the clock skew with a scan; return its pose."""
        ranges = np.asarray(scan.ranges, dtype=float)
        surfels, keyframes = self._used
        surfels = min(surfels + ranges.size, MAX_SURFELS)
        if surfels > len(self._surfels):
            self._surfels = enlarged(self._surfels, max(surfels - len(self._surfels), ROWS))
        if keyframes == len(self._keyframes):
            self._keyframes = enlarged(self._keyframes, ROWS)
        pose, drift, self._used, self.skew, sigma = match(
            self._states, self._surfels, self._heads, self._keyframes, ranges,
            *beams_of(scan, scan.mount), self._body, odometry[:], rate, has_moved)
        self.drift, self.knows_skew = Pose(*drift), sigma < odometry_error.KNOWN_SKEW
        return Pose(*pose)

    def in_map_frame(self, goal: Point, goal_yaw: Optional[float], correction: Pose
                     ) -> Tuple[Point, Optional[float], Pose]:
        """Return a goal, its yaw and the correction of odometry in the map frame."""
        if not self.uses_scan_matching:
            return goal, goal_yaw, correction
        if self._initial_correction is None:
            self._initial_correction = correction
        self._has_localizer = self._has_localizer or correction != self._initial_correction
        self._correction = correction
        if (goal, goal_yaw) != self._last_request:
            self._last_request, shift = (goal, goal_yaw), self.shift
            self._goal = (shift.apply(goal),
                          None if goal_yaw is None else wrap(goal_yaw + shift.theta))
        return (*self._goal, correction.compose(self.drift.inverse()) if self._has_localizer
                else self._initial_correction)

    @property
    def shift(self) -> Pose:
        """
        Return the current pose of the global frame in the global frame of the navigator.

        The latter is the global frame at the start of the goal; scan matching keeps it fixed.
        """
        if self._has_localizer or self._initial_correction is None:
            return IDENTITY
        return self._initial_correction.compose(self.drift).compose(self._correction.inverse())

    def estimated_pose(self, odometry: Pose, correction: Pose) -> Pose:
        """Return the pose that odometry reports, in the global frame of the navigator."""
        return self.shift.compose(correction.compose(odometry))

    @property
    def turns_backwards(self) -> bool:
        """Return whether the scans turn the other way than odometry, at three sigma."""
        error = self._states['error']
        per_radian, variance = error['systematic'][0, 2], error['spread'][0, 2, 2]
        return bool(1.0 + per_radian + 3.0 * math.sqrt(variance) < 0.0)

    @property
    def covariance(self) -> Optional[np.ndarray]:
        """
        Return the covariance of x, y [m] and heading [rad] at the newest scan, a 3 x 3 array.

        It is in the corrected odometry frame. None if drift is not estimated.
        """
        if not self.uses_scan_matching or self._has_localizer:
            return None
        return self._states['covariance'][0]

    def uncertainty(self, place: Point) -> float:
        """
        Return the standard deviation of a place relative to the robot [m].

        It is that in the direction in which it is largest; ``place`` is in the corrected odometry
        frame. NaN if drift is not estimated.
        """
        if not self.uses_scan_matching or self._has_localizer:
            return math.nan
        x, y, _ = self._states['pose'][0].tolist()
        covariance = self._states['covariance'][0].copy()
        propagate(covariance, place[0] - x, place[1] - y, 0.0, 0.0)
        return math.sqrt(max(np.linalg.eigvalsh(covariance[:2, :2])))
