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

"""Transforms between frames: from /tf and /tf_static, or from the node's parameters."""

from __future__ import annotations

from typing import Collection, Dict, Optional

from bug_nav.messages.frame_tree import FrameGap, TF, TF_STATIC
from bug_nav.messages.sensor_messages import Mount, mount_from_matrix, planar_from_matrix
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.ros.transforms import make_tree, subscribe
import numpy as np
from rclpy.node import Node
from rclpy.subscription import Subscription


class FrameLookup:
    """Looks up transforms from the topics, or in the node's parameters."""

    def __init__(self, node: Node):
        self._fixed_mount: Optional[Mount] = None
        self._node, self._tree = node, make_tree()
        self._subscriptions: Dict[str, Subscription] = {}
        self.set_topics((TF, TF_STATIC))

    def configure(self, mount: Mount, use_tf: bool) -> None:
        """Set the node's parameters: the lidar's mount, and whether it uses transforms instead."""
        self._fixed_mount = None if use_tf else mount

    def set_topics(self, topics: Collection[str]) -> None:
        """Subscribe to these topics alone, because namespaced robots may have their own."""
        if not topics or set(topics) == self._subscriptions.keys():
            return
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)
        self._tree = make_tree()
        self._subscriptions = {
            topic: subscribe(self._node, topic, self._tree) for topic in topics}

    def clear(self) -> None:
        """Clear the dynamic transforms, after the clock jumped back."""
        self._tree.clear()

    def find(self, target: str, source: str) -> Optional[Pose]:
        """Return the pose of ``source`` in ``target``, None if unknown."""
        if target == source:
            return IDENTITY
        found = self._find(target, source)
        return planar_from_matrix(found) if found is not None else None

    def lidar(self, base: str, scan: str) -> Optional[Mount]:
        """Return the lidar's mount, None while unknown."""
        if self._fixed_mount is not None:
            return self._fixed_mount
        found = self._find(base, scan)
        return mount_from_matrix(found) if found is not None else None

    def _find(self, target: str, source: str) -> Optional[np.ndarray]:
        """Return the newest transform, because map and odom, and parts of a robot, hardly move."""
        try:
            return self._tree.place(target, source)
        except FrameGap:
            return None
