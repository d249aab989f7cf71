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

"""A start and a goal for a world that has none, so that a message can suggest them."""

from __future__ import annotations

import math
from typing import Callable, Dict, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import Point
import numpy as np

MAX_CELLS = 80
"""Maximum number of cells on a side of the grid."""
MIN_SIDE = 0.05
"""Minimum side of a cell, of which all sides are multiples [m]."""
CLEARANCE = 0.2
"""Clearance of the robot on the way from the start to the goal [m]."""
Cell = Tuple[int, int]


def suggest_ends(clearance: Callable[[np.ndarray], np.ndarray], bounds: Sequence[float],
                 start: Optional[Point], radius: float) -> Optional[Tuple[Point, Point]]:
    """
    Return a start and a goal far from it that a way leads to; None if the grid finds none.

    :param clearance: returns the signed distances of (k, 2) places from the nearest solid [m].
    :param bounds: x min, y min, x max and y max of the places [m].
    :param start: the start if it is given; otherwise the place with the most room in the largest
        part of the free space.
    :param radius: radius of the robot [m].
    """
    low, high = np.reshape(bounds, (2, 2))
    side = MIN_SIDE * max(1, math.ceil(float(max(high - low)) / MAX_CELLS / MIN_SIDE))
    first = np.ceil(low / side).astype(int)
    count = np.maximum(np.floor(high / side).astype(int) - first + 1, 1)
    places = side * (first + np.indices(count).reshape(2, -1).T)
    room = clearance(places).reshape(count)
    # The whole way between the centres of two neighbours has the clearance then.
    free = room >= radius + CLEARANCE + 0.5 * side
    if not free.any():
        return None
    if start is None:
        begin: Cell = max(_largest_part(free), key=lambda cell: room[cell])
    else:
        x, y = np.rint(np.array(start) / side).astype(int) - first
        begin = int(x), int(y)
    if not (0 <= begin[0] < count[0] and 0 <= begin[1] < count[1] and free[begin]):
        return None
    end = max(_steps_from(begin, free).items(), key=lambda each: each[1])[0]
    if end == begin:
        return None
    found = [tuple(float(value) for value in np.round(side * (first + cell), 2))
             for cell in (begin, end)]
    return found[0], found[1]  # type: ignore[return-value]


def _largest_part(free: np.ndarray) -> Dict[Cell, int]:
    """Return the cells of the largest part of the free ones that is connected."""
    left = {(int(x), int(y)) for x, y in zip(*np.nonzero(free))}
    largest: Dict[Cell, int] = {}
    while len(left) > len(largest):
        part = _steps_from(left.pop(), free)
        left -= part.keys()
        largest = max(largest, part, key=len)
    return largest


def _steps_from(begin: Cell, free: np.ndarray) -> Dict[Cell, int]:
    """Return the least number of steps to each cell that free cells connect with the first."""
    steps, front = {begin: 0}, [begin]
    while front:
        ahead = []
        for x, y in front:
            for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                inside = 0 <= cell[0] < free.shape[0] and 0 <= cell[1] < free.shape[1]
                if inside and free[cell] and cell not in steps:
                    steps[cell] = steps[x, y] + 1
                    ahead.append(cell)
        front = ahead
    return steps
