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
The area that a sensor without a view all around has observed to be free.

Obstacles may be anywhere between the cones of two rangers, or where a lidar does not look. Before
the robot drives there, the collision monitor lets it turn on the spot to look; it enters what
remains unobserved slowly (`control.collision_monitor`). The area is a square grid that moves with
the robot; cells that leave it are deleted.
"""

from __future__ import annotations

import math
from typing import Dict, Optional, Tuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.geometry import Point, Pose, wrap
from bug_nav.navigation.perception.beams import TURN
from bug_nav.navigation.types import Scan
import numpy as np

CELLS = 96
"""Number of cells along each side of the grid."""
CELL = 0.15
"""Size of a cell [body radii]: a thinner obstacle may be missed."""
MARGIN = 1.5 * CELL
"""
Distance around the body that a lidar must have observed as well, and depth of what it takes for
the inside of an obstacle, behind its surface [body radii].
"""
NOWHERE = (math.inf, math.inf)
"""A start from which the robot drives into every cell."""
UNOBSERVED, SURFACE, FREE = range(3)
"""States of a cell: never observed, just behind the end of a beam, and free."""


class ObservedArea:
    """Cells by what was observed of them (odometry frame)."""

    def __init__(self, body_radius: float, reach: float = math.inf):
        """
        Start empty, for a robot of radius ``body_radius`` [m].

        ``reach`` [m]: maximum distance from the robot up to which the view of a lidar counts. The
        memory does not keep every point of the obstacles beyond it, so that a free place there
        may have a wall in it that is no longer known when the robot arrives.
        """
        self._body_radius, self._cell, self._reach = body_radius, CELL * body_radius, reach
        self._free = np.zeros((CELLS, CELLS), dtype=np.uint8)
        self._centre: Optional[Tuple[int, int]] = None
        self._bearings: Tuple[float, ...] = ()
        self._gaps: Dict[Pose, float] = {}
        """The angle that each lidar turns to see all around, by its mount [rad]."""
        self.margin = 0.0
        """Distance around the body that must be free as well [m]."""
        self.max_gap = 0.0
        """
        Angle that the robot turns to see all around [rad]: the maximum between the axes of two
        neighbouring rangers, or that without beams, of the lidar with the smallest.
        """

    def add(self, scan: Scan, pose: Pose) -> float:
        """
        Add a reading of a ranger, taken at ``pose``; the place of the body is free.

        Return the offset from the axis [rad] at which the object of the reading is assumed. The
        object may be anywhere across the cone. It is assumed in the direction nearest to the axis
        in which no cone has seen farther; without one, the object has moved, and is assumed on the
        axis.
        """
        self._move(pose)
        assert self._centre is not None
        sensor = pose.compose(scan.mount)
        bearing = scan.mount.theta
        if bearing not in self._bearings:
            self._bearings = tuple(sorted((*self._bearings, bearing)))
            ends = (*self._bearings[1:], self._bearings[0] + 2.0 * math.pi)
            self.max_gap = max(end - begin for begin, end in zip(self._bearings, ends))
        reading = float(scan.ranges[0])
        if not reading > 0.0:  # unknown, or too near to measure
            return 0.0
        sector = (self._free, *self._centre, self._cell, sensor.x, sensor.y,
                  wrap(sensor.theta + scan.angle_min), 0.5 * abs(scan.angle_increment))
        _mark(*sector, min(reading, scan.range_max))
        if reading > scan.range_max:
            return 0.0
        offset: float = _unobserved_offset(*sector, reading)
        return offset

    def add_view(self, scan: Scan, pose: Pose) -> None:
        """Add how far each beam of a lidar has seen, instead of its ranges, at ``pose``."""
        self._move(pose)
        assert self._centre is not None
        sensor = pose.compose(scan.mount)
        self.margin = MARGIN * self._body_radius
        # A lidar off the centre sees places beside the body in other directions than the centre.
        off_centre = math.hypot(*scan.mount.position)
        aside = math.asin(min(off_centre / self._body_radius, 1.0))
        gap = TURN - abs(scan.angle_increment) * (len(scan.ranges) - 1) + 2.0 * aside
        self._gaps[scan.mount] = min(gap, TURN)
        self.max_gap = min(self._gaps.values())
        _mark_view(self._free, *self._centre, self._cell, sensor.x, sensor.y,
                   sensor.theta + scan.angle_min, scan.angle_increment,
                   np.asarray(scan.ranges, dtype=float), scan.range_min,
                   min(scan.range_max, self._reach - off_centre), self.margin)

    def covers(self, poses: np.ndarray, radius: float, margin: float = 0.0,
               start: Point = NOWHERE) -> bool:
        """
        Return whether discs of a radius [m] at ``poses`` (n, 3) are inside the area.

        Cells within the margin [m] around them may be behind a surface. Cells that are as near to
        ``start`` do not matter, because the robot does not drive towards them.
        """
        return self._centre is not None and _is_covered(
            self._free, *self._centre, self._cell, poses, *start, radius, margin)

    def _move(self, pose: Pose) -> None:
        """Centre the grid on the robot and clear the cells that leave it."""
        centre = math.floor(pose.x / self._cell), math.floor(pose.y / self._cell)
        if self._centre is None:
            self._centre = centre
        if centre != self._centre:
            for axis, (before, now) in enumerate(zip(self._centre, centre)):
                step = int(math.copysign(1, now - before))
                edge = CELLS // 2 if step > 0 else -CELLS // 2 + 1
                for k in range(min(abs(now - before), CELLS)):
                    # A column that enters on one side replaces one that leaves on the other.
                    entering = (now - step * k + edge) % CELLS
                    self._free[(slice(None), entering) if axis else entering] = UNOBSERVED
            self._centre = centre
        _mark(self._free, *centre, self._cell, pose.x, pose.y, 0.0, math.pi, self._body_radius)


@kernel
def _mark(free: np.ndarray, column: int, row: int, cell: float, x: float, y: float, heading: float,
          half: float, reach: float) -> None:
    """
    Mark the cells of a sector as free.

    The sector is centred at ``x``, ``y`` and extends to ``half`` [rad] on either side of
    ``heading`` and up to ``reach`` [m]. ``column`` and ``row`` are the middle of the grid.
    """
    count = free.shape[0]
    side = count // 2 - 1
    cos, sin = math.cos(heading), math.sin(heading)
    width = math.tan(half) if half < 1.5 else np.inf
    # Bounding box of the sector: its centre, three points of its arc, and the bulge of the arc.
    low_x = high_x = x
    low_y = high_y = y
    for k in (-1.0, 0.0, 1.0):
        end_x = x + reach * math.cos(heading + k * half)
        end_y = y + reach * math.sin(heading + k * half)
        low_x, high_x = min(low_x, end_x), max(high_x, end_x)
        low_y, high_y = min(low_y, end_y), max(high_y, end_y)
    margin = reach * (1.0 - math.cos(0.5 * half)) + cell
    first_c = max(int(math.floor((low_x - margin) / cell)), column - side)
    last_c = min(int(math.floor((high_x + margin) / cell)), column + side)
    first_r = max(int(math.floor((low_y - margin) / cell)), row - side)
    last_r = min(int(math.floor((high_y + margin) / cell)), row + side)
    for c in range(first_c, last_c + 1):
        dx = (c + 0.5) * cell - x
        for r in range(first_r, last_r + 1):
            dy = (r + 0.5) * cell - y
            if dx * dx + dy * dy > reach * reach:
                continue
            ahead, aside = dx * cos + dy * sin, abs(dy * cos - dx * sin)
            if width == np.inf or aside <= max(ahead, 0.0) * width + 0.25 * cell and ahead > -cell:
                free[c % count, r % count] = FREE


@kernel
def _mark_view(free: np.ndarray, column: int, row: int, cell: float, x: float, y: float,
               first: float, step: float, ranges: np.ndarray, range_min: float, range_max: float,
               depth: float) -> None:
    """
    Mark the cells in front of the ends of beams as free, and those just behind as a surface.

    Beam 0 starts at ``x``, ``y`` along ``first`` [rad], and the next one is ``step`` [rad]
    further. ``column`` and ``row`` are the middle of the grid. A surface has a ``depth`` [m].
    """
    count, side = free.shape[0], free.shape[0] // 2 - 1
    sign, width = math.copysign(1.0, step), abs(step)
    for c in range(column - side, column + side + 1):
        dx = (c + 0.5) * cell - x
        for r in range(row - side, row + side + 1):
            if free[c % count, r % count] == FREE:
                continue
            dy = (r + 0.5) * cell - y
            beam = int((sign * (math.atan2(dy, dx) - first) / TURN % 1.0) * TURN / width + 0.5)
            if beam < ranges.size:
                distance = math.hypot(dx, dy)
                if distance <= min(max(ranges[beam], range_min), range_max):
                    free[c % count, r % count] = FREE
                elif range_min <= ranges[beam] <= range_max and distance <= ranges[beam] + depth:
                    free[c % count, r % count] = SURFACE


@kernel
def _unobserved_offset(free: np.ndarray, column: int, row: int, cell: float, x: float, y: float,
                       heading: float, half: float, reading: float) -> float:
    """
    Return the smallest offset from a heading at which the cell behind a reading is not free.

    The sector is as for `_mark`; 0 if all these cells are free.
    """
    count, away = free.shape[0], reading + cell
    steps = max(int(half * reading / cell), 1)
    for k in range(steps + 1):
        for side in (1.0, -1.0):
            offset = side * half * k / steps
            c = int(math.floor((x + away * math.cos(heading + offset)) / cell))
            r = int(math.floor((y + away * math.sin(heading + offset)) / cell))
            if (2 * max(abs(c - column), abs(r - row)) >= count
                    or free[c % count, r % count] != FREE):
                return offset
    return 0.0


@kernel
def _is_covered(free: np.ndarray, column: int, row: int, cell: float, poses: np.ndarray,
                from_x: float, from_y: float, radius: float, margin: float) -> bool:
    """Return whether discs at ``poses`` (n, 3) are in observed cells: `ObservedArea.covers`."""
    count = free.shape[0]
    side = count // 2 - 1
    reach = radius + margin
    for k in range(poses.shape[0]):
        x, y = poses[k, 0], poses[k, 1]
        for c in range(int(math.floor((x - reach) / cell)),
                       int(math.floor((x + reach) / cell)) + 1):
            dx, from_dx = (c + 0.5) * cell - x, (c + 0.5) * cell - from_x
            for r in range(int(math.floor((y - reach) / cell)),
                           int(math.floor((y + reach) / cell)) + 1):
                dy, from_dy = (r + 0.5) * cell - y, (r + 0.5) * cell - from_y
                square = dx * dx + dy * dy
                if square > reach * reach:
                    continue
                is_near = max(abs(c - column), abs(r - row)) <= side
                state = free[c % count, r % count] if is_near else UNOBSERVED
                if state >= (FREE if square <= radius * radius else SURFACE):
                    continue
                if square < min(from_dx * from_dx + from_dy * from_dy, reach * reach):
                    return False
    return True
