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

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import Pose, wrap
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
    1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6))
"""Errors of the turn by odometry, none of which may explain the scans [rad]."""
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


class _Reference(NamedTuple):
    """A scan with its ranges as they were measured, (n,) [m]."""

    placed: Placed
    ranges: np.ndarray


class SlipCheck:
    """Compares scans before and after a motion by odometry."""

    def __init__(self, readings: np.ndarray, self_radius: float, width: float = PERSON_WIDTH):
        """
        Start without scans.

        ``readings`` is how the lidar reports no return, a `classification.DIALECT` (1,). Readings
        within ``self_radius`` [m] are of the robot itself. Only surfaces of at least a ``width``
        [m] are compared.
        """
        self._readings, self._self_radius, self._width = readings, self_radius, width
        self._past: Optional[_Reference] = None
        self._newest: Optional[_Reference] = None
        self._last: Tuple[Optional[_Reference], Optional[_Reference]] = None, None
        """The last two scans that are `LAST_DRIVE` apart, oldest first."""
        self._scans = 0
        """Number of scans that show a held robot, since the last one that shows a motion."""
        self._driven = self._turned = 0.0
        """The motion by odometry meanwhile [m, rad]."""
        self.shows_motion = False
        """Whether the newest comparison shows a motion."""

    def observe(self, placed: Placed, ranges: np.ndarray) -> None:
        """Compare a scan with ``ranges`` (n,) [m] as they were measured."""
        past, last, self.shows_motion = self._past, self._last[1], False
        self._newest = _Reference(placed, ranges)
        if last is None or _motion(last, self._newest)[0] >= LAST_DRIVE:
            self._last = last, self._newest
        if past is None or not _is_comparable(past, self._newest):
            self._past = self._newest
            return
        driven, turned = _motion(past, self._newest)
        if driven < DRIVE and turned < TURNED:
            return
        self._past = self._newest
        held, moved = self._residuals(past, self._newest)
        if _is_held(held, moved):
            self._scans += 1
            self._driven += driven
            self._turned += turned
        elif moved < held:
            self.shows_motion = True
            self.forget()

    def forget(self) -> None:
        """Forget the scans that show a held robot, because another one shows a motion."""
        self._scans, self._driven, self._turned = 0, 0.0, 0.0

    def problem(self, is_last: bool = False) -> str:
        """
        Return that the robot is held, in one sentence; empty if it does not seem to be.

        ``is_last``: the robot does not drive any further, so that a single scan counts.
        """
        driven, turned, scans = self._driven, self._turned, self._scans
        past, now = self._last[0], self._newest
        if is_last and not scans and past is not None and now is not None:
            held, moved = self._residuals(past, now)
            self.shows_motion = moved < held
            if _is_held(held, moved, LAST_SHARE):
                (driven, turned), scans = _motion(past, now), 1
        if scans < (1 if is_last else MIN_SCANS):
            return ''
        return (f'by odometry, the robot moved by {driven:.1f} m and turned by '
                f'{math.degrees(turned):.0f} degrees, but the scans show no motion: it is held, '
                'or its wheels slip')

    def _residuals(self, past: _Reference, now: _Reference) -> Tuple[float, float]:
        """Return the mean residuals of a robot that is held, and that has moved [m], or NaN."""
        if not _is_comparable(past, now):
            return math.nan, math.nan
        motion = past.placed.pose.inverse().compose(now.placed.pose)
        scan = now.placed.scan
        beams, directions = beams_of(scan, scan.mount)
        held = moved = math.nan
        for error in (0.0, *HEADING_ERRORS):
            # A heading that is wrong at the end has been half as wrong on the way.
            turn = Pose(0.0, 0.0, 0.5 * error)
            fixed, turned, found = residuals(
                now.ranges, past.ranges, beams, directions, turn.compose(motion).compose(turn),
                self._readings[0]['repeated'], self._readings[0]['has_free'], self._self_radius,
                self._width)
            held, moved = np.fmin(held, np.fmin(fixed, turned)), np.fmin(moved, found)
            if not _is_held(held, moved):
                break
        return held, moved


def _is_comparable(past: _Reference, now: _Reference) -> bool:
    return (past.ranges.size == now.ranges.size
            and 0.0 <= now.placed.stamp - past.placed.stamp < MAX_AGE)


def _motion(past: _Reference, now: _Reference) -> Tuple[float, float]:
    """Return the distance [m] and the angle [rad] between two scans by odometry."""
    before, after = past.placed.pose, now.placed.pose
    return (math.hypot(after.x - before.x, after.y - before.y),
            abs(wrap(after.theta - before.theta)))


def _is_held(held: float, moved: float, share: float = CLEAR_SHARE) -> bool:
    """Return whether the residuals [m] show a held robot; not if one is NaN."""
    return moved > MIN_RESIDUAL and held < share * moved


@kernel
def residuals(ranges, past, geometry, directions, motion, no_return, has_free, self_radius, width):
    """
    Return the mean residual of a scan for each of `HELD`, `TURNED_ONLY` and `MOVED` [m].

    ``ranges`` and ``past`` (n,) [m] are those of the scan and of an earlier one, with the same
    beams in the frame of the robot. ``motion`` is the pose of the robot by odometry in that of the
    earlier scan. Each reading on a surface of at least a ``width`` [m] is seen from there, and
    compared with the range of the beam that points at it. ``no_return`` is a range without one, or
    NaN; with ``has_free``, nothing was there then. NaN if there are too few.
    """
    beams, count, measured = geometry[0], ranges.size, 0
    is_wide = _wide_surfaces(ranges, beams, directions, no_return, width)
    total, compared = np.zeros(3), np.zeros(3)
    cos, sin = math.cos(motion[2]), math.sin(motion[2])
    for i in range(0, count, max(count // MAX_READINGS, 1)):
        r = ranges[i]
        x, y = beams.x + r * directions[0, i], beams.y + r * directions[1, i]
        if not is_wide[i] or math.hypot(x, y) < self_radius:
            continue
        measured += 1
        for kind in range(3):
            k, away = i, r
            if kind != HELD:
                dx, dy = cos * x - sin * y - beams.x, sin * x + cos * y - beams.y
                if kind == MOVED:
                    dx, dy = dx + motion[0], dy + motion[1]
                k, away = _beam_at(dx, dy, beams, count), math.hypot(dx, dy)
            if k < 0:
                continue
            if _is_measured(past[k], beams, no_return):
                total[kind] += min(abs(away - past[k]), MAX_RESIDUAL)
                compared[kind] += 1.0
            elif (has_free and away < MAX_SHARE * beams.range_max
                    and (past[k] > beams.range_max or past[k] == no_return)):
                total[kind] += MAX_RESIDUAL
                compared[kind] += 1.0
    for kind in range(3):
        enough = compared[kind] >= max(MIN_COMPARED, MIN_COMPARED_SHARE * measured)
        total[kind] = total[kind] / compared[kind] if enough else math.nan
    return total[0], total[1], total[2]


@kernel
def _wide_surfaces(ranges, beams, directions, no_return, width):
    """Return which readings (n,) are on a surface of at least a width [m]."""
    count, first = ranges.size, 0
    is_wide = np.zeros(count, dtype=np.bool_)
    for i in range(count):
        if not _is_measured(ranges[i], beams, no_return):
            first = i + 1
            continue
        if first < i and _apart(ranges, directions, i - 1, i) > (
                MAX_STEP + MAX_STEP_SHARE * ranges[i]):
            first = i
        if is_wide[first] or _apart(ranges, directions, first, i) >= width:
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
