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

"""The trace of a followed boundary, and the test for a closed lap."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Tuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.robot import Robot
import numpy as np

STEP = 0.04
"""Distance between two marks of a trace [m]."""
OVERLAP = 10
"""Number of marks (0.4 m) in which the end of a lap has to overlap its beginning."""
TOLERANCE = 0.10
"""Maximum distance between the end and the beginning, without expected drift [m]."""
ROWS = 256
"""Number of rows by which the table of marks grows."""
SAME_DIRECTION = math.cos(math.radians(60.0))
"""Minimum cosine of the angle between marks in the same direction, 60 degrees."""
JUMP = 0.5 * TOLERANCE
"""Change of the odometry correction, at the robot, that counts as a jump [m]."""


class Mark(NamedTuple):
    """A point on the followed contour (global frame)."""

    place: Point
    course: Point
    """Unit vector of the direction of travel."""
    goal_distance: float


class Trace:
    """
    Marks along the followed contour, one each `STEP`.

    A lap is closed when the last 0.4 m are within a tolerance of an earlier 0.4 m of the same
    trace and have the same direction. In a static world, that stretch begins at the hit point. If
    the contour changed on the way (a gap near 2 rho that was open once and closed later), it
    begins after the change, and the marks since then are still a closed contour. The two sides of
    a thin wall are distinguished by their direction. A lap around a cell that the robot entered is
    rejected, because the cell must have a way out.

    Marks are in the global frame, so that odometry may drift on a long lap. If the localizer
    jumps, all marks move with it: otherwise marks from before and after would not be on one
    contour, and a jump along a wall would look like a lap.
    """

    def __init__(self, robot: Robot, begin: Point, side: int):
        """Start at a point of the contour (odometry frame), with the wall on ``side``."""
        self.count = 0
        """Number of marks."""
        self.begin = 0
        self.closed = False
        self._robot, self._side = robot, side
        self._radius = robot.contour_radius
        self._drift = robot.settings.expected_drift
        self._last = begin
        self._ahead = STEP
        # Per mark: place, course and distance to the goal, then place and course in odometry's
        # frame. A table, because a contour may be long.
        self._table = np.empty((ROWS, 9))
        self._correction = robot.correction

    @property
    def marks(self) -> List[Mark]:
        """Return the marks, created on each access."""
        return [Mark((x, y), (cos, sin), away)
                for x, y, cos, sin, away in self._table[:self.count, :5].tolist()]

    @property
    def contour(self) -> np.ndarray:
        """Return the places of the marks, (n, 2) [m] (odometry frame)."""
        return self._table[:self.count, 5:7]

    @property
    def lap(self) -> List[Mark]:
        """Return the marks of the closed lap."""
        return self.marks[self.begin:]

    @property
    def lap_length(self) -> float:
        """Length of the closed lap without the overlap [m]."""
        return STEP * (self.count - self.begin - OVERLAP) if self.closed else 0.0

    def separates_from(self, goal: Point) -> bool:
        """
        Return whether the closed lap separates the robot from the goal (global frame).

        A lap is a simple closed curve that the disc cannot cross, because each obstacle point that
        it rolled about was too near to the next one to pass between them.
        """
        places = self._places(self.begin)
        return _encloses(places, goal) == self._is_around_obstacle(places)

    def _places(self, begin: int) -> np.ndarray:
        """Return the places of the lap that begins at ``begin``, (n, 2)."""
        return self._table[begin:self.count - OVERLAP, :2]

    def _is_around_obstacle(self, places: np.ndarray) -> bool:
        """Return whether a lap is around an obstacle, the robot outside, or else around a cell."""
        x, y = (places - places[0]).T
        area = 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        # A lap around an obstacle encloses the inflated point at least; a cell may have no area.
        return self._side * area < -0.5 * math.pi * self._radius ** 2

    def _was_entered(self, begin: int) -> bool:
        """Return whether the lap is around a cell that the robot entered."""
        places = self._places(begin)
        if self._is_around_obstacle(places):
            return False
        robot = self._robot
        x, y = self._table[0, :2].tolist()
        been = (x, y), robot.correction.apply(robot.start or (x, y))
        return any(not _encloses(places, place)
                   and float(np.min(np.hypot(*(places - place).T))) > self._radius
                   for place in been)

    def add(self, robot: Robot, way: List[Point]) -> None:
        """Add the next points of the contour (odometry frame)."""
        if robot.correction != self._correction:
            here = robot.odom_position
            if distance(robot.correction.apply(here), self._correction.apply(here)) > JUMP:
                self._move_marks(robot)
            self._correction = robot.correction
        for place in way:
            step = distance(self._last, place)
            while step >= self._ahead and not self.closed:
                course = ((place[0] - self._last[0]) / step, (place[1] - self._last[1]) / step)
                self._last = (self._last[0] + self._ahead * course[0],
                              self._last[1] + self._ahead * course[1])
                step -= self._ahead
                self._ahead = STEP
                self._mark(robot, course)
            self._ahead -= step
            self._last = place

    def _move_marks(self, robot: Robot) -> None:
        """Apply the newest odometry correction to all marks."""
        for row in self._table[:self.count]:
            x, y, cos, sin = row[5:].tolist()
            row[:5] = _placed(robot, (x, y), (cos, sin))

    def _mark(self, robot: Robot, course: Point) -> None:
        if self.count == len(self._table):
            self._table = np.concatenate((self._table, np.empty((ROWS, 9))))
        self._table[self.count] = *_placed(robot, self._last, course), *self._last, *course
        self.count += 1
        self._close()

    def _close(self) -> None:
        end = self.count - OVERLAP
        if end < OVERLAP:
            return
        tolerance = min(TOLERANCE + self._drift * (STEP * self.count), self._radius)
        begin = _overlapped(self._table, end, tolerance)
        if begin < 0:
            return
        if self._was_entered(begin):
            self._robot.gaps.reopen_along(self._table[begin:end, 5:7])
            # The robot will pass here again, and a point counts once in a closed curve.
            self.count = begin + OVERLAP
        else:
            self.begin, self.closed = begin, True

    @property
    def closest(self) -> Mark:
        """Return the mark of the closed lap closest to the goal, Q_m of Bug1."""
        return min(self.lap, key=lambda mark: mark.goal_distance)


def _encloses(places: np.ndarray, place: Point) -> bool:
    """Return whether a closed curve encloses a point."""
    bearings = np.arctan2(*(places - place).T[::-1])
    turned = np.mod(np.diff(bearings, append=bearings[0]) + math.pi, 2.0 * math.pi) - math.pi
    return abs(float(np.sum(turned))) > math.pi


def _placed(robot: Robot, place: Point, course: Point) -> Tuple[float, ...]:
    """Return the columns of a mark, from a place and a course (odometry frame)."""
    cos, sin = math.cos(robot.correction.theta), math.sin(robot.correction.theta)
    moved = robot.correction.apply(place)
    return (*moved, cos * course[0] - sin * course[1], sin * course[0] + cos * course[1],
            distance(moved, robot.goal))


@kernel
def _along(table: np.ndarray, i: int, j: int, tolerance: float) -> bool:
    """Return whether two marks of a table (m, 9) are near and in the same direction."""
    dx, dy = table[i, 0] - table[j, 0], table[i, 1] - table[j, 1]
    return (dx * dx + dy * dy < tolerance * tolerance
            and table[i, 2] * table[j, 2] + table[i, 3] * table[j, 3] > SAME_DIRECTION)


@kernel
def _overlapped(table: np.ndarray, end: int, tolerance: float) -> int:
    """Return the first of `OVERLAP` marks that those from ``end`` overlap, or -1."""
    # Test the newest mark first, then the whole overlap.
    last = OVERLAP - 1
    for i in range(end - last):
        if _along(table, i + last, end + last, tolerance):
            k = 0
            while k < OVERLAP and _along(table, i + k, end + k, tolerance):
                k += 1
            if k == OVERLAP:
                return i
    return -1
