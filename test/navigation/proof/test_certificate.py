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

"""
Tests of the certificate checker: it accepts proofs, and nothing else.

Every closed chain among a set of points is a sum of fundamental cycles, one for each link that a
spanning tree of the points omits, and winding numbers add up in the same way. If none of these
cycles separates the robot from the goal, no chain does.
"""

from __future__ import annotations

import math
from typing import Iterator, List

from arena import boundary_points, RHO, ring_of
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.simulation.generators.shapes import rectangle
from bug_nav.simulation.world import World
from hypothesis import assume, given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from subsets import WHOLE

ROBOT, GOAL = (3.0, 0.0), (0.1, 0.2)
SIDE = 3.0
"""Half the side of a small world [m]."""
places = st.tuples(*2 * [st.floats(-SIDE, SIDE).map(lambda x: round(x, 2))])
solids = st.builds(rectangle, *2 * [st.floats(-SIDE, SIDE)], *2 * [st.floats(0.05, 2.5)],
                   st.floats(0.0, math.pi))


def is_reachable(*query) -> bool:
    """Return whether the goal is reachable; skip the test without the ground truth module."""
    return pytest.importorskip('bug_nav.lab.ground_truth').reachable(*query)


def fence(place: tuple, radius: float, gap: float, width: float) -> List[np.ndarray]:
    """Return posts of ``width`` around a place, with gaps of ``gap`` between them [m]."""
    count = max(round(2.0 * math.pi * radius / (gap + width)), 3)
    return [rectangle(place[0] + x, place[1] + y, width, width, math.atan2(y, x))
            for x, y in ring_of(count, radius)]


def cycles(points: np.ndarray, reach: float) -> Iterator[List[tuple]]:
    """Yield the fundamental cycles of points with links shorter than ``reach`` [m]."""
    apart = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    near = [np.flatnonzero(row < reach).tolist() for row in apart]
    way: dict = {}
    for root in range(len(points)):
        if root in way:
            continue
        way[root], waiting = [root], [root]
        for here in waiting:  # the list grows in the loop
            for other in near[here]:
                if other not in way:
                    way[other] = [*way[here], other]
                    waiting.append(other)
    for one, others in enumerate(near):
        for other in others:
            if one < other:
                yield [tuple(points[k]) for k in (*way[one], *reversed(way[other]))]


# ---- hand-made chains ---------------------------------------------------------------------------

@pytest.mark.parametrize('robot, goal, proven', [
    (ROBOT, GOAL, True), (GOAL, ROBOT, True), (GOAL, (-0.2, 0.0), False),
    (ROBOT, (-3.0, 0.0), False), (ROBOT, ROBOT, False)])
def test_chain_must_separate_the_robot_from_the_goal(robot, goal, proven):
    chain = ring_of(20)
    for variant in (chain, chain[::-1], chain[7:] + chain[:7], np.array(chain), tuple(chain)):
        assert is_proof(variant, robot, goal, RHO) is proven


def test_every_link_must_be_shorter_than_the_disc_diameter():
    chain = ring_of(20)
    link = math.dist(*chain[:2])
    assert is_proof(chain, ROBOT, GOAL, 0.5 * link + 1e-9)
    assert not is_proof(chain, ROBOT, GOAL, 0.5 * link - 1e-9)
    square = [(-0.25, -0.25), (0.25, -0.25), (0.25, 0.25), (-0.25, 0.25)]
    assert not is_proof(square, ROBOT, (0.0, 0.0), 0.25)  # exactly as long


def test_link_from_the_last_to_the_first_point_counts():
    chain = ring_of(20)
    assert not is_proof(chain[:-2], ROBOT, GOAL, RHO)
    assert not is_proof([*chain, (40.0, 0.0)], ROBOT, GOAL, RHO)


@pytest.mark.parametrize('gap', range(20))
def test_chain_with_a_link_removed_is_no_proof(gap):
    chain = ring_of(20)
    there, back = chain[gap:] + chain[:gap], (chain[gap:] + chain[:gap])[-2:0:-1]
    assert not is_proof(there[:-1], ROBOT, GOAL, RHO)  # two links merged into one
    assert not is_proof(there + back, ROBOT, GOAL, RHO)  # forth and back again


def test_double_and_self_intersecting_chains_are_proofs():
    chain = ring_of(20)
    assert is_proof(chain + chain, ROBOT, GOAL, RHO)
    right = [(x + 2.0, y) for x, y in ring_of(20)]
    eight = chain + chain[:1] + [right[10], *right[9::-1], *right[:9:-1]] + chain[:1]
    assert is_proof(eight, (9.0, 0.0), GOAL, RHO) and is_proof(eight, (9.0, 0.0), (2.0, 0.1), RHO)
    assert is_proof(eight, GOAL, (2.0, 0.1), RHO)  # once to the left and once to the right


