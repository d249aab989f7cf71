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

"""Tests of the search for a chain of points that encloses a goal."""

from __future__ import annotations

import math

from arena import block, boundary_points, BURGER, RHO, world_of
from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.proof import enclosure
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.navigation.proof.enclosure import crossed_at, enclosing_chain, winding
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.generators.shapes import rectangle
from bug_nav.simulation.world import World
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

coordinates = st.floats(-3.0, 3.0)
places = st.tuples(coordinates, coordinates)


def chain_of(points: np.ndarray, robot: tuple, goal: tuple, plugs: int = 0):
    """Return the chain found among points (n, 2), the last ``plugs`` of which are plugs."""
    count = len(points) - plugs
    radii = np.repeat((RHO, 0.01), (count, plugs))
    return enclosing_chain(FreeSpace(points, radii, count, BURGER.robot_radius), RHO, robot, goal)


def chain_in(world: World, robot: tuple, goal: tuple, **how):
    return chain_of(boundary_points(world, **how), robot, goal)


@pytest.mark.parametrize('noise', [0.0, 0.003])
@pytest.mark.parametrize('name', [
    'ring_goal', 'ring_start', 'goal_solid', 'narrow_door', 'course_7_locked', 'cell',
    'random:cells?seed=2&reachable=false', 'random:rings?seed=3&reachable=false',
    'random:cluttered?seed=4&reachable=false', 'random:rooms?seed=5&reachable=false',
    'random:spirals?seed=6&reachable=false'])
def test_chain_is_found_if_the_goal_is_enclosed(name, noise):
    world = find_world(name)
    robot = world.start[:2]
    chain = chain_in(world, robot, world.goal, noise=noise)
    assert chain is not None and is_proof(chain, robot, world.goal, RHO)
    # It consists of obstacle points only.
    points = boundary_points(world, noise=noise)
    assert {tuple(point) for point in chain} <= set(map(tuple, points.tolist()))


@pytest.mark.parametrize('name', [
    'open', 'box', 'pole', 'u_trap', 'demo', 'two_close', 'gallery', 'spiral_in', 'spiral_out',
    'labyrinth', 'maze', 'door_050', 'random:cells?seed=2', 'random:rings?seed=3',
    'random:cluttered?seed=4', 'random:rooms?seed=5', 'random:spirals?seed=6'])
def test_no_chain_is_found_if_the_goal_is_reachable(name):
    world = find_world(name)
    assert chain_in(world, world.start[:2], world.goal) is None


@pytest.mark.parametrize('gap, shut', [(0.30, True), (0.42, True), (0.48, False), (0.70, False)])
def test_chain_of_posts_is_found_only_if_the_gaps_are_narrow(gap, shut):
    turns = 2.0 * math.pi * np.arange(36) / 36
    post = 0.1 * np.column_stack((np.cos(turns), np.sin(turns)))
    radius = (gap + 0.2) / (2.0 * math.sin(math.pi / 9))
    posts = world_of(*(post + radius * np.array((math.cos(turn), math.sin(turn)))
                       for turn in turns[::4]))
    chain = chain_in(posts, (3.0, 0.1), (0.0, 0.0), spacing=0.02)
    assert (chain is not None) is shut
    if chain is not None:
        assert is_proof(chain, (3.0, 0.1), (0.0, 0.0), RHO)
        assert winding(chain, (0.0, 0.0)) != 0 == winding(chain, (3.0, 0.1))


def test_chain_ignores_an_obstacle_on_the_way_to_the_goal():
    world = world_of(rectangle(1.5, 0.0, 0.3, 1.0, 0.2), *find_world('ring_goal').solids)
    robot, goal = (0.0, 0.3), (4.5, 0.1)
    chain = chain_in(world, robot, goal)
    assert chain is not None and is_proof(chain, robot, goal, RHO)
    assert min(x for x, _ in chain) > 2.0


def test_plug_is_not_part_of_a_chain():
    """Add the plug of a closed gap, a point with almost no radius."""
    points = boundary_points(find_world('ring_goal'))
    chain = chain_of(np.vstack((points, (2.99, 0.0))), (0.0, 0.3), (4.5, 0.1), plugs=1)
    assert chain is not None and (2.99, 0.0) not in chain
    assert is_proof(chain, (0.0, 0.3), (4.5, 0.1), RHO)


def test_no_chain_is_found_without_points():
    assert chain_of(np.zeros((0, 2)), (0.0, 0.0), (3.0, 0.0)) is None


@settings(max_examples=150)
@given(st.integers(1, 250), st.integers(0, 2 ** 32 - 1), places, places,
       st.sampled_from(('cloud', 'lumps', 'ring')))
