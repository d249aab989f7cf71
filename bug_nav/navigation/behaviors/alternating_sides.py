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

"""The alternating local direction of Rev1 and Rev2."""

from __future__ import annotations

from typing import List, Tuple

from bug_nav.navigation.behaviors.turn_directions import side_at
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.robot import Hit, Robot

SAME_POINT_DISTANCE = 0.10
"""Maximum distance between two hit points that count as the same [m]."""


class AlternatingSides:
    """Alternates the side from hit to hit, and at repeated hits of the same point."""

    def __init__(self) -> None:
        """Start without a hit."""
        self._taken: List[Tuple[Point, int]] = []

    def side(self, robot: Robot, hit: Hit) -> int:
        """Return the side for a hit, +1 or -1; the turn direction decides the first one."""
        place = robot.correction.apply(hit.centre)
        side = -self._last(place) if self._taken else side_at(robot, hit)
        self._taken.append((place, side))
        return side

    def _last(self, place: Point) -> int:
        """Return the side of the last hit at the same place, or else of the last hit."""
        here = [side for other, side in self._taken
                if distance(place, other) < SAME_POINT_DISTANCE]
        return here[-1] if here else self._taken[-1][1]
