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
How a scan is laid onto the walls that are known: kernels, compiled where numba is installed.

Point-to-line matching as in A. Censi, "An ICP variant using a point-to-line metric", ICRA 2008.
The lines are facets, short straight pieces of a wall, of which a scan sees about a hundred. Three
things are another way. A facet stays where its first readings have put it, and the oldest one
beside a place is the one that counts: what the robot comes back to is laid onto what it saw there
first, so that laps close by themselves. Odometry takes part as one more measurement, so that what
the walls do not fix stays with it. And what fits badly counts little, be it an outlier or
something that has moved.

All that they call and every constant is in this file, for numba keeps what it has compiled until
the file changes.
"""

from __future__ import annotations

import math

from bug_nav.core.compiled import either, kernel
import numpy as np

SPACING = 0.04
"""The facets of a scan are so far apart at least [m]."""
EXTENT = 0.09
"""A facet is the line through what was measured within so much of its middle [m], or more ..."""
STEPS = 2.2
"""... or within so many steps from beam to beam, where these are longer."""
WIDEST = 0.4
"""Beams whose ends are farther apart [m] do not belong to the same wall."""
FEWEST = 3
"""A facet is of so many beams."""
ROUGH = 0.04
"""A facet is no rougher than this [m] ..."""
SLENDER = 6.0
"""... and so many times as long as it is rough (squared): of a corner it is 4 times."""
SPREAD = 0.03
"""The standard deviation of its ends along the facet: shorter ones may point anywhere [m]."""
GRAZING = 0.1
"""Where a beam grazes a wall by less than this (the sine) it measures it badly."""
GATE = 0.15
"""A facet is laid onto one that is so near across [m] ..."""
BESIDE = 0.05
"""... and along ..."""
LIKE = 0.8
"""... and turned like it (the cosine)."""
NEW = 0.05
"""A facet so far across from all that are known there is another wall [m]."""
READINGS = 16.0
"""A facet is the mean of so many readings, and does not move any more then."""
ROUNDS = 8
"""So often at most a scan is laid anew."""
STILL = 1e-4
"""It lies well when the last round has moved it by less [m, rad]."""
ODD = 2.5
"""What is off by so many standard deviations counts half."""
COUNTED = 4.0
"""A facet counts as so many measurements at most, however many beams it is of."""
FAR = 0.1
"""At the end of its range a lidar sees but what noise brings nearer; so much is left out [m]."""

WEAK = 0.01
"""What walls tell of a direction is nothing where it is less than this share of the most that they
tell of any: in a straight wall it is the roughness that says where along it the robot is."""

COLUMNS = 7
# Of each facet: its middle [m], its normal (towards where it is seen from), how many readings it
# is the mean of, the variance of its place [m^2], and the number of the view it was first seen in.
X, Y, NX, NY, READ, VARIANCE, VIEW = range(COLUMNS)


@kernel
def _sums_around(ends, there, i, extent, whole):
    """Return how many ends around the i-th are of its wall, and sums of their places from it."""
    beams = there.size
    n, sx, sy, sxx, sxy, syy = 1, 0.0, 0.0, 0.0, 0.0, 0.0
    for side in (-1, 1):
        before = i
        for off in range(1, beams // 2):
            j = i + side * off
            if whole:
                j %= beams
            elif not 0 <= j < beams:
                break
            if not there[j]:
                continue
            dx, dy = ends[j, 0] - ends[i, 0], ends[j, 1] - ends[i, 1]
            if (dx * dx + dy * dy > extent * extent
                    or (ends[j, 0] - ends[before, 0]) ** 2
                    + (ends[j, 1] - ends[before, 1]) ** 2 > WIDEST * WIDEST):
                break
            n, sx, sy = n + 1, sx + dx, sy + dy
            sxx, sxy, syy = sxx + dx * dx, sxy + dx * dy, syy + dy * dy
            before = j
    return n, sx, sy, sxx, sxy, syy


@kernel
def _ends(ranges, x, y, first, step, range_min, range_max, body):
    """Return the ends (n, 2) of beams, and which of them are of a wall."""
    ends = np.empty((ranges.size, 2))
    there = np.zeros(ranges.size, dtype=np.bool_)
    for i in range(ranges.size):
        if range_min < ranges[i] < range_max - FAR:
            angle = first + i * step
            ends[i, 0] = x + ranges[i] * math.cos(angle)
            ends[i, 1] = y + ranges[i] * math.sin(angle)
            there[i] = ends[i, 0] ** 2 + ends[i, 1] ** 2 > body * body
    return ends, there


def _facets_loop(ranges, x, y, first, step, range_min, range_max, body, extent):
    """
    Return the facets (n, 5) that a scan sees: their middle [m] and normal in the robot's frame.

    The fifth column is of how many beams each is that are in none before.
    ``ranges`` (m,) [m] are in REP-117's convention; ``x``, ``y`` and ``first`` are the sensor's
    place and the direction of beam 0 in that frame, ``step`` [rad] the angle from beam to beam.
    What is nearer to the robot's centre than ``body`` [m] is of the robot itself. ``extent`` [m]
    is how far a facet reaches from its middle.
    """
    beams = ranges.size
    whole = beams > 2.0 * math.pi / abs(step) - 1.5  # the last beam is beside the first
    ends, there = _ends(ranges, x, y, first, step, range_min, range_max, body)
    found = np.empty((beams, 5))
    count, last = 0, -1
    for i in range(beams):
        if not there[i] or (last >= 0 and math.hypot(
                ends[i, 0] - ends[last, 0], ends[i, 1] - ends[last, 1]) < SPACING):
            continue
        n, sx, sy, sxx, sxy, syy = _sums_around(
            ends, there, i, max(extent, STEPS * abs(step) * ranges[i]), whole)
        if n < FEWEST:
            continue
        own, last = float(i - last if last >= 0 else 1), i
        sx, sy = sx / n, sy / n
        sxx, sxy, syy = sxx / n - sx * sx, sxy / n - sx * sy, syy / n - sy * sy
        root = math.hypot(0.5 * (sxx - syy), sxy)
        rough = max(0.5 * (sxx + syy) - root, 0.0)
        if (rough > ROUGH * ROUGH or rough * (SLENDER - 1.0) > 2.0 * root
                or rough + 2.0 * root < SPREAD * SPREAD):
            continue
        along = 0.5 * math.atan2(2.0 * sxy, sxx - syy)
        nx, ny = -math.sin(along), math.cos(along)
        cx, cy = ends[i, 0] + sx, ends[i, 1] + sy
        towards = nx * (x - cx) + ny * (y - cy)
        if abs(towards) < GRAZING * math.hypot(x - cx, y - cy):
            continue
        found[count, 0], found[count, 1] = cx, cy
        found[count, 2] = nx if towards > 0.0 else -nx
        found[count, 3] = ny if towards > 0.0 else -ny
        found[count, 4] = min(own, COUNTED)
        count += 1
    return found[:count].copy()


def _facets_whole(ranges, x, y, first, step, range_min, range_max, body, extent):
    beams = ranges.size
    whole = beams > 2.0 * math.pi / abs(step) - 1.5
    with np.errstate(invalid='ignore'):
        there = (range_min < ranges) & (ranges < range_max - FAR)
    known = np.where(there, ranges, 0.0)
    angles = first + step * np.arange(beams)
    ends = np.stack((x + known * np.cos(angles), y + known * np.sin(angles)), axis=1)
    there &= np.einsum('ij,ij->i', ends, ends) > body * body
    number = np.flatnonzero(there)  # beams that see nothing are passed over
    ends, extent = ends[number], np.maximum(extent, STEPS * abs(step) * known[number])
    sums = np.zeros((number.size, 6))
    sums[:, 0] = 1.0
    for side in (-1, 1):
        open_, before, off = np.ones(number.size, dtype=bool), ends, 0
        while off + 1 < number.size and open_.any():
            off += 1
            other = np.roll(ends, -side * off, axis=0)
            d, gap = other - ends, other - before
            apart = side * (np.roll(number, -side * off) - number)
            if whole:
                apart %= beams
            open_ &= ((0 < apart) & (apart < beams // 2)
                      & (np.einsum('ij,ij->i', d, d) <= extent ** 2)
                      & (np.einsum('ij,ij->i', gap, gap) <= WIDEST ** 2))
            dx, dy = d.T
            sums += open_[:, np.newaxis] * np.stack(
                (np.ones(number.size), dx, dy, dx * dx, dx * dy, dy * dy), axis=1)
            before = other
    chosen, own, last = [], [], -1
    for i in range(number.size):
        if ((last < 0 or math.hypot(*(ends[i] - ends[last])) >= SPACING)
                and sums[i, 0] >= FEWEST):
            own.append(min(float(number[i] - number[last] if last >= 0 else 1), COUNTED))
            chosen.append(i)
            last = i
    n, sx, sy, sxx, sxy, syy = sums[chosen].T
    sx, sy = sx / n, sy / n
    sxx, sxy, syy = sxx / n - sx * sx, sxy / n - sx * sy, syy / n - sy * sy
    root = np.hypot(0.5 * (sxx - syy), sxy)
    rough = np.maximum(0.5 * (sxx + syy) - root, 0.0)
    along = 0.5 * np.arctan2(2.0 * sxy, sxx - syy)
    normals = np.stack((-np.sin(along), np.cos(along)), axis=1)
    middles = ends[chosen] + np.stack((sx, sy), axis=1)
    to_sensor = np.array((x, y)) - middles
    towards = np.einsum('ij,ij->i', normals, to_sensor)
    good = ((rough <= ROUGH * ROUGH) & (rough * (SLENDER - 1.0) <= 2.0 * root)
            & (rough + 2.0 * root >= SPREAD * SPREAD)
            & (np.abs(towards) >= GRAZING * np.hypot(*to_sensor.T)))
    normals *= np.where(towards > 0.0, 1.0, -1.0)[:, np.newaxis]
    return np.column_stack((middles, normals, np.array(own)))[good]


facets = either(_facets_loop, _facets_whole)


@kernel
def _slot(column, row, slots):
    """Return where in a hash table of so many slots a cell of the size of the gate is."""
    return (column * 73856093 ^ row * 19349663) & (slots - 1)


@kernel
def _slot_of(x, y, slots):
    return _slot(int(math.floor(x / GATE)), int(math.floor(y / GATE)), slots)


@kernel
def _oldest(table, heads, following, x, y, nx, ny, gate):
    """Return the oldest facet beside a place and turned like it; -1 for none."""
    column, row = int(math.floor(x / GATE)), int(math.floor(y / GATE))
    best = -1
    for c in range(column - 1, column + 2):
        for r in range(row - 1, row + 2):
            k = heads[_slot(c, r, heads.size)]
            while k >= 0:
                if best < 0 or k < best:
                    dx, dy = x - table[k, X], y - table[k, Y]
                    if (abs(dx * table[k, NX] + dy * table[k, NY]) < gate
                            and abs(dx * table[k, NY] - dy * table[k, NX]) < BESIDE
                            and nx * table[k, NX] + ny * table[k, NY] > LIKE):
                        best = k
                k = following[k]
    return best


def _align_loop(table, heads, following, count, facets, x, y, theta, covariance, noise):
    """
    Lay the facets (n, 5) of a scan onto those of a table, beginning at a pose.

    ``heads`` and ``following`` are the table's hash table, ``count`` is how many rows it has.
    ``covariance`` (3, 3) [m^2, rad^2] is that of the pose as odometry has it, and ``noise`` [m] by
    how much a measurement is off. The answer is the pose and its covariance then; how many facets
    are laid onto one, and how many of these well; by how much a measurement is off (root mean
    square, weighted) [m]; and onto which row each is laid, -1 for none.
    """
    x0, y0, theta0 = x, y, theta
    prior = inverse(covariance)
    turned = np.empty((facets.shape[0], 2))
    onto = np.full(facets.shape[0], -1)
    information, total, right = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)
    laid = well = 0
    off, known = 0.0, covariance.copy()
    for _ in range(ROUNDS):
        cos, sin = math.cos(theta), math.sin(theta)
        least = math.inf
        for i in range(facets.shape[0]):
            turned[i, 0] = cos * facets[i, 0] - sin * facets[i, 1]
            turned[i, 1] = sin * facets[i, 0] + cos * facets[i, 1]
            onto[i] = _oldest(table, heads, following, x + turned[i, 0], y + turned[i, 1],
                              cos * facets[i, 2] - sin * facets[i, 3],
                              sin * facets[i, 2] + cos * facets[i, 3], GATE)
            if onto[i] >= 0:
                least = min(least, table[onto[i], VARIANCE])
        information[:] = 0.0
        right[:] = 0.0
        laid = well = 0
        weights = squares = arms = levers = 0.0
        for i in range(facets.shape[0]):
            if onto[i] < 0:
                continue
            wall = table[onto[i]]
            nx, ny = wall[NX], wall[NY]
            r = (nx * (x + turned[i, 0] - wall[X]) + ny * (y + turned[i, 1] - wall[Y]))
            # All are off by what the best of them is: what counts is by how much more.
            variance = (noise * noise / facets[i, 4] * (1.0 + 1.0 / wall[READ])
                        + wall[VARIANCE] - least)
            odd = r * r / (ODD * ODD * variance)
            weight = 1.0 / (variance * (1.0 + odd))
            lever = ny * turned[i, 0] - nx * turned[i, 1]
            laid += 1
            well += odd < 1.0
            levers += weight
            arms += weight * (turned[i, 0] ** 2 + turned[i, 1] ** 2)
            weights += weight * variance
            squares += weight * variance * r * r * facets[i, 4]
            information[0, 0] += weight * nx * nx
            information[0, 1] += weight * nx * ny
            information[0, 2] += weight * nx * lever
            information[1, 1] += weight * ny * ny
            information[1, 2] += weight * ny * lever
            information[2, 2] += weight * lever * lever
            right[0] -= weight * nx * r
            right[1] -= weight * ny * r
            right[2] -= weight * lever * r
        information[1, 0], information[2, 0] = information[0, 1], information[0, 2]
        information[2, 1] = information[1, 2]
        off = math.sqrt(squares / weights) if weights > 0.0 else 0.0
        _leave_out_weak(information, right, math.sqrt(arms / levers) if levers > 0.0 else 1.0)
        for i in range(3):
            right[i] += (prior[i, 0] * (x0 - x) + prior[i, 1] * (y0 - y)
                         + prior[i, 2] * (theta0 - theta))
            for j in range(3):
                total[i, j] = information[i, j] + prior[i, j]
        known = inverse(total)
        dx = known[0, 0] * right[0] + known[0, 1] * right[1] + known[0, 2] * right[2]
        dy = known[1, 0] * right[0] + known[1, 1] * right[1] + known[1, 2] * right[2]
        dtheta = known[2, 0] * right[0] + known[2, 1] * right[1] + known[2, 2] * right[2]
        x, y, theta = x + dx, y + dy, theta + dtheta
        if max(abs(dx), abs(dy), abs(dtheta)) < STILL:
            break
    return x, y, theta, known, laid, well, off, onto


@kernel
def _leave_out_weak(information, right, arm):
    """
    Take what is too weak out of the equations for a pose, their matrix and their right side.

    ``arm`` [m] is how far walls are away, by which turning and moving are compared. As in
    J. Zhang, M. Kaess and S. Singh, "On degeneracy of optimization-based state estimation
    problems", ICRA 2016.
    """
    scale = (1.0, 1.0, 1.0 / max(arm, 1e-6))
    a, vectors = np.empty((3, 3)), np.eye(3)
    for i in range(3):
        for j in range(3):
            a[i, j] = information[i, j] * scale[i] * scale[j]
    _diagonalise(a, vectors)
    most = max(a[0, 0], a[1, 1], a[2, 2])
    for k in range(3):
        if a[k, k] < WEAK * most:
            told = 0.0
            for i in range(3):
                told += vectors[i, k] * right[i] * scale[i]
            for i in range(3):
                right[i] -= told * vectors[i, k] / scale[i]
                for j in range(3):
                    information[i, j] -= (a[k, k] * vectors[i, k] * vectors[j, k]
                                          / (scale[i] * scale[j]))


@kernel
def _diagonalise(a, vectors):
    """Turn a symmetric matrix (3, 3) into its eigenvalues, and a unit matrix into its vectors."""
    for _ in range(6):  # Jacobi: each sweep squares what is left
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
def inverse(a):
    """Return the inverse of a symmetric matrix (3, 3)."""
    b = np.empty((3, 3))
    b[0, 0] = a[1, 1] * a[2, 2] - a[1, 2] * a[1, 2]
    b[0, 1] = a[0, 2] * a[1, 2] - a[0, 1] * a[2, 2]
    b[0, 2] = a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1]
    b[1, 1] = a[0, 0] * a[2, 2] - a[0, 2] * a[0, 2]
    b[1, 2] = a[0, 1] * a[0, 2] - a[0, 0] * a[1, 2]
    b[2, 2] = a[0, 0] * a[1, 1] - a[0, 1] * a[0, 1]
    b[1, 0], b[2, 0], b[2, 1] = b[0, 1], b[0, 2], b[1, 2]
    return b / (a[0, 0] * b[0, 0] + a[0, 1] * b[0, 1] + a[0, 2] * b[0, 2])


@kernel
def grown(covariance, dx, dy, place, heading):
    """
    Return the covariance (3, 3) of a pose after a step by dx, dy [m].

    Where the pose was turned, the step has led elsewhere; ``place`` [m^2] and ``heading`` [rad^2]
    are the variances of the step itself.
    """
    c = covariance.copy()
    c[0, 0] += -2.0 * dy * covariance[0, 2] + dy * dy * covariance[2, 2] + place
    c[0, 1] += (dx * covariance[0, 2] - dy * covariance[1, 2] - dx * dy * covariance[2, 2])
    c[0, 2] -= dy * covariance[2, 2]
    c[1, 1] += 2.0 * dx * covariance[1, 2] + dx * dx * covariance[2, 2] + place
    c[1, 2] += dx * covariance[2, 2]
    c[2, 2] += heading
    c[1, 0], c[2, 0], c[2, 1] = c[0, 1], c[0, 2], c[1, 2]
    return c


def _align_whole(table, heads, following, count, facets, x, y, theta, covariance, noise):
    prior = inverse(covariance)
    start = np.array((x, y, theta))
    pose = start.copy()
    laid = well = 0
    off, known = 0.0, covariance
    rows = _rows_around(table[:count], facets, pose)
    onto = np.full(len(facets), -1)
    for _ in range(ROUNDS):
        places, normals = _turned(facets, pose)
        onto = _oldest_whole(table, rows, places, normals, GATE)
        i = np.flatnonzero(onto >= 0)
        wall, arm = table[onto[i]], places[i] - pose[:2]
        r = np.einsum('ij,ij->i', wall[:, NX:READ], places[i] - wall[:, :NX])
        counts = facets[i, 4]
        variance = (noise ** 2 / counts * (1.0 + 1.0 / wall[:, READ]) + wall[:, VARIANCE]
                    - np.min(wall[:, VARIANCE], initial=math.inf))
        odd = r * r / (ODD * ODD * variance)
        weight = 1.0 / (variance * (1.0 + odd))
        lever = wall[:, NY] * arm[:, 0] - wall[:, NX] * arm[:, 1]
        rows_of = np.column_stack((wall[:, NX], wall[:, NY], lever))
        laid, well = len(i), int(np.count_nonzero(odd < 1.0))
        weights = float((weight * variance).sum())
        off = (math.sqrt((weight * variance * r * r * counts).sum() / weights) if weights > 0.0
               else 0.0)
        information = rows_of.T @ (weight[:, np.newaxis] * rows_of)
        right = -rows_of.T @ (weight * r)
        levers = weight.sum()
        _leave_out_weak(information, right, math.sqrt(
            (weight * np.einsum('ij,ij->i', arm, arm)).sum() / levers) if levers > 0.0 else 1.0)
        right += prior @ (start - pose)
        known = inverse(information + prior)
        change = known @ right
        pose = pose + change
        if np.abs(change).max() < STILL:
            break
    return (*pose, known, laid, well, off, onto)


def _turned(facets, pose):
    """Return where the facets of a scan are that was taken at a pose, and their normals."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    turn = np.array(((cos, sin), (-sin, cos)))
    return facets[:, :2] @ turn + pose[:2], facets[:, 2:4] @ turn


