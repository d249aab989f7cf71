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

"""The other endpoints of a topic, and why they and this node cannot communicate."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from bug_nav.messages import STOP_PROCESS_SUFFIX
from rclpy.node import Node
from rclpy.qos import qos_check_compatible, QoSCompatibility, QoSProfile

UNKNOWN_NODE = '_NODE_NAME_UNKNOWN_'
"""Node name in the ROS graph of an endpoint that was discovered before its node."""


class Endpoint(NamedTuple):
    """This node's endpoint of a topic."""

    topic: str
    """Resolved name."""
    message: type

    @property
    def message_name(self) -> str:
        """Return the name of the message type, as in the ROS graph."""
        return f'{self.message.__module__.split(".")[0]}/msg/{self.message.__name__}'


def publishers_mismatch(node: Node, endpoint: Endpoint) -> Optional[str]:
    """Return why this node matches no publisher of a topic, None if it matches one."""
    return _mismatch(of_publishers(node, endpoint))


def subscribers_mismatch(node: Node, endpoint: Endpoint) -> Optional[str]:
    """Return why no subscriber of a topic matches this node, None if one does."""
    return _mismatch(of_subscribers(node, endpoint))


def offer_mismatch(node: Node, endpoint: Endpoint, offered: QoSProfile) -> Optional[str]:
    """Return why no subscriber would match a publisher yet to be created, None if one would."""
    return _mismatch(_reason(endpoint, other, 'subscribes to', offered, other.qos_profile)
                     for other in node.get_subscriptions_info_by_topic(endpoint.topic))


def endpoints_of(found: Iterable[Any]) -> List[Tuple[str, str]]:
    """
    Return node name and message type of some endpoints of a topic.

    The name of a node not yet discovered is `UNKNOWN_NODE`.
    """
    return sorted({(_name(end), end.topic_type) for end in found})


def other_publishers(node: Node, endpoint: Endpoint) -> List[str]:
    """Return the other nodes that publish a topic, without the stop process."""
    names = {_name(other) for other in node.get_publishers_info_by_topic(endpoint.topic)
             if other.node_name != UNKNOWN_NODE}  # it may be the stop process
    own = node.get_fully_qualified_name()
    return sorted(names - {own, own + STOP_PROCESS_SUFFIX})


def of_publishers(node: Node, endpoint: Endpoint) -> Iterator[Optional[str]]:
    """Yield for each publisher of a topic why it does not match, None if it does."""
    own = _own(node, endpoint, node.get_subscriptions_info_by_topic)
    for other in node.get_publishers_info_by_topic(endpoint.topic) if own else ():
        yield _reason(endpoint, other, 'publishes on', other.qos_profile, own.qos_profile)


def of_subscribers(node: Node, endpoint: Endpoint) -> Iterator[Optional[str]]:
    """Yield for each subscriber of a topic why it does not match, None if it does."""
    own = _own(node, endpoint, node.get_publishers_info_by_topic)
    for other in node.get_subscriptions_info_by_topic(endpoint.topic) if own else ():
        yield _reason(endpoint, other, 'subscribes to', own.qos_profile, other.qos_profile)


def _own(node: Node, endpoint: Endpoint, same: Callable[[str], Iterable[Any]]) -> Any:
    """Return this node's endpoint as in the ROS graph, None if it is not there."""
    # Not the requested QoS profile: in the graph, its default policies have actual values.
    return next((end for end in same(endpoint.topic)
                 if _name(end) == node.get_fully_qualified_name()), None)


def _mismatch(reasons: Iterable[Optional[str]]) -> Optional[str]:
    """Return why the last endpoint does not match, None if one matches or there are none."""
    reason = None
    for reason in reasons:
        if reason is None:
            return None
    return reason


def _reason(endpoint: Endpoint, other: Any, does: str, offered: QoSProfile, requested: QoSProfile
            ) -> Optional[str]:
    """Return why an endpoint does not match, None if it does."""
    if other.topic_type != endpoint.message_name:
        return (f'{_name(other)} {does} {endpoint.topic} with type {other.topic_type}; this '
                f'node uses {endpoint.message_name}')
    fits, why = qos_check_compatible(offered, requested)
    if fits != QoSCompatibility.ERROR:
        return None
    why = ', '.join(part.replace('ERROR: ', '') for part in why.split(';') if part)
    return (f'{_name(other)} {does} {endpoint.topic} with an incompatible quality of '
            f'service ({why})')


def _name(end: Any) -> str:
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'
