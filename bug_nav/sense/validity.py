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
What the beams of a lidar say, and whether a scan is one at all.

REP-117 has a word for each case, and lidars have dialects: an LDS-01 reports 0.0 and an LDS-02 NaN
where nothing is seen, others +inf or just above the largest range. So a lidar is listened to: one
that was ever heard to say "free" the proper way means an error when it says 0.0 or NaN. Of one
that never did, either may be meant: such a beam is unknown, and stands for what was last seen in
its direction (`Afterimage`).

A lidar that sees nothing usable is a lidar that is silent.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.core.geometry import bearing, distance, Pose, wrap
from bug_nav.core.interface import Scan
from bug_nav.sense.beams import told_apart
import numpy as np

USABLE = 0.05
"""A scan of which less says anything is no scan."""
COVERED = 0.9
"""Nor is one of which so much is too near to measure: something covers the lidar."""
AHEAD = math.radians(45.0)
"""Ahead of the robot, on either side so far, a lidar must not be blind [rad] ..."""
HOLE = math.radians(30.0)
"""... over more than this on end [rad]."""
SEEN = 0.1
"""Where so many of the beams saw something, the next scan cannot see nothing at all ..."""
WITHIN = 0.8
"""... that is, something nearer than this [largest ranges]."""
LARGEST = 2.0
"""What claims to lie beyond this [largest ranges], and is no infinity, is an error."""
MOVED = 0.05
"""When the robot has moved so far [m] ..."""
TURNED = 0.1
"""... or turned by so much [rad], a scan is another than it was."""
LASTS = 30.0
"""An afterimage fades after this time [s]: in less the robot is there, or has looked again."""


class Validity:
    """Reads the scans of one lidar."""

    def __init__(self) -> None:
        """Begin: nothing has been heard of it."""
        self.says_free = False
        """It has its own word for "nothing there", so that 0.0 and NaN are errors."""
        self.share = math.nan
        """The share of the newest scan's beams that said something."""
        self._close = 0.0

    def read(self, scan: Scan) -> Tuple[Scan, str]:
        """
        Return a scan in REP-117's words, unknown beams as NaN, and why it is none, '' if it is.

        Beyond range_max is +inf, too near to measure -inf.
        """
        ranges = np.ascontiguousarray(scan.ranges, dtype=float)
        count = ranges.size
        if count == 0:
            return scan, 'the scan has no beams'
        farthest = scan.range_max
        read, free, near, measured, close = told_apart(
            ranges, scan.range_min, farthest, LARGEST * farthest, WITHIN * farthest)
        self.says_free = self.says_free or free > 0
        self.share = (free + near + measured) / count
        scan = scan._replace(ranges=read)
        trouble = self._trouble(scan, near / count, measured + near)
        if not trouble:
            self._close = close / count
        return scan, trouble

    def _trouble(self, scan: Scan, near: float, seen: int) -> str:
        """Return why a scan is none: ``near`` is a share of its beams, ``seen`` a number."""
        if self.share < USABLE:
            return f'{100.0 * (1.0 - self.share):.0f} % of the beams of the scan are errors'
        if len(scan.ranges) == 1:  # a beam on its own knows nothing of those beside it
            return ''
        if near > COVERED:
            return (f'{100.0 * near:.0f} % of the beams are nearer than range_min: '
                    'something covers the lidar')
        if self._close > SEEN and not seen:
            return 'the scan sees nothing of what was all around a moment ago'
        if self.says_free and self.share < 1.0:
            hole = _hole(scan, ~np.isnan(scan.ranges))
            if hole > HOLE:
                return f'the lidar is blind over {math.degrees(hole):.0f} degrees ahead'
        return ''


def _hole(scan: Scan, known: np.ndarray) -> float:
    """Return how wide the widest run of errors is, within `AHEAD` of the robot's heading [rad]."""
    angles = scan.mount.theta + scan.angle_min + scan.angle_increment * np.arange(known.size)
    off = np.mod(angles + math.pi, 2.0 * math.pi) - math.pi
    ahead = np.flatnonzero(np.abs(off) <= AHEAD)
    lost = ~known[ahead[np.argsort(off[ahead])]]
    ends = np.flatnonzero(np.diff(np.concatenate(([0], lost.astype(np.int8), [0]))))
    return float((ends[1::2] - ends[::2]).max(initial=0)) * abs(scan.angle_increment)


