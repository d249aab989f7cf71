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
Kernels that update the obstacle points in memory with a scan.

Each beam is compared with the points close to its line. A beam that ends at a point measures the
point, a longer beam passes through it, and a reading without a point nearby adds a new point.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.beam_lookup import beam_width, is_full_turn, look_up_beams, TURN
from bug_nav.navigation.perception.scan_filters import (
    has_gone_through,
    MAX_SIGMAS,
    RANGE_END_MARGIN,
    SIDE_MARGIN,
)
import numpy as np

SPACING = 0.015
"""Size of a cell, which has at most one point [m]."""
LATERAL_TOLERANCE = 0.0075
"""Maximum distance between a point and the line of a beam that measures it [m]."""
RANGE_TOLERANCE = 0.05
"""
Maximum distance between a point and the end of a beam that measures it [m]: five times the noise
of a lidar.
"""
TOLERANCE_SIGMAS = 3.0
"""The same as a number of standard deviations of the noise; the larger distance counts."""
MAX_TOLERANCE_FACTOR = 3.0
"""Maximum ratio of that distance to `RANGE_TOLERANCE`."""
AVERAGED_READINGS = 16.0
"""Number of readings of which a point is the mean; afterwards, an exponential average."""
LOW_NOISE = 0.015
"""Range noise above which more readings are averaged, for the same precision [m]."""
BLIND_MARGIN = 0.02
"""Distance beyond the minimum range up to which a point may be too near to measure [m]."""

NOISE_GAIN = 0.05
"""Gain with which a scan changes the range noise."""
MEAN_TO_SIGMA = 1.25
"""Ratio of standard deviation and mean distance for normal noise."""

CONE_MARGIN = 0.015
"""Minimum distance by which a free cone that contradicts a point extends behind it [m]."""
CONE_NOISE = 0.03
"""Addition to `CONE_MARGIN` [share of the distance of the point]."""
CONE_CLEARING_TIME = 0.3
"""Time of contradiction after which the point is deleted [s]."""

CLEARING_MARGIN = 0.5
"""
Minimum distance behind a point at which a beam that has seen through it ends [m]: odometry drifts.
"""
MIN_CLEARED = 12
"""Minimum number of points nearby that one scan must see through to clear them."""

STATE = np.dtype([
    ('rows', np.int64),  # of the table
    ('nearby', np.int64),  # number of them that may be within reach
    ('cleared', np.int64),  # number of them that the newest scan has seen through
    ('noise', np.float64)])  # estimated standard deviation of a range [m]

COLUMNS = 6
# Of each point: x, y [m], number of averaged readings, time since which beams pass through it [s]
# (inf for none), and times of its first and last measurement [s].
X, Y, READINGS, PASSED_SINCE, FIRST_MEASURED, LAST_MEASURED = range(COLUMNS)


