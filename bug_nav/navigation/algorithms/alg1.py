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
Alg1: Bug2 that remembers its hit and leave points.

A. Sankaranarayanan and M. Vidyasagar, "A new path planning algorithm for moving a point object
amidst unknown obstacles in a plane", IEEE International Conference on Robotics and Automation,
1990.

The paper was not available. The steps are those in K. N. McGuire, G. de Croon and K. Tuyls, "A
comparative study of bug algorithms for robot navigation", Robotics and Autonomous Systems 121,
2019.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import CONTACT, Metadata, SAFE_RULE
from bug_nav.navigation.algorithms.bug2 import CloserOnMLine, Parameters
from bug_nav.navigation.algorithms.turn_back import steps_with, TurnBack
from bug_nav.navigation.robot import Hit, Robot


class Alg1(TurnBack):
    """Drive as Bug2, and turn back at an earlier hit or leave point."""

    metadata = Metadata(
        title='Alg1', source='Sankaranarayanan and Vidyasagar 1990', sensing=CONTACT,
        memory='the M-line, all hit and leave points', complete=True, m_line=True, ordered=True,
        bound='D + 2 sum of p_i (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='the steps are taken from a survey; after turning back, the robot continues '
                    'past the hit point, and its lap begins where it turned; it moves straight '
                    f'to the goal from the leave point; {SAFE_RULE}, on a new M-line')
    Parameters = Parameters
    steps = steps_with('If the M-line is met at Q, d(Q) < d(H_i), and the way from Q to the goal '
                       'is free')

    def begin(self, robot: Robot) -> None:
        """Start the M-line at the start."""
        self._start = robot.position

    def leave_rule(self, hit: Hit) -> CloserOnMLine:
        """Return step 2b."""
        return CloserOnMLine(self._start, hit.distance - self.parameters.leave_margin)

    def end_lap(self, robot: Robot) -> None:
        """Start a new M-line, because the lap contradicts the old one."""
        self._start = robot.position
