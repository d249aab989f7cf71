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
from pathlib import Path
import subprocess
import sys

from bug_nav.bench.ground_truth import judge
from bug_nav.core import shipped
from bug_nav.sim.catalogue import find_world, shipped_worlds
from bug_nav.sim.world import World, WorldError
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
RHO = 0.224
SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]
HOOK = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
ALL = ['arena_out', 'box', 'cell', 'convex', 'course_1_wall', 'course_2_scatter',
       'course_3_pocket', 'course_4_horizon', 'course_5_chicane', 'course_6_courtyard',
       'course_7_locked', 'demo', 'door_050', 'gallery', 'gap_step', 'goal_solid', 'graze',
       'labyrinth', 'maze', 'narrow_door', 'open', 'pole', 'ring_goal', 'ring_start', 'sp12_E',
       'sp12_in', 'spiral_in', 'spiral_out', 'spiral_out_W', 'touch', 'two_close', 'u_trap']

angles = st.floats(-math.pi, math.pi)
coordinates = st.floats(-10, 10)


def clearance(world: World, *point: float) -> float:
    return float(world.clearance([point])[0])


def test_clockwise_polygon_becomes_counter_clockwise():
    world = World('w', (SQUARE[::-1],))
    x, y = world.solids[0].T
    assert np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)) == pytest.approx(8)


def test_thin_polygon_far_from_the_origin_keeps_its_sense():
    far = np.add([(0, 0), (0, 1e-4), (1e-4, 1e-4), (1e-4, 0)], 9e4)
    world = World('w', (far,))
    assert clearance(world, 9e4 + 5e-5, 9e4 + 5e-5) == pytest.approx(-5e-5, rel=1e-3)


def test_solids_and_segments_cannot_be_changed():
    world = World('w', (SQUARE,))
    for table in (world.solids[0], world.segments):
        with pytest.raises(ValueError, match='read-only'):
            table[0, 0] = 5.0


def test_callers_array_stays_the_callers():
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
def test_solid_that_is_no_polygon_is_refused(solid, why):
    with pytest.raises(WorldError, match=why):
        World('w', (solid,))


@pytest.mark.parametrize('ends', [
    {'start': (0, 0)}, {'start': (0, 0, math.nan)}, {'goal': (1, math.inf)}, {'goal': (1, 2, 3)},
    {'goal': ('x', 1)}, {'goal': 5}])
def test_start_or_goal_that_is_no_place_is_refused(ends):
    with pytest.raises(WorldError, match='must be'):
        World('w', (SQUARE,), **ends)


def test_segments_hold_every_edge_of_every_solid_in_order():
    world = World('w', ([(0, 0), (1, 0), (0, 1)], np.add(SQUARE, 5)))
    assert world.segments.tolist() == [
        [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0],
        [5, 5, 7, 5], [7, 5, 7, 7], [7, 7, 5, 7], [5, 7, 5, 5]]


def test_empty_world_has_no_segments_and_endless_clearance():
    world = World('w', (), start=(0, 0, 0), goal=(5, -1))
    assert world.segments.shape == (0, 4)
    assert world.clearance([(0, 0), (1, 1)]).tolist() == [math.inf, math.inf]
    assert world.bounds == (0, -1, 5, 0)
    assert World('w', ()).bounds == (0, 0, 0, 0)


def test_bounds_hold_solids_start_and_goal():
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


def test_clearance_level_with_corners_counts_no_crossing_twice():
    diamond = World('w', ([(0, -1), (1, 0), (0, 1), (-1, 0)],))
    assert clearance(diamond, -3, 0) == pytest.approx(2)
    assert clearance(diamond, -3, 1) > 0 and clearance(diamond, -3, -1) > 0
    assert clearance(diamond, -0.5, 0) == pytest.approx(-0.5 / math.sqrt(2))


def test_clearance_of_many_points_agrees_with_one_at_a_time():
    world = find_world('demo')
    points = np.random.default_rng(1).uniform(-1, 9, (20_000, 2))
    together = world.clearance(points)
    apart = [clearance(world, *point) for point in points[::1000]]
    assert together.shape == (20_000,)
    assert together[::1000].tolist() == apart


def test_clearance_of_many_points_among_many_solids_agrees_with_one_at_a_time():
    # A large solid with small ones in it, beside it and across its edge: which of them decides
    # differs from place to place.
    rng = np.random.default_rng(2)
    small = [np.add(0.2 * rng.random((3, 2)), rng.uniform(-2, 12, 2)) for _ in range(300)]
    world = World('w', (10.0 * np.array(HOOK) / 3.0, *small))
    points = rng.uniform(-3, 13, (5000, 2))
    together = world.clearance(points)
    assert together.tolist() == [clearance(world, *point) for point in points]
    assert (together < -1).any() and (-0.05 < together).any() and (together > 1).any()


