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
"""The topics of a robot and its running navigator, before `bug_nav check` listens."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Container, Dict, NamedTuple, Optional, Tuple

from bug_nav.recording.checks.command_topic import STAMPED, TWIST
from bug_nav.recording.evidence_reader import ODOM, SCAN, TRANSFORMS
from bug_nav.ros.client.robot_monitor import NAVIGATOR
from bug_nav.ros.client.session import rclpy_session
from rcl_interfaces.srv import GetParameters, ListParameters
import rclpy
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python

SPIN = 0.05
SETTLING_TIME, LONGEST = 2.0, 8.0
"""Time without new topics after which discovery counts as complete, and its maximum [s]."""
ANSWER_TIMEOUT = 6.0
"""Maximum time for an answer of the navigator [s]."""


class RunningNavigator(NamedTuple):
    """A node of the navigator that runs."""

    parameters: Dict[str, Any]
    scan: str
    odom: str
    cmd_vel: str
    """Resolved names of its topics, '' if unknown."""
    transforms: Tuple[str, ...]


class Survey(NamedTuple):
    """Topics with publishers, with their types, and the navigator, None if there is none."""

    topics: Dict[str, str]
    navigator: Optional[RunningNavigator]


def survey(namespace: str, stop: Callable[[], bool]) -> Survey:
    """Return the result as soon as no new topics appear; ``namespace`` is that of the robot."""
    space = f'/{namespace.strip("/")}'
    with rclpy_session():
        node = rclpy.create_node('bug_nav_check')
        try:
            topics = _settled_topics(node, stop)
            return Survey(topics, _navigator(node, space, topics, stop))
        finally:
            node.destroy_node()


def _settled_topics(node: Node, stop: Callable[[], bool]) -> Dict[str, str]:
    topics: Dict[str, str] = {}
    began = changed = time.monotonic()
    while not stop():
        rclpy.spin_once(node, timeout_sec=SPIN)
        now = time.monotonic()
        found = {name: kinds[0] for name, kinds in node.get_topic_names_and_types()
                 if node.count_publishers(name)}
        if found != topics:
            topics, changed = found, now
        # Before the first scan is known, nothing else says that discovery has begun.
        limit = SETTLING_TIME if SCAN in topics.values() else LONGEST
        if now - changed >= limit or now - began >= LONGEST:
            break
    return topics


def _navigator(node: Node, namespace: str, topics: Container[str], stop: Callable[[], bool]
               ) -> Optional[RunningNavigator]:
    """Return the navigator, None if there is none; its topics are discovered one by one."""
    name = f'{namespace.rstrip("/")}/{NAVIGATOR}'
    deadline = time.monotonic() + (LONGEST if f'{name}/markers' in topics else 0.0)
    ends = _ends(node, namespace)
    while not (ends and ends.scan and ends.cmd_vel or stop()) and time.monotonic() < deadline:
        rclpy.spin_once(node, timeout_sec=SPIN)
        ends = _ends(node, namespace)
    if ends is None:
        return None
    listed = _call(node, ListParameters, f'{name}/list_parameters', ListParameters.Request(), stop)
    names = listed.result.names if listed is not None else []
    values = _call(node, GetParameters, f'{name}/get_parameters',
                   GetParameters.Request(names=names), stop) if names else None
    parameters = {} if values is None else {
        each: parameter_value_to_python(value) for each, value in zip(names, values.values)}
    return (_ends(node, namespace) or ends)._replace(parameters=parameters)


def _ends(node: Node, namespace: str) -> Optional[RunningNavigator]:
    """Return what is known about the topics of the navigator, None if its node is unknown."""
    try:
        inputs = node.get_subscriber_names_and_types_by_node(NAVIGATOR, namespace)
        outputs = node.get_publisher_names_and_types_by_node(NAVIGATOR, namespace)
    except Exception:  # rclpy exports no name for the error of a node that does not exist
        return None

    def topic(found: Any, *kinds: str) -> str:
        return next((name for name, types in found if set(kinds) & set(types)), '')
    return RunningNavigator(
        {}, topic(inputs, SCAN), topic(inputs, ODOM), topic(outputs, TWIST, STAMPED),
        tuple(each for each, types in inputs if TRANSFORMS in types))


def _call(node: Node, kind: Any, name: str, request: Any, stop: Callable[[], bool]) -> Any:
    """Return the answer of a service, None if none arrives in time."""
    client = node.create_client(kind, name)
    deadline = time.monotonic() + ANSWER_TIMEOUT
    answer: Any = None
    requested_at = -math.inf
    while not stop() and time.monotonic() < deadline:
        rclpy.spin_once(node, timeout_sec=SPIN)
        if answer is not None and answer.done():
            return answer.result()
        # A server that has not discovered its client yet answers into the void.
        if client.service_is_ready() and time.monotonic() - requested_at > ANSWER_TIMEOUT / 4.0:
            answer, requested_at = client.call_async(request), time.monotonic()
    return None
