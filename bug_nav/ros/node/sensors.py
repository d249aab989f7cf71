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

"""Subscribes to scans or ranges and odometry, and converts them for the navigator."""

from __future__ import annotations

import collections
import functools
import math
from typing import Callable, Deque, Dict, List, Optional, Set, Tuple, Union

from bug_nav.messages.sensor_messages import (
    frame_name,
    Mount,
    odometry_pose,
    scan_from_message,
    scan_from_range,
    seconds,
)
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.dialect import Dialects
from bug_nav.navigation.perception.sensor_queue import EndStampDetector
from bug_nav.navigation.perception.sensors import check_coverage
from bug_nav.navigation.settings import check_blind_zone, RobotModel, Settings
from bug_nav.navigation.types import Scan
from bug_nav.ros.endpoints import Endpoint
from bug_nav.ros.node.arrivals import Arrivals
from bug_nav.ros.node.frames import FrameError, Frames
from bug_nav.ros.node.polled_subscriptions import Arrival, PolledSubscriptions
from bug_nav.ros.node.settings import NodeSettings
from bug_nav.ros.node.tilt import TiltMonitor
from bug_nav.ros.node.uptime_clock import UptimeClock
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import Imu, LaserScan, Range
from std_msgs.msg import Bool

REPEAT = 5.0
"""Period of a repeated warning [s]."""
MAX_POSES = 64
"""Maximum number of poses kept for the next goal."""
MAX_SCANS = 8
"""Maximum number of scans kept for the next goal."""


