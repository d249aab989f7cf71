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
VisBug-21.

V. Lumelsky and T. Skewis, "Incorporating range sensing in the robot navigation function", IEEE
Transactions on Systems, Man, and Cybernetics 20(5):1058-1069, 1990.
"""

from __future__ import annotations

from typing import ClassVar

from bug_nav.algorithms.base import Algorithm, CLOSED, Facts, RANGE, Run, SAFE_RULE, Step
from bug_nav.algorithms.bug2 import Parameters
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.virtual_bug import follow_virtual_bug, VirtualBug
from bug_nav.robot import Robot


class VisBug21(Algorithm):
    """Go straight to the farthest place T_i of Bug2's path that is seen without a break."""

    facts = Facts(
        title='VisBug-21', source='Lumelsky and Skewis 1990', sensing=RANGE,
        memory='the M-line, the last hit point, the closest crossing since, and T_i',
        complete=True, m_line=True,
        bound='D + sum of ceil(n_i / 2) p_i, no longer than the way of Bug2 (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours='seen is where the disc could go straight, and a narrow gap is judged from near by '
             'alone; where T_i is lost it goes back on its path, and on by touch for 1 m or until '
             f'it leaves, after ten losses for good, as Bug2; {SAFE_RULE}, on a new M-line')
    Parameters = Parameters
    steps = (
        Step('1', 'Where the goal is seen, let it be T_i. (Procedure Compute T_i, of which the '
                  'robot does 1 to 4 at each tick, before it goes on to T_i.)'),
        Step('2', 'Move T_i along the M-line as far as that is seen; where it meets an obstacle, '
                  'at H, go on with 3.'),
        Step('3', 'Move T_i along the boundary as far as that is seen without a break; where it '
                  'crosses the M-line closer than H, and the way is free, go on with 2.'),
        Step('4', 'Where a place of the M-line is seen that is closer to the goal than the '
                  'crossings since H, from the side of the line that the boundary led to, move '
                  'T_i there, and on along the line as in 2.'),
        Step('5', CLOSED))
    main_semiplane_only: ClassVar[bool] = True
    """Shortcuts to the M-line are taken only from the side of it that the boundary led to."""

    def run(self, robot: Robot) -> Run:
        """Follow Bug2, imagined as far as the robot sees, until it meets H again."""
        while True:
            robot.at('2')
            bug = VirtualBug(robot, self.parameters.leave_margin, self.main_semiplane_only)
            yield from follow_virtual_bug(robot, bug)
            robot.at('5')
            assert bug.wall is not None  # it has walked a lap of it
            yield from leave_at_closest(robot, bug.trace, bug.wall)
            robot.record_leave()  # the contour was not what it seemed: a new M-line
