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
"""Tests of the detection of lidars that stamp a sweep at its end."""

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.sensor_queue import EndStampDetector
from bug_nav.navigation.types import Scan
import numpy as np
import pytest


def scan(stamp, sweep=0.135):
    return Scan(stamp, np.ones(100), 0.0, 0.06, 0.1, 3.0, time_increment=sweep / 99.0)


def correction_after(lateness, sweep=0.135):
    """Return the correction of the last of several scans with delays on arrival [s]."""
    stamps = EndStampDetector()
    for k, late in enumerate(lateness):
        corrected = stamps.corrected(scan(float(k), sweep), k + late).stamp
    return corrected - k


@pytest.mark.parametrize('late', [0.001, 0.01, 0.05])
def test_sweep_that_arrives_before_its_end_is_taken_as_stamped_at_its_end(late):
    assert correction_after([late] * 9) == pytest.approx(-0.135)


@pytest.mark.parametrize('late', [0.135, 0.2, 1.0, 1000.0, -0.3, -1000.0])
def test_sweep_that_arrives_after_its_end_or_with_another_clock_is_not_corrected(late):
    assert correction_after([late] * 9) == 0.0


def test_single_outlier_of_the_arrival_time_changes_nothing():
    assert correction_after([0.14, 0.15, 0.14, 0.001]) == 0.0
    assert correction_after([0.002, 0.001, 0.003, 0.2]) == pytest.approx(-0.135)


def test_each_of_two_lidars_is_corrected_by_its_own_delay():
    stamps, rear = EndStampDetector(), Pose(0.0, 0.0, math.pi)
    for k in range(19):
        ended = stamps.corrected(scan(float(k)), k + 0.001).stamp - k
        if k % 2:
            continue  # the other lidar is half as fast
        began = stamps.corrected(scan(float(k))._replace(mount=rear), k + 0.2).stamp - k
    assert ended == pytest.approx(-0.135) and began == 0.0


def test_scan_without_a_sweep_is_not_corrected():
    assert correction_after([0.001] * 9, sweep=0.0) == 0.0
