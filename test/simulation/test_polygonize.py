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

from __future__ import annotations

import math

from bug_nav.simulation.polygonize import NUDGE, polygonize
from bug_nav.simulation.rays import cast_rays
from bug_nav.simulation.world import signed_area, World
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
import pytest
from shapely.geometry import box, Polygon
from shapely.ops import unary_union

grids = arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9)))


def grid(*lines: str) -> np.ndarray:
    """Return a grid from a drawing, whose last line is row 0."""
    return np.array([[letter == '#' for letter in line] for line in lines[::-1]])


def union_of(solid: np.ndarray):
    return unary_union([Polygon(polygon) for polygon in polygonize(solid)])


@settings(deadline=None, max_examples=300)
@given(grids)
def test_outlines_of_any_grid_are_valid_polygons_of_the_solid_cells(solid):
    polygons = polygonize(solid)
    assert all(Polygon(polygon).is_valid and signed_area(polygon) > 0 for polygon in polygons)
    cells = unary_union([box(j, i, j + 1, i + 1) for i, j in np.argwhere(solid)])
    drawn = unary_union([Polygon(polygon) for polygon in polygons])
    assert cells.difference(drawn).area < 1e-9
    assert drawn.difference(cells).area <= 4 * NUDGE * solid.size


@settings(deadline=None, max_examples=200)
@given(grids)
def test_solid_cells_are_connected_at_corners_and_free_cells_are_not(solid):
    drawn = union_of(solid)
    parts = len(getattr(drawn, 'geoms', [drawn])) if not drawn.is_empty else 0
    assert parts == count(solid, corners=True)
    room = box(-1, -1, solid.shape[1] + 1, solid.shape[0] + 1).difference(drawn)
    rooms = len(getattr(room, 'geoms', [room]))
    assert rooms == count(np.pad(~solid, 1, constant_values=True), corners=False)


def count(cells: np.ndarray, corners: bool) -> int:
    """Count the connected parts of a grid, cell by cell."""
    left, parts = {tuple(cell) for cell in np.argwhere(cells).tolist()}, 0
    while left:
        parts += 1
        waiting = [left.pop()]
        while waiting:
            i, j = waiting.pop()
            near = {(i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)
                    if corners or not di or not dj}
            waiting += near & left
            left -= near
    return parts


def test_straight_wall_has_four_corners():
    (wall,) = polygonize(grid('.....', '.###.', '.###.'))
    assert sorted(map(tuple, wall.tolist())) == [(1, 0), (1, 2), (4, 0), (4, 2)]


def test_room_is_split_into_two_polygons_and_its_inside_is_free():
    solid = grid('#####', '#...#', '#...#', '#####')
    assert len(polygonize(solid)) == 2
    world = World('', tuple(polygonize(solid)))
    inside = [(x, y) for x in (1.01, 2.5, 3.99) for y in (1.01, 2.0, 2.99)]
    assert (world.clearance(inside) > 0).all()
    walls = [(x, y) for x, y in ((0.5, 0.5), (0.5, 1.5), (0.5, 2.5), (4.5, 2.0), (2.5, 3.5))]
    assert (world.clearance(walls) < 0).all()


def test_nested_rooms_and_islands_stay_separate():
    solid = np.ones((9, 9), dtype=bool)
    solid[1:-1, 1:-1] = False
    solid[2:-2, 2:-2] = True
    solid[3:-3, 3:-3] = False
    solid[4, 4] = True
    assert len(union_of(solid).geoms) == 3


@pytest.mark.parametrize('solid', [grid('.#', '#.'), grid('#.', '.#')])
def test_no_beam_passes_between_cells_that_touch_at_a_corner(solid):
    segments = World('', tuple(polygonize(solid))).segments
    for angle in np.linspace(0.0, 2.0 * math.pi, 720):
        # Beams from all around to the corner, and past it as closely as floats allow.
        x, y = 1.0 + 5.0 * math.cos(angle), 1.0 + 5.0 * math.sin(angle)
        for aside in (-1e-9, -1e-15, 0.0, 1e-15, 1e-9):
            seen = cast_rays(segments, x, y, angle + math.pi + aside, 1.0, 1, 9.0)
            assert seen[0] <= 5.01


def test_diagonal_wall_of_one_cell_is_one_solid():
    assert len(polygonize(np.eye(50, dtype=bool))) == 1
    assert len(polygonize(np.eye(50, dtype=bool)[::-1])) == 1


@pytest.mark.parametrize('solid', [np.zeros((0, 0), dtype=bool), np.zeros((3, 4), dtype=bool)])
def test_grid_without_solid_cells_has_no_outlines(solid):
    assert polygonize(solid) == []


def test_outline_of_a_large_map_of_a_building_has_all_corners():
    rooms = np.zeros((2000, 2000), dtype=bool)
    rooms[::40] = rooms[:, ::40] = True
    rooms[17::40] = False  # a door in every wall
    polygons = polygonize(rooms)
    # A vertex with an odd number of solid cells around it is a corner.
    around = sum(np.pad(rooms, 1)[i:i + 2001, j:j + 2001].astype(int)
                 for i in (0, 1) for j in (0, 1))
    assert sum(map(len, polygons)) == (around % 2).sum()
