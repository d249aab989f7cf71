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

"""
A field in which discs move on random polynomials of time.

After the description of DynaBARN, whose own worlds need binary plug-ins (Nair and others,
"DynaBARN: Benchmarking Metric Ground Navigation in Dynamic Environments", SSRR 2022).
"""

from __future__ import annotations

import math
from typing import List, Optional

from bug_nav.simulation.generators.crowd import MAX_SPEED, MIN_SPEED, RADIUS
from bug_nav.simulation.generators.halls import boundary_walls
from bug_nav.simulation.generators.shapes import ring
from bug_nav.simulation.movers import disc, Script, Scripted
from bug_nav.simulation.world import World
import numpy as np

LENGTH, WIDTH, AT_END = 22.0, 10.0, 1.0
"""Size of the field, and distance of start and goal from its ends [m]."""
START_DISTANCE = 2.0
"""Minimum initial distance of a disc from the start [m]."""
MAX_ORDER = 4
"""Maximum order of a polynomial."""
POSES = 101
"""Number of poses of a script in one direction."""
MIN_COUNT, MAX_COUNT = 5, 20
"""Range of the number of discs."""


def dynamic(seed: int, *, reachable: bool = True, count: Optional[int] = None,
            speed: Optional[float] = None) -> World:
    """
    Return a field in which discs of 0.5 m move back and forth, and start and goal 20 m apart.

    A disc is as wide and as fast as a person. It follows a polynomial of time of order 1 to 4
    through random places, and gives way to nothing: what it touches, it passes through, as the
    actors of Gazebo do. A ring of walls surrounds an unreachable goal.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param count: number of discs; by default random, 5 to 20.
    :param speed: maximum speed of each disc [m/s]; by default random, 0.3 to 1.5.
    """
    rng = np.random.default_rng((seed, int(reachable), *b'dynamic'))
    number = int(rng.integers(MIN_COUNT, MAX_COUNT + 1)) if count is None else count
    start, goal = (AT_END, 0.5 * WIDTH), (LENGTH - AT_END, 0.5 * WIDTH)
    solids = boundary_walls(LENGTH, WIDTH, 0.1)
    solids += [] if reachable else ring(rng, goal, radii=(0.6, 0.9))
    movers: List[Scripted] = []
    while len(movers) < number:
        path = _path(rng)
        if path is not None and math.dist(path[0], start) >= START_DISTANCE:
            movers.append(Scripted(f'disc_{len(movers)}', (disc(RADIUS),), _back_and_forth(
                path, rng.uniform(MIN_SPEED, MAX_SPEED) if speed is None else speed)))
    world = World(f'dynamic_{seed}{"" if reachable else "_shut"}', tuple(solids), (*start, 0.0),
                  goal, movers=tuple(movers))
    return world.transformed(0.0, 0.0, rng.uniform(-math.pi, math.pi))


def _path(rng: np.random.Generator) -> Optional[np.ndarray]:
    """Return places at equal times on a polynomial, (n, 2) [m]; None if one is outside."""
    order = int(rng.integers(1, MAX_ORDER + 1))
    low, high = (RADIUS, RADIUS), (LENGTH - RADIUS, WIDTH - RADIUS)
    through = rng.uniform(low, high, (order + 1, 2))
    coefficients = np.polynomial.polynomial.polyfit(
        np.linspace(0.0, 1.0, order + 1), through, order)
    path = np.polynomial.polynomial.polyval(np.linspace(0.0, 1.0, POSES), coefficients).T
    return path if ((path >= low) & (path <= high)).all() else None


def _back_and_forth(path: np.ndarray, speed: float) -> Script:
    """Return the script of a body on a path at a maximum speed [m/s]."""
    interval = np.hypot(*np.diff(path, axis=0).T).max() / speed
    there_and_back = np.concatenate((path, path[-2::-1]))
    poses = np.column_stack((there_and_back, np.zeros(len(there_and_back))))
    return Script(interval * np.arange(len(poses)), poses, loop=True)
