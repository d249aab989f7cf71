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

"""Earlier hit and leave points, where Alg1, Alg2, Rev1 and Rev2 turn back."""

from __future__ import annotations

from typing import Generator, List, Tuple

from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, Follower, Rule
from bug_nav.navigation.behaviors.trace import Trace
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Intent

REVISIT_DISTANCE = 0.08
"""
Distance at which an earlier point is met [m]. It is small, because a missed point only makes the
path longer, but a false one leads the wrong way.
"""
REARM_DISTANCE = 0.20
"""Minimum distance from an earlier point before it can be met again [m]."""


class PointRevisited:
    """Holds where the followed contour meets an earlier hit or leave point."""

    def __init__(self, old: List[Point], follower: Follower):
        """Set the points (global frame) and the follower."""
        self.follower = follower
        self.met = False
        self._places = [(place, [False]) for place in old]

    def __call__(self, robot: Robot) -> bool:
        """Return whether the contour meets an earlier point here."""
        here = robot.correction.apply(self.follower.centre)
        for place, armed in self._places:
            away = distance(here, place)
            armed[0] |= away > REARM_DISTANCE
            if armed[0] and away < REVISIT_DISTANCE:
                self.met = robot.because(f'an earlier hit or leave point is met, {away:.2f} m '
                                         'away')
        return self.met


def search_both_ways(robot: Robot, follower: Follower, leave: Rule, old: List[Point],
                     turn_step: str) -> Generator[Intent, None, Tuple[Trace, Follower]]:
    """
    Follow a boundary until a rule holds; turn back once, at an earlier hit or leave point.

    ``turn_step`` is the step of the algorithm in which it turns back. Return the last trace, which
    is closed if the rule held nowhere, and its follower.
    """
    met = PointRevisited(old, follower)
    trace = yield from follow_boundary(robot, follower, leave, met)
    if met.met:
        robot.enter_step(turn_step)
        follower = follower.turned_back()
        with robot.state('turned_back'):
            trace = yield from follow_boundary(robot, follower, leave)
    return trace, follower
