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

"""The common run of Alg1, Alg2, Rev1 and Rev2, which differ in their leave condition and side."""

from __future__ import annotations

import abc
from typing import Callable, List, Optional, Tuple

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CLOSED_LAP,
    IntentGenerator,
    MOVE_TO_GOAL,
    Step,
)
from bug_nav.navigation.behaviors.follow_boundary import meet_boundary, Rule
from bug_nav.navigation.behaviors.hit_leave_points import search_both_ways
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.robot import Hit, Robot


def steps_with(leave: str) -> Tuple[Step, ...]:
    """Return the steps of the survey with a leave condition."""
    return (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary in the chosen direction until the goal is reached or 2b, '
                  '2c or 2d applies.'),
        Step('2b', f'{leave}, leave and continue with 1.'),
        Step('2c', 'If an earlier hit or leave point is met, turn back and follow the boundary '
                   'the other way until 2b or 2d applies.'),
        Step('2d', CLOSED_LAP))


class TurnBack(Algorithm):
    """
    Move to the goal, follow each obstacle, and leave it where a rule holds.

    At an earlier hit or leave point, turn back. A closed lap without a leave point ends with the
    safe rule.
    """

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps of the survey."""
        self.begin(robot)
        old: List[Point] = []
        side = self.sides()
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            rule = self.leave_rule(hit)
            follower = meet_boundary(robot, hit, side(robot, hit))
            trace, follower = yield from search_both_ways(robot, follower, rule, old, '2c')
            robot.enter_step('2d' if trace.closed else '2b')
            if trace.closed:
                yield from leave_at_closest(robot, trace, follower)
                self.end_lap(robot)
            robot.record_leave()
            old += (robot.correction.apply(hit.centre), robot.position)

    @abc.abstractmethod
    def begin(self, robot: Robot) -> None:
        """Reset the memory at the start of a goal."""

    @abc.abstractmethod
    def leave_rule(self, hit: Hit) -> Rule:
        """Return step 2b after a hit."""

    def end_lap(self, robot: Robot) -> None:
        """Update the memory after a closed lap, at its leave point."""

    def sides(self) -> Callable[[Robot, Hit], Optional[int]]:
        """Return the choice of a side for each hit of a goal; None for the turn direction."""
        return lambda robot, hit: None
