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

from bug_nav.lab.ground_truth import bug2_bound, inflate, reachable, shortest_path
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.generators import cluttered
from oracle_contact import CONTACT
from oracle_course import COURSE
import pytest
from shapely.geometry import box, Polygon
from shapely.ops import unary_union

RHO = 0.224
bug2 = COURSE['bug2']
TURNS = ('left', 'right')

# Path lengths of Bug2 with a point robot, turning left and right, in scenes of the literature,
# from an independent simulator.
REACHED = {
    'open': (5.0, 5.0), 'box': (9.2, 7.6), 'u_trap': (12.4, 13.2), 'spiral_in': (54.9, 35.8),
    'spiral_out': (80.1, 47.1), 'spiral_out_W': (37.6, 68.0), 'sp12_E': (100.2, 148.9),
    'sp12_in': (56.8, 317.7), 'touch': (6.0, 5.0), 'maze': (19.7, 32.7), 'pole': (4.1, 4.0),
    'two_close': (5.6, 6.4), 'narrow_door': (4.5, 4.5)}
UNREACHABLE = {'ring_goal': 15.0, 'ring_start': 11.7, 'arena_out': 23.6, 'goal_solid': 11.0}


def scene_of(name: str):
    world = find_world(name)
    # The point robot of the table starts 1 mm from the wall, the shipped robot farther away.
    start = (0.999, 0) if name == 'touch' else world.start
    return unary_union([Polygon(solid) for solid in world.solids]), start, world.goal


@pytest.mark.parametrize('name', REACHED)
@pytest.mark.parametrize('turn', TURNS)
def test_point_robot_reaches_the_goal_with_the_tabulated_length(name, turn):
    run = bug2(*scene_of(name), turn)
    assert run.verdict == 'reached'
    assert run.length == pytest.approx(REACHED[name][TURNS.index(turn)], abs=0.1)
    assert len(run.leaves) == len(run.hits)


@pytest.mark.parametrize('name', UNREACHABLE)
@pytest.mark.parametrize('turn', TURNS)
def test_point_robot_proves_a_goal_unreachable_with_the_tabulated_length(name, turn):
    run = bug2(*scene_of(name), turn)
    assert run.verdict == 'unreachable'
    assert run.length == pytest.approx(UNREACHABLE[name], abs=0.1)
    assert (len(run.hits), run.leaves) == (1, [])


def test_goal_is_reached_past_a_wall_exactly_on_the_m_line():
    assert {bug2(*scene_of('graze'), turn).verdict for turn in TURNS} == {'reached'}


def test_turning_left_passes_an_obstacle_on_its_left_side():
    left, right = (bug2(*scene_of('box'), turn) for turn in TURNS)
    assert max(y for _, y in left.path) == pytest.approx(1.6)
    assert min(y for _, y in right.path) == pytest.approx(-0.8)
    assert left.hits == [(2.5, 0.0)] and left.leaves == [pytest.approx((3.5, 0.0))]


def test_reported_length_is_the_length_of_the_path():
    for turn in TURNS:
        run = bug2(*scene_of('sp12_in'), turn)
        walked = sum(math.dist(a, b) for a, b in zip(run.path, run.path[1:]))
        assert run.length == pytest.approx(walked)


def test_goal_within_tolerance_ends_straight_motion_and_laps():
    obstacle = box(2, -1, 3, 1)
    assert bug2(obstacle, (0, 0), (1, 0), goal_tolerance=0.25).length == pytest.approx(0.75)
    # The goal is 0.06 m inside the far wall: the lap passes it at that distance.
    run = bug2(obstacle, (0, 0), (2.94, 0.0), 'left', 0.10)
    assert (run.verdict, run.length) == ('reached', pytest.approx(2 + 1 + 1 + 1 - 0.08))
    assert bug2(obstacle, (0, 0), (2.94, 0.0), 'left', 0.05).verdict == 'unreachable'


def test_goal_at_the_start_is_reached_without_motion():
    run = bug2(box(2, -1, 3, 1), (0, 0), (0, 0))
    assert (run.verdict, run.length) == ('reached', 0.0)


def test_start_on_a_wall_is_a_hit_at_the_start():
    run = bug2(box(0, -1, 1, 2), (0, 0), (3, 0), 'right')
    assert (run.hits, run.length) == ([(0.0, 0.0)], pytest.approx(1 + 1 + 1 + 2))


def test_start_inside_an_obstacle_or_unknown_turn_is_rejected():
    with pytest.raises(ValueError, match='inside'):
        bug2(box(0, 0, 1, 1), (0.5, 0.5), (3, 0))
    with pytest.raises(ValueError, match='turn'):
        CONTACT['alg1'](box(0, 0, 1, 1), (2, 2), (3, 0), 'up')


@pytest.mark.parametrize('name', ['box', 'spiral_out', 'maze', 'demo'])
def test_mirrored_scene_with_the_mirrored_turn_gives_the_mirrored_run(name):
    world = find_world(name)
    mirror = world.mirrored()
    for turn, other in (TURNS, TURNS[::-1]):
        run = bug2(inflate(world, RHO), world.start, world.goal, turn)
        seen = bug2(inflate(mirror, RHO), mirror.start, mirror.goal, other)
        assert seen.length == pytest.approx(run.length)
        assert seen.hits == [pytest.approx((x, -y)) for x, y in run.hits]


@pytest.mark.parametrize('angle', [0.5 * math.pi, 1.0, -2.3])
def test_rotated_scene_gives_the_rotated_run(angle):
    world = find_world('spiral_out_W')
    moved = world.transformed(3, -40, angle)
    for turn in TURNS:
        run = bug2(inflate(world, RHO), world.start, world.goal, turn)
        seen = bug2(inflate(moved, RHO), moved.start, moved.goal, turn)
        # Arcs are polygons whose corners do not rotate with the scene.
        assert seen.length == pytest.approx(run.length, rel=1e-3)
        assert len(seen.hits) == len(run.hits)


@pytest.mark.parametrize('wish', [True, False])
def test_verdicts_bounds_and_distances_are_as_proven_in_random_clutter(wish):
    for seed in range(40):
        world = cluttered(seed, reachable=wish)
        query = (world, world.start, world.goal, RHO)
        truth, bound = reachable(*query), bug2_bound(world, RHO, world.start, world.goal)
        for turn in TURNS:
            run = bug2(inflate(world, RHO), world.start, world.goal, turn, 0.10)
            assert (run.verdict == 'reached') == truth, (seed, turn)
            assert run.length <= bound + 1e-6, (seed, turn)
            distances = [math.dist(place, world.goal)
                         for pair in zip(run.hits, run.leaves) for place in pair]
            assert all(a > b - 1e-9 for a, b in zip(distances, distances[1:])), (seed, turn)
            if truth and seed < 12:
                assert run.length >= shortest_path(*query) - 0.10 - 0.02, (seed, turn)
