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
I-Bug: navigate by the intensity and the direction of a signal at the goal.

K. Taylor and S. M. LaValle, "I-Bug: an intensity-based bug algorithm", IEEE International
Conference on Robotics and Automation, 2009.
"""

from __future__ import annotations

import math

from bug_nav.navigation.algorithms.base import CLOSED_LAP, INTENSITY, Metadata, SAFE_RULE, Step
from bug_nav.navigation.algorithms.leave_by_rule import LeaveByRule
from bug_nav.navigation.behaviors.follow_boundary import Rule
from bug_nav.navigation.behaviors.local_minimum import LocalMinimumDetector
from bug_nav.navigation.names import less
from bug_nav.navigation.robot import Hit, Robot

DROP = 0.01
"""Drop of the intensity after which a maximum is passed [dB]."""


def intensity(robot: Robot) -> float:
    """Return the intensity [dB] of a signal that falls with 1 / (1 + d^2)."""
    return -10.0 * math.log10(1.0 + robot.goal_distance ** 2)


class StrongerMaximum:
    """Leave condition: a local maximum along the wall, stronger than i_H at the hit point."""

    def __init__(self, stronger_than: float):
        """``stronger_than``: i_H [dB]."""
        self.stronger_than = stronger_than
        self._minimum = LocalMinimumDetector(DROP)

    def __call__(self, robot: Robot) -> bool:
        """Return whether such a maximum has just been passed."""
        return (self._minimum.passed(-intensity(robot))
                and -self._minimum.minimum > self.stronger_than and robot.way_is_free()
                and robot.because(
                    'a maximum of the intensity is passed, '
                    f'{less("i_H", self.stronger_than, "i", -self._minimum.minimum, "dB")}, '
                    'and the way is free'))


class IBug(LeaveByRule):
    """Leave the wall at a maximum of the intensity, stronger than at the hit point."""

    metadata = Metadata(
        title='I-Bug', source='Taylor and LaValle 2009', sensing=INTENSITY,
        memory='intensity at the last hit point', complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached, if the intensity '
                  'depends on the distance alone',
        differences='taken from secondary sources; the intensity is computed from the distance; '
                    'the robot leaves only where the way is also free; odometry detects a closed '
                    f'lap, which the paper does not; {SAFE_RULE}')
    steps = (
        Step('1', 'Move straight towards the tower at the goal until it is reached or an obstacle '
                  'is hit, and store the intensity i_H there.'),
        Step('2', 'Follow the boundary until the goal is reached or 2b or 2c applies.'),
        Step('2b', 'If the intensity has a local maximum i > i_H, and the way is free (ours), '
                   'leave and continue with 1.'),
        Step('2c', CLOSED_LAP))

    def leave_rule(self, robot: Robot, hit: Hit) -> Rule:
        """Return step 2b."""
        return StrongerMaximum(intensity(robot))
