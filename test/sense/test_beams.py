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
"""What a beam tells, in REP-117's words."""

import math

from bug_nav.sense import beams
import numpy as np

LIMITS = 0.12, 3.5, 4.0, 0.3
"""range_min, range_max, the largest that is free, and what is close [m]."""


def test_each_kind_of_range_is_read_as_it_is_meant():
    ranges = np.array((math.inf, 3.8, 4.2, -math.inf, 0.05, 0.0, math.nan, -1.0, 0.2, 2.0))
    read, free, near, measured, close = beams.told_apart(ranges, *LIMITS)
    expected = [math.inf, math.inf, math.nan, -math.inf, 0.05] + [math.nan] * 3 + [0.2, 2.0]
    assert np.array_equal(read, expected, equal_nan=True)
    assert (free, near, measured, close) == (2, 2, 2, 1)
