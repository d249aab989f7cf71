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
Display pose of the corrected frame while odometry drifts.

The navigator's memory is in a frame without drift, but the scan is displayed in the drifting
odometry frame. The memory is transformed so that it matches the walls of the present scan.
"""

from __future__ import annotations

from typing import Iterable

from bug_nav.navigation.geometry import distance, IDENTITY, Point, Pose

VISIBLE = 0.02
"""Minimum displacement that is visible [m]."""


class DisplayFrame:
    """Pose of the corrected frame for display, updated only in visible steps."""

    def __init__(self) -> None:
        """Start with identical frames."""
        self.pose = IDENTITY
        """Display pose of the corrected frame."""

    def follow(self, pose: Pose, places: Iterable[Point]) -> Pose:
        """Return ``pose``, or the last one if none of the places would move visibly."""
        if any(distance(pose.apply(place), self.pose.apply(place)) > VISIBLE for place in places):
            self.pose = pose
        return self.pose
