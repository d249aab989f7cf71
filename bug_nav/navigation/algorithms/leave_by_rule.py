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

"""The common run of algorithms that differ only in their leave condition."""

from __future__ import annotations

import abc

from bug_nav.navigation.algorithms.base import Algorithm, IntentGenerator
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary, Rule
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.trace import Trace
from bug_nav.navigation.robot import Hit, Robot


class LeaveByRule(Algorithm):
    """
    Move to the goal, follow each obstacle, and leave it where a rule holds.

    A closed lap without a leave point ends with the safe rule.
    """

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps 1, 2, 2b and 2c."""
        self.begin()
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            rule = self.leave_rule(robot, hit)
            follower = meet_boundary(robot, hit)
            trace = yield from follow_boundary(robot, follower, rule)
            robot.enter_step('2c' if trace.closed else '2b')
            if trace.closed:
                yield from leave_at_closest(robot, trace, follower)
            robot.record_leave()
            self.end_following(trace)

    def begin(self) -> None:
        """Reset the memory at the start of a goal."""

    @abc.abstractmethod
    def leave_rule(self, robot: Robot, hit: Hit) -> Rule:
        """Return the leave condition after a hit."""

    def end_following(self, trace: Trace) -> None:
        """Update the memory with the boundary that was followed."""
