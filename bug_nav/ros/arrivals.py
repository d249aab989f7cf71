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

"""When messages came: ages on a clock that cannot jump, and rates."""

from __future__ import annotations

import math

from bug_nav.ros.running_time import RunningTime
from rclpy.clock import ROSClock

DISCOVERY = 5.0
"""DDS participants announce themselves every 3 s, and with SROS2 shake hands for a while then."""
SMOOTHING = 0.2
"""Weight of the newest interval in the mean."""


class Arrivals:
    """The arrivals of one kind of message."""

    def __init__(self, clock: ROSClock, running: RunningTime):
        """Begin to wait; ``clock`` counts beside the running time where time is simulated."""
        self._clock, self._running = clock, running
        self.count = 0
        self._interval = math.nan
        self.restart()

    def restart(self) -> None:
        """Begin to wait anew, as if a message had come just now."""
        self._at, self._at_clock = self._running(), self._clock.now().nanoseconds

    def note(self) -> None:
        """Take note of an arrival."""
        now = self._running()
        if self.count:
            step = now - self._at
            last = step if math.isnan(self._interval) else self._interval
            self._interval = last + SMOOTHING * (step - last)
        self.count += 1
        self.restart()

    @property
    def age(self) -> float:
        """
        Return for how long nothing has come [s].

        It is measured in running time. Simulated time may run faster than that, and then it is
        what counts; the system's clock never does, for it can be set.
        """
        age = self._running() - self._at
        # Simulated time that was zero had not begun yet, and after a stall it leaps ahead of the
        # messages that have come meanwhile.
        if self._clock.ros_time_is_active and self._at_clock and not self._running.recovering:
            age = max(age, (self._clock.now().nanoseconds - self._at_clock) * 1e-9)
        return age

    @property
    def missing(self) -> float:
        """Return for how long something ought to have come [s]: the first message may take."""
        return self.age if self.count else max(self.age - DISCOVERY, 0.0)

    @property
    def rate(self) -> float:
        """Return the mean rate [Hz], 0 while it is not known or nothing has come for a while."""
        if math.isnan(self._interval) or self._running() - self._at > 5.0 * self._interval + 1.0:
            return 0.0
        return 1.0 / max(self._interval, 1e-6)
