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

"""A hall in which boxes and walls appear and disappear."""

from __future__ import annotations

import math
from typing import List, Tuple

from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.generators.clearance_grid import ClearanceGrid
from bug_nav.simulation.generators.halls import AT_WALL, boundary_walls, Hall, hall, pieces
from bug_nav.simulation.generators.shapes import clear, rectangle, ring
from bug_nav.simulation.movers import Script, Scripted
from bug_nav.simulation.world import World
import numpy as np

FIRST, LAST = 10.0, 120.0
"""Interval of all changes [s]."""
KEEP_CLEAR = 0.4
"""Minimum clearance of start and goal from boxes and walls that appear [m]."""
BURGER_SPEED = 0.22
"""Maximum speed of a Burger, which must not reach the goal before it is closed off [m/s]."""
_TRIES = 200


def moved(seed: int, *, reachable: bool = True) -> World:
    """
    Return a hall with obstacles that appear and disappear, and start and goal.

    Three to eight boxes and pieces of walls, half of them on the straight line to the goal,
    appear, disappear, or both, between 10 s and 120 s, so that the world changes during a lap.
    None appears on a robot. In the settled world no free place is cut off; before the last change
    a goal may be closed off temporarily.

    An unreachable goal is in a ring of walls whose door is walled up in that interval, before a
    Burger can arrive.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    rng = np.random.default_rng((seed, int(reachable), *b'moved'))
    size = rng.uniform(6.0, 9.0)
    place, movers = ((hall(rng, size, int(rng.integers(3, 10))), []) if reachable
                     else _ringed(rng, size))
    count = int(rng.integers(3, 9))
    movers += _things(rng, place, count)
    world = World(f'moved_{seed}{"" if reachable else "_shut"}', tuple(place.solids),
                  (*place.start, rng.uniform(-math.pi, math.pi)), tuple(place.goal),
                  movers=tuple(movers))
    return world.transformed(0.0, 0.0, rng.uniform(-math.pi, math.pi))


def _ringed(rng: np.random.Generator, size: float) -> Tuple[Hall, List[Scripted]]:
    """Return a hall with a ring of walls around the goal, and the wall that closes its door."""
    thickness = rng.uniform(0.08, 0.2)
    while True:
        start, goal = rng.uniform(AT_WALL, size - AT_WALL, (2, 2))
        latest = min(math.dist(start, goal) / BURGER_SPEED - 8.0, LAST)
        number = int(rng.integers(2**31))
        shut, opened = (ring(np.random.default_rng(number), goal, door, radii=(0.9, 1.4))
                        for door in (0.0, 0.9))
        kept = {wall.tobytes() for wall in opened}
        plug = [wall for wall in shut if wall.tobytes() not in kept]
        if latest < FIRST + 5.0 or len(plug) != 1 or not clear(shut, [(start, AT_WALL)]):
            continue
        keep_clear = [(start, AT_WALL), (goal, 1.7)]
        solids = [*boundary_walls(size, size, thickness), *opened,
                  *pieces(rng, size, int(rng.integers(0, 6)), keep_clear)]
        if ClearanceGrid(solids).connected(start, goal):
            wall = Scripted('walled_up', (plug[0],), _static_script((0.0, 0.0, 0.0)),
                            since=rng.uniform(FIRST, latest), gives_way=True)
            return Hall(solids, start, goal, size), [wall]


def _things(rng: np.random.Generator, place: Hall, count: int) -> List[Scripted]:
    """Return obstacles that appear and disappear; those that stay cut off no free place."""
    grid = ClearanceGrid(place.solids)
    before = grid.reachable_from(place.start)
    found: List[Scripted] = []
    for number in range(_TRIES):
        if len(found) == count:
            break
        pose, part = _thing(rng, place)
        how = str(rng.choice(['put', 'taken', 'both'], p=[0.45, 0.25, 0.3]))
        there = np.array([pose.apply(tuple(corner)) for corner in part])
        if not clear([there], [(place.start, KEEP_CLEAR), (place.goal, KEEP_CLEAR)]):
            continue
        if how == 'put':
            fuller = grid.with_solids([there])
            if (before & fuller.passable & ~fuller.reachable_from(place.start)).any():
                continue
            grid = fuller
        first, last = np.sort(rng.uniform(FIRST, LAST, 2))
        found.append(Scripted(f'{"wall" if np.ptp(part[:, 1]) < 0.2 else "box"}_{number}', (part,),
                              _static_script(pose), 0.0 if how == 'taken' else first,
                              math.inf if how == 'put' else last, gives_way=True))
    return found


def _thing(rng: np.random.Generator, place: Hall) -> Tuple[Pose, np.ndarray]:
    """Return the pose and outline of a box or a piece of a wall."""
    if rng.random() < 0.5:
        x, y = place.start + rng.uniform(0.15, 0.85) * (place.goal - place.start) + rng.normal(
            0.0, 0.3, 2)
    else:
        x, y = rng.uniform(0.0, place.size, 2)
    length, width = (rng.uniform(0.3, 1.0, 2) if rng.random() < 0.5
                     else (rng.uniform(1.0, 3.0), rng.uniform(0.08, 0.18)))
    return Pose(x, y, rng.uniform(-math.pi, math.pi)), rectangle(0.0, 0.0, length, width, 0.0)


def _static_script(pose: Tuple[float, float, float]) -> Script:
    return Script(np.zeros(1), np.array([pose]))
