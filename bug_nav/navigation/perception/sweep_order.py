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
The order in which a lidar measures the beams of a scan.

A lidar that turns clockwise measures its beams by falling angle. Many drivers sort them by rising
angle all the same, and give a positive `time_increment`: the newest beam comes first. Deskewing in
the order of the message then doubles the distortion that it should remove. The message does not
say which it is; a turn does. Each order places the readings of a scan differently, and in the
right one they agree best with a scan that was taken before the turn. Until that is known, scans
are not deskewed, those of a moving robot are not matched, and matching learns nothing about
odometry: the distortion is proportional to the turning rate, as the error of a wheel is.
"""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.navigation.geometry import distance, Point, wrap
from bug_nav.navigation.perception.beams import TURN
from bug_nav.navigation.perception.sensor_queue import Placed
import numpy as np

ORDERS = {'index': 1, 'reversed': -1, 'none': 0}
"""Orders by name: the step from a beam to the next younger one; 0 if all are measured at once."""
STEADY, STANDING, MIN_TURN = 0.01, 0.02, 0.03
"""
Maximum turn and distance during the sweep of a scan to compare with, and minimum turn during a
compared one [rad, m, rad].
"""
MAX_DISTANCE = 0.3
"""Maximum distance between two compared scans [m]."""
MAX_AGE = 10.0
"""Maximum time between them [s]."""
MAX_RESIDUAL = 0.2
"""Maximum residual of a reading [m]: more is another surface."""
SHIFTS = np.radians(np.arange(-8.0, 8.5))
"""Errors of the heading between the scans, by odometry or by stamps, that are tried [rad]."""
MIN_COMPARED = 30
"""Minimum number of compared readings of a scan."""
MIN_SCANS, SIGNIFICANCE, MIN_GAIN = 3, 3.0, 0.002
"""
Minimum number of compared scans, and minimum of the mean advantage of the best order over each
other one [standard deviations of the mean, m].
"""
FACTOR_NONE = 3
"""
Factor of the number of scans and the advantage for beams that are measured at once, in spite of
what the message says: of two orders that fit badly, the mean fits better.
"""


class SweepOrder:
    """Detects the order of the beams."""

    def __init__(self, told: str = 'auto'):
        """Start without scans; ``told`` is one of `settings.BEAM_ORDERS`."""
        self.order: Optional[int] = ORDERS.get(told)
        """The order, see `ORDERS`; None while unknown."""
        self.is_told = self.order is not None
        self.residuals = np.zeros((0, len(ORDERS)))
        """Mean residuals of the compared scans (n, 3) [m]: index, reversed, none."""
        self._steady: Optional[Tuple[float, Point, np.ndarray, np.ndarray]] = None
        """Stamp, place of the lidar, bearings [rad] and ranges [m] of the scan before a turn."""

    def __str__(self) -> str:
        """Return the order and the evidence for it."""
        if self.is_told:
            return f'{self._name}, as set'
        if not len(self.residuals):
            return 'unknown: no turn yet' if self.order is None else self._name
        means = ', '.join(f'{name} {1000.0 * mean:.0f} mm' for name, mean in zip(
            ORDERS, self.residuals.mean(axis=0)))
        return (f'{self._name} (residuals of {len(self.residuals)} turning scans: {means})')

    @property
    def _name(self) -> str:
        return next((name for name, order in ORDERS.items() if order == self.order), 'unknown')

    def is_unknown(self, placed: Placed) -> bool:
        """Return whether the places of the readings of a sweep are known only roughly."""
        return self.order is None and len(placed.sweep) > 0

    def is_distorted(self, placed: Placed) -> bool:
        """Return whether the robot has moved during such a sweep."""
        return self.is_unknown(placed) and not _is_steady(placed.sweep)

    def observe(self, placed: Placed, ranges: np.ndarray, directions: np.ndarray) -> None:
        """
        Learn from a scan with ``ranges`` (n,) [m] as they were measured.

        ``directions`` (2, n) are the cosines and sines of the beams in the frame of the robot.
        """
        if self.order is not None or not len(placed.sweep):
            return
        is_steady = _is_steady(placed.sweep)
        if not is_steady and _turn(placed.sweep) < MIN_TURN:
            return
        beams = np.flatnonzero((ranges >= placed.scan.range_min)
                               & (ranges <= placed.scan.range_max))
        if len(beams) < MIN_COMPARED:
            return
        if is_steady:
            place = placed.pose.apply(placed.scan.mount.position)
            bearings, away = _polar(_ends(placed, ranges, directions, beams, 0), place)
            order = np.argsort(bearings)
            self._steady = placed.stamp, place, bearings[order], away[order]
        elif self._steady is not None:
            stamp, place, *before = self._steady
            if (0.0 < placed.stamp - stamp < MAX_AGE
                    and distance(place, placed.pose.position) < MAX_DISTANCE):
                width = abs(placed.scan.angle_increment)
                self._decide([
                    _residual(*before, *_polar(_ends(placed, ranges, directions, beams, order),
                                               place), width) for order in ORDERS.values()])

    def _decide(self, residuals: List[float]) -> None:
        """Add the residuals of a scan, and decide if one order fits significantly better."""
        if any(map(math.isnan, residuals)):
            return
        self.residuals = np.vstack((self.residuals, residuals))
        best = int(self.residuals.mean(axis=0).argmin())
        order = list(ORDERS.values())[best]
        factor = 1 if order else FACTOR_NONE
        if len(self.residuals) < factor * MIN_SCANS:
            return
        gains = np.delete(self.residuals, best, axis=1) - self.residuals[:, best:best + 1]
        error = gains.std(axis=0, ddof=1) / math.sqrt(len(gains))
        if np.all(gains.mean(axis=0) > np.maximum(SIGNIFICANCE * error, factor * MIN_GAIN)):
            self.order = order


def _is_steady(sweep: np.ndarray) -> bool:
    """Return whether the robot hardly moved during a sweep, so that the order does not matter."""
    return _turn(sweep) < STEADY and distance(sweep[0, 1:3], sweep[-1, 1:3]) < STANDING


def _turn(sweep: np.ndarray) -> float:
    """Return by how much the robot turned during a sweep [rad]."""
    return abs(wrap(sweep[-1, 3] - sweep[0, 3])) if len(sweep) else 0.0


def _ends(placed: Placed, ranges: np.ndarray, directions: np.ndarray, beams: np.ndarray,
          order: int) -> np.ndarray:
    """Return where beams (m,) end if they were measured in an order, (m, 2) [m]."""
    scan, last = placed.scan, len(ranges) - 1
    x, y, theta = np.full((3, len(beams)), np.array(placed.pose[:])[:, np.newaxis])
    if order:
        share = (beams if order > 0 else last - beams) / last
        stamps = scan.stamp + share * (placed.stamp - scan.stamp)
        x, y, theta = (np.interp(stamps, placed.sweep[:, 0], values) for values in (
            placed.sweep[:, 1], placed.sweep[:, 2], np.unwrap(placed.sweep[:, 3])))
    ahead = scan.mount.x + ranges[beams] * directions[0, beams]
    aside = scan.mount.y + ranges[beams] * directions[1, beams]
    cos, sin = np.cos(theta), np.sin(theta)
    return np.stack((x + cos * ahead - sin * aside, y + sin * ahead + cos * aside), axis=1)


def _polar(points: np.ndarray, place: Point) -> Tuple[np.ndarray, np.ndarray]:
    """Return bearings [rad] and distances [m] of points (n, 2) from a place."""
    dx, dy = (points - place).T
    return np.arctan2(dy, dx), np.hypot(dx, dy)


def _residual(bearings: np.ndarray, ranges: np.ndarray, those: np.ndarray, away: np.ndarray,
              width: float) -> float:
    """
    Return the mean difference of distances ``away`` (m,) at bearings ``those`` from ranges [m].

    ``bearings`` and ``ranges`` (n,) are sorted, ``width`` [rad] apart. It is that with the best
    shift of the bearings; NaN if too few readings have a neighbour.
    """
    around = np.concatenate((bearings[-1:] - TURN, bearings, bearings[:1] + TURN))
    lengths = np.concatenate((ranges[-1:], ranges, ranges[:1]))
    best = math.nan
    for shift in SHIFTS:
        sought = (those + shift + math.pi) % TURN - math.pi
        after = np.clip(np.searchsorted(around, sought), 1, len(around) - 1)
        nearest = np.where(around[after] - sought < sought - around[after - 1], after, after - 1)
        has_neighbour = np.abs(around[nearest] - sought) <= width
        if np.count_nonzero(has_neighbour) < MIN_COMPARED:
            continue
        off = np.abs(away - lengths[nearest])[has_neighbour]
        best = np.fmin(best, np.minimum(off, MAX_RESIDUAL).mean())
    return float(best)
