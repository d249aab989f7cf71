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

A recombination of TangentBug with the view `Wedge`.

S. L. Laubach and J. W. Burdick, "An autonomous sensor-based path-planner for planetary
microrovers", IEEE International Conference on Robotics and Automation, 1999.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.algorithms.base import Metadata, RANGE, Step, TURN_BY_ALGORITHM
from bug_nav.navigation.algorithms.tangent_bug import Parameters as TangentParameters
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.behaviors.field_of_view import Wedge
from bug_nav.navigation.parameters import parameter


@dataclasses.dataclass(frozen=True)
class Parameters(TangentParameters):
    """Parameters of an algorithm that pans a camera."""

    half_angle: float = parameter(
        math.pi / 4.0, 'half the field of view of the emulated camera', unit='rad',
        low=0.1, high=math.pi)


class WedgeBug(TangentBug):
    """
    Drive as TangentBug with as few camera views as possible, each a wedge of the scan.

    The first view is towards the goal. The camera is panned, on the spot, only if that shows no
    way closer. Along a boundary it points at the wall, and at the goal while that comes nearer.
    """

    metadata = Metadata(
        title='WedgeBug', source='Laubach and Burdick 1999', sensing=RANGE,
        memory='d_followed of the boundary', complete=True,
        bound='none published',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='known only from its description: a recombination of TangentBug as '
                    'implemented here with a camera emulated by a masked scan; the order of the '
                    'views is ours',
        turn=TURN_BY_ALGORITHM, reconstructed=True)
    Parameters = Parameters
    steps = (
        Step('1', 'View the direction of the goal; if that shows no way closer, pan the camera to '
                  'both sides in turn. Move as TangentBug, using the views.'),
        Step('2', 'Follow the boundary with the camera on it, and view the goal whenever it is '
                  'nearer than before; update d_followed, until the goal is reached or 2b or 2c '
                  'applies.'),
        *TangentBug.steps[2:])

    def field_of_view(self) -> Wedge:
        """Return the camera, also stored to count its views."""
        self.camera = Wedge(self.parameters.half_angle)
        return self.camera
