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

"""Loop detection for algorithms that cannot prove a goal unreachable."""

from __future__ import annotations

import math
from typing import List, NamedTuple

from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.types import LoopDetected

SAME_PLACE_DISTANCE = 0.15
"""Maximum distance between two observations of the same place [m]."""
LOOP_VISITS = 3
"""Number of visits of a pair of places, without progress, that count as a loop."""
MIN_PROGRESS = 0.02
"""Minimum decrease of the least distance to the goal that counts as progress [m]."""


class _Pair(NamedTuple):
    one: Point
    other: Point
    closest: float


class LoopMonitor:
    """Stores pairs of places, such as hit and leave points; raises `LoopDetected`."""

    def __init__(self, what: str) -> None:
        """Set the beginning of the message: ``what`` is repeated in a loop."""
        self.what = what
        self._pairs: List[_Pair] = []
        self._closest = math.inf

    def note(self, one: Point, other: Point, goal_distance: float) -> None:
        """Add a pair (global frame) and the distance to the goal [m]."""
        self._closest = min(self._closest, goal_distance)
        self._pairs.append(_Pair(one, other, self._closest))
        again = sum(distance(pair.one, one) < SAME_PLACE_DISTANCE
                    and distance(pair.other, other) < SAME_PLACE_DISTANCE
                    and pair.closest < self._closest + MIN_PROGRESS for pair in self._pairs)
        if again >= LOOP_VISITS:
            raise LoopDetected(f'{self.what} {LOOP_VISITS} times, without coming closer to the '
                               f'goal than {self._closest:.2f} m')
