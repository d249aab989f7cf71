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

"""The driven path of a goal as a message."""

from __future__ import annotations

from typing import List, Tuple

from bug_nav.messages.driven_path import DrivenPath
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.ros.conversions import to_pose_stamped, to_time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path

MAX_POSES = 240
"""Maximum number of poses in a path, which the control loop publishes for display."""


class PublishedPath(DrivenPath):
    """A thinned path that caches its pose messages, because it is published often."""

    def __init__(self, limit: int = MAX_POSES):
        """Create an empty path of at most ``limit`` poses."""
        super().__init__(limit)
        self._made: List[Tuple[float, PoseStamped]] = []
        self._placed = IDENTITY

    def is_new(self, placed: Pose) -> bool:
        """Return whether a message would differ from the last one."""
        return self.changed or placed != self._placed

    def message(self, frame_id: str, stamp: float, placed: Pose = IDENTITY) -> Path:
        """Return the path as a message; ``placed`` is the pose of its frame in ``frame_id``."""
        self.changed = False
        if placed != self._placed:
            self._placed, self._made = placed, []
        # Thinning changes the poses from the second on.
        same = min(len(self._made), len(self.poses))
        while same and self._made[same - 1][0] != self.poses[same - 1][0]:
            same -= 1
        self._made[same:] = [(at, to_pose_stamped(frame_id, at, placed.compose(pose)))
                             for at, pose in self.poses[same:]]
        path = Path(poses=[made for _, made in self._made])
        path.header.frame_id, path.header.stamp = frame_id, to_time(stamp)
        return path
