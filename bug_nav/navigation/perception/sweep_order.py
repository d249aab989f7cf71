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
count as measured in the middle of the sweep, those of a turning robot are not matched, and
matching learns nothing about odometry: the distortion is proportional to the turning rate, as the
error of a wheel is.

Other drivers say that all beams were measured at once (`time_increment` 0), as simulators do,
although the lidar turns. They are believed until a turn contradicts them: the scans then agree
better in another order, with the heading of odometry. From then on they count as scans with times,
of unknown order.
"""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import distance, Point, wrap
from bug_nav.navigation.perception.beams import TURN
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.types import Scan
import numpy as np

ORDERS = {'index': 1, 'reversed': -1, 'none': 0}
"""Orders by name: the step from a beam to the next younger one; 0 if all are measured at once."""
STEADY, STANDING, MIN_TURN = 0.01, 0.05, 0.06
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
SHIFT, COARSE, SHIFTS = math.radians(1.0), 4, 6
"""
Errors of the heading between the scans, by odometry or by stamps, that are tried: the fine step
[rad], fine steps per coarse step, and number of coarse steps on either side.
"""
MIN_COMPARED = 30
"""Minimum number of compared readings of a scan."""
REFERENCE_AGE = 1.0
"""
Age of the scan to compare with at which a turning scan without times replaces it [s]: many a robot
is never steady, and as long as such scans are believed, matching turns the map.
"""
MIN_SCANS, SIGNIFICANCE, MIN_GAIN = 3, 3.0, 0.002
"""
Minimum number of compared scans, and minimum of the mean advantage of the best order [standard
deviations of the mean, m].
"""
FACTOR_AGAINST, MAX_SCANS = 3, 100
"""
Factor of the number of scans and the advantage for an order that contradicts the message, and
maximum number of compared scans, of which the newest count.
"""


class Reference(NamedTuple):
    """A scan to compare with."""

    stamp: float
    turn: float
    """How far the robot turned during its sweep [rad]."""
    views: Sequence[Tuple[Point, np.ndarray]]
    """The place of the lidar and the profile in each of `ORDERS`."""


class SweepOrder:
    """Detects the order of the beams."""

    def __init__(self, told: str = 'auto'):
        """Start without scans; ``told`` is one of `settings.BEAM_ORDERS`."""
        self.order: Optional[int] = ORDERS.get(told)
        """The order, see `ORDERS`; None while unknown."""
        self.is_told = self.order is not None
        self.residuals = np.zeros((0, len(ORDERS)))
        """Mean residuals of the compared scans (n, 3) [m]: index, reversed, none."""
        self.is_doubted = False
        """Whether turns contradict a message that all beams were measured at once."""
        self._misfits = np.zeros(len(ORDERS))
        """Sums of the residuals with the heading of odometry by which a message is doubted [m]."""
        self._reference: Optional[Reference] = None

    def begin_goal(self) -> None:
        """Forget the scan to compare with: the robot may have been carried since."""
        self._reference = None

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

    @property
    def known(self) -> Tuple[Optional[int], bool]:
        """Return the order, and whether the message is doubted."""
        return self.order, self.is_doubted

    def is_unknown(self, placed: Placed) -> bool:
        """Return whether the places of the readings of a sweep are known only roughly."""
        return self.order is None and self._has_times(placed.is_assumed) and len(placed.sweep) > 0

    def is_distorted(self, placed: Placed) -> bool:
        """Return whether the robot has moved during such a sweep."""
        return self.is_unknown(placed) and not is_steady(placed.sweep)

    def observe(self, placed: Placed, ranges: np.ndarray, directions: np.ndarray) -> None:
        """
        Learn from a scan with ``ranges`` (n,) [m] as they were measured.

        ``directions`` (2, n) are the cosines and sines of the beams in the frame of the robot.
        """
        if self.order is not None or not len(placed.sweep):
            return
        steady, turn, past = is_steady(placed.sweep), _turn(placed.sweep), self._past(placed)
        compared = (past if past is not None and not steady and abs(turn - past.turn) >= MIN_TURN
                    else None)
        is_kept = steady or placed.is_assumed and (
            past is None or placed.stamp - past.stamp >= REFERENCE_AGE)
        if compared is None and not is_kept:
            return
        beams = measured_beams(placed.scan, ranges)
        if len(beams) < MIN_COMPARED:
            return
        ends = [_ends(placed, ranges, directions, beams, order)
                for order in ((0,) if steady else ORDERS.values())]
        if compared is not None:
            self._compare(placed.is_assumed, [
                residual(each, *place, profile, math.nan, 0.0)
                for each, (place, profile) in zip(ends, compared.views)])
        if is_kept:
            views = [profile_of(placed, each) for each in ends]
            self._reference = Reference(placed.stamp, 0.0 if steady else turn,
                                        views * len(ORDERS) if steady else views)

    def _past(self, placed: Placed) -> Optional[Reference]:
        """Return the scan to compare with, if it is near."""
        past = self._reference
        is_near = (past is not None and 0.0 < placed.stamp - past.stamp < MAX_AGE
                   and distance(past.views[0][0], placed.pose.position) < MAX_DISTANCE)
        return past if is_near else None

    def _has_times(self, is_assumed: bool) -> bool:
        """Return whether beams were measured one after the other, by message or by turns."""
        return self.is_doubted or not is_assumed

    def _compare(self, is_assumed: bool, found: List[Tuple[float, float]]) -> None:
        """Learn from the `residual` of a scan in each order."""
        residuals, unshifted = np.transpose(found)
        # Where an order places too few readings beside others to compare, the rest tells nothing.
        if np.any(np.isnan(unshifted if is_assumed else residuals)):
            return
        self.residuals = np.vstack((self.residuals[1 - MAX_SCANS:], residuals))
        if is_assumed:
            misfits = unshifted.copy()
            # With drifting odometry or a clock skew, beams measured at once agree only shifted.
            misfits[-1] = min(misfits[-1], residuals[-1]) - MIN_GAIN
            self._misfits += misfits
            self.is_doubted |= bool(self._misfits.argmin() != len(ORDERS) - 1)
        self._decide(self._has_times(is_assumed))

    def _decide(self, has_times: bool) -> None:
        """Decide if one order fits significantly better."""
        best = int(self.residuals.mean(axis=0).argmin())
        order, count = list(ORDERS.values())[best], len(self.residuals)
        agrees = (order != 0) == has_times
        factor = 1 if agrees else FACTOR_AGAINST
        if count < factor * MIN_SCANS:
            return
        # One that agrees with the message must be significantly better than the other that does.
        others = [best, 2] if agrees and order and not self.is_doubted else best
        gains = np.delete(self.residuals, others, axis=1)
        gains = gains - self.residuals[:, best:best + 1]
        error = gains.std(axis=0, ddof=1) / math.sqrt(count)
        if np.all(gains.mean(axis=0) > np.maximum(SIGNIFICANCE * error, factor * MIN_GAIN)):
            self.order = order


def is_steady(sweep: np.ndarray) -> bool:
    """Return whether the robot hardly moved during a sweep, so that the order does not matter."""
    return not len(sweep) or (
        abs(_turn(sweep)) < STEADY
        and distance(sweep[0, 1:3].tolist(), sweep[-1, 1:3].tolist()) < STANDING)


def _turn(sweep: np.ndarray) -> float:
    """Return by how much the robot turned during a sweep [rad]."""
    return wrap(sweep.item(-1, 3) - sweep.item(0, 3))


def at_once(placed: Placed) -> np.ndarray:
    """Return the poses of a sweep (2, 4) as if all beams were measured in the middle of it."""
    middle = 0.5 * (placed.began + placed.stamp)
    pose = _poses(placed, middle)
    return np.array([(stamp, *pose) for stamp in (placed.began, placed.stamp)])


def _poses(placed: Placed, stamps: Union[float, np.ndarray]) -> np.ndarray:
    """Return x, y and heading at times in a sweep, (3, ...)."""
    times, x, y, theta = placed.sweep.T
    return np.array([np.interp(stamps, times, each) for each in (x, y, np.unwrap(theta))])


def _ends(placed: Placed, ranges: np.ndarray, directions: np.ndarray, beams: np.ndarray,
          order: int) -> np.ndarray:
    """Return where beams (m,) end if they were measured in an order, (m, 2) [m]."""
    last = len(ranges) - 1
    if placed.is_assumed and not order:
        return places(placed, ranges, directions, beams, placed.pose)
    share = (beams if order > 0 else last - beams) / last if order else 0.5
    return places(placed, ranges, directions, beams,
                  _poses(placed, placed.began + share * (placed.stamp - placed.began)))


def places(placed: Placed, ranges: np.ndarray, directions: np.ndarray, beams: np.ndarray,
           poses: Union[np.ndarray, Sequence[float]]) -> np.ndarray:
    """Return where beams (m,) end that were measured from a pose, or each from its own, (m, 2)."""
    scan, (x, y, theta) = placed.scan, poses
    ahead = scan.mount.x + ranges[beams] * directions[0, beams]
    aside = scan.mount.y + ranges[beams] * directions[1, beams]
    cos, sin = np.cos(theta), np.sin(theta)
    return np.stack((x + cos * ahead - sin * aside, y + sin * ahead + cos * aside), axis=1)


def measured_beams(scan: Scan, ranges: np.ndarray) -> np.ndarray:
    """Return which beams with ``ranges`` (n,) [m] end on an obstacle, (m,)."""
    return np.flatnonzero((ranges >= scan.range_min) & (ranges <= scan.range_max))


def profile_of(placed: Placed, ends: np.ndarray) -> Tuple[Point, np.ndarray]:
    """Return the place of a lidar and the profile of the ends (n, 2) of its beams from there."""
    place = placed.pose.apply(placed.scan.mount.position)
    profile = np.full(math.ceil(TURN / abs(placed.scan.angle_increment)), math.nan)
    write_profile(ends, *place, profile)
    return place, profile


@kernel
def write_profile(points, x, y, profile):
    """Write the least distances of points (n, 2) from a place [m] into bins of their bearings."""
    count = profile.size
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        k = int((math.atan2(dy, dx) / TURN + 1.0) * count) % count
        away = math.hypot(dx, dy)
        if not profile[k] <= away:
            profile[k] = away


@kernel
def residual(points, x, y, profile, missing, enough):
    """
    Return the mean difference of the distances of points (n, 2) from a profile [m], twice.

    First with the best shift of the bearings, then without; NaN if too few points have a
    neighbour. A point in a direction without one counts as ``missing`` [m], or not at all if that
    is NaN. If the second is at most ``enough`` [m], it is also the first: no better is sought.
    """
    bearings, away = np.empty(points.shape[0]), np.empty(points.shape[0])
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        bearings[i], away[i] = math.atan2(dy, dx) / TURN + 1.0, math.hypot(dx, dy)
    best, middle, nearest = math.nan, 0, 0
    unshifted = _difference(bearings, away, profile, missing, 0)
    if unshifted <= enough:
        return unshifted, unshifted
    for trial in range(2 * (SHIFTS + COARSE) + 1):
        if trial == 2 * SHIFTS + 1:
            middle = nearest
        shift = (COARSE * (trial - SHIFTS) if trial <= 2 * SHIFTS
                 else middle + trial - 2 * SHIFTS - COARSE)
        found = _difference(bearings, away, profile, missing, shift)
        if found == found and not found >= best:
            best, nearest = found, shift
    return best, unshifted


@kernel
def _difference(bearings, away, profile, missing, shift):
    """Return the mean difference with a shift of the bearings [fine steps], or NaN."""
    count, total, compared = profile.size, 0.0, 0
    for i in range(away.size):
        k = int((bearings[i] + shift * SHIFT / TURN) * count) % count
        if profile[k] == profile[k]:
            total += min(abs(away[i] - profile[k]), MAX_RESIDUAL)
            compared += 1
        elif missing == missing:
            total += missing
            compared += 1
    return total / compared if compared >= MIN_COMPARED else math.nan
