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
Scan matching: the drift of odometry, corrected by what the lidar sees.

Odometry drifts and walls do not. Each scan is aligned with the walls that earlier ones have seen
(`perception.alignment`), which yields the drift. Directions that the walls leave open, such as
along a smooth corridor, remain with odometry, and the covariance of the pose says how well each
is known. A scan that does not fit corrects nothing.

The frame of the corrected poses is odometry's as it was at the beginning.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.perception import odometry_error
from bug_nav.navigation.perception.alignment import align
from bug_nav.navigation.perception.odometry_error import (
    corrected,
    doubt,
    is_trusted,
    learn,
    ordinary_variances,
    variances,
    worst_noise,
)
from bug_nav.navigation.perception.surfels import directions, enter, EXTENT, extract, SURFEL
from bug_nav.navigation.types import Scan
import numpy as np

ROWS = 4096
"""Number of rows by which tables grow."""
SLOTS = 1 << 14
"""Number of slots of the hash table that finds surfels."""
MOST = 100_000
"""Largest number of surfels: 5 km of walls."""
EXTENT_OF_NOISE = 5.0
"""Least distance to which a surfel reaches from its middle [standard deviations of a range]."""
NEEDED = 3
"""Least number of matched surfels of a match ..."""
FIT = 0.4
"""... and least share of them that fit well."""
CONTRADICTS = 25.0
"""Squared correction from which on a match contradicts odometry [variances] ..."""
MANY = 20
"""... if it has at least this many matched surfels."""
NOISE = 0.01
"""Initial range noise [m]."""
LEAST_NOISE, MOST_NOISE = 0.005, 0.1
"""Least and largest range noise that is learned [m]."""
LEARNED = 0.05
"""Gain with which a scan changes the range noise."""

VIEW = np.dtype((np.record, [
    # Where a scan was made that has added surfels [m], and the covariance of its pose.
    ('x', 'f8'), ('y', 'f8'),
    ('xx', 'f8'), ('xy', 'f8'), ('xt', 'f8'), ('yy', 'f8'), ('yt', 'f8'), ('tt', 'f8')]))
STATE = np.dtype((np.record, [
    # Scans in all, those that have corrected the drift, and those that did not fit.
    ('scans', 'i8'), ('matched', 'i8'), ('unmatched', 'i8'),
    # Numbers of rows in the tables.
    ('surfels', 'i8'), ('views', 'i8'),
    # The newest scan's pose by odometry, its corrected pose, and the pose of odometry's frame, as
    # it is now, in what it was at the beginning [m, rad].
    ('odometry', 'f8', (3,)), ('pose', 'f8', (3,)), ('drift', 'f8', (3,)),
    ('noise', 'f8'),  # standard deviation of a range [m]
    # Covariances of that pose (x, y, theta): among the walls that the scan is aligned with; of
    # these walls, which it inherits; by ordinary odometry, from before the first wall; and in all.
    ('relative', 'f8', (3, 3)), ('inherited', 'f8', (3, 3)), ('unseen', 'f8', (3, 3)),
    ('covariance', 'f8', (3, 3)),
    ('error', odometry_error.ODOMETRY_ERROR)]))


class ScanMatcher:
    """Aligns each scan with what earlier ones have seen, and estimates the drift of odometry."""

    def __init__(self, body: float = 0.0):
        """Begin with nothing seen; readings within ``body`` [m] of the center are the robot's."""
        self._body = body
        self._states = np.zeros(1, STATE)
        self._states['noise'] = NOISE
        self._states['error'] = odometry_error.ordinary()
        self._surfels = np.empty(ROWS, SURFEL)
        self._heads = np.full(SLOTS, -1)
        self._views = np.empty(ROWS, VIEW)
        self.drift = IDENTITY
        """The pose of odometry's frame, as it is now, in what it was at the beginning."""

    @property
    def covariance(self) -> np.ndarray:
        """Return the covariance (3, 3) of the newest scan's pose: x, y, theta [m, rad]."""
        return self._states['covariance'][0].copy()

    @property
    def matched(self) -> int:
        """Return how many scans have corrected the drift."""
        return self._states['matched'].item()

    @property
    def unmatched(self) -> int:
        """Return how many scans did not fit."""
        return self._states['unmatched'].item()

    def place(self, scan: Scan, odometry: Pose) -> Pose:
        """Return the corrected pose of a scan that was made at a pose by odometry."""
        ranges, mount = np.asarray(scan.ranges, dtype=float), scan.mount
        surfels = min(self._states['surfels'].item() + ranges.size, MOST)
        if surfels > len(self._surfels):
            self._surfels = _larger(self._surfels, surfels)
        if self._states['views'].item() == len(self._views):
            self._views = _larger(self._views, 0)
        match(self._states, self._surfels, self._heads, self._views, ranges,
              *directions(mount.theta + scan.angle_min, scan.angle_increment, ranges.size),
              mount.x, mount.y, scan.angle_increment, scan.range_min, scan.range_max, self._body,
              tuple(map(float, odometry)))
        self.drift = Pose(*self._states['drift'][0].tolist())
        return Pose(*self._states['pose'][0].tolist())

    def uncertainty(self, place: Point) -> float:
        """
        Return the standard deviation of a place relative to the robot [m].

        It is that in the direction in which it is largest; ``place`` is in the frame of the
        corrected poses.
        """
        x, y, _ = self._states['pose'][0].tolist()
        there = self.covariance
        propagate(there, place[0] - x, place[1] - y, 0.0, 0.0)
        return math.sqrt(max(np.linalg.eigvalsh(there[:2, :2])))


