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
A client of the action ``navigate_bug``, in the shape of Nav2's BasicNavigator.

    rclpy.init()
    navigator = BugNavigator()
    navigator.waitUntilReady(10.0)
    navigator.goToPose(navigator.makePose(3.0, 1.0))
    while not navigator.isTaskComplete():
        print(navigator.getFeedback())
    print(navigator.getResult(), navigator.outcome, navigator.message)
"""

from __future__ import annotations

import enum
import math
import time
from typing import Any, Callable, Optional

from action_msgs.msg import GoalStatus
from bug_nav.interface import Outcome
from bug_nav.ros.conversions import to_duration, to_quaternion
from bug_nav.ros.results import outcome_of
from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

SPIN = 0.05
"""How long one look at the messages may last [s]."""
ANSWER_TIMEOUT = 5.0
"""How long to wait for the answer to a request [s]."""


class TaskResult(enum.Enum):
    """How a task ended, with Nav2's names and numbers."""

    UNKNOWN = 0
    SUCCEEDED = 1
    CANCELED = 2
    FAILED = 3


_TASK_RESULTS = {
    GoalStatus.STATUS_SUCCEEDED: TaskResult.SUCCEEDED,
    GoalStatus.STATUS_CANCELED: TaskResult.CANCELED,
    GoalStatus.STATUS_ABORTED: TaskResult.FAILED,
}


class BugNavigator(Node):
    """
    Sends goals to the node ``bug_navigator``, one at a time.

    It spins itself, in its methods. ``interrupted`` is asked while a method waits: when it tells
    True, the method gives up.
    """

    def __init__(self, node_name: str = 'bug_nav_client',
                 interrupted: Callable[[], bool] = lambda: False, **kwargs: Any):
        """Make the client; further arguments, such as ``namespace``, are the node's."""
        super().__init__(node_name, **kwargs)
        self._interrupted = interrupted
        # One of its own: the global one would be shared with whatever else runs in the process.
        self._own_executor = SingleThreadedExecutor()
        self._own_executor.add_node(self)
        self._client = ActionClient(self, NavigateBug, 'navigate_bug')
        self._handle: Any = None
        self._ending: Any = None
        self._feedback: Optional[NavigateBug.Feedback] = None

    @property
    def action_name(self) -> str:
        """Return the action's name, in its namespace."""
        namespace = self.get_namespace().rstrip('/')
        return f'{namespace}/navigate_bug'

    def makePose(self, x: float, y: float, yaw: float = 0.0, frame_id: str = '') -> PoseStamped:
        """Return a pose; an empty frame means the navigator's global frame."""
        pose = PoseStamped()
        pose.header.frame_id = frame_id
        pose.pose.position.x, pose.pose.position.y = float(x), float(y)
        pose.pose.orientation = to_quaternion(yaw)
        return pose

    def waitUntilReady(self, timeout: float = math.inf) -> bool:
        """Wait until the action's server is there; tell whether it is."""
        return self._spin_until(self.isReady, timeout)

    def isReady(self) -> bool:
        """Tell whether the action's server is there."""
        return self._client.server_is_ready()

    def goToPose(self, pose: PoseStamped, algorithm: str = '', *, turn_direction: str = '',
                 time_allowance: float = 0.0, xy_goal_tolerance: float = 0.0,
                 yaw_goal_tolerance: float = 0.0, align_yaw: bool = False) -> bool:
        """
        Send a goal; what is empty or 0 is left to the navigator's parameters.

        Return whether it was accepted: only a node that is not active rejects a goal. A goal
        that was sent before is replaced. Raises TimeoutError where no answer comes.
        """
        goal = NavigateBug.Goal(
            pose=pose, algorithm=algorithm, turn_direction=turn_direction,
            time_allowance=to_duration(time_allowance),
            xy_goal_tolerance=float(xy_goal_tolerance),
            yaw_goal_tolerance=float(yaw_goal_tolerance), align_yaw=align_yaw)
        self._handle = self._ending = self._feedback = None
        sent = self._client.send_goal_async(goal, feedback_callback=self._on_feedback)
        # Not given up after an interrupt: what was accepted has to be cancelled, and that takes
        # the answer.
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while not sent.done():
            if time.monotonic() > deadline:
                raise TimeoutError(f'no answer to the goal within {ANSWER_TIMEOUT:g} s')
            self.spin()
        handle = sent.result()
        if not handle.accepted:
            return False
        self._handle = handle
        self._ending = handle.get_result_async()
        return True

    def cancelTask(self, timeout: float = ANSWER_TIMEOUT) -> bool:
        """Ask the navigator to stop, wait until it has ended the goal, tell whether it has."""
        if self._handle is None or self._ending is None or self._ending.done():
            return True
        self._handle.cancel_goal_async()
        deadline = time.monotonic() + timeout
        while not self._ending.done() and time.monotonic() < deadline:
            self.spin()  # also after an interrupt, for that is when goals are cancelled
        return bool(self._ending.done())

    def isTaskComplete(self) -> bool:
        """Look at what has come, for a moment at most; tell whether the goal has ended."""
        if self._ending is None:
            return True
        if not self._ending.done():
            self.spin()
        return bool(self._ending.done())

    def getFeedback(self) -> Optional[NavigateBug.Feedback]:
        """Return the newest feedback of this goal, None before the first."""
        return self._feedback

    def getResult(self) -> TaskResult:
        """Return how the task ended; UNKNOWN while it runs."""
        if self._ending is None or not self._ending.done():
            return TaskResult.UNKNOWN
        return _TASK_RESULTS.get(self._ending.result().status, TaskResult.UNKNOWN)

    @property
    def result(self) -> Optional[NavigateBug.Result]:
        """Return the action's result with all that it tells; None while the task runs."""
        if self._ending is None or not self._ending.done():
            return None
        return self._ending.result().result

    @property
    def outcome(self) -> Optional[Outcome]:
        """Return the verdict; None while the task runs, or for one that is not known here."""
        try:
            return outcome_of(self.result.outcome) if self.result is not None else None
        except ValueError:
            return None

    @property
    def message(self) -> str:
        """Return what the navigator says about the outcome; empty for REACHED."""
        return self.result.error_msg if self.result is not None else ''

    def spin(self, timeout: float = SPIN) -> None:
        """Look at what has come; wait for it for ``timeout`` [s] at most."""
        self._own_executor.spin_once(timeout_sec=timeout)

    def destroy_node(self) -> None:
        """Take the client and the node apart."""
        self._own_executor.shutdown(timeout_sec=1.0)
        self._client.destroy()
        super().destroy_node()

    def _on_feedback(self, message: Any) -> None:
        self._feedback = message.feedback

    def _spin_until(self, done: Callable[[], bool], timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while not done():
            if self._interrupted() or time.monotonic() > deadline:
                return False
            self.spin()
        return True
