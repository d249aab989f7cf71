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
One pass over a scan: from what a lidar reports to ranges that can be relied on.

`sweep` classifies the beams (REP-117), takes back the motion of the robot during the sweep, drops
speckles, fills holes with what was seen there last, and finds the beams that end where an earlier
scan has seen nothing. `bug_nav.navigation.perception.lidar_sweep` owns its arrays.

*Dialects.* An LDS-01 reports 0.0 and an LDS-02 NaN where nothing is seen, others +inf or just
above the largest range. A lidar that has used a free reading once means an error when it reports
0.0 or NaN. Of a lidar that never has, either may be meant: such a beam is a hole.

*Speckles.* Real lidars measure obstacles that do not exist: two or three of a hundred beams end
anywhere in front of a wall, and a beam at an edge reports something in between. A reading without
neighbours is used once it was there on three scans in a row: a thin pole is.

*Dynamic obstacles.* A reading where an earlier beam went on through the place is of something
that has moved or has come.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.directions import beam_width, is_full_turn, look_up, TURN
import numpy as np

USABLE = 0.05
"""Least share of the beams that report something in a usable scan."""
COVERED = 0.9
"""Share of the beams below range_min from which on something covers the lidar."""
AHEAD = math.radians(45.0)
"""A lidar must not be blind this far to either side of the robot's heading [rad] ..."""
HOLE = math.radians(30.0)
"""... over more than this angle [rad]."""
SEEN = 0.1
"""After a scan in which more than this share of the beams saw something near by, an empty one is
an error."""
WITHIN = 0.8
"""Distance that is near by in this sense [largest ranges]."""
LARGEST = 2.0
"""A finite reading beyond this is an error [largest ranges]."""
LASTS = 30.0
"""Time for which a hole is filled with what was seen there last [s]."""

LIKE, STEPS = 0.1, 4.0
"""Largest difference between readings of one thing [m, steps from beam to beam]."""
COMPANY = 2
"""A reading with fewer like it among the two on each side is a speckle ..."""
TIMES = 3
"""... until it was seen on this many scans in a row ..."""
AGAIN, NEARBY = 0.1, 0.3
"""... no farther than this from where it was [m, share of its range]."""

SHARES = (0.05, 0.2, 0.5, 1.0)
"""Ages of the scans that a scan is compared with [passage_timeout]."""
LOOKS = 44
"""Number of earlier scans that are kept: enough for the oldest age at half the youngest's step."""
BEYOND, NEAR, NEAR_BEYOND = 0.15, 0.7, 0.08
"""
A beam went through a place if it ends this far behind it [m]; nearer to the lidar than the second
[m] the third is enough: there it matters how soon somebody is seen to set out.
"""
SIDE = 0.05
"""Beams that pass a place this near by must have gone through as well [m] ..."""
MOST_BESIDE = 40
"""... up to this many on each side."""
AT_END = 0.2
"""Nothing is compared this near to the end of the range [m]."""
DEVIATIONS = 3.0
"""Largest error of a reading [standard deviations]."""

OK, SAME, ERRORS, COVER, NOTHING, BLIND = range(6)
"""How a pass ended: the scan is usable; it repeats the one before to the bit; or it is unusable:
beams that are errors, something that covers the lidar, an empty scan, a lidar that is blind."""

STATE = np.dtype([
    ('has_free', np.bool_),  # the lidar has a word of its own for "nothing there"
    ('close', np.float64),  # share of the newest usable scan's beams that saw something near by
    ('share', np.float64),  # share of the newest scan's beams that are no errors
    ('near', np.float64),  # share of them that are below range_min
    ('blind', np.float64),  # widest run of errors ahead [rad]
    ('speckles', np.int64), ('images', np.int64),
    ('previous', np.int64), ('previous_stamp', np.float64),  # beams of the scan before, its stamp
    ('looks', np.int64), ('written', np.int64),
    ('raw', np.int64),  # beams of the newest raw scan
    ('compared', np.int64)])  # beams that end where an earlier scan has seen nothing


class Lidar(NamedTuple):
    """How the beams of a scan are arranged."""

    cos: np.ndarray
    """Of each beam's direction in the robot's frame, (n,)."""
    sin: np.ndarray
    first: float
    """Direction of beam 0 in the robot's frame [rad]."""
    step: float
    """Angle from beam to beam [rad]."""
    range_min: float
    range_max: float
    x: float
    """Of the lidar in the robot's frame [m]."""
    y: float


