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

from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.world import World, WorldError
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]
HOOK = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]

angles = st.floats(-math.pi, math.pi)
coordinates = st.floats(-10, 10)


def clearance(world: World, *point: float) -> float:
    return float(world.clearance([point])[0])


def test_clockwise_polygon_becomes_counter_clockwise():
    world = World('w', (SQUARE[::-1],))
    x, y = world.solids[0].T
    assert np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)) == pytest.approx(8)


def test_thin_polygon_far_from_the_origin_keeps_its_orientation():
    far = np.add([(0, 0), (0, 1e-4), (1e-4, 1e-4), (1e-4, 0)], 9e4)
    world = World('w', (far,))
    assert clearance(world, 9e4 + 5e-5, 9e4 + 5e-5) == pytest.approx(-5e-5, rel=1e-3)


def test_solids_and_segments_cannot_be_changed():
    world = World('w', (SQUARE,))
    for table in (world.solids[0], world.segments):
        with pytest.raises(ValueError, match='read-only'):
            table[0, 0] = 5.0


def test_later_changes_to_the_array_of_a_caller_have_no_effect():
    mine = np.array(SQUARE, dtype=float)
    world = World('w', (mine,))
    mine[0] = (-9, -9)
    assert world.bounds == (0, 0, 2, 2)


@pytest.mark.parametrize('solid, why', [
    ([(0, 0), (1, 1)], 'at least three'),
    ([(0, 0), (1, 1), (2, 2)], 'no area'),
    ([(0, 0), (1, 0), (math.nan, 1)], 'not finite'),
    ([(0, 0), (1, 0), (math.inf, 1)], 'not finite'),
    ([(0, 0, 0), (1, 0, 0), (1, 1, 0)], 'at least three x, y pairs'),
    ([('a', 0), (1, 0), (1, 1)], 'pairs of numbers'),
    ([(0, 0), (1,), (1, 1)], 'pairs of numbers')])
def test_invalid_polygon_is_rejected(solid, why):
    for make in (lambda some: World('w', some), World.from_polygons):
        with pytest.raises(WorldError, match=f'^polygon 2 of 3 .*{why}'):
            make((SQUARE, solid, SQUARE))


