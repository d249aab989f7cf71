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

"""The path that was driven for a goal, thinned so that its size stays bounded."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.core.geometry import distance, Pose

SPACING = 0.05
"""Least distance between two poses of a path [m]."""
LIMIT = 1000
"""A path with more poses loses every second one, and is spaced twice as wide from then on."""


class DrivenPath:
    """Collects poses, a bounded number of them."""

    def __init__(self, limit: int = LIMIT):
        """Begin an empty path of ``limit`` poses at most."""
        self._limit = limit
        self._spacing = SPACING
        self.poses: List[Tuple[float, Pose]] = []
        """With the time [s] of each."""
        self.changed = True

    def add(self, stamp: float, pose: Pose) -> None:
        """Add a pose where it is far enough from the last one."""
        if self._away(pose) < self._spacing:
            return
        self.poses.append((stamp, pose))
        if len(self.poses) > self._limit:
            del self.poses[1::2]
            self._spacing *= 2.0
        self.changed = True

    def placed(self, pose: Pose) -> List[Tuple[float, Pose]]:
        """Return the poses, with their times, where their frame has a pose itself."""
        return [(at, pose.compose(each)) for at, each in self.poses]

    def _away(self, pose: Pose) -> float:
        last: Optional[Pose] = self.poses[-1][1] if self.poses else None
        return math.inf if last is None else distance(last.position, pose.position)
