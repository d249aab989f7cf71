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
The frame of poses and goals: a localizer's, or that of scan matching.

Odometry drifts, and so do places in its frame. If a localizer corrects it, that correction is used
(REP-105: it moves odometry's frame in the global one, in jumps). Otherwise scan matching corrects
it: the frame of the core is then odometry's *as it was when the goal began*, and stays where it
is. A localizer is detected by a change of the pose of odometry's frame in the global one, because
a fixed transform never changes. From then on scan matching corrects nothing more.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.navigation.geometry import IDENTITY, Point, Pose, wrap
from bug_nav.navigation.perception.scan_matcher import ScanMatcher
from bug_nav.navigation.types import Scan


class Localisation:
    """Transforms poses and goals to frames that do not drift."""

    def __init__(self, matching: Optional[ScanMatcher] = None):
        """Begin in odometry's frame; scans are matched unless ``matching`` is None."""
        self.matching = matching
        self.drift = IDENTITY
        """The pose of odometry's frame, as it is now, in that of the core."""
        self._localised = False
        self._at_first: Optional[Pose] = None
        self._correction = IDENTITY
        self._given: Optional[Tuple[Point, Optional[float]]] = None
        self._goal: Tuple[Point, Optional[float]] = (0.0, 0.0), None

    def place(self, scan: Scan, odometry: Pose) -> Pose:
        """Return the corrected pose of a scan that was made at a pose by odometry."""
        if self.matching is None:
            return odometry
        if self._localised:
            return self.drift.compose(odometry)
        pose = self.matching.place(scan, odometry)
        self.drift = self.matching.drift
        return pose

    def in_map_frame(self, goal: Point, goal_yaw: Optional[float], correction: Pose
                     ) -> Tuple[Point, Optional[float], Pose]:
        """Return a goal, its yaw and the correction of odometry in the frames of the core."""
        if self.matching is None:
            return goal, goal_yaw, correction
        if self._at_first is None:
            self._at_first = correction
        self._localised = self._localised or correction != self._at_first
        self._correction = correction
        if (goal, goal_yaw) != self._given:  # a new goal: it stays where odometry has it now
            self._given, shift = (goal, goal_yaw), self.shift
            self._goal = (shift.apply(goal),
                          None if goal_yaw is None else wrap(goal_yaw + shift.theta))
        return (*self._goal, correction.compose(self.drift.inverse()) if self._localised
                else self._at_first)

    @property
    def shift(self) -> Pose:
        """Return the pose of the global frame, as it is now, in that of the core."""
        if self._localised or self._at_first is None:
            return IDENTITY
        return self._at_first.compose(self.drift).compose(self._correction.inverse())

    def believed(self, odometry: Pose, correction: Pose) -> Pose:
        """Return where odometry has the robot, in the global frame of the core."""
        return self.shift.compose(correction.compose(odometry))

    def uncertainty(self, place: Point) -> float:
        """
        Return the standard deviation of a place relative to the robot [m].

        ``place`` is in the corrected frame of odometry; nan if it is not estimated.
        """
        if self.matching is None or self._localised:
            return math.nan
        return self.matching.uncertainty(place)
