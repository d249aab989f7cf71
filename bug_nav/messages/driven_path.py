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

"""The path driven for a goal, thinned to a bounded size."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.navigation.geometry import distance, Pose

SPACING = 0.05
"""Minimum distance between two poses of a path [m]."""
LIMIT = 1000
"""Number of poses above which every second one is dropped and the spacing doubled."""


class DrivenPath:
    """A path with a bounded number of poses."""

    def __init__(self, limit: int = LIMIT):
        """Create an empty path of at most ``limit`` poses."""
        self._limit = limit
        self._spacing = SPACING
        self.poses: List[Tuple[float, Pose]] = []
        """Poses with their times [s]."""
        self.changed = True

    def add(self, stamp: float, pose: Pose) -> None:
        """Add a pose if it is far enough from the last one."""
        if self._away(pose) < self._spacing:
            return
        self.poses.append((stamp, pose))
        if len(self.poses) > self._limit:
            del self.poses[1::2]
            self._spacing *= 2.0
        self.changed = True

    def placed(self, pose: Pose) -> List[Tuple[float, Pose]]:
        """Return the poses, with their times, in the parent frame of ``pose``."""
        return [(at, pose.compose(each)) for at, each in self.poses]

    def _away(self, pose: Pose) -> float:
        last: Optional[Pose] = self.poses[-1][1] if self.poses else None
        return math.inf if last is None else distance(last.position, pose.position)