class Buffers(NamedTuple):
    """What a lidar has seen, with room for the largest of its scans."""

    raw: np.ndarray
    """Of the newest scan, as it came (n,)."""
    xs: np.ndarray
    """Ends of the beams (n,) [m]."""
    ys: np.ndarray
    apart: np.ndarray
    """Distance between the beams of an earlier scan that went through there (n,) [m], or inf."""
    speckles: np.ndarray
    """Places of the newest scan's speckles, on how many scans each was seen, its beam (n, 4)."""
    new_speckles: np.ndarray
    previous: np.ndarray
    """Ranges and ends of the scan before, without what filled its holes (3, n)."""
    images: np.ndarray
    """Places that fill holes, and their stamps (m, 3)."""
    looks: np.ndarray
    """Ranges of earlier scans (LOOKS, n)."""
    poses: np.ndarray
    """Of each: stamp, sensor's x and y, direction of beam 0, step, number of beams (LOOKS, 6)."""


def buffers(beams: int, images: int) -> Buffers:
    """Return buffers for scans of up to so many beams, and for so many images."""
    return Buffers(np.zeros(beams), np.zeros(beams), np.zeros(beams), np.zeros(beams),
                   np.zeros((beams, 4)), np.zeros((beams, 4)), np.zeros((3, beams)),
                   np.zeros((images, 3)), np.zeros((LOOKS, beams)), np.zeros((LOOKS, 6)))


@kernel
def sweep(raw, ranges, lidar, kept, states, odometry, corrected, moved, stamp, noise, waited,
          may_repeat):
    """
    Pass over a scan; return how it ended.

    ``raw`` (n,) are the ranges as they came and ``ranges`` (n,) those that are written.
    ``odometry`` is the robot's pose (x, y, theta) at the end of the sweep, and ``moved`` the pose
    at the beginning in that frame. ``corrected`` is the pose at the end where drift is corrected
    as for the scan before. ``noise`` [m] is the standard deviation of a range. With ``waited``
    [s], the age of the oldest scan, of 0 nothing is compared. ``may_repeat``: a scan that repeats
    the one before is usable.
    """
    state = states[0]
    verdict = _classified(raw, ranges, lidar, state)
    if verdict != OK:
        return verdict
    if not may_repeat and _is_same(raw, kept.raw, state):
        return SAME
    for i in range(raw.size):
        kept.raw[i] = raw[i]
    state['raw'] = raw.size
    if moved[0] != 0.0 or moved[1] != 0.0 or moved[2] != 0.0:
        undistort(ranges, lidar.first, lidar.step, lidar.x, lidar.y, moved[0], moved[1], moved[2])
    x, y = _write_ends(ranges, kept, lidar, odometry)
    _drop_speckles(ranges, kept, state, lidar.step, lidar.range_min)
    _fill_holes(ranges, kept, state, lidar, x, y, odometry[2], stamp)
    state['compared'] = 0
    if waited > 0.0:
        x, y = _write_ends(ranges, kept, lidar, corrected)
        state['compared'] = _compare(ranges, kept, state, lidar, x, y, corrected[2] + lidar.first,
                                     stamp, noise, waited)
    return OK


@kernel
def _write_ends(ranges, kept, lidar, pose):
    """Write where the beams end; return the place of the lidar [m]."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    x, y = pose[0] + cos * lidar.x - sin * lidar.y, pose[1] + sin * lidar.x + cos * lidar.y
    for i in range(ranges.size):
        r = max(ranges[i], lidar.range_min)
        kept.xs[i] = x + r * (cos * lidar.cos[i] - sin * lidar.sin[i])
        kept.ys[i] = y + r * (sin * lidar.cos[i] + cos * lidar.sin[i])
    return x, y


# ---- classification ----------------------------------------------------------------------------

@kernel
def classify(raw, ranges, range_min, range_max, close):
    """
    Write ranges (n,) in REP-117's convention; return how many are free, near, measured and close.

    Free is +inf, or beyond ``range_max`` and not beyond `LARGEST` times it; near is -inf, or not 0
    and below ``range_min``; close is measured and below ``close`` [m]. All else is NaN.
    """
    free = near = measured = closer = 0
    largest = LARGEST * range_max
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
            closer += r < close
        else:
            ranges[i] = math.nan
    return free, near, measured, closer


@kernel
def _classified(raw, ranges, lidar, state):
    """Classify the beams, and return whether the scan is usable or why it is not."""
    count = raw.size
    free, near, measured, closer = classify(raw, ranges, lidar.range_min, lidar.range_max,
                                            WITHIN * lidar.range_max)
    state['has_free'] = state['has_free'] or free > 0
    state['share'], state['near'] = (free + near + measured) / count, near / count
    if state['share'] < USABLE:
        return ERRORS
    if state['near'] > COVERED:
        return COVER
    if state['close'] > SEEN and measured + near == 0:
        return NOTHING
    if state['has_free'] and state['share'] < 1.0:
        state['blind'] = blind_ahead(ranges, lidar.first, lidar.step)
        if state['blind'] > HOLE:
            return BLIND
    state['close'] = closer / count
    return OK


@kernel
def blind_ahead(ranges, first, step):
    """Return the widest run of errors within `AHEAD` of the robot's heading [rad]."""
    count, turn = ranges.size, 2.0 * math.pi
    begin, rightmost = -1, math.inf
    for i in range(count):
        off = (first + i * step + math.pi) % turn - math.pi
        if abs(off) <= AHEAD and off < rightmost:
            begin, rightmost = i, off
    run = widest = 0
    for k in range(count if begin >= 0 else 0):
        i = (begin + k if step > 0.0 else begin - k) % count
        if abs((first + i * step + math.pi) % turn - math.pi) > AHEAD:
            break
        run = 0 if ranges[i] == ranges[i] else run + 1
        widest = max(widest, run)
    return widest * abs(step)


