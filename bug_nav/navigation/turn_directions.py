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
Turn directions: the side on which the robot follows a boundary.

A policy returns +1 if the robot turns left and keeps the boundary on its right hand, which is the
local direction "left" of the literature, and -1 for the opposite. The same hit always has the same
result.
"""

from __future__ import annotations

import math
import random
from typing import Callable, Dict, NamedTuple, Tuple

from bug_nav.navigation.types import Scan
import numpy as np

LEFT, RIGHT = 1, -1
MIN_CONTACT_ANGLE = math.radians(2.0)
"""Minimum angle between a contact and the goal for a known tangent of the wall [rad]."""
MIN_DIFFERENCE = 0.01
"""Minimum significant difference between mean free ranges [m]."""
EPSILON = 1e-9
"""Beams straight ahead or behind count on neither side."""


class Encounter(NamedTuple):
    """The data of a hit for a policy."""

    number: int
    """Number of hits of this goal, including this one."""
    seed: int
    contact: float
    """Direction of the contact relative to the goal, positive to the left [rad]."""
    scan: Scan
    """The newest scan."""
    goal: float
    """Direction of the goal in the frame of the scan [rad]."""


def clearer(encounter: Encounter) -> int:
    """Turn to the side of the goal direction with the larger mean free range."""
    left, right = mean_free_ranges(encounter.scan, encounter.goal)
    return RIGHT if right > left + MIN_DIFFERENCE else LEFT


def towards_goal(encounter: Encounter) -> int:
    """Turn to the side where the tangent deviates less from the goal: away from the contact."""
    return RIGHT if encounter.contact > MIN_CONTACT_ANGLE else LEFT


def alternating(encounter: Encounter) -> int:
    """Turn left at the first hit, right at the second, and so on."""
    return LEFT if encounter.number % 2 else RIGHT


def at_random(encounter: Encounter) -> int:
    """Choose at random, but always alike for the same seed and hit number."""
    return random.Random(f'{encounter.seed}/{encounter.number}').choice((LEFT, RIGHT))


POLICIES: Dict[str, Callable[[Encounter], int]] = {
    'left': lambda encounter: LEFT, 'right': lambda encounter: RIGHT, 'clearer': clearer,
    'goal': towards_goal, 'alternating': alternating, 'random': at_random}


def mean_free_ranges(scan: Scan, heading: float) -> Tuple[float, float]:
    """
    Return the mean free range [m] on the left and on the right of a heading [rad] of the scan.

    Free beams count as range_max, beams too near to measure as 0; 0.0 and NaN, which are unknown,
    do not count. A side without beams is 0.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    angles = scan.angle_min + scan.angle_increment * np.arange(ranges.size)
    to_left = np.sin(angles - heading)
    known = ~np.isnan(ranges) & (ranges != 0.0)
    free = np.clip(ranges, 0.0, scan.range_max)

    def mean(half: np.ndarray) -> float:
        return float(np.mean(free[half])) if half.any() else 0.0
    return mean(known & (to_left > EPSILON)), mean(known & (to_left < -EPSILON))
