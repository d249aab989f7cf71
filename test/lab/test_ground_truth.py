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

from arena import block
from bug_nav.lab import ground_truth
from bug_nav.lab.ground_truth import (
    bug2_bound,
    comparable_path,
    crossings,
    inflate,
    judge,
    MARGIN,
    perimeters,
    reachable,
    shortest_path,
)
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.generators import cluttered, rectangle
from bug_nav.simulation.polygonize import polygonize
from bug_nav.simulation.world import World
import numpy as np
import pytest
from shapely.geometry import LineString, Point, Polygon

RHO = 0.224
UNREACHABLE = {'arena_out', 'cell', 'course_7_locked', 'goal_solid', 'narrow_door', 'ring_goal',
               'ring_start'}

# Shortest paths for a point robot, from an independent simulator.
MIN_LENGTH = {
    'open': 5.00, 'box': 6.25, 'u_trap': 6.79, 'spiral_in': 18.52, 'spiral_out': 27.79,
    'spiral_out_W': 19.74, 'sp12_E': 53.18, 'sp12_in': 53.18, 'maze': 14.82, 'pole': 4.00,
    'two_close': 5.05, 'graze': 5.00, 'narrow_door': 4.50}


def room(inner: float, door: float = 0.0, wall: float = 0.1) -> World:
    """Return a square room around the origin, with a door in the middle of its right wall."""
    half, out = 0.5 * inner, 0.5 * inner + wall
    return World('room', (
        block(-out, out, half, out), block(-out, out, -out, -half), block(-out, -half, -out, out),
        block(half, out, 0.5 * door, out), block(half, out, -out, -0.5 * door)))


# Inflated obstacles.

def test_inflated_square_has_round_corners():
    area = inflate(World('w', (block(0, 1, 0, 1),)), 0.5).area
    exact = 1 + 4 * 0.5 + math.pi * 0.25
    assert exact * 0.999 < area < exact


@pytest.mark.parametrize('name, radius, perimeter', [
    ('box', 0.0, 6.80), ('box', 0.3, 8.68), ('u_trap', 0.0, 14.00), ('u_trap', 0.3, 15.63),
    ('spiral_in', 0.0, 80.2), ('spiral_in', 0.3, 81.2), ('sp12_in', 0.0, 151.6)])
def test_perimeter_has_the_expected_length(name, radius, perimeter):
    assert perimeters(find_world(name), radius) == [pytest.approx(perimeter, abs=0.05)]


def test_ring_has_an_outer_loop_and_a_shorter_inner_one():
    outer, inner = sorted(perimeters(find_world('ring_goal'), 0.1), reverse=True)
    assert outer == pytest.approx(12.0 + 2 * math.pi * 0.1, abs=0.01)
    assert inner == pytest.approx(10.4 - 8 * 0.1, abs=0.01)


def test_world_without_solids_has_no_loops():
    assert perimeters(find_world('open'), RHO) == []


# Reachability.

@pytest.mark.parametrize('name', shipped_worlds())
def test_shipped_world_has_the_intended_reachability(name):
    world = find_world(name)
    assert judge(world, world.start, world.goal, RHO) is (name not in UNREACHABLE)


def test_door_is_passable_for_a_narrower_disc():
    world = find_world('narrow_door')       # 0.17 m
    assert reachable(world, world.start, world.goal, 0.084)
    assert not reachable(world, world.start, world.goal, 0.086)


@pytest.mark.parametrize('door, truth', [
    (2 * RHO - 0.05, False), (2 * RHO - 0.03, None), (2 * RHO, None), (2 * RHO + 0.03, None),
    (2 * RHO + 0.05, True)])
def test_world_with_a_door_near_the_critical_width_is_unjudged(door, truth):
    assert judge(room(3.0, door), (0, 0), (4, 0), RHO) is truth


def test_yaw_of_the_start_is_ignored():
    assert reachable(room(3.0, 1.0), (0, 0, 2.5), (4, 0), RHO)


