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
Rev1: Alg1 with an alternating local direction.

A recombination of the steps of Alg1 with the sides of `AlternatingSides`.

Y. Horiuchi and H. Noborio, "Evaluation of path length made in sensor-based path-planning with the
alternative following", IEEE International Conference on Robotics and Automation, 2001.
"""

from __future__ import annotations

from typing import Callable

from bug_nav.navigation.algorithms.alg1 import Alg1
from bug_nav.navigation.algorithms.base import CONTACT, Metadata, Step, TURN_FIRST_BY_USER
from bug_nav.navigation.behaviors.alternating_sides import AlternatingSides
from bug_nav.navigation.robot import Hit, Robot


class Rev1(Alg1):
    """Drive as Alg1, and turn the other way at each new hit."""

    metadata = Metadata(
        title='Rev1', source='Horiuchi and Noborio 2001', sensing=CONTACT,
        memory='the M-line, all hit and leave points with their directions',
        complete=True, m_line=True, ordered=True,
        bound='none known', guarantee='reaches the goal, or proves that it cannot be reached',
        differences='taken from secondary sources: a recombination of Alg1 as implemented here '
                    'with a side that changes at each hit, on the same obstacle or not (the '
                    'sources leave that open); at a point that was hit before, the side is the '
                    'opposite of the last one there',
        turn=TURN_FIRST_BY_USER, reconstructed=True)
    steps = (
        Alg1.steps[0],
        Step('2', 'Follow the boundary on the side opposite to that taken at the last hit or, at '
                  'a point that was hit before, opposite to that taken at the last hit there, '
                  'until the goal is reached or 2b, 2c or 2d applies.'),
        *Alg1.steps[2:])

    def sides(self) -> Callable[[Robot, Hit], int]:
        """Return the choice of the side that the last hit did not take."""
        return AlternatingSides().side
