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
from typing import Callable, Dict, Tuple

from bug_nav.navigation.geometry import bearing, wrap
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Scan
import numpy as np

LEFT, RIGHT = 1, -1
MIN_CONTACT_ANGLE = math.radians(2.0)
"""Minimum angle between a contact and the goal for a known tangent of the wall [rad]."""
MIN_DIFFERENCE = 0.01
"""Minimum significant difference between mean free ranges [m]."""
EPSILON = 1e-9
"""Beams straight ahead or behind count on neither side."""


def clearer(robot: Robot, hit: Hit) -> int:
    """Turn to the side of the goal direction with the larger mean free range."""
    seen = robot.newest_scan
    left, right = mean_free_ranges(seen.scan, robot.goal_heading - seen.origin.theta)
    return RIGHT if right > left + MIN_DIFFERENCE else LEFT


def towards_goal(robot: Robot, hit: Hit) -> int:
    """Turn to the side where the tangent deviates less from the goal: away from the contact."""
    contact = wrap(bearing(hit.centre, hit.contact) - robot.goal_heading)
    return RIGHT if contact > MIN_CONTACT_ANGLE else LEFT


def alternating(robot: Robot, hit: Hit) -> int:
    """Turn left at the first hit, right at the second, and so on."""
    return LEFT if robot.ledger.hits % 2 else RIGHT


def at_random(robot: Robot, hit: Hit) -> int:
    """Choose at random, but always alike for the same seed and hit number."""
    seed = f'{robot.settings.turn_seed}/{robot.ledger.hits}'
    return random.Random(seed).choice((LEFT, RIGHT))


POLICIES: Dict[str, Callable[[Robot, Hit], int]] = {
    'left': lambda robot, hit: LEFT, 'right': lambda robot, hit: RIGHT, 'clearer': clearer,
    'goal': towards_goal, 'alternating': alternating, 'random': at_random}
"""By the setting `turn_direction`."""


def side_at(robot: Robot, hit: Hit) -> int:
    """Choose the side of the boundary at the newest hit: +1 right hand, -1 left hand."""
    return POLICIES[robot.settings.turn_direction](robot, hit)


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
