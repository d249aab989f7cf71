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

"""Readings without company."""

from __future__ import annotations

import math

from bug_nav.core.geometry import IDENTITY, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.lone import LoneReadings, TIMES
import numpy as np
import pytest

INF, NAN = math.inf, math.nan
STEP = math.radians(1.0)


def scan_of(changes, count=360):
    ranges = np.full(count, 2.0)
    for beam, r in changes.items():
        ranges[beam] = r
    return Scan(0.0, ranges, 0.0, 2.0 * math.pi / count, 0.12, 3.5)


def test_reading_without_company_is_unknown():
    left = LoneReadings().left_out(scan_of({90: 0.8}), IDENTITY)
    assert math.isnan(left.ranges[90])
    assert np.array_equal(np.delete(left.ranges, 90), np.full(359, 2.0))


@pytest.mark.parametrize('changes', [{90: 0.8, 91: 1.4}, {90: 0.8, 92: 0.8}, {0: 0.8}, {359: 0.8},
                                     {90: -INF}, {90: 3.2}])
def test_two_readings_are_no_company_for_one_another(changes):
    left = LoneReadings().left_out(scan_of(changes), IDENTITY)
    assert np.flatnonzero(np.isnan(left.ranges)).tolist() == sorted(changes)


def test_thin_pole_is_seen_as_soon_as_it_was_seen_often():
    readings, pole = LoneReadings(), (1.0, 0.0)
    for k in range(TIMES + 2):
        pose = Pose(0.04 * k, 0.0, 0.0)
        left = readings.left_out(scan_of({0: math.dist(pole, pose.position)}), pose)
        assert math.isnan(left.ranges[0]) == (k < TIMES - 1)


def test_post_of_three_beams_is_seen_at_once():
    scan = scan_of({89: 0.8, 90: 0.79, 91: 0.8})
    assert LoneReadings().left_out(scan, IDENTITY) is scan


def test_reading_that_is_somewhere_else_each_time_is_never_believed():
    readings = LoneReadings()
    for k in range(20):
        left = readings.left_out(scan_of({17 * k: 0.5 + 0.05 * k}), IDENTITY)
        assert math.isnan(left.ranges[17 * k])


def test_wall_at_a_grazing_angle_is_seen():
    bearings = STEP * np.arange(360)
    with np.errstate(divide='ignore'):
        ranges = np.where(np.sin(bearings) > 0.0, 0.2 / np.sin(bearings), INF)
    scan = Scan(0.0, np.where(ranges <= 0.9, ranges, INF), 0.0, STEP, 0.12, 3.5)
    left = LoneReadings().left_out(scan, IDENTITY)
    assert np.isnan(left.ranges).sum() <= 2  # its ends have little company
