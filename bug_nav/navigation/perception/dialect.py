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
The dialect of a lidar: how it reports no return, and in which order it measures its beams.

Scan messages do not tell. It is found out from their readings.
"""

from __future__ import annotations

from typing import Dict, Tuple

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.classification import begin_goal, describe, initial_dialect
from bug_nav.navigation.perception.sweep_order import SweepOrder
from bug_nav.navigation.settings import Settings


class Dialect:
    """The dialect of a lidar, which outlasts a goal."""

    def __init__(self, no_return: str = 'auto', beam_order: str = 'auto'):
        """Start as told: `settings.NO_RETURNS` and `settings.BEAM_ORDERS`."""
        self.readings = initial_dialect(no_return)
        """How it reports no return, a `classification.DIALECT` (1,)."""
        self.order = SweepOrder(beam_order)
        self._told: object = None

    def begin_goal(self) -> None:
        """Forget the scans: the robot may have been carried since."""
        begin_goal(self.readings)
        self.order.begin_goal()

    def __str__(self) -> str:
        """Return both, with the evidence."""
        return f'no return: {describe(self.readings)}; beam order: {self.order}'

    def has_news(self) -> bool:
        """Return whether it has changed since the last call."""
        told, self._told = self._told, (describe(self.readings), self.order.order)
        return told != self._told


class Dialects:
    """The dialects of the lidars of a robot, which outlast its goals."""

    def __init__(self) -> None:
        """Start without lidars."""
        self._known: Dict[Tuple[Pose, str, str], Dialect] = {}

    def of(self, settings: Settings, mount: Pose) -> Dialect:
        """Return that of the lidar at a mount, with these settings."""
        key = mount, settings.no_return, settings.beam_order
        return self._known.setdefault(key, Dialect(*key[1:]))

    @property
    def news(self) -> str:
        """Return what was found out since the last call, in one sentence; empty for nothing."""
        found = '; '.join(str(each) for each in self._known.values() if each.has_news())
        return f'the lidar reports as follows: {found}' if found else ''

    def __str__(self) -> str:
        """Return those of all lidars."""
        return '; '.join(map(str, self._known.values())) or 'unknown'
