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
Wheels that slip: the robot is held while odometry says that it moves.

If a carpet, a cable, a step or a low obstacle holds the robot, or if it is lifted, odometry takes
it to any goal, but the scans stay the same. Scans before and after a motion by odometry are
compared beam by beam, as if the robot had moved, had only turned, or neither. A motion that
changes no scan shows nothing: where nothing is in range, along a smooth corridor, and in the
middle of a round room. Beside a person who walks along, the scans stay the same too: surfaces that
are wider than a person show a held robot, and all others only that it may be held.

Readings count as they were measured, because the filters correct them with odometry.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional, Tuple

from bug_nav.navigation.compiled import composed, inverted, kernel
from bug_nav.navigation.geometry import wrap
from bug_nav.navigation.perception.beams import beams_of, fast_atan2, TURN
from bug_nav.navigation.perception.sensor_queue import Placed
import numpy as np

DRIVE, TURNED = 0.3, 0.5
"""Distance and turn by odometry after which a scan is compared [m, rad]."""
LAST_DRIVE, LAST_SHARE = 0.15, 0.4
"""
At the goal, minimum distance from the earlier scan [m], and `CLEAR_SHARE` of the only comparison.
"""
MAX_AGE = 10.0
"""Maximum time between two compared scans [s]."""
MAX_RESIDUAL = 0.3
"""Maximum residual of a reading [m]; more is another surface."""
MIN_RESIDUAL, CLEAR_SHARE = 0.06, 0.5
"""
Of a held robot, minimum mean residual if it had moved [m], and maximum share of that if it had
not.
"""
HEADING_ERRORS = tuple(math.radians(angle) for angle in (
    0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 8, -8, 10, -10, 12, -12))
"""Errors of the turn by odometry, none of which may explain the scans [rad]."""
MAX_ERROR_OF_ALL = math.radians(6.1)
"""Maximum such error with all surfaces: in a row of posts, larger ones explain any scan [rad]."""
MAX_READINGS, MIN_COMPARED, MIN_COMPARED_SHARE = 180, 20, 0.5
"""
Number of readings of a scan that suffices; minimum number of compared ones, and minimum share of
them among those measured.
"""
PERSON_WIDTH = 0.7
"""Maximum width of an object that may be a person, and walk along with the robot [m]."""
MAX_STEP, MAX_STEP_SHARE = 0.1, 0.1
"""Maximum distance between neighbours on a surface [m, share of the range]."""
MAX_SHARE = 0.9
"""Maximum distance of a place that is free where there is no return [maximum ranges]."""
MIN_SCANS = 3
"""Number of scans that must show a held robot, without one in between that shows a motion."""
HELD, TURNED_ONLY, MOVED = range(3)
"""Hypotheses about the motion of the robot between two scans."""
WIDE, ALL = range(2)
"""Compared surfaces: those that are wider than a person, or all."""


class _Reference(NamedTuple):
    """A scan with its ranges as they were measured, (n,) [m]."""

    placed: Placed
    ranges: np.ndarray


class _Tally:
    """The scans that show a held robot, since the last one that shows a motion."""

    def __init__(self) -> None:
        """Start without scans."""
        self.scans = 0
        self.driven = self.turned = 0.0
        """The motion by odometry meanwhile [m, rad]."""

    def add(self, driven: float, turned: float) -> None:
        """Add a scan, and the motion by odometry before it [m, rad]."""
        self.scans, self.driven, self.turned = (
            self.scans + 1, self.driven + driven, self.turned + turned)

    def __str__(self) -> str:
        """Return the reason in one sentence; empty without scans."""
        return (f'by odometry, the robot moved by {self.driven:.1f} m and turned by '
                f'{math.degrees(self.turned):.0f} degrees, but the scans show no motion: it is '
                'held, or its wheels slip') if self.scans else ''


