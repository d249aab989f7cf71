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

"""The node under test: process, lifecycle, goals and parameters."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from action_msgs.msg import GoalStatusArray
from bug_nav.cli.child_processes import ChildProcess, module
from bug_nav.ros.conversions import to_duration
from bug_nav.ros.lifecycle import LifecycleClient
from bug_nav.ros.results import outcome_of
from bug_nav_msgs.action import NavigateBug
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.qos import qos_profile_action_status_default

Wait = Callable[[Callable[[], bool], float], bool]
"""Waits until a condition holds, up to a timeout [s]; returns whether it does."""
START, ANSWER = 60.0, 10.0
"""Timeouts of the start of a process and of a service call [s]."""
NAME = 'bug_navigator'


class Lost(RuntimeError):
    """The node did not answer; the message names the request."""


class Goal:
    """An accepted goal."""

    def __init__(self, handle: Any):
        """Request the result."""
        self.handle = handle
        self._result = handle.get_result_async()

    @property
    def ended(self) -> bool:
        """Return whether there is a result."""
        return bool(self._result.done())

    @property
    def outcome(self) -> str:
        """Return the name of the outcome; empty before the end."""
        return str(outcome_of(self._result.result().result.outcome).value) if self.ended else ''

    @property
    def message(self) -> str:
        """Return the message of the result."""
        return str(self._result.result().result.error_msg) if self.ended else ''


class Navigator:
    """Starts and restarts the node, and communicates with it through ``node``."""

    def __init__(self, node: Node, wait: Wait, logs: Path):
        """Create the clients; the output of each process goes to a file in ``logs``."""
        self._node, self._wait, self._logs = node, wait, logs
        self._client = ActionClient(node, NavigateBug, 'navigate_bug')
        self._services: Dict[str, Any] = {}
        self._accepted: Dict[bytes, Any] = {}
        node.create_subscription(GoalStatusArray, 'navigate_bug/_action/status', self._on_status,
                                 qos_profile_action_status_default)
        self._child: Optional[ChildProcess] = None
        self.starts = 0

    @property
    def alive(self) -> bool:
        """Return whether the process runs."""
        return self._child is not None and not self._child.ended

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        assert self._child is not None
        return self._child.pid

    @property
    def log(self) -> str:
        """Return the output of the process."""
        return self._child.output if self._child else ''

    def start(self, ready: Callable[[], bool]) -> None:
        """Start a process and wait until it is active and ``ready``."""
        self.stop()
        # The server of a killed process stays in discovery until its lease ends.
        self._wait(lambda: not self._client.server_is_ready(), START)
        self.starts += 1
        self._child = ChildProcess(
            'navigator', module('bug_nav.ros.node.main', '--ros-args', '-p', 'autostart:=true',
                                '-p', 'use_sim_time:=true'),
            self._logs / f'{self.starts}.log', dict(os.environ, PYTHONUNBUFFERED='1'))
        if not self._wait(lambda: self._client.server_is_ready() and ready(), START):
            raise Lost('the node did not start')
        self.activate()

    def stop(self) -> None:
        """Stop the process in every case."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def signal(self, number: int) -> None:
        """Send the process a signal."""
        assert self._child is not None
        self._child.signal(number)

    def endpoints(self) -> int:
        """Return the number of publishers, subscriptions, services and clients of the node."""
        node = self._node
        topics = [name for name, _ in node.get_topic_names_and_types()]
        ends = [end for name in topics for end in (*node.get_publishers_info_by_topic(name),
                                                   *node.get_subscriptions_info_by_topic(name))]
        return (sum(end.node_name == NAME for end in ends)
                + len(node.get_service_names_and_types_by_node(NAME, '/'))
                + len(node.get_client_names_and_types_by_node(NAME, '/')))

    # ---- lifecycle ----------------------------------------------------------------------------

    def activate(self) -> None:
        """Bring the node to active, from any state."""
        lifecycle = LifecycleClient(self._node, NAME, self._wait)
        try:
            active = self._wait(lambda: lifecycle.is_active(1.0), 5.0) \
                or lifecycle.start_up(ANSWER)
        finally:
            lifecycle.close()
        if not active:
            raise Lost('the node did not become active')

    def transition(self, label: str) -> Any:
        """Request a transition; return the future of the answer."""
        request = ChangeState.Request(transition=Transition(label=label))
        return self._service(ChangeState, 'change_state').call_async(request)

    # ---- goals --------------------------------------------------------------------------------

    def send(self, x: float, y: float, algorithm: str = '', frame: str = '',
             **fields: Any) -> Optional[Goal]:
        """Send a goal; return it, or None if it was rejected."""
        sent = self.send_async(x, y, algorithm, frame, **fields)
        if not self._wait(sent.done, ANSWER):
            raise Lost('no answer to a goal')
        return Goal(sent.result()) if sent.result().accepted else None

    def send_elsewhere(self, x: float, y: float, algorithm: str) -> ChildProcess:
        """Send a goal from a client in its own process."""
        return ChildProcess('client', module('bug_nav', 'send-goal', str(x), str(y),
                                             '--algorithm', algorithm),
                            self._logs / 'client.log', os.environ)

    @property
    def accepted(self) -> List[bytes]:
        """Return the accepted goals of all clients, the newest last."""
        return list(self._accepted)

    def goal(self, key: bytes) -> Goal:
        """Return an accepted goal of another client."""
        return Goal(ClientGoalHandle(self._client, self._accepted[key],
                                     NavigateBug.Impl.SendGoalService.Response(accepted=True)))

    def _on_status(self, message: GoalStatusArray) -> None:
        for status in message.status_list:
            self._accepted[bytes(status.goal_info.goal_id.uuid)] = status.goal_info.goal_id

    def send_async(self, x: float, y: float, algorithm: str = '', frame: str = '',
                   allowance: float = 0.0, **fields: Any) -> Any:
        """Send a goal; return the future of its handle."""
        goal = NavigateBug.Goal(algorithm=algorithm, **fields)
        goal.time_allowance = to_duration(allowance)
        goal.pose.header.frame_id = frame
        goal.pose.pose.position.x, goal.pose.pose.position.y = float(x), float(y)
        return self._client.send_goal_async(goal)

    # ---- parameters ---------------------------------------------------------------------------

    def values(self) -> Dict[str, Any]:
        """Return the parameters and their values."""
        names: List[str] = list(self._call(
            ListParameters, 'list_parameters', ListParameters.Request()).result.names)
        answer = self._call(GetParameters, 'get_parameters', GetParameters.Request(names=names))
        return dict(zip(names, map(parameter_value_to_python, answer.values)))

    def set_parameter(self, name: str, value: Any) -> Any:
        """Set a parameter; return the future of the answer."""
        request = SetParametersAtomically.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()])
        return self._service(SetParametersAtomically, 'set_parameters_atomically'
                             ).call_async(request)

    def _call(self, kind: Any, name: str, request: Any) -> Any:
        answer = self._service(kind, name).call_async(request)
        if not self._wait(answer.done, ANSWER):
            raise Lost(f'no answer from {name}')
        return answer.result()

    def _service(self, kind: Any, name: str) -> Any:
        if name not in self._services:
            self._services[name] = self._node.create_client(kind, f'{NAME}/{name}')
        client = self._services[name]
        if not self._wait(client.service_is_ready, ANSWER):
            raise Lost(f'there is no {name}')
        return client
