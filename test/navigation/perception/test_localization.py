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

"""Tests of localization: the frames of the robot and of the goal."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception import localization
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.types import Scan
import numpy as np
import pytest

OFF = Pose(0.3, -0.1, 0.2)
"""Error of odometry."""
SCAN = Scan(0.0, np.full(360, 1.0), 0.0, math.radians(1.0), 0.12, 3.5)


class Matched(Localization):
    """A localization whose scan matching knows the error of odometry."""

    def __init__(self):
        super().__init__(uses_scan_matching=True)

    def _match(self, scan, odometry, rate, has_moved):
        self.drift = OFF
        pose = OFF.compose(odometry)
        self._states['pose'] = pose
        self._states['covariance'] = np.diag((0.07 ** 2, 0.07 ** 2, 0.0))
        return pose


ODOMETRY = Pose(1.0, 2.0, 0.5)


def goal_in_map(localization, goal=(4.0, 0.0), goal_yaw=None, correction=IDENTITY):
    return localization.in_map_frame(goal, goal_yaw, correction)


def drifted(localization, **changes):
    goal_in_map(localization, **changes)
    localization.localize(SCAN, ODOMETRY)
    return goal_in_map(localization, **changes)


def test_pose_is_corrected_and_the_goal_stays_in_place():
    localization = Matched()
    goal, yaw, correction = drifted(localization, goal_yaw=0.4)
    assert localization.drift == OFF
    assert goal == (4.0, 0.0) and yaw == pytest.approx(0.4) and correction == IDENTITY
    assert localization.uncertainty((4.0, 0.0)) == pytest.approx(0.07)


def test_estimated_pose_is_that_of_scan_matching():
    fixed = Pose(5.0, 5.0, 1.0)
    localization = Matched()
    assert localization.estimated_pose(ODOMETRY, IDENTITY) == ODOMETRY
    _, _, correction = drifted(localization, correction=fixed)
    assert localization.estimated_pose(ODOMETRY, fixed) == pytest.approx(
        correction.compose(OFF.compose(ODOMETRY)))


def test_new_goal_is_relative_to_the_current_odometry():
    localization = Matched()
    drifted(localization)
    goal, yaw, _ = goal_in_map(localization, goal=(5.0, 0.0), goal_yaw=0.1)
    assert goal == pytest.approx(OFF.apply((5.0, 0.0)))
    assert yaw == pytest.approx(0.1 + OFF.theta)
    assert localization.shift == pytest.approx(OFF)


def test_constant_transform_is_not_a_localizer():
    fixed = Pose(5.0, 5.0, 1.0)
    localization = Matched()
    goal, _, correction = drifted(localization, correction=fixed)
    assert correction == fixed and localization.drift == OFF
    assert goal == pytest.approx((4.0, 0.0))


def test_localizer_is_used_after_its_first_correction():
    localization = Matched()
    drifted(localization)
    moved = Pose(0.5, 0.0, 0.1)
    _, _, correction = goal_in_map(localization, correction=moved)
    there = correction.compose(localization.drift.compose(ODOMETRY))
    assert there.position == pytest.approx(moved.compose(ODOMETRY).position)
    assert math.isnan(localization.uncertainty((4.0, 0.0))) and localization.shift == IDENTITY
    # The drift stays the same in the frame of the core, which does not jump.
    assert localization.localize(SCAN, Pose(2.0, 2.0, 0.5)) == OFF.compose(Pose(2.0, 2.0, 0.5))


def test_nothing_is_changed_without_scan_matching():
    localization = Localization()
    assert goal_in_map(localization) == ((4.0, 0.0), None, IDENTITY)
    assert localization.localize(SCAN, OFF) == OFF
    assert math.isnan(localization.uncertainty((0.0, 0.0)))


@pytest.mark.parametrize('sigma, is_known', [(0.001, True), (0.5, False)])
def test_skew_is_that_of_scan_matching(sigma, is_known, monkeypatch):
    monkeypatch.setattr(localization, 'match', lambda *given: (
        ODOMETRY[:], OFF[:], (0, 0), 0.2, sigma))
    matched = Localization(uses_scan_matching=True)
    assert matched.localize(SCAN, ODOMETRY) == ODOMETRY
    assert matched.skew == 0.2 and matched.knows_skew is is_known
    assert Localization().skew == 0.0 and not Localization().knows_skew
