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

"""Detection of corners and straight stretches of a followed boundary."""

from __future__ import annotations

from collections import deque
import math
from typing import Deque

from bug_nav.navigation.behaviors.follow_boundary import Follower
from bug_nav.navigation.geometry import bearing, distance, Point, wrap

SAMPLE_SPACING = 0.09
"""Distance between the sampled points of the contour [contour radii]."""
STRIDE = 5
"""Number of samples in each of the two strides that are compared."""
CONVEX_TURN = math.radians(20.0)
"""Minimum turn of the contour towards the wall, from stride to stride, at a corner [rad]."""


class Corner:
    """
    Detects, tick by tick, whether the contour rounds a convex corner.

    There it is an arc, which turns by 26 degrees per stride for any radius.
    """

    def __init__(self, follower: Follower, contour_radius: float):
        """Observe a follower; ``contour_radius`` is that of the arc at a corner [m]."""
        self._wall = follower
        self._spacing = SAMPLE_SPACING * contour_radius
        self._places: Deque[Point] = deque([follower.centre], 2 * STRIDE + 1)
        self.bend = 0.0
        """Turn of the contour towards the wall here [rad]."""

    def update(self) -> None:
        """Sample the contour up to the follower's centre."""
        (x, y), place = self._places[-1], self._wall.centre
        away = distance((x, y), place)
        samples = int(away / self._spacing)
        for k in range(1, samples + 1):
            share = k * self._spacing / away
            self._places.append((x + share * (place[0] - x), y + share * (place[1] - y)))
        if samples and len(self._places) > 2 * STRIDE:
            a, b, c = self._places[0], self._places[STRIDE], self._places[-1]
            self.bend = -self._wall.side * wrap(bearing(b, c) - bearing(a, b))

    @property
    def is_rounded(self) -> bool:
        """Whether the wall ends at a convex corner here."""
        return self.bend > CONVEX_TURN

    @property
    def is_straight(self) -> bool:
        """Whether the wall is straight here."""
        return abs(self.bend) < CONVEX_TURN
