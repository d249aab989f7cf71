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

"""Label placement: near the anchor, clear of path, walls and other labels."""

from __future__ import annotations

import math
from typing import List, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import Point
from bug_nav.simulation.world import World
import numpy as np

DIRECTIONS = 16
"""Number of candidate directions around an anchor."""


def place_labels(texts: Sequence[str], anchors: Sequence[Point], gaps: Sequence[float],
                 path: Sequence[Point], discs: Sequence[Tuple[float, float, float]],
                 world: World, letter: float, line: float,
                 within: Optional[Tuple[np.ndarray, np.ndarray]] = None) -> List[Point]:
    """
    Return the centre of each label.

    ``gaps`` are the distances of labels from their anchors, ``letter`` and ``line`` the width of a
    letter and the height of a line, all in metres of the world; ``discs`` (x, y, radius) must not
    be covered; ``within`` are two corners of the view. Greedily, each label takes the candidate
    with the lowest cost of overlaps.
    """
    obstacles = np.array(list(path) + list(anchors), dtype=float).reshape(-1, 2)
    taken = [np.array((x - r, y - r, x + r, y + r)) for x, y, r in discs]
    places: List[Point] = []
    for text, anchor, gap in zip(texts, anchors, gaps):
        half = np.array((0.5 * letter * len(text), 0.5 * line))
        candidates = _around(anchor, half, gap)
        costs = [_cost(place, half, obstacles, taken) for place in candidates]
        costs += np.where(world.clearance(candidates) < half.min(), 1.5, 0.0)
        if within is not None:
            low, high = within[0] + half, within[1] - half
            costs += np.where(((candidates < low) | (candidates > high)).any(axis=1), 8.0, 0.0)
        best = candidates[int(np.argmin(costs))]
        taken.append(np.concatenate((best - half, best + half)))
        places.append((float(best[0]), float(best[1])))
    return places


def _around(anchor: Point, half: np.ndarray, gap: float) -> np.ndarray:
    """Return candidate centres (n, 2) that keep the gap from the anchor, near ones first."""
    angles = math.radians(45.0) + 2.0 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS
    ways = np.column_stack((np.cos(angles), np.sin(angles)))
    # Distance from the centre of a label to its edge, in each direction.
    edge = np.min(half / np.maximum(np.abs(ways), 1e-9), axis=1)
    return np.vstack([np.array(anchor) + ways * (edge + more * gap)[:, None]
                      for more in (1.0, 1.8, 3.6)])


def _cost(place: np.ndarray, half: np.ndarray, obstacles: np.ndarray,
          taken: Sequence[np.ndarray]) -> float:
    """Return the cost of the overlaps of a label."""
    inside = (np.abs(obstacles - place) < half * 1.15).all(axis=1)
    # Saturated, so that the cost of a path does not grow with its number of samples.
    cost = 4.0 * min(1.0, inside.sum() / 4.0)
    for box in taken:
        overlap = (place + half > box[:2]).all() and (place - half < box[2:]).all()
        cost += 6.0 * overlap
    return float(cost)
