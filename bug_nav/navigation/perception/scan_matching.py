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
Kernels of scan matching, which corrects odometry drift with the lidar.

Odometry drifts and walls do not. Each scan is aligned with the walls that earlier scans observed
(`perception.alignment`), which yields the drift. Directions that the walls leave open, such as
along a smooth corridor, come from odometry, and the covariance of the pose describes the
uncertainty of each. A scan that does not fit makes no correction.

The frame of the corrected poses is the odometry frame at the start.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import composed, inverted, kernel, wrapped
from bug_nav.navigation.perception import odometry_error
from bug_nav.navigation.perception.alignment import align, copy, invert, mirror, multiply
from bug_nav.navigation.perception.beams import noise_between_beams
from bug_nav.navigation.perception.odometry_error import (
    accept_inflation,
    can_inflate_variance,
    corrected,
    inflate_variance,
    learn,
    learn_systematic,
    MIN_STEP_SIGMA,
    ordinary_variances,
    variances,
    worst_noise,
)
from bug_nav.navigation.perception.surfels import extract, NOISE_BINS, update_surfels
import numpy as np

MAX_SURFELS = 100_000
"""Maximum number of surfels: 5 km of walls."""
MIN_MATCHED = 3
"""Minimum number of matched surfels of a match."""
MIN_FITTING = 0.4
"""Minimum share of these surfels that fit well."""
CONTRADICTION = 25.0
"""Squared correction above which a match contradicts odometry [variances]."""
MIN_DOUBTED = 2
"""Number of scans in a row that must contradict odometry to change its noise."""
MIN_CONTRADICTING = 20
"""
Minimum number of matched surfels of a match that can contradict odometry, and of any match while
obstacles move: fewer could be those of a moving obstacle.
"""
MIN_UNDISTURBED = 0.9
"""Minimum share of these surfels that fit well for noise to be learnt while obstacles move."""
INITIAL_NOISE = 0.01
"""Initial range noise [m]."""
MIN_NOISE, MAX_NOISE = 0.003, 0.1
"""Minimum and maximum estimated range noise [m]."""
MAP_NOISE = 0.125
"""Errors of the map that the scans of a place share [variances of a single match]."""
MAP_SIGMAS = (0.02, 0.02, 0.02)
"""Maximum standard deviation of these errors [m, m, rad]."""
LIDAR_SCALE, LIDAR_BIAS = 0.005, 0.015
"""
Standard deviations of the scale of a lidar, and of an error that all its ranges have alike [m]
(data sheets). Where odometry measures other distances than the lidar, either may be wrong.
"""
BIAS_SHARE, KNOWN_BIAS = 0.25, 0.0025
"""
Share of a match that counts as evidence for such an error, because the matches of a place share
the errors of the map; and its standard deviation when it is known [m].
"""
MIN_BIAS, MIN_BIAS_SIGMAS = 0.003, 0.4
"""Minimum error that noise does not suggest [m, standard deviations of a near range]."""
INITIAL_SCATTERED, MAX_SCATTERED = 5.0, 500.0
"""Number of surfels that the initial range noise counts as, and of which the noise is a mean."""
EXACT_NOISE = 0.002
"""
Maximum variances of odometry that is found exact [variances of ordinary odometry]: after 10 m,
exact odometry has less than 0.0013, and that of wheels with 1 % noise more than 0.02.
"""

KEYFRAME = np.dtype((np.record, [
    # Place of a scan that has added surfels [m], the covariance of its pose without the systematic
    # errors, and its derivative by them (see `MATCHING_STATE`).
    ('x', 'f8'), ('y', 'f8'), ('covariance', 'f8', (3, 3)), ('derivative', 'f8', (3, 5)),
    ('unit', 'f8', (2, 3, 3))]))  # see `MATCHING_STATE`
