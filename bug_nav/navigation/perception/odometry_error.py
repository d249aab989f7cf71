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
INITIAL_SPREAD = 2.5
"""Initial standard deviation of the logarithm of the variance."""
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
BIAS_SIGMA = 0.1
"""Initial standard deviation of the bias [rad/m, and rad/rad]."""
SCALE_SIGMA = 0.05
"""Initial standard deviation of the scale."""
FORGETTING = 0.999
"""Forgetting factor of bias and scale per scan."""
SIGNIFICANCE = 1.5
"""Size of an estimated bias or scale of which half is removed [standard deviations]."""

SKEW_SIGMAS, MIN_SKEW, MAX_SKEW = 9.0, 0.02, 0.35
"""
Number of standard deviations above which an estimated clock skew is compensated, minimum [s], and
maximum [s].
"""

MIN_RATE_CHANGE, MIN_TURNING = 0.1, 10.0
"""
Minimum change of the turning rate in which a skew is visible [rad/s], and minimum number of these.
"""
KNOWN_SKEW = 0.01
"""Standard deviation of an estimated clock skew that is known [s]."""
ODOMETRY_ERROR = np.dtype((np.record, [
    # Corrections of the heading per metre ahead and per radian, and of each metre ahead.
    ('bias', 'f8', (2,)), ('scale', 'f8'),
    # Variances of position and heading, relative to ordinary odometry; stretches that counted.
    ('noise', 'f8', (2,)), ('judged', 'i8'),
    # Logarithmic weights of the possible noises.
    ('weights', 'f8', (2, LEVELS)),
    # Normal equations of bias (matrix: xx, xy, yy) and scale.
    ('matrix', 'f8', (3,)), ('right', 'f8', (2,)), ('scale_matrix', 'f8'), ('scale_right', 'f8'),
    # The current stretch: its length, the variances of x, y and heading at its beginning, the
    # variances that noise has added, and the sums of the corrections.
    ('length', 'f8'), ('variance', 'f8', (3,)), ('added', 'f8', (3,)), ('correction', 'f8', (3,)),
    # The compensated skew of scan stamps ahead of odometry [s]; the normal equation of the rest,
    # its sum of squares and its number of matches; the standard deviation of the rest [s]; and the
    # turning rate whose effect the estimated heading contains [rad/s].
    ('skew', 'f8'), ('skew_matrix', 'f8'), ('skew_right', 'f8'), ('skew_square', 'f8'),
    ('skew_count', 'f8'), ('skew_sigma', 'f8'), ('rate', 'f8')
]))


def initial_error() -> np.ndarray:
    """Return the error (1,) of odometry before any estimate."""
    error = np.zeros(1, ODOMETRY_ERROR)
    off = (math.log(MIN_VARIANCE / INITIAL_VARIANCE) + math.log(LEVEL_RATIO) * np.arange(LEVELS)
           ) / INITIAL_SPREAD
    error['weights'] = weights = -0.5 * off * off
    error['noise'] = [_mean_level(weights, most) for most in MAX_VARIANCES]
    error['matrix'] = 1.0 / BIAS_SIGMA ** 2, 0.0, 1.0 / BIAS_SIGMA ** 2
    error['scale_matrix'] = 1.0 / SCALE_SIGMA ** 2
    error['skew_sigma'] = math.inf
    return error


@kernel
def corrected(error, step):
    """Return a step without bias and scale."""
    x, y, theta = step
    return (1.0 + error.scale) * x, y, theta + error.bias[0] * x + error.bias[1] * theta


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
    """Return the larger relative variance, at least 1 until there are enough stretches."""
    worst = max(error.noise[0], error.noise[1])
    return worst if error.judged >= MIN_STRETCHES else max(worst, 1.0)


@kernel
def can_inflate_variance(error):
    """Return whether `inflate_variance` would change anything."""
    return min(error.noise[0], error.noise[1]) < MAX_DOUBTED


@kernel
def inflate_variance(error):
    """Reduce the reliance on odometry immediately."""
    for k in range(2):
        doubted = max(min(DOUBT_FACTOR * error.noise[k], MAX_DOUBTED), error.noise[k])
        if doubted > error.noise[k]:
            error.noise[k] = doubted
            # Forget half of the evidence that odometry is better.
            for n in range(LEVELS):
                error.weights[k, n] *= 0.5


