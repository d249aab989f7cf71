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

from bug_nav.bench.ground_truth import judge
from bug_nav.sim.catalogue import find_world
from bug_nav.sim.generators import (
    cells,
    cluttered,
    cluttered_name,
    combs,
    GENERATORS,
    random_name,
    random_world,
    RHO,
    ring,
    rings,
    rooms,
    spirals,
)
from bug_nav.sim.generators.rings import Nest
from bug_nav.sim.world import WorldError
import numpy as np
import pytest
from shapely.geometry import Point, Polygon
from shapely.ops import unary_union


def test_same_seed_gives_the_same_world():
    one, two = cluttered(7), cluttered(7)
    assert (one.name, one.start, one.goal) == (two.name, two.start, two.goal)
    assert np.array_equal(one.segments, two.segments)


def test_other_seed_or_wish_gives_another_world():
    starts = {cluttered(seed, reachable=wish).start for seed in range(5) for wish in (0, 1)}
    assert len(starts) == 10


def test_world_of_a_seed_is_the_same_in_every_version():
    # Seeds are cited in reports: whoever changes what they give has to say so there.
    world = cluttered(3)
    assert world.start == pytest.approx((2.379184441295891, 6.5752775968132795, -0.259702568595))
    assert len(world.solids) == 11


@pytest.mark.parametrize('wish', [True, False])
def test_start_is_clear_and_the_goal_is_far_enough_to_be_worth_the_way(wish):
    for seed in range(60):
        world = cluttered(seed, reachable=wish)
        assert world.clearance([world.start[:2]])[0] >= RHO + 0.02
        assert 3.5 <= math.dist(world.start[:2], world.goal) <= 10
        assert -math.pi <= world.start[2] <= math.pi


def test_goal_wished_unreachable_is_so_for_certain():
    worlds = [cluttered(seed, reachable=False) for seed in range(60)]
    assert {judge(world, world.start, world.goal, RHO) for world in worlds} == {False}


def test_goal_wished_reachable_mostly_is_and_never_inside_a_wall():
    worlds = [cluttered(seed) for seed in range(60)]
    truths = [judge(world, world.start, world.goal, RHO) for world in worlds]
    assert truths.count(True) >= 40
    assert all(world.clearance([world.goal])[0] >= 0.04 for world in worlds)


def test_some_goals_are_nearer_to_a_wall_than_the_contour():
    near = [seed for seed in range(60)
            if cluttered(seed).clearance([cluttered(seed).goal])[0] < RHO]
    assert near


def test_gaps_wished_everywhere_are_near_the_critical_width():
    near = 0
    for seed in range(10):
        solids = [Polygon(solid) for solid in cluttered(seed, gaps=1.0, count=10).solids]
        gaps = [a.distance(b) for k, a in enumerate(solids) for b in solids[:k]]
        near += sum(abs(gap - 2 * RHO) <= 0.0601 for gap in gaps)
    assert near >= 40


def test_count_and_size_are_what_was_asked_for():
    world = cluttered(1, count=5, size=20.0)
    assert len(world.solids) == 5
    assert math.dist(world.start[:2], world.goal) >= 10.0
    assert cluttered(0, count=0, gaps=0.0).name == 'cluttered_0'


def test_ring_is_closed_and_a_door_opens_it():
    for seed in range(40):
        closed = unary_union([Polygon(wall) for wall in ring(np.random.default_rng(seed), (0, 0))])
        opened = unary_union(
            [Polygon(wall) for wall in ring(np.random.default_rng(seed), (0, 0), 0.2)])
        assert Polygon(closed.exterior).contains(Point(0, 0)) and len(closed.interiors) >= 1
        assert opened.geom_type == 'Polygon' and len(opened.interiors) == 0


# Mazes, spirals, rooms, rings and combs.

BUILT = ('cells', 'spirals', 'rooms', 'rings', 'combs')


def worlds_of(kind: str, wish: bool, count: int = 25) -> list:
    return [GENERATORS[kind](seed, reachable=wish) for seed in range(count)]


def truths_of(kind: str, wish: bool) -> list:
    return [judge(world, world.start, world.goal, RHO) for world in worlds_of(kind, wish)]


