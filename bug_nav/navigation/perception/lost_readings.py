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
Whether a lidar reports the readings that it has lost, on a dark or shiny wall, as no return.

The message does not say it; a wall does. Where the scan before and the scan after show the same
smooth surface, a few beams that have no return between neighbours on that surface are lost. A
lidar that loses none sees such holes too, between the legs of a person, but rarely, because they
do not close again in the next scan. A fence whose gaps are narrower than the distance of the beams
cannot be told from a wall that loses readings: there, such a lidar is suspected too.
"""

from __future__ import annotations

from collections import deque
import math
from typing import Deque, NamedTuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.perception.beams import beams_of
from bug_nav.navigation.perception.sensor_queue import Placed
import numpy as np

TOLERANCE, TOLERANCE_SHARE = 0.1, 0.05
"""Maximum difference between neighbours on a surface [m, share of the range]."""
NEIGHBOURS = 4
"""Number of neighbours on each side that a reading on a surface has."""
MAX_WIDTH = 5
"""Maximum number of neighbouring beams that are lost."""
MAX_SHARE = 0.9
"""Maximum range of a surface [maximum ranges]: a wall near the end comes and goes."""
COMPARED, LOSES = 1000, 0.0125
"""Number of compared beams, and the share of lost ones among them of a lidar that loses some."""


class _Kept(NamedTuple):
    """The answer of `find_surfaces` for a scan, and the pose of the robot by odometry."""

    ranges: np.ndarray
    surfaces: np.ndarray
    pose: Pose


class LostReadings:
    """Detects that a lidar reports lost readings as no return."""

    def __init__(self, readings: np.ndarray):
        """Start without scans; ``readings`` is the `classification.DIALECT` (1,) to complete."""
        self._readings = readings
        self._kept: Deque[_Kept] = deque(maxlen=3)
        self._compared = self._lost = 0
        self._is_done = False

    def stop(self) -> None:
        """Take no return as free: as unknown, it would hide that doors have opened."""
        self._is_done = True
        if self._readings['lost'][0]:
            self._readings['lost'], self._readings['has_free'] = 0.0, True

    def observe(self, placed: Placed, ranges: np.ndarray) -> bool:
        """
        Compare the scan before with its neighbours; ``ranges`` (n,) [m] are the reported ones.

        Return whether it has just been found out that the lidar loses readings.
        """
        state, scan = self._readings[0], placed.scan
        if self._is_done or state['told'] or not state['has_free']:
            return False
        if self._kept and self._kept[-1].ranges.size != ranges.size:
            self._kept.clear()
        geometry = beams_of(scan, scan.mount)[0]
        ranges, surfaces = find_surfaces(ranges, geometry, state['repeated'])
        self._kept.append(_Kept(ranges, surfaces, placed.pose))
        if len(self._kept) < 3:
            return False
        before, middle, after = self._kept
        compared, lost = count_lost(
            before.surfaces, middle.ranges, after.surfaces, geometry,
            wrap(middle.pose.theta - before.pose.theta),
            wrap(middle.pose.theta - after.pose.theta),
            math.hypot(after.pose.x - before.pose.x, after.pose.y - before.pose.y))
        self._compared += compared
        self._lost += lost
        if self._compared < COMPARED:
            return False
        share = self._lost / self._compared
        self._compared = self._lost = 0
        if share < LOSES:
            return False
        state['lost'], state['has_free'] = share, False
        return True


@kernel
def find_surfaces(reported, geometry, no_return):
    """
    Return the ranges of a scan, with +inf for no return, and those amid a smooth surface, (n,).

    All others of the latter are NaN. ``reported`` (n,) [m] are the ranges, and ``no_return`` [m]
    is one without a return, or NaN.
    """
    beams, count = geometry[0], reported.size
    ranges, surfaces = reported.copy(), np.full(count, math.nan)
    for i in range(count):
        if reported[i] > beams.range_max or reported[i] == no_return:
            ranges[i] = math.inf
    around = np.empty(count + 2 * NEIGHBOURS)
    around[NEIGHBOURS:NEIGHBOURS + count] = ranges
    for k in range(NEIGHBOURS):
        around[k] = _at(ranges, k - NEIGHBOURS, beams)
        around[NEIGHBOURS + count + k] = _at(ranges, count + k, beams)
    for i in range(count):
        r, middle = ranges[i], i + NEIGHBOURS
        if not beams.range_min <= r <= MAX_SHARE * beams.range_max:
            continue
        limit, k = TOLERANCE + TOLERANCE_SHARE * r, 1
        while (k <= NEIGHBOURS and abs(around[middle - k] - r) <= k * limit
               and abs(around[middle + k] - r) <= k * limit):
            k += 1
        if k > NEIGHBOURS:
            surfaces[i] = r
    return ranges, surfaces


@kernel
def count_lost(before, ranges, after, geometry, turned_before, turned_after, moved):
    """
    Return the number of beams on a surface that three scans show, and that of lost ones there.

    ``ranges`` (n,) [m] are those of the middle scan, and ``before`` and ``after`` (n,) [m] the
    surfaces of the others (`find_surfaces`). The robot has turned by ``turned_before`` [rad] from
    the scan before to it, and by minus ``turned_after`` from it to the scan after, and has moved
    by ``moved`` [m] from the first to the last.
    """
    beams, count = geometry[0], ranges.size
    to_before = int(np.rint(turned_before / beams.step)) if beams.step != 0.0 else 0
    to_after = int(np.rint(turned_after / beams.step)) if beams.step != 0.0 else 0
    compared = lost = 0
    for i in range(count):
        r, r_after = _at(before, i + to_before, beams), _at(after, i + to_after, beams)
        limit = TOLERANCE + TOLERANCE_SHARE * r + moved
        if not abs(r_after - r) <= limit:
            continue
        if abs(ranges[i] - r) <= limit:
            compared += 1
        elif ranges[i] == math.inf and _is_in_surface(ranges, i, beams, r, limit):
            compared, lost = compared + 1, lost + 1
    return compared, lost


@kernel
def _is_in_surface(ranges, i, beams, r, limit):
    """Return whether the next measuring beams on both sides are on a surface at a range [m]."""
    width = -1
    for side in (-1, 1):
        k = 0
        while k <= MAX_WIDTH and _at(ranges, i + side * k, beams) == math.inf:
            k += 1
        width += k
        if not abs(_at(ranges, i + side * k, beams) - r) <= limit:
            return False
    return width <= MAX_WIDTH


@kernel
def _at(ranges, i, beams):
    """Return the range of a beam [m], counted around if they cover a full turn; NaN without it."""
    if 0 <= i < ranges.size:
        return ranges[i]
    return ranges[i % ranges.size] if beams.is_whole else math.nan
