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

"""When messages came: ages and rates, and why what comes cannot be used."""

from __future__ import annotations

import math
from typing import Callable

DISCOVERY = 5.0
"""DDS participants announce themselves every 3 s, and with SROS2 shake hands for a while then."""
SMOOTHING = 0.2
"""Weight of the newest interval in the mean."""
RELAPSE = 0.5
"""Messages that cannot be used, and are no further apart [s], are not outweighed by others."""


class Arrivals:
    """The arrivals of one kind of message."""

    def __init__(self, running: Callable[[], float]):
        """Begin to wait; time is what ``running`` returns [s]."""
        self._running = running
        self.count = 0
        self._interval = math.nan
        self.restart()

    def restart(self) -> None:
        """Begin to wait anew, as if a message had come just now."""
        self._at = self._came = self._running()
        self._reason, self._bad_at, self._bad_since = '', -math.inf, 0.0

    def note(self, at: float, ago: float = 0.0) -> None:
        """
        Take note of a message that came at a time [s], and was taken in so much later [s].

        Its age counts from then: on a busy machine this process may have been kept from running,
        and that is no silence of whoever sends.
        """
        if self.count:
            step = max(at - self._came, 0.0)
            last = step if math.isnan(self._interval) else self._interval
            self._interval = last + SMOOTHING * (step - last)
        self.count += 1
        self._came, self._at = at, at + ago

    def refuse(self, reason: str, at: float) -> None:
        """Take note of a message that came at a time [s], cannot be used, and why."""
        if not self.reason:
            self._bad_since = self._at if self.count else at
        self._reason, self._bad_at = reason, at

    @property
    def reason(self) -> str:
        """Return why what has come of late cannot be used; empty where it can."""
        silent = self._at < self._bad_at
        return self._reason if silent or self._running() - self._bad_at <= RELAPSE else ''

    @property
    def age(self) -> float:
        """Return for how long nothing has come that can be used, or not it alone [s]."""
        return self._running() - (min(self._at, self._bad_since) if self.reason else self._at)

    @property
    def missing(self) -> float:
        """Return for how long something ought to have come [s]: the first message may take."""
        return self.age if self.count or self.reason else max(self.age - DISCOVERY, 0.0)

    @property
    def rate(self) -> float:
        """Return the mean rate [Hz], 0 while it is not known or nothing has come for a while."""
        if math.isnan(self._interval) or self._running() - self._at > 5.0 * self._interval + 1.0:
            return 0.0
        return 1.0 / max(self._interval, 1e-6)
