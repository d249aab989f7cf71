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
Class3: leaves at the global minimum of the distance over the whole lap.

It is Bug1 under another name: where the sources leave something open, Bug1's way is taken.

H. Noborio, "A path-planning algorithm for generation of an intuitively reasonable path in an
uncertain 2-D workspace", Japan-USA Symposium on Flexible Automation, 1990.
"""

from __future__ import annotations

from bug_nav.algorithms.base import CONTACT, Facts
from bug_nav.algorithms.bug1 import Bug1


class Class3(Bug1):
    """Walk as Bug1 does, the shorter way back included."""

    facts = Facts(
        title='Class3', source='Noborio 1990', sensing=CONTACT,
        memory='the hit point, the closest place, and the way between them',
        complete=True, ordered=True,
        bound='D + 1.5 sum of p_i (of Bug1)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours='taken from secondary sources, which leave the way back open; here it is the '
             'shorter one, so that it is Bug1 as it is here, and nothing else',
        reconstructed=True)
