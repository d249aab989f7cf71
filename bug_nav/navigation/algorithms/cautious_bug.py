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
CautiousBug, reconstructed: search the boundary on alternating sides, farther each time.

A recombination of the leave condition of DistBug with legs that double from side to side.

E. Magid and E. Rivlin, "CautiousBug: a competitive algorithm for sensory-based robot navigation",
IEEE/RSJ International Conference on Intelligent Robots and Systems, 2004.
"""

from __future__ import annotations

import dataclasses

from bug_nav.navigation.algorithms import dist_bug
from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CLOSED_LAP,
    IntentGenerator,
    Metadata,
    MOVE_TO_GOAL,
    RANGE,
    SAFE_RULE,
    Step,
    TURN_FIRST_BY_USER,
)
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, Follower, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import distance
from bug_nav.navigation.parameters import parameter
from bug_nav.navigation.robot import Robot


@dataclasses.dataclass(frozen=True)
class Parameters(dist_bug.Parameters):
    """Parameters of CautiousBug, added to those of DistBug."""

    first_leg: float = parameter(
        0.5, 'length of the search on the first side; each later search is twice as long',
        unit='m', low=0.1, high=10.0)


class EndOfLeg:
    """Holds once the contour has been followed for a given length."""

    def __init__(self, follower: Follower, length: float):
        """Start at the follower's position; ``length`` [m]."""
        self.follower = follower
        self.length = self.left = length
        self._last = follower.centre

    def __call__(self, robot: Robot) -> bool:
        """Return whether the length is reached."""
        self.left -= distance(self._last, self.follower.centre)
        self._last = self.follower.centre
        return self.left <= 0.0 and robot.because(
            f'{self.length:.2f} m were searched on this side')


class CautiousBug(Algorithm):
    """Search the boundary left and right of the hit point in turn."""

    metadata = Metadata(
        title='CautiousBug', source='Magid and Rivlin 2004', sensing=RANGE,
        memory='hit point, least distance to the goal, length searched on each '
               'side', complete=True,
        bound='none proven; doubling legs cost about 9 times the way to the leave point',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences="the paper was not available: a recombination of DistBug's leave condition "
                    f'as implemented here with legs that double from side to side; {SAFE_RULE}',
        turn=TURN_FIRST_BY_USER, reconstructed=True)
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary on one side for the length of the first leg, until the '
                  'goal is reached or 2b, 2c or 2d applies.'),
        Step('2b', 'If the leave condition of DistBug holds, leave and continue with 1.'),
        Step('2c', 'If the leg ends, turn back, pass the hit point, and search the other side '
                   'twice as far.'),
        Step('2d', CLOSED_LAP))

    def run(self, robot: Robot) -> IntentGenerator:
        """
        Run the steps.

        Each leg begins at the end of the last one and passes the hit point. If the searches meet,
        the leg reaches its own beginning, and the lap is closed.
        """
        closer = dist_bug.FreeWayEndsCloser(self.parameters)
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            closer.visit(hit)
            follower = meet_boundary(robot, hit)
            back, leg = 0.0, self.parameters.first_leg
            while True:
                end = EndOfLeg(follower, back + leg)
                trace = yield from follow_boundary(robot, follower, closer, end)
                if trace.closed or end.left > 0.0:
                    break
                robot.enter_step('2c')
                follower = follower.turned_back()
                back, leg = leg, 2.0 * leg
            robot.enter_step('2d' if trace.closed else '2b')
            if trace.closed:
                yield from leave_at_closest(robot, trace, follower)
            robot.record_leave()
