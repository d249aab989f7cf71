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
Alignment of a scan with known walls: the pose of the scan, and its covariance.

Point-to-line matching as in A. Censi, "An ICP variant using a point-to-line metric", ICRA 2008,
with surfels as points and lines (`perception.surfels`). Odometry is one more measurement and
determines the directions that the walls leave open. A surfel that fits badly has a low weight: it
is an outlier or has moved.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.surfels import (
    GATE,
    oldest_match,
    READINGS,
    variance_along,
)
import numpy as np

MAX_ITERATIONS = 8
"""Maximum number of iterations."""
SEARCH_AGAIN = 1e-3
"""The matches are searched again after the pose has moved by more than this [m, rad]."""
CONVERGED = 1e-4
"""The iterations end when the pose moves by less than this [m, rad]."""
OUTLIER_SIGMAS = 2.5
"""Distance at which a surfel has half its weight [standard deviations]."""
POST_COUNT = 2
"""Number of surfels that each row of a post counts as: one post is enough for a match."""
CERTAIN_SIGMAS = 3.0
"""Standard deviations of the pose within which a post must be nearer than the next."""
MIN_INFORMATION = 0.01
"""
Minimum information about a direction [share of the largest about any direction]; the information
along a straight wall comes only from its roughness.
"""


@kernel
def align(surfels, heads, observed, pose, covariance, bias, information, solved, matches,
          bias_row):
    """
    Align the surfels (n,) of a scan with the known ones, starting at a pose.

    ``covariance`` (3, 3) [m^2, rad^2] is that of the odometry pose, and ``bias`` [m] the known
    error of all ranges. Return the aligned pose, and the numbers of surfels that have a match and
    that fit well. ``information`` (3, 3) is set to that of the walls alone, ``solved`` (3, 3) to
    the covariance of that pose, ``matches`` (n,) to the indices of the matches, -1 for none, and
    ``bias_row`` (2,) to the information about the bias and the evidence for more of it.
    """
    x, y, theta = pose
    prior = np.empty((3, 3))
    invert(covariance, prior)
    rotated, variances = np.empty((observed.size, 2)), np.empty(observed.size)
    total, right = np.empty((3, 3)), np.empty(3)
    matched, fitting = 0, 0
    moved, mixed = math.inf, np.empty(3)
    for iteration in range(MAX_ITERATIONS):
        cos, sin = math.cos(theta), math.sin(theta)
        for i in range(observed.size):
            seen = observed[i]
            rotated[i, 0] = cos * seen.x - sin * seen.y
            rotated[i, 1] = sin * seen.x + cos * seen.y
        if moved > SEARCH_AGAIN:
            _find_matches(surfels, heads, observed, rotated, x, y, cos, sin, covariance, matches,
                          variances)
        matched = fitting = 0
        arms = levers = 0.0
        information[:], right[:], mixed[:], bias_row[:] = 0.0, 0.0, 0.0, 0.0
        for i in range(observed.size):
            if matches[i] < 0:
                continue
            wall = surfels[matches[i]]
            nx, ny, count, shift = wall.nx, wall.ny, 1, observed[i].shift - wall.shift
            if wall.gate > 0.0:
                count = POST_COUNT
                seen = observed[i]
                nx, ny = cos * seen.nx - sin * seen.ny, sin * seen.nx + cos * seen.ny
            r = (nx * (x + rotated[i, 0] - wall.x) + ny * (y + rotated[i, 1] - wall.y)
                 - bias * shift)
            # The direction of the wall is uncertain: without a correction, its error would hold
            # the scan where the wall was recorded, along the wall as well.
            along = nx * (y + rotated[i, 1] - wall.y) - ny * (x + rotated[i, 0] - wall.x)
            variance = variances[i] + wall.direction * along * along
            lever = ny * rotated[i, 0] - nx * rotated[i, 1]
            # At first, a wall is off by the error of odometry as well.
            slack = variance_along(covariance, nx, ny, lever) if iteration == 0 else 0.0
            odd = r * r / (OUTLIER_SIGMAS * OUTLIER_SIGMAS * (variance + slack))
            weight = 1.0 / (variance * (1.0 + odd))
            _add_row(information, right, (nx, ny, lever), weight, r)
            _add_row(information, right, (-ny, nx, nx * rotated[i, 0] + ny * rotated[i, 1]),
                     -weight * wall.direction, along)
            # A rough wall, such as a row of posts, looks otherwise from each side.
            share = weight * shift if observed[i].texture == 0.0 else 0.0
            mixed[0] += share * nx
            mixed[1] += share * ny
            mixed[2] += share * lever
            bias_row[0] += share * shift
            bias_row[1] += share * r
            matched += count
            fitting += count * (odd < 1.0)
            levers += weight
            arms += weight * (rotated[i, 0] ** 2 + rotated[i, 1] ** 2)
        mirror(information)
        _remove_weak(information, right, math.sqrt(arms / levers) if levers > 0.0 else 1.0)
        for i in range(3):
            right[i] += (prior[i, 0] * (pose[0] - x) + prior[i, 1] * (pose[1] - y)
                         + prior[i, 2] * (pose[2] - theta))
            for j in range(3):
                total[i, j] = information[i, j] + prior[i, j]
        invert(total, solved)
        dx = solved[0, 0] * right[0] + solved[0, 1] * right[1] + solved[0, 2] * right[2]
        dy = solved[1, 0] * right[0] + solved[1, 1] * right[1] + solved[1, 2] * right[2]
        dtheta = solved[2, 0] * right[0] + solved[2, 1] * right[1] + solved[2, 2] * right[2]
        x, y, theta = x + dx, y + dy, theta + dtheta
        moved = max(abs(dx), abs(dy), abs(dtheta))
        if moved < CONVERGED and iteration > 0:
            break
    # A motion explains a part of it as well.
    bias_row[0] -= variance_along(solved, mixed[0], mixed[1], mixed[2])
    return (x, y, theta), matched, fitting


