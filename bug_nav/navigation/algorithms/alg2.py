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
from typing import Deque, Tuple

from bug_nav.navigation.algorithms.base import CONTACT, Metadata, SAFE_RULE
from bug_nav.navigation.algorithms.turn_back import steps_with, TurnBack
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


class Alg2(TurnBack):
    """Leave where the robot is closer than ever; turn back at an earlier hit or leave point."""

    metadata = Metadata(
        title='Alg2', source='Sankaranarayanan and Vidyasagar 1990', sensing=CONTACT,
        memory='least distance to the goal, all hit and leave points', complete=True, ordered=True,
        bound='D + 2 sum of p_i (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='the steps are taken from a survey; the last 10 cm of the path do not count '
                    'as visited; after turning back, the robot continues past the hit point, and '
                    f'its lap begins where it turned; {SAFE_RULE}')
    steps = steps_with('If d(x) is less than at all points visited before, and the way from x to '
                       'the goal is free')

    def begin(self, robot: Robot) -> None:
        """Forget the points of the last goal."""
        self._closest = ClosestEver()

    def leave_rule(self, hit: Hit) -> ClosestEver:
        """Return step 2b."""
        self._closest.visit(hit)
        return self._closest
