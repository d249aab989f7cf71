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
Which obstacle points have settled: they are static, and count in a proof.

A stationary obstacle may move away again if it arrived at a place that was free, or if it is
freestanding and no wider than a person, because a person may have been there before the robot
observed the place. Walls, and posts that touch a wall, are static.
"""

from __future__ import annotations

import math
from typing import Dict, List, Set, Tuple

from bug_nav.navigation.geometry import Point
from bug_nav.navigation.perception.memory import (
    FIRST_MEASURED,
    LAST_MEASURED,
    READINGS,
    WATCHED_SINCE,
)
from bug_nav.navigation.perception.perception import Perception
from bug_nav.navigation.perception.slip_check import PERSON_WIDTH
import numpy as np

STOP_DELAY = 1.0
"""Maximum delay until all visible points of an obstacle that has stopped are known [s]."""
CLUSTER_CELL = 0.1
"""Size of the cells [m] whose contact joins points to one cluster."""
DOOR_WIDTH = 1.3
"""Maximum width of the leaf of a door [m]."""
OBSERVED_DISTANCE = 0.1
"""Maximum distance between a place and a point of the scan that observes it [m]."""
Cell = Tuple[int, int]


def settled_points(perception: Perception, needed: float, now: float) -> np.ndarray:
    """
    Return which points in memory are static, (n,), see `settled`.

    A point counts as static once it has been there for ``needed`` [s]. As long as nothing in the
    world has moved, a point is assumed to be there until ``now`` [s] even if it is not observed.
    In a world that has changed, what has gone and come back is not static, because a door that
    keeps opening may open again; while no object was tracked in motion, it is if it was observed
    for ``needed`` [s] without a gap, because walls seem to come back where odometry drifts.
    """
    confirmed = perception.memory.confirmed
    points, until = confirmed[:, :READINGS], confirmed[:, LAST_MEASURED]
    if not perception.has_changed:
        until = np.full(len(until), now)
    arrivals = np.array([perception.tracker.arrived_last_seen((x, y)) for x, y in points.tolist()])
    is_settled = settled(points, confirmed[:, FIRST_MEASURED], until, arrivals, needed,
                         perception.perceived.newest_scan.pose.position)
    if perception.has_changed and needed > 0.0:
        has_come_back = perception.has_come_back
        if perception.tracker.has_tracked_motion:
            is_settled &= ~_is_door(points, has_come_back, arrivals)
        else:
            is_settled &= ~has_come_back | (until - confirmed[:, WATCHED_SINCE] >= needed)
    return is_settled


def _is_door(points: np.ndarray, has_come_back: np.ndarray, arrivals: np.ndarray) -> np.ndarray:
    """
    Return which points (n, 2) [m] may be of a door, (n,).

    They have come back, or arrived beside points that have; ``arrivals`` are as for `settled`.
    """
    result, back = has_come_back.copy(), points[has_come_back]
    for k in np.flatnonzero(~has_come_back & (arrivals > -math.inf)):  # all pairs may be many
        result[k] = np.hypot(*(back - points[k]).T).min(initial=math.inf) < DOOR_WIDTH
    return result


def possibly_dynamic(perception: Perception, places: List[Point], needed: float, now: float
                     ) -> List[Point]:
    """Return those obstacle points that may still move away, see `settled_points`."""
    points, settles = perception.memory.points, settled_points(perception, needed, now)
    return [place for place in places
            if not settles[np.argmin(((points - place) ** 2).sum(axis=1))]]


def have_gone(perception: Perception, places: List[Point]) -> bool:
    """
    Return whether places of obstacle points are not in memory any more.

    Thin obstacles, and those in front of a wall, are cleared point by point, without an opening.
    """
    apart = np.reshape(places, (-1, 1, 2)) - perception.memory.points
    nearest = np.hypot(*apart.transpose(2, 0, 1)).min(axis=1, initial=math.inf)
    return bool((nearest > OBSERVED_DISTANCE).any())


def is_observed(perception: Perception, place: Point) -> bool:
    """Return whether the newest scan has a point at a place."""
    away = np.hypot(*(perception.perceived.newest_scan.points - place).T)
    return bool((away < OBSERVED_DISTANCE).any())


def settled(points: np.ndarray, since: np.ndarray, until: np.ndarray, arrivals: np.ndarray,
            needed: float, robot: Point) -> np.ndarray:
    """
    Return which obstacle points (n, 2) [m] are static, (n,); the others may still move away.

    They were first measured at ``since`` and last at ``until`` (n,) [s]; at ``arrivals`` (n,) [s],
    an object that stopped there was last dynamic, -inf for never. Points that have been there for
    ``needed`` [s] are static, and so is a cluster that surrounds the ``robot``.
    """
    if needed <= 0.0:
        return np.ones(len(points), dtype=bool)
    # A point that was known before the arrival and measured since is not part of what arrived.
    is_settled = (until - arrivals >= needed) | (
        (since < arrivals - STOP_DELAY) & (until >= arrivals))
    cells: Dict[Cell, List[int]] = {}
    for k, cell in enumerate(map(tuple, np.floor(points / CLUSTER_CELL).astype(int).tolist())):
        cells.setdefault(cell, []).append(k)
    while cells:
        rows = [k for cell in _cluster(next(iter(cells)), cells) for k in cells.pop(cell)]
        # A person who left and came back has not been stationary since the first visit.
        start = max(since[rows].min(), arrivals[rows].max())
        if until[rows].max() - start < needed and not _is_wall(points[rows], robot):
            is_settled[rows] = False
    return is_settled


def _cluster(first: Cell, cells: Dict[Cell, List[int]]) -> Set[Cell]:
    """Return all cells that are connected with one."""
    cluster, ahead = {first}, [first]
    while ahead:
        i, j = ahead.pop()
        for near in ((i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)):
            if near in cells and near not in cluster:
                cluster.add(near)
                ahead.append(near)
    return cluster


def _is_wall(points: np.ndarray, robot: Point) -> bool:
    """Return whether points (n, 2) [m] are too far apart for a person, or surround the robot."""
    low, high = points.min(axis=0), points.max(axis=0)
    return bool(np.max(high - low) > PERSON_WIDTH or ((low < robot) & (robot < high)).all())
