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

"""Corners of a boundary that is being followed: where it goes straight, and where it bends."""

from __future__ import annotations

from collections import deque
import math
from typing import Deque

from bug_nav.behaviors.follow_boundary import Follower
from bug_nav.core.geometry import bearing, distance, Point, wrap

GRAIN = 0.09
"""The course of the contour is known by places that are so far apart [contour radii]."""
STRIDE = 5
"""It is the course of a stride of so many of them that is compared with the one before."""
LOST = math.radians(20.0)
"""The wall is lost where the contour bends to its side by more, from stride to stride [rad]."""


class Corner:
    """
    Tells, tick by tick, whether the contour goes round a corner.

    Round a corner it is an arc, which bends by 26 degrees in a stride, whatever its radius.
    """

    def __init__(self, wall: Follower, contour_radius: float):
        """Take what follows the wall, and the radius of the contour round a corner [m]."""
        self._wall = wall
        self._grain = GRAIN * contour_radius
        self._places: Deque[Point] = deque([wall.centre], 2 * STRIDE + 1)
        self.bend = 0.0
        """By how much the contour bends to the wall's side here [rad]."""

    def look(self) -> None:
        """Take note of how far the contour is known."""
        (x, y), place = self._places[-1], self._wall.centre
        away = distance((x, y), place)
        for k in range(1, int(away / self._grain) + 1):
            share = k * self._grain / away
            self._places.append((x + share * (place[0] - x), y + share * (place[1] - y)))
        if len(self._places) > 2 * STRIDE:
            a, b, c = self._places[0], self._places[STRIDE], self._places[-1]
            self.bend = -self._wall.side * wrap(bearing(b, c) - bearing(a, b))

    @property
    def is_rounded(self) -> bool:
        """Tell whether the wall is lost, for it goes round a corner here."""
        return self.bend > LOST

    @property
    def is_straight(self) -> bool:
        """Tell whether the wall bends to no side."""
        return abs(self.bend) < LOST
