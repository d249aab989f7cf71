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
A lidar that is mounted otherwise than its transform says: mirrored or rotated.

An upside-down lidar with an upright transform measures the mirror image of the world: it turns to
the left while the robot turns to the right. A lidar that is rotated about its axis moves to its
side while the robot drives ahead. Either way the scans before and after a motion disagree, and
agree once they are mirrored or rotated. The transform is wrong only if they do so clearly, and
more often than the scans agree as they are: a door that opens can look like a rotated lidar.
"""

from __future__ import annotations

import math
from typing import Iterable, NamedTuple, Optional

from bug_nav.navigation.geometry import distance, wrap
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.sweep_order import (
    is_steady,
    MAX_AGE,
    MAX_DISTANCE,
    MAX_RESIDUAL,
    measured_beams,
    MIN_COMPARED,
    places,
    profile_of,
    residual,
)
import numpy as np

MIN_TURN = 0.5
"""Minimum turn that shows a mirrored lidar [rad]: of none and of half a turn, both ways agree."""
DRIVE, MAX_DRIVE, STRAIGHT = 0.1, 0.5, 0.1
"""
Distances that show a rotated lidar, least and most [m], and maximum turn meanwhile [rad]. Scans
are compared once in each of the former.
"""
ROTATIONS = tuple(math.radians(angle) for angle in (45, 90, 135, 180, -135, -90, -45))
"""Rotations that are tried [rad]."""
CLEAR_SHARE, MIN_RESIDUAL = 0.4, 0.08
"""
Maximum residual with another mount [residuals as stated], and minimum residual as stated [m], of
a clear disagreement.
"""
HELD_SHARE = 0.7
"""Maximum residual with another mount [residuals without a motion]; more may be a held robot."""
MIRRORED = ('the scans turn the other way than odometry: the lidar is upside down and its '
            'transform is not (or the reverse), or odometry has the wrong sign')
"""The error of a mirrored lidar."""
MIN_AGREEING = 3, 12
"""Numbers of comparisons without one, after turns and drives, that end the check."""
TURN_SCANS, DRIVE_SCANS = range(2)
"""Kinds of comparisons: after a turn, and after a drive."""
Reference = NamedTuple('Reference', [('placed', Placed), ('ranges', np.ndarray)])


class MountCheck:
    """Compares scans before and after a motion."""

    def __init__(self) -> None:
        """Start without scans."""
        self.problem = ''
        """The error of the mount and its correction in one sentence; empty for none."""
        self._reference: Optional[Reference] = None
        self._compared_at = 0.0
        """Distance from there at which a scan was compared last [m]."""
        self._agreed = [0, 0]
        """Numbers of comparisons without a clear disagreement, by their kind."""
        self._margin = [0, 0]
        """Numbers of comparisons in which scans agree, less those of clear disagreement."""

    @property
    def is_done(self) -> bool:
        """Return whether the mount is known to be right or wrong."""
        return bool(self.problem) or all(
            count >= needed for count, needed in zip(self._agreed, MIN_AGREEING))

    def observe(self, placed: Placed, ranges: np.ndarray, directions: np.ndarray) -> None:
        """
        Compare a scan with ``ranges`` (n,) [m] as they were measured.

        ``directions`` (2, n) are the cosines and sines of the beams in the frame of the robot.
        """
        if self.is_done or not is_steady(placed.sweep):
            return
        past, now = self._reference, Reference(placed, ranges)
        if past is None or ranges.size != past.ranges.size:
            self._start(now)
            return
        turned = wrap(placed.pose.theta - past.placed.pose.theta)
        driven = distance(placed.pose.position, past.placed.pose.position)
        is_old = not 0.0 < placed.stamp - past.placed.stamp < MAX_AGE
        if is_old or driven > MAX_DRIVE:
            self._start(now)
        elif MIN_TURN < abs(turned) < math.pi - MIN_TURN and driven < MAX_DISTANCE:
            self._start(now)
            image = mirrored(directions, placed.scan.mount.theta)
            if self._best(TURN_SCANS, past, now, directions, [image]) is not None:
                self.problem = MIRRORED
        elif abs(turned) < STRAIGHT and driven > self._compared_at + DRIVE:
            self._compared_at = driven
            best = self._best(DRIVE_SCANS, past, now, directions,
                              (rotated(directions, angle) for angle in ROTATIONS))
            if best is not None:
                self.problem = (
                    'the scans move in another direction than odometry: add about '
                    f'{math.degrees(ROTATIONS[best]):.0f} degrees to the yaw of the lidar in its '
                    'transform')

    def _start(self, reference: Reference) -> None:
        self._reference, self._compared_at = reference, 0.0

    def _best(self, kind: int, past: Reference, now: Reference, directions: np.ndarray,
              others: Iterable[np.ndarray]) -> Optional[int]:
        """Return which of the other directions have agreed clearly better than those stated."""
        stated = disagreement(past, now, directions, MIN_RESIDUAL)
        if math.isnan(stated):
            return None
        best = _clearly_better(stated, past, now, directions, others)
        if best is None:
            self._agreed[kind] += 1
            self._margin[kind] += bool(stated <= MIN_RESIDUAL)
            return None
        self._margin[kind] -= 1
        return best if self._margin[kind] < 0 else None


def _clearly_better(stated: float, past: Reference, now: Reference, directions: np.ndarray,
                    others: Iterable[np.ndarray]) -> Optional[int]:
    """
    Return which of the other directions agree clearly better than the ``stated`` residual.

    None if they agree about as well without a motion.
    """
    if stated <= MIN_RESIDUAL:
        return None
    found = np.array([disagreement(past, now, each) for each in others])
    found[np.isnan(found)] = math.inf
    best = int(found.argmin())
    if not found[best] < CLEAR_SHARE * stated:
        return None
    held = now._replace(placed=now.placed._replace(pose=past.placed.pose))
    return None if found[best] > HELD_SHARE * disagreement(past, held, directions) else best


def mirrored(directions: np.ndarray, axis: float) -> np.ndarray:
    """Return directions (2, n), mirrored at a line in the direction ``axis`` [rad]."""
    cos, sin = math.cos(2.0 * axis), math.sin(2.0 * axis)
    return np.array([cos * directions[0] + sin * directions[1],
                     sin * directions[0] - cos * directions[1]])


def rotated(directions: np.ndarray, angle: float) -> np.ndarray:
    """Return directions (2, n), rotated by an angle [rad]."""
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([cos * directions[0] - sin * directions[1],
                     sin * directions[0] + cos * directions[1]])


def disagreement(past: Reference, now: Reference, directions: np.ndarray, enough: float = 0.0
                 ) -> float:
    """
    Return the mean difference of two scans whose beams have these directions (2, n) [m].

    If it is at most ``enough`` [m], a better shift of the bearings is not sought.
    """
    ends = [_ends(each, directions) for each in (past, now)]
    if min(map(len, ends)) < MIN_COMPARED:
        return math.nan
    place, profile = profile_of(past.placed, ends[0])
    return residual(ends[1], *place, profile, MAX_RESIDUAL, enough)[0]


def _ends(scan: Reference, directions: np.ndarray) -> np.ndarray:
    beams = measured_beams(scan.placed.scan, scan.ranges)
    return places(scan.placed, scan.ranges, directions, beams, scan.placed.pose)
