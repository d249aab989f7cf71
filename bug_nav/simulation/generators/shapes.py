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

"""Walls and obstacles of random worlds."""

from __future__ import annotations

import math
from typing import Union

from bug_nav.simulation.world import World
import numpy as np

RHO = 0.224
"""Contour radius of the Burger [m]."""
START_MARGIN = 0.02
"""Clearance of the start beyond the contour radius [m]."""
DOOR_JITTER = 0.06
"""Maximum deviation of a near-critical door or gap from the critical width [m]."""


def ring(rng: np.random.Generator, centre: Union[tuple, np.ndarray], door: float = 0.0,
         radii: tuple[float, float] = (0.6, 1.3)) -> list[np.ndarray]:
    """
    Return the overlapping walls of an irregular ring around a place.

    :param door: width in metres of an opening in the middle of the longest wall, if it is long
        enough; 0 closes the ring.
    :param radii: minimum and maximum distance of the corners in metres.
    """
    count = int(rng.integers(4, 10))
    angles = (np.arange(count) + rng.uniform(-0.3, 0.3, count)) * 2 * math.pi / count
    distances = rng.uniform(*radii, count)
    around = np.column_stack((distances * np.cos(angles), distances * np.sin(angles)))
    corners = np.add(centre, around)
    thickness = rng.uniform(0.08, 0.2)
    walls = []
    lengths = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    for k, (a, b) in enumerate(zip(corners, np.roll(corners, -1, axis=0))):
        along = (b - a) / lengths[k]
        # Extended by half its thickness, so that neighbours overlap at any angle.
        ends = [a - 0.5 * thickness * along, b + 0.5 * thickness * along]
        if k == np.argmax(lengths) and 0 < door < lengths[k]:
            middle = 0.5 * (a + b)
            ends[1:1] = [middle - 0.5 * door * along, middle + 0.5 * door * along]
        walls += [wall(*pair, thickness) for pair in zip(ends[::2], ends[1::2])]
    return walls


def door_width(rng: np.random.Generator) -> float:
    """
    Return the width of a door: 0.6 to 1.2 m, or in one case of seven near-critical.

    Near-critical is within 0.06 m of 2 rho, where a door may appear open or closed.
    """
    narrow = 2 * RHO + rng.uniform(-DOOR_JITTER, DOOR_JITTER)
    return narrow if rng.random() < 0.15 else rng.uniform(0.6, 1.2)


def wall(a: np.ndarray, b: np.ndarray, thickness: float) -> np.ndarray:
    """Return the corners (4, 2) in metres of a straight wall between two places."""
    (x, y), (dx, dy) = 0.5 * (a + b), b - a
    return rectangle(x, y, math.hypot(dx, dy), thickness, math.atan2(dy, dx))


def polyline(corners: np.ndarray, thickness: float) -> list[np.ndarray]:
    """Return walls along a line with corners (n, 2) in metres; they overlap at the corners."""
    walls = []
    for a, b in zip(corners[:-1], corners[1:]):
        beyond = 0.5 * thickness * (b - a) / math.dist(a, b)
        walls.append(wall(a - beyond, b + beyond, thickness))
    return walls


def rectangle(x: float, y: float, length: float, width: float, yaw: float) -> np.ndarray:
    """Return the corners (4, 2) in metres of a rectangle with its centre and yaw (rad)."""
    half = 0.5 * np.array([(length, width), (-length, width), (-length, -width), (length, -width)])
    return placed(half, x, y, yaw)


def placed(points: np.ndarray, x: float, y: float, yaw: float) -> np.ndarray:
    """Return points (n, 2) rotated by yaw (rad) about the origin, then translated by x, y (m)."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    return points @ np.array([(cos, sin), (-sin, cos)]) + (x, y)


def clear(solids: list[np.ndarray], keep_clear: list) -> bool:
    """Return whether each place has its minimum clearance; ``keep_clear`` lists both [m]."""
    world = World('', tuple(solids))
    return all(world.clearance(np.array([place]))[0] >= least for place, least in keep_clear)
