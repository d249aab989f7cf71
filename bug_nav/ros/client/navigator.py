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

The methods of BasicNavigator that need a map are missing.
"""

from __future__ import annotations

from collections import deque
import enum
import math
import time
from typing import Any, Callable, Deque, List, Optional, Sequence
from uuid import uuid4

from action_msgs.msg import GoalStatus
from bug_nav.navigation.types import Outcome
from bug_nav.ros.conversions import to_duration, to_quaternion
from bug_nav.ros.lifecycle import LifecycleClient
from bug_nav.ros.process import POLL_PERIOD, spin_until
from bug_nav.ros.results import outcome_of
from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

ANSWER_TIMEOUT = 5.0
"""Maximum time to wait for the response to a request [s]."""
PROBE_PERIOD = 1.0
"""Period of probing a server until it responds [s]."""


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
_PREEMPTED = (NavigateBug.Result.CANCELED, NavigateBug.Result.SUPERSEDED)
"""Outcomes after which no further waypoint is sent, because another client took over."""


class BugNavigator(Node):
    """
    Sends goals to the node ``bug_navigator``, one at a time.

    A task is one goal or a sequence of waypoints. The client spins itself in its methods. A
    method that waits returns early when ``interrupted`` returns True.
    """

    def __init__(self, node_name: str = 'bug_nav_client',
                 interrupted: Callable[[], bool] = lambda: False,
                 navigator: str = 'bug_navigator', **kwargs: Any):
        """
        Create the client of the node ``navigator``.

        Further arguments, such as ``namespace``, apply to the client's own node.
        """
        super().__init__(node_name, **kwargs)
        self._interrupted = interrupted
        # Its own, because the global executor is shared with the rest of the process.
        self._own_executor = SingleThreadedExecutor(context=self.context)
        self._own_executor.add_node(self)
        self._client = ActionClient(self, NavigateBug, 'navigate_bug')
        self._lifecycle = LifecycleClient(self, navigator, self._spin_until)
        self._answered, self._probe_at = False, -math.inf
        self._handle: Any = None
        self._recall: Optional[Future] = None
        """Cancel request for a goal to which the server has not responded."""
        self._heard_at = -math.inf
        """Time of the last response about the current goal [s]."""
        self._endings: List[Future] = []
        """Results of the goals sent in this task."""
        self._waypoints: Deque[NavigateBug.Goal] = deque()
        """Goals of this task not yet sent."""
        self._stop_on_failure = True
        self._feedback: Optional[NavigateBug.Feedback] = None

    @property
    def action_name(self) -> str:
        """Return the action's name with its namespace."""
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
        """Wait until the action server responds; return whether it does."""
        deadline = time.monotonic() + timeout
        if not self.isReady():
            self._answered = False
        return (self._spin_until(self.isReady, timeout)
                and self._spin_until(self._is_answered, deadline - time.monotonic()))

    def isReady(self) -> bool:
        """Return whether the action server is available."""
        return self._client.server_is_ready()

    def waitUntilActive(self, timeout: float = math.inf) -> bool:
        """Wait until the navigator accepts goals; return whether it does."""
        deadline = time.monotonic() + timeout
        # A short query: the first response of a node that was just discovered may be lost.
        return (self._spin_until(lambda: self._lifecycle.is_active(min(timeout, 1.0)), timeout)
                and self.waitUntilReady(deadline - time.monotonic()))

    def lifecycleStartup(self) -> bool:
        """
        Configure and activate the navigator; return whether it is active.

        This uses no lifecycle manager, not even one that manages the navigator.
        """
        return self._lifecycle.start_up(ANSWER_TIMEOUT)

    def lifecycleShutdown(self) -> bool:
        """
        Stop the robot and shut the navigator down for good; return whether it is finalized.

        Its process keeps running, with a node that accepts no requests.
        """
        return self._lifecycle.shut_down(ANSWER_TIMEOUT)

    def goToPose(self, pose: PoseStamped, algorithm: str = '', *, turn_direction: str = '',
                 time_allowance: float = 0.0, xy_goal_tolerance: float = 0.0,
                 yaw_goal_tolerance: float = 0.0, align_yaw: bool = False) -> bool:
        """
        Send a goal; empty and 0 select the navigator's parameters.

        Return whether it was accepted: only an inactive node rejects a goal. A previous goal is
        replaced. Raises TimeoutError if the server does not respond.
        """
        return self._begin([goal_message(
            pose, algorithm, turn_direction=turn_direction, time_allowance=time_allowance,
            xy_goal_tolerance=xy_goal_tolerance, yaw_goal_tolerance=yaw_goal_tolerance,
            align_yaw=align_yaw)])

    def followWaypoints(self, poses: Sequence[PoseStamped], algorithm: str = '', *,
                        stop_on_failure: bool = True, **options: Any) -> bool:
        """
        Drive to several poses in sequence, with the options of goToPose.

        Return whether the first was accepted; `isTaskComplete` sends each of the others when its
        turn comes. A waypoint that is not reached ends the task, unless ``stop_on_failure`` is
        False. A cancel, or a newer goal from another client, always ends it.
        """
        return self._begin([goal_message(pose, algorithm, **options) for pose in poses],
                           stop_on_failure)

    def cancelTask(self, timeout: float = ANSWER_TIMEOUT) -> bool:
        """Cancel the goal and wait until it has ended; return whether it has."""
        self._waypoints.clear()
        if not self._is_complete:
            self._handle.cancel_goal_async()
        # Also after an interrupt, because that is when goals are cancelled.
        return bool(spin_until(self._own_executor, lambda: self._is_complete and (
            self._recall is None or self._recall.done()), timeout))

    def isTaskComplete(self) -> bool:
        """
        Spin briefly; return whether the task has ended.

        Raises TimeoutError if the server does not respond to a waypoint that is sent here; the
        next call sends it again.
        """
        if self._endings and not self._endings[-1].done():
            self.spin()
            self._check_goal()
        if self._endings and self._endings[-1].done() and self._waypoints:
            self._go_on()
        return self._is_complete

    def getFeedback(self) -> Optional[NavigateBug.Feedback]:
        """Return the newest feedback of the current goal or waypoint, None before the first."""
        return self._feedback

    @property
    def current_waypoint(self) -> int:
        """Return the index of the current or last waypoint, from 0."""
        return max(len(self._endings) - 1, 0)

    @property
    def missed_waypoints(self) -> List[int]:
        """Return the indices of the attempted waypoints that were not reached."""
        return [i for i, ending in enumerate(self._endings)
                if ending.done() and ending.result().status != GoalStatus.STATUS_SUCCEEDED]

    def getResult(self) -> TaskResult:
        """
        Return how the task ended; FAILED if a waypoint was missed.

        UNKNOWN means that it runs or, if it is complete, that the node was restarted meanwhile.
        """
        if self._last is None:
            return TaskResult.UNKNOWN
        result = _TASK_RESULTS.get(self._last.status, TaskResult.UNKNOWN)
        if result is TaskResult.SUCCEEDED and self.missed_waypoints:
            return TaskResult.FAILED
        return result

    @property
    def result(self) -> Optional[NavigateBug.Result]:
        """Return the action result of the last goal, None while the task runs."""
        return self._last.result if self._last is not None else None

    @property
    def outcome(self) -> Optional[Outcome]:
        """Return the outcome, None while the task runs or if it is unknown."""
        try:
            return outcome_of(self.result.outcome) if self.result is not None else None
        except ValueError:
            return None

    @property
    def message(self) -> str:
        """Return the navigator's message about the outcome, empty for REACHED only."""
        return self.result.error_msg if self.result is not None else ''

    def spin(self, timeout: float = POLL_PERIOD) -> None:
        """Handle one event, and wait for it for at most ``timeout`` [s]."""
        self._own_executor.spin_once(timeout_sec=timeout)

    def destroy_node(self) -> None:
        """Destroy the client and the node."""
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
        """Return the last response of a completed task, None while it runs or without one."""
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
        """Send the next waypoint, unless the previous one ends the task."""
        ended = self._endings[-1].result()
        if ended.status != GoalStatus.STATUS_SUCCEEDED and (
                self._stop_on_failure or ended.result.outcome in _PREEMPTED):
            self._waypoints.clear()
        elif self._send(self._waypoints[0]):
            self._waypoints.popleft()
        else:
            self._waypoints.clear()
            self._endings.append(_rejection())

    def _send(self, goal: NavigateBug.Goal) -> bool:
        """Send a goal; return whether it was accepted."""
        self._handle = self._feedback = self._recall = None
        name = UUID(uuid=list(uuid4().bytes))
        sent = self._client.send_goal_async(
            goal, feedback_callback=self._on_feedback, goal_uuid=name)
        # Wait even after an interrupt: cancelling an accepted goal needs the response.
        if not spin_until(self._own_executor, sent.done, ANSWER_TIMEOUT):
            # Otherwise, a server that was suspended executes the goal later.
            self._recall = self._goal_handle(name).cancel_goal_async()
            raise TimeoutError(f'no answer to the goal within {ANSWER_TIMEOUT:g} s')
        handle = sent.result()
        if not handle.accepted:
            return False
        self._handle = handle
        self._endings.append(handle.get_result_async())
        self._heard_at = time.monotonic()
        return True

    def _check_goal(self) -> None:
        """Request the result again without feedback: a restarted node does not know the goal."""
        ending, now = self._endings[-1], time.monotonic()
        if not ending.done() and now - self._heard_at > ANSWER_TIMEOUT:
            self._heard_at = now
            self._handle.get_result_async().add_done_callback(
                lambda again: ending.done() or ending.set_result(again.result()))

    def _goal_handle(self, name: UUID) -> ClientGoalHandle:
        """Return the handle of a goal without a response."""
        return ClientGoalHandle(self._client, name, NavigateBug.Impl.SendGoalService.Response())

    def _is_answered(self) -> bool:
        """
        Request the result of an unknown goal; return whether a response has arrived.

        A server just discovered by the client may not have discovered the client yet. Its
        responses are then lost, even that to a goal that it has accepted.
        """
        if not self._answered and time.monotonic() >= self._probe_at:
            self._probe_at = time.monotonic() + PROBE_PERIOD
            self._goal_handle(UUID()).get_result_async().add_done_callback(self._on_answer)
        return self._answered

    def _on_answer(self, _: Future) -> None:
        self._answered = True

    def _on_feedback(self, message: Any) -> None:
        self._feedback, self._heard_at = message.feedback, time.monotonic()

    def _spin_until(self, done: Callable[[], bool], timeout: float) -> bool:
        return spin_until(self._own_executor, lambda: (
            'done' if done() else 'interrupted' if self._interrupted() else ''), timeout) == 'done'


def goal_message(pose: PoseStamped, algorithm: str, *, turn_direction: str = '',
                 time_allowance: float = 0.0, xy_goal_tolerance: float = 0.0,
                 yaw_goal_tolerance: float = 0.0, align_yaw: bool = False) -> NavigateBug.Goal:
    """Return a goal; empty and 0 select the navigator's parameters."""
    return NavigateBug.Goal(
        pose=pose, algorithm=algorithm, turn_direction=turn_direction,
        time_allowance=to_duration(time_allowance), xy_goal_tolerance=float(xy_goal_tolerance),
        yaw_goal_tolerance=float(yaw_goal_tolerance), align_yaw=align_yaw)


def _rejection() -> Future:
    """Return the result of a rejected waypoint: the node is no longer active."""
    ending = Future()
    ending.set_result(NavigateBug.Impl.GetResultService.Response(
        status=GoalStatus.STATUS_ABORTED, result=NavigateBug.Result(
            outcome=NavigateBug.Result.CANCELED, outcome_name=Outcome.CANCELED.name,
            error_msg='the node is not active')))
    return ending