def test_clearance_of_many_points_in_one_place_is_that_of_the_place():
    world = World('w', tuple(np.add(SQUARE, (3 * k, 0)) for k in range(100)))
    assert set(world.clearance(np.full((5000, 2), (2.5, 1.0))).tolist()) == {0.5}


def test_clearance_of_no_points_is_empty():
    assert find_world('demo').clearance(np.zeros((0, 2))).shape == (0,)


@settings(deadline=None)
@given(coordinates, coordinates, angles, coordinates, coordinates)
def test_rigid_motion_keeps_clearances_start_and_goal_in_place(x, y, yaw, px, py):
    world = World('w', (HOOK, np.add(SQUARE, 4)), start=(px, py, 0.5), goal=(py, px))
    moved = world.transformed(x, y, yaw)
    assert clearance(moved, *moved.start[:2]) == pytest.approx(clearance(world, px, py), abs=1e-9)
    assert clearance(moved, *moved.goal) == pytest.approx(clearance(world, py, px), abs=1e-9)
    assert math.cos(moved.start[2] - yaw - 0.5) == pytest.approx(1)


def test_rigid_motion_turns_before_it_moves():
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


def test_shipped_worlds_are_those_that_are_known():
    assert shipped_worlds() == ALL


@pytest.mark.parametrize('name', ALL)
def test_shipped_world_has_a_free_start_a_goal_and_nothing_unseen(name):
    world = find_world(name)
    assert world.name == name
    assert world.goal is not None and world.unseen == ()
    # The start of `touch` is 2 cm beyond the contour radius, the nearest of all.
    assert clearance(world, *world.start[:2]) >= RHO + 0.02 - 1e-9


def test_goals_of_shipped_worlds_are_clear_but_for_the_one_inside():
    inside = [name for name in ALL if clearance(find_world(name), *find_world(name).goal) < 0.5]
    assert inside == ['goal_solid']


def test_committed_worlds_are_what_their_script_writes():
    script = ROOT / 'tools' / 'make_worlds.py'
    done = subprocess.run([sys.executable, script, '--check'], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, '')


def test_world_is_found_by_path_too():
    assert find_world(ROOT / 'worlds' / 'box.world').segments.shape == (4, 4)
    assert find_world(str(ROOT / 'worlds' / 'box.world')).name == 'box'


@pytest.mark.parametrize('name, goal', [
    ('convex', (2.5, -2.5)), ('labyrinth', (3.85, 4.95))])
def test_second_goal_that_a_world_tells_of_is_free_and_unreachable(name, goal):
    world = find_world(name)
    text = (ROOT / 'worlds' / f'{name}.world').read_text(encoding='utf-8')
    assert f'Another goal, {goal[0]:g},{goal[1]:g} in the locked' in text
    assert clearance(world, *goal) > RHO
    assert judge(world, world.start, goal, RHO) is False


@pytest.mark.parametrize('name', [
    'convex', 'labyrinth', *(name for name in ALL if name.startswith('course_'))])
def test_worlds_for_learning_are_judged_and_lead_to_their_goal_but_the_last(name):
    world = find_world(name)
    assert judge(world, world.start, world.goal, RHO) is (name != 'course_7_locked')


def test_unknown_name_lists_the_worlds_and_suggests_the_closest():
    with pytest.raises(WorldError) as caught:
        find_world('u_trp')
    assert str(caught.value).endswith('did you mean u_trap?')
    assert all(name in str(caught.value) for name in ALL)


def test_unknown_name_without_likeness_gets_no_suggestion():
    with pytest.raises(WorldError) as caught:
        find_world('qqqq')
    assert 'did you mean' not in str(caught.value)


@pytest.mark.parametrize('path', ['nowhere/at/all.world', 'missing.sdf', '/', '', 'a\0b.world'])
def test_path_that_leads_nowhere_is_refused_in_one_line(path):
    with pytest.raises(WorldError) as caught:
        find_world(path)
    assert '\n' not in str(caught.value)


def test_share_of_a_checkout_is_the_checkout():
    assert shipped.share_dir() == ROOT


def test_share_of_an_installed_package_lies_in_its_prefix(tmp_path, monkeypatch):
    package = tmp_path / 'lib' / 'python3' / 'site-packages' / 'bug_nav'
    (tmp_path / 'share' / 'bug_nav' / 'worlds').mkdir(parents=True)
    monkeypatch.setattr(shipped, '__file__', str(package / 'core' / 'shipped.py'))
    monkeypatch.setattr(shipped, '_ament_share', lambda: iter(()))
    assert shipped.share_dir() == tmp_path / 'share' / 'bug_nav'


def test_share_that_is_nowhere_is_a_world_error_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, '_candidates', lambda: iter((tmp_path / 'one', tmp_path / 'two')))
    with pytest.raises(FileNotFoundError, match='one, .*two; install'):
        shipped.share_dir()
    with pytest.raises(WorldError, match='install'):
        find_world('demo')
