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

"""Publishes velocity commands."""

from __future__ import annotations

import math
import time
from typing import Optional

from bug_nav.navigation.types import STOP, Twist
from bug_nav.ros.conversions import to_twist
from bug_nav.ros.endpoints import Endpoint
from bug_nav.ros.stop_process import patience, StopProcess
from geometry_msgs.msg import Twist as TwistMsg
from geometry_msgs.msg import TwistStamped
from rclpy.duration import Duration
from rclpy.node import Node

BEAT_SHARE = 0.25
"""Minimum period of heartbeats while moving or standing [patience of the stop process]."""
FLUSH_TIMEOUT = 1.0
"""Maximum time to deliver the last command [s]."""


class Velocity:
    """Publishes on cmd_vel in any lifecycle state, because a stop must always be sent."""

    def __init__(self, node: Node, stamped: bool, frame_id: str, topic: str = 'cmd_vel',
                 stop_process: Optional[StopProcess] = None):
        """Create the publisher, of TwistStamped if ``stamped``, and configure ``stop_process``."""
        self._node, self._stamped, self._frame_id = node, stamped, frame_id
        kind = TwistStamped if stamped else TwistMsg
        self._publisher = node.create_publisher(kind, topic, 1)
        self._moving, self._speed = False, 0.0
        self._subscribers, self._owes_stop = 0, True
        self._stop_process, self._last_beat = stop_process, -math.inf
        if stop_process is not None:
            stop_process.configure(node, self._publisher.topic_name, stamped, frame_id)

    def destroy(self) -> None:
        """Destroy the node of the publisher."""
        self._node.destroy_node()

    @property
    def endpoint(self) -> Endpoint:
        """Return this node's endpoint of the topic."""
        return Endpoint(self._publisher.topic_name, self._publisher.msg_type)

    @property
    def subscriber_count(self) -> int:
        """Return the number of subscribers."""
        return self._publisher.get_subscription_count()

    def send(self, command: Twist) -> None:
        """Send a command."""
        moving = command != STOP
        if moving != self._moving:
            self._moving, self._last_beat = moving, -math.inf
        self._speed = math.hypot(command.v, command.u)
        if moving:
            self.beat()
        self._publish(to_twist(command))
        if not moving:  # only a zero that was sent lets the stop process rest
            self.beat()

    def _publish(self, twist: TwistMsg) -> None:
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
        """Send a heartbeat to the stop process, if there is one."""
        now = time.monotonic()
        if (self._stop_process is not None
                and now - self._last_beat >= BEAT_SHARE * patience(self._speed)):
            self._last_beat = now
            self._stop_process.beat(self._moving, self._speed, self.subscriber_count)

    def stop_once_connected(self) -> None:
        """
        Send a zero to the first subscriber, which may execute a dead node's last command.

        A robot that was lost and returns, as after a network failure, may have missed the last.
        """
        count, before = self.subscriber_count, self._subscribers
        self._subscribers = count
        if count < before:
            self._owes_stop = True
        elif count > before and self._owes_stop:
            self._owes_stop = False
            if not self._moving:
                self.stop()

    def flush(self, timeout: float) -> None:
        """Wait until the subscribers have acknowledged, for at most ``timeout`` [s]."""
        self._publisher.wait_for_all_acked(Duration(seconds=timeout))

    def close(self) -> None:
        """Destroy the publisher after its last command has arrived."""
        self.flush(FLUSH_TIMEOUT)
        self._node.destroy_publisher(self._publisher)
