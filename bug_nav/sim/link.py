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
How data reach the navigator: late, unevenly, not at all, and stamped by another clock.

Each message is delayed by its own time, so that a later one may overtake it. A simulator hands
what it has measured to a `Link` and asks it what has arrived.
"""

from __future__ import annotations

import dataclasses
import heapq
import math
from typing import Any, List, NamedTuple, Optional, Tuple

from bug_nav.core.interface import Scan
from bug_nav.core.parameters import Checked, parameter
import numpy as np


@dataclasses.dataclass(frozen=True)
class TimingModel(Checked):
    """The way from the sensors to the navigator; the defaults are no way at all."""

    odometry_rate: float = parameter(
        0.0, 'how often odometry is measured; 0 for at every tick', unit='Hz', low=0.0, high=200.0)
    odometry_delay: float = parameter(
        0.0, 'how late odometry arrives', unit='s', low=0.0, high=10.0)
    odometry_jitter: float = parameter(
        0.0, 'by how much more, at most, some of it is late', unit='s', low=0.0, high=10.0)
    odometry_drop: float = parameter(
        0.0, 'share of the odometry that never arrives', low=0.0, high=1.0)
    scan_delay: float = parameter(
        0.0, 'how late a scan arrives, after its sweep', unit='s', low=0.0, high=10.0)
    scan_jitter: float = parameter(
        0.0, 'by how much more, at most, some scans are late', unit='s', low=0.0, high=10.0)
    scan_drop: float = parameter(
        0.0, 'share of the scans that never arrive', low=0.0, high=1.0)
    scan_skew: float = parameter(
        0.0, "by how much the lidar's clock is ahead of odometry's", unit='s',
        low=-3600.0, high=3600.0)

    @property
    def is_ideal(self) -> bool:
        """Tell whether all data arrive when they are measured, at every tick."""
        return self == IDEAL


IDEAL = TimingModel()
"""No delay, no loss."""


class Arrival(NamedTuple):
    """A message that has arrived."""

    at: float
    """When [s]."""
    stamp: float
    odometry: Any = None
    """What was sent of it."""
    scans: Tuple[Scan, ...] = ()


class Link:
    """Carries what is measured, each message on its own."""

    def __init__(self, model: TimingModel, random: np.random.Generator):
        """Begin with nothing under way; ``random`` chooses what is late and what is lost."""
        self.model = model
        self._random = random
        self._under_way: List[Tuple[float, int, Arrival]] = []
        self._count = 0
        self.restart()

    def restart(self) -> None:
        """Lose what is under way, as at a reset of the clock."""
        self._under_way.clear()
        self._odometry_due = -math.inf

    def send_odometry(self, stamp: float, odometry: Any) -> None:
        """Send odometry that was measured at ``stamp`` [s], where it is due."""
        if stamp < self._odometry_due - 1e-9:
            return
        model = self.model
        period = 1.0 / model.odometry_rate if model.odometry_rate > 0.0 else 0.0
        if self._odometry_due == -math.inf:  # at no moment that scans would have in common
            self._odometry_due = stamp - period * self._random.random()
        self._odometry_due = max(self._odometry_due + period, stamp)
        at = self._due(stamp, model.odometry_delay, model.odometry_jitter, model.odometry_drop)
        if at is not None:
            self._send(Arrival(at, stamp, odometry))

    def send_scans(self, stamp: float, scans: Tuple[Scan, ...]) -> None:
        """Send the scans that were finished at ``stamp`` [s]."""
        model = self.model
        at = self._due(stamp, model.scan_delay, model.scan_jitter, model.scan_drop)
        if at is not None:
            self._send(Arrival(at, stamp + model.scan_skew, None, tuple(
                scan._replace(stamp=scan.stamp + model.scan_skew) for scan in scans)))

    def _due(self, now: float, delay: float, jitter: float, drop: float) -> Optional[float]:
        """Return when a message that is sent now arrives [s], None where it is lost."""
        late, lost = self._random.random(), self._random.random()
        return now + delay + jitter * late if lost >= drop else None

    def _send(self, message: Arrival) -> None:
        heapq.heappush(self._under_way, (message.at, self._count, message))
        self._count += 1

    def arrived(self, now: float) -> List[Arrival]:
        """Return what has arrived until now [s], in that order."""
        found = []
        while self._under_way and self._under_way[0][0] <= now + 1e-9:
            found.append(heapq.heappop(self._under_way)[2])
        return found


def substeps(model: TimingModel, period: float) -> int:
    """Return in how many steps a control period [s] is to be simulated, for the rates to hold."""
    return 1 if model.is_ideal else max(math.ceil(period * 200.0), 1)
