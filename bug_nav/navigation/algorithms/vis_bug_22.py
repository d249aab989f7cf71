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
VisBug-22: VisBug-21 with shortcuts from anywhere.

V. Lumelsky and T. Skewis, "Incorporating range sensing in the robot navigation function", IEEE
Transactions on Systems, Man, and Cybernetics 20(5):1058-1069, 1990.
"""

from __future__ import annotations

import dataclasses

from bug_nav.navigation.algorithms.base import Step
from bug_nav.navigation.algorithms.vis_bug_21 import VisBug21


class VisBug22(VisBug21):
    """Drive as VisBug-21, with shortcuts to any visible point of the M-line closer than H."""

    metadata = dataclasses.replace(
        VisBug21.metadata, title='VisBug-22', memory='the M-line, the last hit point, and T_i',
        bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='a shortcut has to be closer to the goal than the hit point H; the '
                    'differences of VisBug-21 apply as well',
        reconstructed=True)
    steps = (
        *VisBug21.steps[:3],
        Step('4', 'If a point of the M-line is visible that is closer to the goal than H, from '
                  'anywhere, move T_i there, and along the line as in 2.'),
        VisBug21.steps[4])
    main_semiplane_only = False
