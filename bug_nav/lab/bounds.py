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
Published upper bounds of path lengths, for obstacles inflated by the contour radius.

D is the distance from start to goal, p_i the perimeters of the loops that meet the disc of radius
D about the goal, m_i the number of local minima of the distance to the goal on a loop. For Bug2,
only loops that the segment from start to goal crosses count, n_i times; rounding odd n_i up is
ours. Class3 and Bug1+ have the bound of Bug1. All bounds are proven for the original algorithms
only.

Sources: V. Lumelsky and A. Stepanov, Algorithmica 2, 1987 (Bug1, Bug2); V. Lumelsky, Sensing,
Intelligence, Motion, 2006 (BugM1); A. Sankaranarayanan and M. Vidyasagar, 1990 (Alg1, Alg2); I.
Kamon, E. Rimon and E. Rivlin, IJRR 17(9), 1998 (TangentBug).
"""

from __future__ import annotations

import math
from typing import Callable, Dict, NamedTuple, Optional

from bug_nav.lab.ground_truth import bug2_bound, inflate, MARGIN
from bug_nav.navigation.geometry import Point
from bug_nav.simulation.world import World
import numpy as np
from shapely.geometry import LineString
from shapely.geometry import Point as Place

# Spacing of the points that sample a loop for its minima [m].
_STEP = 0.01


class LoopSums(NamedTuple):
    """Terms of the bounds [m]."""

    direct: float
    """D: distance from start to goal."""
    near: float
    """Sum of p_i over the loops that meet the disc."""
    minima: float
    """Sum of p_i m_i over the same loops."""
    bug2: float
    """
    D + sum of ceil(n_i / 2) p_i; the maximum of rho - 2 cm, rho and rho + 2 cm, because a line
    that grazes a loop may or may not cross it.
    """


def loop_sums(world: World, start: tuple, goal: Point, rho: float) -> LoopSums:
    """Return the terms of the bounds."""
    direct = math.dist(start[:2], goal)
    solid = inflate(world, rho)
    loops = [LineString(ring.coords) for part in getattr(solid, 'geoms', [solid])
             if not part.is_empty for ring in (part.exterior, *part.interiors)]
    near = [loop for loop in loops if loop.distance(Place(goal)) < direct]
    return LoopSums(direct, sum(loop.length for loop in near),
                    sum(loop.length * _minima(loop, goal) for loop in near),
                    max(bug2_bound(world, rho + by, start, goal)
                        for by in (-MARGIN, 0.0, MARGIN)))


def _minima(loop: LineString, goal: Point) -> int:
    """Count the local minima of the distance to the goal along a closed loop."""
    corners = np.array(loop.coords)[:, :2]
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))))
    places = np.linspace(0.0, along[-1], max(8, math.ceil(along[-1] / _STEP)), endpoint=False)
    x, y = (np.interp(places, along, corners[:, axis]) for axis in (0, 1))
    distance = np.hypot(x - goal[0], y - goal[1])
    step = np.roll(distance, -1) - distance
    step = step[np.abs(step) > 1e-12]
    return max(1, int(((step < 0.0) & (np.roll(step, -1) > 0.0)).sum()))


BOUNDS: Dict[str, Callable[[LoopSums], float]] = {
    **dict.fromkeys(('bug1', 'bug1_plus', 'class3'),
                    lambda sums: sums.direct + 1.5 * sums.near),
    **dict.fromkeys(('bug2', 'vis_bug_21'), lambda sums: sums.bug2),
    **dict.fromkeys(('alg1', 'alg2'), lambda sums: sums.direct + 2.0 * sums.near),
    'bug_m1': lambda sums: sums.direct + 3.0 * sums.near,
    'tangent_bug': lambda sums: sums.direct + sums.near + sums.minima}
"""Bounds by the name of the algorithm."""


def bound_of(algorithm: str, sums: LoopSums) -> Optional[float]:
    """Return the upper bound of the path length of an algorithm [m]; None if unknown."""
    return BOUNDS[algorithm](sums) if algorithm in BOUNDS else None
