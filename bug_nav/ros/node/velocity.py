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

"""Velocity commands out."""

from __future__ import annotations

import math
import time
from typing import Optional

from bug_nav.core.interface import STOP, Twist
from bug_nav.ros.conversions import to_twist
from bug_nav.ros.endpoints import Endpoint
from bug_nav.ros.node.guard import Guard
from geometry_msgs.msg import Twist as TwistMsg
from geometry_msgs.msg import TwistStamped
from rclpy.duration import Duration
from rclpy.node import Node

BEAT = 0.08
"""The guard is told no more often than this [s], but for what is new."""
GOODBYE = 1.0
"""The longest time [s] for the last command to go out."""


class Velocity:
    """Publishes on cmd_vel; not managed by the lifecycle, for a stop must always go out."""

    def __init__(self, node: Node, stamped: bool, frame_id: str, topic: str = 'cmd_vel',
                 guard: Optional[Guard] = None):
        """Make the publisher, of TwistStamped where ``stamped``; ``guard`` is told of it."""
        self._node, self._stamped, self._frame_id = node, stamped, frame_id
        kind = TwistStamped if stamped else TwistMsg
        self._publisher = node.create_publisher(kind, topic, 1)
        self._moving = self._greeted = False
        self._guard, self._beat_at = guard, -math.inf
        if guard is not None:
            guard.watch(node, self._publisher.topic_name, stamped, frame_id)

    @property
    def endpoint(self) -> Endpoint:
        """Return this node's end of the topic."""
        return Endpoint(self._publisher.topic_name, self._publisher.msg_type)

    @property
    def listeners(self) -> int:
        """Return how many subscribers there are."""
        return self._publisher.get_subscription_count()

    def send(self, command: Twist) -> None:
        """Send a command."""
        moving = command != STOP
        if moving != self._moving:
            self._moving, self._beat_at = moving, -math.inf
        self.beat()
        twist = to_twist(command)
        if not self._stamped:
            return self._publisher.publish(twist)
        message = TwistStamped(twist=twist)
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.header.frame_id = self._frame_id
        self._publisher.publish(message)

    def stop(self) -> None:
        """Send a zero velocity."""
        self.send(STOP)

    def beat(self) -> None:
        """Tell the guard that the node is well; without a guard, nobody."""
        now = time.monotonic()
        if self._guard is not None and now - self._beat_at >= BEAT:
            self._beat_at = now
            self._guard.beat(self._moving)

    def greet(self) -> None:
        """Send a zero once the first listener is there: it may follow a node that has died."""
        if not self._greeted and self.listeners:
            self._greeted = True
            if not self._moving:
                self.stop()

    def flush(self, timeout: float) -> None:
        """Wait until the listeners have what was sent, for ``timeout`` [s] at most."""
        self._publisher.wait_for_all_acked(Duration(seconds=timeout))

    def close(self) -> None:
        """Destroy the publisher, once its last command has arrived."""
        self.flush(GOODBYE)
        self._node.destroy_publisher(self._publisher)
