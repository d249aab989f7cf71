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

from typing import Any, Sequence

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Scan, Twist
from bug_nav.ros.conversions import (
    to_laser_scan,
    to_pose,
    to_pose_stamped,
    to_range,
    to_time,
    to_twist,
)
from bug_nav.ros.qos import LATCHED
from bug_nav.ros.sim.settings import SimSettings, SimSwitches
from bug_nav.sim.link import Link
from bug_nav.sim.odometry import OdometryModel
from bug_nav.sim.sensors import RangerRing, Sensor
from bug_nav.sim.simulator import Simulator
from bug_nav.sim.world import World
from geometry_msgs.msg import Point, PoseStamped, TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan, Range
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

try:
    import tf2_ros
except ImportError:  # not on PyPI
    tf2_ros = None


WALL = 0.03
"""The outline of a solid is drawn so wide [m]."""


class SimOutput:
    """Publishes odometry, scan or ranges, transforms, clock and truth."""

    def __init__(self, node: Node, settings: SimSettings, sensor: Sensor, world: World,
                 odometry: OdometryModel, link: Link):
        """
        Make the publishers.

        Of transforms only where tf2_ros is installed; of the truth only where odometry drifts.
        """
        self._settings, self._sensor, self._link = settings, sensor, link
        self._localised = odometry.localiser_period > 0.0
        self._frame = settings.map_frame_id if self._localised else settings.odom_frame_id
        self._walls = node.create_publisher(MarkerArray, '~/world', LATCHED)
        self._walls.publish(_walls(world, self._frame))
        self._truth = (node.create_publisher(PoseStamped, 'ground_truth', 10)
                       if odometry.odometry != 'perfect' else None)
        self._odom = node.create_publisher(Odometry, 'odom', 10)
        if isinstance(sensor, RangerRing):
            mounts = {ranger.name: ranger.mount for ranger in sensor.rangers}
            self._ranges = [node.create_publisher(Range, f'range/{name}', qos_profile_sensor_data)
                            for name in mounts]
        else:
            mounts = {settings.scan_frame_id: sensor.mount}
            self._scan = node.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self._clock = node.create_publisher(Clock, '/clock', 10)
        self._transforms: Any = None
        if tf2_ros is not None:
            self._transforms = tf2_ros.TransformBroadcaster(node)
            self._static = tf2_ros.StaticTransformBroadcaster(node)
            self._static.sendTransform([
                _transform(settings.base_frame_id, frame, mount, 0.0)
                for frame, mount in mounts.items()])

    def restart(self) -> None:
        """Begin anew, at time zero."""
        self._link.restart()

    def publish(self, simulator: Simulator, stamp: float, scan_is_due: bool,
                switches: SimSwitches) -> None:
        """Publish the state at ``stamp`` [s]; the clock comes last, for ticks follow it."""
        if switches.publish_odom:
            self._link.send_odometry(
                stamp, (simulator.odometry, simulator.twist, simulator.correction))
        if switches.publish_scan and scan_is_due:
            # Their stamps count from the simulator's start, which is not that of every clock.
            self._link.send_scans(stamp, tuple(
                scan._replace(stamp=scan.stamp - simulator.stamp + stamp)
                for scan in simulator.sense()))
        for arrival in self._link.arrived(stamp):
            if arrival.odometry is not None:
                pose, twist, correction = arrival.odometry
                self._publish_odometry(pose, twist, correction, arrival.stamp)
            else:
                self._publish_scans(arrival.scans)
        if self._truth is not None:
            self._truth.publish(to_pose_stamped(self._frame, stamp, simulator.pose))
        if switches.publish_clock:
            self._clock.publish(Clock(clock=to_time(stamp)))

    def _publish_scans(self, scans: Sequence[Scan]) -> None:
        sensor = self._sensor
        if isinstance(sensor, RangerRing):
            for ranger, publisher, scan in zip(sensor.rangers, self._ranges, scans):
                publisher.publish(
                    to_range(scan, ranger.name, sensor.infrared, sensor.field_of_view))
        else:
            self._scan.publish(
                to_laser_scan(scans[0], self._settings.scan_frame_id, sensor.period))

    def _publish_odometry(self, pose: Pose, twist: Twist, correction: Pose, stamp: float) -> None:
        odom, base = self._settings.odom_frame_id, self._settings.base_frame_id
        message = Odometry(child_frame_id=base)
        message.header.frame_id, message.header.stamp = odom, to_time(stamp)
        message.pose.pose, message.twist.twist = to_pose(pose), to_twist(twist)
        self._odom.publish(message)
        if self._transforms is not None:
            links = [_transform(odom, base, pose, stamp)]
            if self._localised:
                links.append(_transform(self._settings.map_frame_id, odom, correction, stamp))
            self._transforms.sendTransform(links)  # in one message: who listens queues messages


def _walls(world: World, frame_id: str) -> MarkerArray:
    """Return the outlines of a world's solids, which are for people: no robot gets them."""
    walls = Marker(ns='world', type=Marker.LINE_LIST, action=Marker.ADD,
                   color=ColorRGBA(r=0.75, g=0.75, b=0.75, a=1.0),
                   points=[Point(x=float(x), y=float(y)) for edge in world.segments
                           for x, y in (edge[:2], edge[2:])])
    walls.header.frame_id = frame_id
    walls.pose.orientation.w = 1.0
    walls.scale.x = WALL
    return MarkerArray(markers=[walls])


def _transform(parent: str, child: str, pose: Pose, stamp: float) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, to_time(stamp)
    message.transform.translation.x, message.transform.translation.y = pose.x, pose.y
    message.transform.rotation = to_pose(pose).orientation
    return message