def _rows_around(table, facets, pose):
    """Return the numbers of the rows that are near what a scan sees."""
    if not len(facets):
        return np.empty(0, dtype=np.int64)
    places, _ = _turned(facets, pose)
    low, high = places.min(axis=0) - 3.0 * GATE, places.max(axis=0) + 3.0 * GATE
    return np.flatnonzero(np.all((table[:, :NX] > low) & (table[:, :NX] < high), axis=1))


def _oldest_whole(table, rows, places, normals, gate):
    if not len(rows) or not len(places):
        return np.full(len(places), -1)
    known = table[rows]
    dx, dy = (places[:, np.newaxis] - known[np.newaxis, :, :NX]).transpose(2, 0, 1)
    fits = ((np.abs(dx * known[:, NX] + dy * known[:, NY]) < gate)
            & (np.abs(dx * known[:, NY] - dy * known[:, NX]) < BESIDE)
            & (normals @ known[:, NX:READ].T > LIKE))
    return np.where(fits.any(axis=1), rows[fits.argmax(axis=1)], -1)


align = either(_align_loop, _align_whole)


@kernel
def _read_anew(table, k, x, y, nx, ny):
    """Measure a facet anew, as long as it may still move."""
    off = table[k, NX] * (x - table[k, X]) + table[k, NY] * (y - table[k, Y])
    if table[k, READ] < READINGS and abs(off) < NEW:
        read = table[k, READ] + 1.0
        table[k, READ] = read
        table[k, X] += off * table[k, NX] / read
        table[k, Y] += off * table[k, NY] / read
        mx = table[k, NX] + (nx - table[k, NX]) / read
        my = table[k, NY] + (ny - table[k, NY]) / read
        table[k, NX], table[k, NY] = mx / math.hypot(mx, my), my / math.hypot(mx, my)


