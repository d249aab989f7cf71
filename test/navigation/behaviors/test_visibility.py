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

"""Tests of where a disc can go straight to."""

from __future__ import annotations

import math

from bug_nav.navigation.behaviors.visibility import can_go_straight
from bug_nav.navigation.cspace import kernels
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np

headings = st.floats(-math.pi, math.pi)
places = st.floats(-0.5, 0.5)
tables = st.lists(
    st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), max_size=15).map(
        lambda cloud: np.array(cloud, dtype=float).reshape(-1, 2))


@given(tables, places, places, headings, st.floats(0.05, 0.4), st.floats(0.1, 1.5))
def test_disc_can_go_straight_to_a_place_if_nothing_stops_it_before(points, x, y, heading, radius,
                                                                    away):
    radii, less = np.resize((radius, 0.05, radius - 0.02), len(points)), 0.02
    room = max(kernels.nearest(points[:len(points) // 2], x, y)[0], 0.1)
    free, i = kernels.free_distance(points, radii, len(points) // 2, 0.1, less, x, y, heading, 3.0)
    assume(abs(free - away) > 1e-9)
    to = x + away * math.cos(heading), y + away * math.sin(heading)
    assert can_go_straight(points, radii, room, less, x, y, *to) == (free > away)
