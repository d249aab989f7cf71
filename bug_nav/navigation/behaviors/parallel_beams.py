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
Wall follower with two beams, one before and one behind the perpendicular to the wall.

The scheme of U. Olcar, "Bug algorithm application using ROS" (TurtleBot3): the difference of the
two beams turns the robot parallel to the wall, the front beam alone keeps the distance, and the
speed falls with the difference.
"""

from __future__ import annotations

import math

from bug_nav.navigation.behaviors.reactive_follower import arc, range_at, ReactiveFollower, slowed
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Twist
import numpy as np

OBLIQUE = math.radians(45.0)
"""Angle between each beam and the perpendicular to the wall [rad]."""
K_PARALLEL = 2.5
"""k_2: turning rate per difference of the beams [rad/(s m)]."""
K_DISTANCE = 3.0
"""k_3: turning rate per error of the front beam [rad/(s m)]."""
K_SLOW = 0.5
"""k_4: decrease of the speed per difference of the beams [1/s]."""
LEAST_SHARE = 0.5
"""Minimum speed, as a fraction of the full speed."""
MAX_RANGE_EXCESS = 0.25
"""Range beyond the nominal one at which a beam has lost the wall [m]."""


class ParallelBeams(ReactiveFollower):
    """Turns until the beams are equal."""

    def steer(self, robot: Robot, points: np.ndarray) -> Twist:
        """Follow the wall if the front beam hits it, else drive around its end."""
        wanted = robot.contour_radius / math.cos(OBLIQUE)
        front = range_at(points, OBLIQUE - 0.5 * math.pi, wanted + MAX_RANGE_EXCESS)
        back = range_at(points, -OBLIQUE - 0.5 * math.pi, wanted + MAX_RANGE_EXCESS)
        if front is None:
            return arc(robot, points)
        uneven = back - front if back is not None else 0.0
        command = slowed(robot, K_PARALLEL * uneven + K_DISTANCE * (wanted - front))
        share = max(1.0 - K_SLOW * abs(uneven) / robot.model.max_vel_x, LEAST_SHARE)
        return Twist(share * command.v, command.w)