@pytest.mark.parametrize('kind', BUILT)
def test_built_world_of_a_seed_is_the_same_again_and_unlike_any_other(kind):
    one, two = GENERATORS[kind](7), GENERATORS[kind](7)
    assert (one.name, one.start, one.goal) == (f'{kind}_7', two.start, two.goal)
    assert np.array_equal(one.segments, two.segments)
    starts = {world.start for wish in (True, False) for world in worlds_of(kind, wish, 5)}
    assert len(starts) == 10


@pytest.mark.parametrize('world, start, solids', [
    (cells(3), (0.653805488, 6.282502823, -1.644154230), 32),
    (spirals(3), (-1.832188530, -1.230004878, 1.431989634), 6),
    (rooms(3), (1.493441280, 7.795181824, 2.061698664), 47),
    (rings(3), (1.678181539, -1.352639537, -2.209932092), 7),
    (combs(3), (0.583712863, -1.083427182, 1.568470183), 4)])
def test_built_world_of_a_seed_is_the_same_in_every_version(world, start, solids):
    # As for cluttered worlds.
    assert world.start == pytest.approx(start)
    assert len(world.solids) == solids


@pytest.mark.parametrize('kind', BUILT)
def test_goal_in_a_built_world_that_is_wished_unreachable_is_so_for_certain(kind):
    assert set(truths_of(kind, False)) == {False}


@pytest.mark.parametrize('kind, least', [
    ('cells', 20), ('spirals', 20), ('rooms', 10), ('rings', 15), ('combs', 20)])
def test_goal_in_a_built_world_that_is_wished_reachable_mostly_is(kind, least):
    assert truths_of(kind, True).count(True) >= least


@pytest.mark.parametrize('kind', BUILT)
@pytest.mark.parametrize('wish', [True, False])
def test_start_in_a_built_world_is_clear_but_for_a_few_on_purpose(kind, wish):
    clear = [world.clearance([world.start[:2]])[0] for world in worlds_of(kind, wish, 60)]
    assert min(clear) >= RHO - 0.0201
    assert 0 < sum(one < RHO + 0.0199 for one in clear) <= 15


@pytest.mark.parametrize('kind', BUILT)
def test_some_goals_in_built_worlds_are_nearer_to_a_wall_than_the_contour(kind):
    clear = [world.clearance([world.goal])[0] for world in worlds_of(kind, True, 60)]
    assert any(0.1 < one < RHO for one in clear)


@pytest.mark.parametrize('kind', BUILT)
def test_some_m_lines_meet_a_corner_and_others_run_along_a_wall(kind):
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


def test_solid_cells_never_touch_at_a_corner_alone():
    for world in worlds_of('cells', True) + worlds_of('cells', False):
        shrunk = unary_union([Polygon(solid) for solid in world.solids]).buffer(-0.01)
        grown = unary_union([Polygon(solid) for solid in world.solids]).buffer(0.01)
        count = [len(getattr(shape, 'geoms', [shape])) for shape in (shrunk, grown)]
        # Cells that touch at a corner alone come apart when they shrink; others have no slits.
        assert count[0] == count[1]


def test_corridors_of_a_spiral_are_wide_enough():
    for world in worlds_of('spirals', True):
        # Free space that a disc of 0.75 m cannot enter, but a point can, is in corners alone.
        solid = unary_union([Polygon(wall) for wall in world.solids])
        closed = solid.buffer(0.375).buffer(-0.375)
        assert closed.difference(solid.buffer(0.2)).area < 0.01


def test_corridors_between_rings_are_as_wide_as_asked_for():
    for seed in range(20):
        nest = Nest(np.random.default_rng(seed), 3, 2.0)
        closed = [np.vstack(nest.ring(k, door=False)) for k in range(3)]
        farthest = [np.hypot(*ring.T).max() for ring in closed]
        nearest = [unary_union([Polygon(wall) for wall in nest.ring(k, door=False)]).distance(
            Point(0, 0)) for k in range(3)]
        assert all(2.0 - 1e-9 <= nearest[k + 1] - farthest[k] < 2.1 for k in range(2))


