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
The tracker of dynamic obstacles: clusters of beams that end where earlier scans saw free space.

An object that has been stationary for the whole `passage_timeout` becomes an ordinary obstacle.
Until then it is *dynamic*: the robot waits for it, and no algorithm reacts to it. The scan filters
(`perception.scan_filters`) mark the beams; this tracker groups and follows them.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from typing import Dict, List, NamedTuple, Set, Tuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.perception.beams import is_full_turn
from bug_nav.navigation.perception.sweep import DYNAMIC, PERSON, Sweep
import numpy as np

MIN_BEAM_SPACINGS = 1.5
"""Minimum width of a new object [distances between two beams]: beams may miss a narrower one."""
MIN_BEAMS = 3
"""Minimum number of neighbouring beams on an object."""
MAX_RANGE_STEP = 0.25
"""Maximum difference between neighbouring ranges on the same object [m]."""
INITIAL_SPEED = 1.5
"""Assumed speed of an object in its first scan [m/s]."""
BLIND_RANGE, BLIND_HOLD = 0.6, 1.0
"""
Distance from the lidar within which an object may be too near to measure [m], and time for which
it is then kept after the last observation [s].
"""
MAX_SPEED = 2.5
"""Maximum speed at which detections of two scans are associated [m/s]."""
SPEED_WINDOW = 0.7
"""Time window for the maximum speed of an object [s]."""
CELL = 0.05
"""Size of the cells that record where objects were [m]."""
MAX_CELLS = 100_000
"""Number of cells above which the older half is deleted."""
ARRIVAL_CELLS = 5
"""Side of the square that counts as part of an object that has arrived [cells]."""
MASKED_WIDTH = 0.8
"""Maximum width of a person-sized cluster between farther beams [m]."""
ARRIVAL_SHARE = 0.5
"""Share of the `passage_timeout` after which a stationary object counts as arrived."""
MAX_UNSEEN = 1.0
"""Time without a detection in a cell, or without a scan of its lidar, that an object lasts [s]."""
MOTION_TIME, MOTION_DISTANCE = 1.0, 0.3
"""Minimum tracking time [s] and distance [m] of an object that has moved."""
MOTION_HORIZON = 5.0
"""
Time after a detected motion for which more of it is expected [s].

It bridges the gaps in which a moving object is not detected, because it is hidden or turns back.
"""
MOVING_AREA = 20.0
"""
Size of the cells [m] in which, and in whose neighbours, more motion is expected at any time after
an object other than a person has moved.

A door can stand for minutes, and then swing undetected through places that were never observed;
and where there is one door, there are others.
"""

Cell = Tuple[int, int]


class DynamicObstacle(NamedTuple):
    """An object that moves, or that occupies space that was free a moment ago."""

    points: np.ndarray
    """The observed points of the object, (n, 2) [m]."""
    velocity: Tuple[float, float]
    """[m/s]; (0, 0) while unknown."""
    speed: float
    """Maximum speed within `SPEED_WINDOW`; `INITIAL_SPEED` in the first scan [m/s]."""
    is_tracked: bool
    """Whether an earlier scan observed it too, so that its velocity is known."""


def _distance(one: DynamicObstacle, other: DynamicObstacle) -> float:
    """Return the distance between the centres of two objects [m]."""
    return math.dist(one.points.mean(axis=0), other.points.mean(axis=0))


class _Track(NamedTuple):
    x: float
    y: float
    first_seen: Tuple[float, float, float]
    """Stamp and place of the first detection."""
    speeds: Tuple[Tuple[float, float], ...] = ()
    """Stamps and speeds."""
    votes: int = 0
    """Number of detections as a person-sized object, minus that of the others."""

    def has_moved(self, stamp: float) -> bool:
        """Return whether the object has moved since its first detection."""
        since, x, y = self.first_seen
        return (stamp - since >= MOTION_TIME
                and math.hypot(self.x - x, self.y - y) >= MOTION_DISTANCE)


