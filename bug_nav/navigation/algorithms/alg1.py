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
Alg1: Bug2 that remembers its hit and leave points.

A. Sankaranarayanan and M. Vidyasagar, "A new path planning algorithm for moving a point object
amidst unknown obstacles in a plane", IEEE International Conference on Robotics and Automation,
1990.

The paper was not available. The steps are those in K. N. McGuire, G. de Croon and K. Tuyls, "A
comparative study of bug algorithms for robot navigation", Robotics and Autonomous Systems 121,
2019.
"""

from __future__ import annotations

from typing import Callable, List, Optional

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CLOSED_LAP,
    CONTACT,
    IntentGenerator,
    Metadata,
    MOVE_TO_GOAL,
    SAFE_RULE,
    Step,
)
from bug_nav.navigation.algorithms.bug2 import CloserOnMLine, Parameters
from bug_nav.navigation.behaviors.follow_boundary import meet_boundary
from bug_nav.navigation.behaviors.hit_leave_points import search_both_ways
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.robot import Hit, Robot


class Alg1(Algorithm):
    """Drive as Bug2, and turn back at an earlier hit or leave point."""

    metadata = Metadata(
        title='Alg1', source='Sankaranarayanan and Vidyasagar 1990', sensing=CONTACT,
        memory='the M-line, all hit and leave points', complete=True, m_line=True, ordered=True,
        bound='D + 2 sum of p_i (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='the steps are taken from a survey; after turning back, the robot continues '
                    'past the hit point, and its lap begins where it turned; it moves straight '
                    f'to the goal from the leave point; {SAFE_RULE}, on a new M-line')
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary in the chosen direction until the goal is reached or 2b, '
                  '2c or 2d applies.'),
        Step('2b', 'If the M-line is met at Q, d(Q) < d(H_i), and the way from Q to the goal is '
                   'free, leave and continue with 1.'),
        Step('2c', 'If an earlier hit or leave point is met, turn back and follow the boundary '
                   'the other way until 2b or 2d applies.'),
        Step('2d', CLOSED_LAP))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps of the survey."""
        start = robot.position
        old: List[Point] = []
        side = self.sides()
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            closer = CloserOnMLine(start, hit.distance - self.parameters.leave_margin)
            wall = meet_boundary(robot, hit, side(robot, hit))
            lap, wall = yield from search_both_ways(robot, wall, closer, old, '2c')
            robot.at('2d' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
                start = robot.position  # a new M-line, because the lap contradicts the old one
            robot.record_leave()
            old += (robot.correction.apply(hit.centre), robot.position)

    def sides(self) -> Callable[[Robot, Hit], Optional[int]]:
        """Return the choice of a side for each hit of a goal; None for the turn direction."""
        return lambda robot, hit: None
