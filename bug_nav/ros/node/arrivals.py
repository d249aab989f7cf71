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

"""Age and rate of incoming messages, and why they are unusable."""

from __future__ import annotations

import math
from typing import Callable

DISCOVERY_TIME = 5.0
"""Time allowed for DDS discovery, announced every 3 s, and the SROS2 handshake [s]."""
SMOOTHING = 0.2
"""Weight of the newest interval in the moving average."""
REJECTION_HOLD = 0.5
"""Time for which an unusable message outweighs usable ones [s]."""


class Arrivals:
    """Arrival statistics of one kind of message."""

    def __init__(self, uptime: Callable[[], float]):
        """Start to wait; ``uptime`` returns the time [s]."""
        self._uptime = uptime
        self.count = 0
        self._interval = math.nan
        self.restart()

    def restart(self) -> None:
        """Start to wait again, as if a message had just arrived."""
        self._at = self._came = self._uptime()
        self._forget_rejections()

    def add(self, at: float, ago: float = 0.0) -> None:
        """
        Add a message that arrived at ``at`` [s] and was processed ``ago`` [s] later.

        Its age counts from the processing, because on a busy machine this process may have been
        delayed, which is not the publisher's silence.
        """
        if self.count:
            step = max(at - self._came, 0.0)
            last = step if math.isnan(self._interval) else self._interval
            self._interval = last + SMOOTHING * (step - last)
        self.count += 1
        self._came, self._at = at, at + ago

    def reject(self, reason: str, at: float) -> None:
        """Add an unusable message that arrived at ``at`` [s], with the reason."""
        if not self.reason:
            self._bad_since = self._at if self.count else at
        self._reason, self._bad_at = reason, at

    def withdraw(self, reason: str) -> None:
        """Forget rejections for ``reason``, if that was the last one: it no longer holds."""
        if reason == self._reason:
            self._forget_rejections()

    def _forget_rejections(self) -> None:
        self._reason, self._bad_at, self._bad_since = '', -math.inf, 0.0

    @property
    def reason(self) -> str:
        """Return why recent messages are unusable, empty if they are usable."""
        silent = self._at < self._bad_at
        return self._reason if silent or self._uptime() - self._bad_at <= REJECTION_HOLD else ''

    @property
    def age(self) -> float:
        """Return the time since the last message, or since they became partly unusable [s]."""
        return self._uptime() - (min(self._at, self._bad_since) if self.reason else self._at)

    @property
    def missing(self) -> float:
        """Return the time for which messages are overdue [s], without the time for discovery."""
        return self.age if self.count or self.reason else max(self.age - DISCOVERY_TIME, 0.0)

    @property
    def rate(self) -> float:
        """Return the mean rate [Hz], 0 while it is unknown or after a long silence."""
        if math.isnan(self._interval) or self._uptime() - self._at > 5.0 * self._interval + 1.0:
            return 0.0
        return 1.0 / max(self._interval, 1e-6)
