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

from bug_nav.algorithms.base import Algorithm, Facts, RANGE, Run, SAFE_RULE
from bug_nav.algorithms.bug2 import Parameters
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.virtual_bug import follow_virtual_bug, VirtualBug
from bug_nav.robot import Robot


class VisBug21(Algorithm):
    """Go straight to the farthest place T_i of Bug2's path that is seen without a break."""

    facts = Facts(
        title='VisBug-21', source='Lumelsky and Skewis 1990', sensing=RANGE,
        memory='the M-line, the last hit point, the closest crossing since, and T_i',
        complete=True,
        bound='D + sum of ceil(n_i / 2) p_i, no longer than the way of Bug2 (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours='seen is where the disc could go straight, and a narrow gap is judged from near by '
             'alone; where T_i is lost it goes back on its path, and on by touch for 1 m or until '
             f'it leaves, after ten losses for good, as Bug2; {SAFE_RULE}, on a new M-line')
    Parameters = Parameters
    main_semiplane_only: ClassVar[bool] = True
    """Shortcuts to the M-line are taken only from the side of it that the boundary led to."""

    def run(self, robot: Robot) -> Run:
        """Follow Bug2, imagined as far as the robot sees, until it meets H again."""
        while True:
            bug = VirtualBug(robot, self.parameters.leave_margin, self.main_semiplane_only)
            yield from follow_virtual_bug(robot, bug)
            assert bug.wall is not None  # it has walked a lap of it
            yield from leave_at_closest(robot, bug.trace, bug.wall)
            robot.record_leave()  # the contour was not what it seemed: a new M-line
