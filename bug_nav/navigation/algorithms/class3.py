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
Class3: leave at the global minimum of the distance over the whole lap.

The same as Bug1: where the sources leave something open, this version does what Bug1 does.

H. Noborio, "A path-planning algorithm for generation of an intuitively reasonable path in an
uncertain 2-D workspace", Japan-USA Symposium on Flexible Automation, 1990.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import CONTACT, Metadata
from bug_nav.navigation.algorithms.bug1 import Bug1


class Class3(Bug1):
    """Drive as Bug1, including the shorter way back."""

    metadata = Metadata(
        title='Class3', source='Noborio 1990', sensing=CONTACT,
        memory='the hit point, the closest point, and the contour between them',
        complete=True, ordered=True,
        bound='D + 1.5 sum of p_i (of Bug1)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='taken from secondary sources, which do not define the way back; with the '
                    'shorter one it is the same as Bug1 as implemented here',
        reconstructed=True)