@kernel
def update_memory(table, nearby, states, cleared, stamp, ranges, cosines, sines, sensor_x,
                  sensor_y, theta, angle_min, step, range_min, range_max, robot_x, robot_y, reach,
                  clearing_time, scale, body_radius, learns_noise, clears):
    """
    Update the rows of a table near the robot with a scan, and append new points.

    The first rows of ``nearby`` are the indices of the points that may be within reach; those of
    new points are appended. ``ranges`` (n,) are those of a scan in the convention of REP-117, and
    ``cosines`` and ``sines`` (n,) those of its directions in the frame of the sensor, whose pose
    is ``sensor_x, sensor_y, theta``; ``step`` is the angle between two beams. Points beyond
    ``reach`` [m] are not updated; ``clearing_time`` [s] is the time after which a point that beams
    pass through is cleared. Distances are multiplied by ``scale`` for a small robot. Readings
    within ``body_radius`` [m] of the centre of the robot belong to the robot. ``learns_noise``:
    estimate the range noise. ``clears``: immediately clear points that the scan sees through if
    they are many; their places are written to ``cleared`` (n, 2). Return the points near the
    robot, (n, 2). A row that is cleared is at inf.
    """
    state = states[0]
    rows, noise = nearby[:state['nearby']], state['noise']
    beam, distance = _beam_positions(table, rows, sensor_x, sensor_y, theta + angle_min, step)
    state['cleared'] = 0
    if clears:
        state['cleared'] = _clear_seen_through(table, rows, cleared, ranges, beam, distance,
                                               beam_width(step), range_min, range_max, noise)
    beams, farthest, tolerance = ranges.size, min(range_max, reach), _range_tolerance(noise, scale)
    width = beam_width(step)
    per_turn, is_whole, most = TURN / width, is_full_turn(beams, width), _max_readings(noise)
    is_cone = beams == 1 and step != 0.0
    ends = _ends(ranges, cosines, sines, sensor_x, sensor_y, theta, range_min)
    matched, error_sum = 0, 0.0
    near_count = np.int64(0)  # with a literal, `_add_new` would compile twice
    is_known = np.zeros(beams, dtype=np.bool_)
    near = np.empty((rows.size + beams, 2))
    for m in range(rows.size):
        i = rows[m]
        if range_min + BLIND_MARGIN < distance[m] < farthest + tolerance:
            error = _measure_point(
                table, i, is_known, ranges, ends, beam[m], distance[m], width, per_turn, is_whole,
                range_min, range_max, stamp, tolerance, most, clearing_time, scale, is_cone)
            if error < np.inf:
                matched, error_sum = matched + 1, error_sum + error
        dx, dy = table[i, X] - robot_x, table[i, Y] - robot_y
        if dx * dx + dy * dy < body_radius * body_radius:
            table[i, X] = np.inf
        elif dx * dx + dy * dy < reach * reach:
            near[near_count, 0], near[near_count, 1] = table[i, X], table[i, Y]
            near_count += 1
    before = state['rows']
    count, near = _add_new(table, before, is_known, near, near_count, stamp, ranges, ends,
                           farthest, range_min, scale * SPACING, robot_x, robot_y, body_radius)
    for row in range(before, count):
        nearby[state['nearby']] = row
        state['nearby'] += 1
    state['rows'] = count
    if learns_noise and matched > 0:
        state['noise'] += NOISE_GAIN * (MEAN_TO_SIGMA * error_sum / matched - noise)
    return near


@kernel
def _beam_positions(table, rows, x, y, first, step):
    """Return the fractional beam index (`look_up_beams`) and the distance [m] of points."""
    count = rows.size
    xs, ys, beam, distance = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    for m in range(count):
        xs[m], ys[m] = table[rows[m], X], table[rows[m], Y]
    look_up_beams(xs, ys, x, y, first, step, beam, distance)
    return beam, distance


@kernel
def _ends(ranges, cosines, sines, x, y, theta, range_min):
    """Return the ends of the beams, (n, 2) [m]."""
    cos, sin = math.cos(theta), math.sin(theta)
    ends = np.empty((ranges.size, 2))
    for i in range(ranges.size):
        r = _range_of(ranges[i], range_min)
        ends[i, 0] = x + r * (cos * cosines[i] - sin * sines[i])
        ends[i, 1] = y + r * (sin * cosines[i] + cos * sines[i])
    return ends


@kernel
def _measure_point(table, i, is_known, ranges, ends, beam, distance, width, per_turn, is_whole,
                   range_min, range_max, stamp, tolerance, most, clearing_time, scale, is_cone):
    """
    Update a point with the beam that points at it, if there is one.

    The point is at the fractional index ``beam`` and at ``distance`` [m]. Return the range error
    [m], or inf for a beam without information about the range noise.
    """
    k = int(beam + 0.5)
    if k >= ranges.size and beam >= per_turn - 0.5:
        beam, k = beam - per_turn, 0
    if k >= ranges.size:
        return np.inf
    lateral, is_within = scale * LATERAL_TOLERANCE, distance < range_max - tolerance
    _mark_measured_beams(is_known, ranges, width, is_whole, range_min, distance, k, lateral,
                         tolerance)
    r = _range_of(ranges[k], range_min)
    if abs(beam - k) * width * distance > lateral:
        if is_cone and is_within:
            _clear_in_cone(table, i, stamp, r, distance, scale)
        return np.inf
    passed = _apply_reading(table, i, stamp, r, distance, tolerance, most,
                            ends[k, 0] - table[i, X], ends[k, 1] - table[i, Y])
    _clear_if_passed(table, i, stamp, passed, is_within, clearing_time)
    error = abs(r - distance)
    return error if r > 0.0 and error <= MAX_TOLERANCE_FACTOR * scale * RANGE_TOLERANCE else np.inf


