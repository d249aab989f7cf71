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
"""The scan filters of one lidar, and their arrays."""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.geometry import bearing, distance, Pose, wrap
from bug_nav.navigation.perception import scan_filters
from bug_nav.navigation.perception.beam_lookup import is_full_turn
from bug_nav.navigation.perception.sensor_queue import Placed, STUCK
from bug_nav.navigation.types import Scan
import numpy as np

MIN_MOTION, MIN_ROTATION = 0.05, 0.1
"""Minimum motion after which a working lidar cannot repeat a scan [m, rad]."""
NO_ENDS = np.empty((0, 2)), np.empty(0)


class LidarFilter:
    """Runs the scan filters (`perception.scan_filters`) of one lidar and owns their arrays."""

    def __init__(self, passage_timeout: float):
        """Start without scans; with a ``passage_timeout`` [s] of 0 no scans are compared."""
        self._passage_timeout = passage_timeout
        self._states = np.zeros(1, dtype=scan_filters.STATE)
        self._state = self._states[0]
        self._layout: Tuple[object, ...] = ()
        self._lidar = scan_filters.Lidar(np.empty(0), np.empty(0), 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        self._buffers = scan_filters.make_buffers(0, 0)
        self._beams = 0
        self._repeat_start: Pose = Pose(math.nan, 0.0, 0.0)
        """Odometry pose at which the lidar began to repeat its scan."""

    def read(self, placed: Placed, corrected: Pose, noise: float) -> Tuple[Scan, str]:
        """
        Return a filtered scan and an empty string, or else why the scan is unusable.

        The result is as if measured completely at the last beam. ``corrected`` is the pose at that
        time with the drift correction of the scan before; ``noise`` [m] is the range noise.
        """
        scan = placed.scan
        raw = np.ascontiguousarray(scan.ranges, dtype=float)
        self._prepare(scan, raw.size)
        ranges = np.empty(raw.size)
        verdict = self._pass(raw, ranges, placed, corrected, noise, False)
        if verdict == scan_filters.REPEATED:
            if self._is_stuck(ranges, scan, placed.pose):
                return scan, STUCK
            verdict = self._pass(raw, ranges, placed, corrected, noise, True)
        elif verdict == scan_filters.OK:
            self._repeat_start = placed.pose
        if verdict != scan_filters.OK:
            return scan, self._problem(verdict)
        return Scan(placed.stamp, ranges, scan.angle_min, scan.angle_increment, scan.range_min,
                    scan.range_max, scan.mount), ''

    @property
    def beam_ends(self) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return the ends (n, 2) [m] of the newest scan's beams, and which of them were free before.

        The latter is the distance (n,) [m] there between the beams of an earlier scan that went
        through, or inf.
        """
        if not self._state['changed']:
            return NO_ENDS
        buffers, count = self._buffers, self._lidar.cos.size
        return np.stack((buffers.xs[:count], buffers.ys[:count]), axis=1), buffers.spacing[:count]

    def _pass(self, raw: np.ndarray, ranges: np.ndarray, placed: Placed, corrected: Pose,
              noise: float, may_repeat: bool) -> int:
        verdict: int = scan_filters.filter_scan(
            raw, ranges, self._lidar, self._buffers, self._states, placed.pose, corrected,
            placed.moved, placed.stamp, noise, self._passage_timeout, may_repeat)
        return verdict

    def _prepare(self, scan: Scan, count: int) -> None:
        """Prepare tables for the beams of a scan, and enlarge the buffers."""
        layout = (count, scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max,
                  scan.mount)
        if layout != self._layout:
            self._layout = layout
            first = scan.mount.theta + scan.angle_min
            beams = first + scan.angle_increment * np.arange(count)
            self._lidar = scan_filters.Lidar(np.cos(beams), np.sin(beams), first,
                                             scan.angle_increment, scan.range_min, scan.range_max,
                                             scan.mount.x, scan.mount.y)
        # The scan before adds its points, and may have had more beams.
        hole_points = int(self._state['hole_points']) + max(count, int(self._state['previous']))
        if count > self._beams or hole_points > len(self._buffers.hole_points):
            self._beams = max(count, self._beams)
            larger = scan_filters.make_buffers(self._beams, 2 * hole_points)
            for old, new in zip(self._buffers, larger):
                new[tuple(map(slice, old.shape))] = old
            self._buffers = larger

    def _is_stuck(self, ranges: np.ndarray, scan: Scan, pose: Pose) -> bool:
        """
        Return whether a lidar that repeats its scan is stuck.

        Two scans of a real lidar always differ, but those of a simulated one without noise are
        equal while nothing changes: while the robot stands, or drives along an endless wall.
        Therefore the robot must have turned, or driven towards an observed obstacle.
        """
        measured = ranges <= scan.range_max
        if not measured.any():
            self._repeat_start = pose
        start = self._repeat_start
        if abs(wrap(pose.theta - start.theta)) > MIN_ROTATION:
            return True
        if not distance(start.position, pose.position) > MIN_MOTION:
            return False
        motion_bearing = bearing(start.position, pose.position) - pose.theta - self._lidar.first
        ahead = math.copysign(1.0, scan.angle_increment) * motion_bearing % (2.0 * math.pi)
        beam = round(ahead / abs(scan.angle_increment))
        if is_full_turn(ranges.size, abs(scan.angle_increment)):
            beam %= ranges.size
        return beam < ranges.size and bool(measured[beam])

    def _problem(self, verdict: int) -> str:
        state = self._state
        if verdict == scan_filters.COVERED:
            return (f'{100.0 * state["near"]:.0f} % of the beams are nearer than range_min: '
                    'something covers the lidar')
        if verdict == scan_filters.EMPTY:
            return 'the scan is empty, although the previous one had obstacles nearby'
        if verdict == scan_filters.BLIND:
            return f'the lidar is blind over {math.degrees(state["blind"]):.0f} degrees ahead'
        return f'{100.0 * (1.0 - state["share"]):.0f} % of the beams of the scan are errors'
