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
Wall follower by a tangent sweep: the first heading off the wall along which the disc is free.

The headings are tried from the nearest point of the wall outwards. The first one along which a
disc of the contour radius is free is the tangent of the inflated obstacle, also at outer corners,
inner corners and gaps.
"""

from __future__ import annotations

import math
from typing import Union

from bug_nav.navigation.behaviors.reactive_follower import (
    nearest_on_the_right,
    ReactiveFollower,
    speed,
)
from bug_nav.navigation.compiled import fan
from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Along, Twist
import numpy as np

HEADINGS = 180
"""Number of headings in a full turn."""
LOOK_AHEAD = 0.6
"""Minimum free distance along a heading [contour radii]."""
AWAY_GAIN = 3.0
"""Turn off the wall, per contour radius of missing distance [rad]."""
MAX_AWAY_ANGLE = math.radians(30.0)
"""Maximum turn off the wall [rad]."""


class TangentSweep(ReactiveFollower):
    """Drives along the tangent of the inflated obstacle."""

    def steer(self, robot: Robot, points: np.ndarray) -> Union[Twist, Along]:
        """Sweep the headings from the nearest point on the right to the left."""
        rho = robot.contour_radius
        wall = nearest_on_the_right(points, math.inf)
        first, nearest = wall if wall else (-0.5 * math.pi, math.inf)
        radii, reach = np.full(len(points), min(rho, nearest)), LOOK_AHEAD * rho
        step = 2.0 * math.pi / HEADINGS
        free, _ = kernels.free_distances(points, radii, 0, 0.0, 0.0, 0.0, reach,
                                         *fan(0.0, step, HEADINGS))
        headings = (math.ceil(first / step) + np.arange(HEADINGS)) % HEADINGS
        open_headings = headings[free[headings] >= reach]
        if open_headings.size == 0:
            return Twist(0.0, robot.model.max_vel_theta)
        tangent = step * float(open_headings[0])
        away = min(AWAY_GAIN * max(rho - nearest, 0.0) / rho, MAX_AWAY_ANGLE)
        return Along(tangent + away, 1, speed(robot))
