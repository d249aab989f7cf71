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
Whose turn it is where a simulation goes as fast as it is driven.

A driver decides as often as it does. The simulation goes on at once until its next decision is
due, and waits for that, so that a run does not depend on how fast the machine is.
"""

from __future__ import annotations

from collections import deque
from typing import Deque

IDLE = 0.01
"""How long a step lasts [s] while nobody drives."""
PATIENCE = 0.25
"""How long the next command is waited for [s] that is due ..."""
LATE = 1.0
"""... and how long while the robot moves: on a busy machine its driver may be late."""


class Turns:
    """When a robot's driver has decided, in simulated time, and when it will again."""

    def __init__(self, dt: float):
        """Begin without a driver; steps last ``dt`` [s]."""
        self._dt = dt
        self._stamps: Deque[float] = deque(maxlen=3)

    def decided(self, stamp: float) -> None:
        """Take note of a command, at a time [s] that does not go back."""
        if stamp not in self._stamps:
            self._stamps.append(stamp)

    def is_due(self, stamp: float) -> bool:
        """Tell whether the driver decides at a time [s], if it goes on as before."""
        return bool(self._stamps) and abs(self._late(stamp)) < self._dt / 2.0

    def patience(self, stamp: float, moves: bool) -> float:
        """Return for how long [s] at most the step from a time [s] on waits for a command."""
        if self.is_due(stamp):
            return LATE if moves else PATIENCE
        if self._stamps and self._late(stamp) < 0.0:
            return 0.0
        # What moves without its driver is no faster than in the real world, where it gets ready.
        return max(self._dt, IDLE) if moves else IDLE

    def _late(self, stamp: float) -> float:
        """Return the time [s] since a decision was due: one delay alone is not a period."""
        stamps = list(self._stamps)
        period = min((b - a for a, b in zip(stamps, stamps[1:])), default=self._dt)
        return stamp - stamps[-1] - period
