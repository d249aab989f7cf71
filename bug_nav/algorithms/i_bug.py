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
I-Bug: guided by the intensity of a signal at the goal, and by its direction.

K. Taylor and S. M. LaValle, "I-Bug: an intensity-based bug algorithm", IEEE International
Conference on Robotics and Automation, 2009.
"""

from __future__ import annotations

import math

from bug_nav.algorithms.base import Algorithm, CLOSED, Facts, INTENSITY, Run, SAFE_RULE, Step
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.local_minimum import Valley
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.core.reasons import less
from bug_nav.robot import Robot

DROP = 0.01
"""A maximum of the intensity is passed when it has dropped by this [dB]."""


def intensity(robot: Robot) -> float:
    """Return the intensity [dB] of a signal that spreads from the goal as 1 / (1 + d^2)."""
    return -10.0 * math.log10(1.0 + robot.goal_distance ** 2)


class StrongerMaximum:
    """The rule to leave: a local maximum along the wall, stronger than at the hit, i_H."""

    def __init__(self, stronger_than: float):
        """Take i_H [dB]."""
        self.stronger_than = stronger_than
        self._valley = Valley(DROP)

    def __call__(self, robot: Robot) -> bool:
        """Tell whether such a maximum has just been passed."""
        return (self._valley.passed(-intensity(robot))
                and -self._valley.floor > self.stronger_than and robot.way_is_free()
                and robot.because(
                    'a maximum of the intensity is passed, '
                    f'{less("i_H", self.stronger_than, "i", -self._valley.floor, "dB")}, '
                    'and the way is free'))


class IBug(Algorithm):
    """Leave the wall at a maximum of the intensity that is stronger than at the hit."""

    facts = Facts(
        title='I-Bug', source='Taylor and LaValle 2009', sensing=INTENSITY,
        memory='intensity at the hit point', complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached, if the intensity falls '
                  'with the distance alone',
        ours='taken from secondary sources; the intensity is made from the distance; it leaves '
             'only where the way is free as well; the lap, which the paper cannot tell, is closed '
             f'by odometry; {SAFE_RULE}')
    steps = (
        Step('1', 'Go straight to the tower at the goal, until it is reached or an obstacle is in '
                  'the way, and keep in mind the intensity i_H there.'),
        Step('2', 'Follow the boundary, until the goal is reached or 2b or 2c holds.'),
        Step('2b', 'Where the intensity has a local maximum i > i_H, and the way is free (ours), '
                   'leave and go on with 1.'),
        Step('2c', CLOSED))

    def run(self, robot: Robot) -> Run:
        """Go to the tower, follow what is in the way, and leave where the signal is strongest."""
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            stronger = StrongerMaximum(intensity(robot))
            wall = meet_boundary(robot, hit)
            lap = yield from follow_boundary(robot, wall, stronger)
            robot.at('2c' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
            robot.record_leave()
