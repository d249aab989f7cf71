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
Wall follower by the vector field around the closest point: along the level line, and back to it.

The predictor and corrector of Choset et al., "Principles of Robot Motion" (2005): G = d - rho is
the error of the distance d to the closest point. The robot moves perpendicular to the direction
of that point, and along it to correct G to 0. Outer corners and poles need no special case; at
inner corners the closest point jumps, so the free distance ahead is tested.
"""

from __future__ import annotations

import math
from typing import Union

from bug_nav.navigation.behaviors.reactive_follower import (
    arc,
    front_room,
    IN_SIGHT,
    nearest_on_the_right,
    ReactiveFollower,
    speed,
)
from bug_nav.navigation.geometry import bearing, distance, wrap
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Along, Twist
import numpy as np

CONVERGENCE_DISTANCE = 0.15
"""Error of the distance that turns the field by 45 degrees [m]."""
LOOK_AHEAD = 0.10
"""Distance within which a blocking point replaces the closest point [m]."""
CLOSEST_POINT_SLACK = 0.02
"""Reduction of the disc so that the closest point itself does not block [m]."""
STEEPEST = math.radians(60.0)
"""Maximum angle of the field to the wall [rad]."""


class ClosestPoint(ReactiveFollower):
    """Drives along the level line of the distance to the closest point."""

    def steer(self, robot: Robot, points: np.ndarray) -> Union[Twist, Along]:
        """Follow the field around the closest or the blocking point."""
        rho = robot.contour_radius
        closest = nearest_on_the_right(points, rho + IN_SIGHT)
        if closest is None:
            return arc(robot, points)
        turn = _level(*closest, rho)
        radius = min(rho, closest[1]) - CLOSEST_POINT_SLACK
        _, blocker = robot.space.free_distance_of(
            radius, robot.odom_position, robot.pose.theta + self.side * turn, LOOK_AHEAD)
        if blocker is not None:
            towards = wrap(bearing(robot.odom_position, blocker) - robot.pose.theta)
            turn = max(turn, _level(self.side * towards,
                                    distance(robot.odom_position, blocker), rho))
        pace = speed(robot) * min(front_room(robot) / (0.5 * rho), 1.0)
        return Along(turn, 1, pace)


def _level(towards: float, away: float, rho: float) -> float:
    """Return the field's heading [rad] around a point on the right at that bearing and range."""
    back = math.atan((away - rho) / CONVERGENCE_DISTANCE)
    return towards + 0.5 * math.pi - min(max(back, -STEEPEST), STEEPEST)