@kernel
def seen_through(points, ranges, x, y, first, step, range_min, range_max, noise):
    """Return which points (n, 2) [m] a scan has seen through, (n,) bool."""
    beam, distance = _beam_positions(points, np.arange(points.shape[0]), x, y, first, step)
    return _which_seen_through(ranges, beam, distance, beam_width(step), range_min, range_max,
                               noise)


@kernel
def _which_seen_through(ranges, beam, distance, width, range_min, range_max, noise):
    """Return which points a scan has seen through, (n,) bool; see `has_gone_through`."""
    through = np.empty(beam.size, dtype=np.bool_)
    side = max(SIDE_MARGIN, MAX_SIGMAS * noise)
    beyond, is_whole = max(CLEARING_MARGIN, 2.0 * MAX_SIGMAS * noise), is_full_turn(ranges.size,
                                                                                    width)
    for m in range(beam.size):
        through[m] = range_min <= distance[m] <= range_max - RANGE_END_MARGIN and has_gone_through(
            ranges, beam[m], distance[m], distance[m] + beyond, width, is_whole, side)
    return through


@kernel
def _clear_seen_through(table, rows, cleared, ranges, beam, distance, width, range_min, range_max,
                        noise):
    """Clear the points that a scan sees through if they are many; return their number."""
    through = _which_seen_through(ranges, beam, distance, width, range_min, range_max, noise)
    count = 0
    for m in range(rows.size):
        count += through[m]
    if count < MIN_CLEARED:
        return 0
    count = 0
    for m in range(rows.size):
        if through[m]:
            cleared[count, 0], cleared[count, 1] = table[rows[m], X], table[rows[m], Y]
            table[rows[m], X] = distance[m] = np.inf
            count += 1
    return count


@kernel
def _range_tolerance(noise, scale):
    """Return the maximum distance between a point and the end of a beam that measures it [m]."""
    return min(max(scale * RANGE_TOLERANCE, TOLERANCE_SIGMAS * noise),
               MAX_TOLERANCE_FACTOR * scale * RANGE_TOLERANCE)


@kernel
def _max_readings(noise):
    """Return the number of readings that a point averages."""
    return AVERAGED_READINGS * max(noise / LOW_NOISE, 1.0) ** 2


@kernel
def _add_new(table, count, is_known, near, near_count, stamp, ranges, ends, farthest, range_min,
             spacing, robot_x, robot_y, body_radius):
    """Append readings without a known point to the table, at most one per cell."""
    beams = ranges.size
    cells = np.empty(near_count + beams, dtype=np.int64)
    slots_used = cells[:0]
    for j in range(beams):
        if is_known[j] or not 0.0 < _range_of(ranges[j], range_min) <= farthest:
            continue
        if slots_used.size == 0:
            slots_used = _hash_table(near[:near_count], cells, spacing, near_count + beams)
        x, y = ends[j, 0], ends[j, 1]
        if (x - robot_x) ** 2 + (y - robot_y) ** 2 < body_radius * body_radius:
            continue
        cells[near_count] = _cell(x, y, spacing)
        if not _contains(slots_used, cells, near_count):
            near[near_count, 0], near[near_count, 1] = x, y
            table[count, X], table[count, Y] = x, y
            table[count, READINGS], table[count, PASSED_SINCE] = 1.0, np.inf
            table[count, FIRST_MEASURED] = table[count, LAST_MEASURED] = stamp
            near_count += 1
            count += 1
    return count, near[:near_count].copy()


