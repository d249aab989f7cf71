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

"""Tests of reading messages."""

from types import SimpleNamespace

from bug_nav.messages.sensor_messages import raw_ranges, scan_from_range
from bug_nav.navigation.geometry import Pose
import numpy as np
import pytest


@pytest.mark.filterwarnings('error')
def test_signalling_nan_is_read_as_nan_without_a_warning():
    signalling = np.array([0x3F800000, 0x7FA00000], dtype=np.uint32).view(np.float32)
    ranges = raw_ranges(SimpleNamespace(ranges=signalling))
    assert ranges[0] == 1.0 and np.isnan(ranges[1])


@pytest.mark.parametrize('reported, expected', [
    (0.5, 0.5), (3.0, np.inf), (np.inf, np.inf), (0.01, -np.inf), (-np.inf, -np.inf), (0.0, 0.0),
    (-1.0, np.nan), (np.nan, np.nan)])
def test_range_is_classified_as_by_rep_117(reported, expected):
    message = SimpleNamespace(field_of_view=0.3, min_range=0.02, max_range=2.0, range=reported)
    scan = scan_from_range(message, SimpleNamespace(pose=Pose(0.1, 0.0, 0.0)), 1.0)
    assert scan.ranges.tolist() == pytest.approx([expected], nan_ok=True)
