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
Alg2: leave wherever the robot is closer to the goal than ever before.

A. Sankaranarayanan and M. Vidyasagar, "Path planning for moving a point object amidst unknown
obstacles in a plane: a new algorithm and a general theory for algorithm development", IEEE
Conference on Decision and Control, 1990.

The paper was not available. The steps are those in K. N. McGuire, G. de Croon and K. Tuyls, "A
comparative study of bug algorithms for robot navigation", Robotics and Autonomous Systems 121,
2019.
"""

from __future__ import annotations

from collections import deque
import math
from typing import Callable, Deque, List, Optional, Tuple

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
from bug_nav.navigation.behaviors.follow_boundary import meet_boundary
from bug_nav.navigation.behaviors.hit_leave_points import search_both_ways
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.names import less
from bug_nav.navigation.robot import Hit, Robot

LAG = 0.10
"""Length of the end of the path that does not count as visited yet [m]."""


class ClosestEver:
    """Leave condition: d(x) < d(y) for all visited y, and the way is free."""

    def __init__(self) -> None:
        """Start with nothing visited."""
        self.closest = math.inf
        self._recent: Deque[Tuple[float, float]] = deque()

    def visit(self, hit: Hit) -> None:
        """Add a hit point, the closest point of the straight way to it."""
        self.closest = min([self.closest, hit.distance, *(d for _, d in self._recent)])
        self._recent.clear()

    def __call__(self, robot: Robot) -> bool:
        """Return whether the condition holds."""
        self._recent.append((robot.path_length, robot.goal_distance))
        while self._recent[0][0] < robot.path_length - LAG:
            self.closest = min(self.closest, self._recent.popleft()[1])
        away = robot.goal_distance
        return away < self.closest and robot.way_is_free() and robot.because(
            f'closer than any visited point, {less("d(x)", away, "d_min", self.closest)}, and the '
            'way is free')


class Alg2(Algorithm):
    """Leave where the robot is closer than ever; turn back at an earlier hit or leave point."""

    metadata = Metadata(
        title='Alg2', source='Sankaranarayanan and Vidyasagar 1990', sensing=CONTACT,
        memory='least distance to the goal, all hit and leave points', complete=True, ordered=True,
        bound='D + 2 sum of p_i (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='the steps are taken from a survey; the last 10 cm of the path do not count '
                    'as visited; after turning back, the robot continues past the hit point, and '
                    f'its lap begins where it turned; {SAFE_RULE}')
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary in the chosen direction until the goal is reached or 2b, '
                  '2c or 2d applies.'),
        Step('2b', 'If d(x) is less than at all points visited before, and the way from x to the '
                   'goal is free, leave and continue with 1.'),
        Step('2c', 'If an earlier hit or leave point is met, turn back and follow the boundary '
                   'the other way until 2b or 2d applies.'),
        Step('2d', CLOSED_LAP))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps of the survey."""
        closest = ClosestEver()
        old: List[Point] = []
        side = self.sides()
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            closest.visit(hit)
            wall = meet_boundary(robot, hit, side(robot, hit))
            lap, wall = yield from search_both_ways(robot, wall, closest, old, '2c')
            robot.at('2d' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
            robot.record_leave()
            old += (robot.correction.apply(hit.centre), robot.position)

    def sides(self) -> Callable[[Robot, Hit], Optional[int]]:
        """Return the choice of a side for each hit of a goal; None for the turn direction."""
        return lambda robot, hit: None
