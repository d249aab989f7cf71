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
The kernels with which a scan measures obstacle points.

Each beam looks at the points beside it. One that ends near by has measured them, one that goes on
beyond has passed through them, and what a beam has measured without a point near by is new.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.directions import beam_width, is_full_turn, look_up, TURN
from bug_nav.navigation.perception.sweep import AT_END, DEVIATIONS, has_gone_through, SIDE
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

LEARNT = 0.05
"""Weight of a scan in the noise of the ranges."""
DEVIATION = 1.25
"""Standard deviation over mean distance, of normal noise."""

CONE_MARGIN = 0.015
"""A cone that is free up to this [m] ..."""
CONE_NOISE = 0.03
"""... and this share of the distance beyond a point contradicts the point ..."""
CONE_DOUBT = 0.3
"""... which is dropped when it has been contradicted for this time [s]."""

THROUGH = 0.5
"""A beam has seen through a remembered point if it ends this far behind it [m]: odometry may have
drifted since."""
GONE = 12
"""Least number of points near by that one scan sees through where something is gone."""

STATE = np.dtype([
    ('rows', np.int64),  # of the table
    ('nearby', np.int64),  # how many of them may be within reach
    ('gone', np.int64),  # how many of them the newest scan has seen through
    ('noise', np.float64)])  # standard deviation of a range, as far as it is known [m]

COLUMNS = 6
# Of each point: x, y [m], how many readings it is the mean of, since when beams pass through it
# [s], inf where none does, since when it is known, and when it was measured last [s].
X, Y, READ, DOUBTED, BORN, MEASURED = range(COLUMNS)


@kernel
def remember(table, nearby, states, gone, stamp, ranges, cosines, sines, sensor_x, sensor_y,
             theta, angle_min, step, range_min, range_max, robot_x, robot_y, reach, doubt, share,
             body, learns, forgets):
    """
    Measure the rows of a table anew that are nearby, and write what is new behind them.

    The first rows of ``nearby`` are the numbers of those that may be within reach; those of new
    points are added. ``ranges`` (n,) are a scan's, in REP-117's convention, and ``cosines`` and
    ``sines`` (n,) those of its directions in the sensor's frame, whose pose is ``sensor_x,
    sensor_y, theta``; ``step`` is the angle from beam to beam.
    Points farther than ``reach`` [m] are not measured; ``doubt`` [s] is how long beams may pass
    through one. Distances are ``share`` of what they are for a robot that is not small. Nothing is
    within ``body`` [m] of the robot's centre, for there it is itself. ``learns``: learn the range
    noise. ``forgets``: points that the scan sees through are forgotten at once where they are
    many; their places are written to ``gone`` (n, 2). The answer are the points near the robot,
    (n, 2). A row that is forgotten is nowhere, at inf.
    """
    state = states[0]
    rows, noise = nearby[:state['nearby']], state['noise']
    at, away = _looked_at(table, rows, sensor_x, sensor_y, theta + angle_min, step)
    state['gone'] = 0
    if forgets:
        state['gone'] = _forget_gone(table, rows, gone, ranges, at, away, beam_width(step),
                                  range_min, range_max, noise)
    beams, farthest, margin = ranges.size, min(range_max, reach), _margin(noise, share)
    width = beam_width(step)
    per_turn, is_whole, most = TURN / width, is_full_turn(beams, width), _readings(noise)
    is_cone = beams == 1 and step != 0.0
    ends = _ends(ranges, cosines, sines, sensor_x, sensor_y, theta, range_min)
    met, off = 0, 0.0
    close = np.int64(0)  # for a literal `_add_new` would be compiled once more
    known = np.zeros(beams, dtype=np.bool_)
    near = np.empty((rows.size + beams, 2))
    for m in range(rows.size):
        i = rows[m]
        if range_min + BLIND_MARGIN < away[m] < farthest + margin:
            missed = _measure_point(
                table, i, known, ranges, ends, at[m], away[m], width, per_turn, is_whole,
                range_min, range_max, stamp, margin, most, doubt, share, is_cone)
            if missed < np.inf:
                met, off = met + 1, off + missed
        dx, dy = table[i, X] - robot_x, table[i, Y] - robot_y
        if dx * dx + dy * dy < body * body:
            table[i, X] = np.inf
        elif dx * dx + dy * dy < reach * reach:
            near[close, 0], near[close, 1] = table[i, X], table[i, Y]
            close += 1
    before = state['rows']
    count, near = _add_new(table, before, known, near, close, stamp, ranges, ends, farthest,
                           range_min, share * SPACING, robot_x, robot_y, body)
    for row in range(before, count):
        nearby[state['nearby']] = row
        state['nearby'] += 1
    state['rows'] = count
    if learns and met > 0:
        state['noise'] += LEARNT * (DEVIATION * off / met - noise)
    return near


@kernel
def _looked_at(table, rows, x, y, first, step):
    """Return where among the beams points lie (`look_up`), and how far from the sensor [m]."""
    count = rows.size
    xs, ys, at, away = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    for m in range(count):
        xs[m], ys[m] = table[rows[m], X], table[rows[m], Y]
    look_up(xs, ys, x, y, first, step, at, away)
    return at, away


