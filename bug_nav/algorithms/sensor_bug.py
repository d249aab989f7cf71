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
SensorBug, reconstructed from its description.

It is a recombination: TangentBug on a straight way to the goal, which looks about at few places.

J. Ng, "An analysis of mobile robot navigation algorithms in unknown environments", PhD thesis,
University of Western Australia, 2010.
"""

from __future__ import annotations

import math
from typing import Generator, List

from bug_nav.algorithms.base import Facts, GO, OWN, RANGE, Step
from bug_nav.algorithms.tangent_bug import TangentBug
from bug_nav.behaviors.follow_boundary import Rule
from bug_nav.behaviors.gaze import Gaze
from bug_nav.behaviors.leave_for_closer import CloserInSight
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.behaviors.tangent_graph import TangentSight
from bug_nav.core.geometry import bearing, distance, Point, wrap
from bug_nav.drive.intents import Intent
from bug_nav.robot import Hit, Robot

STRIDE = 0.45
"""The course of the contour is taken over so much of it [contour radii]."""
LOST = math.radians(20.0)
"""The wall is lost where the contour turns to its side by more than this from stride to stride."""


class AtVertices:
    """Asks a leave condition at the hit point and at convex vertices, and nowhere else."""

    def __init__(self, condition: CloserInSight):
        """Take the condition."""
        self.condition = condition
        self.looks = 0
        self._centres: List[Point] = []

    def __call__(self, robot: Robot) -> bool:
        """Tell whether this is a place to look from and the condition holds."""
        condition = self.condition
        condition.followed = min(condition.followed, robot.goal_distance)
        if not self._is_vertex(robot):
            return False
        self.looks += 1
        return condition(robot)

    def _is_vertex(self, robot: Robot) -> bool:
        centre = self.condition.wall.centre
        if not self._centres:
            self._centres.append(centre)
            return True
        if distance(self._centres[-1], centre) < STRIDE * robot.contour_radius:
            return False
        self._centres = [*self._centres[-2:], centre]
        if len(self._centres) < 3:
            return False
        a, b, c = self._centres
        return -self.condition.wall.side * wrap(bearing(b, c) - bearing(a, b)) > LOST


class SensorBug(TangentBug):
    """Go straight to the goal, and look about where an obstacle was hit and at its vertices."""

    facts = Facts(
        title='SensorBug-R', source='Ng 2010', sensing=RANGE,
        memory='the least distance to the goal of the followed boundary', complete=True,
        bound='none published',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours="the thesis' own definition was not at hand: a recombination, TangentBug as it is "
             'here with a straight way to the goal, and its leave condition asked at the hit '
             'point and at convex vertices alone',
        turn=OWN, reconstructed=True)
    steps = (
        GO,
        Step('2', 'Follow the boundary by the shorter side, and look about at the hit point and '
                  'at convex vertices alone, until the goal is reached or 2b or 2c holds.'),
        *TangentBug.steps[2:])

    def gaze(self) -> Gaze:
        """Return where the sensor looks, at the begin of a goal."""
        self.rules: List[AtVertices] = []
        return super().gaze()

    @property
    def looks(self) -> int:
        """How often a scan was used on boundaries, which is what the algorithm saves."""
        return sum(rule.looks for rule in self.rules)

    def motion_to_goal(self, robot: Robot, sight: TangentSight, gaze: Gaze
                       ) -> Generator[Intent, None, Hit]:
        """Move straight to the goal."""
        return move_to_goal(robot)

    def leave_rule(self, closer: CloserInSight) -> Rule:
        """Return when to leave the boundary."""
        self.rules.append(AtVertices(closer))
        return self.rules[-1]
