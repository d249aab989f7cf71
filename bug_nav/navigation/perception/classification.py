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
The meaning of the ranges of a lidar: the first filter of a scan.

Where nothing is in range, drivers report +inf (REP-117), slightly more than the maximum range,
exactly the maximum range, NaN or 0.0. The message does not say which; the readings do:

- +inf means it, and so does a range that many beams of a scan repeat exactly, at the end of the
  range of the lidar: no wall is so round. `MIN_REPEATED` beams must repeat it, because some
  drivers set the maximum range to the largest reading of each scan.
- If a lidar reports free ranges so, its 0.0 and NaN are errors. Otherwise they may be either, and
  such a beam is a hole: it is unknown, and nothing blocks the robot there. A scan of holes is an
  empty place, unless obstacles were all around a moment before, or the lidar has never measured
  anything.
- Many lidars report no return also where they have lost a reading, on a dark or shiny wall. If
  they do so (`lost_readings`), or are said to (``unknown``), beams without a reading are holes.

A positive reading below `MIN_PLAUSIBLE` is an error code or uninitialized memory; other readings
below the minimum range are obstacles too near to measure.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.beams import TURN
from bug_nav.navigation.settings import NO_RETURNS
import numpy as np

MIN_USABLE = 0.05
"""Minimum share of beams without errors in a scan that is not empty."""
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
MIN_PLAUSIBLE = 0.02
"""Minimum range that a lidar can measure [m]: its own housing is wider."""
MIN_REPEATED, MIN_REPEATED_SHARE = 5, 0.02
"""Minimum number and share of the beams that repeat the reading of no return exactly."""
MIN_REPEATED_RANGE = 0.95
"""Minimum such reading [maximum ranges]."""

OK, ERRORS, COVERED, EMPTY, BLIND, LIFELESS = range(6)
"""
Results: usable; or unusable because of errors, a covered lidar, an empty scan, a blind lidar or
one that has never measured anything.
"""

AUTO, INF, NAN, ZERO, RANGE_MAX, UNKNOWN = range(len(NO_RETURNS))
"""Settings of no return."""

DIALECT = np.dtype([
    ('told', np.int64),  # index into `NO_RETURNS`
    ('has_free', bool),  # the lidar has reported free ranges
    ('has_measured', bool),  # it has measured something
    ('repeated', float),  # the finite range that means no return; NaN without one [m]
    ('lost', float),  # share of lost readings among those on walls, if reported as no return
    ('close', float),  # share of close readings in the newest usable scan
    ('heading', float),  # heading of the robot then (odometry frame) [rad]
    ('share', float),  # share of beams without errors in the newest scan
    ('near', float),  # share of beams below range_min
    ('blind', float)], align=True)  # widest run of errors in front [rad]


def initial_dialect(no_return: str = 'auto') -> np.ndarray:
    """Return what is known of a lidar without scans, a `DIALECT` (1,)."""
    dialect = np.zeros(1, DIALECT)
    dialect['told'], dialect['repeated'] = NO_RETURNS.index(no_return), math.nan
    dialect['has_free'] = no_return not in ('auto', 'unknown')
    return dialect


def begin_goal(dialect: np.ndarray) -> None:
    """Forget the newest scan: the robot may have been carried since."""
    dialect['close'] = 0.0


def describe(dialect: np.ndarray) -> str:
    """Return how a lidar reports no return, as far as it is known."""
    state = dialect[0]
    if state['told']:
        return f'{NO_RETURNS[state["told"]]}, as set'
    if state['lost']:
        return f'unknown, {100.0 * state["lost"]:.0f} % of the readings on walls are lost'
    if not math.isnan(state['repeated']):
        return f'{state["repeated"]:.4g} m'
    return 'inf or above range_max' if state['has_free'] else 'not seen, or 0.0 or NaN'