MATCHING_STATE = np.dtype((np.record, [
    # Scans in all, those that have corrected the drift, and those that did not fit.
    ('scans', 'i8'), ('matched', 'i8'), ('unmatched', 'i8'),
    # Numbers of rows in the tables.
    ('surfels', 'i8'), ('keyframes', 'i8'),
    # The odometry pose of the newest scan, its corrected pose [m, rad], and its turning rate
    # [rad/s].
    ('odometry', 'f8', (3,)), ('pose', 'f8', (3,)), ('rate', 'f8'),
    # Variances of a range, by range [m^2], and numbers of surfels that they are a mean of.
    ('noise', 'f8', (NOISE_BINS,)), ('scattered', 'f8', (NOISE_BINS,)),
    # The error of all ranges [m]; information and evidence about it.
    ('bias', 'f8'), ('bias_row', 'f8', (2,)),
    ('doubted', 'i8'),  # scans in a row that contradict odometry
    # Covariances of that pose (x, y, theta), without systematic errors: relative to the walls that
    # the scan is aligned with; inherited from these walls; beyond the latter, which is the first
    # and what was inherited from walls that have been left; of the map there; and of ordinary
    # odometry, before the first wall. The covariance in total.
    ('relative', 'f8', (3, 3)), ('inherited', 'f8', (3, 3)), ('beyond', 'f8', (3, 3)),
    ('map_noise', 'f8', (3, 3)), ('initial_covariance', 'f8', (3, 3)),
    ('covariance', 'f8', (3, 3)),
    # The first two with ordinary odometry, from its noise of position and that of heading: what is
    # not known about the noise scales them, for all walls alike.
    ('unit', 'f8', (2, 3, 3)), ('inherited_unit', 'f8', (2, 3, 3)),
    # The same covariances, and the derivative, of the pose by odometry alone, since the start.
    ('odometry_unit', 'f8', (2, 3, 3)), ('odometry_derivative', 'f8', (3, 4)),
    # Derivatives of the error of that pose by the systematic errors: relative to these walls, and
    # inherited from them. The fifth column is what estimates have removed from it.
    ('derivative', 'f8', (3, 5)), ('inherited_derivative', 'f8', (3, 5)),
    ('error', odometry_error.ODOMETRY_ERROR)]))


# ---- a scan ------------------------------------------------------------------------------------

