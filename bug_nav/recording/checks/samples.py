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

import math
from typing import Any, List, Tuple

from bug_nav.messages.sensor_messages import (
    beam_interval,
    odometry_pose,
    raw_ranges,
    seconds,
)
from bug_nav.recording.checks.calibration import Track
import numpy as np

MAX_READINGS = 4_000_000
"""Maximum number of readings that are kept: about 11 000 scans of 360 beams."""
MAX_BEAMS = 400
"""Maximum number of beams of a scan that are kept."""
MAX_SAMPLES = 200_000
"""Maximum number of poses and of commands that are kept."""


class Samples:
    """Scans of one geometry, poses and commands, as far as there is room."""

    def __init__(self) -> None:
        """Start without messages."""
        self.angles = np.zeros(0)
        """Directions of the beams in the message [rad]."""
        self.scans: List[np.ndarray] = []
        """Ranges [m], NaN where nothing was measured."""
        self._stamps: List[float] = []
        self._poses: List[Tuple[float, float, float, float]] = []
        self._commands: List[Tuple[float, float, float]] = []
        self._geometry: Any = None

    def add_scan(self, message: Any) -> None:
        """Add a `sensor_msgs/LaserScan`, stamped in the middle of its sweep."""
        ranges = raw_ranges(message)
        if not ranges.size:
            return
        geometry = ranges.size, message.angle_min, message.angle_increment, message.header.frame_id
        if self._geometry is None:
            self._geometry = geometry
            step = max(1, math.ceil(ranges.size / MAX_BEAMS))
            angles = message.angle_min + message.angle_increment * np.arange(ranges.size)
            self.angles, self._step = angles[::step], step
        if geometry != self._geometry or len(self.scans) * self.angles.size > MAX_READINGS:
            return  # of another lidar, or an incomplete turn
        ranges = ranges[::self._step]
        with np.errstate(invalid='ignore'):
            good = (ranges >= message.range_min) & (ranges <= message.range_max) & (ranges > 0.0)
        self.scans.append(np.where(good & np.isfinite(ranges), ranges, math.nan))
        sweep = beam_interval(message) * (self._geometry[0] - 1)
        self._stamps.append(seconds(message.header.stamp) + 0.5 * sweep)

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
