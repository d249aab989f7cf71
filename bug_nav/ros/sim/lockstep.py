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
Lockstep of a simulation that runs as fast as the robot's controller.

The controller sends commands at its own rate. The simulation advances at once until the next
command is due, and waits for it, so that a run does not depend on the speed of the machine.
"""

from __future__ import annotations

from collections import deque
from typing import Deque

IDLE_STEP = 0.01
"""Minimum duration of a step without a controller [s]."""
PATIENCE = 0.25
"""Maximum wait for a due command while the robot stands [s]."""
MOVING_PATIENCE = 1.0
"""Maximum wait for a due command while the robot moves, because a busy machine delays it [s]."""


class Lockstep:
    """The simulated times of a robot's commands, past and expected."""

    def __init__(self, dt: float):
        """Start without commands; the step is ``dt`` [s]."""
        self._dt = dt
        self._stamps: Deque[float] = deque(maxlen=3)

    def add_command(self, stamp: float) -> None:
        """Add a command at ``stamp`` [s], which must not decrease."""
        if stamp not in self._stamps:
            self._stamps.append(stamp)

    def is_due(self, stamp: float) -> bool:
        """Return whether a command is due at ``stamp`` [s], at the current rate."""
        return bool(self._stamps) and abs(self._overdue(stamp)) < self._dt / 2.0

    def patience(self, stamp: float, moves: bool) -> float:
        """Return the maximum wait [s] of the step at ``stamp`` [s] for a command."""
        if self.is_due(stamp):
            return MOVING_PATIENCE if moves else PATIENCE
        if self._stamps and self._overdue(stamp) < 0.0:
            return 0.0
        # A robot that moves without commands is not faster than real time.
        return max(self._dt, IDLE_STEP) if moves else IDLE_STEP

    def _overdue(self, stamp: float) -> float:
        """Return the time since a command was due [s]; the shorter interval is the period."""
        stamps = list(self._stamps)
        period = min((b - a for a, b in zip(stamps, stamps[1:])), default=self._dt)
        return stamp - stamps[-1] - period
