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

"""Build a world from walls, start and goal, sometimes in a deliberately degenerate position."""

from __future__ import annotations

import itertools
import math
from typing import Callable, Iterator, List, Optional, Tuple

from bug_nav.simulation.generators.shapes import clear, RHO, START_MARGIN
from bug_nav.simulation.world import World
import numpy as np

Plan = Tuple[List[np.ndarray], np.ndarray, np.ndarray]
"""Solids, start (2,) and goal (2,), in metres."""
Draw = Callable[[np.random.Generator, bool], Optional[Plan]]
"""Draws a plan with a reachable goal or not; None if the attempt failed."""
Ends = Optional[Tuple[np.ndarray, np.ndarray]]
"""Start and goal in a degenerate position; None if there is none."""
# Maximum number of plans drawn for a degenerate position.
_TRIES = 40
# Maximum displacement of start or goal [m].
_MAX_SHIFT = 0.6
# Minimum length of a wall along the M-line [m].
_MIN_WALL = 0.5


def build_world(kind: str, draw: Draw, seed: int, reachable: bool, moved: bool = True) -> World:
    """
    Return the world of a seed, rotated by a random angle.

    Two of five worlds have a degenerate position: the M-line meets a corner, or runs along a wall
    or at the contour radius from it; the goal is closer to a wall than the contour radius, or the
    start is within 2 cm of that distance. Otherwise the start has 2 cm of margin.

    :param moved: whether start and goal may be moved into a degenerate position.
    """
    rng = np.random.default_rng((seed, int(reachable), *kind.encode()))
    degeneracies: List[Callable[..., Ends]] = [
        _none, _through_corner, _along_wall, _goal_at_wall, _start_at_wall]
    degenerate = degeneracies[rng.choice(5, p=[0.6, 0.1, 0.1, 0.1, 0.1])] if moved else _none
    for solids, start, goal in itertools.islice(_plans(rng, draw, reachable), _TRIES):
        ends = degenerate(rng, World('', tuple(solids)), start, goal)
        if ends is not None:
            break
    start, goal = ends or (start, goal)
    name = f'{kind}_{seed}{"" if reachable else "_shut"}'
    world = World(name, tuple(solids), (*start, rng.uniform(-math.pi, math.pi)), tuple(goal))
    return world.transformed(0.0, 0.0, rng.uniform(-math.pi, math.pi))


def _plans(rng: np.random.Generator, draw: Draw, reachable: bool) -> Iterator[Plan]:
    while True:
        plan = draw(rng, reachable)
        if plan is not None and clear(plan[0], [(plan[1], RHO + START_MARGIN)]):
            yield plan


def _none(rng: np.random.Generator, world: World, start: np.ndarray, goal: np.ndarray) -> Ends:
    return start, goal


def _through_corner(rng: np.random.Generator, world: World, *ends: np.ndarray) -> Ends:
    """Rotate one end about the other until a corner is on the line between them."""
    turning = int(rng.integers(2))
    moving, fixed = ends[turning], ends[1 - turning]
    length = math.dist(moving, fixed)
    for corner in rng.permutation(world.segments[:, :2]):
        away = math.dist(corner, fixed)
        if RHO < away < length:
            moved = fixed + (corner - fixed) * length / away
            if _can_move(world, moving, moved):
                return (moved, fixed) if turning == 0 else (fixed, moved)
    return None


def _along_wall(rng: np.random.Generator, world: World, *ends: np.ndarray) -> Ends:
    """Move both ends sideways until the line between them touches a wall or its contour."""
    for a, along in _long_edges(rng, world):
        # Solids are on the left of their edges.
        a = a + rng.choice((0.0, RHO)) * np.array([along[1], -along[0]])
        moved = [a + ((end - a) @ along) * along for end in ends]
        passes = ((moved[0] - a) @ along) * ((moved[1] - a) @ along) < 0
        if passes and all(_can_move(world, *pair) for pair in zip(ends, moved)):
            return moved[0], moved[1]
    return None


def _long_edges(rng: np.random.Generator, world: World) -> Iterator[tuple]:
    """Yield the midpoint and direction of each long edge, in random order."""
    for edge in rng.permutation(world.segments):
        length = math.dist(edge[:2], edge[2:])
        if length > _MIN_WALL:
            yield 0.5 * (edge[:2] + edge[2:]), (edge[2:] - edge[:2]) / length


def _goal_at_wall(rng: np.random.Generator, world: World, start: np.ndarray,
                  goal: np.ndarray) -> Ends:
    return start, _towards_wall(world, goal, rng.uniform(0.14, RHO))


def _start_at_wall(rng: np.random.Generator, world: World, start: np.ndarray,
                   goal: np.ndarray) -> Ends:
    return _towards_wall(world, start, RHO + rng.uniform(-0.02, 0.02)), goal


def _towards_wall(world: World, place: np.ndarray, clearance: float) -> np.ndarray:
    """Move a place towards the nearest wall to a clearance; unchanged if it is already nearer."""
    edges = world.segments
    a, along = edges[:, :2], edges[:, 2:] - edges[:, :2]
    share = np.clip(((place - a) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.0)
    feet = a + share[:, None] * along
    foot = feet[np.argmin(np.hypot(*(feet - place).T))]
    if world.clearance(place)[0] <= clearance:
        return place
    return foot + (place - foot) * clearance / math.dist(place, foot)


def _can_move(world: World, old: np.ndarray, new: np.ndarray) -> bool:
    """Return whether a place can be moved, and stays clear of everything on the way."""
    if math.dist(old, new) > _MAX_SHIFT:
        return False
    way = old + np.linspace(0.0, 1.0, 40)[:, None] * (new - old)
    return world.clearance(way).min() >= RHO + START_MARGIN
