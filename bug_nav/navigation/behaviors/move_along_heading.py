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

"""Motion along a preferred heading: drive straight until an obstacle is hit."""

from __future__ import annotations

from typing import Generator

from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent, LoopDetected


def is_arriving(robot: Robot, approach_distance: float) -> bool:
    """Return whether the goal is within a distance [m] and the way there is visibly free."""
    if robot.goal_distance >= approach_distance:
        return False
    free, _ = robot.space_in_sight.free_distance(
        robot.odom_position, robot.goal_heading, robot.goal_distance)
    return (free >= robot.goal_distance - robot.settings.xy_goal_tolerance and robot.because(
        f'the goal is near and the way to it free, d(x) = {robot.goal_distance:.2f} m'))


def is_free_along(robot: Robot, heading: float) -> bool:
    """Return whether `clear_distance` along a heading [rad] is free."""
    clear = robot.settings.clear_distance
    return robot.space.free_distance(robot.odom_position, heading, clear)[0] >= clear


def move_along_heading(robot: Robot, heading: float, approach_distance: float,
                       max_distance_increase: float) -> Generator[Intent, None, Hit]:
    """
    Drive along a heading [rad] (odometry frame); return the hit when an obstacle is in the way.

    Once the goal is within ``approach_distance`` [m] and the way to it free, move to the goal.
    Raise LoopDetected if the distance to the goal grows by ``max_distance_increase`` [m], because
    without an obstacle the motion would not end.
    """
    closest = robot.goal_distance
    with robot.state('motion_along_heading'):
        while not is_arriving(robot, approach_distance):
            hit = robot.blocking_hit(heading)
            if hit:
                robot.record_hit(hit)
                return hit
            closest = min(closest, robot.goal_distance)
            if robot.goal_distance > closest + max_distance_increase:
                raise LoopDetected(
                    f'the preferred heading leads away from the goal, from {closest:.1f} m to '
                    f'{robot.goal_distance:.1f} m, without an obstacle on the way')
            yield robot.along(heading)
    return (yield from move_to_goal(robot))