@pytest.mark.parametrize('x, truth', [
    (1.00, True),       # on the contour of the wall at x = 1.224
    (1.08, True),       # closer to the wall than rho, within the tolerance of the contour
    (1.11, False),      # 0.11 m beyond the contour
    (1.21, False),      # 1.4 cm from the wall
    (1.30, False)])     # inside the wall
def test_goal_near_a_wall_is_reachable_within_the_tolerance(x, truth):
    world = World('w', (block(1.224, 2, -5, 5),))
    assert reachable(world, (-1, 0), (x, 0.3), RHO, tolerance=0.10) is truth


def test_goal_behind_a_thin_wall_is_unreachable_within_the_tolerance():
    world = room(1.0, wall=0.02)
    goal = (0.55, 0.0)      # outside; the contour inside is 0.10 m from it, through the wall
    assert not reachable(world, (0, 0), goal, 0.05, tolerance=0.2)
    assert reachable(world, (2, 0), goal, 0.05, tolerance=0.2)


def test_line_of_sight_needs_two_centimeters_of_clearance():
    # The goal is in a niche, 0.05 m beyond the contour, d meters from the wall beside it.
    def niche(d: float) -> World:
        return World('w', (block(0.0, 1, d, 5), block(0.0, 1, -5, -d), block(0.9, 1, -5, 5)))
    assert reachable(niche(0.025), (-2, 0), (-0.05, 0), 0.12, 0.10)
    assert reachable(niche(0.025), (-2, 0), (0.01, 0), 0.12, 0.14)
    assert not reachable(niche(0.019), (-2, 0), (0.01, 0), 0.12, 0.14)


def test_start_within_the_tolerance_of_the_goal_is_reachable_in_a_cell():
    cell = room(0.3)
    assert reachable(cell, (0, 0), (0.05, 0), RHO)
    assert not reachable(cell, (0, 0), (0.05, 0), RHO, tolerance=0.04)
    assert not reachable(cell, (0, 0), (3, 0), RHO)


def test_start_within_the_radius_of_a_wall_leaves_by_the_shortest_visible_path():
    wall = World('w', (block(0, 4, 0, 0.02), *room(2.0).transformed(2, -1.1, 0).solids))
    # Just above the thin roof of a closed room, the inside is as near as the outside, but not
    # visible. Just below the roof, the outside is not visible.
    assert reachable(wall, (2, 0.10), (2, 2), RHO)
    assert not reachable(wall, (2, 0.10), (2, -1.1), RHO)
    assert not reachable(wall, (2, -0.30), (2, 2), RHO)
    assert reachable(wall, (2, -0.30), (2, -1.1), RHO)


def test_start_in_a_narrow_dead_end_leaves_through_its_mouth():
    lane = World('w', (block(0, 1, 0.2, 1), block(0, 1, -1, -0.2), block(1, 1.1, -1, 1)))
    assert reachable(lane, (0.5, 0.0), (-2, 0), RHO)
    assert shortest_path(lane, (0.5, 0.0), (-2, 0), RHO) == pytest.approx(2.5, abs=0.02)


def test_start_inside_an_obstacle_is_rejected():
    for question in (reachable, shortest_path):
        with pytest.raises(ValueError, match='inside an obstacle'):
            question(find_world('box'), (3, 0), (0, 0), RHO)


# Shortest paths.

@pytest.mark.parametrize('name', MIN_LENGTH)
def test_shortest_path_of_a_point_matches_the_reference_length(name):
    world = find_world(name)
    assert shortest_path(world, world.start, world.goal, 0.0) == pytest.approx(
        MIN_LENGTH[name], abs=0.011)


def test_shortest_path_around_a_disc_is_two_tangents_and_an_arc():
    angles = np.arange(400) * 2 * math.pi / 400
    disc = World('w', (0.5 * np.column_stack((np.cos(angles), np.sin(angles))),))
    radius = 0.5 + RHO
    tangent = math.sqrt(4 - radius**2)
    arc = radius * (math.pi - 2 * math.acos(radius / 2))
    length = shortest_path(disc, (-2, 0), (2, 0), RHO)
    assert length == pytest.approx(2 * tangent + arc, abs=3e-3)


