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

"""Single rangers: which way they must point."""

from __future__ import annotations

import math
from typing import Sequence

from bug_nav.navigation.geometry import Pose, wrap

MAX_SPACING = math.radians(60.0)
"""
Maximum angle between the directions of two rangers in front [rad].

It holds ahead of the robot and up to its sides, because the robot would drive into an obstacle
between two rangers. At the contour radius, two points that such rangers measure are one contour
radius apart; a disc that rolls from one to the other is at most 0.13 rho too near to an obstacle
between them.
"""


def check_coverage(mounts: Sequence[Pose], robot: str = 'the robot') -> None:
    """
    Raise ValueError, in one sentence, if rangers do not observe every wall ahead.

    ``mounts``: the poses of the rangers in the frame of the robot; each points along its own x
    axis.
    """
    directions = sorted(wrap(mount.theta) for mount in mounts)
    ends = (-0.5 * math.pi, 0.5 * math.pi)
    ahead = [each for each in directions
             if ends[0] - 0.5 * MAX_SPACING <= each <= ends[1] + 0.5 * MAX_SPACING]
    inner = 0.5 * MAX_SPACING + 1e-6
    if not ahead or ahead[0] > ends[0] + inner or ahead[-1] < ends[1] - inner:
        raise ValueError(f'{robot} has no ranger that observes a boundary on its left, or none '
                         'on its right; add one on either side, or use a lidar')
    widest = max(b - a for a, b in zip(ahead, ahead[1:]))
    if widest > MAX_SPACING + 1e-6:
        raise ValueError(
            f'{len(mounts)} rangers of {robot} point in directions up to '
            f'{math.degrees(widest):.0f} degrees apart in front; at most '
            f'{math.degrees(MAX_SPACING):.0f} are allowed, because they would miss a wall '
            'between them; add rangers, or use a lidar')
