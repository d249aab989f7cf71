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
The sense of touch, made of a range sensor that is hardly let see.

As in I. Spektor, A. Zagirov, R. Safin and E. Magid, "Implementation of Bug1 and Bug2 Basic
Path-Planning Algorithms for a TurtleBot 3 Robot in ROS Noetic" (ICAROB 2024), what is felt lies
within 1.5 R of the centre of rotation, R the robot's radius, in sectors of 36 degrees that do not
know of each other. Theirs are the five of the front half. Here they go all around, ten of them: a
wall that is followed is beside the robot, and behind it at every outer corner. In each sector the
nearest point is felt and nothing else.
"""

from __future__ import annotations

import math

from bug_nav.core.interface import Scan
import numpy as np

SECTORS = 10
"""So many around the robot; one of them looks straight ahead."""

NEIGHBOURS = 5
"""A point is felt where the median of so many beams puts it."""


def felt(scan: Scan, radius: float) -> Scan:
    """
    Return the scan of what is felt: the nearest point within a radius [m] in each sector.

    What else there is in such a sector is not known (NaN), and the others are free up to the
    radius, which is as far as this scan goes.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    known = np.where(ranges == -math.inf, scan.range_min, ranges)
    measured = (known > 0.0) & (known <= scan.range_max)
    smooth = _smoothed(np.where(measured, known, math.inf))
    angles = scan.mount.theta + scan.angle_min + scan.angle_increment * np.arange(ranges.size)
    reach = radius + math.hypot(*scan.mount.position)
    ends = np.minimum(smooth, reach)
    x = scan.mount.x + ends * np.cos(angles)
    y = scan.mount.y + ends * np.sin(angles)
    away = np.hypot(x, y)
    sectors = np.round(np.arctan2(y, x) * SECTORS / (2.0 * math.pi)).astype(int) % SECTORS
    ranges = np.where(measured, math.inf, ranges)
    for sector in np.unique(sectors[measured & (smooth < reach) & (away <= radius)]):
        there = np.flatnonzero((sectors == sector) & measured)
        nearest = there[np.argmin(away[there])]
        ranges[there] = math.nan
        ranges[nearest] = smooth[nearest]
    return scan._replace(ranges=ranges, range_max=min(scan.range_max, reach))


def _smoothed(ranges: np.ndarray) -> np.ndarray:
    """Return the median of each range and its neighbours: the least of many is an outlier."""
    half = NEIGHBOURS // 2
    around = np.concatenate((ranges[-half:], ranges, ranges[:half]))
    return np.median([around[i:i + ranges.size] for i in range(NEIGHBOURS)], axis=0)
