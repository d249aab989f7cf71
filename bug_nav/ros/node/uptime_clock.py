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

"""Monotonic clock for ages and timeouts."""

from __future__ import annotations

import math
import time
from typing import Callable, Optional

from rclpy.clock import ROSClock

MAX_STEP = 0.5
"""Maximum step between two updates, which are frequent [s]."""
MAX_SIMULATED_STEP = 5.0
"""Maximum step of simulated time, which may be faster; a larger one is a clock change [s]."""
RECOVERY_TIME = 1.0
"""Time after a stall in which the messages queued meanwhile are processed [s]."""


class UptimeClock:
    """
    The time for which this process has been running, which cannot be set and does not jump.

    It counts simulated time if that is used, at any real-time factor; otherwise the steady clock,
    because the system clock can be set.

    The process may be delayed for seconds by a busy machine or a suspension. Afterwards its timers
    fire before it processes the messages queued meanwhile, and must not report missing data.

    It advances only in `update`, so that all times within a tick are the same.
    """

    def __init__(self, clock: Optional[ROSClock] = None,
                 steady: Callable[[], float] = time.monotonic):
        """Start at zero; without ``clock``, time is never simulated; ``steady`` detects stalls."""
        self._clock, self._steady = clock, steady
        self._time, self._stalled_at = 0.0, -math.inf
        self.real_time = 0.0
        """Uptime on the steady clock alone, which also counts while a simulation is paused [s]."""
        self._updated_at = steady()
        self._simulated, self._seen = False, self._updated_at
        self.update()

    def __call__(self) -> float:
        """Return the time at the last update [s]; only differences are meaningful."""
        return self._time

    def update(self) -> None:
        """Advance to the current time."""
        steady = self._steady()
        if steady - self._updated_at > MAX_STEP:
            self._stalled_at = steady
        self.real_time += min(steady - self._updated_at, MAX_STEP)
        self._updated_at = steady
        clock = self._clock
        simulated = clock is not None and clock.ros_time_is_active
        now = clock.now().nanoseconds * 1e-9 if clock is not None and simulated else steady
        # Nothing counts after a change of the clock source, from simulated time zero, or back.
        if simulated is self._simulated and self._seen > 0.0:
            most = MAX_STEP if steady - self._stalled_at < RECOVERY_TIME else MAX_SIMULATED_STEP
            self._time += min(max(now - self._seen, 0.0), most)
        self._simulated, self._seen = simulated, now