@kernel
def _is_same(raw, before, state):
    """Tell whether a scan repeats the one before to the bit."""
    if raw.size != state['raw']:
        return False
    for i in range(raw.size):
        if raw[i] != before[i] and (raw[i] == raw[i] or before[i] == before[i]):
            return False
    return True


# ---- the motion of the robot during a sweep ----------------------------------------------------

@kernel
def undistort(ranges, first, step, mount_x, mount_y, x, y, theta):
    """
    Replace ranges by those of a lidar that measures all at once, at the end of the sweep.

    ``x, y, theta`` [m, rad] is the pose at the first beam in the frame of the one at the last;
    ``first`` [rad] and ``mount_*`` [m] are as in `Lidar`. A direction into which no beam looks any
    more is unknown, and of two the nearer counts.
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
        # Rounding must not take what is just before the first beam once around.
        k = int(np.rint(((ahead + 1e-6) % turn - 1e-6) / size))
        if k < count and not seen[k] <= r:
            seen[k] = r
    for i in range(count):
        ranges[i] = seen[i]


# ---- speckles ----------------------------------------------------------------------------------

@kernel
def is_speckle(ranges, i, step):
    """Tell whether too few of the readings beside one are like it."""
    r = ranges[i]
    if not r < math.inf:
        return False
    like, company, count = max(LIKE, STEPS * abs(step) * r), 0, ranges.size
    for off in (-2, -1, 1, 2):
        j = i + off
        if j < 0 or j >= count:
            j %= count
        company += ranges[j] == r or abs(ranges[j] - r) <= like
    return company < COMPANY


@kernel
def _drop_speckles(ranges, kept, state, step, range_min):
    """Make speckles unknown that were not seen often enough."""
    found = 0
    for i in range(ranges.size):
        if not is_speckle(ranges, i, step):
            continue
        within = min(AGAIN, NEARBY * max(ranges[i], range_min))
        times = 0.0
        for k in range(state['speckles']):
            if math.hypot(kept.xs[i] - kept.speckles[k, 0],
                          kept.ys[i] - kept.speckles[k, 1]) <= within:
                times = max(times, kept.speckles[k, 2])
        new = kept.new_speckles[found]
        new[0], new[1], new[2], new[3] = kept.xs[i], kept.ys[i], times + 1.0, i
        found += 1
    for k in range(found):
        for column in range(4):
            kept.speckles[k, column] = kept.new_speckles[k, column]
        if kept.speckles[k, 2] < TIMES:
            ranges[int(kept.speckles[k, 3])] = math.nan
    state['speckles'] = found


# ---- holes -------------------------------------------------------------------------------------

@kernel
def _fill_holes(ranges, kept, state, lidar, sensor_x, sensor_y, theta, stamp):
    """Let unknown beams report what was seen last in their directions."""
    count, holes = ranges.size, 0
    for i in range(count):
        holes += ranges[i] != ranges[i]
    own = ranges
    if holes:
        own = ranges.copy()
        _look_up(own, ranges, kept, state, lidar, sensor_x, sensor_y, theta, stamp)
    else:
        state['images'] = 0
    for i in range(count):
        kept.previous[0, i] = own[i]
        kept.previous[1, i], kept.previous[2, i] = kept.xs[i], kept.ys[i]
    state['previous'], state['previous_stamp'] = count, stamp


@kernel
def _look_up(own, ranges, kept, state, lidar, sensor_x, sensor_y, theta, stamp):
    """
    Fill the holes of a scan from the images, to which the scan before adds its points.

    ``own`` (n,) are the ranges with their holes, and ``ranges`` those that are written.
    """
    count, images, found = ranges.size, kept.images, state['images']
    for i in range(state['previous']):
        if kept.previous[0, i] <= lidar.range_max:
            images[found, 0], images[found, 1] = kept.previous[1, i], kept.previous[2, i]
            images[found, 2] = state['previous_stamp']
            found += 1
    at, away = np.empty(found), np.empty(found)
    look_up(images[:, 0], images[:, 1], sensor_x, sensor_y, theta + lidar.first, lidar.step, at,
            away)
    left, beams = 0, TURN / beam_width(lidar.step)
    for k in range(found):
        beam = int(at[k] + 0.5) if at[k] + 0.5 < beams else 0
        if (beam < count and own[beam] != own[beam] and away[k] <= lidar.range_max
                and stamp - images[k, 2] < LASTS):
            r = max(away[k], lidar.range_min)
            if not ranges[beam] <= r:
                ranges[beam] = r
            for column in range(3):
                images[left, column] = images[k, column]
            left += 1
    state['images'] = left


# ---- what an earlier scan has seen through -----------------------------------------------------

@kernel
def has_gone_through(past, at, away, behind, width, is_whole, side):
    """
    Tell whether a scan has gone through a place that is ``at`` among its beams (`look_up`).

    ``past`` (m,) are its ranges, ``width`` [rad] apart; ``is_whole``: they are a full turn. The
    beams that pass ``side`` [m] beside the place, which is ``away`` [m], have to be longer than
    ``behind`` [m].
    """
    count, k = past.size, int(at + 0.5)
    if k >= count:
        if not is_whole:
            return False
        k = 0
    if not past[k] > behind:
        return False
    beside = min(1 + int(side / (width * away)), MOST_BESIDE)
    for j in range(k - beside, k + beside + 1):
        if is_whole:
            j += count if j < 0 else (-count if j >= count else 0)
        if not (0 <= j < count and past[j] > behind):
            return False
    return True


@kernel
def _compare(ranges, kept, state, lidar, sensor_x, sensor_y, first, stamp, noise, waited):
    """Write which beams end where earlier scans have seen nothing; return how many, keep it."""
    count = ranges.size
    kept.apart[:count] = math.inf
    poses = kept.poses
    oldest = state['written'] - state['looks']
    while state['looks'] > 1 and poses[(oldest + 1) % LOOKS, 0] <= stamp - waited:
        oldest, state['looks'] = oldest + 1, state['looks'] - 1
    wanted, number = 0, state['written'] - 1
    at, away = np.empty(count), np.empty(count)
    while number >= oldest:
        # The youngest of each age, and the oldest of all: what is younger has been seen, too.
        if number > oldest and not (wanted < len(SHARES) and poses[number % LOOKS, 0]
                                    <= stamp - SHARES[wanted] * waited + 1e-6):
            number -= 1
            continue
        look = poses[number % LOOKS]
        while wanted < len(SHARES) and look[0] <= stamp - SHARES[wanted] * waited + 1e-6:
            wanted += 1
        look_up(kept.xs, kept.ys, look[1], look[2], look[3], look[4], at, away)
        _mark_new(ranges, kept, kept.looks[number % LOOKS, :int(look[5])], at, away, lidar,
                  beam_width(look[4]), noise)
        number -= 1
    _keep(ranges, kept, state, sensor_x, sensor_y, first, lidar.step, stamp,
          0.5 * SHARES[0] * waited)
    found = 0
    for i in range(count):
        found += kept.apart[i] < math.inf
    return found


@kernel
def _mark_new(ranges, kept, past, at, away, lidar, width, noise):
    """Mark the beams that end where an earlier scan has seen nothing, see `has_gone_through`."""
    side, most = max(SIDE, DEVIATIONS * noise), 2.0 * DEVIATIONS * noise
    beyond = max(BEYOND, most)
    close = min(max(NEAR_BEYOND, most), beyond)
    least, most, is_whole = lidar.range_min, lidar.range_max, is_full_turn(past.size, width)
    for i in range(ranges.size):
        if (least < ranges[i] <= most and least <= away[i] <= most - AT_END and has_gone_through(
                past, at[i], away[i], away[i] + (close if away[i] < NEAR else beyond), width,
                is_whole, side)):
            kept.apart[i] = min(kept.apart[i], width * away[i])


@kernel
def _keep(ranges, kept, state, sensor_x, sensor_y, first, step, stamp, least):
    """Keep a scan to compare later ones with; of a fast lidar not each (``least`` [s])."""
    if state['looks'] > 0:
        newest = kept.poses[(state['written'] - 1) % LOOKS, 0]
        if 0.0 <= stamp - newest < least:
            return
        if stamp < newest:
            state['looks'] = 0
    row = state['written'] % LOOKS
    look = kept.poses[row]
    look[0], look[1], look[2] = stamp, sensor_x, sensor_y
    look[3], look[4], look[5] = first, step, ranges.size
    for i in range(ranges.size):
        kept.looks[row, i] = ranges[i]
    state['written'] += 1
    state['looks'] += 1
