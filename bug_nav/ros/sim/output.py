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

"""Publishers of the simulator's node."""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence, Tuple

from bug_nav.messages.frame_tree import TF, TF_STATIC
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import Scan, Twist
from bug_nav.ros.conversions import (
    to_laser_scan,
    to_pose,
    to_pose_stamped,
    to_range,
    to_time,
    to_twist,
)
from bug_nav.ros.endpoints import Endpoint, of_subscribers
from bug_nav.ros.qos import LATCHED, SENSOR_OUTPUT
from bug_nav.ros.sim.settings import SimSettings, SimSwitches
from bug_nav.ros.transforms import QUEUE_DEPTH
from bug_nav.simulation.latency import LatencyQueue
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.sensors import RangerRing, Sensor
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point, PoseStamped, TransformStamped
from nav_msgs.msg import Odometry
import numpy as np
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan, Range
from std_msgs.msg import ColorRGBA
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

LINE_WIDTH = 0.03
"""Line width of outlines [m]."""
GREY = ColorRGBA(r=0.75, g=0.75, b=0.75, a=1.0)
PURPLE = ColorRGBA(r=0.58, g=0.4, b=0.74, a=1.0)


class WorldOutput:
    """Publishes the data common to all robots: clock, world, movers and contacts."""

    def __init__(self, node: Node, world: World, frame: str):
        """Create the publishers; ``frame`` is the world's."""
        self._frame = frame
        self._walls = node.create_publisher(MarkerArray, '~/world', LATCHED)
        self._walls.publish(MarkerArray(markers=[_outlines('world', frame, world.segments, GREY)]))
        self._movers = node.create_publisher(MarkerArray, '~/movers', 10)
        self._contacts = node.create_publisher(DiagnosticArray, '~/contacts', LATCHED)
        self._clock = node.create_publisher(Clock, '/clock', 10)

    def publish_clock_time(self, stamp: float) -> None:
        """Publish the clock."""
        self._clock.publish(Clock(clock=to_time(stamp)))

    def publish_movers(self, moving: np.ndarray, stamp: float) -> None:
        """Publish the outlines of movers, (m, 4) [m]."""
        marker = _outlines('movers', self._frame, moving, PURPLE)
        marker.header.stamp = to_time(stamp)
        self._movers.publish(MarkerArray(markers=[marker]))

    def publish_contacts(self, counts: Mapping[str, Tuple[int, int]], stamp: float) -> None:
        """Publish how often each robot has touched something, and was touched."""
        message = DiagnosticArray(
            status=[_contact_status(name, *each) for name, each in counts.items()])
        message.header.stamp = to_time(stamp)
        self._contacts.publish(message)


