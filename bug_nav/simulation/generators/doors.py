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

"""A building with moving doors."""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Tuple

from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.generators.clearance_grid import ClearanceGrid
from bug_nav.simulation.generators.rooms import Building
from bug_nav.simulation.generators.shapes import clear, rectangle, RHO, START_MARGIN
from bug_nav.simulation.movers import AutomaticDoor, Mover, Script, Scripted
from bug_nav.simulation.world import World
import numpy as np

ROOM = (2.3, 3.5)
"""Range of side lengths of rooms [m]."""
WIDTH = (0.85, 1.2)
"""Range of widths of doorways; an open door leaves 0.8 m of them [m]."""
THICKNESS = 0.04
"""Thickness of a door, less than that of any wall that it slides into [m]."""
BURGER_SPEED = 0.22
"""Maximum speed of a Burger, which must not reach the goal before it is closed off [m/s]."""


class _Door(NamedTuple):
    """A door: index of its wall, outline when open, and mover."""

    number: int
    opened: np.ndarray
    mover: Mover
    stays_open: bool


def doors(seed: int, *, reachable: bool = True) -> World:
    """
    Return a building of 2 or 3 by 2 or 3 rooms with moving doors, and start and goal.

    Doorways are 0.85 to 1.2 m wide. One in five has no door. The other doors, one of which is on
    the way, swing or slide: periodically, once, to open or close permanently, or when a robot
    approaches. They give way to robots. A door that closes permanently never disconnects two
    rooms.

    The room of an unreachable goal has a single door, which closes permanently within 20 s, before
    a Burger can arrive.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    rng = np.random.default_rng((seed, int(reachable), *b'doors'))
    world = None
    while world is None:
        world = _draw(rng, reachable)
    name = f'doors_{seed}{"" if reachable else "_shut"}'
    world = World(name, world.solids, world.start, world.goal, movers=world.movers)
    return world.transformed(0.0, 0.0, rng.uniform(-math.pi, math.pi))


def _draw(rng: np.random.Generator, reachable: bool) -> Optional[World]:
    building = Building(rng, ROOM, lambda rng: rng.uniform(*WIDTH))
    first, second = (int(room) for room in rng.choice(building.outdoors + 1, 2, replace=False))
    if not building.connected(first, second):
        return None
    start, goal = building.place(rng, first), building.place(rng, second)
    if math.dist(start, goal) < 3.0:
        return None
    shut_at = {} if reachable else _shut_off(rng, building, second, start)
    if shut_at is None:
        return None
    walls = building.walls()
    hung = _hang(rng, building, first, shut_at)
    if second in building.connected_rooms(first, {door.number for door in hung}):
        return None
    # Open doors may block each other or the way.
    opened = [door.opened for door in hung if door.stays_open]
    movers = tuple(door.mover for door in hung)
    shut = [solid for mover in movers for solid in mover.rests() or ()]
    ends = [(place, RHO + START_MARGIN) for place in (start, goal)]
    if not clear([*walls, *opened, *shut, *(door.opened for door in hung)], ends):
        return None
    if reachable and not ClearanceGrid([*walls, *opened, *shut]).connected(start, goal):
        return None
    return World('', tuple(walls), (*start, rng.uniform(-math.pi, math.pi)), tuple(goal),
                 movers=movers)


def _shut_off(rng: np.random.Generator, building: Building, room: int, start: np.ndarray
              ) -> Optional[Dict[int, float]]:
    """Return the time at which the single door of a room closes; None if there is no such door."""
    ways = [k for k, (pair, _, _, door) in enumerate(building.sides) if door and room in pair]
    if len(ways) != 1:
        return None
    away = min(math.dist(start, jamb) for jamb in building.jambs(ways[0]))
    latest = min(away / BURGER_SPEED - 3.0, 17.0)
    return {ways[0]: rng.uniform(3.0, latest)} if latest > 3.0 else None


def _hang(rng: np.random.Generator, building: Building, start: int, shut_at: Dict[int, float]
          ) -> List[_Door]:
    """Return doors for the doorways of a building; those in ``shut_at`` close at a time [s]."""
    hung = []
    shut = set(shut_at)
    everywhere = building.connected_rooms(start, shut)
    for number, (_, _, _, width) in enumerate(building.sides):
        how = str(rng.choice(['none', 'periodic', 'opens', 'shuts', 'approach'],
                             p=[0.2, 0.3, 0.15, 0.15, 0.2]))
        if number in shut_at:
            how = 'shuts'
        elif how == 'shuts' and building.connected_rooms(start, shut | {number}) != everywhere:
            # A robot behind the door would be locked in.
            how = 'periodic'
        if width and how != 'none':
            if how == 'shuts':
                shut.add(number)
            hung.append(_door(rng, building, number, how, shut_at.get(number)))
    return hung


def _door(rng: np.random.Generator, building: Building, number: int, how: str,
          shut_at: Optional[float]) -> _Door:
    """Return a door that swings, or slides into the longer piece of its wall."""
    _, a, b, width = building.sides[number]
    jambs = building.jambs(number)
    pieces = math.dist(a, jambs[0]), math.dist(b, jambs[1])
    # The hinge is at the longer piece of the wall, where there is more space.
    hinge, other = jambs if pieces[0] > pieces[1] else jambs[::-1]
    slides = max(pieces) > width and (how == 'approach' or rng.random() < 0.5)
    along = (other - hinge) / width
    yaw = math.atan2(along[1], along[0])
    shut = Pose(hinge[0], hinge[1], yaw)
    if slides:
        opened = shut.compose(Pose(-width, 0.0, 0.0))
    else:
        opened = shut.compose(Pose(0.0, 0.0, rng.choice((-0.5, 0.5)) * math.pi))
    leaf = rectangle(0.5 * width, 0.0, width - 0.01, THICKNESS, 0.0)
    name, duration = f'door_{number}', rng.uniform(1.5, 3.0)
    mover: Mover
    if how == 'approach' and slides:
        mover = AutomaticDoor(name, (leaf,), shut, opened, duration, rng.uniform(1.2, 2.0))
    else:
        mover = Scripted(name, (leaf,), _script(rng, how, (opened, shut), duration, shut_at),
                         gives_way=True)
    there = np.array([opened.apply(tuple(corner)) for corner in leaf])
    return _Door(number, there, mover, how != 'shuts')


def _script(rng: np.random.Generator, how: str, poses: Tuple[Pose, Pose], duration: float,
            shut_at: Optional[float]) -> Script:
    """Return the script of a door with the open and closed ``poses``."""
    opened, shut = poses
    if how == 'shuts':
        delay = rng.uniform(20.0, 60.0) if shut_at is None else shut_at
        return Script(np.array([0.0, duration]), np.array([opened, shut]), delay=delay)
    if how == 'opens':
        return Script(np.array([0.0, duration]), np.array([shut, opened]),
                      delay=rng.uniform(5.0, 90.0))
    times = np.cumsum([0.0, rng.uniform(8.0, 20.0), duration, rng.uniform(5.0, 15.0), duration])
    return Script(times, np.array([opened, opened, shut, shut, opened]), loop=True,
                  delay=rng.uniform(0.0, 10.0))
