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
Turn directions: on which side a boundary that was hit is taken.

A policy answers +1 where the robot turns left and keeps the boundary on its right hand, which is
the local direction "left" of the literature, and -1 for the mirror image. The same hit has the
same answer, however often it is asked for.
"""

from __future__ import annotations

import math
import random
from typing import Callable, Dict, NamedTuple, Tuple

from bug_nav.navigation.types import Scan
import numpy as np

LEFT, RIGHT = 1, -1
STRAIGHT_AHEAD = math.radians(2.0)
"""A contact so near to the direction of the goal tells nothing of the wall's tangent."""
AS_CLEAR = 0.01
"""Mean free ranges that differ by no more than this [m] are the same."""
EPSILON = 1e-9
"""A beam straight ahead or behind is on neither side."""


class Encounter(NamedTuple):
    """What there is to know at a hit."""

    number: int
    """The hits of this goal, this one included."""
    seed: int
    contact: float
    """Direction of the contact from that of the goal, positive to the left [rad]."""
    scan: Scan
    """The newest one."""
    goal: float
    """Direction of the goal in the scan's own frame [rad]."""


def clearer(encounter: Encounter) -> int:
    """Turn to the half, left or right of the goal's direction, with more free range."""
    left, right = mean_free_ranges(encounter.scan, encounter.goal)
    return RIGHT if right > left + AS_CLEAR else LEFT


def towards_goal(encounter: Encounter) -> int:
    """Turn to where the tangent deviates less from the goal: away from the contact."""
    return RIGHT if encounter.contact > STRAIGHT_AHEAD else LEFT


def alternating(encounter: Encounter) -> int:
    """Turn left at the first hit, right at the second, and so on."""
    return LEFT if encounter.number % 2 else RIGHT


def at_random(encounter: Encounter) -> int:
    """Toss a coin, the same one for the same seed and number of the hit."""
    return random.Random(f'{encounter.seed}/{encounter.number}').choice((LEFT, RIGHT))


POLICIES: Dict[str, Callable[[Encounter], int]] = {
    'left': lambda encounter: LEFT, 'right': lambda encounter: RIGHT, 'clearer': clearer,
    'goal': towards_goal, 'alternating': alternating, 'random': at_random}


def mean_free_ranges(scan: Scan, heading: float) -> Tuple[float, float]:
    """
    Return the mean free range [m] on the left and on the right of a heading [rad] of the scan.

    What is free counts as range_max, what is too near to measure as nothing; 0.0 and NaN, which
    say nothing, do not count. A half without a beam is 0.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    angles = scan.angle_min + scan.angle_increment * np.arange(ranges.size)
    to_left = np.sin(angles - heading)
    known = ~np.isnan(ranges) & (ranges != 0.0)
    free = np.clip(ranges, 0.0, scan.range_max)

    def mean(half: np.ndarray) -> float:
        return float(np.mean(free[half])) if half.any() else 0.0
    return mean(known & (to_left > EPSILON)), mean(known & (to_left < -EPSILON))
