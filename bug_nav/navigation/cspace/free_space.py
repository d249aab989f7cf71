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
Free space of a disc: the only implementation of free-distance queries.

The radius of the disc is the contour radius rho. Each obstacle point has an inflation radius for
the centre of the disc: rho, slightly less at a narrow gap that is open, and little for the plug in
one that is closed (`cspace.gaps`). If the disc is already nearer to a point, because it was pushed
there or a wall was measured nearer, its radius is the clearance, but never less than that of the
body: a tracking error of a centimetre must not block everything.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.navigation.compiled import fan
from bug_nav.navigation.cspace import disc_rolling, kernels
from bug_nav.navigation.geometry import bearing, distance, Point
import numpy as np

SIGHT_RADIUS = 0.02
"""Minimum distance of obstacle points from a line of sight [m]."""


class FreeSpace:
    """The obstacle points and the free space between them (odometry frame)."""

    def __init__(self, points: np.ndarray, radii: np.ndarray, obstacles: int, body: float):
        """
        Take ``points`` (n, 2) [m] and their inflation radii (n,) [m].

        The first ``obstacles`` of them are obstacle points, the others plugs; ``body`` is the
        radius R [m].
        """
        self.points, self.radii = points, radii
        self.obstacles, self.body = obstacles, body
        self.obstacle_points = points[:obstacles]
        """Those that are not plugs."""

    def clearance(self, place: Point) -> float:
        """Return the distance of the nearest obstacle point from a place [m]; inf for none."""
        return kernels.nearest(self.obstacle_points, *place)[0]

    def free_distance(self, origin: Point, heading: float, reach: float, reduction: float = 0.0,
                      min_radius: float = 0.0) -> Tuple[float, Optional[Point]]:
        """
        Return the free distance [m] along a heading, up to ``reach``, and the blocking point.

        The disc starts at ``origin`` and is smaller by ``reduction`` [m]. With less clearance, it
        is as small as the body, or as ``min_radius`` [m] for a virtual robot. The blocking point
        may be a plug; None if nothing blocks.
        """
        free, i = kernels.free_distance(self.points, self.radii, self.obstacles,
                                        max(self.body, min_radius), reduction, *origin, heading,
                                        reach)
        return free, self._point(i) if i >= 0 else None

    def free_distance_of(self, radius: float, origin: Point, heading: float, reach: float
                         ) -> Tuple[float, Optional[Point]]:
        """Return the same for a disc of another ``radius`` [m], for obstacles only."""
        radii = np.full(len(self.obstacle_points), radius)
        free, i = kernels.free_distance(self.obstacle_points, radii, 0, 0.0, 0.0, *origin, heading,
                                        reach)
        return free, self._point(i) if i >= 0 else None

    def has_line_of_sight(self, one: Point, other: Point) -> bool:
        """Return whether there is a line of sight between two places."""
        return self.free_distance_of(SIGHT_RADIUS, one, bearing(one, other),
                                     distance(one, other))[1] is None

    def is_inside(self, place: Point, depth: float) -> bool:
        """Return whether a place is more than ``depth`` [m] inside the inflated obstacles."""
        return disc_rolling.deepest_penetration(self.points, self.radii, *place)[0] >= depth

    def gap_edges(self, place: Point, heading: float, within: float
                  ) -> Optional[Tuple[Point, Point]]:
        """
        Return the nearest obstacle points on the left and on the right of a heading.

        None if one of them is not within ``within`` [m].
        """
        left, right = kernels.nearest_on_sides(self.obstacle_points, *place, heading, within)
        return (self._point(left), self._point(right)) if left >= 0 and right >= 0 else None

    def is_enclosed(self, place: Point, radius: float, within: float) -> bool:
        """
        Return whether a disc of ``radius`` [m] at a place has no free heading.

        Each point within ``within`` blocks the headings within asin(radius / r) of its own.
        """
        dx, dy = (self.obstacle_points - place).T
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

    def free_distances(self, origin: Point, reach: float, count: int
                       ) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return the free distance along each of ``count`` headings, and what blocks it.

        Heading ``k`` is ``2 pi k / count``. The free distances (count,) are up to ``reach`` [m],
        and the indices (count,) those of points, -1 for none.
        """
        return kernels.free_distances(self.points, self.radii, self.obstacles, self.body,
                                      *origin, reach, *fan(0.0, 2.0 * math.pi / count, count))

    def _point(self, i: int) -> Point:
        return float(self.points[i, 0]), float(self.points[i, 1])
