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

"""Tests of the geometry and the noise of the beams of a scan."""

from __future__ import annotations

import math

from bug_nav.navigation.perception.beams import noise_between_beams
import numpy as np
import pytest


@pytest.mark.parametrize('sigma', [0.01, 0.05])
def test_noise_between_beams_ignores_edges_and_missing_readings(sigma):
    ranges = 1.0 + np.random.default_rng(3).normal(0.0, sigma, 360)
    ranges[100:140] += 1.5
    ranges[200:220], ranges[300:310] = math.inf, math.nan
    assert noise_between_beams(ranges, 0.0, math.inf) == pytest.approx(sigma, rel=0.15)
    assert noise_between_beams(ranges, 0.0, 2.0) == pytest.approx(sigma, rel=0.15)
    assert noise_between_beams(ranges[:10], 0.0, math.inf) == math.inf
    assert noise_between_beams(ranges, 4.0, 5.0) == math.inf
