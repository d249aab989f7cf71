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

"""Tests of the local tangent graph."""

from __future__ import annotations

import math

from arena import block, RHO, room, Stage, world_of
from bug_nav.navigation.behaviors.tangent_graph import COURSES, HEADINGS, TangentSight
from bug_nav.navigation.geometry import Pose
import numpy as np
import pytest

BOX = world_of(block(2.0, 3.0, -1.0, 1.0))
BEAM = math.sqrt(5.0) * math.radians(1.0)
"""Distance between adjacent beams at the corners of the box [m]."""


def graph_and_robot(world, sensor_range: float = 3.0, pose: Pose = Pose(0.0, 0.0, 0.0)):
    stage = Stage(world, pose)
    return TangentSight(sensor_range).look(stage.robot), stage.robot


def clearance_past(world, graph, node, beyond: float = 0.0) -> float:
    """Return the clearance of the straight way past a node [m]."""
    ways = np.linspace(0.0, node.distance + beyond, 200)[:, None]
    return float(world.clearance(ways * COURSES[node.heading]).min())


# ---- the nodes --------------------------------------------------------------------------------

def test_box_has_a_node_at_each_end_that_the_disc_just_passes():
    graph, _ = graph_and_robot(BOX)
    nodes = sorted(graph.nodes(), key=lambda node: -node.turn)
    assert [node.turn for node in nodes] == [1, -1]
    for node in nodes:
        assert node.distance == pytest.approx(math.sqrt(5.0 - RHO ** 2), abs=0.15)
        # The corner itself is between two beams.
        assert RHO - BEAM < clearance_past(BOX, graph, node, 0.5) < RHO + BEAM
        assert not graph.is_inner(node)


def at_the_gap(graph) -> set:
    """Return the sides of the nodes at a gap straight ahead."""
    return {node.turn for node in graph.nodes() if COURSES[node.heading][0] > math.cos(0.1)}


def test_gap_too_narrow_for_the_disc_has_no_node():
    world = world_of(block(2.0, 3.0, -1.0, -0.2), block(2.0, 3.0, 0.2, 1.0))
    graph, _ = graph_and_robot(world)
    assert at_the_gap(graph) == set()
    assert graph.ends_at((2.0, -0.5))[[20, HEADINGS - 20]].all()


def test_gap_that_the_disc_fits_has_a_node_at_each_jamb():
    world = world_of(block(2.0, 3.0, -1.0, -0.3), block(2.0, 3.0, 0.3, 1.0))
    graph, _ = graph_and_robot(world)
    assert at_the_gap(graph) == {1, -1}
    assert graph.ends_at((2.0, -0.5))[[20, HEADINGS - 20]].tolist() == [False, True]


def test_closed_gap_has_no_node():
    world = world_of(block(2.0, 3.0, -1.0, -0.24), block(2.0, 3.0, 0.24, 1.0))
    graph, robot = graph_and_robot(world)
    robot.gaps.mark_closed((2.0 - robot.gaps.plug_radius, 0.0), (1.0, 0.0))
    assert at_the_gap(graph) == {1, -1}
    assert at_the_gap(TangentSight(3.0).look(robot)) == set()


def test_wall_that_continues_out_of_range_has_a_node_at_the_range_limit():
    graph, _ = graph_and_robot(world_of(block(-9.0, 9.0, 1.0, 1.2)), sensor_range=2.0)
    assert len(graph.nodes()) == 2
    assert all(node.distance == pytest.approx(2.0, abs=0.1) for node in graph.nodes())


def test_node_is_inner_if_its_obstacle_continues_behind_it():
    hook = world_of(block(1.0, 2.8, 0.6, 0.8), block(2.6, 2.8, -1.0, 0.6))
    graph, _ = graph_and_robot(hook, pose=Pose(0.0, 1.1, 0.0))
    assert any(graph.is_inner(node) for node in graph.nodes())


def test_closed_room_has_no_node():
    assert graph_and_robot(room(3.0))[0].nodes() == []


def test_unobserved_headings_have_no_node():
    left = np.arange(HEADINGS) < HEADINGS // 2
    assert [node.turn for node in graph_and_robot(BOX)[0].nodes(left)] == [1]


def test_heading_that_ends_closest_to_a_goal_is_found_among_the_given_ones():
    graph, _ = graph_and_robot(BOX)
    goal, everywhere = (4.0, 0.5), np.ones(HEADINGS, dtype=bool)
    away = [math.dist(graph.place(k, graph.free[k]), goal) for k in range(HEADINGS)]
    own = graph.ends_at((2.0, 0.0))
    for which in (everywhere, own, ~own, np.arange(HEADINGS) == 5):
        k, least = graph.ends_closest(which, goal)
        assert which[k] and away[k] == pytest.approx(least)
        assert least == pytest.approx(min(np.array(away)[which]))
    assert graph.ends_closest(~everywhere, goal) == (-1, math.inf)


def test_no_heading_is_blocked_in_open_space():
    graph, _ = graph_and_robot(world_of())
    assert not graph.ends_at((2.0, 0.0)).any() and (graph.obstacles == -1).all()
    assert (graph.free == graph.reach).all()


def test_disc_that_touches_a_wall_can_move_along_it():
    graph, _ = graph_and_robot(world_of(block(-2.0, 2.0, 0.21, 0.5)))
    assert graph.free_distance((0.0, 0.0), -math.radians(2.0)) > 1.0
    assert graph.free_distance((0.0, 0.0), math.pi / 4.0) < 0.05


def test_graph_is_computed_again_only_for_a_new_scan():
    stage, sight = Stage(BOX), TangentSight(3.0)
    graph = sight.look(stage.robot)
    assert sight.look(stage.robot) is graph
    assert sight.look(stage.put(Pose(0.5, 0.0, 0.0))) is not graph
