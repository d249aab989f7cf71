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

"""A building whose doors open and shut."""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Tuple

from bug_nav.core.geometry import Pose
from bug_nav.sim.generators.floor import Floor
from bug_nav.sim.generators.rooms import Building
from bug_nav.sim.generators.shapes import clear, rectangle, RHO, SPARE
from bug_nav.sim.movers import AutomaticDoor, Mover, Script, Scripted
from bug_nav.sim.world import World
import numpy as np

ROOM = (2.3, 3.5)
"""How long the sides of rooms are [m]."""
WIDTH = (0.85, 1.2)
"""How wide doorways are [m]; an open door leaves 0.8 m of them."""
THICKNESS = 0.04
"""Of a door [m]: it slides into any wall."""
PACE = 0.22
"""A Burger's largest speed [m/s]: it is not at the goal before that is shut off."""


class _Door(NamedTuple):
    """A door: in which wall, where it is when it is open, and what it is that moves it."""

    number: int
    opened: np.ndarray
    mover: Mover
    open_in_the_end: bool


def doors(seed: int, *, reachable: bool = True) -> World:
    """
    Return a building of 2 or 3 by 2 or 3 rooms with doors that move, and a start and a goal.

    Doorways are 0.85 to 1.2 m wide. One in five has no door. The others, one of which
    is on the way, swing or slide: to and fro all the time, once, when they open or shut for good,
    or when a robot comes. They give way to robots. No door that shuts for good parts two rooms
    between which there is no other way.

    Of a goal that is wished unreachable the room's one door shuts for good within 20 s, before a
    Burger can be there, or the start's room has one such door.

    :param seed: any integer from 0; two wishes with one seed have nothing in common.
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
    if second in building.rooms_around(first, {door.number for door in hung}):
        return None
    # Open doors may stand in each other's way, or in that of who wants to pass.
    opened = [door.opened for door in hung if door.open_in_the_end]
    movers = tuple(door.mover for door in hung)
    shut = [solid for mover in movers for solid in mover.rests() or ()]
    ends = [(place, RHO + SPARE) for place in (start, goal)]
    if not clear([*walls, *opened, *shut, *(door.opened for door in hung)], ends):
        return None
    if reachable and not Floor([*walls, *opened, *shut]).connected(start, goal):
        return None
    return World('', tuple(walls), (*start, rng.uniform(-math.pi, math.pi)), tuple(goal),
                 movers=movers)


def _shut_off(rng: np.random.Generator, building: Building, room: int, start: np.ndarray
              ) -> Optional[Dict[int, float]]:
    """Return when the one door of a room shuts; None where there are more, or it is too near."""
    ways = [k for k, (pair, _, _, door) in enumerate(building.sides) if door and room in pair]
    if len(ways) != 1:
        return None
    away = min(math.dist(start, jamb) for jamb in building.jambs(ways[0]))
    latest = min(away / PACE - 3.0, 17.0)
    return {ways[0]: rng.uniform(3.0, latest)} if latest > 3.0 else None


def _hang(rng: np.random.Generator, building: Building, start: int, shut_at: Dict[int, float]
          ) -> List[_Door]:
    """Return doors for the doorways of a building; some shut at a time that is given [s]."""
    hung = []
    shut = set(shut_at)
    everywhere = building.rooms_around(start, shut)
    for number, (_, _, _, width) in enumerate(building.sides):
        how = str(rng.choice(['none', 'periodic', 'opens', 'shuts', 'approach'],
                             p=[0.2, 0.3, 0.15, 0.15, 0.2]))
        if number in shut_at:
            how = 'shuts'
        elif how == 'shuts' and building.rooms_around(start, shut | {number}) != everywhere:
            # Whoever is in there would be shut in.
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
    # It hangs beside the longer piece of its wall, where there is more room for it.
    hinge, other = jambs if pieces[0] > pieces[1] else jambs[::-1]
    slides = max(pieces) > width and (how == 'approach' or rng.random() < 0.5)
    along = (other - hinge) / width
    yaw = math.atan2(along[1], along[0])
    shut = Pose(hinge[0], hinge[1], yaw)
    if slides:
        opened = shut.moved(-width, 0.0, 0.0)
    else:
        opened = shut.moved(0.0, 0.0, rng.choice((-0.5, 0.5)) * math.pi)
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
    """Return when a door is ``poses``, which are open and shut."""
    opened, shut = poses
    if how == 'shuts':
        when = rng.uniform(20.0, 60.0) if shut_at is None else shut_at
        return Script(np.array([0.0, duration]), np.array([opened, shut]), delay=when)
    if how == 'opens':
        return Script(np.array([0.0, duration]), np.array([shut, opened]),
                      delay=rng.uniform(5.0, 90.0))
    times = np.cumsum([0.0, rng.uniform(8.0, 20.0), duration, rng.uniform(5.0, 15.0), duration])
    return Script(times, np.array([opened, opened, shut, shut, opened]), loop=True,
                  delay=rng.uniform(0.0, 10.0))