@pytest.mark.parametrize('polygon', [
    [(0, 0), (2, 2), (2, 0), (0, 1)],                           # two lobes of different area
    [(0, 0), (4, 0), (4, 4), (1, 4), (1, 1), (1, 4), (0, 4)],   # an edge runs backwards
    [(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]])                  # a corner touches an edge
def test_polygon_that_crosses_itself_is_rejected_by_its_number(polygon):
    with pytest.raises(WorldError, match='^polygon 2 of 2 crosses or touches itself; give its'):
        World.from_polygons([SQUARE, polygon])


def test_polygon_may_repeat_its_first_corner():
    closed = [(0, 0), (2, 0), (2, 1), (0, 1), (0, 0)]
    assert World.from_polygons([closed]).bounds == (0, 0, 2, 1)


def test_number_instead_of_polygons_is_rejected():
    with pytest.raises(WorldError, match='the polygons are 5; give a list of polygons'):
        World.from_polygons(5)


@pytest.mark.parametrize('ends', [
    {'start': (0, 0)}, {'start': (0, 0, math.nan)}, {'goal': (1, math.inf)}, {'goal': (1, 2, 3)},
    {'goal': ('x', 1)}, {'goal': 5}])
def test_invalid_start_or_goal_is_rejected(ends):
    with pytest.raises(WorldError, match='must be'):
        World('w', (SQUARE,), **ends)


def test_segments_contain_the_edges_of_all_solids_in_order():
    world = World('w', ([(0, 0), (1, 0), (0, 1)], np.add(SQUARE, 5)))
    assert world.segments.tolist() == [
        [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0],
        [5, 5, 7, 5], [7, 5, 7, 7], [7, 7, 5, 7], [5, 7, 5, 5]]


def test_empty_world_has_no_segments_and_infinite_clearance():
    world = World('w', (), start=(0, 0, 0), goal=(5, -1))
    assert world.segments.shape == (0, 4)
    assert world.clearance([(0, 0), (1, 1)]).tolist() == [math.inf, math.inf]
    assert world.bounds == (0, -1, 5, 0)
    assert World('w', ()).bounds == (0, 0, 0, 0)


def test_bounds_include_solids_start_and_goal():
    assert World('w', (SQUARE,), start=(-1, 1, 0), goal=(1, 7)).bounds == (-1, 0, 2, 7)


@pytest.mark.parametrize('point, distance', [
    ((-1, 1), 1), ((-3, -4), 5), ((0.25, 1), -0.25), ((0.5, 0.5), -0.5), ((2, 2), 1),
    ((1.5, 2), 0.5), ((0, 1), 0), ((3, 1), 0), ((1, 1), 0), ((2, 1), 0), ((4, 0), 1),
    ((4, 2), math.sqrt(2))])
def test_clearance_of_a_concave_solid_is_signed_and_exact(point, distance):
    assert clearance(World('w', (HOOK,)), *point) == pytest.approx(distance, abs=1e-12)


def test_clearance_inside_overlapping_solids_is_the_depth_in_the_deepest():
    world = World('w', (SQUARE, np.add(SQUARE, (1.5, 0))))
    assert clearance(world, 1.75, 1) == pytest.approx(-0.25)
    assert clearance(world, 1.0, 1) == pytest.approx(-1)


def test_clearance_level_with_corners_is_exact():
    diamond = World('w', ([(0, -1), (1, 0), (0, 1), (-1, 0)],))
    assert clearance(diamond, -3, 0) == pytest.approx(2)
    assert clearance(diamond, -3, 1) > 0 and clearance(diamond, -3, -1) > 0
    assert clearance(diamond, -0.5, 0) == pytest.approx(-0.5 / math.sqrt(2))


def test_clearance_of_many_points_equals_that_of_single_points():
    world = find_world('demo')
    points = np.random.default_rng(1).uniform(-1, 9, (20_000, 2))
    together = world.clearance(points)
    apart = [clearance(world, *point) for point in points[::1000]]
    assert together.shape == (20_000,)
    assert together[::1000].tolist() == apart


def test_clearance_among_many_solids_equals_that_of_single_points():
    # A large solid with small ones inside, outside and across its edge: the solid that determines
    # the clearance differs between points.
    rng = np.random.default_rng(2)
    small = [np.add(0.2 * rng.random((3, 2)), rng.uniform(-2, 12, 2)) for _ in range(300)]
    world = World('w', (10.0 * np.array(HOOK) / 3.0, *small))
    points = rng.uniform(-3, 13, (5000, 2))
    together = world.clearance(points)
    assert together.tolist() == [clearance(world, *point) for point in points]
    assert (together < -1).any() and (-0.05 < together).any() and (together > 1).any()


def test_clearance_of_repeated_points_is_the_same():
    world = World('w', tuple(np.add(SQUARE, (3 * k, 0)) for k in range(100)))
    assert set(world.clearance(np.full((5000, 2), (2.5, 1.0))).tolist()) == {0.5}


def test_clearance_of_no_points_is_empty():
    assert find_world('demo').clearance(np.zeros((0, 2))).shape == (0,)


@settings(deadline=None)
@given(coordinates, coordinates, angles, coordinates, coordinates)
def test_rigid_motion_preserves_clearances_and_heading(x, y, yaw, px, py):
    world = World('w', (HOOK, np.add(SQUARE, 4)), start=(px, py, 0.5), goal=(py, px))
    moved = world.transformed(x, y, yaw)
    assert clearance(moved, *moved.start[:2]) == pytest.approx(clearance(world, px, py), abs=1e-9)
    assert clearance(moved, *moved.goal) == pytest.approx(clearance(world, py, px), abs=1e-9)
    assert math.cos(moved.start[2] - yaw - 0.5) == pytest.approx(1)


def test_rigid_motion_rotates_before_it_translates():
    moved = World('w', (SQUARE,), goal=(1, 0)).transformed(10, 0, math.pi / 2)
    assert moved.goal == pytest.approx((10, 1))
    assert moved.bounds == pytest.approx((8, 0, 10, 2))


def test_mirror_swaps_left_and_right_and_keeps_solids_solid():
    world = World('w', (HOOK,), start=(-1, 2, 0.3), goal=(5, -1), unseen=('kerb',))
    mirror = world.mirrored()
    assert mirror.start == (-1, -2, -0.3)
    assert mirror.goal == (5, 1)
    assert mirror.unseen == ('kerb',)
    assert clearance(mirror, 0.5, -0.5) == pytest.approx(clearance(world, 0.5, 0.5))
    assert clearance(mirror, 2, -2) == pytest.approx(clearance(world, 2, 2))


def test_surfaces_select_segments_and_survive_transformations():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    world = World('', (square, square + 2, square + 4), surfaces=('plain', 'glass', 'plain'))
    assert world.special_surfaces == ('glass',)
    assert np.array_equal(world.segments_of('glass'), world.segments[4:8])
    assert len(world.segments_of('plain')) == 8 and len(world.segments_of('black')) == 0
    assert world.transformed(1.0, 2.0, 0.3).surfaces == world.mirrored().surfaces == world.surfaces
    plain = World('', (square,))
    assert plain.special_surfaces == () and len(plain.segments_of('plain')) == 4
    assert len(plain.segments_of('glass')) == 0


@pytest.mark.parametrize('surfaces, sentence', [
    (('glass', 'plain'), '2 surfaces are given for 1 solids; give one for each, or none'),
    (('ice',), "a surface is 'ice'; allowed are plain, glass, black")])
def test_invalid_surfaces_are_rejected(surfaces, sentence):
    with pytest.raises(WorldError, match=sentence):
        World('', (np.array([[0, 0], [1, 0], [1, 1]]),), surfaces=surfaces)
