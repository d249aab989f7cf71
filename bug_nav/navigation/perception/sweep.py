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

"""The filtered readings of one sweep of a sensor, and what each of them shows."""

from __future__ import annotations

import dataclasses
import math
from typing import Optional

from bug_nav.navigation.types import Scan
import numpy as np

MEASURED, FILLED, PERSON, DYNAMIC = range(4)
"""
Kinds of readings: measured, of a static obstacle or none; an earlier one that fills a hole; of an
object as narrow as a person in front of its background; of a dynamic obstacle.
"""


@dataclasses.dataclass
class Sweep:
    """The readings of a sensor."""

    scan: Scan
    """All readings; unknown ones are NaN."""
    kinds: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(1, dtype=np.uint8))
    """The kind of each reading (n,)."""
    latest: int = MEASURED
    """The latest of these kinds."""
    is_sparse: bool = False
    """Whether it consists mostly of holes."""
    is_distorted: bool = False
    """Whether the robot moved while the order of its beams is unknown."""
    is_steady: bool = False
    """
    Whether the unknown order of its beams does not matter: the robot hardly moved, in the scans
    before as well, or they were not matched.
    """
    has_found_order: bool = False
    """Whether it has shown that those before are distorted."""
    has_found_losses: bool = False
    """Whether it has shown that those before lack readings where they seem to show none."""
    holes: Optional[np.ndarray] = None
    """Which beams have measured nothing, although they did before, (n,); None if all have."""
    may_move: bool = False
    """Whether some of its readings may be of moving obstacles that were not detected."""

    def mark(self, readings: np.ndarray, kind: int) -> None:
        """Set the kind of readings, given by their numbers or as (n,) booleans."""
        self.kinds[readings] = kind
        self.latest = max(self.latest, kind)

    @property
    def filled(self) -> Optional[np.ndarray]:
        """Return which readings fill holes, (n,); None if none can."""
        return self.kinds == FILLED if self.latest >= FILLED else None

    @property
    def static(self) -> Scan:
        """Return the readings for the obstacle points, without dynamic obstacles."""
        return self._up_to(PERSON)

    @property
    def matched(self) -> Scan:
        """
        Return the readings for scan matching.

        Odometry places the readings that fill holes, so that they would always confirm odometry. A
        sweep that consists mostly of holes keeps them, because too few readings would be left.
        """
        if self.is_distorted:
            return self.scan._replace(ranges=np.full(self.kinds.size, math.nan))
        return self._up_to(FILLED if self.is_sparse else MEASURED)

    def _up_to(self, kind: int) -> Scan:
        """Return the scan in which readings of later kinds are unknown."""
        if self.latest <= kind:
            return self.scan
        return self.scan._replace(ranges=np.where(self.kinds > kind, math.nan, self.scan.ranges))