@kernel
def _mark_measured_beams(is_known, ranges, width, is_whole, range_min, distance, k, lateral,
                         tolerance):
    """Mark the beams around beam ``k`` that have measured a point at this distance [m]."""
    beams = ranges.size
    around = min(int(lateral / (width * distance)), beams // 2)
    for j in range(k - around, k + around + 1):
        if is_whole:  # the index wraps around
            j += beams if j < 0 else (-beams if j >= beams else 0)
        if 0 <= j < beams and abs(_range_of(ranges[j], range_min) - distance) <= tolerance:
            is_known[j] = True


@kernel
def _apply_reading(table, i, stamp, r, distance, tolerance, most, to_x, to_y):
    """
    Update a point with a reading, and return whether the beam passes through it.

    ``distance`` [m] is that of the point, ``to_x`` and ``to_y`` the offset of the end of the beam
    from it; the point averages at most ``most`` readings.
    """
    if r > 0.0 and abs(r - distance) <= tolerance:
        readings = min(table[i, READINGS] + 1.0, most)
        table[i, READINGS] = readings
        table[i, X] += to_x / readings
        table[i, Y] += to_y / readings
        table[i, PASSED_SINCE] = np.inf
        table[i, LAST_MEASURED] = stamp
        return False
    if r > distance:
        table[i, PASSED_SINCE] = min(table[i, PASSED_SINCE], stamp)
        return True
    return False


@kernel
def _clear_if_passed(table, i, stamp, passed, is_within, clearing_time):
    """Clear a point that beams have passed through for ``clearing_time`` [s]."""
    # Near the maximum range, noise makes a beam report free space.
    if not is_within:
        table[i, PASSED_SINCE] = np.inf
    elif passed and stamp - table[i, PASSED_SINCE] >= clearing_time:
        table[i, X] = np.inf


@kernel
def _clear_in_cone(table, i, stamp, r, distance, scale):
    """
    Clear a point after the cone of a single ranger has been free behind it for a while.

    A ranger measures the nearest object in its cone, but not the bearing: the point is assumed on
    the axis and may be half a cone off. A cone that is free beyond the point shows that the object
    is elsewhere.
    """
    if r > distance + scale * CONE_MARGIN + CONE_NOISE * distance:
        table[i, PASSED_SINCE] = min(table[i, PASSED_SINCE], stamp)
        if stamp - table[i, PASSED_SINCE] >= CONE_CLEARING_TIME:
            table[i, X] = np.inf


@kernel
def _range_of(r, range_min):
    """Return the range of a reading [m]: -inf is an obstacle that is too near to measure."""
    return range_min if r == -np.inf else r


@kernel
def _hash_table(points, cells, spacing, capacity):
    """Return a hash table of the cells of points with a given capacity; write their numbers."""
    slots_used = np.full(_slots(capacity), -1)
    for i in range(points.shape[0]):
        cells[i] = _cell(points[i, 0], points[i, 1], spacing)
        _contains(slots_used, cells, i)
    return slots_used


@kernel
def _slots(count):
    """Return the size of a hash table for ``count`` entries, a power of 2."""
    slots = 64
    while slots < 2 * count:
        slots *= 2
    return slots


@kernel
def _cell(x, y, size):
    """Return the number of the cell of a point."""
    return int(math.floor(x / size)) * 1000003 + int(math.floor(y / size))


@kernel
def _contains(slots_used, cells, new):
    """Return whether a hash table contains ``cells[new]``; otherwise insert it."""
    slot = cells[new] & (slots_used.size - 1)
    while slots_used[slot] >= 0:
        if cells[slots_used[slot]] == cells[new]:
            return True
        slot = (slot + 1) & (slots_used.size - 1)
    slots_used[slot] = new
    return False
