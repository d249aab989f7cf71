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
What moves: what a lidar sees where it has seen nothing before.

A reading is of something that has moved, or has come, where an earlier beam went on through that
place. So each scan is compared with a few of the last seconds. What has stood where it is for all
that time is an obstacle like any other; what has not is *passing*: the robot waits for it, and no
algorithm meets it.
"""

from __future__ import annotations

import collections
import math
from typing import Deque, Dict, List, NamedTuple, Set, Tuple

from bug_nav.core.compiled import kernel
from bug_nav.core.geometry import Point, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.beams import is_whole_turn
import numpy as np

BEYOND, NEAR, NEAR_BEYOND = 0.15, 0.7, 0.08
"""
A beam has gone through a place where it ends so much [m] behind it; nearer to the lidar than this
[m] so much less will do, for there it matters how soon it is seen that somebody sets out ...
"""
DRIFT = 0.5
"""... but so much for what is remembered, for odometry may have drifted since ..."""
SIDE = 0.05
"""... and those that pass it no farther away than this [m] do so too: more with much noise ..."""
MOST_BESIDE = 40
"""... of which there are so many on each side at most."""
AT_END = 0.2
"""... which cannot be told so little [m] before the end of the lidar's range."""
SHARES = (0.05, 0.2, 0.5, 1.0)
"""A scan is compared with those of so long ago, in shares of the time that is waited."""
WIDER = 1.5
"""What has come is so many times as wide as two beams were apart: else they may have missed it."""
BEAMS = 3
"""It is seen by so many beams on end."""
LIKE = 0.25
"""Readings are of one thing where two on end differ by no more [m]."""
FASTEST = 1.5
"""How fast something may be that is seen for the first time [m/s]."""
AT_HAND, HIDDEN = 0.6, 1.0
"""What was so near to the lidar [m] is there for so long [s] though it is not seen: too near."""
LIMIT = 2.5
"""Nothing is taken for the same in two scans that would have to be faster [m/s]."""
REMEMBERED = 0.7
"""The speed of something is the largest of so long [s]."""
CELL = 0.05
"""Where something has passed is kept in cells of this size [m]."""
MOST = 100_000
"""Of so many cells the older half is forgotten."""
AROUND = 5
"""What is in so many cells around something that has come to stay may be a part of it."""
PERSON = 0.8
"""People are no wider than this [m]."""
STAYS = 0.5
"""What is seen at a place for so much of the time that is waited has come to stand there."""
BLINK = 1.0
"""What is not seen for so long [s] is no longer there."""
FOLLOWED, GONE_ON = 1.0, 0.3
"""What moves was seen to do so for so long [s], and so far [m]."""
DEVIATIONS = 3.0
"""A reading is off by so many times the noise at most."""


@kernel
def gone_through(xs, ys, past, past_x, past_y, past_first, past_step, range_min, range_max, side,
                 beyond, close, apart):
    """
    Mark in ``apart`` (n,) through which places ``xs``, ``ys`` (n,) [m] the beams of a scan went.

    ``past`` (m,) are its ranges, from ``past_x``, ``past_y``; beam 0 looks along ``past_first``
    [rad], ``past_step`` [rad] from the next. They have to end ``beyond`` [m] behind a place, or
    ``close`` [m] where it is near, and so have those that pass ``side`` [m] beside it. Written is
    how far apart the beams are there [m], where that is less than what is there.
    """
    turn, count = 2.0 * math.pi, past.size
    size = abs(past_step)
    whole = is_whole_turn(past_step, count)
    for i in range(xs.size):
        dx, dy = xs[i] - past_x, ys[i] - past_y
        away = math.sqrt(dx * dx + dy * dy)
        if not range_min <= away <= range_max - AT_END:
            continue
        turns = math.copysign(1.0, past_step) * (math.atan2(dy, dx) - past_first) / turn
        k = int((turns - math.floor(turns)) * turn / size + 0.5)
        if k >= count:
            if not whole:
                continue
            k = 0
        behind = away + (min(beyond, close) if away < NEAR else beyond)
        if not past[k] > behind:
            continue
        through = True
        beside = min(1 + int(side / (size * away)), MOST_BESIDE)
        for j in range(k - beside, k + beside + 1):
            if whole:
                j += count if j < 0 else (-count if j >= count else 0)
            through = through and 0 <= j < count and past[j] > behind
        if through:
            apart[i] = min(apart[i], size * away)


