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

"""What a fault is: changes of the messages, or something that is done, for a while."""

from __future__ import annotations

import math
from random import Random
from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional

Filter = Callable[[Any, float], Iterable[Any]]
"""Gets a message and the time since the fault began [s]; returns what is published instead."""
ClockFilter = Callable[[float], Optional[float]]
"""Gets the time since the fault began [s]; returns how far stamps jump then, None: no clock."""
Doing = Callable[[Any], Iterator[None]]
"""Does something to a trial, a tick of it per step; the fault ends with it."""


class Fault(NamedTuple):
    """A fault that is to happen."""

    scan: Optional[Filter] = None
    odom: Optional[Filter] = None
    clock: Optional[ClockFilter] = None
    doing: Optional[Doing] = None


class Kind(NamedTuple):
    """A kind of fault, and what is right while there is one."""

    name: str
    make: Callable[[Random], Fault]
    span: float = math.inf
    """How long it lasts [s]; inf for until the goal has ended."""
    drivable: bool = False
    """The robot may go on with it for as long as it likes; else the goal has to end soon."""
    paced: bool = False
    """Time does not wait for the node, which may be dead or suspended."""
    moves_frame: bool = False
    """Odometry is not the truth afterwards, so that REACHED need not be true in the world."""
    excuse: str = ''
    """Why no node can prevent a contact, or a false proof; empty where it has to."""
    outcomes: Iterable[str] = ()
    """The only outcomes that are right; empty for any but `unreachable` and `internal`."""


def changed(change: Callable[[Any], None]) -> Filter:
    """Return a filter that changes each message."""
    def run(message: Any, since: float) -> List[Any]:
        change(message)
        return [message]
    return run


def silent(message: Any, since: float) -> List[Any]:
    """Publish nothing."""
    return []
