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

"""Scan and odometry in: the newest of each, in the core's types, and how old they are."""

from __future__ import annotations

import collections
from typing import Callable, Deque, Dict, Optional, Tuple, Union

from bug_nav.geometry import Pose
from bug_nav.interface import Scan
from bug_nav.ros.arrivals import Arrivals
from bug_nav.ros.conversions import Mount, odometry_pose, scan_of, seconds
from bug_nav.ros.frames import FrameError, Frames
from bug_nav.ros.settings import NodeSettings
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import LaserScan

REPEAT = 5.0
"""A warning that goes on is repeated after this time [s]."""
KEPT = 64
"""Odometry that is kept for a goal that has yet to begin."""


class Sensors:
    """Subscribes to scan and odometry, best effort, which matches any publisher."""

    def __init__(self, node: Node, settings: NodeSettings, frames: Frames):
        """Subscribe."""
        self._node, self._settings, self._frames = node, settings, frames
        self.scan_arrivals = Arrivals(node.get_clock())
        self.odom_arrivals = Arrivals(node.get_clock())
        self.scan: Optional[Scan] = None
        self.poses: Deque[Tuple[float, Pose]] = collections.deque(maxlen=KEPT)
        self.odom_frame = settings.global_frame
        self.on_pose: Optional[Callable[[float, Pose], None]] = None
        self._frame_errors: Dict[str, str] = {}
        self._mounts: Dict[str, Mount] = {}
        self._offsets: Dict[str, Pose] = {}
        self._subscriptions = {
            'scan': node.create_subscription(
                LaserScan, settings.scan_topic, self._on_scan, qos_profile_sensor_data),
            'odom': node.create_subscription(
                Odometry, settings.odom_topic, self._on_odometry, qos_profile_sensor_data)}

    @property
    def frame_error(self) -> str:
        """Return why scans or odometry cannot be used, where a frame is missing; else empty."""
        return next(iter(self._frame_errors.values()), '')

    def source(self, kind: str) -> Tuple[str, int]:
        """Return the topic of 'scan' or 'odom', and how many publish it."""
        topic = self._subscriptions[kind].topic_name
        return topic, self._node.count_publishers(topic)

    def close(self) -> None:
        """Unsubscribe."""
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)

    def restart(self) -> None:
        """Forget what came before the clock jumped, and begin to wait anew."""
        self.scan = None
        self.poses.clear()
        self.scan_arrivals.restart()
        self.odom_arrivals.restart()

    def _on_scan(self, message: LaserScan) -> None:
        frame = message.header.frame_id
        try:
            if frame not in self._mounts:
                self._mounts[frame] = self._frames.mount(self._settings.robot_base_frame, frame)
            self.scan = scan_of(message, self._mounts[frame], self._stamp(message))
        except (FrameError, ValueError) as error:
            return self._unusable('scan', error)
        self._frame_errors.pop('scan', None)
        self.scan_arrivals.note()

    def _on_odometry(self, message: Odometry) -> None:
        try:
            pose = odometry_pose(message).compose(self._offset(message.child_frame_id))
        except (FrameError, ValueError) as error:
            return self._unusable('odometry', error)
        self._frame_errors.pop('odometry', None)
        self.odom_frame = message.header.frame_id or self._settings.global_frame
        stamp = self._stamp(message)
        self.poses.append((stamp, pose))
        self.odom_arrivals.note()
        if self.on_pose is not None:
            self.on_pose(stamp, pose)

    def _offset(self, frame: str) -> Pose:
        """Return the robot's frame in the frame that odometry speaks of."""
        base = self._settings.robot_base_frame
        frame = frame or base
        if frame not in self._offsets:
            self._offsets[frame] = self._frames.pose(frame, base)
        return self._offsets[frame]

    def _stamp(self, message: Union[LaserScan, Odometry]) -> float:
        """Return the message's time, that of its arrival where it has none."""
        return seconds(message.header.stamp) or self._node.get_clock().now().nanoseconds * 1e-9

    def _unusable(self, what: str, error: Exception) -> None:
        if isinstance(error, FrameError):
            self._frame_errors[what] = str(error)
        self._node.get_logger().warning(f'{what} cannot be used: {error}',
                                        throttle_duration_sec=REPEAT)
