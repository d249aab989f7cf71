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
WedgeBug, reconstructed from its description.

It is a recombination: TangentBug, with another `Gaze`.

S. L. Laubach and J. W. Burdick, "An autonomous sensor-based path-planner for planetary
microrovers", IEEE International Conference on Robotics and Automation, 1999.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.algorithms.base import Facts, OWN, RANGE, Step
from bug_nav.algorithms.tangent_bug import Parameters as TangentParameters
from bug_nav.algorithms.tangent_bug import TangentBug
from bug_nav.behaviors.gaze import Wedge
from bug_nav.core.parameters import parameter


@dataclasses.dataclass(frozen=True)
class Parameters(TangentParameters):
    """The parameters of an algorithm that pans a camera."""

    half_angle: float = parameter(
        math.pi / 4.0, 'half the field of view of the camera that is emulated', unit='rad',
        low=0.1, high=math.pi)


class WedgeBug(TangentBug):
    """
    Do as TangentBug with as few looks as possible, each into a wedge of the scan.

    The first look is towards the goal. Only where it shows no way closer the camera is panned, on
    the spot; on a boundary it is pinned to that, and turned to the goal while that comes nearer.
    """

    facts = Facts(
        title='WedgeBug', source='Laubach and Burdick 1999', sensing=RANGE,
        memory='the least distance to the goal of the followed boundary', complete=True,
        bound='none published',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours='known from its description alone: a recombination, TangentBug as it is here with a '
             'camera that is a masked scan; the order of the looks is ours',
        turn=OWN, reconstructed=True)
    Parameters = Parameters
    steps = (
        Step('1', 'Look towards the goal; where that shows no way closer, pan the camera to both '
                  'sides in turn. Go as TangentBug does, by what has been seen.'),
        Step('2', 'Follow the boundary with the camera on it, and turned to the goal whenever '
                  'that comes nearer than ever; keep d_followed, until the goal is reached or 2b '
                  'or 2c holds.'),
        *TangentBug.steps[2:])

    def gaze(self) -> Wedge:
        """Return the camera, which is kept for its number of looks."""
        self.camera = Wedge(self.parameters.half_angle)
        return self.camera