class SlipCheck:
    """Compares scans before and after a motion by odometry."""

    def __init__(self, readings: np.ndarray, self_radius: float):
        """
        Start without scans.

        ``readings`` is how the lidar reports no return, a `classification.DIALECT` (1,). Readings
        within ``self_radius`` [m] are of the robot itself.
        """
        self._readings, self._self_radius = readings, self_radius
        self._past: Optional[_Reference] = None
        self._newest: Optional[_Reference] = None
        self._last: Tuple[Optional[_Reference], Optional[_Reference]] = None, None
        """The last two scans that are `LAST_DRIVE` apart, oldest first."""
        self._tallies = [_Tally(), _Tally()]
        """By surfaces that are wider than a person, and by all."""
        self.shows_motion = False
        """Whether the newest comparison shows a motion."""

    def observe(self, placed: Placed, ranges: np.ndarray) -> None:
        """Compare a scan with ``ranges`` (n,) [m] as they were measured."""
        past, last, self.shows_motion = self._past, self._last[1], False
        self._newest = now = _Reference(placed, ranges)
        if last is None or _motion(last, now)[0] >= LAST_DRIVE:
            self._last = last, now
        if past is None or not _is_comparable(past, now):
            self._past = now
            return
        driven, turned = _motion(past, now)
        if driven < DRIVE and turned < TURNED:
            return
        self._past = now
        found = self._residuals(past, now)
        for k, (held, moved) in enumerate(found):
            if is_held(held, moved, CLEAR_SHARE):
                self._tallies[k].add(driven, turned)
            elif moved < held:
                self._tallies[k] = _Tally()
        self.shows_motion = _is_motion(found)

    def forget(self) -> None:
        """Forget the scans that show a held robot, because another one shows a motion."""
        self._tallies = [_Tally(), _Tally()]

    def problem(self, is_last: bool = False) -> str:
        """
        Return that the robot is held, in one sentence; empty if it does not seem to be.

        ``is_last``: the robot does not drive any further, so that a single scan counts.
        """
        if is_last:
            return self._last_problem(WIDE)
        return str(self._tallies[WIDE]) if self._tallies[WIDE].scans >= MIN_SCANS else ''

    @property
    def doubt(self) -> str:
        """Return that the robot is held if nobody walks along, at its last scan; or empty."""
        return self._last_problem(ALL)

    def _last_problem(self, which: int) -> str:
        tally, past, now = self._tallies[which], self._last[0], self._newest
        if not tally.scans and past is not None and now is not None:
            found = self._residuals(past, now)
            self.shows_motion = _is_motion(found)
            if is_held(*found[which], LAST_SHARE):
                tally = _Tally()
                tally.add(*_motion(past, now))
        return str(tally)

    def _residuals(self, past: _Reference, now: _Reference) -> np.ndarray:
        """Return the `residuals`, NaN if the scans cannot be compared."""
        found, scan = np.full((2, 2), math.nan), now.placed.scan
        if _is_comparable(past, now):
            residuals(now.ranges, past.ranges, *beams_of(scan, scan.mount), past.placed.pose[:],
                      now.placed.pose[:], self._readings[0]['repeated'],
                      self._readings[0]['has_free'], self._self_radius, found)
        return found


def _is_comparable(past: _Reference, now: _Reference) -> bool:
    return (past.ranges.size == now.ranges.size
            and 0.0 <= now.placed.stamp - past.placed.stamp < MAX_AGE)


def _motion(past: _Reference, now: _Reference) -> Tuple[float, float]:
    """Return the distance [m] and the angle [rad] between two scans by odometry."""
    before, after = past.placed.pose, now.placed.pose
    return (math.hypot(after.x - before.x, after.y - before.y),
            abs(wrap(after.theta - before.theta)))


def _is_motion(found: np.ndarray) -> bool:
    """Return whether wide surfaces show that the robot has moved."""
    return bool(found[WIDE, 1] < found[WIDE, 0])


@kernel
def is_held(held, moved, share):
    """Return whether residuals [m] show a held robot; not if one is NaN."""
    return moved > MIN_RESIDUAL and held < share * moved


@kernel
def residuals(ranges, past, geometry, directions, before, after, no_return, has_free, self_radius,
              found):
    """
    Write the mean residuals of a scan to ``found`` (2, 2) [m], NaN if too few can be compared.

    They are those of a robot that is held, and of one that has moved, on surfaces that are wider
    than a person, and on all. ``ranges`` and ``past`` (n,) [m] are those of the scan and of an
    earlier one, with the same beams in the frame of the robot; ``before`` and ``after`` are its
    poses by odometry. Each reading is seen from the earlier pose, and compared with the range of
    the beam that points at it. ``no_return`` is a range without one, or NaN; with ``has_free``,
    nothing was there then.
    """
    is_wide = _wide_surfaces(ranges, geometry[0], directions, no_return)
    motion, mean = composed(inverted(before), after), np.empty((2, 3))
    is_open = np.ones(2, dtype=np.bool_)
    for error in HEADING_ERRORS:
        # A heading that is wrong at the end has been half as wrong on the way.
        turn = 0.0, 0.0, 0.5 * error
        _write_residuals(ranges, past, geometry[0], directions,
                         composed(composed(turn, motion), turn), no_return, has_free, self_radius,
                         is_wide, mean)
        for which in range(2):
            if is_open[which] and (which == WIDE or abs(error) < MAX_ERROR_OF_ALL):
                fixed, turned, moved = mean[which]
                found[which, 0] = _smaller(found[which, 0], _smaller(fixed, turned))
                found[which, 1] = _smaller(found[which, 1], moved)
                is_open[which] = is_held(found[which, 0], found[which, 1], CLEAR_SHARE)
        if not is_open.any():
            break


