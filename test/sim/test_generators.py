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
from bug_nav.sim.generators import cluttered, cluttered_name, random_world, RHO, ring
from bug_nav.sim.world import find_world, WorldError
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


# Names of random worlds.

@pytest.mark.parametrize('name, world', [
    ('random:cluttered?seed=7', cluttered(7)),
    ('random:cluttered?seed=7&reachable=true', cluttered(7)),
    ('random:cluttered?reachable=False&seed=7', cluttered(7, reachable=False)),
    ('random:cluttered?seed=1&count=5&size=20.0&gaps=0', cluttered(1, count=5, size=20.0, gaps=0)),
    (cluttered_name(9, True), cluttered(9)),
    (cluttered_name(9, False), cluttered(9, reachable=False))])
def test_name_gives_the_world_of_its_arguments(name, world):
    found = find_world(name)
    assert (found.name, found.start, found.goal) == (world.name, world.start, world.goal)
    assert np.array_equal(found.segments, world.segments)


@pytest.mark.parametrize('name, reason', [
    ('random:', "no generator of random worlds is called ''"),
    ('random:maze?seed=1', 'there is cluttered'),
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
    ('random:cluttered?seed=1&count=100000', 'from 0 to 200')])
def test_name_that_is_none_is_refused_in_one_sentence(name, reason):
    with pytest.raises(WorldError) as caught:
        random_world(name)
    assert reason in str(caught.value) and '\n' not in str(caught.value)


def test_densest_and_smallest_world_that_a_name_can_ask_for_is_made():
    # The generator tries until it fits: no name may make it try for ever.
    for wish in ('true', 'false'):
        world = find_world(f'random:cluttered?seed=1&size=4&count=200&gaps=1&reachable={wish}')
        assert len(world.solids) > 20
