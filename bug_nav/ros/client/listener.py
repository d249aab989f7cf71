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

"""Collects evidence from a running robot for `bug_nav check`, without publishing."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Dict, Iterator, Tuple

from bug_nav.recording.checks.command_topic import STAMPED, TWIST
from bug_nav.recording.checks.evidence import End, Evidence, Graph, NavigatorStatus
from bug_nav.recording.checks.node_view import warm_up
from bug_nav.ros.client.robot_monitor import NAVIGATOR
from bug_nav.ros.client.session import rclpy_session
from bug_nav.ros.endpoints import (
    Endpoint,
    endpoints_of,
    offer_mismatch,
    publishers_mismatch,
    UNKNOWN_NODE,
)
from bug_nav.ros.transforms import subscribe
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data, QoSProfile
from sensor_msgs.msg import LaserScan

SPIN = 0.02
GRAPH_PERIOD = 0.1
"""Period of polling the ROS graph, which takes milliseconds [s]."""
SETTLING_TIME = 1.0
"""Time without changes after which the graph counts as settled [s]."""
GRACE_TIME = 5.0
"""Maximum extra time for the graph to settle, because discovery is slow on a busy machine [s]."""
# The node's QoS offer: the graph reports the policies left at their defaults with these values.
UNLIMITED = Duration(seconds=2 ** 31)
NAVIGATOR_QOS = QoSProfile(depth=1, deadline=UNLIMITED, liveliness_lease_duration=UNLIMITED)


def listen(evidence: Evidence, duration: float, stop: Callable[[], bool],
           progress: Callable[[float], None]) -> None:
    """Collect evidence for ``duration`` [s]; ``progress`` gets the fraction done."""
    warm_up()
    with rclpy_session():
        node = rclpy.create_node('bug_nav_check')
        try:
            subscribe_to(node, evidence)
            # Not the wall clock, which may be set meanwhile.
            began = settling = time.monotonic()
            polled = -math.inf
            while not stop():
                rclpy.spin_once(node, timeout_sec=SPIN)
                now = time.monotonic()
                progress(min((now - began) / duration, 1.0))
                if now - polled < GRAPH_PERIOD:
                    continue
                polled, before = now, (evidence.topics, evidence.graph)
                evidence.topics, evidence.graph = _topics(node), _graph(node, evidence)
                if before != (evidence.topics, evidence.graph) or not _is_complete(evidence):
                    settling = now
                beyond = now - began - duration
                if beyond >= 0.0 and (now - settling >= SETTLING_TIME or beyond >= GRACE_TIME):
                    break
            evidence.ended = wall_time()
        finally:
            node.destroy_node()


_OFFSET = time.time() - time.monotonic()


def wall_time() -> float:
    """Return the wall time without jumps [s]."""
    return time.monotonic() + _OFFSET


def _ignore(_: Any) -> None:
    pass


def subscribe_to(node: Node, evidence: Evidence, on_scan: Callable[[Any], None] = _ignore,
                 on_odometry: Callable[[Any], None] = _ignore) -> None:
    """Add all that arrives to the evidence; call the functions with scans and odometry first."""
    def add_scan(message: LaserScan) -> None:
        on_scan(message)
        evidence.add_scan(message, wall_time())

    def add_odometry(message: Odometry) -> None:
        on_odometry(message)
        evidence.add_odometry(message, wall_time())
    evidence.began = wall_time()
    node.create_subscription(LaserScan, evidence.scan.topic, add_scan, qos_profile_sensor_data)
    node.create_subscription(Odometry, evidence.odom.topic, add_odometry, qos_profile_sensor_data)
    node.create_subscription(
        DiagnosticArray, '/diagnostics', lambda message: _add_status(evidence, message), 10)
    for topic in evidence.transforms:
        subscribe(node, topic, evidence.tree)


def _add_status(evidence: Evidence, message: DiagnosticArray) -> None:
    """Keep what the navigator in the namespace of the robot reports."""
    for status in message.status:
        if (status.name, status.hardware_id) == (f'{NAVIGATOR}: navigation', evidence.namespace):
            state = next((each.value for each in status.values if each.key == 'state'), '')
            is_well = status.level == DiagnosticStatus.OK
            evidence.navigator = NavigatorStatus(
                state, '' if is_well else status.message,
                status.level == DiagnosticStatus.ERROR)


def _topics(node: Node) -> Dict[str, str]:
    """Return the types of the published topics, by name."""
    return {name: kinds[0] for name, kinds in node.get_topic_names_and_types()
            if node.count_publishers(name)}


def _is_complete(evidence: Evidence) -> bool:
    """Return whether scans, odometry and an endpoint were found, and the node of each is known."""
    graph = evidence.graph or Graph()
    known = (*graph.listeners, *graph.drivers, *(end for _, end in graph.others))
    return (bool(graph.listeners or graph.drivers)
            and {evidence.scan.topic, evidence.odom.topic} <= evidence.topics.keys()
            and not any(UNKNOWN_NODE in name for name, _ in known))


def _graph(node: Node, evidence: Evidence) -> Graph:
    topic = evidence.cmd_vel
    listeners = endpoints_of(node.get_subscriptions_info_by_topic(topic))
    return Graph(tuple(listeners), tuple(endpoints_of(node.get_publishers_info_by_topic(topic))),
                 _mismatches(node, evidence, {kind for _, kind in listeners}),
                 () if listeners else tuple(_other_listeners(node, topic)))


def _other_listeners(node: Node, topic: str) -> Iterator[Tuple[str, End]]:
    """Yield the subscribers to velocity commands on other topics, each with its topic."""
    for name, kinds in sorted(node.get_topic_names_and_types()):
        if name != topic and {TWIST, STAMPED} & set(kinds):
            for end in endpoints_of(node.get_subscriptions_info_by_topic(name)):
                yield name, end


def _mismatches(node: Node, evidence: Evidence, wanted: Any) -> Dict[str, str]:
    """Return, by topic, why the navigator and the other endpoints would not connect."""
    found = {topic: publishers_mismatch(node, Endpoint(topic, message)) for topic, message in (
        (evidence.scan.topic, LaserScan), (evidence.odom.topic, Odometry))}
    for message in (Twist, TwistStamped):
        end = Endpoint(evidence.cmd_vel, message)
        if end.message_name in wanted:
            found[end.topic] = offer_mismatch(node, end, NAVIGATOR_QOS)
            break
    return {topic: why for topic, why in found.items() if why}