@kernel
def learn(error, step, rate, before, after, correction):
    """
    Update the error with a match.

    ``rate`` is the turning rate at the scan [rad/s]; ``before`` and ``after`` are the variances of
    the pose without and with the match, and ``correction`` is the correction by the match: x, y
    [m], heading [rad] and ahead [m].
    """
    position_variance, heading_variance = ordinary_variances(step)
    error.length += math.hypot(step[0], step[1]) + WHEEL_ARM * abs(step[2])
    for k in range(3):
        error.added[k] += heading_variance if k == 2 else position_variance
        error.correction[k] += correction[k]
    position_variance *= error.noise[0]
    heading_variance *= error.noise[1]
    if error.length > STRETCH_LENGTH:
        _learn_noise(error, after)
    # A match that is no better than odometry has no information about it.
    informed = max(1.0 - after[2] / before[2], 0.0)
    _learn_skew(error, rate, informed, before[2], correction[2])
    weight = informed / (heading_variance + informed * before[2])
    ahead, turned = step[0], step[2]
    off = correction[2] + error.bias[0] * ahead + error.bias[1] * turned
    xx = FORGETTING * error.matrix[0] + weight * (ahead * ahead)
    xy = FORGETTING * error.matrix[1] + weight * (ahead * turned)
    yy = FORGETTING * error.matrix[2] + weight * (turned * turned)
    x = FORGETTING * error.right[0] + weight * ahead * off
    y = FORGETTING * error.right[1] + weight * turned * off
    error.matrix[0], error.matrix[1], error.matrix[2] = xx, xy, yy
    error.right[0], error.right[1] = x, y
    determinant = xx * yy - xy * xy
    error.bias[0] = _significant((yy * x - xy * y) / determinant, yy / determinant)
    error.bias[1] = _significant((xx * y - xy * x) / determinant, xx / determinant)
    informed = max(1.0 - after[3] / before[3], 0.0)
    weight = informed / (position_variance + informed * before[3])
    error.scale_matrix = FORGETTING * error.scale_matrix + weight * ahead * ahead
    error.scale_right = FORGETTING * error.scale_right + weight * ahead * (
        correction[3] + error.scale * ahead)
    error.scale = _significant(error.scale_right / error.scale_matrix, 1.0 / error.scale_matrix)


@kernel
def _learn_skew(error, rate, informed, variance, correction):
    """
    Update the clock skew with a correction of the heading [rad] that has a share of information.

    A scan that was taken a skew earlier than its stamp is rotated by - skew * rate. The estimated
    heading follows that by the share of information in each match. A skew that varies explains the
    corrections badly, and is not compensated.
    """
    if informed == 0.0:
        return
    change, measured = error.rate - rate, correction / informed
    error.rate -= informed * change
    if abs(change) < MIN_RATE_CHANGE:
        return
    weight = informed / variance
    error.skew_matrix = FORGETTING * error.skew_matrix + weight * change * change
    error.skew_right = FORGETTING * error.skew_right + weight * change * measured
    error.skew_square = FORGETTING * error.skew_square + weight * measured * measured
    error.skew_count = FORGETTING * error.skew_count + 1.0
    skew = error.skew_right / error.skew_matrix
    unexplained = (error.skew_square - skew * error.skew_right) / error.skew_count
    error.skew_sigma = math.sqrt(max(unexplained, 1.0) / error.skew_matrix)
    if error.skew_count > MIN_TURNING and abs(skew) > max(MIN_SKEW,
                                                          SKEW_SIGMAS * error.skew_sigma):
        error.skew = min(max(error.skew + skew, -MAX_SKEW), MAX_SKEW)
        error.skew_matrix = error.skew_right = error.skew_square = error.skew_count = 0.0
        error.skew_sigma, error.rate = math.inf, 0.0


@kernel
def _significant(estimate, variance):
    """
    Return an estimate, reduced to 0 as far as its variance explains it.

    Good odometry has no bias, and removing one that only the noise of the matches suggests turns
    every further step the same way.
    """
    ratio = estimate * estimate / (SIGNIFICANCE * SIGNIFICANCE * variance)
    return estimate * (ratio * ratio / (1.0 + ratio * ratio))


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
        error.noise[kind] = _mean_level(weights, MAX_VARIANCES[kind])
    for k in range(3):
        error.variance[k], error.added[k], error.correction[k] = variance[k], 0.0, 0.0
    error.length = 0.0


@kernel
def level(n):
    """Return the n-th possible noise [variances of ordinary odometry]."""
    return MIN_VARIANCE * LEVEL_RATIO ** n


@kernel
def _mean_level(weights, most):
    """Return the geometric mean of the possible noises with logarithmic weights, at most this."""
    total = mean = 0.0
    largest = weights.max()
    for n in range(LEVELS):
        weight = math.exp(weights[n] - largest)
        total += weight
        mean += n * weight
    return min(level(mean / total), most)
