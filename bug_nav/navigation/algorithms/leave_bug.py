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
LeaveBug, reconstructed: Bug1 that ends its lap at a good leave point.

The same as Class2.

J. Ng and T. Braunl, "Performance comparison of bug navigation algorithms", Journal of Intelligent
and Robotic Systems 50:73-84, 2007.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import CONTACT, Metadata
from bug_nav.navigation.algorithms.class2 import Class2


class LeaveBug(Class2):
    """Leave at the first local minimum of the distance to the goal, closer than the hit point."""

    metadata = Metadata(
        title='LeaveBug-R', source='Ng and Braunl 2007', sensing=CONTACT,
        memory='hit point and closest point', complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences="the paper's definition was not available; the same as Class2 as implemented "
                    'here',
        reconstructed=True)
