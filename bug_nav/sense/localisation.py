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
In which frame is told where the robot is: odometry's, a localiser's, or that of scan matching.

Odometry drifts, and with it all that is told in its frame. Where a localiser corrects it, that
is taken (REP-105: it moves odometry's frame in the global one, in jumps). Where none does, scan
matching is: the frame of the core is then odometry's *as it was when the goal began*, and stays
where it is. A localiser is known by what it does: the pose of odometry's frame in the global one
changes, which a fixed transform never does; from then on scan matching corrects nothing more.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.core.geometry import IDENTITY, Point, Pose, wrap
from bug_nav.core.interface import Observation, Scan
from bug_nav.sense.drift import DriftCorrection


class Localisation:
    """Tells observations in frames that do not drift."""

    def __init__(self, matching: Optional[DriftCorrection] = None):
        """Begin in odometry's frame; ``matching``: None where scans are not to be matched."""
        self.matching = matching
        self.drift = IDENTITY
        """The pose of odometry's frame, as it is now, in that of the core."""
        self.shift = IDENTITY
        """The pose of the global frame, as it is told now, in that of the core."""
        self._localised = False
        self._at_first: Optional[Pose] = None
        self._told: Optional[Tuple[Point, Optional[float]]] = None
        self._goal: Tuple[Point, Optional[float]] = (0.0, 0.0), None

    def place(self, scan: Scan, odometry: Pose) -> Pose:
        """Return where a scan was made that odometry takes to have been made at a pose."""
        if self.matching is None:
            return odometry
        if self._localised:
            return self.drift.compose(odometry)
        pose = self.matching.place(scan, odometry)
        self.drift = self.matching.drift
        return pose

    def told(self, observation: Observation) -> Observation:
        """Return an observation with pose, correction and goal in the frames of the core."""
        if self.matching is None:
            return observation
        if self._at_first is None:
            self._at_first = observation.correction
        self._localised = self._localised or observation.correction != self._at_first
        correction = (observation.correction.compose(self.drift.inverse()) if self._localised
                      else self._at_first)
        self.shift = (IDENTITY if self._localised else correction.compose(self.drift).compose(
            observation.correction.inverse()))
        told = observation.goal, observation.goal_yaw
        if told != self._told:  # it is where it is said to be now, and stays there
            place, yaw = self._told = told
            self._goal = (self.shift.apply(place),
                          None if yaw is None else wrap(yaw + self.shift.theta))
        goal, goal_yaw = self._goal
        return observation._replace(
            pose=self.drift.compose(observation.pose), correction=correction, goal=goal,
            goal_yaw=goal_yaw)

    def believed(self, observation: Observation) -> Pose:
        """Return where an observation has the robot, in the global frame of the core."""
        return self.shift.compose(observation.correction.compose(observation.pose))

    def uncertainty(self, place: Point) -> float:
        """
        Return how well it is known where a place is from the robot: a standard deviation [m].

        ``place`` is in the corrected frame of odometry; nan where nobody can tell.
        """
        if self.matching is None or self._localised:
            return math.nan
        return self.matching.uncertainty(place)
