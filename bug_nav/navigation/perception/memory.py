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
The obstacle points of a goal: each is one place of a wall, which every scan measures anew.

A point is the mean of what the beams towards it have measured, so that noise does not move a
wall: were each reading a point of its own, it would be the nearest of many that counts, and a
door would look the narrower the longer the robot looks at it. A point stays as long as the goal,
unless beams go on passing through it: what is hidden, behind the robot or too near to be
measured is there still.
"""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Tuple

from bug_nav.navigation.compiled import fan
from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.perception.measuring import (
    BLIND_MARGIN,
    BORN,
    COLUMNS,
    DOUBTED,
    MARGIN,
    MEASURED,
    READ,
    remember,
    STATE,
    X,
    Y,
)
from bug_nav.navigation.types import Scan
import numpy as np

ROWS = 512
"""The table of the points grows by so many, at first."""
MOST = 200_000
"""So many points are kept; then those that have been known for the longest go."""
AROUND = 0.3
"""Which points are near by is looked at anew once the robot has come so far [m]."""
BESIDE = 0.6
"""What is too near to be measured is seen within this angle of it [rad], or it is gone."""
FAR_SPACING = 0.05
"""Points that are seen from afar are so far apart [m]."""

NONE = np.empty((0, 2))
OFFS = (-FAR_SPACING, 0.0, FAR_SPACING)
"""What is seen is so far at most from where it is remembered [m]."""


def _cells(places: np.ndarray) -> np.ndarray:
    """Return the numbers of the cells that places (n, 2) [m] are in, (n,)."""
    i, j = np.floor(places / FAR_SPACING).astype(np.int64).T
    return i * 1000003 + j


def _is_sure(rows: np.ndarray) -> np.ndarray:
    """Tell which rows of the table (n, COLUMNS) are points that are there, (n,)."""
    return (((rows[:, READ] > 1.0) | (rows[:, DOUBTED] == math.inf))
            & (rows[:, X] < math.inf))


class ObstacleMemory:
    """The obstacle points of a goal (odometry's frame)."""

    def __init__(self, doubt: float, reach: float = math.inf, share: float = 1.0,
                 body: float = 0.0, learns: bool = True):
        """
        Begin with none.

        ``doubt`` [s]: a point through which beams pass is forgotten after so long. ``reach`` [m]:
        what is farther away is not measured. ``share``: 1, or less for a robot that is small:
        points are so much denser, and their noise so much less. ``body`` [m]: nothing is so near
        to the robot's centre but the robot. ``learns``: learn the range noise from the scans,
        which takes narrow beams that measure the same place of a wall again and again. In the cone
        of a single ranger, or in a sector of the sense of touch, the nearest point wanders along
        the wall as the robot drives, and the distance between two readings is no noise.
        """
        self._doubt, self._reach, self._share, self._body = doubt, reach, share, body
        self._learns = learns
        self._states = np.zeros(1, dtype=STATE)
        self._state = self._states[0]
        self._stamp = 0.0
        self.noise = 0.0
        """Standard deviation of a range, as far as it is known [m]."""
        self.sensor = IDENTITY
        """Where the sensor was that has measured them last."""
        self._table = np.empty((ROWS, COLUMNS))
        self._near_rows = np.empty(ROWS, dtype=np.int64)
        self._gone = np.empty((ROWS, 2))
        self._looked_from: Optional[Pose] = None
        self._touched: Optional[List[np.ndarray]] = None

    @property
    def _rows(self) -> int:
        return int(self._state['rows'])

    @property
    def _nearby(self) -> np.ndarray:
        """Return the numbers of the rows that may be within reach, (n,)."""
        return self._near_rows[:self._state['nearby']]

    @property
    def points(self) -> np.ndarray:
        """
        Return all points, near and far, (n, 2) [m].

        But for those that a single reading has seen and beams have passed through since.
        """
        return self._sure[:, :READ]

    @property
    def known_since(self) -> np.ndarray:
        """Return since when each of the points is known, (n,) [s]."""
        return self._sure[:, BORN]

    @property
    def measured_last(self) -> np.ndarray:
        """Return when each of the points was measured last, (n,) [s]."""
        return self._sure[:, MEASURED]

    @property
    def _sure(self) -> np.ndarray:
        table = self._table[:self._rows]
        return table[_is_sure(table)]

    def changes(self) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return the points that may have changed since the last call, for a single caller.

        The answer is their numbers (n,), each once, and their places (n, 2) [m]: inf for a point
        that is not among `points`. The first call returns all. The work of a call depends on the
        points near the robot, and not on the number of all points.
        """
        if self._touched is None:
            self._touched = [np.arange(self._rows)]
        numbers = np.unique(np.concatenate((*self._touched, self._nearby)))
        self._touched = []
        places = np.full((len(numbers), 2), math.inf)
        known = numbers < self._rows
        rows = self._table[numbers[known]]
        places[known] = np.where(_is_sure(rows)[:, None], rows[:, :READ], math.inf)
        return numbers, places

    def add(self, points: np.ndarray) -> None:
        """Add points (n, 2) [m] that have been seen from afar, but for those that are known."""
        self._make_room(len(points))
        row = self._rows
        for point in points:
            x, y = (self._table[:row, :READ] - point).T
            if (np.hypot(x, y) > FAR_SPACING).all():
                self._table[row] = (*point, 1.0, math.inf, self._stamp, self._stamp)
                self._near_rows[self._state['nearby']] = row
                self._state['nearby'] += 1
                row += 1
        self._state['rows'] = row

    def measure(self, scan: Scan, pose: Pose, forgets: bool = False
                ) -> Tuple[np.ndarray, np.ndarray]:
        """
        Measure the points anew with a scan that was taken at ``pose``.

        Return the points near by, (n, 2) [m], a new array with what is not farther from the robot
        than the reach; and, with ``forgets``, the places of those that the scan has seen through
        and that are forgotten, (m, 2) [m].
        """
        self._make_room(len(scan.ranges))
        before = self._looked_from
        if before is None or math.hypot(pose.x - before.x, pose.y - before.y) > AROUND:
            self._look_around(pose)
        self._stamp, self.sensor = scan.stamp, pose.compose(scan.mount)
        near: np.ndarray = remember(
            self._table, self._near_rows, self._states, self._gone, scan.stamp,
            np.ascontiguousarray(scan.ranges, dtype=float),
            *fan(scan.angle_min, scan.angle_increment, len(scan.ranges)), *self.sensor,
            scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max, pose.x, pose.y,
            self._reach, self._doubt, self._share, self._body, self._learns, forgets)
        self.noise = float(self._state['noise'])
        gone = self._state['gone']
        return near, self._gone[:gone].copy() if gone else NONE

    def forget_blind(self, scan: Scan, pose: Pose, came: Callable[[Point], bool]) -> np.ndarray:
        """
        Forget what had come, is too near to be measured, and has nothing beside it any more.

        It is asked of the scan and the pose that have just been measured with.

        What is that near stays otherwise, for beams say nothing of it; but a person who has come
        and gone must not. Return the points near by, (n, 2) [m].
        """
        near, sensor = self._table[self._nearby], self.sensor
        dx, dy = near[:, X] - sensor.x, near[:, Y] - sensor.y
        blind = np.flatnonzero(np.hypot(dx, dy) <= scan.range_min + BLIND_MARGIN)
        beams = sensor.theta + scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        for i in blind:
            beside = np.cos(beams - math.atan2(dy[i], dx[i])) > math.cos(BESIDE)
            if came((near[i, X], near[i, Y])) and np.all(
                    scan.ranges[beside] > scan.range_min + MARGIN):
                near[i, X] = self._table[self._nearby[i], X] = math.inf
        within = np.hypot(near[:, X] - pose.x, near[:, Y] - pose.y) < self._reach
        return near[within, :READ]

    def forget(self, through: Callable[[np.ndarray], np.ndarray], least: int) -> np.ndarray:
        """
        Forget what was seen through, near and far, where it is of at least so many points.

        ``through`` tells it of points (n, 2) [m]. Return what is forgotten, (m, 2) [m].
        """
        rows = np.flatnonzero(self._table[:self._rows, X] < math.inf)
        gone = rows[through(self._table[rows, :READ])]
        if gone.size < least:
            return NONE
        places = self._table[gone, :READ].copy()
        self._table[gone, X] = math.inf
        self._touch(gone)
        return places

    def confirm(self, seen: np.ndarray, stamp: float) -> None:
        """Take note that there is something at places (m, 2) [m], near and far, at a time [s]."""
        table = self._table[:self._rows]
        there = np.flatnonzero(table[:, X] < math.inf)
        around = [_cells(seen + (dx, dy)) for dx in OFFS for dy in OFFS]
        table[there[np.isin(_cells(table[there, :READ]), np.concatenate(around))],
              MEASURED] = stamp

    def _look_around(self, pose: Pose) -> None:
        """Find the rows that may come within reach until this is asked again."""
        self._touch(self._nearby.copy())  # whose place the new ones take
        table = self._table[:self._rows]
        away = np.hypot(table[:, X] - pose.x, table[:, Y] - pose.y)
        # Those that are forgotten are at inf, and no reach goes as far.
        nearby = np.flatnonzero(away < self._reach + AROUND + MARGIN)
        self._near_rows[:nearby.size] = nearby
        self._state['nearby'] = nearby.size
        self._looked_from = pose

    def _touch(self, numbers: np.ndarray) -> None:
        if self._touched is not None:
            self._touched.append(numbers)

    def _make_room(self, count: int) -> None:
        """Have room for so many more points."""
        rows = self._rows
        if rows > MOST:
            kept = self._table[:rows]
            self._touch(np.arange(rows))
            kept = kept[kept[:, X] < math.inf][-MOST:]
            self._state['rows'], self._looked_from = len(kept), None
            rows = len(kept)
            self._table[:rows] = kept
        if rows + count > len(self._table):
            more = max(ROWS, len(self._table), count)
            self._table = np.concatenate((self._table, np.empty((more, COLUMNS))))
            self._near_rows = np.concatenate((self._near_rows, np.empty(more, dtype=np.int64)))
            self._gone = np.empty((len(self._table), 2))
