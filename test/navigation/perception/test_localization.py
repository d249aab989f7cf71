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

"""In which frame is told where the robot is."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.types import Scan
import numpy as np
import pytest

OFF = Pose(0.3, -0.1, 0.2)
"""What odometry is off by."""
SCAN = Scan(0.0, np.full(360, 1.0), 0.0, math.radians(1.0), 0.12, 3.5)


class Matching:
    """Knows what odometry is off by."""

    drift = IDENTITY

    def place(self, scan, odometry):
        self.drift = OFF
        return OFF.compose(odometry)

    def uncertainty(self, place):
        return 0.07


ODOMETRY = Pose(1.0, 2.0, 0.5)


def told(localization, goal=(4.0, 0.0), goal_yaw=None, correction=IDENTITY):
    return localization.in_map_frame(goal, goal_yaw, correction)


def drifted(localization, **changes):
    told(localization, **changes)
    localization.place(SCAN, ODOMETRY)
    return told(localization, **changes)


def test_pose_is_corrected_and_the_goal_stays_where_it_was_told():
    localization = Localization(Matching())
    goal, yaw, correction = drifted(localization, goal_yaw=0.4)
    assert localization.drift == OFF
    assert goal == (4.0, 0.0) and yaw == pytest.approx(0.4) and correction == IDENTITY
    assert localization.uncertainty((4.0, 0.0)) == 0.07


def test_robot_is_believed_to_be_where_matching_has_it():
    fixed = Pose(5.0, 5.0, 1.0)
    localization = Localization(Matching())
    assert localization.estimated_pose(ODOMETRY, IDENTITY) == ODOMETRY
    _, _, correction = drifted(localization, correction=fixed)
    assert localization.estimated_pose(ODOMETRY, fixed) == pytest.approx(
        correction.compose(OFF.compose(ODOMETRY)))


def test_goal_that_is_told_anew_is_where_odometry_has_it_now():
    localization = Localization(Matching())
    drifted(localization)
    goal, yaw, _ = told(localization, goal=(5.0, 0.0), goal_yaw=0.1)
    assert goal == pytest.approx(OFF.apply((5.0, 0.0)))
    assert yaw == pytest.approx(0.1 + OFF.theta)
    assert localization.shift == pytest.approx(OFF)


def test_fixed_transform_is_no_localiser():
    fixed = Pose(5.0, 5.0, 1.0)
    localization = Localization(Matching())
    goal, _, correction = drifted(localization, correction=fixed)
    assert correction == fixed and localization.drift == OFF
    assert goal == pytest.approx((4.0, 0.0))


def test_localiser_that_corrects_is_believed_from_then_on():
    localization = Localization(Matching())
    drifted(localization)
    moved = Pose(0.5, 0.0, 0.1)
    _, _, correction = told(localization, correction=moved)
    there = correction.compose(localization.drift.compose(ODOMETRY))
    assert there.position == pytest.approx(moved.compose(ODOMETRY).position)
    assert math.isnan(localization.uncertainty((4.0, 0.0))) and localization.shift == IDENTITY
    # What odometry is off by stays as it is in the frame of the core, which does not jump.
    assert localization.place(SCAN, Pose(2.0, 2.0, 0.5)) == OFF.compose(Pose(2.0, 2.0, 0.5))


def test_without_matching_everything_is_as_it_is_told():
    localization = Localization()
    assert told(localization) == ((4.0, 0.0), None, IDENTITY)
    assert localization.place(SCAN, OFF) == OFF
    assert math.isnan(localization.uncertainty((0.0, 0.0)))