@kernel
def _add(table, heads, following, count, x, y, nx, ny, variance, view):
    """Write a new facet behind the rows."""
    table[count, X], table[count, Y], table[count, NX], table[count, NY] = x, y, nx, ny
    table[count, READ], table[count, VARIANCE], table[count, VIEW] = 1.0, variance, view
    slot = _slot_of(x, y, heads.size)
    following[count], heads[slot] = heads[slot], count


def _enter_loop(table, heads, following, count, facets, onto, x, y, theta, covariance, view):
    """
    Measure the facets anew that a scan was laid onto, and write new ones behind the rows.

    ``covariance`` (3, 3) is that of the scan's pose, ``view`` its number. The answer is how many
    rows there are now.
    """
    cos, sin = math.cos(theta), math.sin(theta)
    for i in range(facets.shape[0]):
        ax = cos * facets[i, 0] - sin * facets[i, 1]
        ay = sin * facets[i, 0] + cos * facets[i, 1]
        nx = cos * facets[i, 2] - sin * facets[i, 3]
        ny = sin * facets[i, 2] + cos * facets[i, 3]
        if onto[i] >= 0:
            _read_anew(table, onto[i], x + ax, y + ay, nx, ny)
        if _oldest(table, heads, following, x + ax, y + ay, nx, ny, NEW) < 0:
            _add(table, heads, following, count, x + ax, y + ay, nx, ny,
                 _variance_along(covariance, nx, ny, ny * ax - nx * ay), view)
            count += 1
    return count


