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
Worlds with perceptual aliasing, in which a scan does not determine the pose.

Scan matching is degenerate in them: in a circular room, along a smooth corridor, in a field whose
obstacles are out of range, and in a row of equal rooms.
"""

from __future__ import annotations

import functools
import math
from typing import List

from bug_nav.simulation.generators.shapes import polyline, rectangle, RHO, ring, START_MARGIN, wall
from bug_nav.simulation.generators.world_builder import build_world, Plan
from bug_nav.simulation.world import World
import numpy as np

ROOMS = 12
"""Default number of equal rooms in a row."""
SIDES = 72
"""Sides of the polygon that approximates a circle; at a radius of 2.5 m, it is off by 2 mm."""
LENGTH = 30.0
"""Inner length of a corridor [m]."""
LIDAR_RANGE = 12.0
"""Maximum range of the lidars of all presets; an open field is free up to it [m]."""


def rotundas(seed: int, *, reachable: bool = True) -> World:
    """
    Return a circular room with a round pillar in the middle, and start and goal.

    They are on different sides of the pillar. For an unreachable goal, one of them is outside the
    room.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    return build_world('rotundas', _rotunda, seed, reachable)


def _rotunda(rng: np.random.Generator, reachable: bool) -> Plan:
    radius, pillar = rng.uniform(2.0, 3.0), rng.uniform(0.3, 0.6)
    thickness = rng.uniform(0.08, 0.2)
    walls = [*_round_wall(radius, thickness), _circle(pillar)]
    first = rng.uniform(-math.pi, math.pi)
    across = first + math.pi + rng.uniform(-0.5, 0.5)
    within, beyond = pillar + RHO + START_MARGIN, radius + thickness
    start = _at(first, rng.uniform(within, radius - RHO - START_MARGIN))
    goal = _at(across, rng.uniform(within, radius - RHO - START_MARGIN) if reachable
               else beyond + rng.uniform(0.6, 1.6))
    return (walls, start, goal) if reachable or rng.random() < 0.5 else (walls, goal, start)


def _round_wall(radius: float, thickness: float) -> List[np.ndarray]:
    """Return a circular wall around the origin with an inner ``radius`` [m]."""
    # The middle of a side is nearer to the origin than its ends.
    corners = (radius + 0.5 * thickness) / math.cos(math.pi / SIDES) * _circle(1.0)
    return polyline(np.vstack((corners, corners[:1])), thickness)


def corridors(seed: int, *, reachable: bool = True) -> World:
    """
    Return a corridor of 30 m with smooth walls and closed ends, and start and goal.

    They are near different ends. For an unreachable goal, one of them is beyond the end of the
    corridor.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    return build_world('corridors', _corridor, seed, reachable)


def _corridor(rng: np.random.Generator, reachable: bool) -> Plan:
    half, thickness = 0.5 * rng.uniform(1.2, 2.4), rng.uniform(0.08, 0.2)
    middle = half + 0.5 * thickness
    end = 0.5 * (LENGTH + thickness)
    walls = polyline(np.array([(-end, -middle), (end, -middle), (end, middle), (-end, middle),
                               (-end, -middle)]), thickness)
    aside = half - RHO - START_MARGIN
    start = np.array([rng.uniform(0.5, 3.0) - 0.5 * LENGTH, rng.uniform(-aside, aside)])
    away = rng.uniform(-3.0, -0.5) if reachable else thickness + rng.uniform(0.6, 1.6)
    goal = np.array([0.5 * LENGTH + away, rng.uniform(-aside, aside)])
    return (walls, start, goal) if reachable or rng.random() < 0.5 else (walls, goal, start)


def fields(seed: int, *, reachable: bool = True) -> World:
    """
    Return an open field with a distant obstacle on the way, and start and goal.

    An unreachable goal is in a ring of walls.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    """
    return build_world('fields', _field, seed, reachable, moved=False)


def _field(rng: np.random.Generator, reachable: bool) -> Plan:
    length, width = rng.uniform(1.0, 3.0, 2)
    away = LIDAR_RANGE + 0.5 * math.hypot(length, width) + rng.uniform(1.0, 3.0)
    obstacle = rectangle(away, rng.uniform(-0.5, 0.5), length, width,
                         rng.uniform(-math.pi, math.pi))
    goal = np.array([away + 0.5 * math.hypot(length, width) + rng.uniform(2.0, 4.0), 0.0])
    return ([obstacle] + ([] if reachable else ring(rng, goal)), np.zeros(2), goal)


def enfilades(seed: int, *, reachable: bool = True, rooms: int = ROOMS) -> World:
    """
    Return equal rooms in a row, each with a door to the next, and start and goal.

    They are in different rooms. For an unreachable goal, one of the doors between them is closed.

    :param seed: any integer from 0; the worlds for both values of ``reachable`` are unrelated.
    :param rooms: number of rooms.
    """
    return build_world('enfilades', functools.partial(_enfilade, rooms), seed, reachable)


def _enfilade(rooms: int, rng: np.random.Generator, reachable: bool) -> Plan:
    length, width, thickness = *rng.uniform(1.6, 2.6, 2), rng.uniform(0.08, 0.2)
    door = rng.uniform(0.6, 1.0)
    jamb = rng.uniform(thickness, width - door - thickness)
    first, last = np.sort(rng.choice(rooms, 2, replace=False))
    shut = -1 if reachable else int(rng.integers(first, last))
    end = rooms * length
    walls = polyline(np.array([(0.0, 0.0), (end, 0.0), (end, width), (0.0, width), (0.0, 0.0)]),
                     thickness)
    for k in range(rooms - 1):
        x = (k + 1) * length
        ends = (0.0, width) if k == shut else (0.0, jamb, jamb + door, width)
        walls += [wall(np.array([x, low]), np.array([x, high]), thickness)
                  for low, high in zip(ends[::2], ends[1::2])]
    least = 0.5 * thickness + RHO + START_MARGIN
    places = [np.array([(k + rng.uniform(least / length, 1.0 - least / length)) * length,
                        rng.uniform(least, width - least)]) for k in (first, last)]
    start, goal = places[::rng.choice((-1, 1))]
    return walls, start, goal


def _circle(radius: float) -> np.ndarray:
    angles = 2.0 * math.pi * np.arange(SIDES) / SIDES
    return radius * np.column_stack((np.cos(angles), np.sin(angles)))


def _at(angle: float, away: float) -> np.ndarray:
    return away * np.array([math.cos(angle), math.sin(angle)])
