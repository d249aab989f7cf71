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

"""Tests of certificates with a limited number of points."""

from __future__ import annotations

import math

from arena import RHO, ring_of
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.ros.short_certificate import shortened
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np

ROBOT, GOAL = (3.0, 0.0), (0.1, 0.2)


@given(st.lists(st.floats(0.6, 2.5), min_size=4, max_size=12), st.integers(40, 300),
       st.tuples(*2 * [st.floats(-4.0, 4.0)]), st.integers(0, 299))
def test_shortened_proof_is_a_proof_from_the_same_points(radii, count, robot, first):
    turns = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    radius = np.interp(turns, np.linspace(0.0, 2.0 * math.pi, len(radii) + 1), radii + radii[:1])
    chain = list(map(tuple, np.column_stack((radius * np.cos(turns), radius * np.sin(turns)))))
    chain = chain[first % count:] + chain[:first % count]
    rho = 0.51 * max(map(math.dist, chain, chain[1:] + chain[:1])) + 0.1
    assume(is_proof(chain, robot, GOAL, rho))
    for most in (count, count // 2 + 1, 8):
        fewer = shortened(chain, robot, GOAL, rho, most)
        assert len(fewer) <= most and set(fewer) <= set(chain)
        assert fewer == [] or is_proof(fewer, robot, GOAL, rho)
    assert shortened(chain, robot, GOAL, rho, count) == chain
    assert shortened(chain, robot, GOAL, 10.0 * rho, count - 1)


def test_proof_that_needs_all_of_its_points_is_not_shortened():
    chain = ring_of(20)
    assert shortened(chain, ROBOT, GOAL, RHO, 19) == []
    assert len(shortened(ring_of(2000, 20.0), (40.0, 0.0), GOAL, RHO, 1024)) == 667
    # 1024 points are enough for about 400 m of boundary.
    long = ring_of(9000, 62.0)
    assert 900 <= len(shortened(long, (80.0, 0.0), GOAL, RHO, 1024)) <= 1024
    assert shortened(ring_of(9000, 90.0), (99.0, 0.0), GOAL, RHO, 1024) == []
    assert shortened((), ROBOT, GOAL, RHO, 1024) == []
