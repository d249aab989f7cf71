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

`ObstacleMemory` owns the table of points, and `update_memory` updates it with a scan: a beam that
ends at a point measures it, a longer beam passes through it, and a reading without a point nearby
adds a new point.
"""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Tuple

from bug_nav.navigation.compiled import applied, kernel
from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.perception.beams import (
    beam_ends,
    beams_of,
    look_up_beams,
    noise_between_beams,
    range_of,
    TURN,
)
from bug_nav.navigation.perception.scan_filters import (
    has_gone_through,
    MAX_SIGMAS,
    RANGE_END_MARGIN,
    SIDE_MARGIN,
)
from bug_nav.navigation.perception.tables import enlarged
from bug_nav.navigation.types import Scan
import numpy as np

SPACING = 0.015
"""Size of a cell, which has at most one point [m]."""
LATERAL_TOLERANCE = 0.0075
"""Maximum distance between a point and the line of a beam that measures it [m]."""
RANGE_TOLERANCE = 0.05
"""
Maximum distance between a point and the end of a beam that measures it [m]: five times the noise
of a lidar.
"""
TOLERANCE_SIGMAS = 3.0
"""The same as a number of standard deviations of the noise; the larger distance counts."""
MAX_TOLERANCE_FACTOR = 3.0
"""Maximum ratio of that distance to `RANGE_TOLERANCE`."""
AVERAGED_READINGS = 16.0
"""Number of readings of which a point is the mean; afterwards, an exponential average."""
FILLED_READINGS = 2.0
"""Number of readings of a point that readings which fill holes confirm: too few for a proof."""
LOW_NOISE = 0.015
"""Range noise above which more readings are averaged, for the same precision [m]."""
BLIND_MARGIN = 0.02
"""Distance beyond the minimum range up to which a point may be too near to measure [m]."""

NOISE_GAIN = 0.05
"""Gain with which a scan changes the range noise."""
MEAN_TO_SIGMA = 1.25
"""Ratio of standard deviation and mean distance for normal noise."""
MAX_NOISE_RATIO = 1.5
"""
Maximum ratio of the range noise to that between beams, once an object has moved or the noise is
above `LOW_NOISE`: otherwise the tolerance would grow with errors of the pose, and points would
hardly move any more.
"""
CONE_MARGIN = 0.015
"""Minimum distance by which a free cone that contradicts a point extends behind it [m]."""
CONE_NOISE = 0.03
"""Addition to `CONE_MARGIN` [share of the distance of the point]."""
CONE_CLEARING_TIME = 0.3
"""Time of contradiction after which the point is deleted [s]."""

CLEARING_MARGIN = 0.5
"""
Minimum distance behind a point at which a beam that has seen through it ends [m]: odometry drifts.
"""
MIN_CLEARED, MIN_CLEARED_FAR = 12, 6
"""
Minimum number of points nearby, and of all, that one scan must see through to clear them.
"""

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
HOLE_MARGIN = 0.1
"""Distance beside a point within which no beam may measure anything if it is unseen [m]."""
MIN_UNSEEN = 3
"""Number of checks in a row after which it is: a lidar may lose a few beams side by side."""
MAX_GAP = 2.0
"""Time without a measurement after which a point may have been away [s]."""
OBSTACLE_TIME = 1.0
"""Minimum time for which a cleared point was measured if it was an obstacle and not noise [s]."""

MEMORY_STATE = np.dtype([
    ('rows', np.int64),  # of the table
    ('nearby', np.int64),  # number of them that may be within reach
    ('noise', float),  # estimated standard deviation of a range [m]
    # The arguments of `ObstacleMemory`.
    ('clearing_time', float), ('reach', float), ('scale', float), ('body_radius', float),
    ('has_moved', bool)], align=True)  # an object has moved

NONE_FILLED = np.zeros(0, dtype=bool)
"""For a scan without readings that fill holes."""

COLUMNS = 10
# Of each point: x, y [m], number of averaged readings, time since which beams pass through it [s]
# (inf for none), times of its first and last measurement [s], and, once it is cleared and its x is
# inf, the x that it had. Then the time since which the robot would fit there, or a lidar has no
# reading of it [s] (inf for never), the number of checks in a row that have found none, and the
# time since which it has been measured without a gap of `MAX_GAP` [s].
(X, Y, READINGS, PASSED_SINCE, FIRST_MEASURED, LAST_MEASURED, CLEARED_X, FREE_SINCE, UNSEEN,
 WATCHED_SINCE) = range(COLUMNS)

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
                 body_radius: float = 0.0):
        """
        Start without points.

        ``clearing_time`` [s]: time after which a point that beams pass through is cleared.
        ``reach`` [m]: maximum distance of points that are updated. ``scale``: 1, or less for a
        small robot, whose points are denser and have less noise in proportion. ``body_radius``
        [m]: readings within this radius belong to the robot.
        """
        self._reach = reach
        self._states = np.array([(0, 0, 0.0, clearing_time, reach, scale, body_radius,
                                  False)], dtype=MEMORY_STATE)
        self._state = self._states[0]
        self._stamp = 0.0
        self._rows = 0
        self.noise = 0.0
        """Estimated standard deviation of a range [m]."""
        self.sensor = IDENTITY
        """Pose of the sensor at the newest update."""
        self._table = np.empty((MIN_ROWS, COLUMNS))
        self._near_rows = np.empty(MIN_ROWS, dtype=np.int64)
        self._refreshed_at: Optional[Pose] = None
        self._changed: Optional[List[np.ndarray]] = None

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
        # C-contiguous, because kernels compile again for every other memory layout.
        return np.ascontiguousarray(self.confirmed[:, :READINGS])

    @property
    def confirmed(self) -> np.ndarray:
        """Return the rows of `points`, (n, COLUMNS)."""
        table = self._table[:self._rows]
        return table[_is_confirmed(table)]

    def note_motion(self) -> None:
        """Note that an object has moved: from now on, its motion is not taken for range noise."""
        self._state['has_moved'] = True

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
                self._table[row] = (*point, 1.0, math.inf, self._stamp, self._stamp, math.inf,
                                    math.inf, 0.0, self._stamp)
                self._near_rows[self._state['nearby']] = row
                self._state['nearby'] += 1
                row += 1
        self._state['rows'] = self._rows = row

    def measure(self, scan: Scan, pose: Pose, clears: bool = False, offset: float = 0.0,
                learns_noise: bool = True, filled: Optional[np.ndarray] = None
                ) -> Tuple[np.ndarray, np.ndarray]:
        """
        Update the points with a scan that was taken at ``pose``.

        ``offset`` [rad]: a new point of a single ranger is this far from its axis. Return a new
        array of the points within reach of the robot, (n, 2) [m]; and, with ``clears``, the places
        of those that the scan has seen through and that are cleared, (m, 2) [m]. ``learns_noise``:
        the scan shows the range noise. ``filled`` (n,) are the readings that were measured
        earlier, and fill holes.
        """
        self._reserve(len(scan.ranges))
        before = self._refreshed_at
        if before is None or math.hypot(pose.x - before.x, pose.y - before.y) > REFRESH_DISTANCE:
            self._refresh_nearby(pose)
        self._stamp, self.sensor = scan.stamp, pose.compose(scan.mount)
        near, cleared, self._rows, self.noise = update_memory(
            self._table, self._near_rows, self._states, scan.stamp,
            np.ascontiguousarray(scan.ranges, dtype=float), *beams_of(scan), self.sensor[:],
            pose[:], clears, offset, learns_noise, NONE_FILLED if filled is None else filled)
        return near, cleared

    def clear_blind(self, scan: Scan, pose: Pose,
                    has_arrived: Callable[[Point], bool]) -> np.ndarray:
        """
        Clear points of arrived objects that are too near to be measured.

        They are cleared once no reading is beside them, so that a person who came and left does
        not remain. All other points that are too near stay, because no beam measures them. Call it
        with the scan and the pose of the last `measure`. Return the points near the robot, (n, 2)
        [m].
        """
        near, sensor = self._table[self._nearby], self.sensor
        dx, dy = near[:, X] - sensor.x, near[:, Y] - sensor.y
        blind = np.flatnonzero(np.hypot(dx, dy) <= scan.range_min + BLIND_MARGIN)
        bearings = np.arctan2(dy[blind], dx[blind])[:, np.newaxis]
        beams = sensor.theta + scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        in_sector = np.cos(beams - bearings) > math.cos(BLIND_SECTOR)
        is_free = scan.ranges > scan.range_min + RANGE_TOLERANCE
        for i in blind[in_sector.any(axis=1) & ~in_sector[:, ~is_free].any(axis=1)]:
            if has_arrived((near[i, X], near[i, Y])):
                self._table[self._nearby[i], (CLEARED_X, X)] = near[i, X], math.inf
                near[i, X] = math.inf
        within = np.hypot(near[:, X] - pose.x, near[:, Y] - pose.y) < self._reach
        return near[within, :READINGS]

    def clear_seen_through(self, scan: Scan) -> np.ndarray:
        """
        Clear the points, near and far, that the scan of the last `measure` sees through.

        Return their places, (m, 2) [m]; none if they are few.
        """
        cleared, places = clear_seen_through(
            self._table, self._rows, scan.ranges, beams_of(scan)[0], self.sensor[:], self.noise,
            MIN_CLEARED_FAR)
        self._mark_changed(cleared)
        result: np.ndarray = places
        return result

    def note_unseen(self, scan: Scan, holes: np.ndarray) -> np.ndarray:
        """
        Note the points, near and far, that the scan of the last `measure` should see and does not.

        The beams there and beside them are ``holes`` (n,): a door that has opened leaves one where
        nothing is in range, of a lidar that reports this as it reports errors. Return the places
        of those that are unseen for the first time in `MIN_UNSEEN` calls, (m, 2) [m].
        """
        result: np.ndarray = note_unseen(
            self._table, self._rows, scan.stamp, np.where(holes, math.inf, 0.0),
            beams_of(scan)[0], self.sensor[:])
        return result

    def confirm(self, seen: np.ndarray, stamp: float) -> None:
        """Record that points at places (m, 2) [m], near and far, were observed at a time [s]."""
        table = self._table[:self._rows]
        valid = np.flatnonzero(table[:, X] < math.inf)
        around = [_cells(seen + (dx, dy)) for dx in NEIGHBOUR_OFFSETS for dy in NEIGHBOUR_OFFSETS]
        rows = valid[np.isin(_cells(table[valid, :READINGS]), np.concatenate(around))]
        table[rows[stamp - table[rows, LAST_MEASURED] > MAX_GAP], WATCHED_SINCE] = stamp
        table[rows, LAST_MEASURED] = stamp

    def note_free(self, scan: Scan, radius: float) -> None:
        """
        Note where the scan of the last `measure` shows room for a disc at cleared points.

        An obstacle has gone from there. Where only the estimated pose has changed, a wall is
        measured beside its cleared points, and no disc of ``radius`` [m] fits.
        """
        note_free(self._table, self._rows, scan.stamp, scan.ranges, beams_of(scan)[0],
                  self.sensor[:], radius)

    def has_come_back(self, radius: float) -> np.ndarray:
        """
        Return which of `points` are of an obstacle that had gone before, (n,).

        They were unseen once, or are new within ``radius`` [m] of a place where a disc of this
        radius had fitted since.
        """
        table, rows = self._table[:self._rows], self.confirmed
        result: np.ndarray = (rows[:, FREE_SINCE] < math.inf) | are_later(
            rows, table[table[:, FREE_SINCE] < math.inf], radius)
        return result

    def _refresh_nearby(self, pose: Pose) -> None:
        """Find the rows that may come within reach before the next refresh."""
        self._mark_changed(self._nearby.copy())  # before they are replaced
        find_nearby(self._table, self._near_rows, self._states, pose.x, pose.y)
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
            self._state['rows'] = self._rows = rows = len(kept)
            self._refreshed_at = None
            self._table[:rows] = kept
        if rows + count > len(self._table):
            more = max(MIN_ROWS, len(self._table), count)
            self._table = enlarged(self._table, more)
            self._near_rows = enlarged(self._near_rows, more)


@kernel
def find_nearby(table, nearby, states, x, y):
    """Write the indices of the rows that may come within reach before the next call."""
    state, count = states[0], 0
    within = state['reach'] + REFRESH_DISTANCE + RANGE_TOLERANCE
    for i in range(state['rows']):  # cleared points are at inf, beyond any reach
        dx, dy = table[i, X] - x, table[i, Y] - y
        if dx * dx + dy * dy < within * within:
            nearby[count] = i
            count += 1
    state['nearby'] = count


# ---- the update by a scan -----------------------------------------------------------------------

@kernel
def update_memory(table, nearby, states, stamp, ranges, geometry, directions, sensor, robot,
                  clears, offset, learns_noise, filled):
    """
    Update the rows of a table near the robot with a scan, and append new points.

    The first rows of ``nearby`` are the indices of the points that may be within reach; those of
    new points are appended. ``ranges`` (n,) are those of a scan in the convention of REP-117, and
    its beams, ``geometry`` and ``directions``, are in the frame of the sensor. ``sensor`` and
    ``robot`` are poses (x, y, theta). ``clears``: immediately clear points that the scan sees
    through if they are many. ``offset`` [rad] is the angle from their beams at which new points
    are. With ``learns_noise`` the scan updates the range noise. ``filled`` (n,) are the readings
    that fill holes, or (0,) for none. Return the points within reach of the robot, (n, 2) [m];
    those that the scan has seen through, (m, 2) [m]; the number of rows; and the noise of a range
    [m]. A row that is cleared is at inf.
    """
    state, beams = states[0], geometry[0]
    rows, noise, scale, reach = (nearby[:state['nearby']], state['noise'], state['scale'],
                                 state['reach'])
    farthest = min(beams.range_max, reach)
    body_square = state['body_radius'] * state['body_radius']
    tolerance = min(max(scale * RANGE_TOLERANCE, TOLERANCE_SIGMAS * noise),
                    MAX_TOLERANCE_FACTOR * scale * RANGE_TOLERANCE)
    averaged = AVERAGED_READINGS * max(noise / LOW_NOISE, 1.0) ** 2
    ends = beam_ends(ranges, directions, sensor, beams.range_min)
    beam, distance = _beam_positions(table, rows, beams, sensor)
    _, cleared = _clear_seen_through(table, rows if clears else rows[:0], ranges, beams, beam,
                                     distance, noise, MIN_CLEARED)
    is_known = np.zeros(ranges.size, dtype=np.bool_)
    error_sum, matched = _measure(table, rows, is_known, ranges, beams, ends, beam, distance,
                                  stamp, farthest + tolerance, tolerance, averaged,
                                  state['clearing_time'], scale, filled)
    near, count = np.empty((rows.size + ranges.size, 2)), 0
    for i in rows:
        dx, dy = table[i, X] - robot[0], table[i, Y] - robot[1]
        square = dx * dx + dy * dy
        if square < body_square:
            _clear(table, i)
        elif square < reach * reach:
            near[count, 0], near[count, 1] = table[i, X], table[i, Y]
            count += 1
    spacing = scale * SPACING
    for j in range(ranges.size):
        if is_known[j] or not 0.0 < range_of(ranges[j], beams.range_min) <= farthest:
            continue
        x, y = ends[j, 0], ends[j, 1]
        if offset != 0.0:
            dx, dy = applied((0.0, 0.0, offset), x - sensor[0], y - sensor[1])
            x, y = sensor[0] + dx, sensor[1] + dy
        if ((x - robot[0]) ** 2 + (y - robot[1]) ** 2 < body_square
                or _is_occupied(near, count, x, y, spacing)):
            continue
        near[count, 0], near[count, 1] = x, y
        count += 1
        row = table[state['rows']]
        row[X], row[Y], row[READINGS], row[PASSED_SINCE] = x, y, 1.0, np.inf
        row[FIRST_MEASURED] = row[LAST_MEASURED] = row[WATCHED_SINCE] = stamp
        row[CLEARED_X], row[FREE_SINCE], row[UNSEEN] = np.inf, np.inf, 0.0
        nearby[state['nearby']] = state['rows']
        state['rows'] += 1
        state['nearby'] += 1
    if learns_noise and matched > 0:
        error = MEAN_TO_SIGMA * error_sum / matched
        if state['has_moved'] or state['noise'] > LOW_NOISE:
            error = min(error, MAX_NOISE_RATIO * noise_between_beams(ranges, 0.0, np.inf))
        state['noise'] += NOISE_GAIN * (error - noise)
    return near[:count].copy(), cleared, state['rows'], state['noise']


@kernel
def _clear(table, i):
    """Clear a point, and keep the place where it was."""
    if table[i, X] < np.inf:
        table[i, CLEARED_X], table[i, X] = table[i, X], np.inf


@kernel
def _beam_positions(table, rows, beams, sensor):
    """Return the fractional beam index (`look_up_beams`) and the distance [m] of points."""
    count = rows.size
    xs, ys, beam, distance = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    for m in range(count):
        xs[m], ys[m] = table[rows[m], X], table[rows[m], Y]
    look_up_beams(xs, ys, sensor[0], sensor[1], sensor[2] + beams.first, beams.step, beam,
                  distance)
    return beam, distance


@kernel
def _measure(table, rows, is_known, ranges, beams, ends, beam, distance, stamp, farthest,
             tolerance, most, clearing_time, scale, filled):
    """
    Update each point up to ``farthest`` [m] with the beam that points at it, if there is one.

    ``is_known`` (n,) is set for the beams that measure a point. Return the sum of the range errors
    [m] and their number.
    """
    count, per_turn = ranges.size, TURN / beams.width
    is_cone, lateral = count == 1 and beams.step != 0.0, scale * LATERAL_TOLERANCE
    largest_error = MAX_TOLERANCE_FACTOR * scale * RANGE_TOLERANCE
    error_sum, matched = 0.0, 0
    for m in range(rows.size):
        i, away, position = rows[m], distance[m], beam[m]
        k = int(position + 0.5)
        if k >= count and position >= per_turn - 0.5:
            position, k = position - per_turn, 0
        if k >= count or not 0.0 < away < farthest:
            continue
        r, off = range_of(ranges[k], beams.range_min), beams.width * away
        # Some lidars report a free beam for an object that is too near to measure, but none
        # measures what is behind it.
        if away <= beams.range_min + BLIND_MARGIN and not away + tolerance < r < np.inf:
            continue
        _mark_known(is_known, ranges, beams, k, int(lateral / off), away, tolerance)
        is_within = away < beams.range_max - tolerance
        if abs(position - k) * off <= lateral:
            error = abs(r - away)
            if (filled.size > 0 and filled[k] and error <= tolerance
                    and table[i, READINGS] <= FILLED_READINGS):
                table[i, READINGS], table[i, PASSED_SINCE] = FILLED_READINGS, np.inf
                continue
            _apply_reading(table, i, stamp, r, away, tolerance, most, is_within, clearing_time,
                           ends[k, 0] - table[i, X], ends[k, 1] - table[i, Y])
            if r > 0.0 and error <= largest_error:
                error_sum, matched = error_sum + error, matched + 1
        # The point of a ranger is assumed on the axis of its cone, and may be half a cone off: a
        # cone that is free beyond the point shows that the object is elsewhere.
        elif is_cone and is_within and r > away + scale * CONE_MARGIN + CONE_NOISE * away:
            _pass_through(table, i, stamp, CONE_CLEARING_TIME)
    return error_sum, matched


@kernel
def _mark_known(is_known, ranges, beams, k, around, distance, tolerance):
    """Mark those of the beams up to ``around`` from beam ``k`` that end at this distance [m]."""
    count = ranges.size
    around = min(around, count // 2)
    for j in range(k - around, k + around + 1):
        if beams.is_whole:  # the index wraps around
            j += count if j < 0 else (-count if j >= count else 0)
        if 0 <= j < count and abs(range_of(ranges[j], beams.range_min) - distance) <= tolerance:
            is_known[j] = True


@kernel
def _apply_reading(table, i, stamp, r, distance, tolerance, most, is_within, clearing_time, to_x,
                   to_y):
    """
    Update a point at a ``distance`` [m] with the reading ``r`` [m] of the beam that points at it.

    ``to_x`` and ``to_y`` are the offset of the end of the beam from the point [m].
    """
    if r > 0.0 and abs(r - distance) <= tolerance:
        readings = min(table[i, READINGS] + 1.0, most)
        table[i, READINGS] = readings
        table[i, X] += to_x / readings
        table[i, Y] += to_y / readings
        table[i, PASSED_SINCE] = np.inf
        if stamp - table[i, LAST_MEASURED] > MAX_GAP:
            table[i, WATCHED_SINCE] = stamp
        table[i, LAST_MEASURED] = stamp
    elif not is_within:  # near the maximum range, noise makes a beam report free space
        table[i, PASSED_SINCE] = np.inf
    elif r > distance:
        _pass_through(table, i, stamp, clearing_time)


@kernel
def _pass_through(table, i, stamp, clearing_time):
    """Record that a beam passes through a point; clear it after ``clearing_time`` [s]."""
    table[i, PASSED_SINCE] = min(table[i, PASSED_SINCE], stamp)
    if stamp - table[i, PASSED_SINCE] >= clearing_time:
        _clear(table, i)


@kernel
def _is_occupied(points, count, x, y, spacing):
    """Return whether one of the first points (n, 2) [m] is in the same cell as a place."""
    for i in range(count):
        if (abs(points[i, 0] - x) < spacing and abs(points[i, 1] - y) < spacing
                and math.floor(points[i, 0] / spacing) == math.floor(x / spacing)
                and math.floor(points[i, 1] / spacing) == math.floor(y / spacing)):
            return True
    return False


@kernel
def note_free(table, count, stamp, ranges, geometry, sensor, radius):
    """
    Set since when a disc of ``radius`` [m] fits at the cleared ones of the first ``count`` points.

    It fits where the beams of the scan go further within this distance on both sides.
    """
    beams, position, distance = geometry[0], np.empty(1), np.empty(1)
    for i in range(count):
        if (table[i, X] < np.inf or table[i, CLEARED_X] == np.inf or table[i, FREE_SINCE] < np.inf
                or table[i, LAST_MEASURED] - table[i, FIRST_MEASURED] < OBSTACLE_TIME):
            continue
        look_up_beams(table[i:i + 1, CLEARED_X], table[i:i + 1, Y], sensor[0], sensor[1],
                      sensor[2] + beams.first, beams.step, position, distance)
        beyond = distance[0] + radius
        if beams.range_min <= distance[0] and beyond <= beams.range_max and has_gone_through(
                ranges, position[0], distance[0], beyond, beams.width, beams.is_whole, radius):
            table[i, FREE_SINCE] = stamp


@kernel
def note_unseen(table, count, stamp, holes, geometry, sensor):
    """Note where the beams are ``holes`` (n,), inf instead of 0, and return the new places."""
    beams, found = geometry[0], 0
    beam, distance = _beam_positions(table, np.arange(count), beams, sensor)
    nearest, farthest = beams.range_min + HOLE_MARGIN, beams.range_max - RANGE_END_MARGIN
    places = np.empty((count, 2))
    for i in range(count):
        lasted = table[i, LAST_MEASURED] - table[i, FIRST_MEASURED] >= OBSTACLE_TIME
        is_unseen = lasted and nearest <= distance[i] <= farthest and has_gone_through(
            holes, beam[i], distance[i], distance[i], beams.width, beams.is_whole, HOLE_MARGIN)
        table[i, UNSEEN] = table[i, UNSEEN] + 1.0 if is_unseen else 0.0
        if table[i, UNSEEN] >= MIN_UNSEEN and table[i, FREE_SINCE] == np.inf:
            table[i, FREE_SINCE] = stamp
            places[found, 0], places[found, 1] = table[i, X], table[i, Y]
            found += 1
    return places[:found].copy()


@kernel
def are_later(rows, gone, radius):
    """Return which rows were first measured after a place within ``radius`` [m] was free."""
    result = np.zeros(len(rows), dtype=np.bool_)
    for i in range(len(rows)):
        for j in range(len(gone)):
            dx, dy = rows[i, X] - gone[j, CLEARED_X], rows[i, Y] - gone[j, Y]
            if (gone[j, FREE_SINCE] < rows[i, FIRST_MEASURED]
                    and dx * dx + dy * dy < radius * radius):
                result[i] = True
                break
    return result


@kernel
def clear_seen_through(table, count, ranges, geometry, sensor, noise, least):
    """Clear those of the first ``count`` points that a scan sees through, if they are many."""
    rows, beams = np.arange(count), geometry[0]
    beam, distance = _beam_positions(table, rows, beams, sensor)
    return _clear_seen_through(table, rows, ranges, beams, beam, distance, noise, least)


@kernel
def _clear_seen_through(table, rows, ranges, beams, beam, distance, noise, least):
    """
    Clear the points that a scan sees through (`has_gone_through`) if they are ``least`` or more.

    Return their rows (m,) and their places (m, 2) [m]; their ``distance`` (n,) is set to inf.
    """
    side = max(SIDE_MARGIN, MAX_SIGMAS * noise)
    beyond = max(CLEARING_MARGIN, 2.0 * MAX_SIGMAS * noise)
    nearest, farthest = beams.range_min, beams.range_max - RANGE_END_MARGIN
    width, is_whole, last = beams.width, beams.is_whole, ranges.size - 1
    cleared, count = np.empty(rows.size, dtype=np.int64), 0
    for m in range(rows.size):
        if not nearest <= distance[m] <= farthest:
            continue
        # At most points the beam ends: a single comparison excludes them.
        k = int(beam[m] + 0.5)
        if (k > last or ranges[k] > distance[m] + beyond) and has_gone_through(
                ranges, beam[m], distance[m], distance[m] + beyond, width, is_whole, side):
            cleared[count] = m
            count += 1
    count = count if count >= least else 0
    places = np.empty((count, 2))
    for k in range(count):
        m, row = cleared[k], rows[cleared[k]]
        places[k, 0], places[k, 1] = table[row, X], table[row, Y]
        distance[m], cleared[k] = np.inf, row
        _clear(table, row)
    return cleared[:count], places