@kernel
def match(states, surfels, heads, keyframes, ranges, geometry, directions, body, odometry, rate,
          has_moved):
    """
    Match a scan with a given odometry pose and turning rate [rad/s], and store its surfels.

    With ``has_moved``, an obstacle has moved, and the scan may contain undetected motion.

    The state ``states`` (1,) and the tables ``surfels``, with room for one more from each beam
    (see `MAX_SURFELS`), ``heads`` and ``keyframes``, with room for one more, are changed in place.
    The scan is as for `bug_nav.navigation.perception.surfels.extract`.

    Return the corrected pose; the current pose of the odometry frame in the odometry frame at the
    start [m, rad]; the numbers of used rows of ``surfels`` and ``keyframes``; and the compensated
    clock skew with the standard deviation of the rest [s].
    """
    state = states[0]
    scatter = np.empty((NOISE_BINS, 2))
    observed = extract(ranges, geometry[0], directions, body, state.noise, scatter)
    _learn_noise(state.noise, state.scattered, scatter, ranges, geometry[0].range_max)
    matches, skew = np.full(observed.size, -1), state.error.skew
    if state.scans == 0:
        pose = odometry
    else:
        moved, guess = _predict(state, odometry, rate)
        pose = guess
        if state.surfels > 0:
            is_matched, fitting_before = False, -1
            before, after, random = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
            information, bias_row = np.empty((3, 3)), np.empty(2)
            noise = state.error.noise[0], state.error.noise[1]
            while not is_matched:
                copy(state.relative, random)
                _add_step(random, state.error, moved)
                copy(random, before)
                add_spread(before, state.derivative, state.error.spread)
                pose, matched, fitting = align(surfels, heads, observed, guess, before,
                                               state.bias, information, after, matches, bias_row)
                if matched >= MIN_MATCHED:
                    _write_map_noise(state.map_noise, information)
                # Surfels that fit with odometry are no reason for doubt: a door moves the others.
                least = MIN_FITTING * matched + max(fitting_before, 0)
                fitting_before = (fitting_before if fitting_before >= 0
                                  else fitting if fitting < least else 0)
                is_matched = (
                    matched >= (MIN_CONTRADICTING if has_moved else MIN_MATCHED)
                    and fitting >= least
                    and not (can_inflate_variance(state.error) and _contradicts(
                        guess, pose, before, after, state.map_noise, matched)))
                # If a match contradicts odometry, it is accepted if it fits with doubted odometry.
                # A single one is an outlier.
                if (is_matched or has_moved or observed.size < MIN_CONTRADICTING
                        or not can_inflate_variance(state.error)):
                    state.doubted = 0
                    break
                state.doubted += 1
                if state.doubted < MIN_DOUBTED:
                    break
                inflate_variance(state.error)
            _settle_doubt(state, is_matched, noise, moved, random)
            if is_matched:
                state.matched += 1
                _learn_bias(state, bias_row, 0.0 if has_moved else BIAS_SHARE)
                _correct_unit(state, information)
                if not has_moved or fitting >= MIN_UNDISTURBED * matched:
                    learn(state.error, moved, (after[0, 0], after[1, 1], after[2, 2]),
                          (pose[0] - guess[0], pose[1] - guess[1], pose[2] - guess[2]))
                _inherit(state, surfels, keyframes, matches, pose)
                _learn_systematic(state, moved, guess, pose, random, after, information,
                                  has_moved)
                pose = pose[0], pose[1], wrapped(pose[2])
            else:
                state.unmatched += 1
                pose = guess
                matches[:] = -1
            _write_relative(state, random)
    _store(state, surfels, heads, keyframes, observed, matches, odometry, pose)
    drift = composed(pose, inverted(odometry))
    for k in range(3):
        state.odometry[k], state.pose[k] = odometry[k], pose[k]
    # The next scan is placed with the compensated skew.
    state.odometry[2] -= (state.error.skew - skew) * rate
    state.rate = rate
    state.scans += 1
    return (pose, drift, (state.surfels, state.keyframes), state.error.skew,
            state.error.skew_sigma)


def forget(states, heads, drift):
    """
    Forget the surfels, so that the next scan starts anew, and the errors of odometry and clocks.

    Beams that were taken for measured at once, at the end of a sweep, seem to have a clock skew of
    half of it.
    The pose becomes that with a ``drift``. The next walls inherit its uncertainty.
    """
    state = states[0]
    state.pose = composed(drift, tuple(state.odometry))
    state.inherited += state.beyond + state.map_noise
    state.inherited_unit += state.unit
    state.inherited_derivative += state.derivative
    state.inherited_derivative[:, 4] = 0.0
    for name in ('surfels', 'keyframes', 'doubted', 'bias', 'bias_row', 'relative', 'beyond',
                 'unit', 'map_noise', 'derivative'):
        state[name] = 0
    state['error'] = odometry_error.initial_error()[0]
    heads[:] = -1


@kernel
def _learn_bias(state, row, share):
    """
    Update the error of all ranges with a ``share`` of the evidence of a match (`align`).

    It shifts a wall where the beams meet it squarely, and not where they graze it: a wall that the
    robot passes seems to move.
    """
    state.bias_row[0] += share * row[0]
    state.bias_row[1] += share * (row[1] + row[0] * state.bias)
    bias = state.bias_row[1] / (state.bias_row[0] + LIDAR_BIAS ** -2)
    least = max(MIN_BIAS, MIN_BIAS_SIGMAS * math.sqrt(state.noise[0]))
    is_known = state.bias_row[0] > KNOWN_BIAS ** -2 and abs(bias) > least
    state.bias = bias if is_known else 0.0