class Stillness:
    """
    Notices a lidar that is stuck, and says the very same whatever the robot does.

    No two scans of a real lidar are the same, but those of a simulated one without noise are,
    where nothing changes: while the robot stands, or where it drives along an endless wall. So it
    has to have turned, or driven towards something that was seen.
    """

    def __init__(self) -> None:
        """Begin: nothing was heard."""
        self.stuck = False
        """The newest scan says what it cannot."""
        self._first: Optional[Tuple[Scan, Pose]] = None

    def look(self, scan: Scan, pose: Pose) -> bool:
        """Take in a scan that was taken at ``pose``; return whether the lidar is stuck."""
        if self._first is None or scan.ranges.tobytes() != self._first[0].ranges.tobytes():
            self._first, self.stuck = (scan, pose), False
            return False
        measured = scan.ranges <= scan.range_max
        if not measured.any():
            self._first = scan, pose
        before = self._first[1]
        self.stuck = abs(wrap(pose.theta - before.theta)) > TURNED or (
            distance(before.position, pose.position) > MOVED
            and bool(measured[self._towards(scan, pose, bearing(before.position, pose.position))]))
        return self.stuck

    @staticmethod
    def _towards(scan: Scan, pose: Pose, course: float) -> int:
        """Return the beam that looks along a course, or the last one."""
        off = math.copysign(1.0, scan.angle_increment) * (
            course - pose.theta - scan.mount.theta - scan.angle_min)
        beam = round((off % (2.0 * math.pi)) / abs(scan.angle_increment))
        return min(beam, len(scan.ranges) - 1)


class Afterimage:
    """What was seen last in the directions of which a lidar has said nothing since."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._points = np.empty((0, 2))
        self._stamps = np.empty(0)
        self._newest: Optional[Tuple[Scan, Pose]] = None

    def filled(self, scan: Scan, pose: Pose) -> Scan:
        """
        Return a scan whose unknown beams (NaN) say what was last seen in their directions.

        ``pose``: where the robot was, in the odometry's frame.
        """
        unknown = np.isnan(scan.ranges)
        newest, self._newest = self._newest, (scan, pose)
        if not unknown.any():
            if self._points.size:
                self._points, self._stamps = self._points[:0], self._stamps[:0]
            return scan
        if newest is not None:
            self._remember(*newest)
        if not self._points.size:
            return scan
        sensor = pose.compose(scan.mount)
        dx, dy = (self._points - sensor.position).T
        away = np.hypot(dx, dy)
        off = np.sign(scan.angle_increment) * (
            np.arctan2(dy, dx) - sensor.theta - scan.angle_min)
        half = 0.5 * abs(scan.angle_increment)
        beams = (np.mod(off + half, 2.0 * math.pi) / (2.0 * half)).astype(int)
        inside = beams < unknown.size
        kept = np.flatnonzero(inside & unknown[np.where(inside, beams, 0)]
                              & (away <= scan.range_max)
                              & (scan.stamp - self._stamps < LASTS))
        ranges = scan.ranges.copy()
        np.fmin.at(ranges, beams[kept], np.maximum(away[kept], scan.range_min))
        self._points, self._stamps = self._points[kept], self._stamps[kept]
        return scan._replace(ranges=ranges)

    def _remember(self, scan: Scan, pose: Pose) -> None:
        """Add what a scan has measured to the images that are left."""
        measured = np.flatnonzero(scan.ranges <= scan.range_max)
        r = np.maximum(scan.ranges[measured], scan.range_min)
        sensor = pose.compose(scan.mount)
        angles = sensor.theta + scan.angle_min + scan.angle_increment * measured
        points = np.stack((sensor.x + r * np.cos(angles), sensor.y + r * np.sin(angles)), axis=1)
        self._points = np.concatenate((points, self._points))
        self._stamps = np.concatenate((np.full(r.size, scan.stamp), self._stamps))
