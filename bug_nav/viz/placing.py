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
Where what is remembered is shown, while the frame that others see it in drifts.

What the navigator remembers lies in a frame that does not drift, and the scan is shown in one that
does: what is remembered is laid onto the walls as they are seen now.
"""

from __future__ import annotations

from typing import Iterable

from bug_nav.core.geometry import distance, IDENTITY, Point, Pose

VISIBLE = 0.02
"""Nobody sees that something is shown so far away from its place [m]."""


class Placing:
    """Follows the frame of what is remembered, in steps that can be seen."""

    def __init__(self) -> None:
        """Begin where both frames are the same."""
        self.pose = IDENTITY
        """Where the frame of what is remembered is shown."""

    def follow(self, pose: Pose, places: Iterable[Point]) -> Pose:
        """Return ``pose``, or the last one where none of the places would be seen to move."""
        if any(distance(pose.apply(place), self.pose.apply(place)) > VISIBLE for place in places):
            self.pose = pose
        return self.pose
