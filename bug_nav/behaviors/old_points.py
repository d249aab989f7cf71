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

"""Old hit and leave points, and what Alg1, Alg2, Rev1 and Rev2 do where they meet one."""

from __future__ import annotations

from typing import Generator, List, Tuple

from bug_nav.behaviors.follow_boundary import follow_boundary, Follower, Rule
from bug_nav.behaviors.trace import Trace
from bug_nav.core.geometry import distance, Point
from bug_nav.drive.intents import Intent
from bug_nav.robot import Robot

NEAR = 0.08
"""An old point is met within this distance [m]; to overlook one costs length, to see one where
there is none misleads, so it is small."""
AWAY = 0.20
"""An old point can be met again once the following has been this far away from it [m]."""


class OldPoints:
    """The hit and leave points of the way so far, in the global frame."""

    def __init__(self) -> None:
        """Begin with none."""
        self.places: List[Point] = []

    def add(self, *places: Point) -> None:
        """Remember points."""
        self.places += places


class OldPointMet:
    """Holds where a boundary that is followed comes by an old point."""

    def __init__(self, old: OldPoints, wall: Follower):
        """Take the points, and the follower that may meet one."""
        self.wall = wall
        self.met = False
        self._places = [(place, [False]) for place in old.places]

    def __call__(self, robot: Robot) -> bool:
        """Tell whether the contour goes by an old point here."""
        here = robot.correction.apply(self.wall.centre)
        for place, armed in self._places:
            away = distance(here, place)
            armed[0] |= away > AWAY
            if armed[0] and away < NEAR:
                self.met = robot.because(f'an old hit or leave point is met, {away:.2f} m away')
        return self.met


def search_both_ways(robot: Robot, wall: Follower, leave: Rule, old: OldPoints
                     ) -> Generator[Intent, None, Tuple[Trace, Follower]]:
    """
    Follow a boundary until the rule holds; turn back, once, where an old point is met.

    To turn back is step 2c of all four algorithms. Return the last trace, which is closed where
    the rule held nowhere, and its follower.
    """
    met = OldPointMet(old, wall)
    lap = yield from follow_boundary(robot, wall, leave, met)
    if met.met:
        robot.at('2c')
        wall = wall.turned_back()
        with robot.state('turned_back'):
            lap = yield from follow_boundary(robot, wall, leave)
    return lap, wall