def test_shortest_path_to_a_goal_near_a_wall_ends_with_a_straight_leg():
    world = World('w', (block(1.224, 2, -5, 5),))
    assert shortest_path(world, (-1, 0), (1.08, 0), RHO) == pytest.approx(2.08, abs=1e-3)


def test_shortest_path_from_a_start_near_a_wall_begins_with_a_straight_leg():
    world = World('w', (block(0, 1, -5, 5),))
    assert shortest_path(world, (-0.1, 0), (-3, 0), RHO) == pytest.approx(2.9, abs=0.01)


@pytest.mark.parametrize('name', sorted(UNREACHABLE))
def test_unreachable_goal_has_no_shortest_path(name):
    world = find_world(name)
    assert shortest_path(world, world.start, world.goal, RHO) is None


@pytest.mark.parametrize('angle', [math.pi / 2, 0.7, -2.0])
def test_ground_truth_is_invariant_under_rigid_motion(angle):
    for seed in range(4):
        world = cluttered(seed)
        moved = world.transformed(-30, 12, angle)
        here = shortest_path(world, world.start, world.goal, RHO)
        there = shortest_path(moved, moved.start, moved.goal, RHO)
        assert (here is None) == (there is None)
        assert there == pytest.approx(here, rel=1e-3)
        assert (judge(world, world.start, world.goal, RHO)
                is judge(moved, moved.start, moved.goal, RHO))


def test_shortest_path_exists_if_and_only_if_the_goal_is_reachable():
    answers = set()
    for seed in range(12):
        for wish in (True, False):
            world = cluttered(seed, reachable=wish)
            query = (world, world.start, world.goal, RHO)
            length = shortest_path(*query)
            answers.add(reachable(*query))
            assert (length is not None) == reachable(*query)
            if length is not None:
                assert length >= math.dist(world.start[:2], world.goal) - 1e-9
    assert answers == {True, False}


def test_path_through_a_narrower_gap_is_compared_with_the_one_at_rho_minus_2_cm():
    world = find_world('random:cluttered?seed=7')
    query = world, world.start, world.goal, RHO
    around, through = (shortest_path(*query[:3], radius) for radius in (RHO, RHO - MARGIN))
    assert through < 4.6 < around
    assert comparable_path(*query, around, 4.6) == (through, MARGIN)
    assert comparable_path(*query, around, around + 0.01) == (around, 0.0)


def test_shortest_path_grows_with_the_radius():
    world = find_world('demo')
    lengths = [shortest_path(world, world.start, world.goal, r) for r in (0.0, 0.1, 0.2, 0.3)]
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1]


# Loops and the bound.

def test_segment_through_a_box_crosses_its_loop_twice():
    (loop,) = crossings(find_world('box'), 0.0, (0, 0), (6, 0))
    assert loop.perimeter == pytest.approx(6.8)
    assert loop.crossings == 2


def test_goal_inside_a_ring_has_an_odd_number_of_crossings_per_loop():
    world = find_world('ring_goal')
    assert [loop.crossings for loop in crossings(world, RHO, world.start, world.goal)] == [1, 1]


def test_segment_through_corners_counts_crossings_and_not_touches():
    diamond = World('w', (np.array([(1, 0), (2, -1), (3, 0), (2, 1)], float),))
    through = crossings(diamond, 0.0, (0, 0), (4, 0))
    assert [loop.crossings for loop in through] == [2]
    touched = crossings(diamond, 0.0, (0, 1), (4, 1)) + crossings(diamond, 0.0, (0, -1), (4, -1))
    assert all(loop.crossings in (0, 2) for loop in touched)


