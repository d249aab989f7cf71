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

"""Where the robot of a recording has been, and where to find what in it."""

from __future__ import annotations

from typing import NamedTuple, Optional

from bug_nav.core.geometry import distance, IDENTITY, Point, Pose
from bug_nav.recording.hearing import ODOM
from bug_nav.recording.recorded import Recording
from bug_nav.sense.messages import Mount, odometry_pose


class Sources(NamedTuple):
    """Where to find what in a recording."""

    scan: str
    odom: str
    base_frame: str
    mount: Mount
    """Where the lidar is, where the recording does not tell."""


class Course(NamedTuple):
    """Where the robot has been."""

    first: Pose
    last: Pose
    farthest: Point
    """From the first."""


def course_of(bag: Recording, sources: Sources) -> Optional[Course]:
    """Return the way of the robot, None where there is no odometry that can be used."""
    first: Optional[Pose] = None
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
        if distance(first.position, last.position) > distance(first.position, farthest):
            farthest = last.position
    return None if first is None else Course(first, last, farthest)
