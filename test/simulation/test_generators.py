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

from functools import lru_cache
import math

from bug_nav.lab.ground_truth import judge
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.generators import (
    cells,
    cluttered,
    coils,
    combs,
    corridors,
    crowd,
    doors,
    dynamic,
    enfilades,
    fields,
    GENERATORS,
    moved,
    MOVING,
    posts,
    random_name,
    random_world,
    RHO,
    ring,
    rings,
    rooms,
    rotundas,
    SPARSE,
    spirals,
    traffic,
)
from bug_nav.simulation.generators.cells import components
from bug_nav.simulation.generators.rings import Nest
from bug_nav.simulation.movers import AutomaticDoor
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World, WorldError
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from shapely import STRtree
from shapely.geometry import Point, Polygon
from shapely.ops import unary_union
from subsets import subset

# One process generates each world once for all tests.
pytestmark = pytest.mark.xdist_group('generators')


def test_same_seed_yields_the_same_world():
    one, two = cluttered(7), cluttered(7)
    assert (one.name, one.start, one.goal) == (two.name, two.start, two.goal)
    assert np.array_equal(one.segments, two.segments)


def test_other_seed_or_reachability_yields_another_world():
    starts = {cluttered(seed, reachable=wish).start for seed in range(5) for wish in (0, 1)}
    assert len(starts) == 10


@pytest.mark.parametrize('make, start, solids', [
    (cluttered, (2.379184441295891, 6.5752775968132795, -0.259702568595), 11),
    (cells, (0.653805488, 6.282502823, -1.644154230), 32),
    (spirals, (-1.832188530, -1.230004878, 1.431989634), 6),
    (rooms, (1.493441280, 7.795181824, 2.061698664), 47),
    (rings, (1.678181539, -1.352639537, -2.209932092), 7),
    (combs, (0.583712863, -1.083427182, 1.568470183), 4),
    (posts, (-0.164334388, -3.007869380, 3.122431374), 38),
    (coils, (1.073024790, -2.797203826, -1.764465904), 15),
    (rotundas, (-0.093230460, -0.666008769, 2.266592955), 73),
    (corridors, (-12.134176862, -6.681970735, 2.565375404), 4),
    (fields, (0.0, 0.0, -2.073742371), 1),
    (enfilades, (0.975525173, 13.088695656, 1.465308881), 26)])
def test_world_of_a_seed_is_unchanged(make, start, solids):
    # Reports cite seeds: a change of their worlds must be mentioned there.
    world = make(3)
    assert world.start == pytest.approx(start)
    assert len(world.solids) == solids


@pytest.mark.parametrize('wish', [True, False])
def test_start_is_clear_and_the_goal_is_far_enough(wish):
    for world in worlds_of('cluttered', wish, 60):
        assert world.clearance([world.start[:2]])[0] >= RHO + 0.02
        assert 3.5 <= math.dist(world.start[:2], world.goal) <= 10
        assert -math.pi <= world.start[2] <= math.pi


def test_goal_requested_as_unreachable_always_is():
    assert set(verdicts_of('cluttered', False, 60)) == {False}


def test_goal_requested_as_reachable_mostly_is_and_is_never_inside_a_wall():
    assert verdicts_of('cluttered', True, 60).count(True) >= 40
    assert all(world.clearance([world.goal])[0] >= 0.04
               for world in worlds_of('cluttered', True, 60))


def test_some_goals_are_closer_to_a_wall_than_the_contour_radius():
    assert any(world.clearance([world.goal])[0] < RHO
               for world in worlds_of('cluttered', True, 60))


def test_requested_gaps_are_close_to_the_critical_width():
    near = 0
    for seed in range(10):
        solids = [Polygon(solid) for solid in cluttered(seed, gaps=1.0, count=10).solids]
        gaps = [a.distance(b) for k, a in enumerate(solids) for b in solids[:k]]
        near += sum(abs(gap - 2 * RHO) <= 0.0601 for gap in gaps)
    assert near >= 40


def test_count_and_size_are_as_requested():
    world = cluttered(1, count=5, size=20.0)
    assert len(world.solids) == 5
    assert math.dist(world.start[:2], world.goal) >= 10.0
    assert cluttered(0, count=0, gaps=0.0).name == 'cluttered_0'


