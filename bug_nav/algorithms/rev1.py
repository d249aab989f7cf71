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
Rev1: Alg1 that alternates its local direction.

It is a recombination: the steps are Alg1's, the side `AlternatingSides`' choice.

Y. Horiuchi and H. Noborio, "Evaluation of path length made in sensor-based path-planning with the
alternative following", IEEE International Conference on Robotics and Automation, 2001.
"""

from __future__ import annotations

from bug_nav.algorithms.alg1 import Alg1
from bug_nav.algorithms.base import Algorithm, CONTACT, Facts, FIRST, Run, Step
from bug_nav.algorithms.bug2 import CloserOnMLine, Parameters
from bug_nav.behaviors.alternating_sides import AlternatingSides
from bug_nav.behaviors.follow_boundary import meet_boundary
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.behaviors.old_points import OldPoints, search_both_ways
from bug_nav.robot import Robot


class Rev1(Algorithm):
    """Walk as Alg1, turning the other way at each new hit."""

    facts = Facts(
        title='Rev1', source='Horiuchi and Noborio 2001', sensing=CONTACT,
        memory='the M-line, all hit and leave points with their directions',
        complete=True, m_line=True, ordered=True,
        bound='none known', guarantee='reaches the goal, or proves that it cannot be reached',
        ours='taken from secondary sources: a recombination, Alg1 as it is here, and at each hit '
             'the side that the last one did not take, be it on the same obstacle or not, which '
             'they leave open; at a place that was hit before, the other side than there',
        turn=FIRST, reconstructed=True)
    Parameters = Parameters
    steps = (
        Alg1.steps[0],
        Step('2', 'Follow the boundary to the other side than last time (at the same place, than '
                  'last time there), until the goal is reached or 2b, 2c or 2d holds.'),
        *Alg1.steps[2:])

    def run(self, robot: Robot) -> Run:
        """Follow Alg1's steps with alternating sides."""
        start, old, sides = robot.position, OldPoints(), AlternatingSides()
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            closer = CloserOnMLine(start, hit.distance - self.parameters.leave_margin)
            wall = meet_boundary(robot, hit, sides.side(robot, hit))
            lap, wall = yield from search_both_ways(robot, wall, closer, old)
            robot.at('2d' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
                start = robot.position  # the contour was not what it seemed: a new M-line
            robot.record_leave()
            old.add(robot.correction.apply(hit.centre), robot.position)
