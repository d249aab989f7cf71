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
Bug1: go once around every obstacle, and leave it at the point closest to the goal.

V. J. Lumelsky and A. A. Stepanov, "Path-planning strategies for a point mobile automaton moving
amidst unknown obstacles of arbitrary shape", Algorithmica 2:403-430, 1987.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CONTACT,
    IntentGenerator,
    Metadata,
    MOVE_TO_GOAL,
    Step,
)
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.robot import Robot


class Bug1(Algorithm):
    """Go once around every obstacle, and leave it at the point closest to the goal."""

    metadata = Metadata(
        title='Bug1', source='Lumelsky and Stepanov 1987', sensing=CONTACT,
        memory='the hit point, the closest point, and the contour between them',
        complete=True, ordered=True,
        bound='D + 1.5 sum of p_i (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='step 3 is the safe rule: it tests whether the lap separates the robot from '
                    'the goal, before the way back; the paper tests the direction of the goal at '
                    'the closest point')
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary once around, and store the point Q closest to the goal.'),
        Step('3', 'Report the goal as unreachable if the lap separates it from the robot (ours); '
                  'otherwise return to Q by the shorter way, leave there, and continue with 1.'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps of the paper."""
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            follower = meet_boundary(robot, hit)
            with robot.state('circumnavigation'):
                trace = yield from follow_boundary(robot, follower)
            robot.enter_step('3')
            yield from leave_at_closest(robot, trace, follower)
            robot.record_leave()
