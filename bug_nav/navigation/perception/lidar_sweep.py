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
"""The pass over the scans of one lidar, and the arrays for it."""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.geometry import bearing, distance, Pose, wrap
from bug_nav.navigation.perception import sweep
from bug_nav.navigation.perception.sensor_queue import Placed, STUCK
from bug_nav.navigation.types import Scan
import numpy as np

MOVED, TURNED = 0.05, 0.1
"""A robot that has moved or turned by this cannot see the same as before [m, rad]."""
NOWHERE = np.empty((0, 2)), np.empty(0)


class LidarSweep:
    """Passes over the scans of one lidar (`perception.sweep`), and owns the arrays for it."""

    def __init__(self, waited: float):
        """Begin with nothing seen; with ``waited`` [s] of 0 nothing is compared."""
        self._waited = waited
        self._states = np.zeros(1, dtype=sweep.STATE)
        self._state = self._states[0]
        self._arranged: Tuple[object, ...] = ()
        self._lidar = sweep.Lidar(np.empty(0), np.empty(0), 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        self._kept = sweep.buffers(0, 0)
        self._beams = 0
        self._first: Pose = Pose(math.nan, 0.0, 0.0)
        """Where the lidar has begun to repeat itself, by odometry."""

    def read(self, placed: Placed, corrected: Pose, noise: float) -> Tuple[Scan, str]:
        """
        Return a scan that can be relied on, and '', or why there is none.

        All of it is as if measured at the last beam. ``corrected`` is the pose then, where drift
        is corrected as for the scan before; ``noise`` [m] is as far as it is known.
        """
        scan = placed.scan
        raw = np.ascontiguousarray(scan.ranges, dtype=float)
        self._arrange(scan, raw.size)
        ranges = np.empty(raw.size)
        verdict = self._pass(raw, ranges, placed, corrected, noise, False)
        if verdict == sweep.SAME:
            if self._is_stuck(ranges, scan, placed.pose):
                return scan, STUCK
            verdict = self._pass(raw, ranges, placed, corrected, noise, True)
        elif verdict == sweep.OK:
            self._first = placed.pose
        if verdict != sweep.OK:
            return scan, self._trouble(verdict)
        return Scan(placed.stamp, ranges, scan.angle_min, scan.angle_increment, scan.range_min,
                    scan.range_max, scan.mount), ''

    @property
    def seen(self) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return the ends of the newest scan's beams (n, 2) [m], and which are where it was free.

        (n,) [m]: how far apart the beams of an earlier scan were there that went on, or inf.
        """
        if not self._state['compared']:
            return NOWHERE
        kept, count = self._kept, self._lidar.cos.size
        return np.stack((kept.xs[:count], kept.ys[:count]), axis=1), kept.apart[:count]

    def _pass(self, raw: np.ndarray, ranges: np.ndarray, placed: Placed, corrected: Pose,
              noise: float, may_repeat: bool) -> int:
        verdict: int = sweep.sweep(
            raw, ranges, self._lidar, self._kept, self._states, placed.pose, corrected,
            placed.moved, placed.stamp, noise, self._waited, may_repeat)
        return verdict

    def _arrange(self, scan: Scan, count: int) -> None:
        """Have tables for the beams of a scan, and room in the buffers."""
        arranged = (count, scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max,
                    scan.mount)
        if arranged != self._arranged:
            self._arranged = arranged
            first = scan.mount.theta + scan.angle_min
            beams = first + scan.angle_increment * np.arange(count)
            self._lidar = sweep.Lidar(np.cos(beams), np.sin(beams), first, scan.angle_increment,
                                      scan.range_min, scan.range_max, scan.mount.x, scan.mount.y)
        images = int(self._state['images']) + count
        if count > self._beams or images > len(self._kept.images):
            self._beams = max(count, self._beams)
            larger = sweep.buffers(self._beams, 2 * images)
            for old, new in zip(self._kept, larger):
                new[tuple(map(slice, old.shape))] = old
            self._kept = larger

    def _is_stuck(self, ranges: np.ndarray, scan: Scan, pose: Pose) -> bool:
        """
        Tell whether a lidar that repeats itself is stuck.

        No two scans of a real lidar are the same, but those of a simulated one without noise are,
        where nothing changes: while the robot stands, or where it drives along an endless wall.
        So it has to have turned, or driven towards something that was seen.
        """
        measured = ranges <= scan.range_max
        if not measured.any():
            self._first = pose
        before = self._first
        if abs(wrap(pose.theta - before.theta)) > TURNED:
            return True
        if not distance(before.position, pose.position) > MOVED:
            return False
        course = bearing(before.position, pose.position) - pose.theta - self._lidar.first
        ahead = math.copysign(1.0, scan.angle_increment) * course % (2.0 * math.pi)
        beam = round(ahead / abs(scan.angle_increment))
        return bool(measured[min(beam, ranges.size - 1)])

    def _trouble(self, verdict: int) -> str:
        state = self._state
        if verdict == sweep.COVER:
            return (f'{100.0 * state["near"]:.0f} % of the beams are nearer than range_min: '
                    'something covers the lidar')
        if verdict == sweep.NOTHING:
            return 'the scan sees nothing of what was all around a moment ago'
        if verdict == sweep.BLIND:
            return f'the lidar is blind over {math.degrees(state["blind"]):.0f} degrees ahead'
        return f'{100.0 * (1.0 - state["share"]):.0f} % of the beams of the scan are errors'
