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

"""Tests of how messages are read."""

from types import SimpleNamespace

from bug_nav.navigation.perception.messages import raw_ranges
import numpy as np
import pytest


@pytest.mark.filterwarnings('error')
def test_nan_that_signals_is_a_nan_like_any_other():
    signalling = np.array([0x3F800000, 0x7FA00000], dtype=np.uint32).view(np.float32)
    ranges = raw_ranges(SimpleNamespace(ranges=signalling))
    assert ranges[0] == 1.0 and np.isnan(ranges[1])
