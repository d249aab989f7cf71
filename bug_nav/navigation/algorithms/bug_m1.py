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
BugM1: Bug2 while the M-line is met in order, and Bug1 on an obstacle where it is not.

V. J. Lumelsky, "Sensing, Intelligence, Motion", Wiley 2006, section 3.4.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CLOSED_LAP,
    CONTACT,
    IntentGenerator,
    Metadata,
    MOVE_TO_GOAL,
    Step,
)
from bug_nav.navigation.algorithms.bug2 import CloserOnMLine, Parameters
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import distance, Point, Segment
from bug_nav.navigation.robot import Robot

AT_HIT = 0.15
"""Distance from the hit point within which a crossing of the M-line is ignored [m]."""


class CloserInGoodOrder(CloserOnMLine):
    """Bug2's rule until the M-line is met farther away than the hit point, a sign of a cycle."""

    def __init__(self, start: Point, hit: Point, closer_than: float):
        """Set the start of the M-line, the hit point, and the upper bound of d(Q) [m]."""
        super().__init__(start, closer_than)
        self.hit = hit
        self.good = True

    def __call__(self, robot: Robot) -> bool:
        """Return whether the last motion met Bug2's rule while the order is good."""
        if robot.previous is None:
            return False
        # Passing the start of the M-line, a leave point, is a crossing as well.
        back = 1.0 + AT_HIT / max(distance(self.start, robot.goal), AT_HIT)
        begin = (robot.goal[0] + back * (self.start[0] - robot.goal[0]),
                 robot.goal[1] + back * (self.start[1] - robot.goal[1]))
        q = Segment(begin, robot.goal).crossing(robot.previous, robot.position)
        if (self.good and q is not None and distance(q, robot.goal) > self.closer_than
                and distance(q, self.hit) >= AT_HIT):
            self.good = False
            robot.enter_step('2c', 'the M-line is met farther from the goal than the hit point, '
                                   f'd(Q) = {distance(q, robot.goal):.2f} m')
        return self.good and super().__call__(robot)


class BugM1(Algorithm):
    """Drive as Bug2, but as Bug1 around obstacles that lead back on the M-line."""

    metadata = Metadata(
        title='BugM1', source='Lumelsky 2006', sensing=CONTACT,
        memory='hit point, last leave point, closest point',
        complete=True, m_line=True, ordered=True,
        bound='D + 3 sum of p_i (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='the condition for the change from Bug2 to Bug1 is implicit in the source, '
                    'and the bound is not proven for it; a lap ends as in Bug1 as implemented '
                    'here',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary until the goal is reached or 2b, 2c or 2d applies; the '
                  'M-line begins at the last leave point.'),
        Step('2b', 'If the M-line is met at Q, d(Q) < d(H_i), and the way from Q to the goal is '
                   'free, leave and continue with 1, as Bug2.'),
        Step('2c', 'If the M-line is met out of order, at d(Q) > d(H_i), follow the boundary once '
                   'around, as Bug1.'),
        Step('2d', CLOSED_LAP))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps, with a new M-line from each leave point."""
        while True:
            start = robot.position
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            closer = CloserInGoodOrder(start, robot.correction.apply(hit.centre),
                                       hit.distance - self.parameters.leave_margin)
            follower = meet_boundary(robot, hit)
            trace = yield from follow_boundary(robot, follower, closer)
            robot.enter_step('2d' if trace.closed else '2b')
            if trace.closed:
                yield from leave_at_closest(robot, trace, follower)
            robot.record_leave()
