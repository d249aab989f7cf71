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

"""People walking in a hall."""

from __future__ import annotations

import math
from typing import List, Optional

from bug_nav.simulation.generators.clearance_grid import is_straight_path_free
from bug_nav.simulation.generators.halls import Hall, hall
from bug_nav.simulation.movers import MANNERS, Person
from bug_nav.simulation.world import World, WorldError
import numpy as np

RADIUS = 0.25
"""Radius of a person [m]."""
MARGIN = 0.35
"""Minimum distance of a person's body from static solids on a route [m]."""
START_DISTANCE = 1.2
"""Minimum initial distance of a person from the start [m]."""
SPACING = 0.6
"""Minimum initial distance between people [m]."""
MIN_SPEED, MAX_SPEED = 0.3, 1.5
"""Range of walking speeds [m/s]."""
MAX_PAUSE = 15.0
"""Maximum pause [s]."""
# Maximum number of attempts per route, and of halls per world of a size; and by how much a hall of
# no given size grows at each further attempt [m].
_TRIES, _HALLS, _GROWTH = 60, 20, 1.0


def crowd(seed: int, *, reachable: bool = True, people: Optional[int] = None,
          speed: Optional[float] = None, size: Optional[float] = None,
          legs: bool = False) -> World:
    """
    Return a hall with obstacles and people who walk back and forth, and start and goal.

    Half of the people yield to a robot, a third do not, and the others follow it. One in five
    stops for up to 15 s at each place of the route; the goal may be one of these places. An
    unreachable goal is in an obstacle, or a ring of walls surrounds it or the start.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param people: number of people; by default random, 3 to 12.
    :param speed: walking speed [m/s]; by default random, 0.3 to 1.5.
    :param size: side of the hall [m]; by default 7 to 11, or more if the people need it.
    :param legs: whether a lidar sees two legs instead of a body.
    """
    rng = np.random.default_rng((seed, int(reachable), *b'crowd'))
    count = int(rng.integers(3, 13)) if people is None else people
    side = max(rng.uniform(7.0, 11.0), 2.0 * math.sqrt(count)) if size is None else size
    for attempt in range(_HALLS if size is not None else 2 * _HALLS):
        if attempt >= _HALLS:
            side += _GROWTH
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
        pace = rng.uniform(MIN_SPEED, MAX_SPEED) if speed is None else speed
        pause = rng.uniform(0.0, MAX_PAUSE) if at_goal or rng.random() < 0.2 else 0.0
        manner = str(rng.choice(MANNERS, p=[0.5, 0.35, 0.15]))
        people.append(Person(f'person_{number}', np.array(route), pace, manner, pause, RADIUS,
                             legs))
    return people


def _route(rng: np.random.Generator, static: World, place: Hall, first: List[np.ndarray],
           at_goal: bool) -> Optional[List[np.ndarray]]:
    """Return places with free lines between them; if ``at_goal``, the second is the goal."""
    route: List[np.ndarray] = []
    for number in range(3 if at_goal else int(rng.integers(2, 5))):
        there = place.goal if at_goal and number == 1 else rng.uniform(0.0, place.size, 2)
        if not route:
            near = [math.dist(there, other) < SPACING for other in first]
            if any(near) or math.dist(there, place.start) < START_DISTANCE:
                return None
        elif math.dist(there, route[-1]) < 1.0:
            return None
        if not is_straight_path_free(static, route[-1] if route else there, there,
                                     RADIUS + MARGIN):
            return None
        route.append(there)
    return route
