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
What stands in the way and may go again: somebody, or something that has come.

It is told by what is known of it. Where it has come to a place that was free, it may go as well.
And what stands by itself and is no wider than a person may be one, who stood there before the
robot saw the place. A wall, or a post that a wall runs into, may not.
"""

from __future__ import annotations

import math
from typing import Callable, Dict, List, Set, Tuple

from bug_nav.core.geometry import Point
import numpy as np

MOMENT = 1.0
"""What is seen of something that has come to stand becomes known within this [s]."""
LINK = 0.1
"""Points are of one thing in cells of this size [m] that touch."""
PERSON = 0.7
"""Who stands is no wider than this [m]."""

Cell = Tuple[int, int]


def may_go(places: List[Point], points: np.ndarray, since: np.ndarray, seen: np.ndarray,
           came: Callable[[Point], float], needed: float, here: Point) -> List[Point]:
    """
    Return those of obstacle ``places`` [m] that may go yet.

    ``points`` (n, 2) [m] are all that is remembered; ``since`` and ``seen`` (n,) [s] tell since
    when and when last, and ``came`` when something came to a place, -inf for never. What was there
    for as long as ``needed`` [s] stays, and so does what is around ``here``, where the robot is.
    """
    if not len(points) or needed <= 0.0:
        return []
    cells: Dict[Cell, List[int]] = {}
    for k, cell in enumerate(map(tuple, np.floor(points / LINK).astype(int).tolist())):
        cells.setdefault(cell, []).append(k)
    settled: Dict[Cell, bool] = {}
    found = []
    for place in places:
        cell = math.floor(place[0] / LINK), math.floor(place[1] / LINK)
        dx, dy = points[:, 0] - place[0], points[:, 1] - place[1]
        nearest, when = int(np.argmin(dx * dx + dy * dy)), came(place)
        # What was known before something stood beside it is not that.
        if seen[nearest] - when < needed and since[nearest] >= when - MOMENT:
            found.append(place)
            continue
        if cell not in settled:
            thing = _thing(cell, cells)
            rows = [k for each in thing for k in cells.get(each, ())]
            settled.update(dict.fromkeys(thing, not rows or _is_wall(points[rows], here)
                           or _has_stood(points[rows], since[rows], seen[rows], came) >= needed))
        if not settled[cell]:
            found.append(place)
    return found


def _thing(first: Cell, cells: Dict[Cell, List[int]]) -> Set[Cell]:
    """Return all cells that hang together with one."""
    thing, ahead = {first}, [first]
    while ahead:
        i, j = ahead.pop()
        for near in ((i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)):
            if near in cells and near not in thing:
                thing.add(near)
                ahead.append(near)
    return thing


def _is_wall(points: np.ndarray, here: Point) -> bool:
    """Tell whether points (n, 2) [m] are of nobody: too far apart, or all around the robot."""
    low, high = points.min(axis=0), points.max(axis=0)
    return bool(np.max(high - low) > PERSON or ((low < here) & (here < high)).all())


def _has_stood(points: np.ndarray, since: np.ndarray, seen: np.ndarray,
               came: Callable[[Point], float]) -> float:
    """Return for how long something has stood where it is [s]."""
    # Who comes back to where they have stood has not stood there all the time.
    begun = max(float(since.min()), *(came((x, y)) for x, y in points.tolist()))
    return float(seen.max()) - begun