class Passing(NamedTuple):
    """Something that moves, or stands where it was free a moment ago."""

    points: np.ndarray
    """What is seen of it, (n, 2) [m]."""
    velocity: Tuple[float, float]
    """[m/s]; 0, 0 while it is not known."""
    speed: float
    """The largest of the last moments; `FASTEST` where it is seen for the first time [m/s]."""
    is_followed: bool
    """Whether it was seen before, so that its velocity is known."""


def _apart(one: Passing, other: Passing) -> float:
    """Return how far apart two things are [m]."""
    return math.dist(one.points.mean(axis=0), other.points.mean(axis=0))


class _Track(NamedTuple):
    x: float
    y: float
    began: Tuple[float, float, float]
    """When and where it was seen first."""
    speeds: Tuple[Tuple[float, float], ...] = ()
    """Stamps and speeds."""


class _Look(NamedTuple):
    stamp: float
    ranges: np.ndarray
    sensor: Pose
    first: float
    step: float

    def through(self, xs: np.ndarray, ys: np.ndarray, scan: Scan, noise: float,
                apart: np.ndarray, beyond: float = BEYOND, close: float = NEAR_BEYOND) -> None:
        """Mark what its beams have gone through; ``scan`` has the limits of the lidar."""
        gone_through(xs, ys, self.ranges, self.sensor.x, self.sensor.y, self.first, self.step,
                     scan.range_min, scan.range_max, max(SIDE, DEVIATIONS * noise),
                     max(beyond, 2.0 * DEVIATIONS * noise),
                     max(close, 2.0 * DEVIATIONS * noise), apart)


def _look(scan: Scan, pose: Pose) -> _Look:
    sensor = pose.compose(scan.mount)
    return _Look(scan.stamp, scan.ranges, sensor, sensor.theta + scan.angle_min,
                 scan.angle_increment)


def seen_through(points: np.ndarray, scan: Scan, pose: Pose, noise: float) -> np.ndarray:
    """Tell through which of points (n, 2) [m] a scan, taken at ``pose``, has seen, (n,) bool."""
    apart = np.full(len(points), math.inf)
    xs, ys = points.T.copy()  # in one piece each, as the kernel has them of a scan
    _look(scan, pose).through(xs, ys, scan, noise, apart, DRIFT, DRIFT)
    return apart < math.inf


def _stands_before(scan: Scan) -> np.ndarray:
    """Tell which beams (n,) bool end on something narrow that is nearer than what is beside it."""
    count = scan.ranges.size
    with np.errstate(invalid='ignore'):
        seen = (scan.ranges <= scan.range_max) & (scan.ranges > 0.0)
        r = np.where(seen, scan.ranges, math.inf)
        off = np.where(seen & np.roll(seen, 1), np.abs(r - np.roll(r, 1)), math.inf)
    begins = np.flatnonzero(seen & (off > LIKE))
    told = np.zeros(count, dtype=bool)
    for begin in begins.tolist():
        end = begin
        while seen[(end + 1) % count] and off[(end + 1) % count] <= LIKE and end - begin < count:
            end += 1
        thing = np.arange(begin, end + 1) % count
        width = abs(scan.angle_increment) * (end - begin + 1) * float(r[thing].mean())
        told[thing] = (width <= PERSON and r[begin - 1] > r[begin]
                       and r[(end + 1) % count] > r[end % count])
    return told