@kernel
def _add_row(information, right, row, weight, r):
    """Add a row of the Jacobian, of residual ``r``, to the normal equations (upper triangle)."""
    for i in range(3):
        right[i] -= weight * row[i] * r
        for j in range(i, 3):
            information[i, j] += weight * row[i] * row[j]


@kernel
def _find_matches(surfels, heads, observed, rotated, x, y, cos, sin, covariance, matches,
                  variances):
    """
    Write the match of each surfel at a pose, and the variance of their distance [m^2].

    ``rotated`` (n, 2) [m] are the places of the surfels relative to the robot, in the frame of its
    pose, whose ``covariance`` (3, 3) [m^2, rad^2] is that without the matches.
    """
    least = math.inf
    for i in range(observed.size):
        seen = observed[i]
        nx, ny = cos * seen.nx - sin * seen.ny, sin * seen.nx + cos * seen.ny
        matches[i] = oldest_match(surfels, heads, x + rotated[i, 0], y + rotated[i, 1], nx, ny,
                                  GATE, seen.gate)
        if matches[i] >= 0 and seen.gate > 0.0:
            gate, lever = min(seen.gate, surfels[matches[i]].gate), rotated[i]
            if CERTAIN_SIGMAS ** 2 * (
                    covariance[0, 0] + covariance[1, 1] + covariance[2, 2] * (
                        lever[0] * lever[0] + lever[1] * lever[1])) > gate * gate:
                matches[i] = -1
        if matches[i] >= 0:
            least = min(least, surfels[matches[i]].variance)
    for i in range(observed.size):
        if matches[i] >= 0:
            wall = surfels[matches[i]]
            # The error of the best known wall is common to all: only the excess counts. Many scans
            # in a row see the same texture: together they have the information of one.
            variances[i] = (observed[i].variance * (1.0 + 1.0 / wall.readings)
                            + READINGS * observed[i].texture + wall.variance - least)


@kernel
def _remove_weak(information, right, mean_distance):
    """
    Remove weak directions from the normal equations of a pose: their matrix and right side.

    ``mean_distance`` [m] is that of the walls, which makes rotation comparable with translation.
    As in J. Zhang, M. Kaess and S. Singh, "On degeneracy of optimization-based state estimation
    problems", ICRA 2016.
    """
    scale = (1.0, 1.0, 1.0 / max(mean_distance, 1e-6))
    a, vectors = np.empty((3, 3)), np.eye(3)
    for i in range(3):
        for j in range(3):
            a[i, j] = information[i, j] * scale[i] * scale[j]
    _diagonalize(a, vectors)
    most = max(a[0, 0], a[1, 1], a[2, 2])
    for k in range(3):
        if a[k, k] < MIN_INFORMATION * most:
            share = 0.0
            for i in range(3):
                share += vectors[i, k] * right[i] * scale[i]
            for i in range(3):
                right[i] -= share * vectors[i, k] / scale[i]
                for j in range(3):
                    information[i, j] -= (a[k, k] * vectors[i, k] * vectors[j, k]
                                          / (scale[i] * scale[j]))


@kernel
def _diagonalize(a, vectors):
    """Turn a symmetric matrix (3, 3) into its eigenvalues and a unit matrix into eigenvectors."""
    for _ in range(6):  # Jacobi: each sweep squares the remainder
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if abs(a[p, q]) > 1e-12 * (abs(a[p, p]) + abs(a[q, q])):
                angle = 0.5 * math.atan2(2.0 * a[p, q], a[q, q] - a[p, p])
                cos, sin = math.cos(angle), math.sin(angle)
                for k in range(3):
                    one, other = a[k, p], a[k, q]
                    a[k, p], a[k, q] = cos * one - sin * other, sin * one + cos * other
                for k in range(3):
                    one, other = a[p, k], a[q, k]
                    a[p, k], a[q, k] = cos * one - sin * other, sin * one + cos * other
                for k in range(3):
                    one, other = vectors[k, p], vectors[k, q]
                    vectors[k, p], vectors[k, q] = cos * one - sin * other, sin * one + cos * other


@kernel
def mirror(a):
    """Copy the upper triangle of a matrix (3, 3) to the lower one."""
    a[1, 0], a[2, 0], a[2, 1] = a[0, 1], a[0, 2], a[1, 2]


@kernel
def copy(a, b):
    """Copy a matrix (3, 3) to ``b``; ``b[:] = a`` would also compile numpy's broadcasting."""
    for i in range(3):
        for j in range(3):
            b[i, j] = a[i, j]


@kernel
def multiply(a, b, c):
    """Write the product of two matrices to ``c``."""
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0.0
            for k in range(b.shape[0]):
                c[i, j] += a[i, k] * b[k, j]


@kernel
def invert(a, b):
    """Write the inverse of a positive definite matrix to ``b`` (Gauss and Jordan)."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            b[i, j] = a[i, j]
    for k in range(n):
        pivot, b[k, k] = b[k, k], 1.0
        for j in range(n):
            b[k, j] /= pivot
        for i in range(n):
            if i != k:
                share, b[i, k] = b[i, k], 0.0
                for j in range(n):
                    b[i, j] -= share * b[k, j]