@kernel
def _predict(state, odometry, rate):
    """Return the odometry step since the last scan, and the predicted pose of this one."""
    step, rate_change = composed(inverted(state.odometry), odometry), rate - state.rate
    guess = composed(state.pose, corrected(state.error, step, rate_change))
    dx, dy = guess[0] - state.pose[0], guess[1] - state.pose[1]
    propagate(state.inherited, dx, dy, 0.0, 0.0)
    propagate(state.relative, dx, dy, 0.0, 0.0)
    propagate(state.beyond, dx, dy, 0.0, 0.0)
    position_variance, heading_variance = ordinary_variances(step)
    if state.surfels == 0:
        propagate(state.initial_covariance, dx, dy, position_variance, heading_variance)
    else:
        propagate(state.initial_covariance, dx, dy, 0.0, 0.0)
        _propagate_unit(state.unit, dx, dy, position_variance, heading_variance)
    _propagate_unit(state.inherited_unit, dx, dy, 0.0, 0.0)
    _propagate_unit(state.odometry_unit, dx, dy, position_variance, heading_variance)
    turn(state.inherited_derivative, dx, dy)
    turn(state.derivative, dx, dy)
    turn(state.odometry_derivative, dx, dy)
    ahead_x, ahead_y = step[0] * math.cos(state.pose[2]), step[0] * math.sin(state.pose[2])
    _derive_step(state.odometry_derivative, step, ahead_x, ahead_y, rate_change)
    if state.surfels > 0:
        derivative, (scale, per_metre, per_radian, skew) = state.derivative, state.error.systematic
        _derive_step(derivative, step, ahead_x, ahead_y, rate_change)
        derivative[0, 4] += scale * ahead_x
        derivative[1, 4] += scale * ahead_y
        derivative[2, 4] += per_metre * step[0] + per_radian * step[2] - skew * rate_change
    return step, guess


@kernel
def _propagate_unit(unit, dx, dy, position_variance, heading_variance):
    """Propagate covariances (2, 3, 3) from the noise of position and that of heading."""
    propagate(unit[0], dx, dy, position_variance, 0.0)
    propagate(unit[1], dx, dy, 0.0, heading_variance)


@kernel
def _derive_step(derivative, step, ahead_x, ahead_y, rate_change):
    """Add the derivative of a step, which leads ahead by x, y [m], by the systematic errors."""
    derivative[0, 0] += ahead_x
    derivative[1, 0] += ahead_y
    derivative[2, 1] += step[0]
    derivative[2, 2] += step[2]
    derivative[2, 3] -= rate_change


@kernel
def _inherit(state, surfels, keyframes, matches, pose):
    """Inherit the errors of the walls of a match; those that the pose shares with them cancel."""
    derivative, walls = np.empty((3, 5)), np.empty((3, 3))
    inherit(walls, state.inherited_unit, derivative, surfels, keyframes, matches, pose)
    for i in range(3):
        for j in range(3):
            state.beyond[i, j] += state.inherited[i, j] - walls[i, j]
            state.inherited[i, j] = walls[i, j]
        for j in range(5):
            state.derivative[i, j] += state.inherited_derivative[i, j] - derivative[i, j]
            state.inherited_derivative[i, j] = derivative[i, j]


@kernel
def _settle_doubt(state, is_matched, noise, step, random):
    """
    Accept the inflated noise of a match, or restore the ``noise`` before.

    ``random`` (3, 3) is the random part of the covariance without the match.
    """
    if is_matched:
        accept_inflation(state.error, noise)
    else:
        # The scan fits with no odometry: something else has changed.
        state.error.noise[0], state.error.noise[1] = noise
        copy(state.relative, random)
        _add_step(random, state.error, step)
    _add_step(state.beyond, state.error, step)


@kernel
def _write_relative(state, random):
    """Write the relative covariance (3, 3) of a pose."""
    copy(random, state.relative)
    # These walls may be known less than the pose was, in all directions or in one of them.
    if (state.beyond[0, 0] + state.beyond[1, 1] < random[0, 0] + random[1, 1]
            or state.beyond[2, 2] < random[2, 2]
            or _is_indefinite(state.beyond, state.inherited)):
        copy(random, state.beyond)


