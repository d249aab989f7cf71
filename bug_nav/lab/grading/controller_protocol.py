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
The messages between a trial and the process of a Python controller: records of numbers.

A controller is untrusted: its answers have a fixed size, and nothing in them is executed.
"""

from __future__ import annotations

import struct
from typing import NamedTuple, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.types import Scan
import numpy as np

HEADER = struct.Struct('<12dq')
"""Pose, goal, and of the scan stamp, angles, ranges, mount; then its number of beams."""
ANSWER = struct.Struct('<q2d')
"""Kind of the answer, v and w."""
COMMAND, NOTHING, REACHED, UNREACHABLE, MALFORMED = range(5)
"""Kinds of answers."""
MAX_BEAMS = 100_000


class Request(NamedTuple):
    """Input of a controller for one step."""

    scan: Scan
    pose: Pose
    goal: Point


def packed(request: Request) -> bytes:
    """Return a request as bytes."""
    scan, ranges = request.scan, np.ascontiguousarray(request.scan.ranges, dtype='<f8')
    return HEADER.pack(
        *request.pose, *request.goal, scan.stamp, scan.angle_min, scan.angle_increment,
        scan.range_min, scan.range_max, scan.mount.x, scan.mount.y, len(ranges)
    ) + ranges.tobytes()


def unpacked(header: bytes, ranges: bytes) -> Request:
    """Return the request that `packed` has made."""
    numbers: Tuple[float, ...] = HEADER.unpack(header)[:-1]
    x, y, theta, goal_x, goal_y, *scan = numbers
    stamp, angle_min, increment, range_min, range_max, mount_x, mount_y = scan
    return Request(
        Scan(stamp, np.frombuffer(ranges, dtype='<f8'), angle_min, increment, range_min,
             range_max, Pose(mount_x, mount_y, 0.0)),
        Pose(x, y, theta), (goal_x, goal_y))
