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
OneBug, reconstructed: remembers only the least distance to the goal on the whole path.

The same as DistBug.

J. Ng, "An analysis of mobile robot navigation algorithms in unknown environments", PhD thesis,
University of Western Australia, 2010; J. Ng and T. Braunl, "Performance comparison of bug
navigation algorithms", Journal of Intelligent and Robotic Systems 50:73-84, 2007.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import Metadata, RANGE
from bug_nav.navigation.algorithms.dist_bug import DistBug


class OneBug(DistBug):
    """
    Leave where the free way towards the goal ends closer than any point ever visited.

    This is DistBug without a reset of the least distance at a hit. The reset makes no difference,
    because each hit point of DistBug is closer to the goal than all points visited before.
    """

    metadata = Metadata(
        title='OneBug-R', source='Ng and Braunl 2007', sensing=RANGE,
        memory='least distance to the goal on the whole path', complete=True,
        bound='none in the perimeters alone',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences="the paper's definition was not available; the same as DistBug as "
                    'implemented here',
        reconstructed=True)
