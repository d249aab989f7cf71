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

"""What sensors have to see: a robot that could not see the boundary it follows is refused."""

from __future__ import annotations

import math
from typing import Sequence

from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings

WIDEST = math.radians(60.0)
"""
Rangers in front may look in directions that are no further apart than this [rad].

Ahead of the robot, up to its sides: there, what stands between two rangers is driven into. At the
contour radius two points seen by such rangers are one contour radius apart; a disc that rolls from
the one to the other is at most 0.13 rho too near to what is between.
"""


def check_coverage(mounts: Sequence[Pose], who: str = 'the robot') -> None:
    """
    Raise ValueError, in one sentence, where rangers cannot see every wall ahead.

    ``mounts``: the rangers' poses in the robot's frame; each looks along its own x axis.
    """
    directions = sorted(wrap(mount.theta) for mount in mounts)
    ends = (-0.5 * math.pi, 0.5 * math.pi)
    ahead = [each for each in directions
             if ends[0] - 0.5 * WIDEST <= each <= ends[1] + 0.5 * WIDEST]
    inner = 0.5 * WIDEST + 1e-6
    if not ahead or ahead[0] > ends[0] + inner or ahead[-1] < ends[1] - inner:
        raise ValueError(f'no ranger of {who} looks to one of its sides, where a boundary that is '
                         'followed would be; add one on either side, or use a lidar')
    widest = max(b - a for a, b in zip(ahead, ahead[1:]))
    if widest > WIDEST + 1e-6:
        raise ValueError(
            f'{len(mounts)} rangers of {who} look in directions up to {math.degrees(widest):.0f} '
            'degrees apart in front, and a wall between two of them would not be seen; at most '
            f'{math.degrees(WIDEST):.0f} degrees are allowed, so add rangers or use a lidar')


def check_blind_zone(model: RobotModel, settings: Settings, blind: float) -> None:
    """
    Raise ValueError, in one sentence, where the contour lies in the sensors' blind zone.

    ``blind`` [m]: what is nearer to the robot's centre than this, some sensors do not see at all.
    """
    rho = contour_radius(model, settings)
    if rho >= blind:
        return
    if settings.sensing == 'contact':
        raise ValueError(f"sensing is 'contact', with a contour radius of {rho:.3g} m, and the "
                         f'lidar is blind up to {blind:g} m from the centre (its range_min and '
                         'its distance from there); choose sensing range')
    raise ValueError(f'robot_radius + clearance is {rho:g} m, and its sensors are blind up to '
                     f'{blind:.3g} m from the centre (range_min and their distance from there); '
                     f'make the clearance at least {blind - model.robot_radius:.3g} m')
