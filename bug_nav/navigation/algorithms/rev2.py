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
Rev2: Alg2 with an alternating local direction.

A recombination of the steps of Alg2 with the sides of `AlternatingSides`.

Y. Horiuchi and H. Noborio, "Evaluation of path length made in sensor-based path-planning with the
alternative following", IEEE International Conference on Robotics and Automation, 2001.
"""

from __future__ import annotations

from typing import Callable

from bug_nav.navigation.algorithms.alg2 import Alg2
from bug_nav.navigation.algorithms.base import CONTACT, Metadata, TURN_FIRST_BY_USER
from bug_nav.navigation.algorithms.rev1 import Rev1
from bug_nav.navigation.behaviors.alternating_sides import AlternatingSides
from bug_nav.navigation.robot import Hit, Robot


class Rev2(Alg2):
    """Drive as Alg2, and turn the other way at each new hit."""

    metadata = Metadata(
        title='Rev2', source='Horiuchi and Noborio 2001', sensing=CONTACT,
        memory='least distance to the goal, all hit and leave points with their directions',
        complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='taken from secondary sources: a recombination of Alg2 as implemented here '
                    'with a side that changes at each hit, on the same obstacle or not (the '
                    'sources leave that open); at a point that was hit before, the side is the '
                    'opposite of the last one there',
        turn=TURN_FIRST_BY_USER, reconstructed=True)
    steps = (
        Alg2.steps[0],
        Rev1.steps[1],
        *Alg2.steps[2:])

    def sides(self) -> Callable[[Robot, Hit], int]:
        """Return the choice of the side that the last hit did not take."""
        return AlternatingSides().side