@kernel
def _ends(ranges, cosines, sines, x, y, theta, range_min):
    """Return where the beams end, (n, 2) [m]."""
    cos, sin = math.cos(theta), math.sin(theta)
    ends = np.empty((ranges.size, 2))
    for i in range(ranges.size):
        r = _reading(ranges[i], range_min)
        ends[i, 0] = x + r * (cos * cosines[i] - sin * sines[i])
        ends[i, 1] = y + r * (sin * cosines[i] + cos * sines[i])
    return ends


@kernel
def _measure_point(table, i, known, ranges, ends, at, away, width, per_turn, is_whole, range_min,
                   range_max, stamp, margin, most, doubt, share, is_cone):
    """
    Measure a point anew with the beam that looks at it, if there is one.

    The point is ``at`` among the beams and ``away`` [m]. Return how far the beam ends from it [m],
    or inf for one that says nothing of the range noise.
    """
    k = int(at + 0.5)
    if k >= ranges.size and at >= per_turn - 0.5:
        at, k = at - per_turn, 0
    if k >= ranges.size:
        return np.inf
    beside, is_within = share * BESIDE, away < range_max - margin
    _note_known(known, ranges, width, is_whole, range_min, away, k, beside, margin)
    r = _reading(ranges[k], range_min)
    if abs(at - k) * width * away > beside:
        if is_cone and is_within:
            _contradict(table, i, stamp, r, away, share)
        return np.inf
    passes = _read(table, i, stamp, r, away, margin, most,
                   ends[k, 0] - table[i, X], ends[k, 1] - table[i, Y])
    _forget(table, i, stamp, passes, is_within, doubt)
    missed = abs(r - away)
    return missed if r > 0.0 and missed <= WIDEST * share * MARGIN else np.inf


@kernel
def seen_through(points, ranges, x, y, first, step, range_min, range_max, noise):
    """Tell through which of points (n, 2) [m] a scan has seen, (n,) bool."""
    at, away = _looked_at(points, np.arange(points.shape[0]), x, y, first, step)
    return _is_through(ranges, at, away, beam_width(step), range_min, range_max, noise)


@kernel
def _is_through(ranges, at, away, width, range_min, range_max, noise):
    """Tell through which points a scan has seen, (n,) bool; see `has_gone_through`."""
    through = np.empty(at.size, dtype=np.bool_)
    side = max(SIDE, DEVIATIONS * noise)
    beyond, is_whole = max(THROUGH, 2.0 * DEVIATIONS * noise), is_full_turn(ranges.size, width)
    for m in range(at.size):
        through[m] = range_min <= away[m] <= range_max - AT_END and has_gone_through(
            ranges, at[m], away[m], away[m] + beyond, width, is_whole, side)
    return through


@kernel
def _forget_gone(table, rows, gone, ranges, at, away, width, range_min, range_max, noise):
    """Forget the points that a scan sees through where they are many; return how many."""
    through = _is_through(ranges, at, away, width, range_min, range_max, noise)
    count = 0
    for m in range(rows.size):
        count += through[m]
    if count < GONE:
        return 0
    count = 0
    for m in range(rows.size):
        if through[m]:
            gone[count, 0], gone[count, 1] = table[rows[m], X], table[rows[m], Y]
            table[rows[m], X] = away[m] = np.inf
            count += 1
    return count


@kernel
def _margin(noise, share):
    """Return within what distance of a point a beam that has measured it ends [m]."""
    return min(max(share * MARGIN, OF_NOISE * noise), WIDEST * share * MARGIN)


@kernel
def _readings(noise):
    """Return of how many readings a point is the mean."""
    return READINGS * max(noise / QUIET, 1.0) ** 2


@kernel
def _add_new(table, count, known, near, close, stamp, ranges, ends, farthest, range_min, spacing,
             robot_x, robot_y, body):
    """Write what beams have measured that is not known, one in a cell, behind the rows."""
    beams = ranges.size
    numbers = np.empty(close + beams, dtype=np.int64)
    heads = numbers[:0]
    for j in range(beams):
        if known[j] or not 0.0 < _reading(ranges[j], range_min) <= farthest:
            continue
        if heads.size == 0:
            heads = _entered(near[:close], numbers, spacing, close + beams)
        x, y = ends[j, 0], ends[j, 1]
        if (x - robot_x) ** 2 + (y - robot_y) ** 2 < body * body:
            continue
        numbers[close] = _cell(x, y, spacing)
        if not _is_there(heads, numbers, close):
            near[close, 0], near[close, 1] = x, y
            table[count, X], table[count, Y] = x, y
            table[count, READ], table[count, DOUBTED] = 1.0, np.inf
            table[count, BORN] = table[count, MEASURED] = stamp
            close += 1
            count += 1
    return count, near[:close].copy()


@kernel
def _note_known(known, ranges, width, is_whole, range_min, away, k, beside, margin):
    """Mark the beams around beam ``k`` that have measured a point so far away [m]."""
    beams = ranges.size
    around = min(int(beside / (width * away)), beams // 2)
    for j in range(k - around, k + around + 1):
        if is_whole:  # one turn on is the same beam
            j += beams if j < 0 else (-beams if j >= beams else 0)
        if 0 <= j < beams and abs(_reading(ranges[j], range_min) - away) <= margin:
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