@kernel
def _variance_along(covariance, nx, ny, lever):
    """Return how well a place is known along a normal, that is seen from a pose."""
    return (nx * nx * covariance[0, 0] + ny * ny * covariance[1, 1]
            + lever * lever * covariance[2, 2]
            + 2.0 * (nx * ny * covariance[0, 1] + nx * lever * covariance[0, 2]
                     + ny * lever * covariance[1, 2]))


def _enter_whole(table, heads, following, count, facets, onto, x, y, theta, covariance, view):
    pose = np.array((x, y, theta))
    places, normals = _turned(facets, pose)
    for i in np.flatnonzero(onto >= 0):
        _read_anew(table, onto[i], *places[i], *normals[i])
    known = _oldest_whole(table, _rows_around(table[:count], facets, pose), places, normals, NEW)
    first = count
    for i in np.flatnonzero(known < 0):
        (px, py), (nx, ny) = places[i], normals[i]
        if _oldest_whole(table, np.arange(first, count), places[i:i + 1], normals[i:i + 1],
                         NEW)[0] < 0:
            lever = ny * (px - x) - nx * (py - y)
            _add(table, heads, following, count, px, py, nx, ny,
                 _variance_along(covariance, nx, ny, lever), view)
            count += 1
    return count


enter = either(_enter_loop, _enter_whole)


