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
VisBug-21: Bug2 with shortcuts to the visible part of its path.

V. Lumelsky and T. Skewis, "Incorporating range sensing in the robot navigation function", IEEE
Transactions on Systems, Man, and Cybernetics 20(5):1058-1069, 1990.
"""

from __future__ import annotations

from typing import ClassVar

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CLOSED_LAP,
    IntentGenerator,
    Metadata,
    RANGE,
    SAFE_RULE,
    Step,
)
from bug_nav.navigation.algorithms.bug2 import Parameters
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.virtual_bug import follow_virtual_bug, VirtualBug
from bug_nav.navigation.robot import Robot


class VisBug21(Algorithm):
    """Go straight to T_i, the farthest point of Bug2's path that is visible without a break."""

    metadata = Metadata(
        title='VisBug-21', source='Lumelsky and Skewis 1990', sensing=RANGE,
        memory='the M-line, the last hit point, the closest crossing since, and T_i',
        complete=True, m_line=True,
        bound='D + sum of ceil(n_i / 2) p_i, no longer than the path of Bug2 (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='a point is visible if the disc could go straight to it, and a narrow gap is '
                    'judged only from nearby; if the way to T_i proves to be blocked, T_i '
                    'returns to the last point of its path that the robot can reach, and '
                    'continues by contact, as Bug2, for 1 m or until it leaves the boundary; '
                    f'after ten such losses, always; {SAFE_RULE}, on a new M-line')
    Parameters = Parameters
    steps = (
        Step('1', 'If the goal is visible, it becomes T_i. (Procedure Compute T_i: the robot does '
                  '1 to 4 at each tick before it moves towards T_i.)'),
        Step('2', 'Move T_i along the visible part of the M-line; if it meets an obstacle at H, '
                  'continue with 3.'),
        Step('3', 'Move T_i along the boundary as far as it is visible without a break; if it '
                  'crosses the M-line closer than H, and the way is free, continue with 2.'),
        Step('4', 'If a point of the M-line is visible that is closer to the goal than the '
                  'crossings since H, and the robot is on the side of the line to which the '
                  'boundary led, move T_i there, and along the line as in 2.'),
        Step('5', CLOSED_LAP))
    main_semiplane_only: ClassVar[bool] = True
    """Whether shortcuts to the M-line require the side to which the boundary led."""

    def run(self, robot: Robot) -> IntentGenerator:
        """Follow a virtual Bug2 until it closes a lap."""
        while True:
            robot.enter_step('2')
            bug = VirtualBug(robot, self.parameters.leave_margin, self.main_semiplane_only)
            yield from follow_virtual_bug(robot, bug)
            robot.enter_step('5')
            assert bug.wall is not None  # the virtual Bug2 closed a lap of it
            yield from leave_at_closest(robot, bug.trace, bug.wall)
            robot.record_leave()  # a new M-line, because the lap contradicts the old one
