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
Two ranges and a PD controller, with the arc that clears an obstacle.

The scheme of P. Ghimire and G. Erabati, "Bug 0 algorithm", Universite de Bourgogne 2017 (e-puck):
one range at a right angle to the wall and one obliquely ahead give the distance of the wall and
the angle to it; where the wall at the side ends, an arc towards it. There is no integral term,
which would wind up at every corner.
"""

from __future__ import annotations

import math
from typing import Optional

from bug_nav.behaviors.reactive import arc, range_at, Reactive, slowed
from bug_nav.core.geometry import Point
from bug_nav.core.interface import Twist
from bug_nav.robot import Robot
import numpy as np

THETA = math.radians(50.0)
"""Between the two ranges [rad]."""
LOOK_AHEAD = 0.25
"""The distance is controlled so far ahead of the robot [m]."""
K_P = 5.0
"""Turning rate per error of the distance [rad/(s m)]."""
K_D = 1.0
"""Turning rate per rate of the error [rad/m]."""
LARGEST_ERROR = 0.15
"""Errors beyond this [m] count as this: no steeper than 30 degrees to the wall."""
BESIDE = 0.15
"""The wall at the side is no farther than this beyond the contour radius [m]."""
SMOOTHING = 0.3
"""Weight of a tick's rate of the error in the mean: a scan comes at every fourth tick."""


class TwoRangePid(Reactive):
    """Keeps the distance that two ranges tell."""

    def __init__(self, centre: Point, contact: Point, side: int):
        """Begin without an error that was."""
        super().__init__(centre, contact, side)
        self._last: Optional[tuple] = None
        self._rate = 0.0

    def steer(self, robot: Robot, points: np.ndarray) -> Twist:
        """Follow the wall where it is at the side, else go round its end."""
        far = robot.contour_radius + BESIDE
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
