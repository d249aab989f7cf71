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

"""Send the goal of a trial to any program: by topic, action, service or parameter."""

from __future__ import annotations

import importlib
import math
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from bug_nav.navigation.geometry import Point
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.node import Node

OUTCOMES = {1: 'reached', 2: 'unreachable'}
"""Verdicts of the action `bug_nav_msgs/action/NavigateBug`, by its outcome."""
COORDINATES = ('x', 'y'), ('goal_x', 'goal_y'), ('target_x', 'target_y'), ('des_x', 'des_y')
"""Names of fields that hold a goal in messages without a pose or point."""


def message_class(name: str, kind: str) -> Any:
    """Return a class for a name such as geometry_msgs/msg/Point; ValueError if there is none."""
    parts = name.split('/')
    try:
        package, last = parts[0], parts[-1]
        return getattr(importlib.import_module(f'{package}.{kind}'), last)
    except (ImportError, AttributeError, TypeError):
        raise ValueError(f'the type {name!r} cannot be imported; give one such as '
                         'geometry_msgs/msg/Point, and source its workspace') from None


def fill(message: Any, goal: Point, yaw: float, fields: Dict[str, str]) -> None:
    """
    Write a goal into a message of any type.

    :param fields: places in the message of ``x``, ``y`` and ``yaw``, with dots; without them,
        the first pose, point or pair of coordinates is used.
    :raises ValueError: if there is no place for the goal.
    """
    values = {'x': goal[0], 'y': goal[1], 'yaw': yaw}
    if fields:
        for name, place in fields.items():
            owner, _, last = place.rpartition('.')
            target = message
            for part in filter(None, owner.split('.')):
                target = getattr(target, part)
            setattr(target, last, type(getattr(target, last))(values[name]))
        return
    for part in _parts(message):
        for x, y in COORDINATES:
            if isinstance(getattr(part, x, None), float) and hasattr(part, y):
                setattr(part, x, float(goal[0]))
                setattr(part, y, float(goal[1]))
                _orient(message, yaw)
                return
    raise ValueError(f'the type {type(message).__name__} has no place for a goal that is known; '
                     'give goal.fields, such as {x: target.x, y: target.y}')


def _parts(message: Any) -> Iterator[Any]:
    """Yield a message and the messages in it, outermost first."""
    yield message
    for name in getattr(message, 'get_fields_and_field_types', dict)():
        inner = getattr(message, name)
        if name != 'orientation' and hasattr(inner, 'get_fields_and_field_types'):
            yield from _parts(inner)


def _orient(message: Any, yaw: float) -> None:
    """Set heading and frame where a message has them."""
    for part in _parts(message):
        if hasattr(part, 'frame_id'):
            part.frame_id = 'odom'
        if hasattr(part, 'orientation'):
            part.orientation.z, part.orientation.w = math.sin(yaw / 2.0), math.cos(yaw / 2.0)
        if hasattr(part, 'theta'):
            part.theta = yaw


class GoalDelivery:
    """Sends a goal as soon as a receiver is there."""

    def __init__(self, node: Node, how: Dict[str, Any], goal: Point, yaw: float,
                 on_verdict: Callable[[str], None]):
        """Prepare the sender; ValueError if the type of the message is unknown."""
        self._node, self._how, self._on_verdict = node, how, on_verdict
        self._goal, self._yaw = goal, yaw
        self._sent = 0
        self.state = 'by the command line'
        """Whether the goal was delivered, as a clause."""
        kinds = {'topic': self._by_topic, 'action': self._by_action, 'service': self._by_service,
                 'parameter': self._by_parameter}
        self._try: Optional[Callable[[], None]] = next(
            (begin() for kind, begin in kinds.items() if kind in how), None)
        if self._try is not None:
            self.state = f'nobody was there to receive it ({self._place})'

    @property
    def _place(self) -> str:
        kind, name = next((kind, self._how[kind]) for kind in (
            'topic', 'action', 'service', 'parameter') if kind in self._how)
        return f'{kind} {name}'

    def try_to_send(self, has_nodes: bool) -> None:
        """Send the goal if it is not sent yet and a receiver is there."""
        if self._try is not None and has_nodes:
            self._try()

    def _filled(self, message: Any) -> Any:
        fill(message, self._goal, self._yaw, self._how.get('fields') or {})
        return message

    def _done(self) -> None:
        self._try, self.state = None, f'delivered ({self._place})'

    def _by_topic(self) -> Callable[[], None]:
        message = self._filled(message_class(self._how['type'], 'msg')())
        publisher = self._node.create_publisher(type(message), self._how['topic'], 10)

        def send() -> None:
            if not publisher.get_subscription_count():
                return
            header = getattr(message, 'header', None)
            if header is not None:
                header.stamp = self._node.get_clock().now().to_msg()
            publisher.publish(message)
            self._sent += 1
            if self._sent >= self._how.get('repeat', 1):
                self._done()
        return send

    def _by_action(self) -> Callable[[], None]:
        kind = message_class(self._how['type'], 'action')
        goal = self._filled(kind.Goal())
        client = ActionClient(self._node, kind, self._how['action'])

        def accepted(future: Any) -> None:
            handle = future.result()
            if not handle.accepted:
                self.state = f'refused by the action server ({self._place})'
                return
            handle.get_result_async().add_done_callback(finished)

        def finished(future: Any) -> None:
            verdict = OUTCOMES.get(getattr(future.result().result, 'outcome', -1))
            if verdict:
                self._on_verdict(verdict)

        def send() -> None:
            if client.server_is_ready():
                client.send_goal_async(goal).add_done_callback(accepted)
                self._done()
        return send

    def _by_service(self) -> Callable[[], None]:
        kind = message_class(self._how['type'], 'srv')
        request = self._filled(kind.Request())
        for name, value in (self._how.get('also') or {}).items():
            setattr(request, name, value)
        client = self._node.create_client(kind, self._how['service'])

        def send() -> None:
            if client.service_is_ready():
                client.call_async(request)
                self._done()
        return send

    def _by_parameter(self) -> Callable[[], None]:
        """Set parameters of a node: ``fields`` has their names of x, y and yaw."""
        names = self._how.get('fields') or {'x': 'goal_x', 'y': 'goal_y'}
        values: Dict[str, Tuple[str, float]] = {
            name: (names[name], value) for name, value in (
                ('x', self._goal[0]), ('y', self._goal[1]), ('yaw', self._yaw)) if name in names}
        client = self._node.create_client(
            SetParameters, f'{self._how["parameter"].rstrip("/")}/set_parameters')

        def send() -> None:
            if client.service_is_ready():
                client.call_async(SetParameters.Request(parameters=[
                    Parameter(name=name, value=ParameterValue(
                        type=ParameterType.PARAMETER_DOUBLE, double_value=float(value)))
                    for name, value in values.values()]))
                self._done()
        return send