def _larger(table: np.ndarray, rows: int) -> np.ndarray:
    """Return a larger table, with room for a number of rows."""
    return np.concatenate((table, np.empty(max(rows - len(table), ROWS), table.dtype)))


# ---- a scan ------------------------------------------------------------------------------------

@kernel
def match(states, surfels, heads, views, ranges, cosines, sines, x, y, step, range_min, range_max,
          body, odometry):
    """
    Match a scan, whose pose by odometry is given, and remember what it has seen.

    The state ``states`` (1,), which has the results, and the tables ``surfels``, with room for one
    more from each beam (see `MOST`), ``heads`` and ``views``, with room for one more, change in
    place. The scan is as for `bug_nav.navigation.perception.surfels.extract`.
    """
    state = states[0]
    observed = extract(ranges, cosines, sines, x, y, step, range_min, range_max, body,
                       max(EXTENT, EXTENT_OF_NOISE * state.noise))
    onto = np.full(observed.size, -1)
    if state.scans == 0:
        pose = odometry
    else:
        moved, guess = _predict(state, odometry)
        pose = guess
        if state.surfels > 0:
            found = False
            before, after = np.empty((3, 3)), np.empty((3, 3))
            while not found:
                _copy(state.relative, before)
                place, heading = variances(state.error, moved)
                propagate(before, guess[0] - state.pose[0], guess[1] - state.pose[1], place,
                          heading)
                pose, matched, well, off = align(surfels, heads, observed, guess, before,
                                                 state.noise, after, onto)
                found = (matched >= NEEDED and well >= FIT * matched
                         and not (_contradicts(guess, pose, before, after, matched)
                                  and is_trusted(state.error)))
                # If it contradicts odometry, odometry is wrong, provided that the scan fits then.
                if found or observed.size < MANY or not is_trusted(state.error):
                    break
                doubt(state.error)
            if found:
                state.matched += 1
                _learn(state, moved, guess, pose, before, after, off)
                inherit(state.inherited, surfels, views, onto, pose)
                pose = pose[0], pose[1], _wrapped(pose[2])
            else:
                state.unmatched += 1
                pose = guess
                onto[:] = -1
            _copy(after if found else before, state.relative)
    _remember(state, surfels, heads, views, observed, onto, pose)
    drift = _composed(pose, _inverse(odometry))
    for k in range(3):
        state.odometry[k], state.pose[k], state.drift[k] = odometry[k], pose[k], drift[k]
    state.scans += 1


@kernel
def _predict(state, odometry):
    """Return the step since the last scan by odometry, and the pose that it leads to."""
    step = _composed(_inverse(state.odometry), odometry)
    step = step[0], step[1], _wrapped(step[2])
    guess = _composed(state.pose, corrected(state.error, step))
    dx, dy = guess[0] - state.pose[0], guess[1] - state.pose[1]
    if state.surfels == 0:
        place, heading = ordinary_variances(step)
        propagate(state.unseen, dx, dy, place, heading)
    else:
        propagate(state.unseen, dx, dy, 0.0, 0.0)
        propagate(state.inherited, dx, dy, 0.0, 0.0)
    return step, guess


@kernel
def _learn(state, step, guess, pose, before, after, off):
    """Learn the errors of odometry and ranges from a match."""
    cos, sin = math.cos(guess[2]), math.sin(guess[2])
    x, y, theta = pose[0] - guess[0], pose[1] - guess[1], pose[2] - guess[2]
    learn(state.error, step, _variances(before, cos, sin), _variances(after, cos, sin),
          (x, y, theta, cos * x + sin * y))
    state.noise = min(max(state.noise + LEARNED * (off - state.noise), LEAST_NOISE), MOST_NOISE)