@kernel
def _smaller(a, b):
    """Return the smaller of two numbers; the other if one is NaN."""
    return a if a <= b or b != b else b


@kernel
def _write_residuals(ranges, past, beams, directions, motion, no_return, has_free, self_radius,
                     is_wide, mean):
    """Write the mean residual for each of `HELD`, `TURNED_ONLY` and `MOVED` to (2, 3) [m]."""
    count, cos, sin = ranges.size, math.cos(motion[2]), math.sin(motion[2])
    mean[:] = 0.0
    measured, compared = np.zeros(2), np.zeros((2, 3))
    for i in range(0, count, max(count // MAX_READINGS, 1)):
        r = ranges[i]
        x, y = beams.x + r * directions[0, i], beams.y + r * directions[1, i]
        if not _is_measured(r, beams, no_return) or math.hypot(x, y) < self_radius:
            continue
        first = WIDE if is_wide[i] else ALL
        for which in range(first, 2):
            measured[which] += 1.0
        for kind in range(3):
            k, away = i, r
            if kind != HELD:
                dx, dy = cos * x - sin * y - beams.x, sin * x + cos * y - beams.y
                if kind == MOVED:
                    dx, dy = dx + motion[0], dy + motion[1]
                k, away = _beam_at(dx, dy, beams, count), math.hypot(dx, dy)
            off = _difference(away, past[k], beams, no_return, has_free) if k >= 0 else math.nan
            for which in range(first if off == off else 2, 2):
                mean[which, kind] += off
                compared[which, kind] += 1.0
    for which in range(2):
        least = max(MIN_COMPARED, MIN_COMPARED_SHARE * measured[which])
        for kind in range(3):
            mean[which, kind] = (mean[which, kind] / compared[which, kind]
                                 if compared[which, kind] >= least else math.nan)


@kernel
def _difference(away, past, beams, no_return, has_free):
    """Return the residual of a distance and an earlier range there [m]; NaN for no such range."""
    if _is_measured(past, beams, no_return):
        return min(abs(away - past), MAX_RESIDUAL)
    was_free = has_free and (past > beams.range_max or past == no_return)
    return MAX_RESIDUAL if was_free and away < MAX_SHARE * beams.range_max else math.nan


@kernel
def _wide_surfaces(ranges, beams, directions, no_return):
    """Return which readings (n,) are on a surface that is wider than a person."""
    count, first = ranges.size, 0
    is_wide = np.zeros(count, dtype=np.bool_)
    for i in range(count):
        if not _is_measured(ranges[i], beams, no_return):
            first = i + 1
            continue
        if first < i and _apart(ranges, directions, i - 1, i) > (
                MAX_STEP + MAX_STEP_SHARE * ranges[i]):
            first = i
        if is_wide[first] or _apart(ranges, directions, first, i) >= PERSON_WIDTH:
            is_wide[i] = True
            for k in range(i - 1, first - 1, -1):
                if is_wide[k]:
                    break
                is_wide[k] = True
    return is_wide


@kernel
def _apart(ranges, directions, i, k):
    """Return the distance between two readings [m]."""
    return math.hypot(ranges[i] * directions[0, i] - ranges[k] * directions[0, k],
                      ranges[i] * directions[1, i] - ranges[k] * directions[1, k])


@kernel
def _is_measured(r, beams, no_return):
    """Return whether a range [m] is that of an obstacle."""
    return beams.range_min <= r <= beams.range_max and r != no_return


@kernel
def _beam_at(dx, dy, beams, count):
    """Return which of the beams points at an offset from the lidar [m]; -1 for none."""
    turns = math.copysign(1.0, beams.step) * (fast_atan2(dy, dx) - beams.first) / TURN
    k = int((turns - math.floor(turns)) * TURN / beams.width + 0.5)
    if k < count:
        return k
    return 0 if beams.is_whole else -1
