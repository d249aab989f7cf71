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

"""Shows a running robot to others, and takes their goals, in a thread of its own."""

from __future__ import annotations

import threading
import time
import traceback
from typing import Dict, List, Optional, Tuple

from bug_nav.ros.client.ear import Ear
from bug_nav.ros.client.orders import Orders
from bug_nav.ros.client.session import absolute_namespace
from bug_nav.ros.client.sights import Document
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

WAIT = 0.1
"""The thread looks as often [s] whether it shall end."""
CLOSING = 2.0
"""It may take as long [s] to do so."""


class LiveRobot:
    """
    The robot of a running node: what is heard of it, and goals for it.

    Any thread may ask and command. What is asked for is there already: a thread that this object
    has for itself hears and speaks, and waits for nobody. Closing it stops nothing but itself.
    """

    def __init__(self, namespace: str = ''):
        """Begin to listen; ValueError for a namespace that ROS does not take."""
        namespace = absolute_namespace(namespace)
        self._context = Context()
        # With rclpy's own handlers, Ctrl-C would end this before the page has been told.
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        try:
            # SROS2 knows this name: it may do what a client may.
            node = rclpy.create_node('bug_nav_client', namespace=namespace, context=self._context)
            self._executor = SingleThreadedExecutor(context=self._context)
            self._executor.add_node(node)
            self._node, self._ear = node, Ear(node)
            self._orders = Orders(node, self._ear)
        except BaseException:
            rclpy.try_shutdown(context=self._context)
            raise
        self._is_closing = False
        self._thread = threading.Thread(target=self._spin, name='bug_nav live', daemon=True)
        self._thread.start()

    @property
    def told(self) -> Dict[str, Document]:
        """Return the newest document of each type; each is replaced by another, never changed."""
        return dict(self._ear.told)

    @property
    def heard(self) -> Dict[str, Optional[float]]:
        """Return for how long [s] odometry, scan and node have been silent; None: ever since."""
        now = time.monotonic()
        return {name: None if at is None else round(now - at, 2)
                for name, at in self._ear.heard.items()}

    def news(self, after: int) -> List[Tuple[int, Document]]:
        """Return the results and errors with a number above ``after``, the oldest first."""
        return [each for each in tuple(self._ear.news) if each[0] > after]

    def go(self, x: float, y: float, yaw: Optional[float] = None, algorithm: str = '',
           turn: str = '') -> None:
        """Send a goal, in the frame that is shown; what becomes of it is news."""
        self._executor.create_task(self._orders.send, x, y, yaw, algorithm, turn)

    def cancel(self) -> None:
        """Have the node end its goal, whoever has sent it."""
        self._executor.create_task(self._orders.cancel)

    def close(self) -> None:
        """End the thread; what the robot does goes on."""
        self._is_closing = True
        self._executor.wake()
        self._thread.join(CLOSING)
        if not self._thread.is_alive():
            self._executor.shutdown(timeout_sec=1.0)
            self._orders.close()
            self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def _spin(self) -> None:
        while not self._is_closing and self._context.ok():
            try:
                self._executor.spin_once(timeout_sec=WAIT)
            except Exception:  # a message that nobody has thought of must not make it deaf
                self._node.get_logger().error(traceback.format_exc(), throttle_duration_sec=10.0)