@kernel
def _is_indefinite(a, b):
    """Return whether the sum of two symmetric matrices (3, 3) has a negative leading minor."""
    xx, yy, tt = a[0, 0] + b[0, 0], a[1, 1] + b[1, 1], a[2, 2] + b[2, 2]
    xy, xt, yt = a[0, 1] + b[0, 1], a[0, 2] + b[0, 2], a[1, 2] + b[1, 2]
    plane = xx * yy - xy * xy
    return (xx < 0.0 or plane < 0.0
            or tt * plane + xt * (xy * yt - yy * xt) - yt * (xx * yt - xy * xt) < 0.0)


@kernel
def _add_step(c, error, step):
    """Add the variances of a step to a covariance (3, 3)."""
    position_variance, heading_variance = variances(error, step)
    c[0, 0] += position_variance
    c[1, 1] += position_variance
    c[2, 2] += heading_variance


@kernel
def _update(c, information, left):
    """Update a covariance (3, 3) with a match; write the share of an error that is ``left``."""
    prior, total = np.empty((3, 3)), np.empty((3, 3))
    invert(c, prior)
    for i in range(3):
        for j in range(3):
            total[i, j] = prior[i, j] + information[i, j]
    invert(total, c)
    multiply(c, prior, left)


@kernel
def _transform(c, a):
    """Write ``a`` c ``a``^T to the symmetric matrix ``c`` (3, 3)."""
    half = np.empty((3, 3))
    for _ in range(2):
        multiply(a, c, half)
        for i in range(3):
            for j in range(3):
                c[j, i] = half[i, j]


@kernel
def _correct_unit(state, information):
    """Update the covariances of ordinary odometry with a match, as if their gain were the best."""
    covariance, left = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            covariance[i, j] = (state.error.expected[0] * state.unit[0, i, j]
                                + state.error.expected[1] * state.unit[1, i, j])
        covariance[i, i] += MIN_STEP_SIGMA ** 2
    _update(covariance, information, left)
    for k in range(2):
        _transform(state.unit[k], left)


@kernel
def _learn_systematic(state, step, guess, pose, random, after, information, has_moved):
    """
    Update the systematic errors with a match, and the relative error of the pose.

    ``after`` (3, 3) is the covariance of the pose with the match, whose ``information`` (3, 3) is
    that of the match alone. ``random`` (3, 3) is the part of the covariance without the match that
    is not systematic; it becomes that with the match.
    """
    posterior, total, derivative = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 5))
    invert(after, posterior)
    _update(random, information, total)
    multiply(total, state.derivative, derivative)
    _transform(state.beyond, total)
    correction = (pose[0] - guess[0], pose[1] - guess[1], pose[2] - guess[2])
    if not has_moved:
        learn_systematic(state.error, state.derivative, derivative, posterior, information,
                         correction, math.hypot(step[0], step[1]))
    # The rest of the correction, beyond that of the random errors, has removed systematic ones.
    multiply(random, posterior, total)
    for i in range(3):
        derivative[i, 4] += correction[i]
        for k in range(3):
            derivative[i, 4] -= total[i, k] * correction[k]
    state.derivative[:] = derivative


@kernel
def _learn_noise(variances, counts, scatter, ranges, range_max):
    """
    Update the variances of a range with the scatter of the beams of a scan (`extract`).

    Walls with a texture, such as rows of posts, scatter more than the lidar, but not from one beam
    to the next. Their texture taken for noise would seem to average out: false information.
    """
    for k in range(NOISE_BINS):
        if scatter[k, 1] > 0.0:
            counts[k] = min(counts[k] + scatter[k, 1], MAX_SCATTERED)
            variances[k] += (scatter[k, 0] - scatter[k, 1] * variances[k]) / counts[k]
            variances[k] = min(max(variances[k], MIN_NOISE ** 2), MAX_NOISE ** 2)
        if variances[k] > INITIAL_NOISE ** 2:
            width = range_max / NOISE_BINS
            noise = noise_between_beams(ranges, k * width, (k + 1) * width)
            variances[k] = min(variances[k], max(noise, INITIAL_NOISE) ** 2)


