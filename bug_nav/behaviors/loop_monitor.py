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

"""The loop monitor: tells when an algorithm without a proof goes round for ever."""

from __future__ import annotations

import math
from typing import List, NamedTuple

from bug_nav.geometry import distance, Point
from bug_nav.interface import LoopDetected
from bug_nav.robot import Hit, Robot

SAME = 0.15
"""Two places nearer to each other than this [m] are the same."""
TIMES = 3
"""The same pair of hit and leave point, met so often without progress, is a loop."""
PROGRESS = 0.02
"""Having come closer to the goal by this [m], ever, is progress."""


class _Pair(NamedTuple):
    hit: Point
    leave: Point
    closest: float


class LoopMonitor:
    """Remembers where obstacles were hit and left; raises `LoopDetected`."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._pairs: List[_Pair] = []
        self._closest = math.inf

    def note(self, robot: Robot, hit: Hit) -> None:
        """Take note that the obstacle hit there is left here."""
        place = robot.correction.apply(hit.centre)
        self._closest = min(self._closest, hit.distance, robot.goal_distance)
        again = [pair for pair in self._pairs
                 if distance(pair.hit, place) < SAME
                 and distance(pair.leave, robot.position) < SAME
                 and pair.closest < self._closest + PROGRESS]
        self._pairs.append(_Pair(place, robot.position, self._closest))
        if len(again) + 1 >= TIMES:
            raise LoopDetected(f'the obstacle was hit and left at the same places {TIMES} times, '
                               f'without coming closer to the goal than {self._closest:.2f} m')
