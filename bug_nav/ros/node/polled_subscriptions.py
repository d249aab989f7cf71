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
Subscriptions that are polled instead of waking the executor.

An executor wakes up for each message and checks all entities of a node, which takes several
times as long as the message itself. The control loop instead polls all new messages at 20 Hz, in
order of arrival.

Deserialization takes most of the rest. On a fast topic it is skipped for messages that another
queued one follows soon.
"""

from __future__ import annotations

import functools
import struct
import time
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Tuple

from bug_nav.navigation.perception.sensor_queue import REPEAT_PERIOD
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription

QUEUE_DEPTH = 64
"""Queue depth per topic; the oldest messages are dropped."""
SENSOR_DATA = QoSProfile(
    depth=QUEUE_DEPTH, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Best effort, which is compatible with any publisher."""


class Arrival(NamedTuple):
    """Arrival of a message, in uptime."""

    at: float
    ago: float
    """Time between arrival and polling [s]."""


Handler = Callable[[Any, Arrival], None]
ArrivalHandler = Callable[[Arrival], None]


class _PolledGroup(CallbackGroup):
    """Callback group that no executor waits for."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        raise AssertionError('an executor must not execute this group')


class PolledSubscriptions:
    """The polled subscriptions of a node."""

    def __init__(self, node: Node, uptime: Callable[[], float]):
        """Start without subscriptions; ``uptime`` returns the time [s]."""
        self._node, self._uptime = node, uptime
        self._group = _PolledGroup()
        self._handlers: List[Tuple[Subscription, Handler, Optional[ArrivalHandler]]] = []
        self._polled_at = uptime(), time.time()

    def subscribe(self, kind: Any, topic: str, handler: Handler,
                  on_skipped: Optional[ArrivalHandler] = None) -> Subscription:
        """
        Subscribe; `dispatch` calls ``handler`` with each message and its arrival.

        With ``on_skipped``, messages are skipped that another one of the same frame follows
        within `REPEAT_PERIOD`, by their stamps; ``on_skipped`` gets their arrivals. This requires
        messages that begin with a header.
        """
        subscription = self._node.create_subscription(
            kind, topic, handler, SENSOR_DATA, callback_group=self._group)
        self._handlers.append((subscription, handler, on_skipped))
        return subscription

    def add_existing(self, subscription: Subscription) -> None:
        """Poll an existing subscription, which keeps its callback."""
        # Its events too: they stay ready while messages are queued, and would wake the executor.
        for each in (subscription, *subscription.event_handlers):
            each.callback_group = self._group
        self._handlers.append((
            subscription, lambda message, arrival: subscription.callback(message), None))

    def close(self) -> None:
        """Unsubscribe."""
        for subscription, *_ in self._handlers:
            self._node.destroy_subscription(subscription)
        self._handlers.clear()

    def dispatch(self) -> None:
        """Handle all queued messages in order of arrival."""
        now, system = self._uptime(), time.time()
        then, since = self._polled_at
        self._polled_at = now, system
        span = max(system - since, 1e-9)
        # Cyclone DDS of Humble has no reception time, only that of the transmission.
        ready = [((info['received_timestamp'] or info['source_timestamp']) * 1e-9 or system,
                  number, handle)
                 for number, entry in enumerate(self._handlers)
                 for handle, info in _take_ready(*entry)]
        for received, _, handle in sorted(ready, key=lambda each: each[:2]):
            # The system clock may have been set, but no message arrived before the last poll.
            ago = (now - then) * min(max((system - received) / span, 0.0), 1.0)
            handle(Arrival(now - ago, ago))

    def discard(self) -> None:
        """Discard all queued messages."""
        self._polled_at = self._uptime(), time.time()
        for subscription, *_ in self._handlers:
            for _ in _take_all(subscription, raw=True):
                pass


def _take_ready(subscription: Subscription, handler: Handler,
                on_skipped: Optional[ArrivalHandler]) -> List[Tuple[ArrivalHandler, Any]]:
    """Take the queued messages; return the handler and the message info of each."""
    if on_skipped is None:
        return [(functools.partial(handler, message), info)
                for message, info in _take_all(subscription, subscription.raw)]
    found: List[Tuple[ArrivalHandler, Any]] = []
    stamp, frame = 0.0, b''
    for data, info in reversed(list(_take_all(subscription, raw=True))):
        earlier, its_frame = _header(data)
        if (found and frame == its_frame and earlier > 0.0
                and 0.0 <= stamp - earlier < REPEAT_PERIOD):
            found.append((on_skipped, info))
        else:
            stamp, frame = earlier, its_frame
            message = deserialize_message(data, subscription.msg_type)
            found.append((functools.partial(handler, message), info))
    return found[::-1]


def _header(data: bytes) -> Tuple[float, bytes]:
    """Return stamp [s] and frame of a serialized message (CDR)."""
    order = '<' if data[1] & 1 else '>'
    seconds, nanoseconds, length = struct.unpack_from(f'{order}iII', data, 4)
    return seconds + nanoseconds * 1e-9, data[16:16 + length]


def _take_all(subscription: Subscription, raw: bool) -> Iterator[Tuple[Any, Any]]:
    """Yield the queued messages, with their message info."""
    handle = subscription.handle
    with handle:
        while True:
            taken = handle.take_message(subscription.msg_type, raw)
            if taken is None:
                return
            yield taken
