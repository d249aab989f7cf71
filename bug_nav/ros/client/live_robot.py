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

"""Access to a running robot from other threads: its documents and its goals."""

from __future__ import annotations

import threading
import time
import traceback
from typing import Dict, List, Optional, Tuple

from bug_nav.ros.client.goal_sender import GoalSender
from bug_nav.ros.client.robot_monitor import RobotMonitor
from bug_nav.ros.client.session import absolute_namespace
from bug_nav.ros.client.web_messages import Document
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

STOP_CHECK_PERIOD = 0.1
"""Period at which the thread checks whether to stop [s]."""
CLOSE_TIMEOUT = 2.0
"""Maximum time to wait for the thread to stop [s]."""


class LiveRobot:
    """
    The robot of a running node: its newest documents, and goals for it.

    All methods are thread-safe and return at once: a thread of this object spins the node.
    Closing it does not stop the robot.
    """

    def __init__(self, namespace: str = ''):
        """Start the thread; ValueError for an invalid namespace."""
        namespace = absolute_namespace(namespace)
        self._context = Context()
        # rclpy's own handlers would shut this down on Ctrl-C before the page is notified.
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        try:
            # The SROS2 policies grant a client's permissions to this name.
            node = rclpy.create_node('bug_nav_client', namespace=namespace, context=self._context)
            self._executor = SingleThreadedExecutor(context=self._context)
            self._executor.add_node(node)
            self._node, self._monitor = node, RobotMonitor(node)
            self._sender = GoalSender(node, self._monitor)
        except BaseException:
            rclpy.try_shutdown(context=self._context)
            raise
        self._is_closing = False
        self._thread = threading.Thread(target=self._spin, name='bug_nav live', daemon=True)
        self._thread.start()

    @property
    def documents(self) -> Dict[str, Document]:
        """Return the newest document of each type; each is replaced by another, never changed."""
        return dict(self._monitor.documents)

    @property
    def ages(self) -> Dict[str, Optional[float]]:
        """Return the age [s] of the last odometry, scan and node message, None for none."""
        now = time.monotonic()
        return {name: None if at is None else round(now - at, 2)
                for name, at in self._monitor.last_received.items()}

    def news(self, after: int) -> List[Tuple[int, Document]]:
        """Return the results and errors with a number above ``after``, oldest first."""
        return [each for each in tuple(self._monitor.news) if each[0] > after]

    def go(self, x: float, y: float, yaw: Optional[float] = None, algorithm: str = '',
           turn: str = '') -> None:
        """Send a goal in the displayed frame; `news` reports its result."""
        self._executor.create_task(self._sender.send, x, y, yaw, algorithm, turn)

    def cancel(self) -> None:
        """Cancel the node's goal, from any client."""
        self._executor.create_task(self._sender.cancel)

    def close(self) -> None:
        """Stop the thread, not the robot."""
        self._is_closing = True
        self._executor.wake()
        self._thread.join(CLOSE_TIMEOUT)
        if not self._thread.is_alive():
            self._executor.shutdown(timeout_sec=1.0)
            self._sender.close()
            self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def _spin(self) -> None:
        while not self._is_closing and self._context.ok():
            try:
                self._executor.spin_once(timeout_sec=STOP_CHECK_PERIOD)
            except Exception:  # an unexpected message must not stop the thread
                self._node.get_logger().error(traceback.format_exc(), throttle_duration_sec=10.0)