class RobotOutput:
    """Publishes a robot's odometry, scan or ranges, transforms and ground truth."""

    def __init__(self, node: Node, settings: SimSettings, name: str, sensor: Sensor,
                 odometry: OdometryModel, link: LatencyQueue):
        """
        Create the publishers, in the namespace ``name`` unless it is empty.

        The ground truth is published only if odometry drifts.
        """
        prefix = f'{name}/' if name else ''
        self._sensor, self._link = sensor, link
        self._odom_frame = prefix + settings.odom_frame_id
        self._base_frame = prefix + settings.base_frame_id
        self._map_frame = world_frame(settings, odometry)
        self._truth = (node.create_publisher(PoseStamped, f'{prefix}ground_truth', 10)
                       if odometry.odometry != 'perfect' else None)
        self._odom = node.create_publisher(Odometry, f'{prefix}odom', 10)
        if isinstance(sensor, RangerRing):
            mounts = {prefix + ranger.name: ranger.mount for ranger in sensor.rangers}
            self._ranges = [node.create_publisher(
                Range, f'{prefix}range/{ranger.name}', SENSOR_OUTPUT)
                for ranger in sensor.rangers]
        else:
            mounts = {prefix + settings.scan_frame_id: sensor.mount}
            self._scan = node.create_publisher(LaserScan, f'{prefix}scan', SENSOR_OUTPUT)
        self._frames = list(mounts)
        sensors = self._ranges if isinstance(sensor, RangerRing) else [self._scan]
        self.topics = [publisher.topic_name for publisher in (*sensors, self._odom)]
        """Resolved names of the topics of sensors and odometry."""
        message = Range if isinstance(sensor, RangerRing) else LaserScan
        self._endpoints = [*(Endpoint(publisher.topic_name, message) for publisher in sensors),
                           Endpoint(self._odom.topic_name, Odometry)]
        self._transforms = node.create_publisher(TFMessage, TF, QUEUE_DEPTH)
        self._static = node.create_publisher(TFMessage, TF_STATIC, LATCHED)
        self._static.publish(TFMessage(transforms=[
            _transform(self._base_frame, frame, mount, 0.0) for frame, mount in mounts.items()]))

    def restart(self) -> None:
        """Restart at time zero."""
        self._link.restart()

    def unmatched(self, node: Node) -> Iterator[str]:
        """Yield a sentence for each subscriber that receives nothing, with the line to change."""
        for endpoint in self._endpoints:
            for reason in filter(None, of_subscribers(node, endpoint)):
                name = endpoint.message.__name__
                yield (f'{reason}, and receives nothing; change its line to create_subscription('
                       f"{name}, '{endpoint.topic}', callback, 10) with an import of {name} from "
                       f'{endpoint.message.__module__.split(".")[0]}.msg')

    def publish(self, simulator: Simulator, stamp: float, scan_is_due: bool,
                switches: SimSwitches) -> None:
        """Publish the state at ``stamp`` [s]."""
        if switches.publish_odom:
            self._link.send_odometry(
                stamp, (simulator.odometry, simulator.twist, simulator.correction))
        if switches.publish_scan and scan_is_due:
            # Convert their stamps from the simulator's time to that of the clock in use.
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
            self._truth.publish(to_pose_stamped(
                self._map_frame or self._odom_frame, stamp, simulator.pose))

    def _publish_scans(self, scans: Sequence[Scan]) -> None:
        sensor = self._sensor
        if isinstance(sensor, RangerRing):
            for frame, publisher, scan in zip(self._frames, self._ranges, scans):
                publisher.publish(to_range(scan, frame, sensor.infrared, sensor.field_of_view))
        else:
            self._scan.publish(
                to_laser_scan(scans[0], self._frames[0], sensor.period))

    def _publish_odometry(self, pose: Pose, twist: Twist, correction: Pose, stamp: float) -> None:
        odom, base = self._odom_frame, self._base_frame
        message = Odometry(child_frame_id=base)
        message.header.frame_id, message.header.stamp = odom, to_time(stamp)
        message.pose.pose, message.twist.twist = to_pose(pose), to_twist(twist)
        self._odom.publish(message)
        links = [_transform(odom, base, pose, stamp)]
        if self._map_frame:
            links.append(_transform(self._map_frame, odom, correction, stamp))
        # In one message, to load queues less.
        self._transforms.publish(TFMessage(transforms=links))


def world_frame(settings: SimSettings, odometry: OdometryModel) -> str:
    """
    Return the parent frame of the odometry frames, empty if none is published.

    It is published by a localizer, and for several robots without odometry drift, whose frames
    are all fixed in the world.
    """
    has_several = bool(settings.robots) and odometry.odometry == 'perfect'
    return settings.map_frame_id if odometry.localizer_period > 0.0 or has_several else ''


def _outlines(name: str, frame_id: str, segments: np.ndarray, color: ColorRGBA) -> Marker:
    """Return the outlines of solids, for display only."""
    marker = Marker(ns=name, type=Marker.LINE_LIST, color=color,
                    # Delete the marker if there is nothing to draw.
                    action=Marker.ADD if len(segments) else Marker.DELETE,
                    points=[Point(x=float(x), y=float(y)) for edge in segments
                            for x, y in (edge[:2], edge[2:])])
    marker.header.frame_id = frame_id
    marker.pose.orientation.w = 1.0
    marker.scale.x = LINE_WIDTH
    return marker


def _contact_status(name: str, contacts: int, bumped: int) -> DiagnosticStatus:
    """Return the contacts of a robot as a diagnostic status."""
    level, text = ((DiagnosticStatus.ERROR, 'has moved into something') if contacts
                   else (DiagnosticStatus.WARN, 'was touched by something that moved') if bumped
                   else (DiagnosticStatus.OK, 'has touched nothing'))
    return DiagnosticStatus(level=level, name=f'bug_sim: {name}', message=text, values=[
        KeyValue(key='contacts', value=str(contacts)), KeyValue(key='bumped', value=str(bumped))])


def _transform(parent: str, child: str, pose: Pose, stamp: float) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, to_time(stamp)
    message.transform.translation.x, message.transform.translation.y = pose.x, pose.y
    message.transform.rotation = to_pose(pose).orientation
    return message
