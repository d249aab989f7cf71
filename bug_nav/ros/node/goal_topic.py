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

"""Forwards goals of rviz's "2D Goal Pose" to the node's own action."""

from __future__ import annotations

from typing import Any

from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future


class _AwaitedGroup(CallbackGroup):
    """
    Callback group that an executor waits for only while a response is pending.

    An action client receives the feedback of all goals, which would wake the node each time.
    """

    awaited = 0

    def can_execute(self, entity: Any) -> bool:
        return self.awaited > 0

    def beginning_execution(self, entity: Any) -> bool:
        return True

    def ending_execution(self, entity: Any) -> None:
        pass


class GoalTopic:
    """Sends the poses on ``goal_pose`` to the action server."""

    def __init__(self, node: Node):
        """Subscribe."""
        self._node = node
        self._group = _AwaitedGroup()
        self._client = ActionClient(node, NavigateBug, 'navigate_bug', callback_group=self._group)
        node.create_subscription(PoseStamped, 'goal_pose', self._on_pose, 1)

    def _on_pose(self, pose: PoseStamped) -> None:
        if not self._client.server_is_ready():
            self._node.get_logger().warning('a goal on goal_pose was dropped: the node is not '
                                            'configured')
            return
        self._group.awaited += 1
        sent = self._client.send_goal_async(NavigateBug.Goal(pose=pose))
        sent.add_done_callback(self._on_answer)

    def _on_answer(self, sent: Future) -> None:
        self._group.awaited -= 1
        if not sent.result().accepted:
            self._node.get_logger().warning('a goal on goal_pose was dropped: the node is not '
                                            'active')