class Sensors:
    """Subscribes to scans or ranges and odometry, which `poll` handles."""

    def __init__(self, node: Node, settings: NodeSettings, frames: Frames,
                 subscriptions: PolledSubscriptions, uptime: UptimeClock):
        """Subscribe through ``subscriptions``; ``uptime`` measures ages."""
        self._node, self._settings, self._frames = node, settings, frames
        self._ranger_topics = settings.ranger_topics
        self.scan_arrivals = Arrivals(uptime)
        self.odom_arrivals = Arrivals(uptime)
        self.scan: Optional[Scan] = None
        self.scans: Deque[Tuple[Scan, float]] = collections.deque(
            maxlen=MAX_POSES if self._ranger_topics else MAX_SCANS)
        """The last scans or readings of single rangers, with their arrival times."""
        self.ranger_mounts: Dict[str, Pose] = {}
        """Known poses of single rangers on the robot, by topic."""
        self.poses: Deque[Tuple[float, Pose, float]] = collections.deque(maxlen=MAX_POSES)
        """The last stamps and poses, with their arrival times."""
        self.odom_frame = settings.global_frame
        self.on_pose: Optional[Callable[[float, Pose, float], None]] = None
        """Receives each pose while there is a goal, during which odometry must keep its frame."""
        self.on_scan: Optional[Callable[[Scan, float], None]] = None
        """Receives each scan or reading of a single ranger while there is a goal."""
        self.on_tilt: Optional[Callable[[str], None]] = None
        """Receives the reason why waiting scans are unusable, while there is a goal."""
        self._frame_errors: Dict[str, str] = {}
        self._mounts: Dict[str, Mount] = {}
        self._offsets: Dict[str, Pose] = {}
        self._received: Set[str] = set()
        self._end_stamps = EndStampDetector()
        self.dialects = Dialects()
        """Those of the lidars, completed by each goal."""
        self.tilt = TiltMonitor()
        self._uptime, self._polled, subscribe = uptime, subscriptions, subscriptions.subscribe
        self._subscriptions = {
            'odom': subscribe(Odometry, settings.odom_topic, self._on_odometry,
                              lambda arrival: self.odom_arrivals.add(*arrival))}
        if settings.imu_topic:
            subscribe(Imu, settings.imu_topic, self._on_imu, lambda arrival: None)
        self._is_pressed = self._was_pressed = False
        if settings.bumper_topic:
            subscribe(Bool, settings.bumper_topic, self._on_bumper)
        if self._ranger_topics:
            for topic in self._ranger_topics:
                self._subscriptions[topic] = subscribe(
                    Range, topic, functools.partial(self._on_range, topic))
        else:
            self._subscriptions['scan'] = subscribe(
                LaserScan, settings.scan_topic, self._on_scan)

    @property
    def frame_error(self) -> str:
        """Return why data are unusable if a frame is missing, else empty."""
        return next(iter(self._frame_errors.values()), '')

    def source(self, kind: str) -> Endpoint:
        """
        Return this node's endpoint of the topic of 'scan' or 'odom'.

        Of single rangers, it is the first without a recent message.
        """
        if kind not in self._subscriptions:
            topics = self._ranger_topics
            kind = next((topic for topic in topics if topic not in self._received), topics[0])
        subscription = self._subscriptions[kind]
        return Endpoint(subscription.topic_name, subscription.msg_type)

    @property
    def topics(self) -> List[str]:
        """Return the resolved names of the topics, odometry last."""
        odom, *others = self._subscriptions.values()
        return [subscription.topic_name for subscription in (*others, odom)]

    @property
    def base_frame(self) -> str:
        """Return the frame of the robot."""
        return self._settings.robot_base_frame

    def close(self) -> None:
        """Unsubscribe."""
        self._polled.close()

    def poll(self) -> None:
        """Handle the messages that arrived since the last call."""
        self._uptime.update()
        self._polled.dispatch()

    def take_contact(self) -> bool:
        """Return whether the bumper is pressed, or was since the last call."""
        touches, self._was_pressed = self._is_pressed or self._was_pressed, False
        return touches

    def check(self, model: RobotModel, settings: Settings) -> None:
        """Raise ValueError, in one sentence, if the sensors are known to be unsuitable."""
        topics = self._ranger_topics
        if bool(topics) != (settings.sensing == 'rangers'):
            raise ValueError(
                f'sensing is {settings.sensing!r} and range_topics '
                + (f'are {", ".join(topics)}; set sensing to rangers' if topics else
                   'is empty; name the topics of the rangers there, or set sensing to range'))
        if self.scan is not None:
            blind = self.scan.range_min + math.hypot(self.scan.mount.x, self.scan.mount.y)
            check_blind_zone(model, settings, blind)
        if topics and len(self.ranger_mounts) == len(topics):
            check_coverage(list(self.ranger_mounts.values()))

    def drop_stale(self, timeout: float) -> None:
        """Clear odometry older than ``timeout`` [s], so that its frame may change."""
        if self.odom_arrivals.missing > timeout:
            self.poses.clear()

    def restart(self) -> None:
        """Clear the data from before a clock jump, and start to wait again."""
        self._uptime.update()
        self._polled.discard()
        self.scan = None
        self.scans.clear()
        self.poses.clear()
        self._received.clear()
        self._frame_errors.clear()
        self.tilt = TiltMonitor()
        self.scan_arrivals.restart()
        self.odom_arrivals.restart()

    def _on_scan(self, message: LaserScan, arrival: Arrival) -> None:
        frame = frame_name(message.header.frame_id)
        try:
            if frame not in self._mounts:
                self._mounts[frame] = self._find_mount(frame)
            scan = self._with_first_beam_stamp(
                scan_from_message(message, self._mounts[frame],
                                  self._stamp(message, arrival)), arrival)
            self.tilt.check_scan(scan.stamp)
        except (FrameError, ValueError) as error:
            return self._unusable('scan', error, self.scan_arrivals, arrival)
        self._frame_errors.pop('scan', None)
        self.scan = scan
        self.scan_arrivals.add(*arrival)
        self._hand_on(scan, arrival)

    def _find_mount(self, frame: str) -> Mount:
        """Return the mount of a lidar, which is logged once."""
        base = self._settings.robot_base_frame
        mount = self._frames.mount(base, frame)
        self._node.get_logger().info(
            f'lidar {frame!r} on {base!r}: {mount.text}, from the {self._frames.source}')
        return mount

    def _hand_on(self, scan: Scan, arrival: Arrival) -> None:
        self.scans.append((scan, arrival.at))
        if self.on_scan is not None:
            self.on_scan(*self.scans[-1])

    def _with_first_beam_stamp(self, scan: Scan, arrival: Arrival) -> Scan:
        """Return a scan with the stamp of its first beam, if the driver stamps the last."""
        clock = self._node.get_clock()
        if clock.ros_time_is_active:  # it advances in steps, and simulators stamp correctly
            return scan
        return self._end_stamps.corrected(scan, clock.now().nanoseconds * 1e-9 - arrival.ago)

    def _on_range(self, topic: str, message: Range, arrival: Arrival) -> None:
        frame = frame_name(message.header.frame_id)
        try:
            if topic not in self.ranger_mounts:
                self.ranger_mounts[topic] = self._frames.mount(
                    self._settings.robot_base_frame, frame, topic).pose
            reading = scan_from_range(
                message, Mount(self.ranger_mounts[topic]), self._stamp(message, arrival))
            self.tilt.check_scan(reading.stamp)
        except (FrameError, ValueError) as error:
            return self._unusable(
                f'the range on {topic}', error, self.scan_arrivals, arrival)
        # Else its missing frame would hide that another ranger is silent.
        self.scan_arrivals.withdraw(self._frame_errors.pop(f'the range on {topic}', ''))
        self._hand_on(reading, arrival)
        # Only all rangers together count as a scan: without one, the robot is partly blind.
        self._received.add(topic)
        if len(self._received) == len(self._ranger_topics):
            self._received.clear()
            self.scan_arrivals.add(*arrival)

    def _on_odometry(self, message: Odometry, arrival: Arrival) -> None:
        frame = frame_name(message.header.frame_id) or self._settings.global_frame
        try:
            if self.on_pose is not None and self.poses and frame != self.odom_frame:
                raise ValueError(f'its frame is {frame!r}, but was {self.odom_frame!r} before')
            self.tilt.add_odometry(self._stamp(message, arrival), message.pose.pose.orientation)
            self._check_tilt()
            pose = odometry_pose(message).compose(self._offset(frame_name(message.child_frame_id)))
        except (FrameError, ValueError) as error:
            return self._unusable('odometry', error, self.odom_arrivals, arrival)
        self._frame_errors.pop('odometry', None)
        if frame != self.odom_frame:
            self.poses.clear()
        self.odom_frame = frame
        self.odom_arrivals.add(*arrival)
        self.poses.append((self._stamp(message, arrival), pose, arrival.at))
        if self.on_pose is not None:
            self.on_pose(*self.poses[-1])

    def _on_imu(self, message: Imu, arrival: Arrival) -> None:
        self.tilt.add_imu(self._stamp(message, arrival), message)
        self._check_tilt()

    def _check_tilt(self) -> None:
        """Drop the scans that are not placed yet if the robot is tilted: it may have been so."""
        if not self.tilt.is_level:
            self.scans.clear()
            if self.on_tilt is not None:
                self.on_tilt('the robot was tilted')

    def _on_bumper(self, message: Bool, arrival: Arrival) -> None:
        self._is_pressed = message.data
        self._was_pressed = self._was_pressed or message.data

    def _offset(self, frame: str) -> Pose:
        """Return the pose of the robot's base frame in odometry's child frame."""
        base = self._settings.robot_base_frame
        frame = frame or base
        if frame not in self._offsets:
            self._offsets[frame] = self._frames.pose(frame, base)
        return self._offsets[frame]

    def _stamp(self, message: Union[Imu, LaserScan, Odometry, Range], arrival: Arrival) -> float:
        """Return the message's stamp, or its arrival time if it has none [s]."""
        return seconds(message.header.stamp) or (
            self._node.get_clock().now().nanoseconds * 1e-9 - arrival.ago)

    def _unusable(self, what: str, error: Exception, arrivals: Arrivals,
                  arrival: Arrival) -> None:
        reason = f'{what} cannot be used: {error}'
        arrivals.reject(reason, sum(arrival))
        if isinstance(error, FrameError):  # it may appear soon; the diagnostics report it if not
            self._frame_errors[what] = reason
            return
        self._node.get_logger().warning(reason, throttle_duration_sec=REPEAT)