def test_ring_is_closed_unless_it_has_a_door():
    for seed in range(40):
        closed = unary_union([Polygon(wall) for wall in ring(np.random.default_rng(seed), (0, 0))])
        opened = unary_union(
            [Polygon(wall) for wall in ring(np.random.default_rng(seed), (0, 0), 0.2)])
        assert Polygon(closed.exterior).contains(Point(0, 0)) and len(closed.interiors) >= 1
        assert opened.geom_type == 'Polygon' and len(opened.interiors) == 0


# Mazes, spirals, rooms, rings and combs.

BUILT = ('cells', 'spirals', 'rooms', 'rings', 'combs')


def worlds_of(kind: str, wish: bool, count: int = 25) -> list:
    return [made(kind, seed, wish) for seed in range(count)]


@lru_cache(maxsize=None)
def made(kind: str, seed: int, wish: bool) -> World:
    return GENERATORS[kind](seed, reachable=wish)


def verdicts_of(kind: str, wish: bool, count: int = 25) -> list:
    return [judge(world, world.start, world.goal, RHO) for world in worlds_of(kind, wish, count)]


@pytest.mark.parametrize('kind', subset(BUILT, 2))
def test_built_world_of_a_seed_is_repeatable_and_unique(kind):
    one, two = GENERATORS[kind](7), GENERATORS[kind](7)
    assert (one.name, one.start, one.goal) == (f'{kind}_7', two.start, two.goal)
    assert np.array_equal(one.segments, two.segments)
    starts = {world.start for wish in (True, False) for world in worlds_of(kind, wish, 5)}
    assert len(starts) == 10


@pytest.mark.parametrize('kind', subset(BUILT, 2))
def test_goal_in_a_built_world_requested_as_unreachable_always_is(kind):
    assert set(verdicts_of(kind, False)) == {False}


@pytest.mark.parametrize('kind, least', subset([
    ('cells', 20), ('spirals', 20), ('rooms', 10), ('rings', 15), ('combs', 20)], 2, 1))
def test_goal_in_a_built_world_requested_as_reachable_mostly_is(kind, least):
    assert verdicts_of(kind, True).count(True) >= least


@pytest.mark.slow
@pytest.mark.parametrize('kind', BUILT)
@pytest.mark.parametrize('wish', [True, False])
def test_start_in_a_built_world_is_clear_except_in_a_few_worlds(kind, wish):
    clear = [world.clearance([world.start[:2]])[0] for world in worlds_of(kind, wish, 60)]
    assert min(clear) >= RHO - 0.0201
    assert 0 < sum(one < RHO + 0.0199 for one in clear) <= 15


@pytest.mark.slow
@pytest.mark.parametrize('kind', BUILT)
def test_some_goals_in_built_worlds_are_closer_to_a_wall_than_the_contour_radius(kind):
    clear = [world.clearance([world.goal])[0] for world in worlds_of(kind, True, 60)]
    assert any(0.1 < one < RHO for one in clear)


@pytest.mark.slow
@pytest.mark.parametrize('kind', BUILT)
def test_some_m_lines_hit_a_corner_and_others_run_along_a_wall(kind):
    corners = walls = 0
    for world in worlds_of(kind, True, 60):
        start, goal = np.array(world.start[:2]), np.array(world.goal)
        along = (goal - start) / math.dist(start, goal)
        ends = (world.segments.reshape(-1, 2, 2) - start)
        aside = np.abs(along[0] * ends[..., 1] - along[1] * ends[..., 0])
        on_way = (ends @ along > 0).any(axis=1) & (ends @ along < math.dist(start, goal)).any(
            axis=1)
        corners += bool((aside[on_way] < 1e-9).any())
        walls += bool((np.ptp(aside[on_way], axis=1) < 1e-9).any())
    assert corners > 0 and walls > 0


