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
The filter chain of a lidar scan: from reported ranges to reliable ones.

`LidarFilter` owns the arrays of a lidar, and `filter_scan` is the kernel of all the filters. It
classifies the beams (REP-117), removes the motion of the robot during the sweep (deskewing), drops
speckles, fills holes with earlier readings, and marks the beams that end where an earlier scan saw
free space.

*Speckles.* Real lidars report obstacles that do not exist: 2 or 3 % of the beams end anywhere in
front of a wall, and a beam at an edge reports a range in between. An isolated reading is used once
it was there in three consecutive scans, as that of a thin pole is.

*Dynamic obstacles.* A reading at a place that an earlier beam passed through belongs to an object
that has moved or arrived.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.navigation.compiled import applied, composed, inverted, kernel
from bug_nav.navigation.geometry import bearing, distance, Pose, wrap
from bug_nav.navigation.perception.beams import (
    beam_width,
    beams_of,
    is_full_turn,
    look_up_beams,
    TURN,
)
from bug_nav.navigation.perception.classification import (
    BLIND,
    classified,
    COVERED,
    EMPTY,
    LIFELESS,
    MIN_PLAUSIBLE,
    OK,
)
from bug_nav.navigation.perception.dialect import Dialect
from bug_nav.navigation.perception.lost_readings import LostReadings
from bug_nav.navigation.perception.mount_check import MountCheck
from bug_nav.navigation.perception.sensor_queue import NO_SWEEP, Placed, STUCK, UnusableScan
from bug_nav.navigation.perception.slip_check import SlipCheck
from bug_nav.navigation.perception.sweep import FILLED, MEASURED, Sweep
from bug_nav.navigation.perception.sweep_order import at_once
from bug_nav.navigation.perception.tables import enlarged
from bug_nav.navigation.types import Scan
import numpy as np

HOLE_FILL_TIME = 30.0
"""Time for which a hole is filled with the last reading there [s]."""
MAX_HOLES = 0.5
"""Share of holes above which a sweep is sparse."""

NEIGHBOUR_TOLERANCE, NEIGHBOUR_STEPS = 0.1, 4.0
"""Maximum difference between readings on the same surface [m, beam spacings]."""
MIN_NEIGHBOURS = 2
"""Minimum number of similar readings, among two on each side, of one that is no speckle."""
SPECKLE_SCANS = 3
"""Number of consecutive scans with a speckle after which it is used."""
SPECKLE_SHIFT, SPECKLE_SHIFT_SHARE = 0.1, 0.3
"""Maximum shift of a speckle from scan to scan [m, share of its range]."""

COMPARED_AGES = (0.05, 0.2, 0.5, 1.0)
"""Ages of the scans with which a scan is compared [passage_timeout]."""
KEPT_SCANS = 44
"""
Number of stored scans: enough for the oldest compared age, with two scans per smallest compared
age.
"""
PASS_MARGIN, NEAR, NEAR_PASS_MARGIN = 0.15, 0.7, 0.08
"""
Minimum distance behind a place at which a beam that passed through it ends [m].

Within the second distance of the lidar [m], the minimum is the third value [m], so that a person
who starts to walk is detected early.
"""
SIDE_MARGIN = 0.05
"""Distance from a place within which all beams must have passed through as well [m]."""
MAX_SIDE_BEAMS = 40
"""Maximum number of these beams on each side."""
RANGE_END_MARGIN = 0.2
"""Distance from the maximum range within which readings are not compared [m]."""
MAX_SIGMAS = 3.0
"""Maximum error of a reading [standard deviations]."""

MIN_OWN_SCANS, OWN_SPREAD = 3, 0.03
"""
Minimum number of scans for which a part of the robot was seen before, and maximum change of its
range from scan to scan [m]: a person who walks into the robot changes faster.
"""

MIN_MOTION, MIN_ROTATION = 0.05, 0.1
"""Minimum motion after which a working lidar cannot repeat a scan [m, rad]."""

