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

"""People in a hall, each with ways of their own."""

from __future__ import annotations

import math
from typing import List, Optional

from bug_nav.sim.generators.floor import way_is_free
from bug_nav.sim.generators.halls import Hall, hall
from bug_nav.sim.movers import MANNERS, Person
from bug_nav.sim.world import World, WorldError
import numpy as np

RADIUS = 0.25
"""Of a person [m]."""
BESIDE = 0.35
"""On their ways people keep so much from what stands still [m]."""
NOT_AT = 1.2
"""Nobody begins nearer to the start than this [m]."""
APART = 0.6
"""Nor nearer to each other [m]."""
SLOWEST, FASTEST = 0.3, 1.5
"""Speeds of people [m/s]."""
LONGEST = 15.0
"""A pause [s]."""
# So many routes are drawn for each of them, and so many halls for all.
_TRIES, _HALLS = 60, 20


def crowd(seed: int, *, reachable: bool = True, people: Optional[int] = None,
          speed: Optional[float] = None, size: Optional[float] = None,
          legs: bool = False) -> World:
    """
    Return a hall with obstacles and people who walk to and fro, and a start and a goal.

    Of the people a half yields to a robot, a third does not, and the others follow it. One of
    five stops for up to 15 s at the places between which they walk; the goal may be one of them.
    A goal that is wished unreachable is in a ring of walls or in an obstacle, or start is in one.

    :param seed: any integer from 0; two wishes with one seed have nothing in common.
    :param people: how many; by default 3 to 12, drawn too.
    :param speed: of each [m/s]; by default 0.3 to 1.5, drawn too.
    :param size: side of the hall [m]; by default 7 to 11, or more where there are many people.
    :param legs: whether a lidar sees two legs of each, or a body.
    """
    rng = np.random.default_rng((seed, int(reachable), *b'crowd'))
    count = int(rng.integers(3, 13)) if people is None else people
    side = max(rng.uniform(7.0, 11.0), 2.0 * math.sqrt(count)) if size is None else size
    for _ in range(_HALLS):
        place = hall(rng, side, int(rng.integers(2, 9)), reachable)
        found = _people(rng, place, count, speed, legs)
        if len(found) == count:
            break
    else:
        raise WorldError(f'a hall of {side:g} m is too small for {count} people; give it more '
                         'size, or fewer people')
    world = World(f'crowd_{seed}{"" if reachable else "_shut"}', tuple(place.solids),
                  (*place.start, rng.uniform(-math.pi, math.pi)), tuple(place.goal),
                  movers=tuple(found))
    return world.transformed(0.0, 0.0, rng.uniform(-math.pi, math.pi))


def _people(rng: np.random.Generator, place: Hall, count: int, speed: Optional[float],
            legs: bool) -> List[Person]:
    static = World('', tuple(place.solids))
    first: List[np.ndarray] = []
    people: List[Person] = []
    for number in range(count):
        at_goal = not number and rng.random() < 0.4
        route = next(filter(None, (_route(rng, static, place, first, at_goal and k < _TRIES // 2)
                                   for k in range(_TRIES))), None)
        if route is None:
            break
        first.append(route[0])
        pace = rng.uniform(SLOWEST, FASTEST) if speed is None else speed
        pause = rng.uniform(0.0, LONGEST) if at_goal or rng.random() < 0.2 else 0.0
        manner = str(rng.choice(MANNERS, p=[0.5, 0.35, 0.15]))
        people.append(Person(f'person_{number}', np.array(route), pace, manner, pause, RADIUS,
                             legs))
    return people


def _route(rng: np.random.Generator, static: World, place: Hall, first: List[np.ndarray],
           at_goal: bool) -> Optional[List[np.ndarray]]:
    """Return places with free ways between them; the second is the goal where that is wished."""
    route: List[np.ndarray] = []
    for number in range(3 if at_goal else int(rng.integers(2, 5))):
        there = place.goal if at_goal and number == 1 else rng.uniform(0.0, place.size, 2)
        if not route:
            near = [math.dist(there, other) < APART for other in first]
            if any(near) or math.dist(there, place.start) < NOT_AT:
                return None
        elif math.dist(there, route[-1]) < 1.0:
            return None
        if not way_is_free(static, route[-1] if route else there, there, RADIUS + BESIDE):
            return None
        route.append(there)
    return route
