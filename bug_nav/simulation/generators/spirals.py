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

"""Spirals of walls, thick or thin."""

from __future__ import annotations

import functools
import math
from typing import Callable, Iterator, Optional, Tuple

from bug_nav.simulation.generators.shapes import DOOR_JITTER, polyline, RHO, ring, wall
from bug_nav.simulation.generators.world_builder import build_world, Plan
from bug_nav.simulation.world import World
import numpy as np

# Radii of a ring that fits into a corridor or cuts it [m].
_SMALL = (0.3, 0.6)


def spirals(seed: int, *, reachable: bool = True) -> World:
    """
    Return a spiral of 3 to 9 straight walls with start and goal.

    It winds around a triangle to a hexagon in either direction, with at least 0.8 m between
    windings. The way leads out, in, or from one winding to another. An unreachable goal is behind
    the closed mouth of the spiral, in a ring of its own, or in the wall.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    return build_world('spirals', functools.partial(_draw, _spiral), seed, reachable)


def coils(seed: int, *, reachable: bool = True) -> World:
    """
    Return a spiral of thin walls with start and goal.

    It winds around a pentagon to an octagon 1.5 to 3 times, with at least 0.75 m between windings.
    The walls are 2 to 6 cm thick. One to six short ones stand out from them, with free ends, and
    leave a passage of at least 0.51 m. Start and goal are as in `spirals`.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    return build_world('coils', functools.partial(_draw, _coil), seed, reachable)


def _draw(make: Callable[[np.random.Generator], _Spiral], rng: np.random.Generator,
          reachable: bool) -> Optional[Plan]:
    spiral = make(rng)
    walls = [*polyline(spiral.corners, spiral.thickness), *spiral.stubs]
    inner, outer = spiral.place(rng, rng.uniform(0.0, 0.6)), spiral.outside(rng)
    how = 'open' if reachable else rng.choice(['mouth', 'ring', 'wall'], p=[0.5, 0.3, 0.2])
    if how != 'mouth' and rng.random() < 0.35:
        outer = spiral.place(rng, rng.uniform(0.6, 1.0))
    start, goal = (inner, outer) if rng.random() < 0.5 else (outer, inner)
    if how == 'mouth':
        walls += spiral.mouth()
    elif how == 'ring':
        walls += ring(rng, goal, radii=_SMALL)
    elif how == 'wall':
        goal = spiral.along(rng.uniform(0.1, 0.9) * spiral.count)
    if math.dist(start, goal) < 1.0:
        return None
    mirror = np.array((1.0, rng.choice((-1.0, 1.0))))
    return [solid * mirror for solid in walls], start * mirror, goal * mirror


def _spiral(rng: np.random.Generator) -> _Spiral:
    sides = int(rng.integers(3, 7))
    # At most two windings, because the corridors of a triangle are wide at its corners.
    count = int(rng.integers(3, min(10, 2 * sides + 1)))
    return _Spiral(rng, sides, count, (0.08, 0.3), (0.8, 1.2))


def _coil(rng: np.random.Generator) -> _Spiral:
    sides = int(rng.integers(5, 9))
    coil = _Spiral(rng, sides, int(sides * rng.uniform(1.5, 3.0)), (0.02, 0.06), (0.75, 1.0))
    coil.stubs = list(coil.draw_stubs(rng))
    return coil


class _Spiral:
    """Corners at equal angles, each farther out than the one before."""

    def __init__(self, rng: np.random.Generator, sides: int, count: int,
                 thickness: Tuple[float, float], width: Tuple[float, float]) -> None:
        self.round, self.count = sides, count
        self.thickness = rng.uniform(*thickness)
        self.width = rng.uniform(*width)
        self.stubs: list[np.ndarray] = []
        # The distance between two windings is smallest in the middle of a wall.
        squeeze = math.cos(math.pi / self.round)
        self.pitch = (self.width + self.thickness) / squeeze
        self.core = rng.uniform(0.5, 0.8) / squeeze
        steps = np.arange(self.count + 1)
        angles = steps * 2 * math.pi / self.round
        radii = self.core + self.pitch * steps / self.round
        self.corners = np.column_stack((radii * np.cos(angles), radii * np.sin(angles)))

    def draw_stubs(self, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Yield short walls with a free end; all point outwards, so that none are opposite."""
        for _ in range(rng.integers(1, 7)):
            leg = int(rng.integers(self.count))
            foot = self.along(leg + rng.uniform(0.3, 0.7))
            along = self.corners[leg + 1] - self.corners[leg]
            outwards = np.array((along[1], -along[0])) / np.hypot(*along)
            length = rng.uniform(0.15, self.width - 2 * RHO - DOOR_JITTER)
            yield wall(foot, foot + length * outwards, self.thickness)

    def along(self, position: float) -> np.ndarray:
        """Return a place in the wall; position k is corner k."""
        k = min(int(position), self.count - 1)
        return self.corners[k] + (position - k) * (self.corners[k + 1] - self.corners[k])

    def place(self, rng: np.random.Generator, share: float) -> np.ndarray:
        """Return a place inside: in the core at share 0, near the mouth at share 1."""
        last = self.round + share * (self.count - self.round)
        if last <= self.round:
            centre = self.corners[:self.round].mean(axis=0)
            return centre + self.core * rng.uniform(-0.15, 0.15, 2)
        between = rng.uniform(0.4, 0.6)
        return between * self.along(last) + (1 - between) * self.along(last - self.round)

    def outside(self, rng: np.random.Generator) -> np.ndarray:
        """Return a place beyond the last winding."""
        place = self.along(self.count - rng.uniform(0.0, min(self.round, self.count)))
        return place * (1.0 + rng.uniform(1.0, 1.8) / np.hypot(*place))

    def mouth(self) -> list[np.ndarray]:
        """Return the wall that closes the spiral."""
        inner = self.corners[max(self.count - self.round, 0)]
        return polyline(np.array([inner, self.corners[-1]]), self.thickness)
