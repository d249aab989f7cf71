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
Scans of a lidar that takes its time: what the beams would be, had all been measured at once.

A lidar that turns once in 0.2 s, on a robot that turns by 1 rad/s, sees the world bent by 0.2
rad. Here each beam's end point is placed where the robot was at that moment, and seen again from
where it was at the last.
"""

from __future__ import annotations

import collections
import math
from typing import Deque

from bug_nav.core.geometry import Pose, PoseHistory
from bug_nav.core.interface import Scan
import numpy as np

SHORTEST = 0.02
"""A sweep that takes less [s] is as good as a moment."""
LISTENED = 9
"""So many scans are listened to."""
EARLY = 0.02
"""Two clocks of one computer may be so far apart [s]."""


class EndStamps:
    """
    Hears whether a lidar stamps its sweeps when they end, and not, as it should, at the beginning.

    Many drivers take the time at which they publish. Such a scan arrives sooner after its stamp
    than its sweep takes, which none can that is stamped with its first beam.
    """

    def __init__(self) -> None:
        """Begin to listen."""
        self._late: Deque[float] = collections.deque(maxlen=LISTENED)

    def corrected(self, scan: Scan, arrived: float) -> Scan:
        """
        Return a scan with the stamp of its first beam.

        ``arrived`` [s]: when it came, on the clock of the stamps; one of another clock is far off,
        and tells nothing.
        """
        sweep = scan.time_increment * (len(scan.ranges) - 1)
        self._late.append(arrived - scan.stamp)
        late = sorted(self._late)[len(self._late) // 2]
        return scan._replace(stamp=scan.stamp - sweep) if stamped_at_end(late, sweep) else scan


def stamped_at_end(late: float, sweep: float) -> bool:
    """Tell whether a sweep [s] that arrives so late after its stamp [s] was stamped at its end."""
    return sweep >= SHORTEST and -EARLY < late < 0.5 * sweep


def undistorted(scan: Scan, history: PoseHistory, pose: Pose, stamp: float) -> Scan:
    """
    Return a scan as it would be, had all of it been measured at ``pose``, that of ``stamp`` [s].

    A direction into which no beam looks any more is unknown (NaN), and of two the nearer counts.
    """
    if scan.time_increment == 0.0:
        return scan
    first = history.at(scan.stamp)
    assert first is not None  # for the history knows the last beam's pose
    ranges = np.asarray(scan.ranges, dtype=float)
    moved = pose.inverse().compose(first)
    share = np.linspace(1.0, 0.0, ranges.size)
    # The sensor's pose at each beam, in the robot's frame at the last one.
    turn = share * moved.theta
    mount = scan.mount
    x = share * moved.x + np.cos(turn) * mount.x - np.sin(turn) * mount.y
    y = share * moved.y + np.sin(turn) * mount.x + np.cos(turn) * mount.y
    heading = turn + mount.theta + scan.angle_min + scan.angle_increment * np.arange(ranges.size)
    # Free and too near to measure have no end point, and a direction alone.
    length = np.where(np.isfinite(ranges) & (ranges > 0.0), ranges, 0.0)
    dx, dy = x + length * np.cos(heading) - mount.x, y + length * np.sin(heading) - mount.y
    measured = length > 0.0
    angles = np.where(measured, np.arctan2(dy, dx), heading) - mount.theta - scan.angle_min
    ahead = np.copysign(1.0, scan.angle_increment) * angles
    # Rounding must not take what is just before the first beam once around.
    from_first = np.mod(ahead + 1e-6, 2.0 * math.pi) - 1e-6
    beams = np.round(from_first / abs(scan.angle_increment)).astype(int)
    seen = np.where(measured, np.hypot(dx, dy), ranges)
    result = np.full(ranges.size, math.nan)
    known = np.flatnonzero((beams < ranges.size) & ~np.isnan(seen) & (ranges != 0.0))
    np.fmin.at(result, beams[known], seen[known])
    return scan._replace(stamp=stamp, ranges=result, time_increment=0.0)
