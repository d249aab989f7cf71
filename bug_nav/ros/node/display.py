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

"""Publishes feedback, markers and the path of a goal."""

from __future__ import annotations

import time
from typing import Optional, Sequence, Tuple

from bug_nav.messages.markers import Body, state_name
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.types import Decision
from bug_nav.ros.node import markers
from bug_nav.ros.node.goal import Goal
from bug_nav.ros.node.settings import NodeSettings
from bug_nav.ros.qos import LATCHED
from bug_nav.ros.results import state_code, to_feedback
from nav_msgs.msg import Path
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

DISPLAY_PERIOD = 0.5
"""Period of path and markers [s]; markers are also sent at every hit and leave point."""
IDLE_PERIOD = 2.0
"""Period of the markers of a robot without a goal [s]."""


class Display:
    """Publishes feedback, markers and path, at rates for a person who watches."""

    def __init__(self, node: Node, settings: NodeSettings):
        """Create the publishers."""
        self._node = node
        self._frame, self._base = settings.global_frame, settings.robot_base_frame
        self._markers = node.create_publisher(MarkerArray, '~/markers', LATCHED)
        self._path = node.create_publisher(Path, '~/path', LATCHED)
        self._feedback_period = 1.0 / settings.feedback_rate
        self._feedback_at = self._shown_at = 0.0
        self._feedback_code = -1
        self._shown: Tuple = ()
        self._idle_markers: Optional[MarkerArray] = None
        self._timer = node.create_timer(
            IDLE_PERIOD, self._repeat, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Destroy the publishers."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._markers)
        self._node.destroy_publisher(self._path)

    def show(self, goal: Goal, decision: Decision, stamp: float) -> None:
        """Publish those outputs of a tick that are due."""
        now = time.monotonic()
        if decision.result is None:
            code = state_code(decision.state)
            is_due = now - self._feedback_at >= self._feedback_period
            if goal.ticks <= 1 or code != self._feedback_code or is_due:
                self._feedback_at, self._feedback_code = now, code
                self._publish_feedback(goal, decision, stamp)
        due = now - self._shown_at >= DISPLAY_PERIOD
        if due or decision.events or decision.result or goal.ticks <= 1:
            self._shown_at = now
            if decision.result is None:  # otherwise the end of the goal publishes the markers
                self.publish_markers(goal, state_name(goal.algorithm, decision.state))
            placed = goal.placed()
            if goal.path.is_new(placed):
                self._path.publish(goal.path.message(self._frame, stamp, placed))

    def show_idle(self, model: RobotModel, settings: Settings, state: str) -> None:
        """Publish the markers of a robot without a goal, repeatedly until there is one."""
        self._shown = ()
        self._idle_markers = markers.build(
            self._frame, self._body(model, settings), None, None, 0.0, (), state)
        self._repeat()

    def _repeat(self) -> None:
        """Repeat the idle markers: rviz does not retry those that precede its transforms."""
        if self._idle_markers is not None:
            self._markers.publish(self._idle_markers)

    def publish_markers(self, goal: Goal, state: str, certificate: Sequence[Point] = ()) -> None:
        """Publish the markers if they changed, with the ``certificate`` of a result."""
        placed = goal.placed()
        new = (goal, len(goal.events), goal.place, state, placed)
        if new != self._shown:
            self._shown, self._idle_markers = new, None
            self._markers.publish(markers.build(
                self._frame, self._body(goal.model, goal.settings), goal.start, goal.place,
                goal.settings.xy_goal_tolerance, goal.events, state, certificate, placed,
                goal.has_m_line))

    def _body(self, model: RobotModel, settings: Settings) -> Body:
        return Body(self._base, model.robot_radius, contour_radius(model, settings))

    def _publish_feedback(self, goal: Goal, decision: Decision, stamp: float) -> None:
        if goal.robot_pose is None or goal.navigator is None or not goal.handle.is_active:
            return
        robot = goal.navigator.robot
        goal.handle.publish_feedback(to_feedback(
            goal.algorithm, decision.state, goal.robot_pose, self._frame, stamp,
            stamp - goal.accepted, robot.goal_distance, robot.path_length, goal.events))
