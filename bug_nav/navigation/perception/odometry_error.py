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

"""
The error of odometry, estimated from the corrections of scan matching.

Systematic errors (unequal wheels, a wrong wheel separation, a drifting gyro, slip) are removed
once they are known: a heading bias, per metre and per radian, and a scale of the distance; and the
clock skew of the lidar, which rotates the scans that are taken during a turn. Random errors are
the noise: the ratio of their variance to that of *ordinary odometry*, the nominal model with
`POSITION_NOISE` and `HEADING_NOISE`. It scales the covariance of the next pose, so that matching
relies on good odometry more than on bad.

A step ``(x, y, theta)`` is a pose [m, m, rad] in the frame of the one before.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.alignment import invert, multiply
from bug_nav.navigation.perception.sensor_queue import MAX_SKEW
import numpy as np

POSITION_NOISE = 0.02
"""Position noise of ordinary odometry [m per root of a metre]."""
HEADING_NOISE = 0.05
"""Heading noise of ordinary odometry [rad per root of a metre]."""
WHEEL_ARM = 0.1
"""Distance that a wheel covers per radian of turning [m/rad]."""
MIN_STEP_SIGMA = 0.0005
"""Minimum standard deviation of a step [m, rad]."""
INITIAL_VARIANCE = 0.03
"""Initial variance [variances of ordinary odometry]."""
MIN_VARIANCE, LEVELS, LEVEL_RATIO = 1e-6, 24, 2.23
"""
The possible variances: the smallest, as of exact odometry, their number, and the ratio of each to
the one before [variances of ordinary odometry].
"""
INITIAL_SPREAD, EXPECTED_SPREAD = 2.5, 1.0
"""
Initial standard deviation of the logarithm of the variance: for the estimate, so that it learns
fast, and for the expected variance, which the rare worst odometry would rule otherwise.
"""
MEMORY = 0.97
"""Share of the earlier evidence that a correction of a stretch leaves."""
MAX_VARIANCES = (4.0, 64.0)
"""Maximum estimated variances of position and heading [variances of ordinary odometry]."""
DOUBT_FACTOR = 10.0
"""Factor by which the variance grows when a scan contradicts odometry."""
MAX_DOUBTED = 1.0
"""Maximum variance after such growth [variances of ordinary odometry]."""
STRETCH_LENGTH = 0.5
"""Length of the stretches whose corrections determine the noise [m]."""
MAX_SURPRISE = 25.0
"""Maximum squared correction of a stretch [expected variances]."""
MIN_INFORMATION = 0.3
"""Minimum share by which matches must reduce the variance for a stretch to count."""
MIN_STRETCHES = 4
"""Number of such stretches before odometry counts as better than ordinary."""
SYSTEMATIC_SIGMAS = 0.1, 0.1, 0.1, 0.1
"""
Standard deviations of the systematic errors if there are any: scale, bias [rad/m, rad/rad] and
clock skew [s].
"""
SYSTEMATIC_SHARE = 0.001
"""Probability that a robot has each of them, before any evidence."""
EVIDENCE_SHARE = 0.5
"""Share of a match that counts as evidence: the matches of a place share the errors of the map."""
CHANGE_LENGTH = 300.0
"""Length on which the evidence for the systematic errors fades [m]."""

MIN_SKEW = 0.02
"""Minimum by which the compensated clock skew changes [s]; its maximum is `MAX_SKEW`."""
KNOWN_SKEW = 0.01
"""Standard deviation of a clock skew that is known [s]."""
ODOMETRY_ERROR = np.dtype((np.record, [
    # Systematic errors: corrections of each metre ahead, and of the heading per metre ahead and
    # per radian; the skew of scan stamps ahead of odometry [s]; their covariance; and the evidence
    # for them (information form).
    ('systematic', 'f8', (4,)), ('spread', 'f8', (4, 4)),
    ('information', 'f8', (4, 4)), ('evidence', 'f8', (4,)),
    # The part of this skew that the stamps of scans no longer have, and the standard deviation of
    # the whole, if there is one [s].
    ('skew', 'f8'), ('skew_sigma', 'f8'),
    # Variances of position and heading, relative to ordinary odometry: the estimates, with which
    # scans are matched, and the expected ones, which are larger the less is known; stretches that
    # counted.
    ('noise', 'f8', (2,)), ('expected', 'f8', (2,)), ('judged', 'i8'),
    # Logarithmic weights of the possible noises.
    ('weights', 'f8', (2, LEVELS)),
    # The current stretch: its length, the variances of x, y and heading at its beginning, the
    # variances that noise has added, and the sums of the corrections.
    ('length', 'f8'), ('variance', 'f8', (3,)), ('added', 'f8', (3,)), ('correction', 'f8', (3,))
]))


def initial_error() -> np.ndarray:
    """Return the error (1,) of odometry before any estimate."""
    error = np.zeros(1, ODOMETRY_ERROR)
    _reset_noise(error[0])
    error['spread'] = SYSTEMATIC_SHARE * np.diag(np.square(SYSTEMATIC_SIGMAS))
    error['skew_sigma'] = SYSTEMATIC_SIGMAS[3]
    return error


@kernel
def _reset_noise(error):
    """Forget what has been learned about the noise."""
    for k in range(2):
        for n in range(LEVELS):
            error.weights[k, n] = -0.5 * (math.log(level(n) / INITIAL_VARIANCE)
                                          / INITIAL_SPREAD) ** 2
        _estimate_noise(error, k)
    for k in range(3):
        error.added[k], error.correction[k] = 0.0, 0.0
    error.judged, error.length = 0, 0.0


@kernel
def corrected(error, step, rate_change):
    """
    Return a step between two scans without systematic errors.

    Between them, the turning rate has changed by ``rate_change`` [rad/s]: a scan that was taken a
    skew before its stamp is rotated by - skew * rate.
    """
    x, y, theta = step
    scale, per_metre, per_radian, skew = error.systematic
    return ((1.0 + scale) * x, y, theta + per_metre * x + per_radian * theta
            - (skew - error.skew) * rate_change)


@kernel
def ordinary_variances(step):
    """Return the variances that a step of ordinary odometry adds: position [m^2], heading."""
    distance = math.hypot(step[0], step[1]) + WHEEL_ARM * abs(step[2])
    return (POSITION_NOISE ** 2 * distance + MIN_STEP_SIGMA ** 2,
            HEADING_NOISE ** 2 * distance + MIN_STEP_SIGMA ** 2)


@kernel
def variances(error, step):
    """Return the variances that a step adds: position [m^2], heading [rad^2]."""
    position_variance, heading_variance = ordinary_variances(step)
    return error.noise[0] * position_variance, error.noise[1] * heading_variance


@kernel
def worst_noise(error):
    """Return the larger expected variance, at least 1 until there are enough stretches."""
    worst = max(error.expected[0], error.expected[1])
    return worst if error.judged >= MIN_STRETCHES else max(worst, 1.0)


@kernel
def can_inflate_variance(error):
    """Return whether `inflate_variance` would change anything."""
    return min(error.noise[0], error.noise[1]) < MAX_DOUBTED


@kernel
def inflate_variance(error):
    """Reduce the reliance on odometry immediately, on trial (see `accept_inflation`)."""
    for k in range(2):
        error.noise[k] = max(min(DOUBT_FACTOR * error.noise[k], MAX_DOUBTED), error.noise[k])


@kernel
def accept_inflation(error, before):
    """Forget half of the evidence for better odometry, for each time that a noise has grown."""
    for k in range(2):
        times = math.ceil(math.log(error.noise[k] / before[k]) / math.log(DOUBT_FACTOR) - 1e-9)
        if times > 0:
            error.expected[k] = max(error.expected[k], error.noise[k])
            for n in range(LEVELS):
                error.weights[k, n] *= 0.5 ** times


@kernel
def learn(error, step, after, correction):
    """
    Update the noise with a match.

    ``after`` are the variances of the pose with the match, and ``correction`` is the correction by
    it: x, y [m] and heading [rad].
    """
    position_variance, heading_variance = ordinary_variances(step)
    error.length += math.hypot(step[0], step[1]) + WHEEL_ARM * abs(step[2])
    for k in range(3):
        error.added[k] += heading_variance if k == 2 else position_variance
        error.correction[k] += correction[k]
    if error.length > STRETCH_LENGTH:
        _learn_noise(error, after)


@kernel
def learn_systematic(error, before, after, posterior, information, correction, length):
    """
    Update the systematic errors with a match.

    ``before`` and ``after`` (3, 5) are the derivatives of the error of the pose by the systematic
    errors, and what estimates have removed from it, without and with the match; ``posterior``
    (3, 3) is the information about the pose with the match, ``information`` (3, 3) that of the
    match alone, and ``correction`` (3,) that of x, y [m] and heading by it. ``length`` [m] is that
    of the step.
    """
    kept = 1.0 - min(length / CHANGE_LENGTH, 1.0)
    weighted = np.empty((3, 5))
    multiply(information, before, weighted)
    for i in range(4):
        error.evidence[i] *= kept
        for j in range(4):
            error.information[i, j] *= kept
        for k in range(3):
            share = EVIDENCE_SHARE * after[k, i]
            error.evidence[i] += share * weighted[k, 4]
            for j in range(3):
                error.evidence[i] += share * posterior[k, j] * correction[j]
            for j in range(4):
                error.information[i, j] += share * weighted[k, j]
    _weigh_systematic(error)


@kernel
def _weigh_systematic(error):
    """
    Write the mean and the covariance of the systematic errors, and the skew to compensate.

    Good odometry has none, and removing one that only the noise of the matches suggests turns
    every further step the same way: each is 0, or drawn from a normal distribution (a spike and a
    slab: T. J. Mitchell and J. J. Beauchamp, "Bayesian variable selection in linear regression",
    JASA 1988).
    """
    total, slab = np.empty((4, 4)), np.empty((4, 4))
    for i in range(4):
        for j in range(4):
            total[i, j] = 0.5 * (error.information[i, j] + error.information[j, i])
        total[i, i] += 1.0 / SYSTEMATIC_SIGMAS[i] ** 2
    invert(total, slab)
    share = np.empty(4)
    for i in range(4):
        mean = 0.0
        for j in range(4):
            mean += slab[i, j] * error.evidence[j]
        odds = (SYSTEMATIC_SHARE / (1.0 - SYSTEMATIC_SHARE)
                * math.sqrt(slab[i, i]) / SYSTEMATIC_SIGMAS[i]
                * math.exp(min(0.5 * mean * mean / slab[i, i], 100.0)))
        share[i] = odds / (1.0 + odds)
        error.systematic[i] = share[i] * mean
    for i in range(4):
        for j in range(4):
            error.spread[i, j] = math.sqrt(share[i] * share[j]) * slab[i, j]
        mean = error.systematic[i] / share[i]
        error.spread[i, i] += share[i] * (1.0 - share[i]) * mean * mean
    error.skew_sigma = math.sqrt(slab[3, 3])
    skew = min(max(error.systematic[3], -MAX_SKEW), MAX_SKEW)
    if error.skew_sigma < KNOWN_SKEW and abs(skew - error.skew) > MIN_SKEW:
        error.skew = skew
        # With the wrong stamps, a robot that started or stopped seemed to slip.
        error.information[:], error.evidence[:] = 0.0, 0.0
        error.information[3, 3] = 1.0 / slab[3, 3] - 1.0 / SYSTEMATIC_SIGMAS[3] ** 2
        error.evidence[3] = mean / slab[3, 3]
        _reset_noise(error)


@kernel
def _learn_noise(error, variance):
    """Weigh the possible noises with a stretch that ends with these variances; start the next."""
    for kind in range(2):
        weights = error.weights[kind]
        for k in range(2 * kind, 2 + kind):
            added = error.noise[kind] * error.added[k]
            informed = min(max(1.0 - (variance[k] - error.variance[k]) / added, 0.0), 1.0)
            if informed < MIN_INFORMATION:
                continue
            error.judged += kind
            for n in range(LEVELS):
                expected = informed * (informed * level(n) * error.added[k] + variance[k]
                                       + error.variance[k])
                weights[n] = MEMORY * weights[n] - 0.5 * (math.log(expected) + min(
                    error.correction[k] ** 2 / expected, MAX_SURPRISE))
        _estimate_noise(error, kind)
    for k in range(3):
        error.variance[k], error.added[k], error.correction[k] = variance[k], 0.0, 0.0
    error.length = 0.0


@kernel
def level(n):
    """Return the n-th possible noise [variances of ordinary odometry]."""
    return MIN_VARIANCE * LEVEL_RATIO ** n


@kernel
def _estimate_noise(error, kind):
    """Write the geometric and the arithmetic mean of the possible noises, with their weights."""
    total = logarithm = expected_total = mean = 0.0
    weights, most = error.weights[kind], MAX_VARIANCES[kind]
    largest, narrower = weights.max(), EXPECTED_SPREAD ** -2 - INITIAL_SPREAD ** -2
    for n in range(LEVELS):
        weight = math.exp(weights[n] - largest)
        total += weight
        logarithm += n * weight
        weight *= math.exp(-0.5 * narrower * math.log(level(n) / INITIAL_VARIANCE) ** 2)
        expected_total += weight
        mean += min(level(n), most) * weight
    error.noise[kind] = min(level(logarithm / total), most)
    error.expected[kind] = max(mean / expected_total, error.noise[kind])
