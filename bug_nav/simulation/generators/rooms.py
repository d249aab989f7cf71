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

"""Floor plans: rooms with doors, furniture and rings."""

from __future__ import annotations

import math
from typing import Callable, Container, Iterator, List, Optional, Set, Tuple

from bug_nav.simulation.generators.shapes import (
    clear,
    DOOR_JITTER,
    door_width,
    rectangle,
    RHO,
    ring,
    START_MARGIN,
    wall,
)
from bug_nav.simulation.generators.world_builder import build_world, Plan
from bug_nav.simulation.world import World
import numpy as np


def rooms(seed: int, *, reachable: bool = True) -> World:
    """
    Return a building of 2 or 3 by 2 or 3 rooms with start and goal, possibly one of them outdoors.

    Doors are 0.6 to 1.2 m wide, and one in seven is within 0.06 m of 2 rho, the critical width.
    There may be furniture, and a ring with a door around start or goal. An unreachable goal is in
    a room that is not connected by doors, or a closed ring surrounds it or the start.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    return build_world('rooms', _draw, seed, reachable)


def _draw(rng: np.random.Generator, reachable: bool) -> Optional[Plan]:
    building = Building(rng)
    ringed = rng.random() < (0.2 if reachable else 0.3)
    first, second = rng.choice(building.outdoors + 1, 2, replace=False)
    if building.connected(first, second) != (reachable or ringed):
        return None
    start, goal = building.place(rng, first), building.place(rng, second)
    if math.dist(start, goal) < 1.6:
        return None
    solids = building.walls()
    if ringed:
        door = 2 * RHO + rng.uniform(-DOOR_JITTER, 4 * DOOR_JITTER) if reachable else 0.0
        solids += ring(rng, start if rng.random() < 0.5 else goal, door)
    return solids + _furniture(rng, building, start, goal), start, goal


class Building:
    """
    Rooms, numbered row by row; the outdoors has the next number.

    :param sides: minimum and maximum side of a room [m].
    :param width: function that draws the width of a door [m].
    """

    def __init__(self, rng: np.random.Generator, sides: Tuple[float, float] = (1.7, 2.7),
                 width: Callable[[np.random.Generator], float] = door_width) -> None:
        columns, rows = (int(count) for count in rng.integers(2, 4, 2))
        self._width = width
        self.x = np.concatenate(([0.0], np.cumsum(rng.uniform(*sides, columns))))
        self.y = np.concatenate(([0.0], np.cumsum(rng.uniform(*sides, rows))))
        self.size = np.array([self.x[-1], self.y[-1]])
        self.outdoors = columns * rows
        self.thickness = rng.uniform(0.08, 0.2)
        often = rng.uniform(0.3, 0.6)
        self.sides = [(*side, self._door(rng, often if max(side[0]) < self.outdoors else 0.15))
                      for side in self._sides(columns, rows)]
        """Both rooms of each wall, its ends, and the width of its door: 0 for none."""
        self.shifts = rng.uniform(0.0, 1.0, len(self.sides))

    def _sides(self, columns: int, rows: int) -> Iterator[tuple]:
        def number(i: int, j: int) -> int:
            return j * columns + i if 0 <= i < columns and 0 <= j < rows else self.outdoors
        for i, j in np.ndindex(columns + 1, rows + 1):
            corner = np.array([self.x[i], self.y[j]])
            if j < rows:
                yield ((number(i - 1, j), number(i, j)), corner,
                       np.array([self.x[i], self.y[j + 1]]))
            if i < columns:
                yield ((number(i, j - 1), number(i, j)), corner,
                       np.array([self.x[i + 1], self.y[j]]))

    def _door(self, rng: np.random.Generator, often: float) -> float:
        return self._width(rng) if rng.random() < often else 0.0

    def connected(self, first: int, second: int) -> bool:
        """Return whether doors of any width connect two rooms."""
        return second in self.connected_rooms(first)

    def connected_rooms(self, first: int, shut: Container[int] = ()) -> Set[int]:
        """Return the rooms connected to one by doors; ``shut``: walls whose doors are closed."""
        found, waiting = {first}, [first]
        while waiting:
            here = waiting.pop()
            for number, (pair, _, _, door) in enumerate(self.sides):
                if door and here in pair and number not in shut:
                    new = set(pair) - found
                    found |= new
                    waiting += new
        return found

    def walls(self) -> list[np.ndarray]:
        """Return the walls, which overlap where they meet."""
        solids = []
        for number, (_, a, b, door) in enumerate(self.sides):
            along = (b - a) / math.dist(a, b)
            ends = [a - 0.5 * self.thickness * along, b + 0.5 * self.thickness * along]
            if door:
                ends[1:1] = self.jambs(number)
            solids += [wall(*pair, self.thickness) for pair in zip(ends[::2], ends[1::2])]
        return solids

    def jambs(self, number: int) -> List[np.ndarray]:
        """Return the two sides of the door in a wall."""
        _, a, b, door = self.sides[number]
        length = math.dist(a, b)
        along = (b - a) / length
        # A door may be in the corner of a room.
        jamb = a + (0.5 * self.thickness + self.shifts[number] * (
            length - self.thickness - door)) * along
        return [jamb, jamb + door * along]

    def place(self, rng: np.random.Generator, room: int) -> np.ndarray:
        """Return a place in a room or outdoors, clear of the walls."""
        least = 0.5 * self.thickness + RHO + START_MARGIN
        if room < self.outdoors:
            j, i = divmod(int(room), len(self.x) - 1)
            return np.array([rng.uniform(self.x[i] + least, self.x[i + 1] - least),
                             rng.uniform(self.y[j] + least, self.y[j + 1] - least)])
        place = rng.uniform(-least, self.size + least)
        axis = rng.integers(2)
        place[axis] = rng.choice((-1.0, self.size[axis] + 1.0)) + rng.uniform(-0.5, 0.5)
        return place


def _furniture(rng: np.random.Generator, building: Building, *ends: np.ndarray) -> list:
    found = []
    for _ in range(rng.integers(0, 5)):
        (x, y), (length, width) = rng.uniform(0.0, building.size), rng.uniform(0.2, 0.7, 2)
        piece = rectangle(x, y, length, width, rng.uniform(-math.pi, math.pi))
        if clear([piece], [(end, RHO + START_MARGIN) for end in ends]):
            found.append(piece)
    return found
