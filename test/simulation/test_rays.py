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

"""Ray casting."""

from __future__ import annotations

import math

from bug_nav.simulation import rays
import numpy as np
import pytest


def test_wall_is_hit_by_all_rays_of_its_sector_including_both_ends():
    # It is visible from 45 to 135 degrees, and hides a second wall behind it.
    walls = np.array([(1.0, 1.0, -1.0, 1.0), (-2.0, 2.0, 2.0, 2.0)])
    step = math.pi / 180.0
    for first in (0.0, -math.pi, 4.0 * math.pi):
        ranges = rays.cast_rays(walls, 0.0, 0.0, first, step, 360, 3.0)
        angles = (first + step * np.arange(360)) % (2.0 * math.pi)
        met = np.abs(angles - math.pi / 2.0) <= math.pi / 4.0 + 1e-9
        assert met.sum() == 91
        assert ranges[met] == pytest.approx(1.0 / np.sin(angles[met]))
        assert (ranges[~met] == math.inf).all()
