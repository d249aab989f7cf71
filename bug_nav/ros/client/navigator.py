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

For example::

    rclpy.init()
    navigator = BugNavigator()
    navigator.waitUntilReady(10.0)
    navigator.goToPose(navigator.makePose(3.0, 1.0))
    while not navigator.isTaskComplete():
        print(navigator.getFeedback())
    print(navigator.getResult(), navigator.outcome, navigator.message)

What BasicNavigator does with a map is not here.
"""

from __future__ import annotations

from collections import deque
import enum
import math
import time
from typing import Any, Callable, Deque, List, Optional, Sequence

from action_msgs.msg import GoalStatus
from bug_nav.core.interface import Outcome
from bug_nav.ros.conversions import to_duration, to_quaternion
from bug_nav.ros.lifecycle import LifecycleClient
from bug_nav.ros.process import LOOK, spin_until
from bug_nav.ros.results import outcome_of
from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

ANSWER_TIMEOUT = 5.0
"""How long to wait for the answer to a request [s]."""
AGAIN = 1.0
"""Whether a server answers is asked as often [s] until it does."""


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
_OTHERS_WILL = (NavigateBug.Result.CANCELED, NavigateBug.Result.SUPERSEDED)
"""Somebody wants the robot to do something else: no further waypoint is sent."""


class BugNavigator(Node):
    """
    Sends goals to the node ``bug_navigator``, one at a time.

    A task is one goal, or waypoints one after the other. The client spins itself, in its
    methods. ``interrupted`` is asked while a method waits: when it tells True, the method gives
    up.
    """

    def __init__(self, node_name: str = 'bug_nav_client',
                 interrupted: Callable[[], bool] = lambda: False,
                 navigator: str = 'bug_navigator', **kwargs: Any):
        """
        Make the client of the node ``navigator``.

        Further arguments, such as ``namespace``, are those of the client's own node.
        """
        super().__init__(node_name, **kwargs)
        self._interrupted = interrupted
        # One of its own: the global one would be shared with whatever else runs in the process.
        self._own_executor = SingleThreadedExecutor(context=self.context)
        self._own_executor.add_node(self)
        self._client = ActionClient(self, NavigateBug, 'navigate_bug')
        self._lifecycle = LifecycleClient(self, navigator, self._spin_until)
        self._answered, self._ask_at = False, -math.inf
        self._handle: Any = None
        self._endings: List[Future] = []
        """Those of the goals of this task that were sent."""
        self._waypoints: Deque[NavigateBug.Goal] = deque()
        """Those of this task that were not."""
        self._stop_on_failure = True
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
        """Wait until the action's server is there and answers; tell whether it does."""
        deadline = time.monotonic() + timeout
        if not self.isReady():
            self._answered = False
        return (self._spin_until(self.isReady, timeout)
                and self._spin_until(self._is_answered, deadline - time.monotonic()))

    def isReady(self) -> bool:
        """Tell whether the action's server is there."""
        return self._client.server_is_ready()

    def waitUntilActive(self, timeout: float = math.inf) -> bool:
        """Wait until the navigator takes goals; tell whether it does."""
        deadline = time.monotonic() + timeout
        # A look is short: the first answer of a node that has just been found may be lost.
        return (self._spin_until(lambda: self._lifecycle.is_active(min(timeout, 1.0)), timeout)
                and self.waitUntilReady(deadline - time.monotonic()))

    def lifecycleStartup(self) -> bool:
        """
        Configure and activate the navigator; tell whether it is active.

        It needs no lifecycle manager, and does not ask one that has the navigator in its care.
        """
        return self._lifecycle.start_up(ANSWER_TIMEOUT)

    def lifecycleShutdown(self) -> bool:
        """
        Stop the robot and shut the navigator down for good; tell whether it has.

        Its process goes on, with a node that takes nothing any more.
        """
        return self._lifecycle.shut_down(ANSWER_TIMEOUT)

    def goToPose(self, pose: PoseStamped, algorithm: str = '', *, turn_direction: str = '',
                 time_allowance: float = 0.0, xy_goal_tolerance: float = 0.0,
                 yaw_goal_tolerance: float = 0.0, align_yaw: bool = False) -> bool:
        """
        Send a goal; what is empty or 0 is left to the navigator's parameters.

        Return whether it was accepted: only a node that is not active rejects a goal. A goal
        that was sent before is replaced. Raises TimeoutError where no answer comes.
        """
        return self._begin([goal_message(
            pose, algorithm, turn_direction=turn_direction, time_allowance=time_allowance,
            xy_goal_tolerance=xy_goal_tolerance, yaw_goal_tolerance=yaw_goal_tolerance,
            align_yaw=align_yaw)])

    def followWaypoints(self, poses: Sequence[PoseStamped], algorithm: str = '', *,
                        stop_on_failure: bool = True, **options: Any) -> bool:
        """
        Drive to one pose after the other, as goToPose does and with its options.

        Return whether the first was accepted; `isTaskComplete` sends each of the others as soon
        as its turn has come. A waypoint that is not reached ends the task, unless
        ``stop_on_failure`` is False; a cancel and a newer goal of somebody else always do.
        """
        return self._begin([goal_message(pose, algorithm, **options) for pose in poses],
                           stop_on_failure)

    def cancelTask(self, timeout: float = ANSWER_TIMEOUT) -> bool:
        """Ask the navigator to stop, wait until it has ended the goal, tell whether it has."""
        self._waypoints.clear()
        if self._is_complete:
            return True
        self._handle.cancel_goal_async()
        # Also after an interrupt, for that is when goals are cancelled.
        return bool(spin_until(self._own_executor, lambda: self._is_complete, timeout))

    def isTaskComplete(self) -> bool:
        """
        Look at what has come, for a moment at most; tell whether the task has ended.

        Raises TimeoutError where no answer comes to a waypoint that is sent here; the next call
        sends it again.
        """
        if self._endings and not self._endings[-1].done():
            self.spin()
        if self._endings and self._endings[-1].done() and self._waypoints:
            self._go_on()
        return self._is_complete

    def getFeedback(self) -> Optional[NavigateBug.Feedback]:
        """Return the newest feedback of this goal or waypoint, None before the first."""
        return self._feedback

    @property
    def current_waypoint(self) -> int:
        """Return the number of the waypoint that is or was last driven to, from 0."""
        return max(len(self._endings) - 1, 0)

    @property
    def missed_waypoints(self) -> List[int]:
        """Return the numbers of the waypoints that were driven to and not reached."""
        return [i for i, ending in enumerate(self._endings)
                if ending.done() and ending.result().status != GoalStatus.STATUS_SUCCEEDED]

    def getResult(self) -> TaskResult:
        """Return how the task ended; UNKNOWN while it runs, FAILED if a waypoint was missed."""
        if self._last is None:
            return TaskResult.UNKNOWN
        result = _TASK_RESULTS.get(self._last.status, TaskResult.UNKNOWN)
        if result is TaskResult.SUCCEEDED and self.missed_waypoints:
            return TaskResult.FAILED
        return result

    @property
    def result(self) -> Optional[NavigateBug.Result]:
        """Return the action's result, that of the last goal; None while the task runs."""
        return self._last.result if self._last is not None else None

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

    def spin(self, timeout: float = LOOK) -> None:
        """Look at what has come; wait for it for ``timeout`` [s] at most."""
        self._own_executor.spin_once(timeout_sec=timeout)

    def destroy_node(self) -> None:
        """Take the client and the node apart."""
        self._own_executor.shutdown(timeout_sec=1.0)
        self._client.destroy()
        self._lifecycle.close()
        super().destroy_node()

    # ---- a task -------------------------------------------------------------------------------

    @property
    def _is_complete(self) -> bool:
        return not self._waypoints and (not self._endings or bool(self._endings[-1].done()))

    @property
    def _last(self) -> Any:
        """Return what came at the end of the task; None while it runs, or without one."""
        return self._endings[-1].result() if self._endings and self._is_complete else None

    def _begin(self, goals: Sequence[NavigateBug.Goal], stop_on_failure: bool = True) -> bool:
        if not goals:
            raise ValueError('there is no waypoint to drive to; give one or more')
        self._endings, self._stop_on_failure = [], stop_on_failure
        self._waypoints.clear()
        if not self._send(goals[0]):
            return False
        self._waypoints.extend(goals[1:])
        return True

    def _go_on(self) -> None:
        """Send the next waypoint, unless the task ends with the one before."""
        ended = self._endings[-1].result()
        if ended.status != GoalStatus.STATUS_SUCCEEDED and (
                self._stop_on_failure or ended.result.outcome in _OTHERS_WILL):
            self._waypoints.clear()
        elif self._send(self._waypoints[0]):
            self._waypoints.popleft()
        else:
            self._waypoints.clear()
            self._endings.append(_rejection())

    def _send(self, goal: NavigateBug.Goal) -> bool:
        """Send a goal; return whether it was accepted."""
        self._handle = self._feedback = None
        sent = self._client.send_goal_async(goal, feedback_callback=self._on_feedback)
        # Not given up after an interrupt: what was accepted has to be cancelled, and that takes
        # the answer.
        if not spin_until(self._own_executor, sent.done, ANSWER_TIMEOUT):
            raise TimeoutError(f'no answer to the goal within {ANSWER_TIMEOUT:g} s')
        handle = sent.result()
        if not handle.accepted:
            return False
        self._handle = handle
        self._endings.append(handle.get_result_async())
        return True

    def _is_answered(self) -> bool:
        """
        Ask for the result of a goal that nobody knows; tell whether an answer has come.

        A server that has just been found may know the client less well than the client knows it,
        and then its answers are lost: that to a goal, which it has begun to drive to, as well.
        """
        if not self._answered and time.monotonic() >= self._ask_at:
            self._ask_at = time.monotonic() + AGAIN
            unknown = NavigateBug.Impl.GetResultService.Request().goal_id
            ClientGoalHandle(self._client, unknown, NavigateBug.Impl.SendGoalService.Response()
                             ).get_result_async().add_done_callback(self._on_answer)
        return self._answered

    def _on_answer(self, _: Future) -> None:
        self._answered = True

    def _on_feedback(self, message: Any) -> None:
        self._feedback = message.feedback

    def _spin_until(self, done: Callable[[], bool], timeout: float) -> bool:
        return spin_until(self._own_executor, lambda: (
            'done' if done() else 'interrupted' if self._interrupted() else ''), timeout) == 'done'


def goal_message(pose: PoseStamped, algorithm: str, *, turn_direction: str = '',
                 time_allowance: float = 0.0, xy_goal_tolerance: float = 0.0,
                 yaw_goal_tolerance: float = 0.0, align_yaw: bool = False) -> NavigateBug.Goal:
    """Return a goal; what is empty or 0 is left to the navigator's parameters."""
    return NavigateBug.Goal(
        pose=pose, algorithm=algorithm, turn_direction=turn_direction,
        time_allowance=to_duration(time_allowance), xy_goal_tolerance=float(xy_goal_tolerance),
        yaw_goal_tolerance=float(yaw_goal_tolerance), align_yaw=align_yaw)


def _rejection() -> Future:
    """Return the end of a waypoint that was rejected: the node is not active any more."""
    ending = Future()
    ending.set_result(NavigateBug.Impl.GetResultService.Response(
        status=GoalStatus.STATUS_ABORTED, result=NavigateBug.Result(
            outcome=NavigateBug.Result.CANCELED, outcome_name=Outcome.CANCELED.name,
            error_msg='the node is not active')))
    return ending
