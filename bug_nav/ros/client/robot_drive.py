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
"""Drives a robot for `bug_nav check --drive`, and collects the evidence."""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any, Callable, List, Optional, Tuple

from bug_nav.messages.sensor_messages import Mount, odometry_pose, raw_ranges, seconds
from bug_nav.navigation.control.state import TICK
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP
from bug_nav.recording.checks.command_topic import STAMPED, TWIST
from bug_nav.recording.checks.evidence import Evidence
from bug_nav.recording.checks.measuring_drive import MeasuringDrive, Seen
from bug_nav.recording.checks.stamps import SIMULATED
from bug_nav.ros.client.listener import subscribe_to, wall_time
from bug_nav.ros.client.session import rclpy_session
from bug_nav.ros.conversions import to_twist
from bug_nav.ros.stop_process import StopProcess
from bug_nav.ros.velocity import Velocity
import numpy as np
import rclpy

START_TIMEOUT = 8.0
"""Maximum time until sensor data arrive and the robot subscribes [s]."""
STOP_TIME, STANDSTILL_TIMEOUT = 0.5, 3.0
"""Minimum and maximum time of the zero velocities at the end, one per `TICK` [s]."""
STILL_TIME, STILL = 0.3, (0.003, 0.01)
"""Time within which a standing robot moves less than this by its odometry [s; m, rad]."""
FLUSH_TIMEOUT = 1.0
"""Maximum time to deliver the last of them [s]."""


class _Newest:
    """Newest odometry and scan."""

    def __init__(self, mount: Mount, self_radius: float):
        self._mount, self._self_radius = mount, self_radius
        self._poses: List[Tuple[float, Pose]] = []
        """Poses of the last `STILL_TIME`, and the one before, each with its time of arrival."""
        self.pose: Optional[Pose] = None
        self.stamp = math.nan
        self.nearest, self._is_read = math.inf, False
        self.posed_at = self.scanned_at = -math.inf

    def on_odometry(self, message: Any) -> None:
        try:
            self.pose = odometry_pose(message)
        except ValueError:
            return  # a finding of its own
        self.stamp, self.posed_at = seconds(message.header.stamp), time.monotonic()
        self._poses.append((self.posed_at, self.pose))
        while self._poses[1:] and self._poses[1][0] <= self.posed_at - STILL_TIME:
            del self._poses[0]

    def on_scan(self, message: Any) -> None:
        before = math.inf if self._is_read else self.nearest
        self.nearest, self._is_read = float(np.minimum(before, nearest_obstacle(
            message, self._mount, self._self_radius))), False
        self.scanned_at = time.monotonic()

    def read(self) -> Seen:
        """Return what was seen, with the nearest obstacle of all scans since the last call."""
        self._is_read = True
        now = time.monotonic()
        return Seen(now, self.pose, now - self.posed_at, self.nearest, now - self.scanned_at)

    def stands(self, since: float) -> bool:
        """Return whether odometry has shown no motion for `STILL_TIME`, after a time [s]."""
        began, start = self._poses[0] if self._poses else (math.inf, None)
        if start is None or began < since or self.posed_at - began < STILL_TIME or (
                time.monotonic() - self.posed_at > STILL_TIME):
            return False
        moves = [start.inverse().compose(pose) for _, pose in self._poses]
        return all(math.hypot(each.x, each.y) < STILL[0] and abs(each.theta) < STILL[1]
                   for each in moves)

    @property
    def command_time(self) -> float:
        """Return the time of a command on the clock of odometry, if that is simulated [s]."""
        return self.stamp if self.stamp < SIMULATED else wall_time()


def nearest_obstacle(message: Any, mount: Mount, self_radius: float) -> float:
    """
    Return the least distance of a reading from the centre, whatever the yaw of the lidar [m].

    Readings that are the robot's own for every yaw do not count; nan if there are no others.
    """
    ranges = raw_ranges(message)
    with np.errstate(invalid='ignore'):
        near = np.where(ranges == -math.inf, 0.5 * message.range_min, ranges)
        keep = np.isfinite(near) & (near > 0.02) & (near <= message.range_max)
    offset = math.hypot(mount.pose.x, mount.pose.y)
    others = near[keep & (near + offset > self_radius)]
    return max(float(others.min()) - offset, 0.0) if others.size else math.nan


def drive(evidence: Evidence, plan: MeasuringDrive, mount: Mount, self_radius: float,
          is_stamped: bool, stop_process: StopProcess, stop: Callable[[], bool],
          progress: Callable[[float], None]) -> bool:
    """
    Drive as planned, until ``stop``, then stop; return whether odometry shows that it stands.

    :param mount: the stated mount of the lidar.
    :param self_radius: readings nearer to the centre are parts of the robot [m].
    :param is_stamped: whether the robot expects TwistStamped.
    :param stop_process: stops the robot if this process dies.
    """
    newest, stands = _Newest(mount, self_radius), False
    with rclpy_session():
        node = rclpy.create_node('bug_nav_check')
        velocity = Velocity(node, is_stamped, '', evidence.cmd_vel, stop_process)
        try:
            subscribe_to(node, evidence, newest.on_scan, newest.on_odometry)
            if not _is_ready(node, newest, velocity, stop):
                plan.ended = (f'no sensor data, or no subscriber to {evidence.cmd_vel}, within '
                              f'{START_TIMEOUT:g} s')
            kind = STAMPED if is_stamped else TWIST
            while plan.ended is None and not stop():
                if not stop_process.alive:
                    plan.ended = ('the stop process, which stops the robot if this one dies, has '
                                  'ended')
                    break
                command = plan.command(newest.read())
                evidence.add_command(kind, to_twist(command), newest.command_time)
                velocity.send(command)
                progress(plan.done)
                _spin(node, TICK)
        finally:
            evidence.ended = wall_time()
            stands = _stop(node, newest, velocity)
            node.destroy_node()
    return stands


def _is_ready(node: Any, newest: _Newest, velocity: Velocity, stop: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline and not stop():
        _spin(node, TICK)
        if velocity.subscriber_count and newest.pose is not None and (
                newest.scanned_at > -math.inf):
            return True
    return stop()


def _spin(node: Any, duration: float) -> None:
    """Handle messages for a time [s]."""
    deadline = time.monotonic() + duration
    while True:
        left = deadline - time.monotonic()
        rclpy.spin_once(node, timeout_sec=max(left, 0.0))
        if left <= 0.0:
            return


def _stop(node: Any, newest: _Newest, velocity: Velocity) -> bool:
    """Send zero velocities until the robot stands by its odometry; return whether it does."""
    began = time.monotonic()
    while True:
        velocity.send(STOP)
        with contextlib.suppress(Exception):  # which may be what ended the drive, and be repeated
            _spin(node, TICK)
        spent, stands = time.monotonic() - began, newest.stands(began)
        if spent >= STOP_TIME and stands or spent >= STANDSTILL_TIMEOUT:
            break
    velocity.flush(FLUSH_TIMEOUT)
    return stands
