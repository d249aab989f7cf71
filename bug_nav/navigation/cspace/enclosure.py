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
Why a goal cannot be reached: the closed chain of obstacle points around it or around the robot.

It is found among the points that are remembered, all of them at once, as Bug1 would on a map
(V. J. Lumelsky and A. A. Stepanov, "Path-planning strategies for a point mobile automaton moving
amidst unknown obstacles of arbitrary shape", Algorithmica 2:403-430, 1987): go straight to the
goal, roll all around what is in the way, go on from the place that is closest to the goal. The
disc touches one point after another on its way around, each nearer to the next than the disc is
wide. Where these lie between robot and goal, that is the proof; `certificate` checks it.
"""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Sequence, Tuple

from bug_nav.navigation.cspace import strides
from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.geometry import bearing, distance, Point
import numpy as np

OBSTACLES = 100
"""So many obstacles are gone around, on the way to a goal."""
NEAR = 4.0
"""The disc rolls over points up to so far from it [contour radii]; more than it can touch."""
CLOSER = 0.01
"""Each obstacle has to bring the disc closer to the goal by this [m]."""
LONGEST = 10000.0
"""A contour longer than this [m] is followed no further."""
BESIDE = 0.02
"""Points nearer to a link than this [m] are beside it."""
JAMB = 0.15
"""The narrowest place of a gap is no farther than this from where the disc has touched [m]."""
CORNER = 2.0
"""A corner's points are no farther than this from the middle of the link [widths of a gap]."""
STEP = 0.5
"""They are nearer to each other than this [widths of a gap]: stray points do not make a wall."""
SPACING = 0.1
"""Links of the chain that are shorter than this [m] are put together."""


def enclosing_chain(space: FreeSpace, radius: float, robot: Point, goal: Point
                    ) -> Optional[List[Point]]:
    """
    Return the closed chain of obstacle points between robot and goal; None where there is none.

    Where a goal is on the robot's side, but nearer to an obstacle than the robot can come, that is
    the chain around the obstacle. ``radius`` is the contour radius rho [m].
    """
    points, radii = space.points, space.radii
    place, closest = robot, math.inf
    for _ in range(OBSTACLES):
        heading = bearing(place, goal)
        free, i = space.first_contact(place, heading, distance(place, goal))
        if i < 0:
            return None
        x, y = place[0] + free * math.cos(heading), place[1] + free * math.sin(heading)
        disc = strides.make_room(points, radii, (x, y, *points[i].tolist(), float(radii[i])))
        around = _roll_round(points, radii, radius, disc)
        if around is None:
            return None
        way, touched = around
        chain = [tuple(points[k].tolist()) for k in touched if k < space.obstacles]
        away = np.hypot(way[:, 0] - goal[0], way[:, 1] - goal[1])
        nearest = int(np.argmin(away))
        if winding(chain, robot) != winding(chain, goal) or away[nearest] > closest - CLOSER:
            chain = _bridged(_thinned(chain, robot, goal, 2.0 * radius), space, 2.0 * radius)
            return _filled(chain, space, goal, 2.0 * radius)
        place, closest = (float(way[nearest, 0]), float(way[nearest, 1])), float(away[nearest])
    return None


def winding(chain: List[Point], place: Point) -> int:
    """Return how many times a closed chain goes around a place, counter-clockwise."""
    around = 0
    for (x, y), (next_x, next_y) in zip(chain, chain[1:] + chain[:1]):
        side = (next_x - x) * (place[1] - y) - (next_y - y) * (place[0] - x)
        if y <= place[1] < next_y and side > 0.0:
            around += 1
        elif next_y <= place[1] < y and side < 0.0:
            around -= 1
    return around


def is_closed(chain: List[Point], space: FreeSpace, width: float, others: Sequence[Point]
              ) -> bool:
    """
    Tell whether a closed chain has no gap of a ``width`` [m] or more.

    The link across a corner is none where the remembered points go on around it: in steps much
    below the width, and with none of the ``others`` (robot, goal) between them and the link.
    """
    return all(distance(one, other) < width or _is_corner(one, other, space, width, others)
               for one, other in zip(chain, chain[1:] + chain[:1]))


def _is_corner(one: Point, other: Point, space: FreeSpace, width: float, others: Sequence[Point]
               ) -> bool:
    """Tell whether a wall of points leads from one end of a link to the other."""
    points = space.points[:space.obstacles]
    off = np.hypot(*(points - np.mean((one, other), axis=0)).T)
    places = np.vstack((one, other, points[off < CORNER * width]))
    is_step = np.hypot(*(places[:, None] - places).T).T < STEP * width
    before = np.full(len(places), -1)
    before[0], newest = 0, np.zeros(1, dtype=int)
    while before[1] < 0 and newest.size:
        steps = is_step[newest] & (before < 0)
        reached = np.flatnonzero(steps.any(axis=0))
        before[reached] = newest[steps[:, reached].argmax(axis=0)]
        newest = reached
    if before[1] < 0:
        return False
    way = [1]
    while way[-1]:
        way.append(before[way[-1]])
    loop = [(x, y) for x, y in places[way].tolist()]
    return not any(winding(loop, place) for place in others)


def _roll_round(points: np.ndarray, radii: np.ndarray, radius: float, disc: strides.Disc
                ) -> Optional[Tuple[np.ndarray, List[int]]]:
    """
    Return the places of a disc that rolls once around, and the points that it touches.

    It is around when it comes from one point to another as it has before. Where it began may lie
    off that round, in a nook that it does not come to again.
    """
    near, origin = _near(points, disc, radius)
    way, touched = [disc[:2]], [int(np.argmin(np.hypot(*(points - disc[2:4]).T)))]
    passed: Dict[Tuple[int, int], Tuple[Point, int, int]] = {}
    rolled, turned, stuck = 0.0, 0.0, 0
    while rolled < LONGEST and stuck < strides.JAM:
        if distance(origin, disc[:2]) > radius:
            near, origin = _near(points, disc, radius)
        disc, length, _, met = strides.turn(points[near], radii[near], disc, 1)
        rolled, turned = rolled + length, turned + length
        stuck = 0 if length > strides.PENETRATION else stuck + 1
        way.append(disc[:2])
        if met:
            k = int(near[np.argmin(np.hypot(*(points[near] - disc[2:4]).T))])
            place, steps, count = passed.setdefault(
                (touched[-1], k), (disc[:2], len(way), len(touched)))
            if count < len(touched) and distance(place, disc[:2]) < strides.STRIDE:
                return np.array(way[steps:]), touched[count:]
            touched.append(k)
            turned = 0.0
        elif turned > 2.0 * math.pi * disc[4]:  # a point that stands alone
            return np.array(way), touched[-1:]
    return None


def _near(points: np.ndarray, disc: strides.Disc, radius: float) -> Tuple[np.ndarray, Point]:
    """Return the indices of the points around a disc, and its place."""
    dx, dy = points[:, 0] - disc[0], points[:, 1] - disc[1]
    return np.flatnonzero(dx * dx + dy * dy < (NEAR * radius) ** 2), disc[:2]


def _thinned(chain: List[Point], robot: Point, goal: Point, near: float) -> List[Point]:
    """
    Return a chain without points between others that are near to each other.

    But with all that are ``near`` [m] the goal, and without putting the robot on another side.
    """
    kept = chain[:1]
    for place, after in zip(chain[1:], chain[2:] + chain[:1]):
        if (distance(kept[-1], after) > SPACING or distance(place, goal) < near
                or winding([kept[-1], place, after], robot)):
            kept.append(place)
    return kept


def _bridged(chain: List[Point], space: FreeSpace, width: float) -> List[Point]:
    """Return a chain with the narrowest place of a gap for a link that is not below ``width``."""
    points = space.points[:space.obstacles]
    closed = []
    for one, other in zip(chain, chain[1:] + chain[:1]):
        closed.append(one)
        if distance(one, other) >= width:
            here, there = (np.vstack((points[np.hypot(*(points - end).T) < JAMB], end))
                           for end in (one, other))
            apart = np.hypot(here[:, :1] - there[:, 0], here[:, 1:] - there[:, 1])
            i, j = np.unravel_index(np.argmin(apart), apart.shape)
            closed += [tuple(here[i].tolist()), tuple(there[j].tolist())]
    return closed


def _filled(chain: List[Point], space: FreeSpace, goal: Point, near: float) -> List[Point]:
    """Return a chain with all points beside its links, where they hide a goal that is ``near``."""
    points = space.points[:space.obstacles]
    points = points[np.hypot(points[:, 0] - goal[0], points[:, 1] - goal[1]) < near]
    filled = []
    for one, other in zip(chain, chain[1:] + chain[:1]):
        filled.append(one)
        link = np.subtract(other, one)
        along = (points - one) @ link / max(float(link @ link), 1e-12)
        off = points - one - along[:, None] * link
        beside = np.flatnonzero((along > 0.0) & (along < 1.0)
                                & (np.hypot(off[:, 0], off[:, 1]) < BESIDE))
        filled.extend(map(tuple, points[beside[np.argsort(along[beside])]].tolist()))
    return filled
