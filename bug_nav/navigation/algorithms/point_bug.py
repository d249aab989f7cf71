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
PointBug: move from one sudden point to the next, without memory.

A sudden point is a jump of the range between neighbouring beams. The steps are those of surveys.

N. Buniyamin, W. A. J. Wan Ngah, N. Sariff and Z. Mohamad, "A simple local path planning algorithm
for autonomous mobile robots", International Journal of Systems Applications, Engineering and
Development 5(2):151-159, 2011.
"""

from __future__ import annotations

import math
from typing import Optional

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    IntentGenerator,
    Metadata,
    RANGE,
    Step,
    TURN_FIRST_BY_USER,
)
from bug_nav.navigation.algorithms.tangent_bug import Parameters
from bug_nav.navigation.behaviors.loop_monitor import LoopMonitor
from bug_nav.navigation.behaviors.move_to_node import (
    ARRIVAL_DISTANCE,
    move_to_node,
    move_while_visible,
    point_past,
)
from bug_nav.navigation.behaviors.tangent_graph import TangentGraph, TangentSight
from bug_nav.navigation.behaviors.turn_directions import side_at
from bug_nav.navigation.geometry import bearing, distance, Point, wrap
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import LoopDetected

BACK = math.radians(10.0)
"""Angle from the direction back within which sudden points are ignored [rad]."""
WAY_SLACK = 0.03
"""Reduction of the disc for which the way to a point has to be free [m]."""


class PointBug(Algorithm):
    """Go to the first sudden point in a turn towards the goal, until the goal is visible."""

    metadata = Metadata(
        title='PointBug', source='Buniyamin et al. 2011', sensing=RANGE,
        memory='only the heading of the last motion', complete=False, bound='none',
        guarantee='none: without memory it circles between the same points, and reports that',
        differences="the steps are taken from surveys; sudden points are those of the disc's "
                    'centre, and the robot goes 15 cm past each and 5 cm beside it; those within '
                    '10 degrees of the direction back are ignored; a turn without a sudden point '
                    'is no proof; the loop test is ours',
        turn=TURN_FIRST_BY_USER, reconstructed=True)
    Parameters = Parameters
    steps = (
        Step('1', 'Face the goal, and move there while it is visible.'),
        Step('2', 'Rotate towards the goal, at first to either side, until a sudden point is '
                  'found that is not in the direction back; the same point from the same place '
                  'three times is a loop (ours).'),
        Step('3', 'Move to that point until the goal is visible or the way is blocked, and '
                  'continue with 1.'),
        Step('4', 'If there is no sudden point in a whole turn, stop; this does not prove that '
                  'the goal is unreachable (ours).'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps."""
        sight = TangentSight(self.parameters.sensor_range)
        monitor = LoopMonitor('the same sudden point was chosen at the same place')
        came_by: Optional[float] = None
        while True:
            walked = robot.path_length
            robot.enter_step('1')
            yield from move_while_visible(robot, sight)
            if robot.path_length > walked:
                came_by = None
            robot.enter_step('2')
            point = sudden_point(robot, sight.look(robot), came_by)
            if point is None:
                robot.enter_step('4')
                raise LoopDetected('there is no sudden point in a whole turn; PointBug gives up, '
                                   'which proves nothing about the goal')
            monitor.note(robot.position, robot.correction.apply(point), robot.goal_distance)
            came_by = bearing(robot.odom_position, point)
            robot.enter_step('3', 'the first sudden point in the turn is '
                                  f'{distance(robot.odom_position, point):.2f} m away')
            yield from move_to_node(robot, sight, point, WAY_SLACK)


def sudden_point(robot: Robot, graph: TangentGraph, came_by: Optional[float]) -> Optional[Point]:
    """
    Return the first sudden point in a turn towards the goal, or None.

    The turn begins at ``came_by``, the heading of the last motion [rad], or at the goal.
    """
    facing = robot.goal_heading if came_by is None else came_by
    to_goal = wrap(robot.goal_heading - facing)
    side = math.copysign(1.0, to_goal) if to_goal else _either_side(robot, graph)
    seen = []
    for node in graph.nodes():
        place = point_past(graph, node)
        turned = side * (bearing(graph.origin, place) - facing) % (2.0 * math.pi)
        away = distance(robot.odom_position, place)
        if away > ARRIVAL_DISTANCE and abs(turned - math.pi) > BACK:
            seen.append((turned, place))
    return min(seen)[1] if seen else None


def _either_side(robot: Robot, graph: TangentGraph) -> int:
    """Return the side to turn to when facing the goal, by the turn direction."""
    free, blocker = graph.space.free_distance(graph.origin, robot.goal_heading, graph.reach)
    stops = (graph.origin[0] + free * math.cos(robot.goal_heading),
             graph.origin[1] + free * math.sin(robot.goal_heading))
    hit = Hit(robot.goal_distance - free, stops, blocker or robot.local_goal)
    return side_at(robot, hit)