FILTER_STATE = np.dtype([
    ('speckles', np.int64), ('hole_points', np.int64),
    ('holes', np.int64),  # unknown beams of the newest scan
    ('stored', np.int64), ('written', np.int64),
    ('changed', np.int64)], align=True)  # beams that end where an earlier scan saw free space

ROWS = 7
X, Y, SPACING, SIGHT, SEEN, OWN, OWN_SCANS = range(ROWS)
"""
Rows of the beam table: ends of the beams [m]; distance between the earlier beams that passed
through each end [m], or inf; ranges of the newest scan with speckles on a surface at a grazing
angle [m]; the distance up to which each beam has seen free space [m]; the reading of a part of the
robot [m], and the number of scans for which it has stayed.
"""


class LidarFilter:
    """Runs the filters of one lidar, and owns their arrays."""

    def __init__(self, passage_timeout: float, dialect: Optional[Dialect] = None,
                 self_radius: float = 0.0):
        """
        Start without scans; ``dialect`` is what earlier goals have found out.

        With a ``passage_timeout`` [s] of 0 no scans are compared. Readings within ``self_radius``
        [m] of the centre of the robot are those of its own parts.
        """
        self._passage_timeout, self._self_radius = passage_timeout, self_radius
        self.dialect = Dialect() if dialect is None else dialect
        self.dialect.begin_goal()
        self._mount = MountCheck()
        self._lost = LostReadings(self.dialect.readings)
        self.slip = SlipCheck(self.dialect.readings, self_radius)
        self._states = np.zeros(1, dtype=FILTER_STATE)
        self._state = self._states[0]
        self._count = 0
        """Number of beams of the newest scan."""
        self._reported = b''
        """The reported ranges of the newest usable scan."""
        self._repeat_start: Pose = Pose(math.nan, 0.0, 0.0)
        """Odometry pose at which the lidar began to repeat its scan."""
        self._table = np.empty((ROWS, 0))
        self._speckles = np.empty((2, 0, 4))
        """Place, number of scans and beam of the speckles of the scan before, and of this one."""
        self._hole_points = np.empty((3, 0))
        """Places x, y that fill holes, and their stamps."""
        self._measures = np.zeros(0, dtype=bool)
        """Which beams have measured something."""
        self._scans = np.empty((KEPT_SCANS, 0))
        """Ranges of earlier scans."""
        self._poses = np.empty((KEPT_SCANS, 6))
        """Their stamp, sensor x and y, direction of beam 0, step and number of beams."""

    def read(self, placed: Placed, corrected: Pose, noise: float) -> Sweep:
        """
        Return the filtered readings, as if measured completely at the last beam.

        ``corrected`` is the pose at that time with the drift correction of the scan before;
        ``noise`` [m] is the range noise.

        :raises UnusableScan: with the reason, if it cannot be used.
        """
        scan = placed.scan
        raw = np.ascontiguousarray(scan.ranges, dtype=float)
        geometry, directions = beams_of(scan, scan.mount)
        self._count = raw.size
        self._reserve(raw.size)
        reported, ranges = raw.tobytes(), np.empty(raw.size)
        kinds = np.zeros(raw.size, dtype=np.uint8)
        is_repeated = reported == self._reported
        if is_repeated and self._is_stuck(raw, geometry[0], placed.pose):
            raise UnusableScan(STUCK)
        readings, order = self.dialect.readings, self.dialect.order
        if order.order is None or not self._mount.is_done:
            repeated = readings['repeated'][0]
            measured = raw if math.isnan(repeated) else np.where(raw == repeated, math.inf, raw)
            order.observe(placed, measured, directions)
            self._mount.observe(placed, measured, directions)
        if self._mount.problem:
            raise UnusableScan(self._mount.problem)
        step = order.order or 0
        sweep = placed.sweep if step else NO_SWEEP
        if order.is_unknown(placed):
            step, sweep = 1, at_once(placed)
        exact = directions.copy() if len(sweep) else directions
        verdict = filter_scan(
            raw, ranges, kinds, geometry, exact, readings, self._states, self._table,
            self._speckles, self._hole_points, self._scans, self._poses, placed.pose[:],
            corrected[:], sweep, step, placed.began, placed.stamp, noise, self._passage_timeout,
            self._self_radius)
        if verdict != OK:
            raise UnusableScan(self._problem(verdict))
        self.slip.observe(placed, raw)
        has_found_losses = self._lost.observe(placed, raw)
        if has_found_losses:
            self._state['stored'] = 0  # scans in which walls seem to have gone
        if not is_repeated:
            self._reported, self._repeat_start = reported, placed.pose
        holes = int(self._state['holes'])
        return Sweep(Scan(placed.stamp, ranges, *scan[2:7],
                          directions=exact if exact is not directions else None),
                     kinds, FILLED if holes else MEASURED, holes > MAX_HOLES * raw.size,
                     has_found_losses=has_found_losses, holes=self._new_holes())

    def _new_holes(self) -> Optional[np.ndarray]:
        """Return `Sweep.holes`: some beams never measure anything, such as those on a post."""
        seen, unknown = self.seen, 0.0 if self.dialect.readings['has_free'] else math.inf
        if len(self._measures) != len(seen):
            self._measures = np.zeros(len(seen), dtype=bool)
        holes = np.empty(len(seen), dtype=bool)
        return holes if find_holes(seen, unknown, self._measures, holes) else None

    def expect_motion(self) -> None:
        """Take no return as free from now on, also of a lidar that loses readings."""
        self._lost.stop()

    @property
    def beam_ends(self) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return the ends (n, 2) [m] of the newest scan's beams, and a beam spacing (n,) [m] there.

        It is that of an earlier scan whose beams passed through the place, or inf without one.
        """
        count = self._count if self._state['changed'] else 0
        return self._table[X:Y + 1, :count].T, self._table[SPACING, :count]

    @property
    def sight(self) -> np.ndarray:
        """
        Return the ranges of the newest scan, (n,) [m], with the speckles that are on a surface.

        At a grazing angle, the beams on a wall end far apart. A robot that is fast passes the wall
        before three scans confirm them.
        """
        return self._table[SIGHT, :self._count]

    @property
    def seen(self) -> np.ndarray:
        """
        Return the distance up to which each beam of the newest scan has seen free space, (n,) [m].

        An error has seen nothing, but no return all; a lidar that reports both alike, all.
        """
        return self._table[SEEN, :self._count]

    def _reserve(self, count: int) -> None:
        """Reserve room for ``count`` beams."""
        more = count - self._table.shape[1]
        if more > 0:
            self._table, self._speckles, self._scans = (
                enlarged(table, more, 1) for table in (self._table, self._speckles, self._scans))
            self._table[OWN_SCANS] = 0.0
        needed = int(self._state['hole_points']) + count
        if needed > self._hole_points.shape[1]:
            self._hole_points = enlarged(self._hole_points, needed, 1)

    def _is_stuck(self, raw: np.ndarray, beams: np.record, pose: Pose) -> bool:
        """
        Return whether a lidar that repeats its scan is stuck.

        Two scans of a real lidar always differ, but those of a simulated one without noise are
        equal while nothing changes: while the robot stands, or drives along an endless wall.
        Therefore the robot must have turned, or driven towards an observed obstacle.
        """
        measured = ((raw >= MIN_PLAUSIBLE) & (raw <= beams.range_max)
                    & (raw != self.dialect.readings['repeated'][0]))
        if not measured.any():
            self._repeat_start = pose
        start = self._repeat_start
        if abs(wrap(pose.theta - start.theta)) > MIN_ROTATION:
            return True
        if not distance(start.position, pose.position) > MIN_MOTION:
            return False
        motion = bearing(start.position, pose.position) - pose.theta - beams.first
        ahead = math.copysign(1.0, beams.step) * motion % TURN
        beam = round(ahead / beams.width)
        if beams.is_whole:
            beam %= raw.size
        return beam < raw.size and bool(measured[beam])

    def _problem(self, verdict: int) -> str:
        state = self.dialect.readings[0]
        if verdict == COVERED:
            return (f'{100.0 * state["near"]:.0f} % of the beams are nearer than range_min: '
                    'something covers the lidar')
        if verdict == EMPTY:
            return 'the scan is empty, although the previous one had obstacles nearby'
        if verdict == BLIND:
            return f'the lidar is blind over {math.degrees(state["blind"]):.0f} degrees ahead'
        if verdict == LIFELESS:
            return ('no beam has measured anything yet, all are 0.0 or NaN: either nothing is in '
                    'range, or the lidar does not work; if this is its word for no return, set '
                    'no_return to zero or nan')
        return (f'{100.0 * (1.0 - state["share"]):.0f} % of the beams of the scan are errors, '
                'from a lidar that reports no return in another way')


@kernel
def filter_scan(raw, ranges, kinds, geometry, directions, dialect, states, table, speckles,
                hole_points, scans, poses, odometry, corrected, sweep, order, began, stamp, noise,
                passage_timeout, self_radius):
    """
    Filter a scan and return one of the results of `classified`.

    ``raw`` (n,) are the reported ranges, ``ranges`` (n,) the filtered ones, and ``kinds`` (n,)
    their kinds, all `MEASURED` before (outputs); the beams, ``geometry`` and ``directions``, are
    in the frame of the robot, and the tables are those of `LidarFilter`. ``odometry`` is the pose
    (x, y, theta) of the robot at the end of the sweep, and ``sweep`` (m, 4) are the poses of
    `deskew`, for a sweep from ``began`` to ``stamp`` [s] in an ``order``, or none; with poses,
    ``directions`` becomes those of the readings. ``corrected`` is the pose at the end with the
    drift correction of the scan before. ``noise`` [m] is the standard deviation of a range.
    ``passage_timeout`` [s] is the age of the oldest scan that is compared; 0 for no comparison.
    Readings that stay within ``self_radius`` [m] are of the robot itself, and become unknown.
    """
    state, beams = states[0], geometry[0]
    verdict = classified(raw, ranges, beams, dialect, odometry[2])
    if verdict != OK:
        return verdict
    _drop_own_parts(ranges, beams, directions, table, self_radius)
    if sweep.shape[0] > 0:
        deskew(ranges, directions, beams, sweep, order, began, stamp, odometry)
    seen, unknown = table[SEEN], 0.0 if dialect[0]['has_free'] else math.inf
    for i in range(ranges.size):
        seen[i] = ranges[i] if ranges[i] == ranges[i] else unknown
    lidar = _write_ends(ranges, beams, directions, table, odometry)
    _drop_speckles(ranges, beams, table, speckles, state)
    _fill_holes(ranges, kinds, beams, table, hole_points, state, lidar, stamp)
    sight = table[SIGHT]
    for i in range(ranges.size):
        sight[i] = sight[i] if not ranges[i] <= sight[i] else ranges[i]
    state['changed'] = 0
    if passage_timeout > 0.0:
        lidar = _write_ends(ranges, beams, directions, table, corrected)
        state['changed'] = _compare_with_past(ranges, beams, table, scans, poses, state, lidar,
                                              stamp, noise, passage_timeout)
    return OK


@kernel
def find_holes(seen, unknown, measures, holes):
    """
    Return whether a beam has measured nothing, although it did before, and write which (n,).

    A beam whose value in ``seen`` (n,) [m] is ``unknown`` has measured nothing; ``measures`` (n,)
    are those that ever did, which is updated.
    """
    found = False
    for i in range(seen.size):
        is_unknown = seen[i] == unknown
        measures[i] |= not is_unknown
        holes[i] = is_unknown and measures[i]
        found |= holes[i]
    return found


@kernel
def _drop_own_parts(ranges, beams, directions, table, self_radius):
    """Set readings within a radius of the centre to unknown, if they were there several times."""
    before, times = table[OWN], table[OWN_SCANS]
    reach = self_radius + math.hypot(beams.x, beams.y)
    for i in range(ranges.size):
        r = max(ranges[i], beams.range_min)
        if r < reach and math.hypot(beams.x + r * directions[0, i],
                                    beams.y + r * directions[1, i]) < self_radius:
            times[i] = times[i] + 1.0 if abs(r - before[i]) <= OWN_SPREAD else 0.0
            before[i] = r
            if times[i] >= MIN_OWN_SCANS:
                ranges[i] = math.nan
        else:
            times[i] = 0.0


@kernel
def _write_ends(ranges, beams, directions, table, pose):
    """Write the ends of the beams; return the position of the lidar, the direction of beam 0."""
    cos, sin, range_min = math.cos(pose[2]), math.sin(pose[2]), beams.range_min
    x, y = applied(pose, beams.x, beams.y)
    cosines, sines, xs, ys = directions[0], directions[1], table[X], table[Y]
    for i in range(ranges.size):
        r = max(ranges[i], range_min)
        xs[i] = x + r * (cos * cosines[i] - sin * sines[i])
        ys[i] = y + r * (sin * cosines[i] + cos * sines[i])
    return x, y, pose[2] + beams.first


# ---- the motion of the robot during a sweep ----------------------------------------------------

@kernel
def deskew(ranges, directions, beams, sweep, order, began, ended, pose):
    """
    Replace ranges by those of a lidar that measures all beams at the end of the sweep.

    ``beams`` are in the frame of the robot. ``sweep`` (m, 4) are stamps [s] and poses, oldest
    first, that enclose the time from the oldest beam, ``began``, to the newest, ``ended``, when
    the robot is at ``pose``; ``order`` is 1 if beam 0 is the oldest, -1 if it is the newest. Each
    reading is moved by the motion since its own time, and its direction in ``directions`` (2, n),
    the cosines and sines of those of the beams, by any angle: rounded to a beam, it would rotate
    the scan by up to half a step, always the same way in a steady turn. A direction without a beam
    becomes unknown; of two readings for one beam the nearer counts.
    """
    count, poses, turn = ranges.size, sweep.shape[0], 2.0 * math.pi
    motion, moved = np.empty((poses, 3)), 0.0
    inverse = inverted(pose)
    for j in range(poses):
        motion[j] = composed(inverse, (sweep[j, 1], sweep[j, 2], sweep[j, 3]))
        moved += abs(motion[j, 0]) + abs(motion[j, 1]) + abs(motion[j, 2])
    if moved == 0.0:
        return
    seen, interval = np.full(count, math.nan), (ended - began) / max(count - 1, 1)
    j = 0
    for place in range(count):
        i = place if order > 0 else count - 1 - place
        r = ranges[i]
        if r != r or r == 0.0:
            continue
        stamp = began + place * interval
        while j < poses - 2 and sweep[j + 1, 0] < stamp:
            j += 1
        k = min(j + 1, poses - 1)
        share = 0.0 if k == j else (stamp - sweep[j, 0]) / (sweep[k, 0] - sweep[j, 0])
        share = min(max(share, 0.0), 1.0)
        turned = motion[j, 2] + share * (motion[k, 2] - motion[j, 2])
        heading, dx, dy = turned + beams.first + i * beams.step, 0.0, 0.0
        if 0.0 < r < math.inf:
            x, y = applied((motion[j, 0] + share * (motion[k, 0] - motion[j, 0]),
                            motion[j, 1] + share * (motion[k, 1] - motion[j, 1]), turned),
                           beams.x, beams.y)
            dx = x + r * math.cos(heading) - beams.x
            dy = y + r * math.sin(heading) - beams.y
            heading, r = math.atan2(dy, dx), math.hypot(dx, dy)
        ahead = math.copysign(1.0, beams.step) * (heading - beams.first)
        # Rounding must not move a reading just before the first beam by a full turn.
        beam = int(np.rint(((ahead + 1e-6) % turn - 1e-6) / beams.width))
        if beam < count and not seen[beam] <= r:
            seen[beam] = r
            if 0.0 < r < math.inf:
                directions[0, beam], directions[1, beam] = dx / r, dy / r
    for i in range(count):
        ranges[i] = seen[i]


# ---- speckles ----------------------------------------------------------------------------------

@kernel
def is_speckle(ranges, i, step):
    """Return whether too few neighbouring readings are similar to one."""
    r = ranges[i]
    if not r < math.inf:
        return False
    tolerance = max(NEIGHBOUR_TOLERANCE, NEIGHBOUR_STEPS * abs(step) * r)
    neighbours, count = 0, ranges.size
    for off in (-1, 1, -2, 2):
        j = i + off
        if j < 0 or j >= count:
            j %= count
        neighbours += ranges[j] == r or abs(ranges[j] - r) <= tolerance
        if neighbours == MIN_NEIGHBOURS:
            return False
    return True


@kernel
def continues_line(ranges, i, side, step):
    """Return whether a reading is on the line through the two on a ``side`` of it (1 or -1)."""
    count = ranges.size
    near, far = ranges[(i + side) % count], ranges[(i + 2 * side) % count]
    if not (0.0 < near < math.inf and 0.0 < far < math.inf):
        return False
    inverse = 2.0 * math.cos(step) / near - 1.0 / far
    return inverse > 0.0 and abs(ranges[i] - 1.0 / inverse) <= NEIGHBOUR_TOLERANCE


@kernel
def _drop_speckles(ranges, beams, table, speckles, state):
    """Set speckles to unknown that were not in enough scans."""
    old, new, found = speckles[0], speckles[1], 0
    table[SIGHT, :ranges.size] = math.inf
    for i in range(ranges.size):
        if not is_speckle(ranges, i, beams.step):
            continue
        x, y, times = table[X, i], table[Y, i], 0.0
        within = min(SPECKLE_SHIFT, SPECKLE_SHIFT_SHARE * max(ranges[i], beams.range_min))
        for k in range(state['speckles']):
            if math.hypot(x - old[k, 0], y - old[k, 1]) <= within:
                times = max(times, old[k, 2])
        new[found, 0], new[found, 1], new[found, 2], new[found, 3] = x, y, times + 1.0, i
        found += 1
        if (continues_line(ranges, i, -1, beams.step)
                or continues_line(ranges, i, 1, beams.step)):
            table[SIGHT, i] = ranges[i]
    for k in range(found):
        for column in range(4):
            old[k, column] = new[k, column]
        if new[k, 2] < SPECKLE_SCANS:
            ranges[int(new[k, 3])] = math.nan
    state['speckles'] = found


# ---- holes -------------------------------------------------------------------------------------

@kernel
def _fill_holes(ranges, kinds, beams, table, hole_points, state, lidar, stamp):
    """Fill unknown beams with the last readings in their directions, and store the new ones."""
    left, holes = 0, 0
    for i in range(ranges.size):
        holes += ranges[i] != ranges[i]
    state['holes'] = holes
    if holes:
        found = state['hole_points']
        position, distance = np.empty(found), np.empty(found)
        look_up_beams(hole_points[0], hole_points[1], lidar[0], lidar[1], lidar[2], beams.step,
                      position, distance)
        per_turn = TURN / beams.width
        for k in range(found):
            beam = int(position[k] + 0.5) if position[k] + 0.5 < per_turn else 0
            if (beam < ranges.size
                    and (kinds[beam] == FILLED or ranges[beam] != ranges[beam])
                    and distance[k] <= beams.range_max
                    and stamp - hole_points[2, k] < HOLE_FILL_TIME):
                r = max(distance[k], beams.range_min)
                if not ranges[beam] <= r:
                    ranges[beam], kinds[beam] = r, FILLED
                for row in range(3):
                    hole_points[row, left] = hole_points[row, k]
                left += 1
    for i in range(ranges.size):
        if kinds[i] != FILLED and ranges[i] <= beams.range_max:
            hole_points[0, left], hole_points[1, left] = table[X, i], table[Y, i]
            hole_points[2, left] = stamp
            left += 1
    state['hole_points'] = left


# ---- comparison with earlier scans --------------------------------------------------------------

@kernel
def has_gone_through(past, beam, distance, min_range, width, is_whole, side):
    """
    Return whether a scan passed through a place.

    The place is at the fractional index ``beam`` (`look_up_beams`) of a scan with ranges ``past``
    (m,), ``width`` [rad] apart; ``is_whole``: they cover a full turn. The beams within ``side``
    [m] of the place, which is at ``distance`` [m], must be longer than ``min_range`` [m].
    """
    count, k = past.size, int(beam + 0.5)
    if k >= count:
        if not is_whole:
            return False
        k = 0
    if not past[k] > min_range:
        return False
    beside = min(1 + int(side / (width * distance)), MAX_SIDE_BEAMS)
    for j in range(k - beside, k + beside + 1):
        if is_whole:
            j += count if j < 0 else (-count if j >= count else 0)
        if not (0 <= j < count and past[j] > min_range):
            return False
    return True


@kernel
def _compare_with_past(ranges, beams, table, scans, poses, state, lidar, stamp, noise, timeout):
    """Mark and count beams that end where earlier scans saw free space; store the scan."""
    count = ranges.size
    xs, ys, spacing = table[X], table[Y], table[SPACING]
    spacing[:count] = math.inf
    oldest = state['written'] - state['stored']
    while state['stored'] > 1 and poses[(oldest + 1) % KEPT_SCANS, 0] <= stamp - timeout:
        oldest, state['stored'] = oldest + 1, state['stored'] - 1
    age, number = 0, state['written'] - 1
    beam, distance = np.empty(count), np.empty(count)
    while number >= oldest:
        # The youngest scan of each age, and the oldest of all.
        if number > oldest and not (age < len(COMPARED_AGES) and poses[number % KEPT_SCANS, 0]
                                    <= stamp - COMPARED_AGES[age] * timeout + 1e-6):
            number -= 1
            continue
        pose = poses[number % KEPT_SCANS]
        while age < len(COMPARED_AGES) and pose[0] <= stamp - COMPARED_AGES[age] * timeout + 1e-6:
            age += 1
        look_up_beams(xs, ys, pose[1], pose[2], pose[3], pose[4], beam, distance)
        _mark_new(ranges, beams, spacing, scans[number % KEPT_SCANS, :int(pose[5])], beam,
                  distance, beam_width(pose[4]), noise)
        number -= 1
    _store(ranges, beams, scans, poses, state, lidar, stamp, 0.5 * COMPARED_AGES[0] * timeout)
    found = 0
    for i in range(count):
        found += spacing[i] < math.inf
    return found


@kernel
def _mark_new(ranges, beams, spacing, past, beam, distance, width, noise):
    """Mark beams that end where one earlier scan saw free space, see `has_gone_through`."""
    side, margin = max(SIDE_MARGIN, MAX_SIGMAS * noise), 2.0 * MAX_SIGMAS * noise
    beyond = max(PASS_MARGIN, margin)
    close = min(max(NEAR_PASS_MARGIN, margin), beyond)
    is_whole = is_full_turn(past.size, width)
    for i in range(ranges.size):
        # Most beams end where the earlier one ended: a single comparison excludes them.
        is_measured = beams.range_min < ranges[i] <= beams.range_max
        k = min(int(beam[i] + 0.5), past.size - 1) if is_measured else -1
        if k < 0 or k < past.size - 1 and not past[k] > distance[i] + close:
            continue
        margin = close if distance[i] < NEAR else beyond
        if (beams.range_min <= distance[i] <= beams.range_max - RANGE_END_MARGIN
                and has_gone_through(past, beam[i], distance[i], distance[i] + margin, width,
                                     is_whole, side)):
            spacing[i] = min(spacing[i], width * distance[i])


@kernel
def _store(ranges, beams, scans, poses, state, lidar, stamp, least):
    """Store a scan for later comparisons, at most one per ``least`` [s]."""
    if state['stored'] > 0:
        newest = poses[(state['written'] - 1) % KEPT_SCANS, 0]
        if 0.0 <= stamp - newest < least:
            return
        if stamp < newest:
            state['stored'] = 0
    row, count = state['written'] % KEPT_SCANS, ranges.size
    for i in range(count):
        scans[row, i] = ranges[i]
    pose = poses[row]
    pose[0], pose[1], pose[2], pose[3] = stamp, lidar[0], lidar[1], lidar[2]
    pose[4], pose[5] = beams.step, count
    state['written'] += 1
    state['stored'] += 1
