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

"""Serves the same goals with Nav2's action ``navigate_to_pose``."""

from __future__ import annotations

from typing import Any

from bug_nav.ros.node.server import ServedAction
from bug_nav.ros.results import with_nav2_error
from bug_nav_msgs.action import NavigateBug
from nav2_msgs.action import NavigateToPose


class PoseHandle:
    """
    Adapts a goal handle of ``navigate_to_pose`` to one of ``navigate_bug``.

    Only request and feedback are converted; ID, state and transitions are the handle's own.
    """

    def __init__(self, handle: Any):
        """Convert the request."""
        self._handle = handle
        self.request = to_goal(handle.request)

    def publish_feedback(self, feedback: NavigateBug.Feedback) -> None:
        """Send the feedback as Nav2's message."""
        self._handle.publish_feedback(to_feedback(feedback))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)


def to_goal(request: NavigateToPose.Goal) -> NavigateBug.Goal:
    """
    Convert a Nav2 goal, in which ``behavior_tree`` names the algorithm.

    A Nav2 pose requests its yaw, even if zero; an all-zero orientation requests none.
    """
    q = request.pose.pose.orientation
    return NavigateBug.Goal(pose=request.pose, algorithm=request.behavior_tree,
                            align_yaw=any((q.x, q.y, q.z, q.w)))


def to_feedback(feedback: NavigateBug.Feedback) -> NavigateToPose.Feedback:
    """
    Convert feedback to Nav2's message.

    Remaining time and recoveries are 0: the former is unknown without a map, and there are none.
    """
    return NavigateToPose.Feedback(
        current_pose=feedback.current_pose, navigation_time=feedback.navigation_time,
        distance_remaining=feedback.distance_remaining)


NAVIGATE_TO_POSE = ServedAction(NavigateToPose, 'navigate_to_pose', PoseHandle,
                                lambda result: with_nav2_error(NavigateToPose.Result(), result))
