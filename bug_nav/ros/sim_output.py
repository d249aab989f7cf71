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

"""What the simulator's node publishes."""

from __future__ import annotations

from typing import Any

from bug_nav.geometry import Pose
from bug_nav.interface import Twist
from bug_nav.ros.conversions import to_laser_scan, to_pose, to_time, to_twist
from bug_nav.ros.sim_settings import SimSettings, SimSwitches
from bug_nav.sim.simulator import LidarModel, Simulator
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan

try:
    import tf2_ros
except ImportError:  # not on PyPI
    tf2_ros = None


class SimOutput:
    """Publishes odometry, scan, transforms and clock."""

    def __init__(self, node: Node, settings: SimSettings, lidar: LidarModel):
        """Make the publishers, of transforms only where tf2_ros is installed."""
        self._settings, self._lidar = settings, lidar
        self._odom = node.create_publisher(Odometry, 'odom', 10)
        self._scan = node.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self._clock = node.create_publisher(Clock, '/clock', 10)
        self._transforms: Any = None
        if tf2_ros is not None:
            self._transforms = tf2_ros.TransformBroadcaster(node)
            self._static = tf2_ros.StaticTransformBroadcaster(node)
            self._static.sendTransform(_transform(
                settings.base_frame_id, settings.scan_frame_id, lidar.mount, 0.0))

    def publish(self, simulator: Simulator, stamp: float, scan_is_due: bool,
                switches: SimSwitches) -> None:
        """Publish the state at ``stamp`` [s]; the clock comes last, for ticks follow it."""
        if switches.publish_odom:
            self._publish_odometry(simulator.odometry, simulator.twist, stamp)
        if switches.publish_scan and scan_is_due:
            message = to_laser_scan(simulator.scan(), self._settings.scan_frame_id,
                                    self._lidar.scan_publish_dur)
            message.header.stamp = to_time(stamp)
            self._scan.publish(message)
        if switches.publish_clock:
            self._clock.publish(Clock(clock=to_time(stamp)))

    def _publish_odometry(self, pose: Pose, twist: Twist, stamp: float) -> None:
        odom, base = self._settings.odom_frame_id, self._settings.base_frame_id
        message = Odometry(child_frame_id=base)
        message.header.frame_id, message.header.stamp = odom, to_time(stamp)
        message.pose.pose, message.twist.twist = to_pose(pose), to_twist(twist)
        self._odom.publish(message)
        if self._transforms is not None:
            self._transforms.sendTransform(_transform(odom, base, pose, stamp))


def _transform(parent: str, child: str, pose: Pose, stamp: float) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, to_time(stamp)
    message.transform.translation.x, message.transform.translation.y = pose.x, pose.y
    message.transform.rotation = to_pose(pose).orientation
    return message
