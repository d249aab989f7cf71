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

"""What is learnt of odometry from what matches put right."""

from __future__ import annotations

from bug_nav.core.geometry import Pose
from bug_nav.sense.odometry_error import LEAST, MOST, OdometryError
import numpy as np
import pytest

STEP = Pose(0.044, 0.0, 0.0)
KNOWN = np.full(4, 1e-7)
"""The variances of a pose that a match knows well."""


def learnt(error, heading, times, step=STEP, known=KNOWN, along=lambda _: 0.0):
    """Learn so often that a match puts the heading right by what chance or a function says."""
    for k in range(times):
        place, turn = error.variances(step)
        before = known + (place, place, turn, place)
        error.learn(step, before, known, (0.0, 0.0, heading(k, error), along(error)))
    return error


def test_one_wheel_too_large_is_taken_out_once_it_is_known():
    bias = -0.06  # rad/m
    error = learnt(OdometryError(), lambda _, e: (bias - e.bias[0]) * STEP.x, 200)
    assert error.bias[0] == pytest.approx(bias, rel=0.1)
    assert error.corrected(STEP).theta == pytest.approx(bias * STEP.x, rel=0.1)
    assert error.corrected(Pose(0.0, 0.0, 0.0)) == Pose(0.0, 0.0, 0.0)


def test_wheels_that_slip_alike_are_taken_out_of_the_way():
    error = learnt(OdometryError(), lambda *_: 0.0, 300,
                   along=lambda error: (-0.05 - error.scale) * STEP.x)
    assert error.scale == pytest.approx(-0.05, rel=0.1)
    assert error.corrected(STEP).x == pytest.approx(0.95 * STEP.x, rel=0.01)


def test_axle_taken_for_too_long_is_told_from_wheels_that_differ():
    turning = Pose(0.0, 0.0, 0.2)
    error = OdometryError()
    for _ in range(100):
        learnt(error, lambda _, e: 0.05 * 0.2 - e.bias[1] * 0.2, 1, turning)
        learnt(error, lambda _, e: -e.bias[0] * STEP.x, 1)
    assert error.bias == pytest.approx((0.0, 0.05), abs=0.005)


def test_good_odometry_is_believed_more_and_bad_one_less():
    good = learnt(OdometryError(), lambda *_: 0.0, 300)
    random = np.random.default_rng(1)
    bad = learnt(OdometryError(), lambda *_: 0.03 * random.standard_normal(), 300)
    assert good.variances(STEP)[1] < 0.1 * OdometryError().variances(STEP)[1]
    assert bad.variances(STEP)[1] == pytest.approx(0.03 ** 2, rel=0.8)
    assert good.share >= LEAST


def test_odometry_is_usual_until_it_is_known_to_be_better():
    error = OdometryError()
    assert error.share == 1.0
    assert learnt(error, lambda *_: 0.0, 100).share < 0.1


def test_match_that_knows_no_better_teaches_nothing():
    error = OdometryError()
    before = error.variances(STEP)
    blind = np.zeros(4)
    for _ in range(200):  # nothing is seen, so nothing is put right and the variance grows
        place, turn = error.variances(STEP)
        after = blind + (place, place, turn, place)
        error.learn(STEP, after, after, np.zeros(4))
        blind = after
    assert error.variances(STEP) == pytest.approx(before) and error.bias == (0.0, 0.0)


def test_doubt_comes_at_once_and_has_an_end():
    error = OdometryError()
    before = error.variances(STEP)[1]
    assert error.is_believed and error.doubt()
    assert error.variances(STEP)[1] == pytest.approx(10.0 * before)
    while error.doubt():
        pass
    assert not error.is_believed and error.share < max(MOST)
