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

"""Transforms between frames: from tf2, or from the node's parameters."""

from __future__ import annotations

from typing import Any, Collection, Dict, Optional

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.recording.sensor_messages import Mount, mount_from_transform, transform_pose
from bug_nav.ros.qos import STATIC_TRANSFORMS
from rclpy.node import Node
from rclpy.time import Time

try:
    from tf2_msgs.msg import TFMessage
    import tf2_ros
except ImportError:  # not on PyPI
    TFMessage = tf2_ros = None

TOPICS = ('/tf', '/tf_static')


class FrameLookup:
    """Looks up transforms in tf2, or in the node's parameters without it."""

    def __init__(self, node: Node):
        self._fixed_mount: Optional[Mount] = None
        self._node = node
        self._buffer: Any = tf2_ros.Buffer() if tf2_ros is not None else None
        self._subscriptions: Dict[str, Any] = {}
        self.set_topics(TOPICS)

    def configure(self, mount: Mount, use_tf: bool) -> None:
        """Set the node's parameters: the lidar's mount, and whether the node uses tf2 instead."""
        self._fixed_mount = mount if self._buffer is None or not use_tf else None

    def set_topics(self, topics: Collection[str]) -> None:
        """Subscribe to these tf topics alone, because namespaced robots may have their own."""
        # The topic names of tf2_ros.TransformListener are fixed.
        if self._buffer is None or not topics or set(topics) == self._subscriptions.keys():
            return
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)
        self._buffer.clear()
        self._subscriptions = {topic: self._subscribe(topic) for topic in topics}

    def _subscribe(self, topic: str) -> Any:
        is_static = topic.endswith('_static')
        store = self._buffer.set_transform_static if is_static else self._buffer.set_transform

        def on_transforms(message: TFMessage) -> None:
            for transform in message.transforms:
                store(transform, topic)
        return self._node.create_subscription(
            TFMessage, topic, on_transforms, STATIC_TRANSFORMS if is_static else 100)

    def clear(self) -> None:
        """Clear the dynamic transforms, after the clock jumped back."""
        if self._buffer is not None:
            self._buffer.clear()

    def find(self, target: str, source: str) -> Optional[Pose]:
        """Return the pose of ``source`` in ``target``, None if unknown."""
        if target == source:
            return IDENTITY
        found = self._find(target, source)
        return transform_pose(found) if found is not None else None

    def lidar(self, base: str, scan: str) -> Optional[Mount]:
        """Return the lidar's mount, None while unknown."""
        if self._fixed_mount is not None or self._buffer is None:
            return self._fixed_mount
        found = self._find(base, scan)
        return mount_from_transform(found) if found is not None else None

    def _find(self, target: str, source: str) -> Any:
        if self._buffer is None:
            return None
        try:
            # The newest is accurate enough: map to odom and the robot's own frames hardly move.
            return self._buffer.lookup_transform(target, source, Time()).transform
        except tf2_ros.TransformException:
            return None
