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

"""Faults of stamps, for scans and odometry."""

from __future__ import annotations

from random import Random
from typing import Any, Callable, Iterator, List, Optional, Tuple

from bug_nav.messages.sensor_messages import seconds
from bug_nav.ros.conversions import to_time
from trials.fault import changed, Filter

Stamped = Tuple[str, Callable[[Random], Filter], bool]
"""Name, factory of the filter, and whether the robot may continue with the fault."""


def stamp_faults() -> Iterator[Stamped]:
    """Yield all faults."""
    for span in (0.15, 0.3, 1.0, 5.0, 3600.0):
        yield f'stamps {span:g} s ahead', _shifted(span), span <= 0.3
    for span in (0.3, 2.0, 5.0):
        yield f'stamps {span:g} s old', _shifted(-span), span <= 0.3
    yield 'stamps stuck', lambda random: _stuck(), False
    yield 'stamps zero', lambda random: changed(_zero), True
    yield 'stamps to and fro', lambda random: _to_and_fro(), True


def _shifted(span: float) -> Callable[[Random], Filter]:
    def change(message: Any) -> None:
        message.header.stamp = to_time(seconds(message.header.stamp) + span)
    return lambda random: changed(change)


def _zero(message: Any) -> None:
    message.header.stamp = to_time(0.0)


def _stuck() -> Filter:
    first: List[Any] = []

    def change(message: Any) -> None:
        first.append(message.header.stamp)
        message.header.stamp = first[0]
    return changed(change)


def _to_and_fro(span: float = 0.2) -> Filter:
    count: List[Optional[float]] = []

    def change(message: Any) -> None:
        count.append(None)
        by = span if len(count) % 2 else -span
        message.header.stamp = to_time(seconds(message.header.stamp) + by)
    return changed(change)