class Motion:
    """Tells of each scan what in it is passing (odometry's frame)."""

    def __init__(self, waited: float):
        """Begin with nothing seen; what stands for ``waited`` [s] is no longer passing."""
        self._waited = waited
        self._past: Deque[_Look] = collections.deque()
        self._tracks: List[_Track] = []
        self._stamp = -math.inf
        self.passing: List[Passing] = []
        """What the newest scan sees of it, and what is too near to be seen."""
        self._seen: List[Passing] = []
        self._at_hand: List[Tuple[float, Passing]] = []
        self.has_moved = False
        """Whether anything was seen to move, or to come and stay."""
        self._passed: Dict[Tuple[int, int], Tuple[float, float]] = {}
        self._stays: Set[Tuple[int, int]] = set()

    def without(self, scan: Scan, pose: Pose, noise: float = 0.0) -> Scan:
        """
        Return a scan, taken at ``pose``, in which what passes is unknown (NaN).

        ``noise`` [m]: the standard deviation of a range.
        """
        now = _look(scan, pose)
        angles = now.first + now.step * np.arange(scan.ranges.size)
        with np.errstate(invalid='ignore'):
            near = (scan.ranges > scan.range_min) & (scan.ranges <= scan.range_max)
        ranges = np.where(near, scan.ranges, math.nan)
        xs, ys = now.sensor.x + ranges * np.cos(angles), now.sensor.y + ranges * np.sin(angles)
        apart = np.full(scan.ranges.size, math.inf)
        for past in self._compared(scan.stamp):
            past.through(xs, ys, scan, noise, apart)
        self._keep(now)
        beams = np.flatnonzero(apart < math.inf)
        if beams.size:
            scan = self._told_apart(scan, np.stack((xs, ys), axis=1), beams, apart)
        else:
            self._seen, self._tracks = [], []
        self._hold(now.sensor.position, scan.stamp)
        return scan

    def _hold(self, sensor: Point, stamp: float) -> None:
        """Keep in mind what was at hand a moment ago, and is not seen any more."""
        held = [(then, thing) for then, thing in self._at_hand if stamp - then < HIDDEN
                and not any(_apart(thing, other) < LIMIT * (stamp - then) for other in self._seen)]
        self.passing = self._seen + [thing for _, thing in held]
        self._at_hand = held + [
            (stamp, thing._replace(speed=FASTEST, is_followed=False)) for thing in self._seen
            if np.hypot(*(thing.points - sensor).T).min() < AT_HAND]

    def lasting(self, scan: Scan) -> Scan:
        """
        Return a scan in which people are unknown as well, and whatever is no wider than they are.

        Once something has moved, that is: who comes along with the robot is seen to stand still.
        """
        if not self.has_moved:
            return scan
        ranges = scan.ranges.copy()
        ranges[_stands_before(scan)] = math.nan
        return scan._replace(ranges=ranges)

    def have_come(self, places: np.ndarray) -> np.ndarray:
        """Tell at which of places (n, 2) [m] something has come to stay, or beside it."""
        if not self._stays:
            return np.zeros(len(places), dtype=bool)
        cells = np.floor(places / (CELL * AROUND)).astype(int)
        return np.array([cell in self._stays for cell in map(tuple, cells.tolist())], dtype=bool)

    def _compared(self, stamp: float) -> List[_Look]:
        """Return the scans of the last seconds with which this one is compared."""
        past, found = self._past, []
        while len(past) > 1 and past[1].stamp <= stamp - self._waited:
            past.popleft()
        wanted = [stamp - share * self._waited for share in SHARES]
        for look in reversed(past):
            if wanted and look.stamp <= wanted[0] + 1e-6:
                found.append(look)
                while wanted and look.stamp <= wanted[0] + 1e-6:
                    wanted.pop(0)
        # What is younger than all that is waited for has still been seen.
        if past and (not found or found[-1] is not past[0]):
            found.append(past[0])
        return found

    def _keep(self, look: _Look) -> None:
        """Keep a scan; of a fast lidar not each."""
        least = 0.5 * SHARES[0] * self._waited
        if self._past and 0.0 <= look.stamp - self._past[-1].stamp < least:
            return
        if self._past and look.stamp < self._past[-1].stamp:
            self._past.clear()
        self._past.append(look)

    def _told_apart(self, scan: Scan, places: np.ndarray, beams: np.ndarray, apart: np.ndarray
                    ) -> Scan:
        """Put beams together to things, and follow these from scan to scan."""
        ranges = scan.ranges
        new = (np.diff(beams) > 2) | (np.abs(np.diff(ranges[beams])) > LIKE)
        things = np.split(np.arange(beams.size), np.flatnonzero(new) + 1)
        if (len(things) > 1 and beams[0] + ranges.size - beams[-1] <= 2
                and abs(ranges[beams[0]] - ranges[beams[-1]]) <= LIKE):
            things[0] = np.concatenate((things.pop(), things[0]))  # across the seam of a turn
        kept, self._seen, tracks = ranges.copy(), [], []
        for thing in things:
            seen = places[beams[thing]]
            width = math.dist(seen[0], seen[-1])
            if thing.size < BEAMS or width <= WIDER * float(apart[beams[thing]].max()):
                continue
            kept[beams[thing]] = math.nan
            x, y = seen.mean(axis=0).tolist()
            track, velocity = self._followed(x, y, scan.stamp)
            tracks.append(track)
            self._seen.append(Passing(seen, velocity, max(
                (speed for _, speed in track.speeds), default=FASTEST), bool(track.speeds)))
            self._note(seen, scan.stamp)
        self._tracks, self._stamp = tracks, scan.stamp
        return scan._replace(ranges=kept) if self._seen else scan

    def _followed(self, x: float, y: float, stamp: float) -> Tuple[_Track, Tuple[float, float]]:
        """Return the track of a thing that is seen at a place, and its velocity."""
        elapsed = stamp - self._stamp
        before = min(self._tracks, default=None,
                     key=lambda track: math.hypot(track.x - x, track.y - y))
        new = _Track(x, y, (stamp, x, y))
        if before is None or elapsed <= 0.0:
            return new, (0.0, 0.0)
        vx, vy = (x - before.x) / elapsed, (y - before.y) / elapsed
        speed = math.hypot(vx, vy)
        if speed > LIMIT:
            return new, (0.0, 0.0)
        since, from_x, from_y = before.began
        self.has_moved |= (stamp - since >= FOLLOWED
                           and math.hypot(x - from_x, y - from_y) >= GONE_ON)
        speeds = tuple(each for each in before.speeds if stamp - each[0] < REMEMBERED)
        return _Track(x, y, before.began, (*speeds, (stamp, speed))), (vx, vy)

    def _note(self, places: np.ndarray, stamp: float) -> None:
        """Remember where something has passed, and since when."""
        if len(self._passed) > MOST:
            newest = sorted(self._passed.items(), key=lambda each: each[1][1])[MOST // 2:]
            self._passed = dict(newest)
        for cell in set(map(tuple, np.floor(places / CELL).astype(int).tolist())):
            since, last = self._passed.get(cell, (stamp, stamp))
            since = since if stamp - last < BLINK else stamp
            self._passed[cell] = since, stamp
            if stamp - since >= STAYS * self._waited:
                self.has_moved = True
                self._stays.add((cell[0] // AROUND, cell[1] // AROUND))

    def came(self, place: Tuple[float, float]) -> float:
        """Return when something was last seen that had come to a place to stay; -inf for never."""
        i, j = math.floor(place[0] / CELL), math.floor(place[1] / CELL)
        spells = [self._passed.get((i + di, j + dj), (0.0, -math.inf))
                  for di in (-1, 0, 1) for dj in (-1, 0, 1)]
        return max(last if last - since >= STAYS * self._waited else -math.inf
                   for since, last in spells)
