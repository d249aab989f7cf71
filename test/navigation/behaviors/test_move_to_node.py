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

"""Tests of motion from node to node."""

from __future__ import annotations

import math

from arena import block, play, RHO, Stage, way_of, world_of
from bug_nav.navigation.behaviors.move_to_node import (
    ARRIVAL_DISTANCE,
    move_to_node,
    move_while_visible,
    point_past,
)
from bug_nav.navigation.behaviors.tangent_graph import TangentSight
from bug_nav.navigation.types import ARRIVED
import pytest

BOX = world_of(block(2.0, 3.0, -0.5, 1.0))


def test_point_past_a_node_is_off_the_contour_and_past_the_corner():
    robot = Stage(BOX, goal=(6.0, 0.0)).robot
    graph = TangentSight(3.0).look(robot)
    right, left = sorted((point_past(graph, node) for node in graph.nodes()),
                         key=lambda place: place[1])
    for place, corner in ((left, (2.0, 1.0)), (right, (2.0, -0.5))):
        assert RHO < math.dist(place, corner) < RHO + 0.12
        assert place[0] > 1.9 and abs(place[1]) > abs(corner[1])


def path_to_node(world, node, goal=(6.0, 0.0), less: float = 0.0):
    """Drive to a node; return the path."""
    def script(robot):
        yield from move_to_node(robot, TangentSight(3.0), node, less)

    return way_of(play(world, script, goal=goal)[0])


def test_robot_reaches_a_free_node():
    way = path_to_node(BOX, (1.0, 1.5))
    assert math.dist(way[-1], (1.0, 1.5)) <= ARRIVAL_DISTANCE + 0.02


def test_motion_to_a_node_ends_once_the_goal_is_visible():
    # The goal becomes visible before y = 2.
    way = path_to_node(BOX, (1.0, 3.0), goal=(6.0, 1.5))
    assert way[-1][1] < 2.0


def test_motion_to_a_node_ends_where_it_is_blocked():
    way = path_to_node(BOX, (4.0, 0.2))
    assert way[-1][0] == pytest.approx(2.0 - RHO, abs=0.04)


def test_robot_moves_to_the_goal_while_it_is_visible():
    def script(robot):
        yield from move_while_visible(robot, TangentSight(3.0))

    assert play(world_of(), script, goal=(3.0, 0.0))[0].outcome in ARRIVED
    assert len(way_of(play(BOX, script, goal=(6.0, 0.0))[0])) <= 2
