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
Simulated transport from the sensors to the navigator: latency, jitter, loss and clock skew.

Each message has its own delay, so that a later one may overtake it. A simulator sends its
measurements to a `LatencyQueue` and polls it for arrivals.
"""

from __future__ import annotations

import dataclasses
import heapq
import math
from typing import Any, List, NamedTuple, Optional, Tuple

from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.types import Scan
import numpy as np


@dataclasses.dataclass(frozen=True)
class TimingModel(ParameterSet):
    """Latency and loss between sensors and navigator; the defaults have neither."""

    odometry_rate: float = parameter(
        0.0, 'rate of odometry; 0 for every tick', unit='Hz', low=0.0, high=200.0)
    odometry_delay: float = parameter(
        0.0, 'latency of odometry', unit='s', low=0.0, high=10.0)
    odometry_jitter: float = parameter(
        0.0, 'maximum additional latency of odometry', unit='s', low=0.0, high=10.0)
    odometry_drop: float = parameter(
        0.0, 'share of odometry messages that are lost', low=0.0, high=1.0)
    scan_delay: float = parameter(
        0.0, 'latency of a scan after its sweep', unit='s', low=0.0, high=10.0)
    scan_jitter: float = parameter(
        0.0, 'maximum additional latency of a scan', unit='s', low=0.0, high=10.0)
    scan_drop: float = parameter(
        0.0, 'share of scans that are lost', low=0.0, high=1.0)
    scan_skew: float = parameter(
        0.0, 'clock skew of the lidar ahead of odometry', unit='s',
        low=-3600.0, high=3600.0)

    @property
    def is_ideal(self) -> bool:
        """Return whether all data arrive at once and at every tick."""
        return self == IDEAL


IDEAL = TimingModel()
"""No latency, no loss."""


class Message(NamedTuple):
    """A message with odometry or scans."""

    at: float
    """Time of arrival [s]."""
    stamp: float
    odometry: Any = None
    scans: Tuple[Scan, ...] = ()


class LatencyQueue:
    """Delivers measurements, each message with its own delay."""

    def __init__(self, model: TimingModel, random: np.random.Generator):
        """Create an empty queue; ``random`` draws delays and losses."""
        self.model = model
        self._random = random
        self._in_flight: List[Tuple[float, int, Message]] = []
        self._count = 0
        self.restart()

    def restart(self) -> None:
        """Drop all messages in flight, as after a clock reset."""
        self._in_flight.clear()
        self._odometry_due = -math.inf

    def send_odometry(self, stamp: float, odometry: Any) -> None:
        """Send odometry of time ``stamp`` [s] if its rate allows."""
        if stamp < self._odometry_due - 1e-9:
            return
        model = self.model
        period = 1.0 / model.odometry_rate if model.odometry_rate > 0.0 else 0.0
        if self._odometry_due == -math.inf:  # random phase relative to scans
            self._odometry_due = stamp - period * self._random.random()
        self._odometry_due = max(self._odometry_due + period, stamp)
        at = self._due(stamp, model.odometry_delay, model.odometry_jitter, model.odometry_drop)
        if at is not None:
            self._send(Message(at, stamp, odometry))

    def send_scans(self, stamp: float, scans: Tuple[Scan, ...]) -> None:
        """Send the scans that were finished at ``stamp`` [s]."""
        model = self.model
        at = self._due(stamp, model.scan_delay, model.scan_jitter, model.scan_drop)
        if at is not None:
            self._send(Message(at, stamp + model.scan_skew, None, tuple(
                scan._replace(stamp=scan.stamp + model.scan_skew) for scan in scans)))

    def _due(self, now: float, delay: float, jitter: float, drop: float) -> Optional[float]:
        """Return the arrival time of a message sent now [s]; None if it is lost."""
        late, lost = self._random.random(), self._random.random()
        return now + delay + jitter * late if lost >= drop else None

    def _send(self, message: Message) -> None:
        heapq.heappush(self._in_flight, (message.at, self._count, message))
        self._count += 1

    def arrived(self, now: float) -> List[Message]:
        """Return and remove the messages that have arrived by ``now`` [s], in order of arrival."""
        found = []
        while self._in_flight and self._in_flight[0][0] <= now + 1e-9:
            found.append(heapq.heappop(self._in_flight)[2])
        return found


def substeps(model: TimingModel, period: float) -> int:
    """Return the number of simulation steps per control period [s] that the rates require."""
    return 1 if model.is_ideal else max(math.ceil(period * 200.0), 1)
