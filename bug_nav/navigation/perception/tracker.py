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
Dynamic obstacles: the beams that end where earlier scans have seen nothing, put together.

Something that has stayed where it is for the whole `passage_timeout` is an obstacle like any
other. Anything else is *passing*: the robot waits for it, and no algorithm meets it. The pass over
a scan (`perception.sweep`) finds the beams; this tracker groups and follows them.

An obstacle that stands may go again (`may_go`): where it has come to a place that was free, and
where it stands by itself and is no wider than a person, who may have stood there before the robot
saw the place. A wall, or a post that a wall runs into, may not.
"""

from __future__ import annotations

import math
from typing import Callable, Dict, List, NamedTuple, Set, Tuple

from bug_nav.navigation.geometry import Point
from bug_nav.navigation.types import Scan
import numpy as np

WIDER = 1.5
"""Least width of something that has come, in distances between two beams: they could miss less."""
BEAMS = 3
"""Least number of neighbouring beams that see it."""
LIKE = 0.25
"""Largest difference between neighbouring readings of one thing [m]."""
FASTEST = 1.5
"""Assumed speed of something that is seen for the first time [m/s]."""
AT_HAND, HIDDEN = 0.6, 1.0
"""Something this near to the lidar [m] is kept for this time [s] when it is not seen: too near."""
LIMIT = 2.5
"""Largest speed at which two scans may see the same thing [m/s]."""
REMEMBERED = 0.7
"""Time over which the largest speed of something counts [s]."""
CELL = 0.05
"""Size of the cells in which passages are kept [m]."""
MOST = 100_000
"""Number of cells above which the older half is forgotten."""
AROUND = 5
"""Side of the square around something that has come to stay that may be a part of it [cells]."""
PERSON = 0.8
"""Largest width of a person [m]."""
STAYS = 0.5
"""Share of the `passage_timeout` after which something has come to stay."""
BLINK = 1.0
"""Time without a sighting after which something is no longer there [s]."""
FOLLOWED, GONE_ON = 1.0, 0.3
"""Something has moved if it was followed for this time [s] and over this distance [m]."""


MOMENT = 1.0
"""Maximum delay until all visible points of an obstacle that has stopped are known [s]."""
LINK = 0.1
"""Points are of one thing in cells of this size [m] that touch."""
STANDING = 0.7
"""Largest width of something that stands by itself and may be a person [m]."""

Cell = Tuple[int, int]


class DynamicObstacle(NamedTuple):
    """Something that moves, or stands where it was free a moment ago."""

    points: np.ndarray
    """Points of it that are seen, (n, 2) [m]."""
    velocity: Tuple[float, float]
    """[m/s]; 0, 0 while it is not known."""
    speed: float
    """The largest of the last moments; `FASTEST` where it is seen for the first time [m/s]."""
    is_followed: bool
    """Whether it was seen before, so that its velocity is known."""


def _apart(one: DynamicObstacle, other: DynamicObstacle) -> float:
    """Return how far apart two things are [m]."""
    return math.dist(one.points.mean(axis=0), other.points.mean(axis=0))


class _Track(NamedTuple):
    x: float
    y: float
    began: Tuple[float, float, float]
    """When and where it was seen first."""
    speeds: Tuple[Tuple[float, float], ...] = ()
    """Stamps and speeds."""


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


class DynamicObstacleTracker:
    """Groups and follows what passes (odometry's frame)."""

    def __init__(self, waited: float):
        """Begin with nothing seen; what stands for ``waited`` [s] is no longer passing."""
        self._waited = waited
        self._tracks: List[_Track] = []
        self._stamp = -math.inf
        self.passing: List[DynamicObstacle] = []
        """What the newest scan sees of it, and what is too near to be seen."""
        self._seen: List[DynamicObstacle] = []
        self._at_hand: List[Tuple[float, DynamicObstacle]] = []
        self.has_moved = False
        """Whether anything was seen to move, or to come and stay."""
        self._passed: Dict[Tuple[int, int], Tuple[float, float]] = {}
        self._stays: Set[Tuple[int, int]] = set()

    def without(self, scan: Scan, places: np.ndarray, apart: np.ndarray, sensor: Point) -> Scan:
        """
        Return a scan in which what passes is unknown (NaN).

        ``places`` (n, 2) [m] are the ends of its beams. ``apart`` (n,) [m] is how far apart the
        beams of an earlier scan were there that went on; inf for a place that none went through.
        ``sensor`` is the place of the lidar.
        """
        beams = (apart < math.inf).nonzero()[0]
        if beams.size:
            scan = self._told_apart(scan, places, beams, apart)
        elif self._seen or self._tracks:
            self._seen, self._tracks = [], []
        if self._seen or self._at_hand:
            self._hold(sensor, scan.stamp)
        elif self.passing:
            self.passing = []
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

        To be asked once something has moved: somebody who walks beside the robot seems to stand.
        """
        ranges = scan.ranges.copy()
        ranges[_stands_before(scan)] = math.nan
        return scan._replace(ranges=ranges)

    def have_come(self, places: np.ndarray) -> np.ndarray:
        """Tell at which of places (n, 2) [m] something has come to stay, or beside it."""
        if not self._stays:
            return np.zeros(len(places), dtype=bool)
        cells = np.floor(places / (CELL * AROUND)).astype(int)
        return np.array([cell in self._stays for cell in map(tuple, cells.tolist())], dtype=bool)

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
            self._seen.append(DynamicObstacle(seen, velocity, max(
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


# ---- what stands and may go again --------------------------------------------------------------

def may_go(places: List[Point], points: np.ndarray, since: np.ndarray, seen: np.ndarray,
           came: Callable[[Point], float], needed: float, here: Point) -> List[Point]:
    """
    Return those of obstacle ``places`` [m] that may go yet.

    ``points`` (n, 2) [m] are all that is remembered; ``since`` and ``seen`` (n,) [s] tell since
    when and when last, and ``came`` when something came to a place, -inf for never. What was there
    for as long as ``needed`` [s] stays, and so does what is around ``here``, where the robot is.
    """
    if not len(points) or needed <= 0.0:
        return []
    cells: Dict[Cell, List[int]] = {}
    for k, cell in enumerate(map(tuple, np.floor(points / LINK).astype(int).tolist())):
        cells.setdefault(cell, []).append(k)
    settled: Dict[Cell, bool] = {}
    found = []
    for place in places:
        cell = math.floor(place[0] / LINK), math.floor(place[1] / LINK)
        dx, dy = points[:, 0] - place[0], points[:, 1] - place[1]
        nearest, when = int(np.argmin(dx * dx + dy * dy)), came(place)
        # What was known before something stood beside it is not that.
        if seen[nearest] - when < needed and since[nearest] >= when - MOMENT:
            found.append(place)
            continue
        if cell not in settled:
            thing = _thing(cell, cells)
            rows = [k for each in thing for k in cells.get(each, ())]
            settled.update(dict.fromkeys(thing, not rows or _is_wall(points[rows], here)
                           or _has_stood(points[rows], since[rows], seen[rows], came) >= needed))
        if not settled[cell]:
            found.append(place)
    return found


def _thing(first: Cell, cells: Dict[Cell, List[int]]) -> Set[Cell]:
    """Return all cells that hang together with one."""
    thing, ahead = {first}, [first]
    while ahead:
        i, j = ahead.pop()
        for near in ((i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)):
            if near in cells and near not in thing:
                thing.add(near)
                ahead.append(near)
    return thing


def _is_wall(points: np.ndarray, here: Point) -> bool:
    """Tell whether points (n, 2) [m] are of nobody: too far apart, or all around the robot."""
    low, high = points.min(axis=0), points.max(axis=0)
    return bool(np.max(high - low) > STANDING or ((low < here) & (here < high)).all())


def _has_stood(points: np.ndarray, since: np.ndarray, seen: np.ndarray,
               came: Callable[[Point], float]) -> float:
    """Return for how long something has stood where it is [s]."""
    # Who comes back to where they have stood has not stood there all the time.
    begun = max(float(since.min()), *(came((x, y)) for x, y in points.tolist()))
    return float(seen.max()) - begun
