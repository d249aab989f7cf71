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

"""Records the serialized messages of the nodes into an MCAP file."""

from __future__ import annotations

import functools
import time
from typing import Any, Callable, Dict, Optional

from bug_nav.messages.sensor_messages import NANOSECONDS
from bug_nav.recording import messages, topics
from bug_nav.recording.mcap_file import McapFile
from bug_nav.recording.topics import Topic
from bug_nav.ros.qos import recording_profile
from bug_nav.simulation.sensors import RangerRing, Sensor
from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry, Path
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import LaserScan, Range
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

QUEUE_DEPTH = 10_000
"""Queue depth per topic, because a fast simulation publishes in bursts."""
DRAIN_TIMEOUT = 2.0
"""Maximum time to wait for the last messages [s]."""
STAMPED = (topics.ODOM, topics.PATH, topics.GROUND_TRUTH)
"""The topics whose messages begin with a header, besides those of the sensors."""


class TopicRecording:
    """
    Writes the serialized messages of all topics of a run.

    The log time of a message is its stamp, or that of the newest odometry if it has none, so
    that all times are on the simulation's clock.
    """

    def __init__(self, node: Node, file: McapFile, sensor: Sensor):
        """Subscribe to a robot with this lidar or these rangers; the caller spins ``node``."""
        self._file = file
        self._newest = self._began = self._since = 0
        self._state = ''
        self._last: Dict[Topic, bytes] = {topics.MARKERS: b'', topics.CMD_VEL: b''}
        sensor_topics: Dict[Topic, Any] = (
            {topics.ranger(ranger.name): Range for ranger in sensor.rangers}
            if isinstance(sensor, RangerRing) else {topics.SCAN: LaserScan})
        self._stamped = {*STAMPED, *sensor_topics}
        kinds: Dict[Topic, Any] = {
            **sensor_topics, topics.ODOM: Odometry, topics.CMD_VEL: Twist,
            topics.MARKERS: MarkerArray, topics.PATH: Path, topics.GROUND_TRUTH: PoseStamped,
            topics.TF: TFMessage, topics.TF_STATIC: TFMessage}
        self._awaited = {*sensor_topics, topics.ODOM, topics.TF}
        for topic, kind in kinds.items():
            node.create_subscription(
                kind, topic.name, functools.partial(self._on_message, topic),
                recording_profile(QUEUE_DEPTH, topic.reliable, topic.latched), raw=True)

    @property
    def is_receiving(self) -> bool:
        """Return whether all data arrive; a fast simulation must not start before."""
        return self._awaited <= self._last.keys()

    def add_feedback(self, feedback: Optional[NavigateBug.Feedback]) -> None:
        """Record the state in the newest feedback, if it changed."""
        if feedback is not None:
            self._began = _nanoseconds(feedback.current_pose.header.stamp) - _nanoseconds(
                feedback.navigation_time)
            self._write_state(feedback.state_name)

    def finish(self, outcome: str, result: NavigateBug.Result, spin: Callable[[], None]) -> None:
        """Record the messages in transit, which ``spin`` receives, and the outcome."""
        end = self._began + _nanoseconds(result.total_elapsed_time)
        deadline = time.monotonic() + DRAIN_TIMEOUT
        while time.monotonic() < deadline and not self._has_all(end, outcome):
            spin()
        self._write_state(outcome)

    def _has_all(self, end: int, outcome: str) -> bool:
        """Return whether the last odometry, markers and command have arrived."""
        stands = not any(self._last[topics.CMD_VEL][4:])  # only zeros after the CDR header
        return stands and self._newest >= end and outcome.encode() in self._last[topics.MARKERS]

    def _write_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._file.write(topics.STATE, self._now(), messages.text(state))

    def _on_message(self, topic: Topic, data: bytes) -> None:
        self._file.write_encoded(topic, self._time_of(topic, data), data)
        self._last[topic] = data

    def _time_of(self, topic: Topic, data: bytes) -> int:
        if topic in self._stamped:  # deserialize only the header at the beginning
            stamp = _nanoseconds(deserialize_message(data, Header).stamp)
            if topic is topics.ODOM and stamp > self._newest:
                self._newest, self._since = stamp, 0
            return stamp
        if topic is topics.TF:
            return _nanoseconds(deserialize_message(data, TFMessage).transforms[0].header.stamp)
        return self._now()

    def _now(self) -> int:
        """Return a log time for a message without a stamp, in the order of arrival [ns]."""
        self._since += 1
        return self._newest + self._since


def _nanoseconds(span: Any) -> int:
    """Return a Time or Duration message in nanoseconds."""
    return span.sec * NANOSECONDS + span.nanosec
