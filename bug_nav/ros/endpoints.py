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

"""Who else is on a topic, and why they and this node do not hear each other."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Tuple

from rclpy.node import Node
from rclpy.qos import qos_check_compatible, QoSCompatibility, QoSProfile

SUFFIX = '_guard'
"""The name of the node's own guard is that of the node and this."""
UNNAMED = '_NODE_NAME_UNKNOWN_'
"""What the graph has for the node of an end that was found before its node was."""
Find = Callable[[str], Iterable[Any]]
Check = Callable[[Any], Tuple[QoSCompatibility, str]]


class Endpoint(NamedTuple):
    """This node's end of a topic."""

    topic: str
    """Its resolved name."""
    message: type

    @property
    def message_name(self) -> str:
        """Return the message's name as the graph has it."""
        return f'{self.message.__module__.split(".")[0]}/msg/{self.message.__name__}'


def publishers_mismatch(node: Node, mine: Endpoint) -> Optional[str]:
    """Return why this node cannot hear those who publish a topic; None where it can hear one."""
    own, others = _ends(node, mine, node.get_subscriptions_info_by_topic,
                        node.get_publishers_info_by_topic)
    return _mismatch(mine, others, 'publishes', lambda other: qos_check_compatible(
        other.qos_profile, own.qos_profile))


def subscribers_mismatch(node: Node, mine: Endpoint) -> Optional[str]:
    """Return why those who subscribe to a topic cannot hear this node; None where one can."""
    own, others = _ends(node, mine, node.get_publishers_info_by_topic,
                        node.get_subscriptions_info_by_topic)
    return _mismatch(mine, others, 'listens', lambda other: qos_check_compatible(
        own.qos_profile, other.qos_profile))


def offer_mismatch(node: Node, mine: Endpoint, offered: QoSProfile) -> Optional[str]:
    """Return why nobody would hear a publisher that there is not yet; None where one would."""
    return _mismatch(mine, node.get_subscriptions_info_by_topic(mine.topic), 'listens',
                     lambda other: qos_check_compatible(offered, other.qos_profile))


def ends(found: Iterable[Any]) -> List[Tuple[str, str]]:
    """
    Return the nodes, and the types that they have, of some ends of a topic.

    A node that is not known yet is called `UNNAMED`.
    """
    return sorted({(_name(end), end.topic_type) for end in found})


def rivals(node: Node, mine: Endpoint) -> List[str]:
    """Return the names of the other nodes that publish a topic, but for the own guard."""
    names = {_name(other) for other in node.get_publishers_info_by_topic(mine.topic)
             if other.node_name != UNNAMED}  # it may yet turn out to be the guard
    own = node.get_fully_qualified_name()
    return sorted(names - {own, own + SUFFIX})


def _ends(node: Node, mine: Endpoint, same: Find, opposite: Find) -> Tuple[Any, Iterable[Any]]:
    """Return this end as the graph has it, and the other ends."""
    # Not its profile as it was asked for: what is left open there has a number in the graph.
    own = (end for end in same(mine.topic) if _name(end) == node.get_fully_qualified_name())
    found = next(own, None)
    return found, opposite(mine.topic) if found is not None else ()


def _mismatch(mine: Endpoint, others: Iterable[Any], does: str, check: Check) -> Optional[str]:
    """Return the reason for the last of the others; None where one fits, or there are none."""
    reason = None
    for other in others:
        if other.topic_type != mine.message_name:
            reason = (f'{_name(other)} {does} on {mine.topic} with {other.topic_type}, and this '
                      f'node has {mine.message_name}')
            continue
        fits, why = check(other)
        if fits != QoSCompatibility.ERROR:
            return None
        why = ', '.join(part.replace('ERROR: ', '') for part in why.split(';') if part)
        reason = f'{_name(other)} {does} on {mine.topic} with another quality of service ({why})'
    return reason


def _name(end: Any) -> str:
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'
