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

"""
Transforms of /tf and /tf_static: in a buffer of tf2, or in a `FrameTree` without tf2.

ROS 2 from PyPI lacks both; its environment builds tf2_msgs.
"""

from __future__ import annotations

import math
from typing import Any, Union

from bug_nav.messages.frame_tree import FrameGap, FrameTree, TF_STATIC
from bug_nav.messages.sensor_messages import seconds, transform_matrix
from bug_nav.ros.qos import STATIC_TRANSFORMS
import numpy as np
from rclpy.node import Node
from rclpy.subscription import Subscription
from rclpy.time import Time
from tf2_msgs.msg import TFMessage

try:
    import tf2_ros
except ImportError:  # not on PyPI
    tf2_ros = None

QUEUE_DEPTH = 100
"""Queue depth of /tf, as in tf2."""


class Tf2Tree:
    """Buffer of tf2, with the interface of a `FrameTree`."""

    def __init__(self) -> None:
        """Start without frames."""
        self._buffer = tf2_ros.Buffer()

    def add(self, message: Any, *, is_static: bool = False) -> None:
        """Add the transforms of a `tf2_msgs/TFMessage`, from /tf_static if ``is_static``."""
        store = self._buffer.set_transform_static if is_static else self._buffer.set_transform
        for each in message.transforms:
            store(each, 'bug_nav')

    def place(self, target: str, source: str) -> np.ndarray:
        """Return the newest transform of ``source`` in ``target``, (4, 4); FrameGap if unknown."""
        return transform_matrix(self._find(target, source).transform)

    def stamp(self, target: str, source: str) -> float:
        """Return the stamp of that transform [s], infinity for a static one; FrameGap."""
        return seconds(self._find(target, source).header.stamp) or math.inf

    def clear(self) -> None:
        """Remove the dynamic transforms."""
        self._buffer.clear()

    def _find(self, target: str, source: str) -> Any:
        try:
            return self._buffer.lookup_transform(target, source, Time())
        except tf2_ros.TransformException as error:
            raise FrameGap(str(error).rstrip('. ')) from error


Tree = Union[Tf2Tree, FrameTree]


def make_tree() -> Tree:
    """Return an empty tree of frames."""
    return FrameTree() if tf2_ros is None else Tf2Tree()


def subscribe(node: Node, topic: str, tree: Tree, **options: Any) -> Subscription:
    """Subscribe to a topic of transforms, which are added to a tree."""
    is_static = topic.endswith(TF_STATIC[1:])

    def store(message: Any) -> None:
        tree.add(message, is_static=is_static)
    return node.create_subscription(
        TFMessage, topic, store, STATIC_TRANSFORMS if is_static else QUEUE_DEPTH, **options)