@dataclasses.dataclass
class _Detections:
    """The objects that a lidar detects."""

    stamp: float = -math.inf
    """Stamp of its newest scan [s]."""
    tracks: List[_Track] = dataclasses.field(default_factory=list)
    seen: List[DynamicObstacle] = dataclasses.field(default_factory=list)
    """The obstacles in its newest scan."""
    nearby: List[Tuple[float, DynamicObstacle]] = dataclasses.field(default_factory=list)
    """Those that were near it a moment ago, with their stamps [s]."""
    obstacles: List[DynamicObstacle] = dataclasses.field(default_factory=list)
    """Those of its newest scan, and those that are too near to be measured."""


class DynamicObstacleTracker:
    """
    Groups dynamic obstacles and follows them from scan to scan (odometry frame).

    Each lidar has its own detections and tracks, because the scan of one does not show that an
    object which another has detected is gone.
    """

    def __init__(self, passage_timeout: float):
        """Start without tracks; ``passage_timeout`` [s] is as in `Settings`."""
        self._passage_timeout = passage_timeout
        self.forget()

    def forget(self) -> None:
        """Forget all objects: those that a lidar seemed to see were readings that it had lost."""
        self._detections: Dict[Pose, _Detections] = collections.defaultdict(_Detections)
        """Those of each lidar, by its mount."""
        self.dynamic_obstacles: List[DynamicObstacle] = []
        """Those of the newest scans, and those that are too near to be measured."""
        self._last_motion = -math.inf
        """Stamp of the last scan with an object that has moved, or arrived and stayed [s]."""
        self._moving_areas: Set[Cell] = set()
        """Cells of `MOVING_AREA` in which an object other than a person has moved or arrived."""
        self.has_tracked_motion = False
        """Whether any object was tracked while it moved; an arrival may be odometry drift."""
        self._visits: Dict[Cell, Tuple[float, float]] = {}
        self._arrived_cells: Set[Cell] = set()

    @property
    def has_moved(self) -> bool:
        """Return whether any object has moved, or arrived and stayed."""
        return self._last_motion > -math.inf

    def may_move(self, place: Point, stamp: float) -> bool:
        """
        Return whether a scan taken at a place may contain undetected motion.

        It may shortly after a detected motion, and in an area where an object has moved that
        `mark_person_sized` does not mark.
        """
        if stamp - self._last_motion < MOTION_HORIZON:
            return True
        if not self._moving_areas:
            return False
        i, j = int(place[0] // MOVING_AREA), int(place[1] // MOVING_AREA)
        return any((i + di, j + dj) in self._moving_areas
                   for di in (-1, 0, 1) for dj in (-1, 0, 1))

    def mark_dynamic(self, sweep: Sweep, ends: np.ndarray, spacing: np.ndarray, sensor: Point
                     ) -> None:
        """
        Mark the readings of a sweep that are of dynamic obstacles.

        ``ends`` (n, 2) [m] are the ends of the beams. ``spacing`` (n,) [m] is the beam spacing
        there of an earlier scan whose beams passed through the place; inf without one. ``sensor``
        is the place of the lidar.
        """
        beams = (spacing < math.inf).nonzero()[0] if spacing.size else spacing
        own, stamp = self._detections[sweep.scan.mount], sweep.scan.stamp
        own.seen, own.tracks = (self._detect(own, sweep, ends, beams, spacing) if beams.size
                                else ([], []))
        own.stamp = stamp
        _add_occluded(own, sensor)
        self.dynamic_obstacles = [
            thing for each in self._detections.values() if abs(stamp - each.stamp) < MAX_UNSEEN
            for thing in each.obstacles]

    def mark_person_sized(self, sweep: Sweep) -> None:
        """
        Mark the readings of static objects that are narrow and in front of their background.

        Used once an object has moved: a person who walks beside the robot appears stationary.
        """
        sweep.mark(_person_sized(sweep), PERSON)

    def has_arrived(self, places: np.ndarray) -> np.ndarray:
        """Return at or near which places (n, 2) [m] an object has arrived and stayed."""
        if not self._arrived_cells:
            return np.zeros(len(places), dtype=bool)
        cells = np.floor(places / (CELL * ARRIVAL_CELLS)).astype(int)
        return np.array([cell in self._arrived_cells for cell in map(tuple, cells.tolist())],
                        dtype=bool)

    def _detect(self, own: _Detections, sweep: Sweep, ends: np.ndarray, beams: np.ndarray,
                spacing: np.ndarray) -> Tuple[List[DynamicObstacle], List[_Track]]:
        """Return the objects of grouped beams, and their tracks, which continue those before."""
        scan, ranges = sweep.scan, sweep.scan.ranges
        is_split = (np.diff(beams) > 2) | (np.abs(np.diff(ranges[beams])) > MAX_RANGE_STEP)
        clusters = np.split(np.arange(beams.size), np.flatnonzero(is_split) + 1)
        if (len(clusters) > 1 and beams[0] + ranges.size - beams[-1] <= 2
                and is_full_turn(ranges.size, abs(scan.angle_increment))
                and abs(ranges[beams[0]] - ranges[beams[-1]]) <= MAX_RANGE_STEP):
            # The last beam of a full turn is beside the first.
            clusters[0] = np.concatenate((clusters.pop(), clusters[0]))
        objects: List[DynamicObstacle] = []
        tracks: List[_Track] = []
        person_sized = _person_sized(sweep)
        for cluster in clusters:
            seen = ends[beams[cluster]]
            width = math.dist(seen[0], seen[-1])
            widest = float(spacing[beams[cluster]].max())
            if cluster.size < MIN_BEAMS or width <= MIN_BEAM_SPACINGS * widest:
                continue
            sweep.mark(beams[cluster], DYNAMIC)
            x, y = seen.mean(axis=0).tolist()
            track, velocity = _associate(own, x, y, scan.stamp)
            is_person_sized = 2 * person_sized[beams[cluster]].sum() > cluster.size
            track = track._replace(votes=track.votes + (1 if is_person_sized else -1))
            tracks.append(track)
            objects.append(DynamicObstacle(seen, velocity, max(
                (speed for _, speed in track.speeds), default=INITIAL_SPEED), bool(track.speeds)))
            self._note_motion(track, self._mark_cells(seen, scan.stamp), scan.stamp)
        return objects, tracks

    def _note_motion(self, track: _Track, has_arrived: bool, stamp: float) -> None:
        """Record the motion or the arrival of an object, if any."""
        has_moved = track.has_moved(stamp)
        self.has_tracked_motion |= has_moved
        if has_moved or has_arrived:
            self._last_motion = stamp
            is_person = has_moved and track.votes > 0
            if not is_person:
                self._moving_areas.add((int(track.x // MOVING_AREA), int(track.y // MOVING_AREA)))

    def _mark_cells(self, places: np.ndarray, stamp: float) -> bool:
        """
        Record the cells that an object occupies, and since when.

        Return whether it has arrived and stayed in one of them.
        """
        has_arrived = False
        if len(self._visits) > MAX_CELLS:
            newest = sorted(self._visits.items(), key=lambda each: each[1][1])[MAX_CELLS // 2:]
            self._visits = dict(newest)
        for cell in set(map(tuple, np.floor(places / CELL).astype(int).tolist())):
            since, last = self._visits.get(cell, (stamp, stamp))
            since = since if stamp - last < MAX_UNSEEN else stamp
            self._visits[cell] = since, stamp
            if stamp - since >= ARRIVAL_SHARE * self._passage_timeout:
                has_arrived = True
                self._arrived_cells.add((cell[0] // ARRIVAL_CELLS, cell[1] // ARRIVAL_CELLS))
        return has_arrived

    def arrived_last_seen(self, place: Tuple[float, float]) -> float:
        """Return when an object that stopped at a place was last dynamic; -inf for never."""
        if not self._visits:
            return -math.inf
        i, j = math.floor(place[0] / CELL), math.floor(place[1] / CELL)
        visits = [self._visits.get((i + di, j + dj), (0.0, -math.inf))
                  for di in (-1, 0, 1) for dj in (-1, 0, 1)]
        return max(last if last - since >= ARRIVAL_SHARE * self._passage_timeout else -math.inf
                   for since, last in visits)


def _add_occluded(own: _Detections, sensor: Point) -> None:
    """Keep objects that were near the lidar a moment ago and are not detected now."""
    held = [(then, thing) for then, thing in own.nearby if own.stamp - then < BLIND_HOLD
            and not any(_distance(thing, other) < MAX_SPEED * (own.stamp - then)
                        for other in own.seen)]
    own.obstacles = own.seen + [thing for _, thing in held]
    own.nearby = held + [
        (own.stamp, thing._replace(speed=INITIAL_SPEED, is_tracked=False)) for thing in own.seen
        if np.hypot(*(thing.points - sensor).T).min() < BLIND_RANGE]


def _associate(own: _Detections, x: float, y: float, stamp: float
               ) -> Tuple[_Track, Tuple[float, float]]:
    """Return the track of an object detected at a place, and its velocity."""
    elapsed = stamp - own.stamp
    previous = min(own.tracks, default=None,
                   key=lambda track: math.hypot(track.x - x, track.y - y))
    new_track = _Track(x, y, (stamp, x, y))
    if previous is None or elapsed <= 0.0:
        return new_track, (0.0, 0.0)
    vx, vy = (x - previous.x) / elapsed, (y - previous.y) / elapsed
    speed = math.hypot(vx, vy)
    if speed > MAX_SPEED:
        return new_track, (0.0, 0.0)
    speeds = tuple(each for each in previous.speeds if stamp - each[0] < SPEED_WINDOW)
    return previous._replace(x=x, y=y, speeds=(*speeds, (stamp, speed))), (vx, vy)


def _person_sized(sweep: Sweep) -> np.ndarray:
    """Return which readings of static obstacles are of person-sized objects, (n,)."""
    scan = sweep.scan
    result: np.ndarray = person_sized(scan.ranges, sweep.kinds, scan.range_max,
                                      abs(scan.angle_increment))
    return result


@kernel
def person_sized(ranges: np.ndarray, kinds: np.ndarray, range_max: float, width: float
                 ) -> np.ndarray:
    """
    Return which readings are of person-sized objects, (n,); ``width`` [rad] is that of a beam.

    ``ranges`` and ``kinds`` (n,) are those of a sweep; its dynamic obstacles count as free.
    """
    count, measured = ranges.size, np.empty(ranges.size)
    found = np.zeros(count, dtype=np.bool_)
    for k in range(count):
        is_static = kinds[k] != DYNAMIC and 0.0 < ranges[k] <= range_max
        measured[k] = ranges[k] if is_static else np.inf
    for first in range(count):
        if measured[first] == np.inf or _continues(measured, first):
            continue
        size, total = 1, measured[first]
        while _continues(measured, (first + size) % count):
            total += measured[(first + size) % count]
            size += 1
        last = (first + size - 1) % count
        if (width * total <= MASKED_WIDTH and measured[first - 1] > measured[first]
                and measured[(last + 1) % count] > measured[last]):
            for k in range(size):
                found[(first + k) % count] = True
    return found


@kernel
def _continues(ranges: np.ndarray, k: int) -> bool:
    """Return whether beam ``k`` of a scan ends on the same object as the one before."""
    return abs(ranges[k] - ranges[k - 1]) <= MAX_RANGE_STEP
