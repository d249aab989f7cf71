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
The view of the node on the messages: its own conversion, queue and filter, not other rules.

It needs no robot and no goal.
"""

from __future__ import annotations

from types import SimpleNamespace as Message
from typing import Any, Dict

from bug_nav.messages.sensor_messages import (
    frame_name,
    Mount,
    odometry_pose,
    scan_from_message,
    seconds,
)
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import (
    EndStampDetector,
    SensorQueue,
    UnusableScan,
)
from bug_nav.recording.reasons import Reasons

MAX_LIDARS = 8
"""Maximum number of lidars on a topic."""


def warm_up() -> NodeView:
    """Compile or load the kernels, which would delay the first messages of a running robot."""
    def header(frame: str, sec: int) -> Any:
        return Message(frame_id=frame, stamp=Message(sec=sec, nanosec=0))
    view = NodeView()
    for second in range(1, 5):
        view.add_odometry(Message(header=header('odom', second), pose=Message(pose=Message(
            position=Message(x=0.0, y=0.0, z=0.0),
            orientation=Message(x=0.0, y=0.0, z=0.0, w=1.0)))), float(second))
        view.add_scan(Message(
            header=header('lidar', second), angle_min=0.0, angle_increment=0.1, angle_max=6.2,
            range_min=0.1, range_max=9.0, time_increment=0.0,
            ranges=[1.0 + 0.01 * second + 0.001 * k for k in range(63)]), Mount(), float(second))
    return view


class NodeView:
    """Converts, places and filters scans as the node does."""

    def __init__(self) -> None:
        """Start without messages."""
        self.rejected: Dict[str, Reasons] = {'scan': Reasons(), 'odom': Reasons()}
        """Number of messages that the node rejects, by reason."""
        self.lidars: Dict[str, LidarFilter] = {}
        """The filter of each lidar, by its frame."""
        self._frames: Dict[Pose, str] = {}
        """The frame of each lidar, by its mount."""
        self._queue, self._end_stamps = SensorQueue(), EndStampDetector()

    def add_odometry(self, message: Any, at: float) -> None:
        """Add a `nav_msgs/Odometry` that arrived ``at`` a time [s]."""
        try:
            pose = odometry_pose(message)
        except ValueError as error:
            self.rejected['odom'].add(str(error))
            return
        self._queue.add_pose(seconds(message.header.stamp) or at, pose, at)
        self._read(at)

    def add_scan(self, message: Any, mount: Mount, at: float) -> None:
        """Add a `sensor_msgs/LaserScan` that arrived ``at`` a time [s]."""
        frame = frame_name(message.header.frame_id)
        try:
            scan = scan_from_message(message, mount, seconds(message.header.stamp) or at)
        except ValueError as error:
            self.rejected['scan'].add(str(error))
            return
        if frame not in self.lidars and len(self.lidars) < MAX_LIDARS:
            self.lidars[frame] = LidarFilter(0.0)
        self._frames[mount.pose] = frame
        self._queue.add_scan(self._end_stamps.corrected(scan, at), at)
        self._read(at)

    def _read(self, at: float) -> None:
        for placed in self._queue.ready(at):
            lidar = self.lidars.get(self._frames.get(placed.scan.mount, ''))
            if lidar is not None:
                try:
                    lidar.read(placed, placed.pose, 0.0)
                except UnusableScan as reason:
                    self.rejected['scan'].add(str(reason))
            self._queue.accept(placed, at)
