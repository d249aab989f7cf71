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
Whether the robot has driven onto something that its lidar does not see.

The lidar of a tilted robot sees another plane: the floor, or walls that are not there.
"""

from __future__ import annotations

import math
from typing import Any, Optional, Tuple

from bug_nav.messages.sensor_messages import (
    angle_between,
    LEVEL,
    MIN_UPRIGHT,
    TILT_CAUSE,
    tilt_of,
    UNIT_TOLERANCE,
    upward,
)


class Tilt:
    """The tilt of the robot by one sensor."""

    def __init__(self) -> None:
        """Start as level."""
        self.is_level, self._last, self._tilted_at = True, 0.0, -math.inf
        self.has_tipped = False
        """Whether the tilt exceeded what odometry may report and has not been level since."""

    def add(self, stamp: float, tilt: float) -> None:
        """Add the tilt [rad] at ``stamp`` [s]."""
        self.is_level = tilt <= LEVEL
        if self.is_level:
            self.has_tipped = False
            return
        self._last, self._tilted_at = tilt, stamp
        self.has_tipped = self.has_tipped or math.cos(tilt) < MIN_UPRIGHT

    def check_scan(self, stamp: float) -> None:
        """Raise ValueError if the robot has been tilted since the first beam of a scan [s]."""
        if not self.is_level or stamp <= self._tilted_at:
            raise ValueError(f'the robot is tilted by {math.degrees(self._last):.0f} degrees; at '
                             f'most {math.degrees(LEVEL):.0f} degrees are allowed{TILT_CAUSE}')


class TiltMonitor:
    """The tilt by odometry, which many robots report as planar, and by an IMU."""

    def __init__(self) -> None:
        """Start as level."""
        self._tilts = self._odometry, self._imu = Tilt(), Tilt()
        self._level_up: Optional[Tuple[float, float, float]] = None
        """The upward direction in the frame of the IMU, at its first message."""

    @property
    def has_tipped(self) -> bool:
        """Return whether the robot must stand."""
        return any(tilt.has_tipped for tilt in self._tilts)

    @property
    def is_level(self) -> bool:
        """Return whether scans that begin now can be used."""
        return all(tilt.is_level for tilt in self._tilts)

    def add_odometry(self, stamp: float, q: Any) -> None:
        """Add the orientation of the robot at ``stamp`` [s]."""
        self._odometry.add(stamp, tilt_of(q))

    def add_imu(self, stamp: float, message: Any) -> None:
        """
        Add a message of an IMU in any mount.

        The robot is level at the first one. An IMU without an orientation says so by a negative
        covariance (REP-145) or leaves it zero.
        """
        q = message.orientation
        length = math.sqrt(q.x ** 2 + q.y ** 2 + q.z ** 2 + q.w ** 2)
        if message.orientation_covariance[0] < 0.0 or not abs(length - 1.0) <= UNIT_TOLERANCE:
            return
        up = upward(q)
        if self._level_up is None:
            self._level_up = up
        self._imu.add(stamp, angle_between(up, self._level_up))

    def check_scan(self, stamp: float) -> None:
        """Raise ValueError if the robot has been tilted since the first beam of a scan [s]."""
        for tilt in self._tilts:
            tilt.check_scan(stamp)
