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
SensorBug, reconstructed from descriptions.

A recombination of TangentBug with a straight way to the goal and few scans.

J. Ng, "An analysis of mobile robot navigation algorithms in unknown environments", PhD thesis,
University of Western Australia, 2010.
"""

from __future__ import annotations

import math
from typing import Generator, List

from bug_nav.navigation.algorithms.base import (
    Metadata,
    MOVE_TO_GOAL,
    RANGE,
    Step,
    TURN_BY_ALGORITHM,
)
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.behaviors.field_of_view import FieldOfView
from bug_nav.navigation.behaviors.follow_boundary import Rule
from bug_nav.navigation.behaviors.leave_for_closer import CloserVisible
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.tangent_graph import TangentSight
from bug_nav.navigation.geometry import bearing, distance, Point, wrap
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent

STRIDE = 0.45
"""Length over which the direction of the contour is measured [contour radii]."""
CONVEX_TURN = math.radians(20.0)
"""Minimum turn of the contour, from stride to stride, at a convex vertex [rad]."""


class AtVertices:
    """Evaluates a leave condition only at the hit point and at convex vertices."""

    def __init__(self, condition: CloserVisible):
        """Wrap a leave condition."""
        self.condition = condition
        self.views = 0
        self._centres: List[Point] = []

    def __call__(self, robot: Robot) -> bool:
        """Return whether the condition is due here and holds."""
        condition = self.condition
        condition.followed = min(condition.followed, robot.goal_distance)
        if not self._is_vertex(robot):
            return False
        self.views += 1
        return condition(robot)

    def _is_vertex(self, robot: Robot) -> bool:
        centre = self.condition.follower.centre
        if not self._centres:
            self._centres.append(centre)
            return True
        if distance(self._centres[-1], centre) < STRIDE * robot.contour_radius:
            return False
        self._centres = [*self._centres[-2:], centre]
        if len(self._centres) < 3:
            return False
        a, b, c = self._centres
        return -self.condition.follower.side * wrap(bearing(b, c) - bearing(a, b)) > CONVEX_TURN


class SensorBug(TangentBug):
    """Go straight to the goal, and use the scan only at hit points and convex vertices."""

    metadata = Metadata(
        title='SensorBug-R', source='Ng 2010', sensing=RANGE,
        memory='d_followed of the boundary', complete=True,
        bound='none published',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences="the thesis' definition was not available: a recombination of TangentBug as "
                    'implemented here with a straight way to the goal and a leave condition that '
                    'is evaluated only at the hit point and at convex vertices',
        turn=TURN_BY_ALGORITHM, reconstructed=True)
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary on the shorter side, and use the scan only at the hit '
                  'point and at convex vertices, until the goal is reached or 2b or 2c applies.'),
        *TangentBug.steps[2:])

    def field_of_view(self) -> FieldOfView:
        """Return the field of view, and reset the count of scans at the start of a goal."""
        self.rules: List[AtVertices] = []
        return super().field_of_view()

    @property
    def views(self) -> int:
        """Return the number of scans used on boundaries, which the algorithm reduces."""
        return sum(rule.views for rule in self.rules)

    def motion_to_goal(self, robot: Robot, sight: TangentSight, view: FieldOfView
                       ) -> Generator[Intent, None, Hit]:
        """Move straight to the goal."""
        return move_to_goal(robot)

    def leave_rule(self, closer: CloserVisible) -> Rule:
        """Return the leave condition, evaluated at vertices."""
        self.rules.append(AtVertices(closer))
        return self.rules[-1]
