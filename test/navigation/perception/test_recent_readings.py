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


import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.recent_readings import DURATION, RecentReadings
from bug_nav.navigation.types import Scan
import numpy as np
import pytest


def recent(*drifts, period=0.2):
    """Return the readings of a standing robot beside a post at (0.2, 0)."""
    readings = RecentReadings(1.0, 0.15)
    for k, drift in enumerate(drifts):
        scan = Scan(k * period, np.array([0.2, math.inf, 3.0]), 0.0, 1.0, 0.1, 3.5)
        readings.add(scan, IDENTITY, drift)
    return readings.displaced


@pytest.mark.parametrize('drift', [Pose(0.0, 0.5, 0.0), Pose(0.03, 0.0, 0.0), Pose(0.0, 0.0, 0.5)])
def test_readings_before_a_jump_are_where_odometry_says(drift):
    assert recent(IDENTITY, drift) == pytest.approx(np.array([drift.apply((0.2, 0.0))]))


def test_without_a_jump_there_are_none():
    assert not len(recent(IDENTITY, Pose(0.01, 0.0, 0.01), IDENTITY))


def test_readings_end_a_second_after_the_jump():
    jump = Pose(0.5, 0.0, 0.0)
    assert len(recent(IDENTITY, *[jump] * 5))
    assert not len(recent(IDENTITY, *[jump] * (2 + round(DURATION / 0.2))))


def test_fast_lidar_keeps_few_scans():
    scans = recent(*[IDENTITY] * 100, Pose(0.5, 0.0, 0.0), period=0.01)
    assert 10 <= len(scans) <= 12


def of_two_lidars(later, *drifts):
    """
    Return the readings of a robot between two posts, each before one of two lidars.

    The rear one is ``later`` [s] than the other, and silent after a jump.
    """
    readings = RecentReadings(1.0, 0.15)
    ranges = np.array([0.2, math.inf, 3.0])
    for k, drift in enumerate(drifts):
        readings.add(Scan(0.1 * k, ranges, 0.0, 1.0, 0.1, 3.5), IDENTITY, drift)
        if drift == IDENTITY:
            readings.add(Scan(0.1 * k + later, ranges, 0.0, 1.0, 0.1, 3.5,
                              Pose(0.0, 0.0, math.pi)), IDENTITY, drift)
    return readings.displaced


@pytest.mark.parametrize('later', [0.0, 0.02, 0.05, -0.05])
def test_readings_of_each_of_two_lidars_count_after_a_jump(later):
    jump = Pose(0.0, 0.5, 0.0)
    places = of_two_lidars(later, *[IDENTITY] * 5, jump)
    for post in ((0.2, 0.0), (-0.2, 0.0)):
        away = np.hypot(*(places - jump.apply(post)).T)
        assert (away < 1e-9).sum() == pytest.approx(5, abs=1)


def test_readings_of_a_lidar_that_is_silent_end_after_a_second():
    jump = Pose(0.0, 0.5, 0.0)
    assert len(of_two_lidars(0.05, *[IDENTITY] * 5, *[jump] * 8))
    assert not len(of_two_lidars(0.05, *[IDENTITY] * 5, *[jump] * 12))
