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

"""Rays and what a sensor reports of them: the loops to be compiled tell what numpy tells."""

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
lengths = st.floats(0.0, 5.0)


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


@given(st.lists(st.tuples(st.one_of(lengths, st.just(math.inf)), st.floats(-4.0, 4.0)),
                max_size=20),
       st.booleans(), st.floats(0.0, 0.3), lengths, lengths,
       st.sampled_from((-math.inf, 0.0, math.inf)), st.sampled_from((0.0, 5.1, math.inf)))
def test_reports_are_the_same_range_by_range_and_with_numpy(beams, noisy, deviation, low, high,
                                                            near, nothing):
    ranges, noise = np.array(beams).reshape(-1, 2).T
    asked = (noise if noisy else np.empty(0), deviation, low, high, near, nothing)
    one = rays.reported(ranges.copy(), *asked)
    for reported in (rays._reported_loop, rays._reported_whole):
        assert reported(ranges.copy(), *asked).tolist() == one.tolist()


def test_report_has_noise_and_says_what_is_no_range():
    ranges = np.array([0.05, 0.15, 1.0, 2.95, 3.5, math.inf])
    noise = np.array([0.0, -1.0, 2.0, 1.0, -9.0, 0.0])
    reports = rays.reported(ranges, noise, 0.1, 0.1, 3.0, -math.inf, math.inf)
    assert reports.tolist() == [-math.inf, -math.inf, 1.2, math.inf, 3.5 - 0.1 * 9.0, math.inf]