@kernel
def _remember(state, surfels, heads, views, observed, onto, pose):
    """Write the covariance of a pose, and remember the surfels that are observed there."""
    c, worst = state.covariance, worst_noise(state.error)
    for i in range(3):
        for j in range(3):
            c[i, j] = (state.relative[i, j] + state.inherited[i, j] + worst * state.unseen[i, j])
    if state.surfels + observed.size > MOST:
        return
    view = views[state.views]
    view.x, view.y, view.xx, view.xy, view.xt = pose[0], pose[1], c[0, 0], c[0, 1], c[0, 2]
    view.yy, view.yt, view.tt = c[1, 1], c[1, 2], c[2, 2]
    count = enter(surfels, heads, state.surfels, observed, onto, pose, c, state.views)
    state.views += count > state.surfels
    state.surfels = count


@kernel
def _contradicts(guess, pose, before, after, matched):
    """Return whether a match moves the pose farther than the covariances allow."""
    for k in range(3 if matched >= MANY else 0):
        moved = pose[k] - guess[k]
        if moved * moved > CONTRADICTS * max(before[k, k] - after[k, k], 1e-12):
            return True
    return False


# ---- poses -------------------------------------------------------------------------------------

@kernel
def _wrapped(angle):
    """Return an angle in [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@kernel
def _composed(pose, other):
    """Return a pose, given in the frame of the first one, in the frame that this is given in."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    return (pose[0] + cos * other[0] - sin * other[1], pose[1] + sin * other[0] + cos * other[1],
            _wrapped(pose[2] + other[2]))


@kernel
def _inverse(pose):
    """Return the motion that undoes a pose."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    return (-cos * pose[0] - sin * pose[1], sin * pose[0] - cos * pose[1], _wrapped(-pose[2]))


@kernel
def _variances(covariance, cos, sin):
    """Return the variances of a pose in x, y and heading, and in a direction."""
    xx, yy, tt = covariance[0, 0], covariance[1, 1], covariance[2, 2]
    return xx, yy, tt, cos * cos * xx + 2.0 * cos * sin * covariance[0, 1] + sin * sin * yy


@kernel
def _copy(source, target):
    """Copy a matrix (3, 3)."""
    for i in range(3):
        for j in range(3):
            target[i, j] = source[i, j]


@kernel
def propagate(c, dx, dy, place, heading):
    """
    Propagate the covariance (3, 3) of a pose through a step by dx, dy [m].

    An error of the heading turns the step; ``place`` [m^2] and ``heading`` [rad^2] are the
    variances of the step itself.
    """
    c[0, 0] += -2.0 * dy * c[0, 2] + dy * dy * c[2, 2] + place
    c[0, 1] += dx * c[0, 2] - dy * c[1, 2] - dx * dy * c[2, 2]
    c[0, 2] -= dy * c[2, 2]
    c[1, 1] += 2.0 * dx * c[1, 2] + dx * dx * c[2, 2] + place
    c[1, 2] += dx * c[2, 2]
    c[2, 2] += heading
    c[1, 0], c[2, 0], c[2, 1] = c[0, 1], c[0, 2], c[1, 2]


@kernel
def inherit(c, surfels, views, onto, pose):
    """
    Write the covariance (3, 3) that a pose inherits from the walls that it was aligned with.

    A wall is known as well as the pose was from which it was first seen. ``onto`` (n,) are the
    surfels, -1 for none.
    """
    xx = xy = xt = yy = yt = tt = 0.0
    count = 0
    for i in range(onto.size):
        if onto[i] >= 0:
            view = views[surfels[onto[i]].first_view]
            # An error of that pose's heading turns everything that is seen from it.
            dx, dy = pose[0] - view.x, pose[1] - view.y
            xx += view.xx - 2.0 * dy * view.xt + dy * dy * view.tt
            xy += view.xy + dx * view.xt - dy * view.yt - dx * dy * view.tt
            xt += view.xt - dy * view.tt
            yy += view.yy + 2.0 * dx * view.yt + dx * dx * view.tt
            yt += view.yt + dx * view.tt
            tt += view.tt
            count += 1
    count = max(count, 1)
    c[0, 0], c[1, 1], c[2, 2] = xx / count, yy / count, tt / count
    c[0, 1] = c[1, 0] = xy / count
    c[0, 2] = c[2, 0] = xt / count
    c[1, 2] = c[2, 1] = yt / count