@pytest.mark.parametrize('chain', [
    [], [(1.0, 0.0)], [(1.0, 0.0), (1.1, 0.0)], [(1.0, 0.0)] * 5,
    [*ring_of(20), (math.nan, 0.0)], [(math.nan, math.nan)] * 3, [(math.inf, 0.0)] * 3])
def test_degenerate_chain_proves_nothing(chain):
    assert not is_proof(chain, ROBOT, GOAL, RHO)


# ---- random worlds ------------------------------------------------------------------------------

@st.composite
def small_worlds(draw):
    """Return a world with a robot and a goal that have some clearance."""
    robot, goal = draw(places), draw(places)
    shapes = draw(st.lists(solids, max_size=4))
    if draw(st.booleans()):
        shapes += fence(draw(st.sampled_from((robot, goal))), draw(st.floats(0.6, 1.2)),
                        draw(st.floats(0.2, 0.7)), draw(st.floats(0.05, 0.4)))
    world = World('', tuple(shapes))
    if shapes:
        assume(world.clearance(np.array([robot, goal])).min() > RHO + 0.03)
    return world, robot, goal


@settings(max_examples=60)
@given(small_worlds(), st.floats(0.05, 0.95), st.floats(0.25, 0.45))
def test_no_cycle_is_a_proof_if_the_goal_is_reachable(scene, shift, spacing):
    world, robot, goal = scene
    assume(is_reachable(world, robot, goal, RHO + 0.02, 0.01))
    for cycle in cycles(boundary_points(world, spacing, shift), 2.0 * RHO):
        assert not is_proof(cycle, robot, goal, RHO)


@settings(max_examples=60 if WHOLE else 20, suppress_health_check=list(HealthCheck))
@given(small_worlds(), st.randoms(use_true_random=False))
def test_no_random_chain_is_a_proof_if_the_goal_is_reachable(scene, random):
    world, robot, goal = scene
    assume(world.solids and is_reachable(world, robot, goal, RHO + 0.02, 0.01))
    points = boundary_points(world, 0.1)
    for outline in world.solids:  # each obstacle by itself
        assert not is_proof(boundary_points(World('', (outline,)), 0.4), robot, goal, RHO)
    for _ in range(30):
        # One chain with arbitrary links, and one with links to nearby points.
        wild = [points[random.randrange(len(points))] for _ in range(random.randrange(2, 12))]
        walk = [wild[0]]
        for _ in range(random.randrange(2, 60)):
            near = points[np.hypot(*(points - walk[-1]).T) < 2.0 * RHO]
            walk.append(near[random.randrange(len(near))])
        assert not is_proof(wild, robot, goal, RHO)
        assert not is_proof(walk, robot, goal, RHO)
        assert not is_proof(walk + walk[-2:0:-1], robot, goal, RHO)


@settings(max_examples=40 if WHOLE else 10, suppress_health_check=list(HealthCheck))
@given(small_worlds())
def test_some_cycle_is_a_proof_if_the_goal_is_unreachable(scene):
    world, robot, goal = scene
    assume(not is_reachable(world, robot, goal, RHO - 0.02, 0.01))
    proofs = [cycle for cycle in cycles(boundary_points(world, 0.1), 2.0 * RHO)
              if is_proof(cycle, robot, goal, RHO)]
    assert proofs
    # It is no proof for a smaller disc, which fits through the longest link.
    for proof in proofs[:20]:
        longest = max(map(math.dist, proof, [*proof[1:], proof[0]]))
        assert not is_proof(proof, robot, goal, 0.5 * longest)


def test_certificate_refers_to_the_goal_and_not_to_its_tolerance():
    # The goal is in the mouth of a passage that is too narrow, visible from within the tolerance.
    world = World('', tuple(rectangle(1.0, y, 2.0, 0.4, 0.0) for y in (-0.35, 0.35)) + (
        rectangle(2.1, 0.0, 0.2, 1.1, 0.0),))
    robot, goal = (-1.0, 0.0), (0.05, 0.0)
    assert any(is_proof(cycle, robot, goal, RHO)
               for cycle in cycles(boundary_points(world, 0.1), 2.0 * RHO))
    assert is_reachable(world, robot, goal, RHO + 0.02, 0.25)
    assert not is_reachable(world, robot, goal, RHO - 0.02, 0.01)
