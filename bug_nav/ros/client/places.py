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

"""Where frames lie in each other: from tf2, or as the node has been told without it."""

from __future__ import annotations

from typing import Any, Collection, Dict, Optional

from bug_nav.core.geometry import IDENTITY, Pose
from bug_nav.sense.messages import Mount, mount_of, transform_pose
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time

try:
    from tf2_msgs.msg import TFMessage
    import tf2_ros
except ImportError:  # not on PyPI
    TFMessage = tf2_ros = None

TOPICS = ('/tf', '/tf_static')
LATCHED = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Of each who has told where something is fixed, the last word."""


class Places:
    """Where frames lie in each other: from tf2, or from the node's parameters without it."""

    def __init__(self, node: Node):
        self._mount: Optional[Mount] = None
        self._node = node
        self._buffer: Any = tf2_ros.Buffer() if tf2_ros is not None else None
        self._subscriptions: Dict[str, Any] = {}
        self.listen(TOPICS)

    def take(self, mount: Mount, use_tf: bool) -> None:
        """Take in the node's parameters: the lidar's mount, and whether it asks tf2 instead."""
        self._mount = mount if self._buffer is None or not use_tf else None

    def listen(self, topics: Collection[str]) -> None:
        """Hear transforms on these topics alone: robots in namespaces may each have their own."""
        # tf2's own listener knows one name for each, for as long as it lives.
        if self._buffer is None or not topics or set(topics) == self._subscriptions.keys():
            return
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)
        self._buffer.clear()
        self._subscriptions = {topic: self._subscribe(topic) for topic in topics}

    def _subscribe(self, topic: str) -> Any:
        is_static = topic.endswith('_static')
        take = self._buffer.set_transform_static if is_static else self._buffer.set_transform

        def hear(message: TFMessage) -> None:
            for transform in message.transforms:
                take(transform, topic)
        return self._node.create_subscription(
            TFMessage, topic, hear, LATCHED if is_static else 100)

    def forget(self) -> None:
        """Forget what moves: the clock was set back."""
        if self._buffer is not None:
            self._buffer.clear()

    def find(self, target: str, source: str) -> Optional[Pose]:
        """Return the place of a frame in another; None where nobody knows."""
        if target == source:
            return IDENTITY
        found = self._find(target, source)
        return transform_pose(found) if found is not None else None

    def lidar(self, base: str, scan: str) -> Optional[Mount]:
        """Return how the lidar is mounted; None where nobody knows yet."""
        if self._mount is not None or self._buffer is None:
            return self._mount
        found = self._find(base, scan)
        return mount_of(found) if found is not None else None

    def _find(self, target: str, source: str) -> Any:
        if self._buffer is None:
            return None
        try:
            # The newest: what is between map and odometry, and on the robot, hardly moves.
            return self._buffer.lookup_transform(target, source, Time()).transform
        except tf2_ros.TransformException:
            return None
