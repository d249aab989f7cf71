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
A timer that no executor waits for.

rclpy checks all entities of a node, in Python, for each wait and after each callback. With a
timer outside the executor, which handles ready entities after each tick, there is one check per
tick instead of two or three.
"""

from __future__ import annotations

import math
import time
from typing import Callable

from rclpy.executors import Executor, ShutdownException, TimeoutException

MAX_WAIT = 0.05
"""Maximum wait before the executor handles ready entities, however slow the ticks are [s]."""


class SteadyTimer:
    """A timer on the steady clock, independent of an executor."""

    def __init__(self, period: float, callback: Callable[[], None]):
        """Create a stopped timer that calls ``callback`` every ``period`` [s] after `reset`."""
        self._period, self._callback = period, callback
        self._due = math.inf

    @property
    def is_running(self) -> bool:
        """Return whether the timer is running."""
        return self._due < math.inf

    @property
    def is_due(self) -> bool:
        """Return whether a call is due."""
        return time.monotonic() >= self._due

    def reset(self) -> None:
        """Start; the first call is one period from now."""
        self._due = time.monotonic() + self._period

    def cancel(self) -> None:
        """Stop."""
        self._due = math.inf

    def wait(self) -> None:
        """Wait until a call is due, for at most `MAX_WAIT`, and make it if it is."""
        time.sleep(min(max(self._due - time.monotonic(), 0.0), MAX_WAIT))
        if self.is_due:
            # Skip missed calls: the robot does not need two commands at once.
            missed = (time.monotonic() - self._due) // self._period
            self._due += (missed + 1.0) * self._period
            self._callback()


def spin_ready(executor: Executor, enough: Callable[[], bool]) -> None:
    """Handle ready entities without waiting, repeatedly until none is ready or ``enough()``."""
    handled = True
    while handled:
        handled = False
        try:
            while True:
                handler, entity, _ = executor.wait_for_ready_callbacks(timeout_sec=0)
                handler()
                error = handler.exception()
                if error is not None:
                    raise error
                handled = handled or entity is not None  # None: a task that awaits the result
        except (ShutdownException, TimeoutException):
            handled = handled and not enough()
