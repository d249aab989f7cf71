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
Where a disc can go: every question of what is free has its one answer here.

The disc is the robot's contour radius rho wide, and each obstacle point has the radius that its
centre keeps from it: rho, a little less at a narrow gap that is open, little for the plug in one
that is shut (`cspace.gaps`). Where the disc is nearer to a point than that already, for it
was pushed there or a wall has shown nearer, it counts for as wide as the room it has, and never
for less than the body: a centimetre of tracking error must not block everything.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.navigation.compiled import fan
from bug_nav.navigation.cspace import kernels, strides
from bug_nav.navigation.geometry import bearing, distance, Point
import numpy as np

SIGHT = 0.02
"""No obstacle point is nearer than this [m] to a straight line along which there is sight."""


class FreeSpace:
    """The obstacle points and what is free between them (odometry's frame)."""

    def __init__(self, points: np.ndarray, radii: np.ndarray, obstacles: int, body: float):
        """
        Take ``points`` (n, 2) [m], and how far the disc's centre is to keep from each, (n,) [m].

        The first ``obstacles`` of them are such, and the rest plugs; ``body`` is the radius R [m].
        """
        self.points, self.radii = points, radii
        self.obstacles, self.body = obstacles, body
        self._real = points[:obstacles]

    def room(self, place: Point) -> float:
        """Return how far from a place the nearest obstacle point is [m]; inf where none is."""
        return kernels.nearest(self._real, *place)[0]

    def free(self, origin: Point, heading: float, reach: float, less: float = 0.0,
             least: float = 0.0) -> Tuple[float, Optional[Point]]:
        """
        Return how far [m], up to ``reach``, the disc can go along a heading, and what stops it.

        It begins at ``origin`` and is taken smaller by ``less`` [m]. Where it has less room, it is
        as small as the body, or as ``least`` [m] for a robot that is only imagined there. The
        second value is the point that stops it, a plug perhaps, None where nothing does.
        """
        free, i = kernels.free_distance(self.points, self.radii, self.obstacles,
                                        max(self.body, least), less, *origin, heading, reach)
        return free, self._point(i) if i >= 0 else None

    def first_contact(self, origin: Point, heading: float, reach: float) -> Tuple[float, int]:
        """Return the same for the whole disc, and the index of what stops it or -1."""
        return kernels.free_distance(
            self.points, self.radii, 0, 0.0, 0.0, *origin, heading, reach)

    def free_for(self, radius: float, origin: Point, heading: float, reach: float
                 ) -> Tuple[float, Optional[Point]]:
        """Return the same for a disc of another ``radius`` [m], for obstacles alone."""
        radii = np.full(len(self._real), radius)
        free, i = kernels.free_distance(self._real, radii, 0, 0.0, 0.0, *origin, heading, reach)
        return free, self._point(i) if i >= 0 else None

    def sees(self, one: Point, other: Point) -> bool:
        """Tell whether there is sight from one place to another."""
        return self.free_for(SIGHT, one, bearing(one, other), distance(one, other))[1] is None

    def is_covered(self, place: Point, by: float) -> bool:
        """Tell whether a place is more than so far [m] in what the centre is to keep away from."""
        return strides.deepest(self.points, self.radii, *place)[0] >= by

    def jambs(self, place: Point, heading: float, within: float
              ) -> Optional[Tuple[Point, Point]]:
        """
        Return the nearest obstacle points on the left and on the right of a heading.

        None where one of them is not nearer than ``within`` [m].
        """
        left, right = kernels.nearest_beside(self._real, *place, heading, within)
        return (self._point(left), self._point(right)) if left >= 0 and right >= 0 else None

    def encloses(self, place: Point, radius: float, within: float) -> bool:
        """
        Tell whether a disc of ``radius`` [m] at a place has no free heading, all around.

        Each point nearer than ``within`` blocks the headings within asin(radius / r) of its own.
        """
        dx, dy = (self._real - place).T
        r2 = dx * dx + dy * dy
        near = np.flatnonzero(r2 < within * within)
        if near.size == 0:
            return False
        bearings = np.arctan2(dy[near], dx[near])
        half_widths = np.arcsin(np.minimum(radius / np.sqrt(r2[near]), 1.0))
        order = np.argsort(bearings - half_widths)
        low = (bearings - half_widths)[order]
        high = np.maximum.accumulate((bearings + half_widths)[order])
        # The last sector ends where the first begins, a turn later.
        return bool(np.all(low[1:] <= high[:-1]) and high[-1] >= low[0] + 2.0 * math.pi)

    def all_around(self, origin: Point, reach: float, count: int
                   ) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return how far the disc can go along each of ``count`` headings, and what stops it.

        Heading ``k`` is ``2 pi k / count``. The free distances (count,) are up to ``reach`` [m],
        and the indices (count,) those of points, -1 for none.
        """
        return kernels.free_distances(self.points, self.radii, self.obstacles, self.body,
                                      *origin, reach, *fan(0.0, 2.0 * math.pi / count, count))

    def connected(self) -> np.ndarray:
        """Return which obstacle each point belongs to, (n,): there is no way between its own."""
        return kernels.clusters(self.points, self.radii)

    def _point(self, i: int) -> Point:
        return float(self.points[i, 0]), float(self.points[i, 1])
