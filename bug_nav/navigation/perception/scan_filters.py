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
The filter chain of a lidar scan: from reported ranges to reliable ones.

`filter_scan` classifies the beams (REP-117), removes the motion of the robot during the sweep
(deskewing), drops speckles, fills holes with earlier readings, and marks the beams that end where
an earlier scan saw free space. `bug_nav.navigation.perception.lidar_filter` owns its arrays.

*Classification.* Where nothing is in range, an LDS-01 reports 0.0, an LDS-02 reports NaN, and
others report +inf or slightly more than the maximum range. If a lidar has ever reported a free
range, its 0.0 and NaN are errors. Otherwise they may be either, and such a beam is a hole.

*Speckles.* Real lidars report obstacles that do not exist: 2 or 3 % of the beams end anywhere in
front of a wall, and a beam at an edge reports a range in between. An isolated reading is used once
it was there in three consecutive scans, as that of a thin pole is.

*Dynamic obstacles.* A reading at a place that an earlier beam passed through belongs to an object
that has moved or arrived.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.beam_lookup import beam_width, is_full_turn, look_up_beams, TURN
import numpy as np

MIN_USABLE = 0.05
"""Minimum share of beams without errors in a usable scan."""
MAX_NEAR = 0.9
"""Share of the beams below range_min above which the lidar is covered."""
FRONT_HALF = math.radians(45.0)
"""Maximum angle from the heading of the robot at which a lidar must not be blind [rad]."""
MAX_BLIND = math.radians(30.0)
"""Maximum blind angle there [rad]."""
MIN_CLOSE = 0.1
"""
Share of beams with a close reading in a scan, above which an empty scan that follows is an error.
"""
CLOSE_SHARE = 0.8
"""Maximum range of a close reading [maximum ranges]."""
MAX_FREE = 2.0
"""Maximum finite reading that is not an error [maximum ranges]."""
HOLE_FILL_TIME = 30.0
"""Time for which a hole is filled with the last reading there [s]."""

NEIGHBOUR_TOLERANCE, NEIGHBOUR_STEPS = 0.1, 4.0
"""Maximum difference between readings on the same surface [m, beam spacings]."""
MIN_NEIGHBOURS = 2
"""Minimum number of similar readings, among two on each side, of one that is no speckle."""
SPECKLE_SCANS = 3
"""Number of consecutive scans with a speckle after which it is used."""
SPECKLE_SHIFT, SPECKLE_SHIFT_SHARE = 0.1, 0.3
"""Maximum shift of a speckle from scan to scan [m, share of its range]."""

COMPARED_AGES = (0.05, 0.2, 0.5, 1.0)
"""Ages of the scans with which a scan is compared [passage_timeout]."""
KEPT_SCANS = 44
"""Number of earlier scans in memory: enough for the oldest age at half the youngest's step."""
PASS_MARGIN, NEAR, NEAR_PASS_MARGIN = 0.15, 0.7, 0.08
"""
Minimum distance behind a place at which a beam that passed through it ends [m].

Within the second distance of the lidar [m], the minimum is the third value [m], so that a person
who starts to walk is detected early.
"""
SIDE_MARGIN = 0.05
"""Distance from a place within which all beams must have passed through as well [m]."""
MAX_SIDE_BEAMS = 40
"""Maximum number of these beams on each side."""
RANGE_END_MARGIN = 0.2
"""Distance from the maximum range within which readings are not compared [m]."""
MAX_SIGMAS = 3.0
"""Maximum error of a reading [standard deviations]."""

OK, REPEATED, ERRORS, COVERED, EMPTY, BLIND = range(6)
"""
Results of the filters: usable; identical to the scan before; or unusable because of errors, a
covered lidar, an empty scan or a blind lidar.
"""

STATE = np.dtype([
    ('has_free', np.bool_),  # the lidar has reported free ranges
    ('close', np.float64),  # share of close readings in the newest usable scan
    ('share', np.float64),  # share of beams without errors in the newest scan
    ('near', np.float64),  # share of beams below range_min
    ('blind', np.float64),  # widest run of errors in front [rad]
    ('speckles', np.int64), ('hole_points', np.int64),
    ('previous', np.int64), ('previous_stamp', np.float64),  # beams of the scan before, its stamp
    ('stored', np.int64), ('written', np.int64),
    ('raw', np.int64),  # beams of the newest raw scan
    ('changed', np.int64)])  # beams that end where an earlier scan saw free space