def test_separating_chain_found_in_a_point_cloud_is_a_proof(count, seed, robot, goal, shape):
    random = np.random.default_rng(seed)
    points = random.uniform(-3.0, 3.0, (count, 2))
    if shape == 'ring':
        turns = 2.0 * math.pi * random.random(count)
        points = goal + random.normal(1.0, 0.1, (count, 1)) * np.column_stack((
            np.cos(turns), np.sin(turns)))
    elif shape == 'lumps':
        points = points[random.integers(0, max(count // 12, 1), count)]
        points = points + 0.15 * random.standard_normal((count, 2))
    points = points[np.hypot(*(points - robot).T) > RHO + 0.01]
    chain = chain_of(points, robot, goal)
    assert (chain is None or is_proof(chain, robot, goal, RHO)
            or winding(chain, robot) == winding(chain, goal))


@pytest.mark.parametrize('place, turns', [
    ((0.5, 0.5), 1), ((0.5, 1.5), 0), ((-0.5, 0.5), 0), ((2.0, 0.0), 0), ((0.5, -1.0), 0)])
def test_winding_number_is_signed(place, turns):
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    assert winding(square, place) == turns
    assert winding(square[::-1], place) == -turns
    assert winding(square + square, place) == 2 * turns


@pytest.mark.parametrize('half', [0.02, 0.05, 0.12])
@pytest.mark.parametrize('off', [0.0, 0.9])
def test_chain_around_a_post_encloses_a_goal_in_it(half, off):
    # The post is no larger than the distance between two points of a thinned chain.
    place = off * half
    world = world_of(block(2.0 - half, 2.0 + half, -half, half))
    points = boundary_points(world, spacing=0.015, noise=0.002)
    goal = (2.0, place)
    for k in range(8):
        robot = (2.0 + math.cos(k), math.sin(k))
        chain = chain_of(points, robot, goal)
        assert chain is not None and is_proof(chain, robot, goal, RHO, 0.1)


chains = st.lists(st.tuples(st.floats(0.95, 1.05), st.floats(-0.02, 0.02)), min_size=150,
                  max_size=250).map(lambda drawn: [
                      (radius * math.cos(turn + 2.0 * math.pi * k / len(drawn)),
                       radius * math.sin(turn + 2.0 * math.pi * k / len(drawn)))
                      for k, (radius, turn) in enumerate(drawn)])


@given(chains, st.integers(0, 149), st.tuples(*2 * (st.floats(-0.05, 0.05),)), places)
def test_thinned_chain_keeps_the_side_of_the_robot_and_the_points_at_the_goal(
        chain, k, offset, goal):
    robot = chain[k][0] + offset[0], chain[k][1] + offset[1]
    thinned = enclosure._thinned(chain, robot, goal, 0.3)
    assert winding(thinned, robot) == winding(chain, robot)
    assert thinned == [place for place in chain if place in thinned]
    assert {place for place in chain if math.dist(place, goal) < 0.3} <= set(thinned)


def test_chain_far_from_the_goal_is_thin():
    chain = chain_in(find_world('ring_goal'), (0.0, 0.3), (4.5, 0.1), spacing=0.01)
    for one, place, after in zip(chain, chain[1:], chain[2:]):
        assert (math.dist(one, after) > enclosure.CHAIN_SPACING
                or math.dist(place, (4.5, 0.1)) < 2.0 * RHO)


def test_points_beside_the_links_of_a_chain_are_inserted_in_their_order():
    chain = [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)]
    beside, off = [(0.1, 0.01), (0.2, 0.0), (0.4, -0.01)], [(0.1, 0.03), (-0.1, 0.0), (0.6, 0.0)]
    space = FreeSpace(np.array([beside[2], *off, beside[0], beside[1]]), np.full(6, RHO), 6, 0.1)
    assert enclosure._filled(chain, space, (0.2, 0.3), 2.0) == [chain[0], *beside, *chain[1:]]
    assert enclosure._filled(chain, space, (0.2, 3.0), 2.0) == chain


# A chain must not separate the robot from a place where it has been, except in the mouth of a gap.

@pytest.mark.parametrize('path, crossed', [
    ([(0.0, -0.3), (0.0, -0.05)], None),                        # never beyond
    ([(0.0, -0.3), (0.0, 0.02)], None),                         # protrudes into the gap
    ([(0.0, -0.3), (0.0, 0.1), (0.0, 0.6)], (0.0, 0.1)),        # no longer touches the jambs
    ([(0.0, 0.6)], (0.0, 0.6)),
    ([(0.03 - RHO, 0.02)], (0.03 - RHO, 0.02))])                # touches only one of them
def test_path_crosses_a_chain_beyond_a_gap_but_not_in_its_mouth(path, crossed):
    half = RHO - 0.005
    chain = [(-half, 0.0), (half, 0.0), (half, 1.0), (-half, 1.0)]
    assert crossed_at(chain, (0.0, -1.0), path, RHO) == crossed
