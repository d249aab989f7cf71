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
Ticks that no executor waits for.

For each wait rclpy looks through all that a node has, in Python, and after each callback it does
so once more. Who ticks by itself, and has the executor look at what is ready after each tick, has
one such look a tick where there were two or three.
"""

from __future__ import annotations

import math
import time
from typing import Callable

from rclpy.executors import Executor, ShutdownException, TimeoutException

LONGEST = 0.05
"""The executor is kept from what is ready for so long at most [s], however slow the ticks are."""


class Pace:
    """A timer on the steady clock that is waited for by itself, and by nobody else."""

    def __init__(self, period: float, call: Callable[[], None]):
        """Begin at rest; ``call`` is called every ``period`` [s] after `reset`."""
        self._period, self._call = period, call
        self._due = math.inf

    @property
    def runs(self) -> bool:
        """Tell whether it calls."""
        return self._due < math.inf

    @property
    def is_due(self) -> bool:
        """Tell whether a call is due."""
        return time.monotonic() >= self._due

    def reset(self) -> None:
        """Begin to call, a period from now."""
        self._due = time.monotonic() + self._period

    def cancel(self) -> None:
        """Call no more."""
        self._due = math.inf

    def wait(self) -> None:
        """Wait until a call is due, for `LONGEST` at most, and make it if it is."""
        time.sleep(min(max(self._due - time.monotonic(), 0.0), LONGEST))
        if self.is_due:
            # What was missed is not made up for: the robot needs no two commands at once.
            missed = (time.monotonic() - self._due) // self._period
            self._due += (missed + 1.0) * self._period
            self._call()


def spin_ready(executor: Executor, enough: Callable[[], bool]) -> None:
    """Handle what is ready, without waiting: once, and what has become ready until enough."""
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
                handled = handled or entity is not None  # None: what awaits the goal's result
        except (ShutdownException, TimeoutException):
            handled = handled and not enough()
