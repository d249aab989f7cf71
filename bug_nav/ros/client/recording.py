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

"""Records what the nodes publish into an MCAP file, as it was sent."""

from __future__ import annotations

import functools
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from bug_nav.core.geometry import Pose
from bug_nav.recording import messages, topics
from bug_nav.recording.mcap_file import McapFile
from bug_nav.recording.messages import NANOSECONDS
from bug_nav.recording.topics import Topic
from bug_nav.sense.messages import odometry_pose, seconds
from bug_nav.sim.sensors import RangerRing, Sensor
from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry, Path
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import LaserScan, Range
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not on PyPI
    TFMessage = None

BACKLOG = 10_000
"""So many messages of a topic may wait: a fast simulation sends many in a moment."""
DRAINING = 2.0
"""How long to wait for what was sent before the end [s]."""
STAMPED = (topics.ODOM, topics.PATH, topics.GROUND_TRUTH)
"""The topics whose messages begin with a header, beside those of the sensors."""


class TopicRecording:
    """
    Writes the serialized messages of all topics of a run.

    The time of a message is its own stamp, or that of the newest odometry where it has none: on
    the simulation's clock, however fast the run is.
    """

    def __init__(self, node: Node, file: McapFile, sensor: Sensor):
        """Listen with a node that somebody spins to a robot with that lidar, or those rangers."""
        self._file = file
        self._newest = self._began = self._since = 0
        self._state = ''
        self._last: Dict[Topic, bytes] = {topics.MARKERS: b'', topics.CMD_VEL: b''}
        senses: Dict[Topic, Any] = (
            {topics.ranger(ranger.name): Range for ranger in sensor.rangers}
            if isinstance(sensor, RangerRing) else {topics.SCAN: LaserScan})
        self._stamped = {*STAMPED, *senses}
        kinds: Dict[Topic, Any] = {
            **senses, topics.ODOM: Odometry, topics.CMD_VEL: Twist,
            topics.MARKERS: MarkerArray, topics.PATH: Path, topics.GROUND_TRUTH: PoseStamped}
        if TFMessage is None:
            self._file.write(topics.TF_STATIC, 0, messages.transforms(0.0, *(
                ('base_footprint', frame, mount) for frame, mount in _mounts(sensor))))
        else:
            kinds.update({topics.TF: TFMessage, topics.TF_STATIC: TFMessage})
        self._awaited = {*senses, topics.ODOM, topics.TF} & kinds.keys()
        for topic, kind in kinds.items():
            node.create_subscription(kind, topic.name, functools.partial(self._on_message, topic),
                                     _profile(topic), raw=True)

    @property
    def hears(self) -> bool:
        """Tell whether the robot is heard: what a fast simulation sends before that is lost."""
        return self._awaited <= self._last.keys()

    def look(self, feedback: Optional[NavigateBug.Feedback]) -> None:
        """Record the state, where the newest feedback tells another one."""
        if feedback is not None:
            self._began = _nanoseconds(feedback.current_pose.header.stamp) - _nanoseconds(
                feedback.navigation_time)
            self._tell(feedback.state_name)

    def finish(self, outcome: str, result: NavigateBug.Result, spin: Callable[[], None]) -> None:
        """Record what is under way, which comes while ``spin`` is called, and the outcome."""
        end = self._began + _nanoseconds(result.total_elapsed_time)
        deadline = time.monotonic() + DRAINING
        while time.monotonic() < deadline and not self._has_all(end, outcome):
            spin()
        self._tell(outcome)

    def _has_all(self, end: int, outcome: str) -> bool:
        """Tell whether odometry of the end, the last markers and the last command have come."""
        stands = not any(self._last[topics.CMD_VEL][4:])  # a header, and then zeros alone
        return stands and self._newest >= end and outcome.encode() in self._last[topics.MARKERS]

    def _tell(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._file.write(topics.STATE, self._now(), messages.text(state))

    def _on_message(self, topic: Topic, data: bytes) -> None:
        self._file.write_encoded(topic, self._time_of(topic, data), data)
        self._last[topic] = data
        if topic is topics.ODOM and TFMessage is None:
            self._link(deserialize_message(data, Odometry))

    def _time_of(self, topic: Topic, data: bytes) -> int:
        if topic in self._stamped:  # only the header at the beginning is read
            stamp = _nanoseconds(deserialize_message(data, Header).stamp)
            if topic is topics.ODOM and stamp > self._newest:
                self._newest, self._since = stamp, 0
            return stamp
        if topic is topics.TF:
            return _nanoseconds(deserialize_message(data, TFMessage).transforms[0].header.stamp)
        return self._now()

    def _now(self) -> int:
        """Return the time of what has no stamp: readers sort by it, and keep the order so."""
        self._since += 1
        return self._newest + self._since

    def _link(self, odometry: Odometry) -> None:
        """Record the transform that odometry stands for."""
        stamp = odometry.header.stamp
        self._file.write(topics.TF, _nanoseconds(stamp), messages.transforms(seconds(stamp), (
            odometry.header.frame_id, odometry.child_frame_id, odometry_pose(odometry))))


def _mounts(sensor: Sensor) -> List[Tuple[str, Pose]]:
    """Return the frames of the lidar or of the rangers, and where each is on the base."""
    if isinstance(sensor, RangerRing):
        return [(ranger.name, ranger.mount) for ranger in sensor.rangers]
    return [('base_scan', sensor.mount)]


def _nanoseconds(span: Any) -> int:
    """Return a Time or a Duration message in nanoseconds."""
    return span.sec * NANOSECONDS + span.nanosec


def _profile(topic: Topic) -> QoSProfile:
    return QoSProfile(
        depth=BACKLOG,
        reliability=(ReliabilityPolicy.RELIABLE if topic.reliable
                     else ReliabilityPolicy.BEST_EFFORT),
        durability=(DurabilityPolicy.TRANSIENT_LOCAL if topic.latched
                    else DurabilityPolicy.VOLATILE))
