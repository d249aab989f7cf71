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

"""A fan of rays: the loop to be compiled tells what numpy tells."""

from __future__ import annotations

import math

from bug_nav.core.compiled import fan
from bug_nav.sim import rays
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

# Corners on a grid, the sensor off it: no ray grazes by rounding alone.
rows_of_walls = st.lists(st.tuples(*[st.integers(-16, 16)] * 4), max_size=8)


@given(rows_of_walls, st.floats(-20.0, 20.0), st.integers(4, 90), st.floats(0.1, 1.0),
       st.floats(0.3, 6.0))
def test_fan_of_rays_is_the_same_segment_by_segment_and_with_numpy(rows, first, count, part,
                                                                   reach):
    walls = np.array(rows, dtype=float).reshape(-1, 4) / 4.0
    step = 2.0 * math.pi / count * part
    asked = (walls, 0.137, -0.211, first, step, *fan(0.0, step, count), reach)
    one = rays._cast(*asked)
    for cast in (rays._cast_loop, rays._cast_whole):
        assert cast(*asked) == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize('cast', [rays._cast, rays._cast_loop, rays._cast_whole])
def test_wall_is_met_by_all_rays_of_its_sector_and_by_both_that_end_on_it(cast):
    # Seen from 45 degrees to 135 degrees, and behind it a second one that it hides.
    walls = np.array([(1.0, 1.0, -1.0, 1.0), (-2.0, 2.0, 2.0, 2.0)])
    step = math.pi / 180.0
    for first in (0.0, -math.pi, 4.0 * math.pi):
        ranges = cast(walls, 0.0, 0.0, first, step, *fan(0.0, step, 360), 3.0)
        angles = (first + step * np.arange(360)) % (2.0 * math.pi)
        met = np.abs(angles - math.pi / 2.0) <= math.pi / 4.0 + 1e-9
        assert met.sum() == 91
        assert ranges[met] == pytest.approx(1.0 / np.sin(angles[met]))
        assert (ranges[~met] == math.inf).all()
