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
The closed chain of obstacle points that separates the robot from an unreachable goal.

The search uses all points in memory at once, as Bug1 would on a map (V. J. Lumelsky and A. A.
Stepanov, "Path-planning strategies for a point mobile automaton moving amidst unknown obstacles of
arbitrary shape", Algorithmica 2:403-430, 1987): go straight to the goal, roll around the obstacle
in the way, and continue from the place closest to the goal. On its way around, the disc touches
one point after another, each nearer to the next than the diameter of the disc. If they separate
robot and goal, they are the proof, which `certificate` checks.
"""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Sequence, Tuple

from bug_nav.navigation.cspace import disc_rolling, kernels
from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.geometry import bearing, distance, Point
import numpy as np

MAX_OBSTACLES = 100
"""Maximum number of obstacles on the way to a goal."""
NEAR_RADII = 4.0
"""
The disc rolls over points within this distance [contour radii], which is more than it can touch.
"""
MIN_PROGRESS = 0.01
"""Minimum decrease of the distance to the goal at each obstacle [m]."""
MAX_CONTOUR = 10000.0
"""Maximum length of a contour [m]."""
LINK_WIDTH = 0.02
"""Maximum distance between a link and the points beside it [m]."""
EDGE_RADIUS = 0.15
"""Maximum distance of the narrowest place of a gap from a contact of the disc [m]."""
CHAIN_SPACING = 0.1
"""Minimum length of the links of the chain [m]."""


def enclosing_chain(space: FreeSpace, radius: float, robot: Point, goal: Point
                    ) -> Optional[List[Point]]:
    """
    Return the closed chain of obstacle points between robot and goal; None if there is none.

    If a goal is on the side of the robot but too near to an obstacle, that is the chain around the
    obstacle. ``radius`` is the contour radius rho [m].
    """
    points, radii = space.points, space.radii
    place, closest = robot, math.inf
    for _ in range(MAX_OBSTACLES):
        heading = bearing(place, goal)
        free, i = kernels.free_distance(points, radii, 0, 0.0, 0.0, *place, heading,
                                        distance(place, goal))
        if i < 0:
            return None
        x, y = place[0] + free * math.cos(heading), place[1] + free * math.sin(heading)
        disc = disc_rolling.resolve_penetration(points, radii,
                                                (x, y, *points[i].tolist(), float(radii[i])))
        lap = _roll_around(points, radii, radius, disc)
        if lap is None:
            return None
        path, contacts = lap
        chain = [tuple(points[k].tolist()) for k in contacts if k < space.obstacles]
        distances = np.hypot(path[:, 0] - goal[0], path[:, 1] - goal[1])
        nearest = int(np.argmin(distances))
        if winding(chain, robot) != winding(chain,
                                            goal) or distances[nearest] > closest - MIN_PROGRESS:
            chain = _bridged(_thinned(chain, robot, goal, 2.0 * radius), space, 2.0 * radius)
            return _filled(chain, space, goal, 2.0 * radius)
        place, closest = (float(path[nearest, 0]),
                          float(path[nearest, 1])), float(distances[nearest])
    return None


def winding(chain: List[Point], place: Point) -> int:
    """Return the winding number of a closed chain around a place, counter-clockwise."""
    lap = 0
    for (x, y), (next_x, next_y) in zip(chain, chain[1:] + chain[:1]):
        side = (next_x - x) * (place[1] - y) - (next_y - y) * (place[0] - x)
        if y <= place[1] < next_y and side > 0.0:
            lap += 1
        elif next_y <= place[1] < y and side < 0.0:
            lap -= 1
    return lap


def crossed_at(chain: List[Point], robot: Point, path: Sequence[Point], radius: float
               ) -> Optional[Point]:
    """
    Return the first place of the robot's path beyond a closed chain; None if there is none.

    A disc of ``radius`` [m] between the two ends of a link touches both: it may protrude into the
    gap without passing it.
    """
    side = winding(chain, robot)
    links = list(zip(chain, chain[1:] + chain[:1]))
    for place in path:
        if winding(chain, place) != side and not any(
                max(distance(place, one), distance(place, other)) < radius
                for one, other in links):
            return place
    return None


def _roll_around(points: np.ndarray, radii: np.ndarray, radius: float, disc: disc_rolling.Disc
                 ) -> Optional[Tuple[np.ndarray, List[int]]]:
    """
    Return the places of a disc that rolls once around, and the points that it touches.

    The lap is complete when the disc goes from one point to another for the second time. The start
    may be outside this lap, in a nook that the disc does not enter again.
    """
    near, origin = _near(points, disc, radius)
    path, contacts = [disc[:2]], [int(np.argmin(np.hypot(*(points - disc[2:4]).T)))]
    transitions: Dict[Tuple[int, int], Tuple[Point, int, int]] = {}
    rolled, turned, stuck = 0.0, 0.0, 0
    while rolled < MAX_CONTOUR and stuck < disc_rolling.JAM_CONTACTS:
        if distance(origin, disc[:2]) > radius:
            near, origin = _near(points, disc, radius)
        disc, length, _, has_contact = disc_rolling.roll_step(points[near], radii[near], disc, 1)
        rolled, turned = rolled + length, turned + length
        stuck = 0 if length > disc_rolling.PENETRATION else stuck + 1
        path.append(disc[:2])
        if has_contact:
            k = int(near[np.argmin(np.hypot(*(points[near] - disc[2:4]).T))])
            place, steps, count = transitions.setdefault(
                (contacts[-1], k), (disc[:2], len(path), len(contacts)))
            if count < len(contacts) and distance(place, disc[:2]) < disc_rolling.STRIDE:
                return np.array(path[steps:]), contacts[count:]
            contacts.append(k)
            turned = 0.0
        elif turned > 2.0 * math.pi * disc[4]:  # an isolated point
            return np.array(path), contacts[-1:]
    return None


def _near(points: np.ndarray, disc: disc_rolling.Disc, radius: float) -> Tuple[np.ndarray, Point]:
    """Return the indices of the points around a disc, and its place."""
    dx, dy = points[:, 0] - disc[0], points[:, 1] - disc[1]
    return np.flatnonzero(dx * dx + dy * dy < (NEAR_RADII * radius) ** 2), disc[:2]


def _thinned(chain: List[Point], robot: Point, goal: Point, near: float) -> List[Point]:
    """
    Return a chain without points between others that are near to each other.

    All points within ``near`` [m] of the goal are kept, and the robot stays on the same side.
    """
    kept = chain[:1]
    for place, after in zip(chain[1:], chain[2:] + chain[:1]):
        if (distance(kept[-1], after) > CHAIN_SPACING or distance(place, goal) < near
                or winding([kept[-1], place, after], robot)):
            kept.append(place)
    return kept


def _bridged(chain: List[Point], space: FreeSpace, width: float) -> List[Point]:
    """Return a chain in which links longer than ``width`` use the narrowest place of the gap."""
    points = space.obstacle_points
    closed = []
    for one, other in zip(chain, chain[1:] + chain[:1]):
        closed.append(one)
        if distance(one, other) >= width:
            here, there = (np.vstack((points[np.hypot(*(points - end).T) < EDGE_RADIUS], end))
                           for end in (one, other))
            distances = np.hypot(here[:, :1] - there[:, 0], here[:, 1:] - there[:, 1])
            i, j = np.unravel_index(np.argmin(distances), distances.shape)
            closed += [tuple(here[i].tolist()), tuple(there[j].tolist())]
    return closed


def _filled(chain: List[Point], space: FreeSpace, goal: Point, near: float) -> List[Point]:
    """Return a chain with all points beside its links that may hide a goal within ``near`` [m]."""
    points = space.obstacle_points
    points = points[np.hypot(points[:, 0] - goal[0], points[:, 1] - goal[1]) < near]
    filled = []
    for one, other in zip(chain, chain[1:] + chain[:1]):
        filled.append(one)
        link = np.subtract(other, one)
        along = (points - one) @ link / max(float(link @ link), 1e-12)
        off = points - one - along[:, None] * link
        beside = np.flatnonzero((along > 0.0) & (along < 1.0)
                                & (np.hypot(off[:, 0], off[:, 1]) < LINK_WIDTH))
        filled.extend(map(tuple, points[beside[np.argsort(along[beside])]].tolist()))
    return filled