@kernel
def _write_map_noise(noise, information):
    """
    Write the covariance (3, 3) of a pose due to errors of the map that all scans there share.

    ``information`` (3, 3) is that of a single scan. More scans do not reduce these errors.
    """
    total, solved = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            total[i, j] = information[i, j]
        total[i, i] += 1.0 / MAP_SIGMAS[i] ** 2
    invert(total, solved)
    for i in range(3):
        for j in range(3):
            noise[i, j] = 0.0
            for k in range(3):
                for m in range(3):
                    noise[i, j] += MAP_NOISE * solved[i, k] * information[k, m] * solved[m, j]


@kernel
def _store(state, surfels, heads, keyframes, observed, matches, odometry, pose):
    """
    Write the covariance of a pose, and store the surfels observed there.

    The odometry error before the first wall is common to all surfels. It is not stored with them,
    so that it counts once, scaled by the present estimate of the noise of odometry. Nothing is
    stored from a doubtful pose.
    """
    c, total, noise = np.empty((3, 3)), np.empty((3, 3)), worst_noise(state.error)
    derivative, offset = state.inherited_derivative + state.derivative, np.empty(3)
    for i in range(3):
        offset[i] = -derivative[i, 4]
        for j in range(4):
            offset[i] += derivative[i, j] * state.error.systematic[j]
        for j in range(3):
            c[i, j] = state.beyond[i, j] + state.inherited[i, j] + state.map_noise[i, j]
    copy(c, total)
    add_spread(total, derivative, state.error.spread)
    for i in range(3):
        for j in range(3):
            total[i, j] += offset[i] * offset[j]
            state.covariance[i, j] = total[i, j] + noise * state.initial_covariance[i, j]
    for k in range(2):
        unknown = state.error.expected[k] - state.error.noise[k]
        _add_scaled(state.covariance, unknown, state.unit[k])
        _add_scaled(state.covariance, unknown, state.inherited_unit[k])
    if noise <= EXACT_NOISE:
        _bound(state, odometry, pose)
    if state.keyframes > 0:
        scale, first = min(abs(state.error.systematic[0]), LIDAR_SCALE), keyframes[0]
        dx, dy = scale * (pose[0] - first.x), scale * (pose[1] - first.y)
        state.covariance[0, 0] += dx * dx
        state.covariance[1, 1] += dy * dy
        state.covariance[0, 1] += dx * dy
        state.covariance[1, 0] += dx * dy
    if state.doubted > 0 or state.surfels + observed.size > MAX_SURFELS:
        return
    keyframe = keyframes[state.keyframes]
    keyframe.x, keyframe.y = pose[0], pose[1]
    copy(c, keyframe.covariance)
    keyframe.derivative[:] = derivative
    keyframe.unit[:] = state.unit + state.inherited_unit
    count = update_surfels(surfels, heads, state.surfels, observed, matches, pose, total,
                           state.keyframes)
    state.keyframes += count > state.surfels
    state.surfels = count


@kernel
def _bound(state, odometry, pose):
    """
    Replace the covariance of a pose by that of exact odometry, if this is smaller.

    The errors of walls add up from wall to wall, as if each moved the pose by all of its error.
    With exact odometry they hardly move it: the pose is off by no more than odometry is, and by
    what matches have moved it since the start, in whichever direction.
    """
    alone = np.zeros((3, 3))
    add_spread(alone, state.odometry_derivative, state.error.spread)
    for k in range(2):
        _add_scaled(alone, state.error.expected[k], state.odometry_unit[k])
    moved = (pose[0] - odometry[0]) ** 2 + (pose[1] - odometry[1]) ** 2
    alone[0, 0] += moved
    alone[1, 1] += moved
    alone[2, 2] += wrapped(pose[2] - odometry[2]) ** 2
    c = state.covariance
    if alone[0, 0] + alone[1, 1] < c[0, 0] + c[1, 1] and alone[2, 2] < c[2, 2]:
        copy(alone, c)


@kernel
def _add_scaled(c, factor, other):
    """Add a covariance (3, 3), times a factor, to ``c``."""
    for i in range(3):
        for j in range(3):
            c[i, j] += factor * other[i, j]