def test_crossings_match_those_of_shapely_in_random_clutter():
    total = 0
    for seed in range(30):
        world = cluttered(seed, reachable=seed % 2 == 0)
        line = LineString((world.start[:2], world.goal))
        loops = crossings(world, RHO, world.start, world.goal)
        assert [loop.perimeter for loop in loops] == perimeters(world, RHO)
        found = inflate(world, RHO).boundary.intersection(line)
        points = [part for part in getattr(found, 'geoms', [found]) if isinstance(part, Point)]
        assert sum(loop.crossings for loop in loops) == len(
            [point for point in points if not point.is_empty])
        total += len(points)
    assert total > 30


def test_bound_rounds_half_crossings_up():
    world = find_world('goal_solid')
    bound = bug2_bound(world, 0.0, world.start, world.goal)
    assert bound == pytest.approx(math.dist(world.start[:2], world.goal) + 8.0)
    assert bug2_bound(find_world('open'), RHO, (0, 0), (5, 0)) == 5.0


def test_overlapping_and_touching_solids_are_one_obstacle():
    solids = (rectangle(0, 0, 2, 1, 0.3), rectangle(0.5, 0, 2, 1, 0.3))
    assert len(perimeters(World('w', solids), 0.0)) == 1
    union = Polygon(solids[0]).union(Polygon(solids[1]))
    assert perimeters(World('w', solids), 0.0) == [pytest.approx(union.length)]


@pytest.mark.slow
def test_ground_truth_of_a_thousand_walls_agrees_with_the_shortest_path():
    # 16 rooms of 4.95 m with a door in every wall, and small obstacles.
    cells = np.random.default_rng(5).random((401, 401)) < 0.002
    cells[::100] = cells[:, ::100] = True
    for k in range(100, 400, 100):
        for door in (20, 130, 250, 340):
            cells[k, door:door + 20] = cells[door:door + 20, k] = False
    world = World('building', tuple(0.05 * polygon for polygon in polygonize(cells)))
    assert len(world.segments) > 1300
    places = np.stack(np.meshgrid(*2 * (np.arange(1.0, 20.0, 0.31),)), axis=-1).reshape(-1, 2)
    start, *_, goal = places[world.clearance(places) > RHO].tolist()
    truth = judge(world, start, goal, RHO)
    length = shortest_path(world, start, goal, RHO)
    assert truth is True and math.dist(start, goal) < length < 2.0 * math.dist(start, goal)


def test_goal_from_a_start_at_a_wall_of_a_large_map_is_reachable():
    # The way to free space is short, but the edges of free space are long.
    world = World('hall', (block(0, 100, 0, 1), *(block(3 * k, 3 * k + 1, 5, 80)
                                                  for k in range(30))))
    assert judge(world, (50.0, 1.05), (95.0, 90.0), RHO) is True


@pytest.mark.slow
def test_ground_truth_from_a_part_of_a_large_world_matches_the_whole(monkeypatch):
    # A wall with a distant end; behind it, an enclosed goal, a reachable goal, and many obstacles
    # elsewhere.
    wall = block(20.0, 20.2, -30.0, 9.0)
    far = [block(x, x + 0.3, y, y + 0.3) for x in range(-200, 200, 20)
           for y in range(-200, 200, 20) if math.hypot(x, y) > 60]
    shut = [np.add(solid, (24.0, 0.0)) for solid in room(2.0).solids]
    world = World('w', (wall, *shut, *far))
    cases = [(goal, radius) for goal in ((18.0, 0.0), (22.0, 0.0), (24.0, 0.0), (40.0, 1.0))
             for radius in (0.1, RHO)]
    whole = [(reachable(world, (0, 0), *case), shortest_path(world, (0, 0), *case))
             for case in cases]
    monkeypatch.setattr(ground_truth, '_MANY', 100)
    parts = [len(list(ground_truth._parts(world, (0, 0), goal, RHO))) for goal, _ in cases]
    assert min(parts) > 2
    for case, (truth, length) in zip(cases, whole):
        assert reachable(world, (0, 0), *case) is truth
        again = shortest_path(world, (0, 0), *case)
        assert again == (length and pytest.approx(length, abs=1e-9))
    assert [truth for truth, _ in whole] == [True] * 4 + [False] * 2 + [True] * 2
