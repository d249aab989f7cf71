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
PointBug: from one sudden point to the next, and nothing is remembered.

A sudden point is where the range jumps from beam to beam. The steps are as surveys tell them.

N. Buniyamin, W. A. J. Wan Ngah, N. Sariff and Z. Mohamad, "A simple local path planning algorithm
for autonomous mobile robots", International Journal of Systems Applications, Engineering and
Development 5(2):151-159, 2011.
"""

from __future__ import annotations

import math
from typing import Optional

from bug_nav.algorithms.base import Algorithm, Facts, FIRST, RANGE, Run, Step
from bug_nav.algorithms.tangent_bug import Parameters
from bug_nav.behaviors.loop_monitor import LoopMonitor
from bug_nav.behaviors.move_to_node import ARRIVED, move_to_node, move_while_in_sight, past
from bug_nav.behaviors.tangent_graph import TangentGraph, TangentSight
from bug_nav.core.geometry import bearing, distance, Point, wrap
from bug_nav.core.interface import LoopDetected
from bug_nav.robot import Hit, Robot

BACK = math.radians(10.0)
"""A sudden point within this of where the robot has come from is ignored [rad]."""
GRAZED = 0.03
"""A corner that a smaller disc, by this [m], would pass does not end the way to a point."""


class PointBug(Algorithm):
    """Go to the first sudden point that a turn towards the goal shows, until it is in sight."""

    facts = Facts(
        title='PointBug', source='Buniyamin et al. 2011', sensing=RANGE,
        memory='none but the heading that it came by', complete=False, bound='none',
        guarantee='none: without memory it goes round between the same points, and says so',
        ours="the steps are taken from surveys; sudden points are those of the disc's centre, and "
             'the robot goes 15 cm past each and 5 cm beside it; those within 10 degrees of where '
             'it came from are ignored; that no sudden point is seen is no proof; the loop test '
             'is ours',
        turn=FIRST, reconstructed=True)
    Parameters = Parameters
    steps = (
        Step('1', 'Face the target, and go there for as long as it is in sight.'),
        Step('2', 'Rotate to the side of the target, at first to either, until a sudden point is '
                  'seen that does not lie where the robot has come from; the same point from the '
                  'same place three times is a loop (ours).'),
        Step('3', 'Go to that point, until the target is in sight or the way blocked, and go on '
                  'with 1.'),
        Step('4', 'Without a sudden point in a whole turn, stop; which is no proof that the '
                  'target cannot be reached (ours).'))

    def run(self, robot: Robot) -> Run:
        """Follow the steps."""
        sight = TangentSight(self.parameters.sensor_range)
        monitor = LoopMonitor('the same sudden point was gone to from the same place')
        came_by: Optional[float] = None
        while True:
            walked = robot.path_length
            robot.at('1')
            yield from move_while_in_sight(robot, sight)
            if robot.path_length > walked:
                came_by = None
            robot.at('2')
            point = sudden_point(robot, sight.look(robot), came_by)
            if point is None:
                robot.at('4')
                raise LoopDetected('no sudden point is seen in a whole turn; PointBug takes the '
                                   'goal for unreachable, which is no proof')
            monitor.note(robot.position, robot.correction.apply(point), robot.goal_distance)
            came_by = bearing(robot.here, point)
            robot.at('3', 'the first sudden point in the turn is '
                          f'{distance(robot.here, point):.2f} m away')
            yield from move_to_node(robot, sight, point, GRAZED)


def sudden_point(robot: Robot, graph: TangentGraph, came_by: Optional[float]) -> Optional[Point]:
    """
    Return the first sudden point in a turn to the side of the goal, None where there is none.

    The turn begins at the heading [rad] that the robot came by, or, without one, at the goal.
    """
    facing = robot.goal_heading if came_by is None else came_by
    to_goal = wrap(robot.goal_heading - facing)
    side = math.copysign(1.0, to_goal) if to_goal else _either_side(robot, graph)
    seen = []
    for node in graph.nodes():
        place = past(graph, node)
        turned = side * (bearing(graph.origin, place) - facing) % (2.0 * math.pi)
        if distance(robot.here, place) > ARRIVED and abs(turned - math.pi) > BACK:
            seen.append((turned, place))
    return min(seen)[1] if seen else None


def _either_side(robot: Robot, graph: TangentGraph) -> int:
    """Return where to turn when the robot faces the goal, which the turn direction tells."""
    free, blocker = graph.space.free(graph.origin, robot.goal_heading, graph.reach)
    stops = (graph.origin[0] + free * math.cos(robot.goal_heading),
             graph.origin[1] + free * math.sin(robot.goal_heading))
    return robot.side_at(Hit(robot.goal_distance - free, stops, blocker or robot.local_goal))