@kernel
def _contradicts(guess, pose, before, after, map_noise, matched):
    """Return whether a match moves the pose farther than the covariances allow."""
    for k in range(3 if matched >= MIN_CONTRADICTING else 0):
        moved = pose[k] - guess[k]
        expected = max(before[k, k] - after[k, k], 0.0) + map_noise[k, k]
        if moved * moved > CONTRADICTION * expected:
            return True
    return False


# ---- covariances -------------------------------------------------------------------------------

@kernel
def propagate(c, dx, dy, position_variance, heading_variance):
    """
    Propagate the covariance (3, 3) of a pose through a step by dx, dy [m].

    An error of the heading turns the step; ``position_variance`` [m^2] and ``heading_variance``
    [rad^2] are those of the step itself.
    """
    c[0, 0] += -2.0 * dy * c[0, 2] + dy * dy * c[2, 2] + position_variance
    c[0, 1] += dx * c[0, 2] - dy * c[1, 2] - dx * dy * c[2, 2]
    c[0, 2] -= dy * c[2, 2]
    c[1, 1] += 2.0 * dx * c[1, 2] + dx * dx * c[2, 2] + position_variance
    c[1, 2] += dx * c[2, 2]
    c[2, 2] += heading_variance
    mirror(c)


@kernel
def add_spread(c, derivative, spread):
    """Add the covariance (3, 3) of systematic errors, of covariance ``spread``, to ``c``."""
    part = np.empty((3, 4))
    multiply(derivative, spread, part)
    for i in range(3):
        for j in range(3):
            for k in range(4):
                c[i, j] += part[i, k] * derivative[j, k]


@kernel
def turn(derivative, dx, dy):
    """Propagate the derivative (3, n) of an error of a pose through a step by dx, dy [m]."""
    for k in range(derivative.shape[1]):
        derivative[0, k] -= dy * derivative[2, k]
        derivative[1, k] += dx * derivative[2, k]


@kernel
def inherit(c, unit, derivative, surfels, keyframes, matches, pose):
    """
    Write what a pose inherits from its walls.

    It is the covariance ``c`` (3, 3), those with ordinary odometry ``unit`` (2, 3, 3), and the
    ``derivative`` (3, 5). A wall has the uncertainty of the pose from which it was first observed.
    ``matches`` (n,) are the surfels, -1 for none.
    """
    c[:], unit[:], derivative[:], count = 0.0, 0.0, 0.0, 0
    for i in range(matches.size):
        if matches[i] >= 0:
            keyframe = keyframes[surfels[matches[i]].first_keyframe]
            # A heading error of that pose rotates all that was observed from it.
            dx, dy = pose[0] - keyframe.x, pose[1] - keyframe.y
            _add_moved(c, keyframe.covariance, dx, dy)
            for k in range(2):
                _add_moved(unit[k], keyframe.unit[k], dx, dy)
            for j in range(5):
                turned = keyframe.derivative[2, j]
                derivative[0, j] += keyframe.derivative[0, j] - dy * turned
                derivative[1, j] += keyframe.derivative[1, j] + dx * turned
                derivative[2, j] += turned
            count += 1
    share = 1.0 / max(count, 1)
    for i in range(3):
        for j in range(5):
            derivative[i, j] *= share
        for j in range(i, 3):
            c[i, j] *= share
            for k in range(2):
                unit[k, i, j] *= share
    mirror(c)
    for k in range(2):
        mirror(unit[k])


@kernel
def _add_moved(c, k, dx, dy):
    """Add the covariance ``k`` of a pose, moved by dx, dy [m], to ``c`` (upper triangle)."""
    c[0, 0] += k[0, 0] - 2.0 * dy * k[0, 2] + dy * dy * k[2, 2]
    c[0, 1] += k[0, 1] + dx * k[0, 2] - dy * k[1, 2] - dx * dy * k[2, 2]
    c[0, 2] += k[0, 2] - dy * k[2, 2]
    c[1, 1] += k[1, 1] + 2.0 * dx * k[1, 2] + dx * dx * k[2, 2]
    c[1, 2] += k[1, 2] + dx * k[2, 2]
    c[2, 2] += k[2, 2]
