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
"""Records the topics of a running robot into an MCAP file, for `bug_nav record`."""

from __future__ import annotations

import functools
import importlib
import time
from typing import Any, Callable, Dict, List, Set, Tuple

from bug_nav.recording.checks.command_topic import STAMPED, TWIST
from bug_nav.recording.evidence_reader import ODOM, SCAN, TRANSFORMS
from bug_nav.recording.mcap_file import McapFile
from bug_nav.recording.topics import Topic
from bug_nav.ros.client.session import rclpy_session
from bug_nav.ros.qos import recording_profile
import rclpy
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

KINDS = (SCAN, ODOM, TRANSFORMS, TWIST, STAMPED)
"""Message types that are recorded: those that check and replay read."""
MAX_TOPICS = 100
SPIN, GRAPH_PERIOD = 0.05, 0.2
"""Periods of spinning and of looking for new topics [s]."""
QUEUE_DEPTH = 1000


class RobotRecording:
    """Writes the serialized messages of the topics of a robot, at their times of arrival."""

    def __init__(self, node: Node, file: McapFile, wanted: Callable[[str], bool]):
        """Record the topics whose names are ``wanted``; the caller spins ``node``."""
        self._node, self._file, self._wanted = node, file, wanted
        self.counts: Dict[str, int] = {}
        """Numbers of messages by topic."""
        self.left_out: Set[str] = set()
        """Topics beyond `MAX_TOPICS`."""
        self._taken: Dict[str, Tuple[Topic, Any]] = {}
        """Topics as they are offered, and their subscriptions."""
        self.duration = 0.0
        """Time of the recording [s]."""

    @property
    def topics(self) -> Dict[str, str]:
        """Return the message types of the recorded topics."""
        return {name: topic.datatype for name, (topic, _) in self._taken.items()}

    def subscribe(self) -> None:
        """Subscribe to new topics, and again to those that a new publisher offers with less."""
        for name, kinds in self._node.get_topic_names_and_types():
            kind = next((each for each in kinds if each in KINDS), None)
            if kind and self._wanted(name):
                is_new = name not in self._taken
                if is_new and len(self._taken) >= MAX_TOPICS:
                    self.left_out.add(name)
                    continue
                publishers = self._node.get_publishers_info_by_topic(name)
                # A command may come from a publisher that does not exist yet.
                if publishers or (is_new and kind in (TWIST, STAMPED)):
                    self._subscribe(name, kind, [each.qos_profile for each in publishers])

    def _subscribe(self, name: str, kind: str, offers: List[QoSProfile]) -> None:
        topic = Topic(
            name, kind,
            reliable=bool(offers) and all(
                each.reliability == ReliabilityPolicy.RELIABLE for each in offers),
            latched=bool(offers) and all(
                each.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in offers))
        if name in self._taken:
            before, subscription = self._taken[name]
            # Such as a driver that was restarted with less reliable data.
            topic = topic._replace(reliable=topic.reliable and before.reliable,
                                   latched=topic.latched and before.latched)
            if topic == before:
                return
            self._node.destroy_subscription(subscription)
        self.counts.setdefault(name, 0)
        self._file.channel(topic)  # shows the type of commands, even if none is sent
        self._taken[name] = topic, self._node.create_subscription(
            _message_type(kind), name, functools.partial(self._write, topic),
            recording_profile(QUEUE_DEPTH, topic.reliable, topic.latched), raw=True)

    def _write(self, topic: Topic, data: bytes) -> None:
        self._file.write_encoded(topic, time.time_ns(), data)
        self.counts[topic.name] += 1


def record(file: McapFile, wanted: Callable[[str], bool], duration: float, size: float,
           stop: Callable[[], bool], progress: Callable[[float], None]) -> RobotRecording:
    """
    Record until ``stop``, for ``duration`` [s] and up to ``size`` [byte].

    ``wanted`` returns whether a topic is recorded; ``progress`` gets the fraction done.
    """
    with rclpy_session():
        node = rclpy.create_node('bug_nav_record')
        try:
            recording = RobotRecording(node, file, wanted)
            began = time.monotonic()
            looked = began - GRAPH_PERIOD
            while not stop():
                now = time.monotonic()
                recording.duration = now - began
                done = max(recording.duration / duration, file.size / size)
                progress(min(done, 1.0))
                if done >= 1.0:
                    break
                if now - looked >= GRAPH_PERIOD:
                    looked = now
                    recording.subscribe()
                rclpy.spin_once(node, timeout_sec=SPIN)
            return recording
        finally:
            node.destroy_node()


def _message_type(kind: str) -> Any:
    package, _, name = kind.partition('/msg/')
    return getattr(importlib.import_module(f'{package}.msg'), name)
