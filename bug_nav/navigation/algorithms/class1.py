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
Class1, also known as Com1.

H. Noborio, "A path-planning algorithm for generation of an intuitively reasonable path in an
uncertain 2-D workspace", Japan-USA Symposium on Flexible Automation, 1990; Com1 in K. N. McGuire,
G. de Croon and K. Tuyls, "A comparative study of bug algorithms for robot navigation", Robotics
and Autonomous Systems 121, 2019, the source of the rule.
"""

from __future__ import annotations

import dataclasses

from bug_nav.navigation.algorithms.base import (
    CLOSED_LAP,
    CONTACT,
    Metadata,
    MOVE_TO_GOAL,
    SAFE_RULE,
    Step,
)
from bug_nav.navigation.algorithms.leave_by_rule import LeaveByRule
from bug_nav.navigation.behaviors.follow_boundary import Rule
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Hit, Robot


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of the algorithms that leave closer to the goal than the hit point."""

    leave_margin: float = parameter(
        0.03, 'minimum distance by which a leave point is closer to the goal than the hit point',
        unit='m', low=0.0, high=0.2)


class Closer:
    """Leave condition: d(x) < d(H), and the way from x to the goal is free."""

    def __init__(self, closer_than: float):
        """``closer_than``: upper bound of d(x) [m]."""
        self.closer_than = closer_than

    def __call__(self, robot: Robot) -> bool:
        """Return whether the condition holds."""
        return (robot.goal_distance < self.closer_than and robot.way_is_free() and robot.because(
            f'{robot.closer_than_hit("d(x)", robot.goal_distance)}, and the way is free'))


class Class1(LeaveByRule):
    """Leave where the way is free and the goal is closer than from the hit point."""

    metadata = Metadata(
        title='Class1 (Com1)', source='Noborio 1990', sensing=CONTACT,
        memory='distance of the last hit point', complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences=f'the leave condition is taken from secondary sources; {SAFE_RULE}')
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary until the goal is reached or 2b or 2c applies.'),
        Step('2b', 'If d(x) < d(H_i), and the way from x to the goal is free, leave and continue '
                   'with 1.'),
        Step('2c', CLOSED_LAP))

    def leave_rule(self, robot: Robot, hit: Hit) -> Rule:
        """Return step 2b."""
        return Closer(hit.distance - self.parameters.leave_margin)
