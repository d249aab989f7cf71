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
Parallel to two beams, one before and one behind the side.

The scheme of U. Olcar, "Bug algorithm application using ROS" (TurtleBot3): the difference of the
two beams turns the robot parallel to the wall, the front beam alone keeps the distance, and the
speed falls with the difference.
"""

from __future__ import annotations

import math

from bug_nav.behaviors.reactive import arc, range_at, Reactive, slowed
from bug_nav.core.interface import Twist
from bug_nav.robot import Robot
import numpy as np

OBLIQUE = math.radians(45.0)
"""Between each beam and the side [rad]."""
K_PARALLEL = 2.5
"""k_2: turning rate per difference of the beams [rad/(s m)]."""
K_DISTANCE = 3.0
"""k_3: turning rate per error of the front beam [rad/(s m)]."""
K_SLOW = 0.5
"""k_4: what the speed loses per difference of the beams [1/s]."""
LEAST_SHARE = 0.5
"""The speed that is left at any difference, as a share of the full one."""
BESIDE = 0.25
"""A beam that meets nothing up to so much beyond its distance [m] has lost the wall."""


class ParallelBeams(Reactive):
    """Turns until the beams are alike."""

    def steer(self, robot: Robot, points: np.ndarray) -> Twist:
        """Follow the wall where the front beam meets it, else go round its end."""
        wanted = robot.contour_radius / math.cos(OBLIQUE)
        front = range_at(points, OBLIQUE - 0.5 * math.pi, wanted + BESIDE)
        back = range_at(points, -OBLIQUE - 0.5 * math.pi, wanted + BESIDE)
        if front is None:
            return arc(robot, points)
        uneven = back - front if back is not None else 0.0
        command = slowed(robot, K_PARALLEL * uneven + K_DISTANCE * (wanted - front))
        share = max(1.0 - K_SLOW * abs(uneven) / robot.model.max_vel_x, LEAST_SHARE)
        return Twist(share * command.v, command.w)
