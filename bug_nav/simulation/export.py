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
Export a world as SDF or as a drawing, which `find_world` can read.

SDF keeps every corner to the last digit, so that episodes in it are the same. A drawing is limited
by its cells.
"""

from __future__ import annotations

import math
from typing import Optional
from xml.sax.saxutils import quoteattr

from bug_nav.simulation.ascii import HEADINGS, LETTERS, MAX_SIDE
from bug_nav.simulation.world import PLAIN, World, WorldError
import numpy as np

HEIGHT = 0.5
"""Height of the walls [m]."""
CELL = 0.1
"""Side of a drawing's cell [m]."""
MARGIN = 0.3
"""Margin of a drawing around the world [m]."""

_HEAD = """<?xml version="1.0"?>
<sdf version="1.6" xmlns:bug_nav="urn:bug_nav">
  <world name={name}>
{episode}    <light name="sun" type="directional">
      <pose>0 0 10 0 0 0</pose>
      <diffuse>0.8 0.8 0.8 1</diffuse>
      <direction>-0.4 0.3 -0.9</direction>
    </light>
    <model name="ground_plane">
      <static>true</static>
      <link name="link">
        <collision name="collision">
          <geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>
        </collision>
        <visual name="visual">
          <geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>
        </visual>
      </link>
    </model>
"""
_MODEL = """    <model name="solid_{number}">
      <static>true</static>
      <link name="link">
        <collision name="collision">
{geometry}        </collision>
        <visual name="visual">
{geometry}        </visual>
      </link>
    </model>
"""


def world_to_sdf(world: World) -> str:
    """
    Return a world as SDF, for Gazebo and for `bug_nav.simulation.sdf`.

    :raises WorldError: for movers, or a surface that SDF cannot describe.
    """
    _check_static(world)
    if world.special_surfaces:
        raise WorldError(f'SDF cannot describe {" and ".join(world.special_surfaces)} surfaces; '
                         'save the world as a drawing')
    places = [f' {name}="{" ".join(map(repr, place))}"' for name, place in (
        ('start', world.start), ('goal', world.goal)) if place is not None]
    episode = f'    <bug_nav:episode{"".join(places)}/>\n' if places else ''
    return ''.join([
        _HEAD.format(name=quoteattr(world.name), episode=episode),
        *(_MODEL.format(number=number, geometry=_polyline(solid))
          for number, solid in enumerate(world.solids)),
        '  </world>\n</sdf>\n'])


def _polyline(solid: np.ndarray) -> str:
    points = ''.join(f'<point>{x!r} {y!r}</point>' for x, y in solid.tolist())
    outline = f'<polyline>{points}<height>{HEIGHT}</height></polyline>'
    return f'          <geometry>{outline}</geometry>\n'


def world_to_drawing(world: World) -> str:
    """
    Return a world as a drawing for `bug_nav.simulation.ascii`.

    A cell is solid if a solid is within half a cell of its centre, so that thin walls are kept.
    The lower left corner of the drawing is the new origin.

    :raises WorldError: for movers, or a world that is too large.
    """
    _check_static(world)
    x0, y0, x1, y1 = world.bounds
    columns, rows = (math.ceil((high - low + 2.0 * MARGIN) / CELL)
                     for low, high in ((x0, x1), (y0, y1)))
    if max(columns, rows) > MAX_SIDE:
        raise WorldError(f'a drawing with cells of {CELL:g} m has up to {MAX_SIDE} lines and '
                         f'columns, and this world needs {max(columns, rows)}; save it as SDF')
    x, y = (low - MARGIN + (np.arange(count) + 0.5) * CELL
            for low, count in ((x0, columns), (y0, rows)))
    grid = np.full((rows, columns), '.', dtype='<U1')
    middles = np.array(np.meshgrid(x, y)).reshape(2, -1).T
    for letter, surface in LETTERS.items():
        alike = [solid for solid, its in zip(world.solids, world.surfaces or
                                             (PLAIN,) * len(world.solids)) if its == surface]
        inside = World('', tuple(alike)).clearance(middles) <= 0.5 * CELL
        grid[inside.reshape(rows, columns)] = letter

    def put(place: Optional[tuple], letter: str) -> None:
        if place is not None:
            column, row = (int((at - low + MARGIN) / CELL) for at, low in zip(place, (x0, y0)))
            grid[row, column] = letter
    put(world.goal, 'G')
    put(world.start, _heading(world.start[2]) if world.start else '')
    return '\n'.join([f'cell: {CELL:g}', '', *(''.join(row) for row in grid[::-1]), ''])


def _heading(yaw: float) -> str:
    """Return the letter of the nearest heading."""
    return max('>^<v', key=lambda letter: math.cos(yaw - HEADINGS[letter]))


def _check_static(world: World) -> None:
    if world.movers or world.other_robots:
        raise WorldError('a world with movers or other robots cannot be saved; keep its original '
                         'file')
