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

"""Listens to a running robot, for a check; it sends nothing."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Dict, Iterator, Tuple

from bug_nav.checks.command_topic import STAMPED, TWIST
from bug_nav.checks.evidence import End, Evidence, Graph
from bug_nav.ros.client.session import rclpy_session
from bug_nav.ros.endpoints import Endpoint, ends, offer_mismatch, publishers_mismatch, UNNAMED
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, qos_profile_sensor_data, QoSProfile
from sensor_msgs.msg import LaserScan

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not on PyPI
    TFMessage = None

SPIN = 0.02
LOOK = 0.1
"""How often the graph is looked at [s]: that takes milliseconds."""
SETTLED = 1.0
"""The graph is what it is once it has been the same for so long [s]."""
PATIENCE = 5.0
"""So much longer [s] is listened where it is not: a busy machine makes its nodes known late."""
# What the node offers; what is left open there has these numbers in the graph.
FOREVER = Duration(seconds=2 ** 31)
OFFERED = QoSProfile(depth=1, deadline=FOREVER, liveliness_lease_duration=FOREVER)
LATCHED = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def listen(evidence: Evidence, duration: float, stop: Callable[[], bool],
           watch: Callable[[float], None]) -> None:
    """Put what is heard for ``duration`` [s] into evidence; ``watch`` is told the share done."""
    with rclpy_session():
        node = rclpy.create_node('bug_nav_check')
        try:
            _subscribe(node, evidence)
            # Not the wall clock itself, which may be set meanwhile.
            began = settling = time.monotonic()
            looked = -math.inf
            while not stop():
                rclpy.spin_once(node, timeout_sec=SPIN)
                now = time.monotonic()
                watch(min((now - began) / duration, 1.0))
                if now - looked < LOOK:
                    continue
                looked, before = now, (evidence.topics, evidence.graph)
                evidence.topics, evidence.graph = _topics(node), _graph(node, evidence)
                if before != (evidence.topics, evidence.graph) or not _is_known(evidence):
                    settling = now
                beyond = now - began - duration
                if beyond >= 0.0 and (now - settling >= SETTLED or beyond >= PATIENCE):
                    break
            evidence.ended = _now()
        finally:
            node.destroy_node()


_OFFSET = time.time() - time.monotonic()


def _now() -> float:
    """Return this host's time [s], which does not jump."""
    return time.monotonic() + _OFFSET


def _subscribe(node: Node, evidence: Evidence) -> None:
    evidence.began = _now()
    node.create_subscription(
        LaserScan, evidence.scan.topic, lambda message: evidence.add_scan(message, _now()),
        qos_profile_sensor_data)
    node.create_subscription(
        Odometry, evidence.odom.topic, lambda message: evidence.add_odometry(message, _now()),
        qos_profile_sensor_data)
    if TFMessage is not None:
        node.create_subscription(TFMessage, '/tf', evidence.tree.add, 100)
        node.create_subscription(TFMessage, '/tf_static', evidence.tree.add, LATCHED)


def _topics(node: Node) -> Dict[str, str]:
    """Return the types of the topics that somebody publishes."""
    return {name: kinds[0] for name, kinds in node.get_topic_names_and_types()
            if node.count_publishers(name)}


def _is_known(evidence: Evidence) -> bool:
    """Tell whether there is anybody, and each has a name."""
    graph = evidence.graph or Graph()
    known = (*graph.listeners, *graph.drivers, *(end for _, end in graph.others))
    return (bool(graph.listeners or graph.drivers or evidence.scan.topic in evidence.topics)
            and not any(UNNAMED in name for name, _ in known))


def _graph(node: Node, evidence: Evidence) -> Graph:
    topic = evidence.cmd_vel
    listeners = ends(node.get_subscriptions_info_by_topic(topic))
    return Graph(tuple(listeners), tuple(ends(node.get_publishers_info_by_topic(topic))),
                 _mismatches(node, evidence, {kind for _, kind in listeners}),
                 TFMessage is not None, () if listeners else tuple(_other_listeners(node, topic)))


def _other_listeners(node: Node, topic: str) -> Iterator[Tuple[str, End]]:
    """Yield the listeners of velocity commands on other topics, each with its topic."""
    for name, kinds in sorted(node.get_topic_names_and_types()):
        if name != topic and {TWIST, STAMPED} & set(kinds):
            for end in ends(node.get_subscriptions_info_by_topic(name)):
                yield name, end


def _mismatches(node: Node, evidence: Evidence, wanted: Any) -> Dict[str, str]:
    """Return, by topic, why the navigator and the others would not hear each other."""
    found = {topic: publishers_mismatch(node, Endpoint(topic, message)) for topic, message in (
        (evidence.scan.topic, LaserScan), (evidence.odom.topic, Odometry))}
    for message in (Twist, TwistStamped):
        end = Endpoint(evidence.cmd_vel, message)
        if end.message_name in wanted:
            found[end.topic] = offer_mismatch(node, end, OFFERED)
            break
    return {topic: why for topic, why in found.items() if why}