@kernel
def handed_on(table, views, onto, x, y):
    """
    Return the covariance (3, 3) of a pose at x, y that its walls hand on to it.

    The place of a wall is known as well as that of the view was that it was first seen in.
    ``views`` (n, 8) are the places of those [m] and the covariances of their poses: xx, xy, xt,
    yy, yt, tt. ``onto`` tells which rows of the table a scan was laid onto.
    """
    total = np.zeros((3, 3))
    count = 0
    for i in range(onto.size):
        if onto[i] >= 0:
            view = views[int(table[onto[i], VIEW])]
            dx, dy = x - view[0], y - view[1]
            # Where that pose is turned, all that is seen from it goes around it.
            total[0, 0] += view[2] - 2.0 * dy * view[4] + dy * dy * view[7]
            total[0, 1] += view[3] + dx * view[4] - dy * view[6] - dx * dy * view[7]
            total[0, 2] += view[4] - dy * view[7]
            total[1, 1] += view[5] + 2.0 * dx * view[6] + dx * dx * view[7]
            total[1, 2] += view[6] + dx * view[7]
            total[2, 2] += view[7]
            count += 1
    total[1, 0], total[2, 0], total[2, 1] = total[0, 1], total[0, 2], total[1, 2]
    return total / max(count, 1)
