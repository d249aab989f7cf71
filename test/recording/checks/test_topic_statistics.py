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

"""Rates, skew and waiting times of messages."""

import math

from bug_nav.recording.checks.topic_statistics import backward, intervals_of, leads, waits
import numpy as np
import pytest

ODOM = np.arange(0.0, 10.0, 0.05)
SCANS = np.arange(1.0, 9.0, 0.2)


def test_intervals_of_periodic_messages_with_one_gap():
    steady = intervals_of(np.delete(ODOM, range(50, 60)))
    assert steady.usual == pytest.approx(0.05) and steady.late == pytest.approx(0.05)
    assert steady.longest == pytest.approx(0.55) and 18.0 < steady.rate < 20.0


def test_simultaneous_messages_have_an_infinite_rate():
    assert intervals_of(np.zeros(5)).rate == math.inf


def test_decreasing_stamps_are_counted():
    assert backward(np.array([1.0, 2.0, 1.5, 3.0, 2.0])) == 2


@pytest.mark.parametrize('late', [0.0, 0.1, 0.3])
def test_scans_are_ahead_of_odometry_by_its_delay(late):
    ahead = leads(SCANS, SCANS, ODOM + late, ODOM)
    assert np.median(ahead) == pytest.approx(late, abs=0.01)
    assert waits(SCANS, SCANS, ODOM + late, ODOM).max() == pytest.approx(late, abs=0.051)


def test_scan_before_the_first_odometry_has_no_skew():
    assert leads(np.array([-1.0]), np.array([-1.0]), ODOM, ODOM).size == 0


def test_scan_after_the_last_odometry_waits_forever():
    assert waits(np.array([9.0]), np.array([20.0]), ODOM, ODOM)[0] == math.inf