def test_walls_across_corridors_leave_doors_open():
    for seed in range(20):
        world = rings(seed, width=1.2)
        # A point finds its way, whatever the width of the doors.
        assert judge(world, world.start, world.goal, 0.03) is True


@pytest.mark.parametrize('teeth', [2, 30])
def test_comb_has_the_teeth_that_were_asked_for(teeth):
    for seed in range(4):
        comb = unary_union([Polygon(wall) for wall in combs(seed, teeth=teeth).solids])
        assert comb.geom_type == 'Polygon'
        assert len(combs(seed, teeth=teeth).solids) >= teeth + 1


# Names of random worlds.

@pytest.mark.parametrize('name, world', [
    ('random:cluttered?seed=7', cluttered(7)),
    ('random:cluttered?seed=7&reachable=true', cluttered(7)),
    ('random:cluttered?reachable=False&seed=7', cluttered(7, reachable=False)),
    ('random:cluttered?seed=1&count=5&size=20.0&gaps=0', cluttered(1, count=5, size=20.0, gaps=0)),
    ('random:cells?seed=7', cells(7)),
    ('random:spirals?reachable=false&seed=7', spirals(7, reachable=False)),
    (random_name('rooms', 7, False), rooms(7, reachable=False)),
    ('random:rings?seed=7&rings=5&width=1.5', rings(7, rings=5, width=1.5)),
    ('random:combs?seed=7&teeth=9&reachable=false', combs(7, teeth=9, reachable=False)),
    (cluttered_name(9, True), cluttered(9)),
    (cluttered_name(9, False), cluttered(9, reachable=False))])
def test_name_gives_the_world_of_its_arguments(name, world):
    found = find_world(name)
    assert (found.name, found.start, found.goal) == (world.name, world.start, world.goal)
    assert np.array_equal(found.segments, world.segments)


@pytest.mark.parametrize('name, reason', [
    ('random:', "no generator of random worlds is called ''"),
    ('random:maze?seed=1', 'there is cluttered, cells, spirals, rooms, rings, combs'),
    ('random:cells?seed=1&count=5', "a random world of 'cells' takes no argument 'count'"),
    ('random:cluttered', 'has no seed'),
    ('random:cluttered?reachable=true', 'has no seed'),
    ('random:cluttered?seed', 'without a value'),
    ('random:cluttered?seed=', "seed is ''; give a whole number from 0 to 1000000000"),
    ('random:cluttered?seed=-1', "seed is '-1'"),
    ('random:cluttered?seed=1e3', 'whole number'),
    ('random:cluttered?seed=99999999999999999999', 'from 0 to'),
    ('random:cluttered?seed=1&seed=2', "'seed' is given twice"),
    ('random:cluttered?seed=1&sede=2', 'did you mean seed?'),
    ('random:cluttered?seed=1&reachable=maybe', 'give true or false'),
    ('random:cluttered?seed=1&size=nan', 'a number from 4.0 to 100.0'),
    ('random:cluttered?seed=1&size=3', 'a number from 4.0'),
    ('random:cluttered?seed=1&gaps=1.1', 'from 0.0 to 1.0'),
    ('random:cluttered?seed=1&count=100000', 'from 0 to 200'),
    ('random:rings?seed=1&rings=0', 'from 1 to 10'),
    ('random:rings?seed=1&teeth=4', "takes no argument 'teeth' (it takes reachable, seed, rings"),
    ('random:combs?seed=1&teeth=1', 'from 2 to 30'),
    ('random:combs?seed=1&width=0.4', 'from 0.6 to 3.0')])
def test_name_that_is_none_is_refused_in_one_sentence(name, reason):
    with pytest.raises(WorldError) as caught:
        random_world(name)
    assert reason in str(caught.value) and '\n' not in str(caught.value)


def test_densest_and_smallest_world_that_a_name_can_ask_for_is_made():
    # The generator tries until it fits: no name may make it try for ever.
    for wish in ('true', 'false'):
        world = find_world(f'random:cluttered?seed=1&size=4&count=200&gaps=1&reachable={wish}')
        assert len(world.solids) > 20
