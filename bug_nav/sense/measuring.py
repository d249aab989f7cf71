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
Kernels that measure obstacle points with a scan.

Each beam looks at the points beside it. One that ends near by has measured them, one that goes on
beyond has passed through them, and what a beam has measured without a point near by is new.
"""

from __future__ import annotations

import math

from bug_nav.core.compiled import kernel
from bug_nav.sense.beams import angle_between, is_whole_turn
import numpy as np

SPACING = 0.015
"""There is one point in a cell of this size [m]."""
BESIDE = 0.0075
"""A beam looks at the points that it passes, or would pass, at most so far away [m]."""
MARGIN = 0.05
"""A beam that ends within this [m] of a point has measured it: five times a lidar's noise ..."""
OF_NOISE = 3.0
"""... or within so many standard deviations of the noise, where it is more ..."""
WIDEST = 3.0
"""... but no more than so many times as much."""
READINGS = 16.0
"""A point is the mean of so many readings; from then on the newest count as much."""
QUIET = 0.015
"""With more noise than this [m] it is of more readings, so that it is known as well."""
BLIND_MARGIN = 0.02
"""So much [m] beyond the smallest range a point may have been taken for too near to measure."""

CONE_MARGIN = 0.015
"""A cone that is free up to this [m] ..."""
CONE_NOISE = 0.03
"""... and this share of the distance beyond a point contradicts the point ..."""
CONE_DOUBT = 0.3
"""... which is dropped when it has been contradicted for this time [s]."""

COLUMNS = 6
# Of each point: x, y [m], how many readings it is the mean of, since when beams pass through it
# [s], inf where none does, since when it is known, and when it was measured last [s].
X, Y, READ, DOUBTED, BORN, MEASURED = range(COLUMNS)


@kernel
def measure(table, count, nearby, stamp, ranges, x, y, first, step, range_min, range_max,
            robot_x, robot_y, reach, doubt, share, body, noise):
    """
    Measure those rows of a table anew that are ``nearby``, and write what is new behind them.

    ``nearby`` are the numbers of all rows, of ``count``, that may be within reach. ``ranges`` are
    a scan's, in REP-117's convention; ``x``, ``y`` and ``first`` are the sensor's place and the
    direction of beam 0, and ``step`` the angle from beam to beam. Points farther than ``reach``
    [m] are not measured; ``doubt`` [s] is how long beams may pass through one. Distances are
    ``share`` of what they are for a robot that is not small. Nothing is within ``body`` [m] of the
    robot's centre, for there it is itself. ``noise`` [m] is the standard deviation of a range.
    The answer is how many rows there are now; the points near the robot, (n, 2); and how many
    readings there were of points, and their distances from them added up [m]. A row that is
    forgotten is nowhere, at inf.
    """
    beams, farthest = ranges.size, min(range_max, reach)
    spacing, beside, widest = share * SPACING, share * BESIDE, WIDEST * share * MARGIN
    margin, most = _margin(noise, share), _readings(noise)
    met, off = 0, 0.0
    known = np.zeros(beams, dtype=np.bool_)
    near = np.empty((nearby.size + beams, 2))
    size, whole = angle_between(step), is_whole_turn(step, beams)
    cone, close = beams == 1 and step != 0.0, 0
    for i in nearby:
        dx, dy = table[i, X] - x, table[i, Y] - y
        apart2 = dx * dx + dy * dy
        if (farthest + margin) ** 2 > apart2 > (range_min + BLIND_MARGIN) ** 2:
            apart = math.sqrt(apart2)
            at, k = _beam(math.atan2(dy, dx) - first, step, beams)
            if k >= 0:
                _note_known(known, ranges, size, whole, range_min, apart, k, beside, margin)
                if abs(at - k) * size * apart <= beside:
                    r = _reading(ranges[k], range_min)
                    if r > 0.0 and abs(r - apart) <= widest:
                        met, off = met + 1, off + abs(r - apart)
                    angle = first + k * step
                    passes = _read(table, i, stamp, r, apart, margin, most,
                                   r * math.cos(angle) - dx, r * math.sin(angle) - dy)
                    _forget(table, i, stamp, passes, apart < range_max - margin, doubt)
                elif cone and apart < range_max - margin:
                    _contradict(table, i, stamp, _reading(ranges[0], range_min), apart, share)
        dx, dy = table[i, X] - robot_x, table[i, Y] - robot_y
        if dx * dx + dy * dy < body * body:
            table[i, X] = np.inf
        elif dx * dx + dy * dy < reach * reach:
            near[close, 0], near[close, 1] = table[i, X], table[i, Y]
            close += 1
    count, near = _add_new(table, count, known, near, close, stamp, ranges, x, y, first, step,
                           range_min, farthest, spacing, robot_x, robot_y, body)
    return count, near, met, off


@kernel
def _margin(noise, share):
    """Return within what distance of a point a beam that has measured it ends [m]."""
    return min(max(share * MARGIN, OF_NOISE * noise), WIDEST * share * MARGIN)


@kernel
def _readings(noise):
    """Return of how many readings a point is the mean."""
    return READINGS * max(noise / QUIET, 1.0) ** 2


