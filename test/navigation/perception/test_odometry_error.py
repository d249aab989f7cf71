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

"""Tests of the error model of odometry, learned from the corrections of matches."""

from __future__ import annotations

from bug_nav.navigation.perception.odometry_error import (
    can_inflate_variance,
    corrected,
    inflate_variance,
    initial_error,
    KNOWN_SKEW,
    learn,
    MAX_SKEW,
    MAX_VARIANCES,
    MIN_VARIANCE,
    variances,
    worst_noise,
)
import numpy as np
import pytest

STEP = (0.044, 0.0, 0.0)
KNOWN = (1e-7,) * 4
"""Variances of a pose that a match determines well."""


def learned(error, heading, times, step=STEP, along=lambda _: 0.0):
    """Learn from matches whose corrections of heading and distance are functions."""
    for k in range(times):
        place, turn = variances(error, step)
        before = tuple(known + added for known, added in zip(KNOWN, (place, place, turn, place)))
        learn(error, step, 0.0, before, KNOWN, (0.0, 0.0, float(heading(k, error)), along(error)))
    return error


def nothing(*_):
    return 0.0


def new():
    return initial_error()[0]


def test_bias_of_unequal_wheels_is_removed_once_it_is_learned():
    bias = -0.06  # rad/m
    error = learned(new(), lambda _, e: (bias - e.bias[0]) * STEP[0], 200)
    assert error.bias[0] == pytest.approx(bias, rel=0.1)
    assert corrected(error, STEP)[2] == pytest.approx(bias * STEP[0], rel=0.1)
    assert corrected(error, (0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)


def test_constant_slip_is_removed_from_the_distance():
    error = learned(new(), nothing, 300, along=lambda error: (-0.05 - error.scale) * STEP[0])
    assert error.scale == pytest.approx(-0.05, rel=0.1)
    assert corrected(error, STEP)[0] == pytest.approx(0.95 * STEP[0], rel=0.01)


def test_wrong_wheel_separation_is_distinguished_from_unequal_wheels():
    turning = (0.0, 0.0, 0.2)
    error = new()
    for _ in range(100):
        learned(error, lambda _, e: 0.05 * 0.2 - e.bias[1] * 0.2, 1, turning)
        learned(error, lambda _, e: -e.bias[0] * STEP[0], 1)
    assert error.bias == pytest.approx((0.0, 0.05), abs=0.005)


@pytest.mark.parametrize('seed', range(5))
def test_bias_far_within_its_standard_deviation_is_not_removed(seed):
    random = np.random.default_rng(seed)
    error, removed, estimated = new(), [], []
    for _ in range(100):
        learned(error, lambda _, e: 0.0005 * random.standard_normal() - e.bias[0] * STEP[0], 1)
        removed.append(abs(float(error.bias[0])))
        estimated.append(abs(float(error.right[0] / error.matrix[0])))
    assert 0.0 < sum(removed) < 0.5 * sum(estimated)


def test_good_odometry_is_trusted_more_and_bad_odometry_less():
    good = learned(new(), nothing, 300)
    random = np.random.default_rng(1)
    bad = learned(new(), lambda *_: 0.03 * random.standard_normal(), 300)
    assert variances(good, STEP)[1] < 0.1 * variances(new(), STEP)[1]
    assert variances(bad, STEP)[1] == pytest.approx(0.03 ** 2, rel=0.8)
    assert worst_noise(good) >= MIN_VARIANCE


def test_odometry_has_ordinary_noise_until_less_is_learned():
    error = new()
    assert worst_noise(error) == 1.0
    assert worst_noise(learned(error, nothing, 100)) < 0.1


def test_match_without_information_changes_nothing():
    error = new()
    before = variances(error, STEP)
    blind = np.zeros(4)
    for _ in range(200):  # without observations, there is no correction and the variance grows
        place, turn = variances(error, STEP)
        blind += (place, place, turn, place)
        learn(error, STEP, 0.0, tuple(blind), tuple(blind), (0.0,) * 4)
    assert variances(error, STEP) == pytest.approx(before) and not error.bias.any()


def test_doubt_raises_the_variance_at_once_up_to_a_limit():
    error = new()
    before = variances(error, STEP)[1]
    assert can_inflate_variance(error)
    inflate_variance(error)
    assert variances(error, STEP)[1] == pytest.approx(10.0 * before)
    while can_inflate_variance(error):
        inflate_variance(error)
    assert worst_noise(error) < max(MAX_VARIANCES)


# ---- clock skew --------------------------------------------------------------------------------

def turned(skew, times=200, noise=0.002, seed=1):
    """Learn from the matches of a robot that turns now and then, with scans that have a skew."""
    error, rng = new(), np.random.default_rng(seed)
    heading = 0.0  # that the matches have estimated
    for k in range(times):
        rate = 0.8 if k % 20 < 4 else -0.8 if k % 20 in (10, 11, 12) else 0.0
        before, after = 4e-5, 1e-5
        off = -(skew - error.skew) * rate + rng.normal(0.0, noise)
        correction = (1.0 - after / before) * (off - heading)
        heading += correction
        learn(error, STEP, rate, (before,) * 4, (after,) * 4, (0.0, 0.0, correction, 0.0))
    return error


@pytest.mark.parametrize('skew', [0.1, 0.3, -0.2])
def test_skew_of_scans_that_are_rotated_during_turns_is_learned(skew):
    error = turned(skew)
    assert error.skew == pytest.approx(skew, abs=0.02)
    assert error.skew_sigma < KNOWN_SKEW


@pytest.mark.parametrize('seed', range(5))
def test_scans_without_skew_are_not_shifted(seed):
    error = turned(0.0, seed=seed)
    assert error.skew == 0.0 and error.skew_sigma < KNOWN_SKEW


def test_skew_beyond_the_maximum_is_not_compensated_further():
    assert turned(1.0).skew == MAX_SKEW


def test_robot_that_does_not_turn_learns_no_skew():
    error = learned(new(), lambda k, _: 0.02 * (-1) ** k, 200)
    assert error.skew == 0.0 and error.skew_matrix == 0.0
