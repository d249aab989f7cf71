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

"""Nested rings of walls, each with a door."""

from __future__ import annotations

import functools
import math
from typing import List, Optional

from bug_nav.simulation.generators.shapes import door_width, polyline, wall
from bug_nav.simulation.generators.world_builder import build_world, Plan
from bug_nav.simulation.world import World
import numpy as np


def rings(seed: int, *, reachable: bool = True, rings: Optional[int] = None,
          width: Optional[float] = None) -> World:
    """
    Return nested polygons of walls with start and goal.

    Each ring has four to ten sides and a door; every second corridor between two rings has a wall
    across it. The way leads inwards or outwards. An unreachable goal is in a wall, or a ring
    without a door separates it from the start.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param rings: number of rings; by default random, 1 to 4.
    :param width: minimum width of the corridors in metres; by default random, 0.8 to 1.2.
    """
    return build_world('rings', functools.partial(_draw, rings, width), seed, reachable)


def _draw(count: Optional[int], width: Optional[float], rng: np.random.Generator,
          reachable: bool) -> Optional[Plan]:
    count = int(rng.integers(1, 5)) if count is None else count
    nest = Nest(rng, count, rng.uniform(0.8, 1.2) if width is None else width)
    in_wall = not reachable and rng.random() < 0.2
    shut = int(rng.integers(count)) if not reachable and not in_wall else -1
    walls = [each for k in range(count) for each in nest.ring(k, door=k != shut)]
    for k in range(count - 1):
        if rng.random() < 0.5:
            walls.append(nest.across(k, rng.uniform(-math.pi, math.pi)))
    # Start and goal must be on different sides of a ring without a door.
    inner = nest.place(rng, int(rng.integers(shut + 1)) if shut > 0 else 0)
    outer = nest.place(rng, count)
    if in_wall:
        return walls, inner if rng.random() < 0.5 else outer, nest.in_wall(rng)
    return (walls, inner, outer) if rng.random() < 0.5 else (walls, outer, inner)


class Nest:
    """Regular polygons around the origin, each at its own angle."""

    def __init__(self, rng: np.random.Generator, count: int, width: float) -> None:
        self.thickness = rng.uniform(0.08, 0.2)
        self.width = width
        self.sides = [int(rng.integers(4, 7 + min(2 * k, 5))) for k in range(count)]
        self.turns = rng.uniform(-math.pi, math.pi, count)
        self.doors = [door_width(rng) for _ in range(count)]
        self.where = rng.uniform(0.0, 1.0, count)
        self.radii: List[float] = []
        """Distances of the corners from the origin [m]."""
        beyond = rng.uniform(0.7, 1.0)
        for sides in self.sides:
            self.radii.append((beyond + 0.5 * self.thickness) / math.cos(math.pi / sides))
            # Walls extend beyond the corners of their ring.
            beyond = self.radii[-1] + math.sqrt(0.5) * self.thickness + width

    def ring(self, k: int, door: bool) -> list:
        """Return the walls of a ring, with its door in the first side."""
        angles = self.turns[k] + 2 * math.pi * np.arange(self.sides[k] + 1) / self.sides[k]
        corners = self.radii[k] * np.column_stack((np.cos(angles), np.sin(angles)))
        if not door:
            return polyline(corners, self.thickness)
        along = corners[1] - corners[0]
        length = math.hypot(*along)
        room = length - self.thickness
        opening = min(self.doors[k], 0.8 * room)
        jamb = 0.5 * self.thickness + self.where[k] * (room - opening)
        jambs = [corners[0] + along * at / length for at in (jamb, jamb + opening)]
        # These walls cover the corners and end at the jambs.
        over = 0.5 * self.thickness * along / length
        return [wall(corners[0] - over, jambs[0], self.thickness),
                wall(corners[1] + over, jambs[1], self.thickness),
                *polyline(corners[1:], self.thickness)]

    def across(self, k: int, angle: float) -> np.ndarray:
        """Return a wall across the corridor around a ring, near an angle but not at a door."""
        for _ in range(12):
            if all(self._off_door(ring, angle) for ring in (k, k + 1)):
                break
            angle += 2 * math.pi / 12
        way = np.array([math.cos(angle), math.sin(angle)])
        return wall(self._edge(k, angle) * way, self._edge(k + 1, angle) * way, self.thickness)

    def _off_door(self, k: int, angle: float) -> bool:
        """Return whether an angle is off the first side of a ring, which has the door."""
        step = 2 * math.pi / self.sides[k]
        off = (angle - self.turns[k] - 0.5 * step + math.pi) % (2 * math.pi) - math.pi
        return abs(off) * self.radii[k] > 0.5 * step * self.radii[k] + 0.5 * self.width

    def _edge(self, k: int, angle: float) -> float:
        """Return the distance from the origin to the middle of a ring's wall at an angle."""
        step = 2 * math.pi / self.sides[k]
        off = (angle - self.turns[k]) % step - 0.5 * step
        return self.radii[k] * math.cos(0.5 * step) / math.cos(off)

    def place(self, rng: np.random.Generator, k: int) -> np.ndarray:
        """Return a place in the core, k = 0, or in the corridor around ring k - 1."""
        angle = rng.uniform(-math.pi, math.pi)
        if k == 0:
            away = rng.uniform(0.0, 0.3)
        elif k == len(self.radii):
            away = self.radii[-1] + rng.uniform(0.8, 1.6)
        else:
            away = 0.5 * (self._edge(k - 1, angle) + self._edge(k, angle))
        return away * np.array([math.cos(angle), math.sin(angle)])

    def in_wall(self, rng: np.random.Generator) -> np.ndarray:
        """Return a place in the wall of a ring, away from its door."""
        k = int(rng.integers(len(self.radii)))
        step = 2 * math.pi / self.sides[k]
        angle = self.turns[k] + step * rng.uniform(1.2, self.sides[k] - 0.2)
        return self._edge(k, angle) * np.array([math.cos(angle), math.sin(angle)])
