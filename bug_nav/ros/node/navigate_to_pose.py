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

"""Nav2's action ``navigate_to_pose`` as a second door: the same goals, in Nav2's messages."""

from __future__ import annotations

from typing import Any

from bug_nav.ros.node.server import Door
from bug_nav.ros.results import explained
from bug_nav_msgs.action import NavigateBug
from nav2_msgs.action import NavigateToPose


class PoseHandle:
    """
    A goal of ``navigate_to_pose`` with the face of one of ``navigate_bug``.

    Whatever is not translated here is the handle's own: its identity, state and transitions.
    """

    def __init__(self, handle: Any):
        """Translate what was asked for."""
        self._handle = handle
        self.request = to_goal(handle.request)

    def publish_feedback(self, feedback: NavigateBug.Feedback) -> None:
        """Send feedback in Nav2's message."""
        self._handle.publish_feedback(to_feedback(feedback))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)


def to_goal(request: NavigateToPose.Goal) -> NavigateBug.Goal:
    """
    Return a goal of Nav2's as ours; ``behavior_tree`` names the algorithm.

    A pose of Nav2's includes its yaw, be it zero; an all-zero orientation has none.
    """
    q = request.pose.pose.orientation
    return NavigateBug.Goal(pose=request.pose, algorithm=request.behavior_tree,
                            align_yaw=any((q.x, q.y, q.z, q.w)))


def to_feedback(feedback: NavigateBug.Feedback) -> NavigateToPose.Feedback:
    """
    Return our feedback in Nav2's message.

    Without a map nobody knows the time that is left, and nothing here is a recovery: both are 0.
    """
    return NavigateToPose.Feedback(
        current_pose=feedback.current_pose, navigation_time=feedback.navigation_time,
        distance_remaining=feedback.distance_remaining)


NAVIGATE_TO_POSE = Door(NavigateToPose, 'navigate_to_pose', PoseHandle,
                        lambda result: explained(NavigateToPose.Result(), result))
