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
Readings that stand alone: what one beam says, or two, and those beside them do not.

Real lidars measure obstacles that are not there: two or three in a hundred beams end anywhere
before a wall, and at an edge a beam that meets both says something in between. Each would be a
point of a wall, in front of a goal or in a door. A reading without company is believed once it
was there three times on end: a thin pole is, and what was never there is not.
"""

from __future__ import annotations

import math

from bug_nav.core.compiled import kernel
from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Scan
import numpy as np

LIKE, STEPS = 0.1, 4.0
"""Readings are of one thing that differ by no more [m, and steps from beam to beam] ..."""
COMPANY = 2
"""... and one with so many like it among the two on each side does not stand alone."""
AGAIN, NEARBY = 0.1, 0.3
"""It is seen again where it is no farther from where it was [m, and of its range] ..."""
TIMES = 3
"""... and believed when it was seen so often."""


@kernel
def alone(ranges, step):
    """Return which readings (n,) [m, REP-117] stand alone; ``step`` [rad] is between two beams."""
    beams = ranges.size
    alone = np.zeros(beams, dtype=np.bool_)
    for i in range(beams):
        r = ranges[i]
        if not r < math.inf:
            continue
        like = max(LIKE, STEPS * abs(step) * r)
        company = 0
        for off in (-2, -1, 1, 2):
            other = ranges[(i + off) % beams]
            company += other == r or abs(other - r) <= like
        alone[i] = company < COMPANY
    return alone


class LoneReadings:
    """Leaves out what stands alone until it is seen again."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._forget()

    def _forget(self) -> None:
        self._places = np.empty((0, 2))
        self._times = np.empty(0, dtype=np.int64)

    def left_out(self, scan: Scan, pose: Pose) -> Scan:
        """Return a scan, made at ``pose``, in which what is not believed yet is unknown (NaN)."""
        ranges = np.asarray(scan.ranges, dtype=float)
        beams = np.flatnonzero(alone(ranges, scan.angle_increment))
        if not beams.size:
            self._forget()
            return scan
        sensor = pose.compose(scan.mount)
        r = np.maximum(ranges[beams], scan.range_min)
        angles = sensor.theta + scan.angle_min + scan.angle_increment * beams
        places = np.stack((sensor.x + r * np.cos(angles), sensor.y + r * np.sin(angles)), axis=1)
        off = np.hypot(*(places[:, np.newaxis] - self._places).transpose(2, 0, 1))
        again = np.where(off <= np.minimum(AGAIN, NEARBY * r)[:, np.newaxis], self._times, 0)
        times = 1 + again.max(axis=1, initial=0)
        self._places, self._times = places, times
        ranges = ranges.copy()
        ranges[beams[times < TIMES]] = math.nan
        return scan._replace(ranges=ranges)
