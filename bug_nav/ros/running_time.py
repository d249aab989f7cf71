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

"""A steady clock that does not count what was the process's own silence."""

from __future__ import annotations

import math
import time
from typing import Callable

STALL = 0.5
"""Between two looks at the clock no more than this counts [s]: it is looked at all the time."""
RECOVERY = 1.0
"""After a stall, what has come meanwhile is taken in within this time [s]."""


class RunningTime:
    """
    The time in which this process has been running.

    A busy machine, or somebody who suspends the process, may keep it from running for seconds.
    Afterwards its timers are due before it takes in what has come meanwhile, and that nothing had
    come is no reason then to give up.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic):
        """Begin; ``steady`` counts stalls as well [s]."""
        self._steady = steady
        self._seen, self._lost = steady(), 0.0
        self._stalled_at = -math.inf

    def __call__(self) -> float:
        """Return the time [s]; only differences mean something."""
        now = self._steady()
        if now - self._seen > STALL:
            self._lost += now - self._seen - STALL
            self._stalled_at = now
        self._seen = now
        return now - self._lost

    @property
    def recovering(self) -> bool:
        """Tell whether it has only just begun to run again, and may have messages to take in."""
        return self._steady() - self._stalled_at < RECOVERY
