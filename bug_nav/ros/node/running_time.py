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

"""The one notion of time that ages, waits and arrivals are counted in."""

from __future__ import annotations

import math
import time
from typing import Callable, Optional

from rclpy.clock import ROSClock

STALL = 0.5
"""Between two looks at the clock no more than this counts [s]: it is looked at all the time."""
LEAP = 5.0
"""No more than this of simulated time either [s], which may be faster: it has been set then."""
RECOVERY = 1.0
"""After a stall, what has come meanwhile is taken in within this time [s]."""


class RunningTime:
    """
    A time that can neither be set nor jump, in which this process has been running.

    Where time is simulated it is simulated time, however slow or fast that goes; else the steady
    clock, for the system's can be set.

    A busy machine, or somebody who suspends the process, may keep it from running for seconds.
    Afterwards its timers are due before it takes in what has come meanwhile, and that nothing had
    come is no reason then to give up.

    It goes on when somebody looks at the clock, and stands still in between: to read it changes
    nothing, and all that a tick asks for is of one moment.
    """

    def __init__(self, clock: Optional[ROSClock] = None,
                 steady: Callable[[], float] = time.monotonic):
        """Begin; without ``clock`` time is never simulated; ``steady`` counts stalls too [s]."""
        self._clock, self._steady = clock, steady
        self._time, self._stalled_at = 0.0, -math.inf
        self.awake = 0.0
        """The same where time is never simulated [s]: it goes on while a simulation is paused."""
        self._looked_at = steady()
        self._simulated, self._seen = False, self._looked_at
        self.look()

    def __call__(self) -> float:
        """Return the time at the last look [s]; only differences mean something."""
        return self._time

    def look(self) -> None:
        """Look at the clock."""
        steady = self._steady()
        if steady - self._looked_at > STALL:
            self._stalled_at = steady
        self.awake += min(steady - self._looked_at, STALL)
        self._looked_at = steady
        clock = self._clock
        simulated = clock is not None and clock.ros_time_is_active
        now = clock.now().nanoseconds * 1e-9 if clock is not None and simulated else steady
        # A clock of another kind, and simulated time that was zero, tell nothing of the time
        # since; a simulation that is reset begins anew.
        if simulated is self._simulated and self._seen > 0.0:
            most = STALL if steady - self._stalled_at < RECOVERY else LEAP
            self._time += min(max(now - self._seen, 0.0), most)
        self._simulated, self._seen = simulated, now