class Lidar(NamedTuple):
    """The beam geometry of a lidar."""

    cos: np.ndarray
    """Cosine of the direction of each beam in the frame of the robot, (n,)."""
    sin: np.ndarray
    first: float
    """Direction of beam 0 in the frame of the robot [rad]."""
    step: float
    """Angle between two beams [rad]."""
    range_min: float
    range_max: float
    x: float
    """Position of the lidar in the frame of the robot [m]."""
    y: float


class Buffers(NamedTuple):
    """Data of earlier scans, with room for the largest scan of the lidar."""

    raw: np.ndarray
    """Unfiltered ranges of the newest scan (n,)."""
    xs: np.ndarray
    """Ends of the beams (n,) [m]."""
    ys: np.ndarray
    spacing: np.ndarray
    """Distance between the earlier beams that passed through each end (n,) [m], or inf."""
    speckles: np.ndarray
    """Speckles of the newest scan: place, number of scans, beam (n, 4)."""
    new_speckles: np.ndarray
    previous: np.ndarray
    """Ranges and ends of the scan before, without filled holes (3, n)."""
    hole_points: np.ndarray
    """Places that fill holes, and their stamps (m, 3)."""
    scans: np.ndarray
    """Ranges of earlier scans (KEPT_SCANS, n)."""
    poses: np.ndarray
    """Stamp, sensor x and y, direction of beam 0, step, number of beams (KEPT_SCANS, 6)."""


def make_buffers(beams: int, hole_points: int) -> Buffers:
    """Return buffers for a maximum number of beams and of points that fill holes."""
    return Buffers(np.zeros(beams), np.zeros(beams), np.zeros(beams), np.zeros(beams),
                   np.zeros((beams, 4)), np.zeros((beams, 4)), np.zeros((3, beams)),
                   np.zeros((hole_points, 3)), np.zeros((KEPT_SCANS, beams)),
                   np.zeros((KEPT_SCANS, 6)))


@kernel
def filter_scan(raw, ranges, lidar, buffers, states, odometry, corrected, moved, stamp, noise,
                passage_timeout, may_repeat):
    """
    Filter a scan and return one of the results from `OK` to `BLIND`.

    ``raw`` (n,) are the reported ranges and ``ranges`` (n,) the filtered ones (output).
    ``odometry`` is the pose (x, y, theta) of the robot at the end of the sweep, and ``moved`` the
    pose at its beginning in that frame. ``corrected`` is the pose at the end with the drift
    correction of the scan before. ``noise`` [m] is the standard deviation of a range.
    ``passage_timeout`` [s] is the age of the oldest scan that is compared; 0 for no comparison.
    ``may_repeat``: accept a scan that is identical to the one before.
    """
    state = states[0]
    verdict = _classified(raw, ranges, lidar, state)
    if verdict != OK:
        return verdict
    if not may_repeat and _is_repeated(raw, buffers.raw, state):
        return REPEATED
    for i in range(raw.size):
        buffers.raw[i] = raw[i]
    state['raw'] = raw.size
    if moved[0] != 0.0 or moved[1] != 0.0 or moved[2] != 0.0:
        deskew(ranges, lidar.first, lidar.step, lidar.x, lidar.y, moved[0], moved[1], moved[2])
    x, y = _write_ends(ranges, buffers, lidar, odometry)
    _drop_speckles(ranges, buffers, state, lidar.step, lidar.range_min)
    _fill_holes(ranges, buffers, state, lidar, x, y, odometry[2], stamp)
    state['changed'] = 0
    if passage_timeout > 0.0:
        x, y = _write_ends(ranges, buffers, lidar, corrected)
        state['changed'] = _compare_with_past(ranges, buffers, state, lidar, x, y,
                                              corrected[2] + lidar.first, stamp, noise,
                                              passage_timeout)
    return OK


