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
Class2: Class1 that leaves only at local minima of the distance to the goal.

H. Noborio, "A path-planning algorithm for generation of an intuitively reasonable path in an
uncertain 2-D workspace", Japan-USA Symposium on Flexible Automation, 1990.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import (
    CLOSED_LAP,
    CONTACT,
    Metadata,
    MOVE_TO_GOAL,
    SAFE_RULE,
    Step,
)
from bug_nav.navigation.algorithms.class1 import Parameters
from bug_nav.navigation.algorithms.leave_by_rule import LeaveByRule
from bug_nav.navigation.behaviors.follow_boundary import Rule
from bug_nav.navigation.behaviors.local_minimum import LocalMinimumDetector
from bug_nav.navigation.robot import Hit, Robot

RISE = 0.003
"""Rise of the distance to the goal after which a minimum is passed [m]."""


class CloserMinimum:
    """Leave condition: a local minimum of d below d(H), and the way is free."""

    def __init__(self, closer_than: float):
        """``closer_than``: upper bound of the minimum [m]."""
        self.closer_than = closer_than
        self._minimum = LocalMinimumDetector(RISE)

    def __call__(self, robot: Robot) -> bool:
        """Return whether such a minimum has just been passed."""
        return (self._minimum.passed(robot.goal_distance)
                and self._minimum.minimum < self.closer_than and robot.way_is_free()
                and robot.because('a local minimum of d is passed, '
                                  f'{robot.closer_than_hit("d(x)", self._minimum.minimum)}, and '
                                  'the way is free'))


class Class2(LeaveByRule):
    """Leave at a local minimum of the distance to the goal, closer than the hit point."""

    metadata = Metadata(
        title='Class2', source='Noborio 1990', sensing=CONTACT,
        memory='distance of the last hit point', complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='the leave condition is taken from secondary sources, which do not define '
                    f'it; the robot leaves just after the minimum; {SAFE_RULE}',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary until the goal is reached or 2b or 2c applies.'),
        Step('2b', 'If d has a local minimum, d(x) < d(H_i), and the way from x to the goal is '
                   'free, leave and continue with 1.'),
        Step('2c', CLOSED_LAP))

    def leave_rule(self, robot: Robot, hit: Hit) -> Rule:
        """Return step 2b."""
        return CloserMinimum(hit.distance - self.parameters.leave_margin)
