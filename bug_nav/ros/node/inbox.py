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
Messages that wait until somebody wants them.

For each message an executor wakes up, and looks through all that a node has: that takes several
times as long as the message. Who asks for the newest twenty times a second has all that came since
taken out at once, in the order in which it came.

To make a message of what was received takes most of the rest. Where a topic is fast, that is left
out for those that another of those that wait follows soon.
"""

from __future__ import annotations

import functools
import struct
import time
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Tuple

from bug_nav.sense.sensor_queue import SOON
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription

DEPTH = 64
"""So many messages of a topic wait; of more, the oldest are lost."""
SENSOR_DATA = QoSProfile(
    depth=DEPTH, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Best effort, which matches any publisher."""


class Arrival(NamedTuple):
    """When a message came, in the time in which this process has been running."""

    at: float
    ago: float
    """So long before it was taken out [s]."""


Taker = Callable[[Any, Arrival], None]
Hearer = Callable[[Arrival], None]


class _Unattended(CallbackGroup):
    """What is in this group no executor waits for."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        raise AssertionError('nothing of this group is executed')


class Inbox:
    """The subscriptions of a node whose messages wait."""

    def __init__(self, node: Node, running: Callable[[], float]):
        """Begin without any; ``running`` tells for how long this process has been running [s]."""
        self._node, self._running = node, running
        self._group = _Unattended()
        self._takers: List[Tuple[Subscription, Taker, Optional[Hearer]]] = []
        self._emptied = running(), time.time()

    def subscribe(self, kind: Any, topic: str, take: Taker,
                  spare: Optional[Hearer] = None) -> Subscription:
        """
        Subscribe; ``take`` gets each message, with its arrival, once it is taken out.

        With ``spare``, which is for messages that begin with a header, not those that another one
        of the same frame follows within `SOON`, by their stamps: of such it gets the arrivals.
        """
        subscription = self._node.create_subscription(
            kind, topic, take, SENSOR_DATA, callback_group=self._group)
        self._takers.append((subscription, take, spare))
        return subscription

    def adopt(self, subscription: Subscription) -> None:
        """Have the messages of a subscription that somebody else has made wait as well."""
        # Its events too: their condition holds while messages wait, and no wait would last.
        for each in (subscription, *subscription.event_handlers):
            each.callback_group = self._group
        self._takers.append((
            subscription, lambda message, arrival: subscription.callback(message), None))

    def close(self) -> None:
        """Unsubscribe."""
        for subscription, *_ in self._takers:
            self._node.destroy_subscription(subscription)
        self._takers.clear()

    def take_out(self) -> None:
        """Hand over what waits, in the order in which it came."""
        now, system = self._running(), time.time()
        then, since = self._emptied
        self._emptied = now, system
        span = max(system - since, 1e-9)
        # Cyclone DDS of Humble does not tell when a message was received, only when it was sent.
        waiting = [((info['received_timestamp'] or info['source_timestamp']) * 1e-9 or system,
                    number, hear)
                   for number, taker in enumerate(self._takers)
                   for hear, info in _waiting(*taker)]
        for received, _, hear in sorted(waiting, key=lambda each: each[:2]):
            # The system's clock may have been set, but nothing came before the last time.
            ago = (now - then) * min(max((system - received) / span, 0.0), 1.0)
            hear(Arrival(now - ago, ago))

    def discard(self) -> None:
        """Throw away what waits."""
        self._emptied = self._running(), time.time()
        for subscription, *_ in self._takers:
            for _ in _all_of(subscription, raw=True):
                pass


def _waiting(subscription: Subscription, take: Taker,
             spare: Optional[Hearer]) -> List[Tuple[Hearer, Any]]:
    """Return who hears of each message that waits, with what the middleware knows of it."""
    if spare is None:
        return [(functools.partial(take, message), info)
                for message, info in _all_of(subscription, subscription.raw)]
    found: List[Tuple[Hearer, Any]] = []
    stamp, frame = 0.0, b''
    for data, info in reversed(list(_all_of(subscription, raw=True))):
        earlier, its_frame = _header(data)
        if found and frame == its_frame and earlier > 0.0 and 0.0 <= stamp - earlier < SOON:
            found.append((spare, info))
        else:
            stamp, frame = earlier, its_frame
            message = deserialize_message(data, subscription.msg_type)
            found.append((functools.partial(take, message), info))
    return found[::-1]


def _header(data: bytes) -> Tuple[float, bytes]:
    """Return stamp [s] and frame of a message as it was received, in the CDR of DDS."""
    order = '<' if data[1] & 1 else '>'
    seconds, nanoseconds, length = struct.unpack_from(f'{order}iII', data, 4)
    return seconds + nanoseconds * 1e-9, data[16:16 + length]


def _all_of(subscription: Subscription, raw: bool) -> Iterator[Tuple[Any, Any]]:
    """Yield the messages that wait, with what the middleware knows of each."""
    handle = subscription.handle
    with handle:
        while True:
            taken = handle.take_message(subscription.msg_type, raw)
            if taken is None:
                return
            yield taken
