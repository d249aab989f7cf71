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

"""Scans, poses and commands of a robot, kept to measure its mount and wheels from its motion."""

from __future__ import annotations

import collections
import math
from typing import Any, Deque, List, Tuple

from bug_nav.messages.sensor_messages import (
    beam_interval,
    odometry_pose,
    raw_ranges,
    seconds,
)
from bug_nav.navigation.perception.sensor_queue import COUNT_WINDOW, MIN_COUNT
from bug_nav.recording.checks.calibration import Track
from bug_nav.recording.checks.scan_motion import MAX_GAP
import numpy as np

MAX_READINGS = 4_000_000
"""Maximum number of readings that are kept: about 11 000 scans of 360 beams."""
MAX_BEAMS = 400
"""Maximum number of beams of a scan that are kept."""
MIN_STEP = 1e-6
"""Minimum angle between two beams [rad]."""
MAX_SAMPLES = 200_000
"""Maximum number of poses and of commands that are kept."""


class Samples:
    """Scans of one lidar, poses and commands, as far as there is room."""

    def __init__(self) -> None:
        """Start without messages."""
        self.angles = np.zeros(0)
        """Directions of the beams of `scans` in the message [rad]."""
        self.scans: List[np.ndarray] = []
        """Ranges [m], NaN where nothing was measured."""
        self._stamps: List[float] = []
        self._poses: List[Tuple[float, float, float, float]] = []
        self._commands: List[Tuple[float, float, float]] = []
        self._counts: Deque[int] = collections.deque(maxlen=COUNT_WINDOW)
        self._frame = ''
        self._first_count = 0
        """Number of beams of the scan that has given the angles."""

    def add_scan(self, message: Any) -> None:
        """Add a `sensor_msgs/LaserScan`, stamped in the middle of its sweep."""
        ranges = raw_ranges(message)
        if not ranges.size or not math.isfinite(message.angle_min) or not (
                MIN_STEP < abs(message.angle_increment) < math.inf):
            return
        if not self.scans:
            self._frame = message.header.frame_id
        if message.header.frame_id != self._frame:
            return  # of another lidar
        self._counts.append(ranges.size)
        usual = float(np.median(self._counts))
        if ranges.size < MIN_COUNT * usual:
            return  # an incomplete turn
        if self._first_count < MIN_COUNT * usual:
            self._begin(message, ranges.size)
        if len(self.scans) * self.angles.size > MAX_READINGS:
            return
        with np.errstate(invalid='ignore'):
            good = (ranges >= message.range_min) & (ranges <= message.range_max) & (ranges > 0.0)
        known = np.where(good & np.isfinite(ranges), ranges, math.nan)
        self.scans.append(_at_angles(self.angles, message, known))
        sweep = beam_interval(message) * (ranges.size - 1)
        self._stamps.append(seconds(message.header.stamp) + 0.5 * sweep)

    def _begin(self, message: Any, count: int) -> None:
        """Take the directions of a scan for all; those before it were incomplete turns."""
        self._first_count = count
        step = max(1, math.ceil(count / MAX_BEAMS))
        self.angles = message.angle_min + message.angle_increment * np.arange(0, count, step)
        self.scans, self._stamps = [], []

    def add_odometry(self, message: Any) -> None:
        """Add a `nav_msgs/Odometry` if it is usable."""
        try:
            pose = odometry_pose(message)
        except ValueError:
            return
        if len(self._poses) < MAX_SAMPLES:
            self._poses.append((seconds(message.header.stamp), *pose))

    def add_command(self, message: Any, at: float) -> None:
        """Add a `geometry_msgs/Twist` or `TwistStamped` that arrived ``at`` a time [s]."""
        twist = getattr(message, 'twist', message)
        linear, angular = getattr(twist, 'linear', None), getattr(twist, 'angular', None)
        if linear is None or angular is None or len(self._commands) >= MAX_SAMPLES:
            return
        if math.isfinite(linear.x) and math.isfinite(angular.z):
            self._commands.append((at, linear.x, angular.z))

    @property
    def stamps(self) -> np.ndarray:
        """Return the middle of the sweep of each scan [s]."""
        return np.array(self._stamps)

    @property
    def odometry(self) -> Track:
        """Return the poses in the order of their stamps."""
        poses = np.array(sorted(self._poses)).reshape(-1, 4)
        return Track(poses[:, 0], np.column_stack((poses[:, 1:3], np.unwrap(poses[:, 3]))))

    @property
    def commands(self) -> Track:
        """Return the commands in the order of their arrival."""
        commands = np.array(sorted(self._commands)).reshape(-1, 3)
        return Track(commands[:, 0], commands[:, 1:])


def _at_angles(angles: np.ndarray, message: Any, ranges: np.ndarray) -> np.ndarray:
    """
    Return the range at each angle, between two beams if they see one surface; else the nearest.

    NaN outside of the scan. Some lidars send another number of beams with each turn.
    """
    step, count = abs(message.angle_increment), ranges.size
    turn = math.copysign(1.0, message.angle_increment) * (angles - message.angle_min) + 0.5 * step
    # From half a beam before the first; rounded, so that a beam keeps its range at its own angle.
    beam = np.round(turn % (2.0 * math.pi) / step - 0.5, 6)
    left = np.clip(np.floor(beam), 0, count - 1).astype(int)
    share = np.clip(beam - left, 0.0, 1.0)
    before, after = ranges[left], ranges[np.minimum(left + 1, count - 1)]
    with np.errstate(invalid='ignore'):
        is_smooth = np.abs(after - before) < MAX_GAP * np.minimum(before, after)
    found = np.where(is_smooth, before + share * (after - before),
                     np.where(share < 0.5, before, after))
    return np.where(beam < count - 0.5, found, math.nan)
