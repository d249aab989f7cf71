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

"""Cross-sections of triangle meshes."""

from __future__ import annotations

from bug_nav.simulation.mesh_sections import (
    section_of_triangles,
    segments_at,
    simple_polygons,
    SKIN,
)
from bug_nav.simulation.simple_polygon import is_simple
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

shapely = pytest.importorskip('shapely')
trimesh = pytest.importorskip('trimesh')

HEIGHT = 0.18


def area_of(outlines):
    return shapely.unary_union([shapely.Polygon(outline) for outline in outlines])


def box(size, at=(0.0, 0.0, 0.0)):
    return trimesh.creation.box(size).triangles + np.array(at)


@pytest.mark.parametrize('mesh', [
    trimesh.creation.box((2, 1, 1)), trimesh.creation.icosphere(3, 0.7),
    trimesh.creation.cylinder(0.3, 2.0), trimesh.creation.torus(1.0, 0.3),
    trimesh.creation.annulus(0.5, 1.0, 1.0)], ids=lambda mesh: str(len(mesh.faces)))
@pytest.mark.parametrize('turn', [0.0, 0.4, 1.3])
def test_closed_mesh_is_cut_like_its_volume(mesh, turn):
    matrix = trimesh.transformations.rotation_matrix(turn, (1.0, 2.0, 0.5))
    moved = mesh.copy().apply_transform(matrix)
    section = section_of_triangles(moved.triangles, HEIGHT)
    assert all(map(is_simple, section.outlines))
    assert (section.bottom, section.top) == pytest.approx(tuple(moved.bounds[:, 2]))
    cut = area_of(section.outlines)
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (4000, 2))
    near = shapely.distance(cut.boundary, shapely.points(points)) < 0.002
    # By the number of faces above a point of the plane, not by their direction.
    inside = crossings_above(moved.triangles, points, HEIGHT) % 2 == 1
    assert (shapely.contains_xy(cut, *points.T) == inside)[~near].all()
    assert inside.any()


def crossings_above(triangles, points, height):
    """Return the number of triangles straight above each point."""
    counts = np.zeros(len(points), dtype=int)
    for a, b, c in triangles:
        normal = np.cross(b - a, c - a)
        if abs(normal[2]) < 1e-12:
            continue
        sides = [(q[0] - p[0]) * (points[:, 1] - p[1]) - (q[1] - p[1]) * (points[:, 0] - p[0])
                 for p, q in ((a, b), (b, c), (c, a))]
        within = np.all(np.sign(sides) == np.sign(normal[2]), axis=0)
        z = a[2] - ((points - a[:2]) @ normal[:2]) / normal[2]
        counts += within & (z > height)
    return counts


def test_room_seen_from_within_is_free_inside():
    crate = section_of_triangles(box((4, 4, 2)), HEIGHT)
    room = section_of_triangles(box((4, 4, 2))[:, ::-1], HEIGHT)
    assert area_of(crate.outlines).area == pytest.approx(16.0)
    walls = area_of(room.outlines)
    assert walls.area == pytest.approx(16.0 * SKIN, rel=0.01)
    assert not walls.contains(shapely.Point(0, 0)) and all(map(is_simple, room.outlines))


def test_single_sheet_is_a_thin_wall():
    sheet = np.array([[(0, 0, 0), (2, 0, 0), (2, 0, 1)], [(0, 0, 0), (2, 0, 1), (0, 0, 1)]], float)
    wall = area_of(section_of_triangles(sheet, HEIGHT).outlines)
    assert wall.bounds == pytest.approx((0, 0, 2, 0), abs=SKIN)
    assert wall.area == pytest.approx(2 * SKIN, rel=0.01)


def test_mesh_with_holes_and_turned_triangles_still_blocks():
    crate = box((2, 2, 1))
    rng = np.random.default_rng(2)
    turned = np.where(rng.random(len(crate))[:, None, None] < 0.5, crate[:, ::-1], crate)
    wall = area_of(section_of_triangles(turned, HEIGHT).outlines)
    assert wall.exterior.buffer(SKIN).covers(shapely.box(-1, -1, 1, 1).exterior)


def test_shell_within_a_shell_is_a_hole():
    house = np.concatenate((box((4, 4, 2)), box((3, 3, 1.9))[:, ::-1]))
    section = section_of_triangles(house, HEIGHT)
    assert area_of(section.outlines).area == pytest.approx(16.0 - 9.0, rel=0.01)
    assert len(section.outlines) > 1 and all(map(is_simple, section.outlines))


@pytest.mark.parametrize('width', [0.0002, 0.0009, 0.001, 0.0014, 0.002, 0.01])
@pytest.mark.parametrize('at', [0.0, 3.0, 90_000.0])
def test_narrow_hole_is_cut_out_or_filled(width, at):
    polygon = shapely.box(at - 1, -1, at + 1, 1) - shapely.box(at, -0.5, at + width, 0.5)
    outlines = simple_polygons(polygon)
    assert all(map(is_simple, outlines))
    area = area_of(outlines).area
    assert polygon.area - 1e-6 <= area <= 4.0 + 1e-6
    assert area == pytest.approx(polygon.area, abs=0.0015)


@pytest.mark.parametrize('at, seen', [(0.0, True), (-2.0, False), (2.0, False)])
def test_mesh_above_or_below_the_lidar_has_no_outline(at, seen):
    section = section_of_triangles(box((1, 1, 1), (0, 0, at)), HEIGHT)
    assert bool(section.outlines) is seen
    assert (section.bottom, section.top) == pytest.approx((at - 0.5, at + 0.5))


def test_mesh_that_is_wider_below_the_lidar_is_hidden():
    table = np.concatenate((box((0.1, 0.1, 1.0), (0, 0, 0.5)), box((1, 1, 0.1), (0, 0, 0.05))))
    assert section_of_triangles(table, HEIGHT).hidden
    assert not section_of_triangles(table + (0, 0, 0.3), HEIGHT).hidden


@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 9), min_size=1, max_size=30))
def test_any_triangles_become_simple_polygons_over_their_segments(corners):
    triangles = np.array(corners, float).reshape(-1, 3, 3)
    section = section_of_triangles(triangles, HEIGHT)
    assert all(map(is_simple, section.outlines))
    segments = segments_at(triangles, HEIGHT)
    assert bool(section.outlines) is bool((segments[:, 0] != segments[:, 1]).any())
    if section.outlines:
        lines = shapely.linestrings(segments)
        assert area_of(section.outlines).buffer(SKIN).covers(shapely.union_all(lines))


def test_neighbouring_triangles_meet_at_the_same_point():
    corners = np.random.default_rng(4).normal(size=(4, 3)) * 3.0
    a, b, c, d = corners
    for height in np.linspace(-1.0, 1.0, 50):
        one = segments_at(np.array([[a, b, c]]), height).reshape(-1, 2)
        other = segments_at(np.array([[b, a, d]]), height).reshape(-1, 2)
        if (a[2] > height) != (b[2] > height):
            assert {tuple(p) for p in one} & {tuple(p) for p in other}
