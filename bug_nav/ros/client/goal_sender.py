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

"""Sends and cancels goals and reports their results, without blocking."""

from __future__ import annotations

from collections import deque
import math
import time
from typing import Any, Deque, Dict, List, Optional

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from bug_nav.messages.ros_distribution import local_only
from bug_nav.messages.sensor_messages import seconds
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import Outcome
from bug_nav.ros.client.navigator import ANSWER_TIMEOUT, goal_message
from bug_nav.ros.client.robot_monitor import RobotMonitor
from bug_nav.ros.client.service_call import ServiceCall
from bug_nav.ros.conversions import to_pose_stamped
from bug_nav.ros.qos import LATCHED
from bug_nav.ros.results import outcome_of
from bug_nav_msgs.action import NavigateBug
from rclpy.action import ActionClient
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

POLL_PERIOD = 1.0
"""Period of checking pending requests for a timeout [s]."""
MAX_ENDED = 20
"""Number of ended goals whose late status messages are ignored."""
ACTIVE = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)
CHECK_ROBOT = 'make sure that the robot has stopped'


class GoalSender:
    """Sends goals, cancels all goals, and reports the results of any client's goals."""

    def __init__(self, node: Node, monitor: RobotMonitor):
        self._node, self._monitor = node, monitor
        self._client = ActionClient(node, NavigateBug, 'navigate_bug')
        self._results = node.create_client(
            NavigateBug.Impl.GetResultService, 'navigate_bug/_action/get_result')
        self._cancel = ServiceCall(node, CancelGoal, 'navigate_bug/_action/cancel_goal')
        self._sent: Optional[Future] = None
        self._sent_at = 0.0
        self._watched: Dict[bytes, Future] = {}
        """Active goals, and the pending requests for their results."""
        self._watched_at = -math.inf
        """Time of the last request for a result [s]."""
        self._ended: Deque[bytes] = deque(maxlen=MAX_ENDED)
        """Ended goals, for which an older status message may still arrive."""
        node.create_subscription(
            GoalStatusArray, 'navigate_bug/_action/status', self._on_status, LATCHED)
        node.create_timer(POLL_PERIOD, self._poll, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        self._client.destroy()

    def send(self, x: float, y: float, yaw: Optional[float], algorithm: str, turn: str) -> None:
        """Send a goal."""
        if not self._client.server_is_ready():
            self._fail(f'no node serves {self._name}; check that it is running, and that '
                       f'ROS_DOMAIN_ID and {local_only()[0]} are the same on both sides')
            return
        pose = to_pose_stamped(self._monitor.frame, 0.0, Pose(x, y, yaw or 0.0))
        self._sent = self._client.send_goal_async(goal_message(
            pose, algorithm, turn_direction=turn, align_yaw=yaw is not None))
        self._sent_at = time.monotonic()
        self._sent.add_done_callback(self._on_answer)

    def _on_answer(self, sent: Future) -> None:
        if sent is self._sent:
            self._sent = None
        handle = sent.result()
        if handle.accepted:
            self._watch(handle.goal_id)
        else:
            self._fail(f'{self._name} rejects goals, because its node is not active')

    def cancel(self) -> None:
        """Cancel all goals, so that a reloaded page can cancel too; that is an empty request."""
        is_available = self._cancel.call(CancelGoal.Request(), self._on_cancel, lambda: self._fail(
            f'the node has not confirmed the cancel within {ANSWER_TIMEOUT:g} s; {CHECK_ROBOT}'))
        if not is_available:
            self._fail(f'no node serves {self._name}, so nothing can be cancelled; {CHECK_ROBOT}')

    def _on_cancel(self, answer: CancelGoal.Response) -> None:
        if not answer.goals_canceling:
            self._fail('there is no goal to be cancelled')

    @property
    def _name(self) -> str:
        return str(self._node.resolve_service_name('navigate_bug'))

    def _fail(self, message: str) -> None:
        self._monitor.report('error', message=message)

    def _poll(self) -> None:
        """Drop the requests that timed out, and check that the node knows its goal."""
        if self._sent is not None and time.monotonic() - self._sent_at > ANSWER_TIMEOUT:
            self._sent = None
            self._fail(f'no answer to the goal within {ANSWER_TIMEOUT:g} s; {CHECK_ROBOT}')
        self._cancel.expire()
        if self._watched and not self._client.server_is_ready():
            self._stop_watching()
            self._monitor.set_driving(False)
            self._fail(f'the node that serves {self._name} has gone; {CHECK_ROBOT}')
        elif time.monotonic() - max(
                self._watched_at, self._monitor.feedback_at) > ANSWER_TIMEOUT:
            for key in self._stop_watching():  # a restarted node does not know the goals
                self._watch(UUID(uuid=list(key)))

    def _stop_watching(self) -> List[bytes]:
        """Drop the requests for results; return their goals."""
        goals = list(self._watched)
        for pending in self._watched.values():
            self._results.remove_pending_request(pending)
        self._watched.clear()
        return goals

    def _on_status(self, message: GoalStatusArray) -> None:
        for each in message.status_list:
            if each.status in ACTIVE:
                self._watch(each.goal_info.goal_id)
        self._monitor.set_driving(bool(self._watched))

    def _watch(self, goal: Any) -> None:
        """Request the result of a goal; the response arrives when the goal ends."""
        key = bytes(goal.uuid)
        if key not in self._watched and key not in self._ended:
            pending = self._results.call_async(
                NavigateBug.Impl.GetResultService.Request(goal_id=goal))
            self._watched[key], self._watched_at = pending, time.monotonic()
            pending.add_done_callback(lambda done: self._on_result(key, done.result()))

    def _on_result(self, key: bytes, answer: Any) -> None:
        if self._watched.pop(key, None) is None:
            return
        self._ended.append(key)
        self._monitor.set_driving(bool(self._watched))
        if answer.status == GoalStatus.STATUS_UNKNOWN:
            self._fail(f'the node that serves {self._name} was restarted and does not know the '
                       f'goal; {CHECK_ROBOT}')
            return
        result = answer.result
        try:
            outcome = outcome_of(result.outcome)
        except ValueError:
            return
        if outcome is not Outcome.SUPERSEDED:  # only the newer goal matters
            self._monitor.report(
                'result', outcome='error' if outcome is Outcome.INTERNAL else outcome.value,
                message=result.error_msg, time=round(seconds(result.total_elapsed_time), 1))
            self._monitor.set_result(result)
