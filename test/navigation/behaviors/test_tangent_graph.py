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
"""The distance between two beams at its corners [m]."""


def seen(world, sensor_range: float = 3.0, pose: Pose = Pose(0.0, 0.0, 0.0)):
    stage = Stage(world, pose)
    return TangentSight(sensor_range).look(stage.robot), stage.robot


def passes(world, graph, node, beyond: float = 0.0) -> float:
    """Return the clearance of the straight way by a node."""
    ways = np.linspace(0.0, node.distance + beyond, 200)[:, None]
    return float(world.clearance(ways * COURSES[node.heading]).min())


# ---- the nodes --------------------------------------------------------------------------------

def test_box_ahead_has_a_node_at_either_end_which_the_disc_just_passes():
    graph, _ = seen(BOX)
    nodes = sorted(graph.nodes(), key=lambda node: -node.turn)
    assert [node.turn for node in nodes] == [1, -1]
    for node in nodes:
        assert node.distance == pytest.approx(math.sqrt(5.0 - RHO ** 2), abs=0.15)
        # The corner itself lies between two beams.
        assert RHO - BEAM < passes(BOX, graph, node, 0.5) < RHO + BEAM
        assert not graph.is_inner(node)


def at_the_gap(graph) -> set:
    """Return on which sides of an obstacle the nodes of a gap straight ahead are."""
    return {node.turn for node in graph.nodes() if COURSES[node.heading][0] > math.cos(0.1)}


def test_gap_too_narrow_for_the_disc_has_no_node():
    world = world_of(block(2.0, 3.0, -1.0, -0.2), block(2.0, 3.0, 0.2, 1.0))
    graph, _ = seen(world)
    assert at_the_gap(graph) == set()
    assert graph.ends_at((2.0, -0.5))[[20, HEADINGS - 20]].all()


def test_gap_that_the_disc_passes_has_a_node_at_either_jamb():
    world = world_of(block(2.0, 3.0, -1.0, -0.3), block(2.0, 3.0, 0.3, 1.0))
    graph, _ = seen(world)
    assert at_the_gap(graph) == {1, -1}
    assert graph.ends_at((2.0, -0.5))[[20, HEADINGS - 20]].tolist() == [False, True]


def test_gap_judged_shut_has_no_node():
    world = world_of(block(2.0, 3.0, -1.0, -0.24), block(2.0, 3.0, 0.24, 1.0))
    graph, robot = seen(world)
    robot.gaps.mark_closed((2.0 - robot.gaps.plug_radius, 0.0), (1.0, 0.0))
    assert at_the_gap(graph) == {1, -1}
    assert at_the_gap(TangentSight(3.0).look(robot)) == set()


def test_wall_that_goes_on_out_of_range_has_a_node_where_it_does():
    graph, _ = seen(world_of(block(-9.0, 9.0, 1.0, 1.2)), sensor_range=2.0)
    assert len(graph.nodes()) == 2
    assert all(node.distance == pytest.approx(2.0, abs=0.1) for node in graph.nodes())


def test_obstacle_that_goes_on_behind_a_node_makes_it_an_inner_one():
    hook = world_of(block(1.0, 2.8, 0.6, 0.8), block(2.6, 2.8, -1.0, 0.6))
    graph, _ = seen(hook, pose=Pose(0.0, 1.1, 0.0))
    assert any(graph.is_inner(node) for node in graph.nodes())


def test_closed_room_has_no_node():
    assert seen(room(3.0))[0].nodes() == []


def test_headings_that_are_not_seen_have_no_node():
    left = np.arange(HEADINGS) < HEADINGS // 2
    assert [node.turn for node in seen(BOX)[0].nodes(left)] == [1]


def test_heading_whose_way_ends_closest_to_a_goal_is_found_among_those_asked_for():
    graph, _ = seen(BOX)
    goal, everywhere = (4.0, 0.5), np.ones(HEADINGS, dtype=bool)
    away = [math.dist(graph.place(k, graph.free[k]), goal) for k in range(HEADINGS)]
    own = graph.ends_at((2.0, 0.0))
    for which in (everywhere, own, ~own, np.arange(HEADINGS) == 5):
        k, least = graph.ends_closest(which, goal)
        assert which[k] and away[k] == pytest.approx(least)
        assert least == pytest.approx(min(np.array(away)[which]))
    assert graph.ends_closest(~everywhere, goal) == (-1, math.inf)


def test_nothing_in_sight_ends_no_heading():
    graph, _ = seen(world_of())
    assert not graph.ends_at((2.0, 0.0)).any() and (graph.obstacles == -1).all()
    assert (graph.free == graph.reach).all()


def test_disc_in_touch_with_a_wall_is_not_stopped_along_it():
    graph, _ = seen(world_of(block(-2.0, 2.0, 0.21, 0.5)))
    assert graph.free_distance((0.0, 0.0), -math.radians(2.0)) > 1.0
    assert graph.free_distance((0.0, 0.0), math.pi / 4.0) < 0.05


def test_graph_is_made_anew_with_a_new_scan_alone():
    stage, sight = Stage(BOX), TangentSight(3.0)
    graph = sight.look(stage.robot)
    assert sight.look(stage.robot) is graph
    assert sight.look(stage.put(Pose(0.5, 0.0, 0.0))) is not graph