@settings(max_examples=50)
@given(st.integers(1, 12), st.integers(1, 12), st.floats(0.0, 1.0), st.integers(0, 10**6))
def test_components_match_a_flood_fill_in_numbering_order(rows, columns, share, seed):
    solid = np.random.default_rng(seed).random((rows, columns)) < share
    left, expected = set(map(tuple, np.argwhere(~solid).tolist())), np.zeros(solid.shape, int)
    number = 0
    while left:
        number, waiting = number + 1, [min(left)]
        while waiting:
            i, j = waiting.pop()
            if (i, j) in left:
                left.remove((i, j))
                expected[i, j] = number
                waiting += [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    assert np.array_equal(components(solid), expected)


@pytest.mark.slow
def test_solid_cells_never_touch_only_at_a_corner():
    for world in worlds_of('cells', True) + worlds_of('cells', False):
        shrunk = unary_union([Polygon(solid) for solid in world.solids]).buffer(-0.01)
        grown = unary_union([Polygon(solid) for solid in world.solids]).buffer(0.01)
        count = [len(getattr(shape, 'geoms', [shape])) for shape in (shrunk, grown)]
        # Cells that touch only at a corner separate when they shrink; the others have no slits.
        assert count[0] == count[1]


@pytest.mark.slow
def test_corridors_of_a_spiral_are_wide_enough():
    for world in worlds_of('spirals', True):
        # Only corners have free space that is accessible to a point, but not to a disc of 0.75 m.
        solid = unary_union([Polygon(wall) for wall in world.solids])
        closed = solid.buffer(0.375).buffer(-0.375)
        assert closed.difference(solid.buffer(0.2)).area < 0.01


@pytest.mark.slow
def test_corridors_between_rings_have_the_requested_width():
    for seed in range(20):
        nest = Nest(np.random.default_rng(seed), 3, 2.0)
        closed = [np.vstack(nest.ring(k, door=False)) for k in range(3)]
        farthest = [np.hypot(*ring.T).max() for ring in closed]
        nearest = [unary_union([Polygon(wall) for wall in nest.ring(k, door=False)]).distance(
            Point(0, 0)) for k in range(3)]
        assert all(2.0 - 1e-9 <= nearest[k + 1] - farthest[k] < 2.1 for k in range(2))


@pytest.mark.slow
def test_walls_across_corridors_leave_doors_open():
    for seed in range(20):
        world = rings(seed, width=1.2)
        # A point passes doors of any width.
        assert judge(world, world.start, world.goal, 0.03) is True


@pytest.mark.parametrize('teeth', [2, 30])
def test_comb_has_the_requested_number_of_teeth(teeth):
    for seed in range(4):
        comb = unary_union([Polygon(wall) for wall in combs(seed, teeth=teeth).solids])
        assert comb.geom_type == 'Polygon'
        assert len(combs(seed, teeth=teeth).solids) >= teeth + 1


# Worlds of posts and thin walls, on which a scan has few readings.

@pytest.mark.parametrize('kind', SPARSE)
def test_reachability_in_a_sparse_world_is_as_requested(kind):
    assert set(verdicts_of(kind, False)) == {False}
    assert verdicts_of(kind, True).count(True) >= 22


def gaps_of(world: World) -> list:
    """Return the distance from each post to the nearest other one [m]."""
    solids = [Polygon(solid) for solid in world.solids]
    tree = STRtree(solids)
    return [solid.distance(solids[tree.query_nearest(solid, exclusive=True)[0]])
            for solid in solids]


def test_gaps_between_posts_are_clearly_passable_or_clearly_impassable():
    passable = 0
    for world in worlds_of('posts', True, 60):
        gaps = gaps_of(world)
        assert min(gaps) > 0.009
        assert not any(2 * (RHO - 0.02) < gap < 2 * (RHO + 0.02) for gap in gaps)
        passable += np.median(gaps) > 2 * RHO
    assert 3 <= passable <= 20


def test_posts_are_round_or_square_with_a_radius_of_3_to_15_cm():
    corners = set()
    for world in worlds_of('posts', True, 20):
        (count,) = {len(solid) for solid in world.solids}
        corners.add(count)
        for solid in world.solids[:3]:
            radius = np.hypot(*(solid - solid.mean(axis=0)).T) / (2**0.5 if count == 4 else 1.0)
            assert radius == pytest.approx(radius[0]) and 0.03 <= radius[0] <= 0.15
    assert corners == {4, 12}


@pytest.mark.parametrize('pitch', [0.1, 0.33, 0.6])
def test_posts_have_the_requested_pitch(pitch):
    for seed in range(4):
        centres = np.array([solid.mean(axis=0) for solid in posts(seed, pitch=pitch).solids])
        away = np.hypot(*(centres[:, None] - centres).transpose(2, 0, 1))
        nearest = np.sort(away, axis=1)[:, 1]
        # Only a post between two doors has no neighbor.
        assert nearest.min() == pytest.approx(pitch) and np.median(nearest) == pytest.approx(pitch)


def test_walls_of_a_coil_are_2_to_6_cm_thick():
    for world in worlds_of('coils', True):
        sides = [np.hypot(*(wall - np.roll(wall, 1, axis=0)).T).min() for wall in world.solids]
        assert 0.02 <= min(sides) <= max(sides) <= 0.06
        assert max(sides) == pytest.approx(min(sides))


def test_walls_that_stand_out_in_a_coil_leave_a_clearly_passable_way():
    for world in worlds_of('coils', True):
        solid = unary_union([Polygon(wall) for wall in world.solids])
        free = solid.envelope.buffer(1.0).difference(solid.buffer(RHO + 0.02))
        assert free.geom_type == 'Polygon'


# Aliased worlds, where different places look the same.

ALIASED = ('rotundas', 'corridors', 'fields', 'enfilades')


@pytest.mark.slow
@pytest.mark.parametrize('kind', ALIASED)
def test_reachability_in_an_aliased_world_is_as_requested(kind):
    assert set(verdicts_of(kind, False)) == {False}
    assert verdicts_of(kind, True).count(True) >= 23


def test_rotunda_has_equal_ranges_in_all_directions():
    for world in worlds_of('rotundas', True, 5):
        lidar = LidarModel(scan_count=360, scan_noise=0.0, scan_offset_x=0.0, scan_range_max=20.0)
        without_pillar = World('', world.solids[:-1])
        ranges = Simulator(without_pillar, Pose(0.0, 0.0, 0.0), lidar=lidar).scan().ranges
        assert np.ptp(ranges) < 0.004


def test_ends_of_a_corridor_are_out_of_range_from_its_middle():
    for world in worlds_of('corridors', True, 5):
        x0, y0, x1, y1 = World('', world.solids).bounds
        middle = (0.5 * (x0 + x1), 0.5 * (y0 + y1))
        along = np.array(world.goal) - world.start[:2]
        assert np.hypot(*along) > 24.0
        # Neither end is within 12 m of the middle.
        ends = [world.segments[np.hypot(*(world.segments[:, :2] - middle).T) < 12.0]]
        assert not len(ends[0])


@pytest.mark.slow
def test_field_has_no_obstacle_near_the_start_but_one_on_the_way():
    for wish in (True, False):
        for world in worlds_of('fields', wish, 60):
            assert world.clearance([world.start[:2]])[0] > 12.0
            way = np.linspace(world.start[:2], world.goal, 1000)
            assert world.clearance(way[:900]).min() < RHO


@pytest.mark.parametrize('rooms', [2, 12, 30])
def test_enfilade_has_the_requested_number_of_equal_rooms(rooms):
    world = enfilades(3, rooms=rooms)
    assert len(world.solids) == 4 + 2 * (rooms - 1)
    # Each pair of walls between two rooms is the previous pair, shifted by the length of a room.
    walls = np.array(world.solids[4:]).reshape(rooms - 1, -1)
    steps = np.diff(walls, axis=0)
    assert steps == pytest.approx(np.tile(steps[:1], (len(steps), 1)), abs=1e-9)


# Surfaces.

@pytest.mark.slow
def test_requested_shares_of_the_solids_are_glass_and_black():
    plain = find_world('random:enfilades?seed=5&rooms=30')
    world = find_world('random:enfilades?seed=5&rooms=30&glass=0.3&black=0.2')
    assert np.array_equal(plain.segments, world.segments) and plain.goal == world.goal
    assert plain.surfaces == () and len(world.surfaces) == 62
    assert 0.15 < world.surfaces.count('glass') / 62 < 0.45
    assert 0.08 < world.surfaces.count('black') / 62 < 0.32
    more = find_world('random:enfilades?seed=5&rooms=30&glass=0.5')
    assert {(one, other) for one, other in zip(world.surfaces, more.surfaces)
            if one == 'glass'} == {('glass', 'glass')}


def test_sum_of_the_shares_of_surfaces_is_at_most_one():
    assert set(find_world('random:cells?seed=5&glass=1').surfaces) == {'glass'}
    with pytest.raises(WorldError, match='glass is 0.7 and black is 0.6; give shares whose sum'):
        find_world('random:cells?seed=5&glass=0.7&black=0.6')


# Names of random worlds.

@pytest.mark.parametrize('name, make', [
    ('random:cluttered?seed=7', lambda: cluttered(7)),
    ('random:cluttered?seed=7&reachable=true', lambda: cluttered(7)),
    ('random:cluttered?reachable=False&seed=7', lambda: cluttered(7, reachable=False)),
    ('random:cluttered?seed=1&count=5&size=20.0&gaps=0',
     lambda: cluttered(1, count=5, size=20.0, gaps=0)),
    ('random:cells?seed=7', lambda: cells(7)),
    ('random:spirals?reachable=false&seed=7', lambda: spirals(7, reachable=False)),
    (random_name('rooms', 7, False), lambda: rooms(7, reachable=False)),
    ('random:rings?seed=7&rings=5&width=1.5', lambda: rings(7, rings=5, width=1.5)),
    ('random:combs?seed=7&teeth=9&reachable=false', lambda: combs(7, teeth=9, reachable=False)),
    ('random:posts?seed=7&pitch=0.2', lambda: posts(7, pitch=0.2)),
    ('random:coils?seed=7&reachable=false', lambda: coils(7, reachable=False)),
    ('random:enfilades?seed=7&rooms=5', lambda: enfilades(7, rooms=5)),
    ('random:fields?seed=7&reachable=false', lambda: fields(7, reachable=False)),
    ('random:crowd?seed=7&people=4&speed=0.5&size=9&legs=true',
     lambda: crowd(7, people=4, speed=0.5, size=9.0, legs=True)),
    ('random:traffic?seed=7&robots=4', lambda: traffic(7, robots=4)),
    (random_name('cluttered', 9, True), lambda: cluttered(9)),
    (random_name('cluttered', 9, False), lambda: cluttered(9, reachable=False))])
def test_name_yields_the_world_of_its_arguments(name, make):
    found, world = find_world(name), make()
    assert (found.name, found.start, found.goal) == (world.name, world.start, world.goal)
    assert np.array_equal(found.segments, world.segments)


@pytest.mark.parametrize('name, reason', [
    ('random:', "unknown kind of random world ''"),
    ('random:maze?seed=1', 'Kinds are cluttered, cells, spirals, rooms, rings, combs'),
    ('random:cells?seed=1&count=5', "unknown argument of random:cells 'count'"),
    ('random:cluttered', 'has no seed'),
    ('random:cluttered?reachable=true', 'has no seed'),
    ('random:cluttered?seed', 'without a value'),
    ('random:cluttered?seed=', "seed is ''; give a whole number from 0 to 1000000000"),
    ('random:cluttered?seed=-1', "seed is '-1'"),
    ('random:cluttered?seed=1e3', 'whole number'),
    ('random:cluttered?seed=99999999999999999999', 'from 0 to'),
    ('random:cluttered?seed=1&seed=2', "'seed' is given twice"),
    ('random:cluttered?seed=1&sede=2', "did you mean 'seed'?"),
    ('random:cluttered?seed=1&reachable=maybe', 'give true or false'),
    ('random:cluttered?seed=1&size=nan', 'a number from 4.0 to 100.0'),
    ('random:cluttered?seed=1&size=3', 'a number from 4.0'),
    ('random:cluttered?seed=1&gaps=1.1', 'from 0.0 to 1.0'),
    ('random:cluttered?seed=1&count=100000', 'from 0 to 200'),
    ('random:rings?seed=1&rings=0', 'from 1 to 10'),
    ('random:rings?seed=1&teeth=4', "random:rings 'teeth'; arguments are reachable, seed, rings"),
    ('random:combs?seed=1&teeth=1', 'from 2 to 30'),
    ('random:combs?seed=1&width=0.4', 'from 0.6 to 3.0'),
    ('random:posts?seed=1&pitch=0.7', 'a number from 0.1 to 0.6'),
    ('random:coils?seed=1&pitch=0.2', "unknown argument of random:coils 'pitch'"),
    ('random:cells?seed=1&glass=1.5', 'a number from 0.0 to 1.0'),
    ('random:enfilades?seed=1&rooms=1', 'from 2 to 30'),
    ('random:crowd?seed=1&speed=1.6', 'a number from 0.1 to 1.5'),
    ('random:crowd?seed=1&legs=two', "legs is 'two'; give true or false"),
    ('random:traffic?seed=1&robots=11', 'from 2 to 10')])
def test_invalid_name_is_rejected_in_one_sentence(name, reason):
    with pytest.raises(WorldError) as caught:
        random_world(name)
    assert reason in str(caught.value) and '\n' not in str(caught.value)


def test_smallest_and_densest_world_of_a_name_is_generated():
    # The generator retries until everything fits, which must end for every name.
    for wish in ('true', 'false'):
        world = find_world(f'random:cluttered?seed=1&size=4&count=200&gaps=1&reachable={wish}')
        assert len(world.solids) > 20


# Worlds with movers.

def test_hall_grows_if_its_people_do_not_fit():
    assert len(crowd(240768961, reachable=False).movers) == 9


@pytest.mark.slow
@pytest.mark.parametrize('kind', MOVING)
@pytest.mark.parametrize('wish', [True, False])
def test_reachability_is_as_requested_once_movers_have_settled(kind, wish):
    ends = [(world.settled, world) for world in worlds_of(kind, wish, 6)]
    assert {judge(end, world.start, world.goal, RHO) for end, world in ends} == {wish}


@pytest.mark.parametrize('make, start, solids, movers, other_robots', [
    (crowd, (2.342567067, -8.484862838, -0.227084425), 9, 12, 0),
    (doors, (5.298322818, 2.493536890, 2.418839342), 17, 5, 0),
    (moved, (1.165822393, -4.164912805, 1.352880904), 7, 3, 0),
    (dynamic, (-0.064450178, -5.098612182, -2.956837150), 4, 14, 0),
    (traffic, (-4.307469713, 7.719026021, -1.684371068), 4, 0, 9)])
def test_moving_world_of_a_seed_is_unchanged(make, start, solids, movers, other_robots):
    world = make(3)
    assert world.start == pytest.approx(start)
    assert (len(world.solids), len(world.movers)) == (solids, movers)
    assert len(world.other_robots) == other_robots


@pytest.mark.parametrize('kind', MOVING)
def test_movers_start_clear_of_the_robot_and_do_not_touch_it_at_first(kind):
    for world in worlds_of(kind, True, 8):
        simulator = Simulator(world, Pose(*world.start))
        for other in world.other_robots:
            assert math.dist(other.start[:2], world.start[:2]) > 0.8
        assert simulator.scene.distance(simulator, *world.start[:2]) > RHO
        for _ in range(4):
            simulator.step(STOP, 0.05)
        assert simulator.contacts == simulator.bumped == 0


@pytest.mark.slow
def test_people_have_clear_routes_and_the_requested_parameters():
    for seed in range(8):
        world = crowd(seed)
        static = World('', world.solids)
        assert 3 <= len(world.movers) <= 12
        for person in world.movers:
            assert 0.3 <= person.speed <= 1.5 and 0.0 <= person.pause <= 15.0
            for one, other in zip(person.route, person.route[1:]):
                way = np.linspace(one, other, 300)
                assert static.clearance(way).min() >= person.radius + 0.35
    assert len(crowd(1, people=25).movers) == 25
    assert {(person.speed, person.legs) for person in crowd(1, speed=1.2, legs=True).movers} == {
        (1.2, True)}


@pytest.mark.slow
def test_people_have_all_manners_and_some_routes_include_the_goal():
    worlds = worlds_of('crowd', True, 20)
    assert {person.manner for world in worlds for person in world.movers} == {
        'yields', 'stubborn', 'follows'}
    on_goal = [world for world in worlds for person in world.movers
               if min(math.dist(place, world.goal) for place in person.route) < 1e-6]
    assert 2 <= len(on_goal) <= 14


def test_more_people_than_fit_are_rejected():
    with pytest.raises(WorldError, match='a hall of 4 m is too small for 50 people'):
        crowd(1, people=50, size=4.0)


@pytest.mark.slow
def test_doors_are_of_all_kinds_and_fill_wide_doorways():
    sorts = set()
    for world in worlds_of('doors', True, 15):
        for door in world.movers:
            if isinstance(door, AutomaticDoor):
                sorts.add('approach')
            else:
                assert door.gives_way
                sorts.add('periodic' if door.script.loop else 'once')
            length, thickness = np.ptp(door.parts[0], axis=0)
            assert 0.84 - 1e-9 <= length <= 1.19 and thickness == pytest.approx(0.04)
    assert sorts == {'approach', 'periodic', 'once'}


@pytest.mark.slow
def test_open_door_leaves_a_gap_of_eighty_centimeters():
    for world in worlds_of('doors', True, 15):
        solids = [Polygon(solid) for solid in world.solids]
        for door in world.movers:
            if isinstance(door, AutomaticDoor) or not door.script.loop:
                continue
            opened, shut = (Polygon([Pose(*door.script.poses[k]).apply(tuple(corner))
                                     for corner in door.parts[0]]) for k in (0, 2))
            middle = shut.centroid
            assert min(solid.distance(middle) for solid in [*solids, opened]) >= 0.4


def test_door_of_an_unreachable_goal_shuts_before_a_burger_can_arrive():
    for world in worlds_of('doors', False, 15):
        assert judge(World('', world.solids), world.start, world.goal, RHO) is True
        cutting = [door for door in world.movers if door.rests() and judge(
            World('', world.solids + door.rests()), world.start, world.goal, RHO) is False]
        in_time = [door for door in cutting if door.script.delay <= 17.0 and (
            0.22 * door.script.delay < math.dist(door.rests()[0].mean(axis=0), world.start[:2]))]
        assert in_time


@pytest.mark.slow
def test_objects_appear_and_disappear_within_two_minutes():
    put = taken = 0
    for world in worlds_of('moved', True, 10) + worlds_of('moved', False, 5):
        for thing in world.movers:
            assert thing.gives_way
            assert thing.since == 0.0 or 10.0 <= thing.since <= 120.0
            assert thing.until == math.inf or 10.0 <= thing.until <= 120.0
            put += thing.since > 0.0
            taken += thing.until < math.inf
    assert put > 10 and taken > 10


@pytest.mark.slow
def test_walled_up_goal_is_reachable_at_first():
    for world in worlds_of('moved', False, 8):
        wall, = (thing for thing in world.movers if thing.name == 'walled_up')
        assert judge(World('', world.solids), world.start, world.goal, RHO) is True
        shut = World('', world.solids + wall.rests())
        assert judge(shut, world.start, world.goal, RHO) is False
        assert 0.22 * wall.since < math.dist(world.start[:2], world.goal)


@pytest.mark.parametrize('robots', [2, 3, 10])
def test_other_robots_have_reachable_goals_and_separate_positions(robots):
    narrow = 0
    for seed in range(8):
        world = traffic(seed, robots=robots)
        assert len(world.other_robots) == robots - 1
        places = [world.start[:2], world.goal]
        for other in world.other_robots:
            places += [other.start[:2], other.goal]
            assert judge(World('', world.solids), other.start, other.goal, RHO) is True
        assert min(math.dist(one, other) for k, one in enumerate(places)
                   for other in places[:k]) > 0.8
        x0, y0, x1, y1 = World('', world.solids).transformed(
            0.0, 0.0, -math.atan2(*np.diff(world.solids[0][:2], axis=0)[0, ::-1])).bounds
        narrow += min(x1 - x0, y1 - y0) < 3.0
    assert (robots <= 4) == (narrow > 0)
