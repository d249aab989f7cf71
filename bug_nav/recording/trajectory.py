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

"""Trajectory of the robot in a recording, and the topics and frames to read."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

from bug_nav.messages.frame_tree import TF, TF_STATIC
from bug_nav.messages.sensor_messages import Mount, odometry_pose
from bug_nav.navigation.geometry import distance, IDENTITY, Point, Pose
from bug_nav.recording.evidence_reader import ODOM
from bug_nav.recording.reasons import Reasons
from bug_nav.recording.recorded import Recording


class Sources(NamedTuple):
    """Topics and frames of a recording."""

    scan: str
    odom: str
    base_frame: str
    mount: Mount
    """Mount of the lidar if the recording has no transform."""
    use_tf: bool = True
    """Whether the transforms of the recording take precedence over it."""
    transforms: Tuple[str, ...] = (TF, TF_STATIC)
    """Topics of transforms."""


class Trajectory(NamedTuple):
    """First, last and farthest position of a robot, in the odometry frame."""

    first: Pose
    last: Pose
    farthest: Point
    """Position farthest from the first [m]."""
    frame: str
    """Frame of the robot in the odometry."""


def trajectory_of(bag: Recording, sources: Sources) -> Optional[Trajectory]:
    """Return the trajectory of the robot; None without usable odometry."""
    first: Optional[Pose] = None
    frame = ''
    farthest, last = (0.0, 0.0), IDENTITY
    for each in bag.messages([sources.odom]):
        if each.kind != ODOM:
            continue
        try:
            last = odometry_pose(each.message)
        except ValueError:
            continue
        if first is None:
            first, farthest = last, last.position
            frame = each.message.child_frame_id.lstrip('/')
        if distance(first.position, last.position) > distance(first.position, farthest):
            farthest = last.position
    return None if first is None else Trajectory(first, last, farthest, frame)


def rejected_odometry(bag: Recording, topic: str) -> Reasons:
    """Return why messages of odometry are not usable."""
    reasons = Reasons()
    for each in bag.messages([topic]):
        try:
            odometry_pose(each.message)
        except ValueError as error:
            reasons.add(str(error))
    return reasons