@kernel
def _add_new(table, count, known, near, close, stamp, ranges, x, y, first, step, range_min,
             farthest, spacing, robot_x, robot_y, body):
    """Write what beams have measured that is not known, one in a cell, behind the rows."""
    beams = ranges.size
    numbers = np.empty(close + beams, dtype=np.int64)
    heads = numbers[:0]
    for j in range(beams):
        r = _reading(ranges[j], range_min)
        if not known[j] and 0.0 < r <= farthest:
            if heads.size == 0:
                heads = _entered(near[:close], numbers, spacing, close + beams)
            angle = first + j * step
            near[close, 0] = x + r * math.cos(angle)
            near[close, 1] = y + r * math.sin(angle)
            if math.hypot(near[close, 0] - robot_x, near[close, 1] - robot_y) < body:
                continue
            numbers[close] = _cell(near[close, 0], near[close, 1], spacing)
            if not _is_there(heads, numbers, close):
                table[count, X], table[count, Y] = near[close, 0], near[close, 1]
                table[count, READ], table[count, DOUBTED] = 1.0, np.inf
                table[count, BORN] = table[count, MEASURED] = stamp
                close += 1
                count += 1
    return count, near[:close].copy()


@kernel
def _beam(bearing, step, beams):
    """
    Return where among the beams a bearing from the first one lies, and which is nearest.

    The first is a number of beams and a fraction; the second is -1 outside of the field of view.
    """
    size = angle_between(step)
    turn = 2.0 * math.pi / size
    bearing = -bearing if step < 0.0 else bearing
    # Faster than a modulus, and the same but for the last bit.
    turns = bearing / (2.0 * math.pi)
    at = (turns - np.floor(turns)) * turn
    k = int(at + 0.5)
    if k >= beams and at >= turn - 0.5:
        at, k = at - turn, 0
    return at, k if k < beams else -1


@kernel
def _note_known(known, ranges, size, whole, range_min, apart, k, beside, margin):
    """Mark the beams around beam ``k`` that have measured a point so far away [m]."""
    beams = ranges.size
    around = min(int(beside / (size * apart)), beams // 2)
    for j in range(k - around, k + around + 1):
        if whole:  # one turn on is the same beam
            j += beams if j < 0 else (-beams if j >= beams else 0)
        if 0 <= j < beams and abs(_reading(ranges[j], range_min) - apart) <= margin:
            known[j] = True


@kernel
def _read(table, i, stamp, r, apart, margin, most, to_x, to_y):
    """
    Have a beam measure a point, and tell whether it passes through it.

    ``apart`` [m] is how far away the point is, and ``to_x``, ``to_y`` where the beam ends from it;
    it is the mean of ``most`` readings at most.
    """
    if r > 0.0 and abs(r - apart) <= margin:
        readings = min(table[i, READ] + 1.0, most)
        table[i, READ] = readings
        table[i, X] += to_x / readings
        table[i, Y] += to_y / readings
        table[i, DOUBTED] = np.inf
        table[i, MEASURED] = stamp
        return False
    if r > apart:
        table[i, DOUBTED] = min(table[i, DOUBTED], stamp)
        return True
    return False


@kernel
def _forget(table, i, stamp, passes, is_within, doubt):
    """Forget a point that beams have passed through for the time of ``doubt`` [s]."""
    # At the end of its range, noise makes a beam say that there is nothing.
    if not is_within:
        table[i, DOUBTED] = np.inf
    elif passes and stamp - table[i, DOUBTED] >= doubt:
        table[i, X] = np.inf


@kernel
def _contradict(table, i, stamp, r, apart, share):
    """
    Forget a point where a single ranger's cone has been free for a while.

    A ranger measures the nearest thing in its cone, but not its bearing: the point is put on the
    axis, and may be half a cone off. So a cone that is free beyond it shows that it is elsewhere.
    """
    if r > apart + share * CONE_MARGIN + CONE_NOISE * apart:
        table[i, DOUBTED] = min(table[i, DOUBTED], stamp)
        if stamp - table[i, DOUBTED] >= CONE_DOUBT:
            table[i, X] = np.inf


@kernel
def _reading(r, range_min):
    """Return what a reading says [m]: -inf is an obstacle too near to measure."""
    return range_min if r == -np.inf else r


@kernel
def _entered(points, numbers, spacing, room):
    """Return a hash table, with room for so many, of the cells of points; write these numbers."""
    heads = np.full(_slots(room), -1)
    for i in range(points.shape[0]):
        numbers[i] = _cell(points[i, 0], points[i, 1], spacing)
        _is_there(heads, numbers, i)
    return heads


@kernel
def _slots(count):
    """Return a power of 2 that is enough for a hash table of so many."""
    slots = 64
    while slots < 2 * count:
        slots *= 2
    return slots


@kernel
def _cell(x, y, size):
    """Return the number of the cell that a point lies in."""
    return int(math.floor(x / size)) * 1000003 + int(math.floor(y / size))


@kernel
def _is_there(heads, numbers, new):
    """Tell whether a hash table has ``numbers[new]``; if not, enter it."""
    slot = numbers[new] & (heads.size - 1)
    while heads[slot] >= 0:
        if numbers[heads[slot]] == numbers[new]:
            return True
        slot = (slot + 1) & (heads.size - 1)
    heads[slot] = new
    return False