@kernel
def classify(raw, ranges, range_min, range_max, close, told=AUTO, repeated=math.nan):
    """
    Write ranges (n,) in the convention of REP-117; count free, near, measured and close ones.

    Free is +inf, ``repeated``, or above ``range_max`` up to `MAX_FREE` times that; near is -inf,
    or from `MIN_PLAUSIBLE` to ``range_min``; close is measured and below ``close`` [m]. All others
    are NaN, unless they are ``told`` to be no return. If that is unknown, none is free.
    """
    free = near = measured = close_count = 0
    largest = MAX_FREE * range_max
    for i in range(raw.size):
        r = raw[i]
        if told != UNKNOWN and (
                r == math.inf or range_max < r <= largest or r == repeated
                or told == NAN and r != r or told == ZERO and 0.0 <= r < MIN_PLAUSIBLE
                or told == RANGE_MAX and r == range_max):
            ranges[i] = math.inf
            free += 1
        elif r == -math.inf or MIN_PLAUSIBLE <= r < range_min:
            ranges[i] = r
            near += 1
        elif MIN_PLAUSIBLE <= r <= range_max:
            ranges[i] = r
            measured += 1
            close_count += r < close
        else:
            ranges[i] = math.nan
    return free, near, measured, close_count


@kernel
def repeated_range(raw, range_max):
    """
    Return the range that many beams of a scan repeat, which means no return, or NaN.

    Also return whether any is +inf.
    """
    largest, count, has_inf = 0.0, 0, False
    for i in range(raw.size):
        r = raw[i]
        has_inf = has_inf or r == math.inf
        if r == largest:
            count += 1
        elif largest < r <= MAX_FREE * range_max:
            largest, count = r, 1
    is_end = largest == range_max or (largest >= MIN_REPEATED_RANGE * range_max and not has_inf)
    enough = max(MIN_REPEATED, MIN_REPEATED_SHARE * raw.size)
    return (largest if is_end and count >= enough else math.nan), has_inf


@kernel
def classified(raw, ranges, beams, dialect, heading):
    """
    Classify the beams, and return whether the scan is usable or why it is not.

    ``heading`` [rad] is that of the robot in the odometry frame.
    """
    state, count = dialect[0], raw.size
    told = UNKNOWN if state['lost'] else state['told']
    if told == AUTO:
        repeated, has_inf = repeated_range(raw, beams.range_max)
        if repeated == repeated:
            state['repeated'] = repeated
        state['has_free'] = state['has_free'] or has_inf or repeated == repeated
    free, near, measured, close = classify(
        raw, ranges, beams.range_min, beams.range_max, CLOSE_SHARE * beams.range_max,
        told, state['repeated'])
    state['has_measured'] = state['has_measured'] or measured + near > 0
    state['share'], state['near'] = (free + near + measured) / count, near / count
    is_bare = state['share'] < MIN_USABLE
    if is_bare and state['has_free']:
        return ERRORS
    if (is_bare or measured + near == 0) and _shows_too_little(state, beams, count, heading):
        return EMPTY if state['has_measured'] else LIFELESS
    if state['near'] > MAX_NEAR:
        return COVERED
    if state['has_free'] and state['share'] < 1.0:
        state['blind'] = blind_ahead(ranges, beams.first, beams.step)
        if state['blind'] > MAX_BLIND:
            return BLIND
    state['close'], state['heading'] = close / count, heading
    return OK


@kernel
def _shows_too_little(state, beams, count, heading):
    """Return whether a scan without readings is an error, not a view of an empty place."""
    turned = abs((heading - state['heading'] + math.pi) % TURN - math.pi)
    # A lidar with a narrow view may have turned away from what it saw.
    gone = 0.0 if beams.is_whole else turned / (count * beams.width)
    return (state['close'] - gone > MIN_CLOSE
            or not (state['has_free'] or state['has_measured']))


@kernel
def blind_ahead(ranges, first, step):
    """Return the widest run of errors within `FRONT_HALF` of the heading [rad]."""
    count = ranges.size
    begin, rightmost = -1, math.inf
    for i in range(count):
        off = (first + i * step + math.pi) % TURN - math.pi
        if abs(off) <= FRONT_HALF and off < rightmost:
            begin, rightmost = i, off
    run = widest = 0
    for k in range(count if begin >= 0 else 0):
        i = (begin + k if step > 0.0 else begin - k) % count
        if abs((first + i * step + math.pi) % TURN - math.pi) > FRONT_HALF:
            break
        run = 0 if ranges[i] == ranges[i] else run + 1
        widest = max(widest, run)
    return widest * abs(step)
