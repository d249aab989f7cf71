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

"""Records a run as a client of the node, for a picture."""

from __future__ import annotations

import bisect
from typing import Any, List, Tuple

from bug_nav.messages.sensor_messages import odometry_pose, planar, seconds
from bug_nav.navigation.geometry import Pose
from bug_nav.visualization.record import Mark, RunRecord, Step
from bug_nav_msgs.action import NavigateBug
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy


class Recorder:
    """
    Keeps the poses of odometry, and the states in the feedback.

    Feedback arrives at 10 Hz, which is too coarse for a fast simulation. The times of the state
    changes are therefore those of the hit and leave points in the result.
    """

    def __init__(self, node: Node):
        """Subscribe to odometry; the caller spins ``node``."""
        self._poses: List[Tuple[float, Pose]] = []
        self._states: List[Tuple[float, str]] = []
        self.algorithm = ''
        """The name of the algorithm, from the feedback."""
        node.create_subscription(Odometry, 'odom', self._on_odometry, QoSProfile(
            history=HistoryPolicy.KEEP_LAST, depth=1000,
            reliability=ReliabilityPolicy.BEST_EFFORT))

    @property
    def is_receiving(self) -> bool:
        """Return whether odometry arrives; a fast simulation must not start before."""
        return bool(self._poses)

    def _on_odometry(self, message: Odometry) -> None:
        self._poses.append((seconds(message.header.stamp), odometry_pose(message)))

    def add_feedback(self, feedback: Any) -> None:
        """Add the newest feedback; None and feedback already added are ignored."""
        if feedback is None:
            return
        stamp = seconds(feedback.current_pose.header.stamp)
        if self._states and stamp <= self._states[-1][0]:
            return
        self.algorithm, _, state = feedback.state_name.partition('/')
        self._states.append((stamp, state))
        if not self._poses:
            self._poses.append((stamp, planar(feedback.current_pose.pose)))

    def record(self, result: NavigateBug.Result, **facts: Any) -> RunRecord:
        """Return the run; ``facts`` are further fields of `RunRecord`."""
        points = [*result.hit_points, *result.leave_points]
        marks = tuple(Mark('hit' if point.kind == point.HIT else 'leave', point.index,
                           planar(point.pose).position) for point in points)
        return RunRecord(
            message=result.error_msg, steps=tuple(self._steps(result)), marks=marks,
            path_length=result.path_length, time=seconds(result.total_elapsed_time),
            certificate=tuple((place.x, place.y) for place in result.certificate), **facts)

    def _steps(self, result: NavigateBug.Result) -> List[Step]:
        if not self._states:
            return []
        changes = sorted(
            self._states
            + [(seconds(point.stamp), 'boundary_following') for point in result.hit_points]
            + [(seconds(point.stamp), 'motion_to_goal') for point in result.leave_points])
        stamps = [stamp for stamp, _ in changes]
        return [Step(pose, changes[max(bisect.bisect_right(stamps, stamp) - 1, 0)][1])
                for stamp, pose in self._poses if stamp >= stamps[0]]
