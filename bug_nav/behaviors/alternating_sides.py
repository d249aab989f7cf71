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

from bug_nav.core.geometry import distance, Point
from bug_nav.robot import Hit, Robot

SAME = 0.10
"""A hit nearer to an earlier one than this [m] is the same."""


class AlternatingSides:
    """Each hit takes the side that the last one did not; the same hit, the other side."""

    def __init__(self) -> None:
        """Begin without a hit."""
        self._taken: List[Tuple[Point, int]] = []

    def side(self, robot: Robot, hit: Hit) -> int:
        """Return the side for a hit, +1 or -1; that of the first one is the robot's choice."""
        place = robot.correction.apply(hit.centre)
        side = -self._last(place) if self._taken else robot.side_at(hit)
        self._taken.append((place, side))
        return side

    def _last(self, place: Point) -> int:
        """Return the side of the newest hit at the same place, else of the newest of all."""
        here = [side for other, side in self._taken if distance(place, other) < SAME]
        return here[-1] if here else self._taken[-1][1]