@kernel
def _write_ends(ranges, buffers, lidar, pose):
    """Write the ends of the beams; return the position of the lidar [m]."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    x, y = pose[0] + cos * lidar.x - sin * lidar.y, pose[1] + sin * lidar.x + cos * lidar.y
    for i in range(ranges.size):
        r = max(ranges[i], lidar.range_min)
        buffers.xs[i] = x + r * (cos * lidar.cos[i] - sin * lidar.sin[i])
        buffers.ys[i] = y + r * (sin * lidar.cos[i] + cos * lidar.sin[i])
    return x, y


# ---- classification ----------------------------------------------------------------------------

@kernel
def classify(raw, ranges, range_min, range_max, close):
    """
    Write ranges (n,) in the convention of REP-117; count free, near, measured and close ones.

    Free is +inf, or above ``range_max`` up to `MAX_FREE` times that; near is -inf, or above 0 and
    below ``range_min``; close is measured and below ``close`` [m]. All others are NaN.
    """
    free = near = measured = close_count = 0
    largest = MAX_FREE * range_max
    for i in range(raw.size):
        r = raw[i]
        if r == math.inf or range_max < r <= largest:
            ranges[i] = math.inf
            free += 1
        elif r == -math.inf or 0.0 < r < range_min:
            ranges[i] = r
            near += 1
        elif 0.0 < r <= range_max:
            ranges[i] = r
            measured += 1
            close_count += r < close
        else:
            ranges[i] = math.nan
    return free, near, measured, close_count


@kernel
def _classified(raw, ranges, lidar, state):
    """Classify the beams, and return whether the scan is usable or why it is not."""
    count = raw.size
    free, near, measured, close_count = classify(raw, ranges, lidar.range_min, lidar.range_max,
                                                 CLOSE_SHARE * lidar.range_max)
    state['has_free'] = state['has_free'] or free > 0
    state['share'], state['near'] = (free + near + measured) / count, near / count
    if state['share'] < MIN_USABLE:
        return ERRORS
    if state['near'] > MAX_NEAR:
        return COVERED
    if state['close'] > MIN_CLOSE and measured + near == 0:
        return EMPTY
    if state['has_free'] and state['share'] < 1.0:
        state['blind'] = blind_ahead(ranges, lidar.first, lidar.step)
        if state['blind'] > MAX_BLIND:
            return BLIND
    state['close'] = close_count / count
    return OK


@kernel
def blind_ahead(ranges, first, step):
    """Return the widest run of errors within `FRONT_HALF` of the heading [rad]."""
    count, turn = ranges.size, 2.0 * math.pi
    begin, rightmost = -1, math.inf
    for i in range(count):
        off = (first + i * step + math.pi) % turn - math.pi
        if abs(off) <= FRONT_HALF and off < rightmost:
            begin, rightmost = i, off
    run = widest = 0
    for k in range(count if begin >= 0 else 0):
        i = (begin + k if step > 0.0 else begin - k) % count
        if abs((first + i * step + math.pi) % turn - math.pi) > FRONT_HALF:
            break
        run = 0 if ranges[i] == ranges[i] else run + 1
        widest = max(widest, run)
    return widest * abs(step)


@kernel
def _is_repeated(raw, before, state):
    """Return whether a scan is bitwise identical to the one before."""
    if raw.size != state['raw']:
        return False
    for i in range(raw.size):
        if raw[i] != before[i] and (raw[i] == raw[i] or before[i] == before[i]):
            return False
    return True


# ---- the motion of the robot during a sweep ----------------------------------------------------

@kernel
def deskew(ranges, first, step, mount_x, mount_y, x, y, theta):
    """
    Replace ranges by those of a lidar that measures all beams at the end of the sweep.

    ``x, y, theta`` [m, rad] is the pose at the first beam in the frame of the pose at the last;
    ``first`` [rad] and ``mount_*`` [m] are as in `Lidar`. A direction without a beam becomes
    unknown; of two beams in one direction the nearer reading counts.
    """
    count, turn, size = ranges.size, 2.0 * math.pi, abs(step)
    seen = np.full(count, math.nan)
    for i in range(count):
        r = ranges[i]
        if r != r or r == 0.0:
            continue
        share = 1.0 - i / (count - 1)
        turned = share * theta
        heading = turned + first + i * step
        if 0.0 < r < math.inf:
            cos, sin = math.cos(turned), math.sin(turned)
            dx = (share * x + cos * mount_x - sin * mount_y + r * math.cos(heading) - mount_x)
            dy = (share * y + sin * mount_x + cos * mount_y + r * math.sin(heading) - mount_y)
            heading, r = math.atan2(dy, dx), math.hypot(dx, dy)
        ahead = math.copysign(1.0, step) * (heading - first)
        # Rounding must not move a reading just before the first beam by a full turn.
        k = int(np.rint(((ahead + 1e-6) % turn - 1e-6) / size))
        if k < count and not seen[k] <= r:
            seen[k] = r
    for i in range(count):
        ranges[i] = seen[i]


# ---- speckles ----------------------------------------------------------------------------------

@kernel
def is_speckle(ranges, i, step):
    """Return whether too few neighbouring readings are similar to one."""
    r = ranges[i]
    if not r < math.inf:
        return False
    tolerance = max(NEIGHBOUR_TOLERANCE, NEIGHBOUR_STEPS * abs(step) * r)
    neighbours, count = 0, ranges.size
    for off in (-2, -1, 1, 2):
        j = i + off
        if j < 0 or j >= count:
            j %= count
        neighbours += ranges[j] == r or abs(ranges[j] - r) <= tolerance
    return neighbours < MIN_NEIGHBOURS


@kernel
def _drop_speckles(ranges, buffers, state, step, range_min):
    """Set speckles to unknown that were not in enough scans."""
    found = 0
    for i in range(ranges.size):
        if not is_speckle(ranges, i, step):
            continue
        within = min(SPECKLE_SHIFT, SPECKLE_SHIFT_SHARE * max(ranges[i], range_min))
        times = 0.0
        for k in range(state['speckles']):
            if math.hypot(buffers.xs[i] - buffers.speckles[k, 0],
                          buffers.ys[i] - buffers.speckles[k, 1]) <= within:
                times = max(times, buffers.speckles[k, 2])
        new = buffers.new_speckles[found]
        new[0], new[1], new[2], new[3] = buffers.xs[i], buffers.ys[i], times + 1.0, i
        found += 1
    for k in range(found):
        for column in range(4):
            buffers.speckles[k, column] = buffers.new_speckles[k, column]
        if buffers.speckles[k, 2] < SPECKLE_SCANS:
            ranges[int(buffers.speckles[k, 3])] = math.nan
    state['speckles'] = found


# ---- holes -------------------------------------------------------------------------------------

@kernel
def _fill_holes(ranges, buffers, state, lidar, sensor_x, sensor_y, theta, stamp):
    """Fill unknown beams with the last readings in their directions."""
    count, holes = ranges.size, 0
    for i in range(count):
        holes += ranges[i] != ranges[i]
    unfilled = ranges
    if holes:
        unfilled = ranges.copy()
        _fill_from_points(unfilled, ranges, buffers, state, lidar, sensor_x, sensor_y, theta,
                          stamp)
    else:
        state['hole_points'] = 0
    for i in range(count):
        buffers.previous[0, i] = unfilled[i]
        buffers.previous[1, i], buffers.previous[2, i] = buffers.xs[i], buffers.ys[i]
    state['previous'], state['previous_stamp'] = count, stamp


@kernel
def _fill_from_points(unfilled, ranges, buffers, state, lidar, sensor_x, sensor_y, theta, stamp):
    """
    Fill the holes of a scan from the stored points, to which the scan before adds its own.

    ``unfilled`` (n,) are the ranges with holes, and ``ranges`` those that are written.
    """
    count, hole_points, found = ranges.size, buffers.hole_points, state['hole_points']
    for i in range(state['previous']):
        if buffers.previous[0, i] <= lidar.range_max:
            hole_points[found, 0] = buffers.previous[1, i]
            hole_points[found, 1] = buffers.previous[2, i]
            hole_points[found, 2] = state['previous_stamp']
            found += 1
    position, distance = np.empty(found), np.empty(found)
    look_up_beams(hole_points[:, 0], hole_points[:, 1], sensor_x, sensor_y, theta + lidar.first,
                  lidar.step, position, distance)
    left, beams = 0, TURN / beam_width(lidar.step)
    for k in range(found):
        beam = int(position[k] + 0.5) if position[k] + 0.5 < beams else 0
        if (beam < count and unfilled[beam] != unfilled[beam] and distance[k] <= lidar.range_max
                and stamp - hole_points[k, 2] < HOLE_FILL_TIME):
            r = max(distance[k], lidar.range_min)
            if not ranges[beam] <= r:
                ranges[beam] = r
            for column in range(3):
                hole_points[left, column] = hole_points[k, column]
            left += 1
    state['hole_points'] = left


# ---- comparison with earlier scans --------------------------------------------------------------

@kernel
def has_gone_through(past, beam, distance, min_range, width, is_whole, side):
    """
    Return whether a scan passed through a place.

    The place is at the fractional index ``beam`` (`look_up_beams`) of a scan with ranges ``past``
    (m,), ``width`` [rad] apart; ``is_whole``: they cover a full turn. The beams within ``side``
    [m] of the place, which is at ``distance`` [m], must be longer than ``min_range`` [m].
    """
    count, k = past.size, int(beam + 0.5)
    if k >= count:
        if not is_whole:
            return False
        k = 0
    if not past[k] > min_range:
        return False
    beside = min(1 + int(side / (width * distance)), MAX_SIDE_BEAMS)
    for j in range(k - beside, k + beside + 1):
        if is_whole:
            j += count if j < 0 else (-count if j >= count else 0)
        if not (0 <= j < count and past[j] > min_range):
            return False
    return True


@kernel
def _compare_with_past(ranges, buffers, state, lidar, sensor_x, sensor_y, first, stamp, noise,
                       timeout):
    """Mark and count beams that end where earlier scans saw free space; store the scan."""
    count = ranges.size
    buffers.spacing[:count] = math.inf
    poses = buffers.poses
    oldest = state['written'] - state['stored']
    while state['stored'] > 1 and poses[(oldest + 1) % KEPT_SCANS, 0] <= stamp - timeout:
        oldest, state['stored'] = oldest + 1, state['stored'] - 1
    age, number = 0, state['written'] - 1
    beam, distance = np.empty(count), np.empty(count)
    while number >= oldest:
        # The youngest scan of each age, and the oldest of all.
        if number > oldest and not (age < len(COMPARED_AGES) and poses[number % KEPT_SCANS, 0]
                                    <= stamp - COMPARED_AGES[age] * timeout + 1e-6):
            number -= 1
            continue
        pose = poses[number % KEPT_SCANS]
        while age < len(COMPARED_AGES) and pose[0] <= stamp - COMPARED_AGES[age] * timeout + 1e-6:
            age += 1
        look_up_beams(buffers.xs, buffers.ys, pose[1], pose[2], pose[3], pose[4], beam, distance)
        _mark_new(ranges, buffers, buffers.scans[number % KEPT_SCANS, :int(pose[5])], beam,
                  distance, lidar, beam_width(pose[4]), noise)
        number -= 1
    _store(ranges, buffers, state, sensor_x, sensor_y, first, lidar.step, stamp,
           0.5 * COMPARED_AGES[0] * timeout)
    found = 0
    for i in range(count):
        found += buffers.spacing[i] < math.inf
    return found


@kernel
def _mark_new(ranges, buffers, past, beam, distance, lidar, width, noise):
    """Mark beams that end where one earlier scan saw free space, see `has_gone_through`."""
    side, margin = max(SIDE_MARGIN, MAX_SIGMAS * noise), 2.0 * MAX_SIGMAS * noise
    beyond = max(PASS_MARGIN, margin)
    close = min(max(NEAR_PASS_MARGIN, margin), beyond)
    least, most, is_whole = lidar.range_min, lidar.range_max, is_full_turn(past.size, width)
    for i in range(ranges.size):
        margin = close if distance[i] < NEAR else beyond
        if (least < ranges[i] <= most and least <= distance[i] <= most - RANGE_END_MARGIN
                and has_gone_through(past, beam[i], distance[i], distance[i] + margin, width,
                                     is_whole, side)):
            buffers.spacing[i] = min(buffers.spacing[i], width * distance[i])


@kernel
def _store(ranges, buffers, state, sensor_x, sensor_y, first, step, stamp, least):
    """Store a scan for later comparisons, at most one per ``least`` [s]."""
    if state['stored'] > 0:
        newest = buffers.poses[(state['written'] - 1) % KEPT_SCANS, 0]
        if 0.0 <= stamp - newest < least:
            return
        if stamp < newest:
            state['stored'] = 0
    row = state['written'] % KEPT_SCANS
    pose = buffers.poses[row]
    pose[0], pose[1], pose[2] = stamp, sensor_x, sensor_y
    pose[3], pose[4], pose[5] = first, step, ranges.size
    for i in range(ranges.size):
        buffers.scans[row, i] = ranges[i]
    state['written'] += 1
    state['stored'] += 1
