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
The obstacle points of a goal: each is a place on a wall that every scan updates.

A point is the mean of the readings of its beams, so that noise does not move a wall. If each
reading were a point of its own, the nearest of many would count, and a door would get narrower the
longer the robot observes it. A point lasts until the end of the goal, unless beams keep passing
through it: points that are hidden, behind the robot, or too near to be measured remain.
"""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Tuple

from bug_nav.navigation.compiled import fan
from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.perception.memory_update import (
    BLIND_MARGIN,
    COLUMNS,
    FIRST_MEASURED,
    LAST_MEASURED,
    PASSED_SINCE,
    RANGE_TOLERANCE,
    READINGS,
    STATE,
    update_memory,
    X,
    Y,
)
from bug_nav.navigation.types import Scan
import numpy as np

MIN_ROWS = 512
"""Minimum number of rows by which the table grows."""
MAX_POINTS = 200_000
"""Maximum number of points; beyond it, the oldest are deleted."""
REFRESH_DISTANCE = 0.3
"""Distance after which the list of points near the robot is renewed [m]."""
BLIND_SECTOR = 0.6
"""
A point that is too near to be measured is cleared if no reading is within this angle of it [rad].
"""
FAR_SPACING = 0.05
"""Minimum distance between points that are added from afar [m]."""

NO_POINTS = np.empty((0, 2))
NEIGHBOUR_OFFSETS = (-FAR_SPACING, 0.0, FAR_SPACING)
"""Offsets between an observed and a stored position that still match [m]."""


def _cells(places: np.ndarray) -> np.ndarray:
    """Return the cell numbers of places (n, 2) [m], (n,)."""
    i, j = np.floor(places / FAR_SPACING).astype(np.int64).T
    return i * 1000003 + j


def _is_confirmed(rows: np.ndarray) -> np.ndarray:
    """Return which rows of the table (n, COLUMNS) are valid points, (n,)."""
    return (((rows[:, READINGS] > 1.0) | (rows[:, PASSED_SINCE] == math.inf))
            & (rows[:, X] < math.inf))


class ObstacleMemory:
    """The obstacle points of a goal (odometry frame)."""

    def __init__(self, clearing_time: float, reach: float = math.inf, scale: float = 1.0,
                 body_radius: float = 0.0, learns_noise: bool = True):
        """
        Start without points.

        ``clearing_time`` [s]: time after which a point that beams pass through is cleared.
        ``reach`` [m]: maximum distance of points that are updated. ``scale``: 1, or less for a
        small robot, whose points are denser and have less noise in proportion. ``body_radius``
        [m]: readings within this radius belong to the robot. ``learns_noise``: estimate the range
        noise from the scans, which requires narrow beams that repeatedly measure the same place of
        a wall. In the cone of a single ranger, or in a contact sector, the nearest point moves
        along the wall with the robot, and the distance between two readings is not noise.
        """
        self._clearing_time, self._reach = clearing_time, reach
        self._scale, self._body_radius = scale, body_radius
        self._learns_noise = learns_noise
        self._states = np.zeros(1, dtype=STATE)
        self._state = self._states[0]
        self._stamp = 0.0
        self.noise = 0.0
        """Estimated standard deviation of a range [m]."""
        self.sensor = IDENTITY
        """Pose of the sensor at the newest update."""
        self._table = np.empty((MIN_ROWS, COLUMNS))
        self._near_rows = np.empty(MIN_ROWS, dtype=np.int64)
        self._cleared = np.empty((MIN_ROWS, 2))
        self._refreshed_at: Optional[Pose] = None
        self._changed: Optional[List[np.ndarray]] = None

    @property
    def _rows(self) -> int:
        return int(self._state['rows'])

    @property
    def _nearby(self) -> np.ndarray:
        """Return the indices of the rows that may be within reach, (n,)."""
        return self._near_rows[:self._state['nearby']]

    @property
    def points(self) -> np.ndarray:
        """
        Return all points, near and far, (n, 2) [m].

        Points that were measured once and contradicted later are left out.
        """
        return self._confirmed[:, :READINGS]

    @property
    def first_measured(self) -> np.ndarray:
        """Return when each point was first measured, (n,) [s]."""
        return self._confirmed[:, FIRST_MEASURED]

    @property
    def last_measured(self) -> np.ndarray:
        """Return when each point was last measured, (n,) [s]."""
        return self._confirmed[:, LAST_MEASURED]

    @property
    def _confirmed(self) -> np.ndarray:
        table = self._table[:self._rows]
        return table[_is_confirmed(table)]

    def changes(self) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return the points that may have changed since the last call; for a single caller.

        The result is their indices (n,), each once, and their places (n, 2) [m]: inf for a point
        that is not among `points`. The first call returns all. The cost depends on the number of
        points near the robot only.
        """
        if self._changed is None:
            self._changed = [np.arange(self._rows)]
        numbers = np.unique(np.concatenate((*self._changed, self._nearby)))
        self._changed = []
        places = np.full((len(numbers), 2), math.inf)
        known = numbers < self._rows
        rows = self._table[numbers[known]]
        places[known] = np.where(_is_confirmed(rows)[:, None], rows[:, :READINGS], math.inf)
        return numbers, places

    def add(self, points: np.ndarray) -> None:
        """Add distant points (n, 2) [m] unless they are known."""
        self._reserve(len(points))
        row = self._rows
        for point in points:
            x, y = (self._table[:row, :READINGS] - point).T
            if (np.hypot(x, y) > FAR_SPACING).all():
                self._table[row] = (*point, 1.0, math.inf, self._stamp, self._stamp)
                self._near_rows[self._state['nearby']] = row
                self._state['nearby'] += 1
                row += 1
        self._state['rows'] = row

    def measure(self, scan: Scan, pose: Pose, clears: bool = False
                ) -> Tuple[np.ndarray, np.ndarray]:
        """
        Update the points with a scan that was taken at ``pose``.

        Return a new array of the points within reach of the robot, (n, 2) [m]; and, with
        ``clears``, the places of those that the scan has seen through and that are cleared, (m, 2)
        [m].
        """
        self._reserve(len(scan.ranges))
        before = self._refreshed_at
        if before is None or math.hypot(pose.x - before.x, pose.y - before.y) > REFRESH_DISTANCE:
            self._refresh_nearby(pose)
        self._stamp, self.sensor = scan.stamp, pose.compose(scan.mount)
        near: np.ndarray = update_memory(
            self._table, self._near_rows, self._states, self._cleared, scan.stamp,
            np.ascontiguousarray(scan.ranges, dtype=float),
            *fan(scan.angle_min, scan.angle_increment, len(scan.ranges)), *self.sensor,
            scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max, pose.x, pose.y,
            self._reach, self._clearing_time, self._scale, self._body_radius, self._learns_noise,
            clears)
        self.noise = float(self._state['noise'])
        cleared = self._state['cleared']
        return near, self._cleared[:cleared].copy() if cleared else NO_POINTS

    def clear_blind(self, scan: Scan, pose: Pose,
                    has_arrived: Callable[[Point], bool]) -> np.ndarray:
        """
        Clear points that have arrived and are too near to be measured once nothing is beside them.

        Call it with the scan and the pose of the last `measure`. Other points that near remain,
        because beams give no information about them, but a person who came and left must not.
        Return the points near the robot, (n, 2) [m].
        """
        near, sensor = self._table[self._nearby], self.sensor
        dx, dy = near[:, X] - sensor.x, near[:, Y] - sensor.y
        unmeasurable = np.flatnonzero(np.hypot(dx, dy) <= scan.range_min + BLIND_MARGIN)
        beams = sensor.theta + scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        for i in unmeasurable:
            in_sector = np.cos(beams - math.atan2(dy[i], dx[i])) > math.cos(BLIND_SECTOR)
            if in_sector.any() and has_arrived((near[i, X], near[i, Y])) and np.all(
                    scan.ranges[in_sector] > scan.range_min + RANGE_TOLERANCE):
                near[i, X] = self._table[self._nearby[i], X] = math.inf
        within = np.hypot(near[:, X] - pose.x, near[:, Y] - pose.y) < self._reach
        return near[within, :READINGS]

    def clear_seen_through(self, through: Callable[[np.ndarray], np.ndarray],
                           least: int) -> np.ndarray:
        """
        Clear the points, near and far, that were seen through if they are at least ``least``.

        ``through`` returns which of points (n, 2) [m] were. Return the cleared points, (m, 2) [m].
        """
        rows = np.flatnonzero(self._table[:self._rows, X] < math.inf)
        cleared = rows[through(self._table[rows, :READINGS])]
        if cleared.size < least:
            return NO_POINTS
        places = self._table[cleared, :READINGS].copy()
        self._table[cleared, X] = math.inf
        self._mark_changed(cleared)
        return places

    def confirm(self, seen: np.ndarray, stamp: float) -> None:
        """Record that points at places (m, 2) [m], near and far, were observed at a time [s]."""
        table = self._table[:self._rows]
        valid = np.flatnonzero(table[:, X] < math.inf)
        around = [_cells(seen + (dx, dy)) for dx in NEIGHBOUR_OFFSETS for dy in NEIGHBOUR_OFFSETS]
        table[valid[np.isin(_cells(table[valid, :READINGS]), np.concatenate(around))],
              LAST_MEASURED] = stamp

    def _refresh_nearby(self, pose: Pose) -> None:
        """Find the rows that may come within reach before the next refresh."""
        self._mark_changed(self._nearby.copy())  # before they are replaced
        table = self._table[:self._rows]
        away = np.hypot(table[:, X] - pose.x, table[:, Y] - pose.y)
        # Cleared points are at inf, beyond any reach.
        nearby = np.flatnonzero(away < self._reach + REFRESH_DISTANCE + RANGE_TOLERANCE)
        self._near_rows[:nearby.size] = nearby
        self._state['nearby'] = nearby.size
        self._refreshed_at = pose

    def _mark_changed(self, numbers: np.ndarray) -> None:
        if self._changed is not None:
            self._changed.append(numbers)

    def _reserve(self, count: int) -> None:
        """Reserve room for ``count`` more points."""
        rows = self._rows
        if rows > MAX_POINTS:
            kept = self._table[:rows]
            self._mark_changed(np.arange(rows))
            kept = kept[kept[:, X] < math.inf][-MAX_POINTS:]
            self._state['rows'], self._refreshed_at = len(kept), None
            rows = len(kept)
            self._table[:rows] = kept
        if rows + count > len(self._table):
            more = max(MIN_ROWS, len(self._table), count)
            self._table = np.concatenate((self._table, np.empty((more, COLUMNS))))
            self._near_rows = np.concatenate((self._near_rows, np.empty(more, dtype=np.int64)))
            self._cleared = np.empty((len(self._table), 2))
