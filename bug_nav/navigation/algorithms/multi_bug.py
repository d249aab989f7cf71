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
MultiBug, reconstructed: Class1 that never leaves from a boundary followed before.

A recombination of Class1 with a memory of followed boundaries.

J. Ng, "An analysis of mobile robot navigation algorithms in unknown environments", PhD thesis,
University of Western Australia, 2010.
"""

from __future__ import annotations

from typing import List

from bug_nav.navigation.algorithms.base import (
    CLOSED_LAP,
    CONTACT,
    Metadata,
    MOVE_TO_GOAL,
    SAFE_RULE,
    Step,
)
from bug_nav.navigation.algorithms.class1 import Closer, Parameters
from bug_nav.navigation.algorithms.leave_by_rule import LeaveByRule
from bug_nav.navigation.behaviors.follow_boundary import Rule
from bug_nav.navigation.behaviors.trace import Trace
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.robot import Hit, Robot

NEAR = 0.10
"""Maximum distance of a point on a boundary that was followed before [m]."""


class CloserOnNewGround(Closer):
    """Leave condition of Class1, on boundaries that were not followed before."""

    def __init__(self, closer_than: float, walked: List[Point]):
        """Set the points of the boundaries followed before (global frame)."""
        super().__init__(closer_than)
        self.walked = walked

    def __call__(self, robot: Robot) -> bool:
        """Return whether the condition holds on new ground."""
        return (robot.goal_distance < self.closer_than
                and not any(distance(robot.position, place) < NEAR for place in self.walked)
                and super().__call__(robot))


class MultiBug(LeaveByRule):
    """Leave closer to the goal, and never from a boundary that was followed before."""

    metadata = Metadata(
        title='MultiBug-R', source='Ng 2010', sensing=CONTACT,
        memory='all followed boundaries', bound='none known',
        complete=True, ordered=True,
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences="the thesis' definition was not available: a recombination of the leave "
                    'condition of Class1 with boundaries that were not followed before; '
                    f'{SAFE_RULE}, even on such a boundary',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary until the goal is reached or 2b or 2c applies.'),
        Step('2b', 'If the boundary was not followed before, d(x) < d(H_i), and the way from x to '
                   'the goal is free, leave and continue with 1.'),
        Step('2c', CLOSED_LAP))

    def begin(self) -> None:
        """Forget the boundaries."""
        self.walked: List[Point] = []

    def leave_rule(self, robot: Robot, hit: Hit) -> Rule:
        """Return step 2b."""
        return CloserOnNewGround(hit.distance - self.parameters.leave_margin, self.walked)

    def end_following(self, trace: Trace) -> None:
        """Store the followed boundary."""
        self.walked += [mark.place for mark in trace.marks]
