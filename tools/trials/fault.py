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

"""Faults: temporary changes of messages, or actions."""

from __future__ import annotations

import math
from random import Random
from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional

Filter = Callable[[Any, float], Iterable[Any]]
"""Gets a message and the time since the onset [s]; returns the messages to publish instead."""
ClockFilter = Callable[[float], Optional[float]]
"""Gets the time since the onset [s]; returns the offset of stamps [s], or None for no clock."""
Action = Callable[[Any], Iterator[None]]
"""Acts on a trial, one tick per iteration; the fault ends with the iterator."""


class Fault(NamedTuple):
    """A fault."""

    scan: Optional[Filter] = None
    odom: Optional[Filter] = None
    clock: Optional[ClockFilter] = None
    doing: Optional[Action] = None


class Kind(NamedTuple):
    """A kind of fault and the expected reaction."""

    name: str
    make: Callable[[Random], Fault]
    span: float = math.inf
    """Duration [s]; inf until the goal ends."""
    drivable: bool = False
    """Whether the robot may continue with the fault; else the goal must end soon."""
    slow: bool = False
    """Whether the robot may then drive slowly."""
    paced: bool = False
    """Whether time advances without the node, which may be dead or suspended."""
    moves_frame: bool = False
    """Whether odometry is wrong afterwards, so that REACHED may be false in the world."""
    excuse: str = ''
    """Reason why no node can prevent a contact or a false proof; empty if it must."""
    outcomes: Iterable[str] = ()
    """Allowed outcomes; empty for all except `unreachable` and `internal`."""


def changed(change: Callable[[Any], None]) -> Filter:
    """Return a filter that changes each message."""
    def run(message: Any, since: float) -> List[Any]:
        change(message)
        return [message]
    return run


def silent(message: Any, since: float) -> List[Any]:
    """Publish nothing."""
    return []
