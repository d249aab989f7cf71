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

"""Combs: a wall with teeth, and pockets between them."""

from __future__ import annotations

import functools
import math
from typing import List, Optional

from bug_nav.simulation.generators.shapes import polyline, ring
from bug_nav.simulation.generators.world_builder import build_world, Plan
from bug_nav.simulation.world import World
import numpy as np

# Radii of a ring that fits into a pocket or cuts it [m].
_SMALL = (0.3, 0.6)


def combs(seed: int, *, reachable: bool = True, teeth: Optional[int] = None,
          width: Optional[float] = None) -> World:
    """
    Return a comb with start and goal.

    The teeth lean to one side and differ in length; every second comb also has teeth on its back.
    Start and goal are in a pocket, in front of the comb or behind it. An unreachable goal is in a
    pocket with a lid, in a ring of its own, or in the wall.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param teeth: number of teeth; by default random, 3 to 7.
    :param width: width of the pockets in metres; by default random, 0.7 to 1.3.
    """
    return build_world('combs', functools.partial(_draw, teeth, width), seed, reachable)


def _draw(teeth: Optional[int], width: Optional[float], rng: np.random.Generator,
          reachable: bool) -> Optional[Plan]:
    comb = _Comb(rng, int(rng.integers(3, 8)) if teeth is None else teeth,
                 rng.uniform(0.7, 1.3) if width is None else width)
    walls = comb.walls()
    pocket = int(rng.integers(comb.pockets))
    how = 'open' if reachable else rng.choice(['lid', 'ring', 'wall'], p=[0.5, 0.3, 0.2])
    places = [comb.in_pocket(rng, pocket), comb.before(rng), comb.behind(rng)]
    start, goal = (places[k] for k in rng.choice(3, 2, replace=False))
    if how == 'lid':
        walls += comb.lid(pocket)
        # The pocket holds the goal or the start.
        goal, start = (places[0], places[rng.integers(1, 3)])[::rng.choice((-1, 1))]
    elif how == 'ring':
        walls += ring(rng, goal, radii=_SMALL)
    elif how == 'wall':
        goal = comb.in_wall(rng)
    if math.dist(start, goal) < 1.0:
        return None
    return walls, start, goal


class _Comb:
    """A back along y from 0 to `length`, and teeth towards -x."""

    def __init__(self, rng: np.random.Generator, teeth: int, width: float) -> None:
        self.thickness = rng.uniform(0.08, 0.25)
        lean = rng.uniform(-0.4, 0.4)
        self.lean = np.array([-math.cos(lean), math.sin(lean)])
        pitch = (width + self.thickness) / math.cos(lean)
        self.roots = pitch * np.arange(teeth)
        self.lengths = rng.uniform(0.8, 2.4, teeth)
        self.back = rng.uniform(0.4, 1.4, teeth) * (rng.random(teeth) < 0.6)
        self.back *= rng.integers(2)
        self.pockets = teeth - 1

    def tip(self, k: int) -> np.ndarray:
        """Return the end of a tooth."""
        return self.root(k) + self.lengths[k] * self.lean

    def root(self, k: float) -> np.ndarray:
        """Return the root of tooth k; k + 0.5 is the middle of pocket k."""
        return np.array([0.0, np.interp(k, np.arange(len(self.roots)), self.roots)])

    def walls(self) -> List[np.ndarray]:
        walls = polyline(np.array([self.root(0), self.root(self.pockets)]), self.thickness)
        for k, back in enumerate(self.back):
            walls += polyline(np.array([self.root(k), self.tip(k)]), self.thickness)
            if back:
                end = self.root(k) + (back, 0.0)
                walls += polyline(np.array([self.root(k), end]), self.thickness)
        return walls

    def lid(self, k: int) -> List[np.ndarray]:
        """Return the wall that closes a pocket."""
        return polyline(np.array([self.tip(k), self.tip(k + 1)]), self.thickness)

    def in_pocket(self, rng: np.random.Generator, k: int) -> np.ndarray:
        deepest = min(self.lengths[k:k + 2])
        return self.root(k + 0.5) + rng.uniform(0.45, 0.8) * deepest * self.lean

    def before(self, rng: np.random.Generator) -> np.ndarray:
        """Return a place in front of the teeth."""
        away = max(self.lengths) + rng.uniform(0.6, 1.6)
        return self.root(rng.uniform(0.0, self.pockets)) + away * self.lean

    def behind(self, rng: np.random.Generator) -> np.ndarray:
        away = max(self.back) + rng.uniform(0.6, 1.6)
        return self.root(rng.uniform(0.0, self.pockets)) + (away, 0.0)

    def in_wall(self, rng: np.random.Generator) -> np.ndarray:
        """Return a place in the back of the comb."""
        return self.root(rng.uniform(0.0, self.pockets))
