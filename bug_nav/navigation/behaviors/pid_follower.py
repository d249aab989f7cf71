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
Wall follower with two ranges and a PD controller, and an arc around the end of the wall.

The scheme of P. Ghimire and G. Erabati, "Bug 0 algorithm", Universite de Bourgogne 2017 (e-puck):
one range perpendicular to the wall and one oblique range ahead give the distance of the wall and
the angle to it; where the wall ends, the robot drives an arc towards it. There is no integral
term because it would wind up at every corner.
"""

from __future__ import annotations

import math
from typing import Optional

from bug_nav.navigation.behaviors.reactive_follower import arc, range_at, ReactiveFollower, slowed
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Twist
import numpy as np

THETA = math.radians(50.0)
"""Angle between the two ranges [rad]."""
LOOK_AHEAD = 0.25
"""Distance ahead of the robot at which the wall distance is controlled [m]."""
K_P = 5.0
"""Turning rate per error of the distance [rad/(s m)]."""
K_D = 1.0
"""Turning rate per rate of the error [rad/m]."""
LARGEST_ERROR = 0.15
"""Maximum error, which limits the angle to the wall to 30 degrees [m]."""
MAX_RANGE_EXCESS = 0.15
"""Range of the wall at the side, beyond the contour radius [m]."""
SMOOTHING = 0.3
"""Weight of the newest rate in the moving average, with a scan at every fourth tick."""


class TwoRangePid(ReactiveFollower):
    """Controls the wall distance measured by two ranges."""

    def __init__(self, centre: Point, contact: Point, side: int):
        """Start without a previous error."""
        super().__init__(centre, contact, side)
        self._last: Optional[tuple] = None
        self._rate = 0.0

    def steer(self, robot: Robot, points: np.ndarray) -> Twist:
        """Follow the wall if it is at the side, else drive around its end."""
        far = robot.contour_radius + MAX_RANGE_EXCESS
        side = range_at(points, -0.5 * math.pi, far)
        if side is None:
            self._last = None
            return arc(robot, points)
        ahead = range_at(points, THETA - 0.5 * math.pi, far / math.cos(THETA))
        distance = side
        if ahead is not None:
            angle = math.atan2(ahead * math.cos(THETA) - side, ahead * math.sin(THETA))
            distance = side * math.cos(angle) + LOOK_AHEAD * math.sin(angle)
        error = robot.contour_radius - distance
        error = min(max(error, -LARGEST_ERROR), LARGEST_ERROR)
        return slowed(robot, K_P * error + K_D * self._rate_of(error, robot.stamp))

    def _rate_of(self, error: float, stamp: float) -> float:
        if self._last is None:
            self._rate = 0.0
        elif stamp > self._last[0]:
            rate = (error - self._last[1]) / (stamp - self._last[0])
            self._rate += SMOOTHING * (rate - self._rate)
        self._last = (stamp, error)
        return self._rate
