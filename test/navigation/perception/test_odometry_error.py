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
    accept_inflation,
    can_inflate_variance,
    corrected,
    inflate_variance,
    initial_error,
    KNOWN_SKEW,
    learn,
    learn_systematic,
    MAX_VARIANCES,
    MIN_SKEW,
    MIN_VARIANCE,
    SYSTEMATIC_SIGMAS,
    variances,
)
from bug_nav.navigation.perception.sensor_queue import MAX_SKEW
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

STEP = (0.044, 0.0, 0.0)
PERIOD = 0.2
"""Time between two scans [s]."""


def learned(error, heading, times):
    """Learn from exact matches whose corrections of the heading are a function."""
    for k in range(times):
        learn(error, STEP, (1e-7,) * 3, (0.0, 0.0, float(heading(k, error))))
    return error


def nothing(*_):
    return 0.0


def new():
    return initial_error()[0]


def driven(truth, times, steps=(STEP,), noise=1e-5, seed=1, error=None):
    """
    Drive steps of odometry with systematic errors ``truth`` (4,) that exact matches correct.

    Return the error that is learned, and whether the truth was within three sigma once each kind
    of step had been driven twice.
    """
    random, held, rate = np.random.default_rng(seed), True, 0.0
    error = new() if error is None else error
    for k in range(times):
        ahead, _, turned = steps[k % len(steps)]
        change, rate = turned / PERIOD - rate, turned / PERIOD
        derivative = np.array([[ahead, 0.0, 0.0, 0.0], [0.0] * 4, [0.0, ahead, turned, -change]])
        own, match = np.diag([1e-10] * 3), np.diag([noise ** -2] * 3)
        before = own + derivative @ error.spread @ derivative.T
        after = np.linalg.inv(np.linalg.inv(before) + match)
        seen = derivative @ (truth - error.systematic) + noise * random.standard_normal(3)
        own_after = np.linalg.inv(np.linalg.inv(own) + match)
        both = np.column_stack((derivative, derivative @ error.systematic))
        learn_systematic(error, both, own_after @ np.linalg.inv(own) @ both,
                         np.linalg.inv(after), match, after @ match @ seen, abs(ahead))
        off, sigma = truth - error.systematic, np.sqrt(np.diag(error.spread))
        held &= k < 2 * len(steps) or bool((np.abs(off) <= 3.0 * sigma + 1e-3).all())
    return error, held


TURNING = (STEP, STEP, (0.0, 0.0, 0.2), (0.0, 0.0, 0.2), (0.0, 0.0, 0.2))


@pytest.mark.parametrize('truth', [
    (0.0, -0.06, 0.0, 0.0), (-0.05, 0.0, 0.0, 0.0), (0.0, 0.0, 0.05, 0.0), (0.0, 0.0, 0.0, 0.1),
    (0.0, 0.0, 0.0, -0.3), (0.03, 0.02, -0.06, 0.0), (0.03, 0.02, -0.06, 0.2)])
def test_wheels_slip_separation_and_skew_are_distinguished_and_removed(truth):
    error, held = driven(truth, 400, TURNING)
    assert error.systematic == pytest.approx(truth, abs=0.002) and held
    assert error.skew == pytest.approx(truth[3], abs=MIN_SKEW) and error.skew_sigma < KNOWN_SKEW
    scale, per_metre, per_radian, skew = truth
    assert corrected(error, (0.044, 0.0, 0.2), 0.5) == pytest.approx(
        ((1.0 + scale) * 0.044, 0.0, 0.2 + per_metre * 0.044 + per_radian * 0.2
         - (skew - error.skew) * 0.5), abs=2e-3)
    assert corrected(error, (0.0, 0.0, 0.0), 0.0) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize('seed', range(5))
def test_scans_without_skew_are_not_shifted(seed):
    error, _ = driven(np.zeros(4), 200, TURNING, 0.002, seed)
    assert error.skew == 0.0 and error.skew_sigma < KNOWN_SKEW


def test_skew_beyond_the_maximum_is_not_compensated_further():
    truth = 0.03, 0.02, -0.06, 0.5
    error, _ = driven(truth, 400, TURNING)
    assert error.skew == MAX_SKEW and error.systematic == pytest.approx(truth, abs=0.002)


def test_noise_is_unknown_again_once_a_skew_is_compensated():
    error = learned(new(), nothing, 300)
    assert error.expected.max() < 0.01
    driven((0.0, 0.0, 0.0, 0.2), 200, TURNING, error=error)
    assert error.skew == pytest.approx(0.2, abs=MIN_SKEW) and (
        error.expected == pytest.approx(new().expected))


def test_what_steps_do_not_show_stays_uncertain():
    error, _ = driven(np.zeros(4), 200)  # never turns
    scale, per_metre, *of_turns = np.sqrt(np.diag(error.spread))
    assert scale < 0.001 and per_metre < 0.001
    assert of_turns == pytest.approx(np.sqrt(np.diag(new().spread))[2:])
    assert error.skew == 0.0 and error.skew_sigma > KNOWN_SKEW


@settings(max_examples=30)
@given(seed=st.integers(0, 10 ** 6))
def test_error_that_the_noise_of_matches_suggests_is_not_removed(seed):
    error, held = driven(np.zeros(4), 150, noise=0.0005, seed=seed)
    estimate = np.linalg.solve(
        error.information + np.diag(np.divide(1.0, SYSTEMATIC_SIGMAS) ** 2), error.evidence)
    assert held and abs(error.systematic[1]) < 0.5 * abs(estimate[1])


def test_good_odometry_is_trusted_more_and_bad_odometry_less():
    good = learned(new(), nothing, 300)
    random = np.random.default_rng(1)
    bad = learned(new(), lambda *_: 0.03 * random.standard_normal(), 300)
    assert variances(good, STEP)[1] < 0.1 * variances(new(), STEP)[1]
    assert variances(bad, STEP)[1] == pytest.approx(0.03 ** 2, rel=0.8)
    assert np.all(good.noise >= MIN_VARIANCE)


def test_expected_noise_is_larger_the_less_is_known():
    error = new()
    assert np.all(error.expected > 1.5 * error.noise)
    short = learned(new(), nothing, 20).expected.copy()
    assert np.all(learned(error, nothing, 100).expected < 0.8 * short)
    assert np.all(short < 0.8 * new().expected)


def test_match_without_information_changes_nothing():
    error = new()
    before = variances(error, STEP)
    blind = np.zeros(3)
    for _ in range(200):  # without observations, there is no correction and the variance grows
        place, turn = variances(error, STEP)
        blind += (place, place, turn)
        learn(error, STEP, tuple(blind), (0.0,) * 3)
    assert variances(error, STEP) == pytest.approx(before)


def test_doubt_raises_the_variance_at_once_up_to_a_limit():
    error = new()
    before = variances(error, STEP)[1]
    assert can_inflate_variance(error)
    inflate_variance(error)
    assert variances(error, STEP)[1] == pytest.approx(10.0 * before)
    while can_inflate_variance(error):
        inflate_variance(error)
    assert error.noise.max() < max(MAX_VARIANCES)


def test_doubt_forgets_evidence_only_if_it_is_accepted():
    error = new()
    noise, weights = tuple(error.noise), error.weights.copy()
    inflate_variance(error)
    assert np.array_equal(error.weights, weights)
    accept_inflation(error, noise)
    assert error.weights == pytest.approx(0.5 * weights) and np.all(error.expected >= error.noise)
    accept_inflation(error, tuple(error.noise))
    assert error.weights == pytest.approx(0.5 * weights)
