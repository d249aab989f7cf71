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

"""Motion from node to node: straight to an end of an obstacle, as far as the goal is hidden."""

from __future__ import annotations

import math
from typing import Generator

from bug_nav.behaviors.move_along_graph import BLOCKED, SHORTEST_AIM
from bug_nav.behaviors.tangent_graph import (
    free_to_goal,
    HEADINGS,
    Node,
    STEP,
    TangentGraph,
    TangentSight,
)
from bug_nav.core.geometry import bearing, distance, Point
from bug_nav.drive.intents import Intent
from bug_nav.robot import Robot

ASIDE = 0.05
"""Nodes are so far [m] off the obstacle's end, where there is room."""
ARRIVED = 0.05
"""A node is reached within this distance [m]."""


def past(graph: TangentGraph, node: Node) -> Point:
    """
    Return the place past a node and off its obstacle, as far as the way there is free.

    At the end itself the corner that hides the goal would hide the way on.
    """
    away = min(node.distance + SHORTEST_AIM, float(graph.free[node.heading]))
    k = node.heading + node.turn * round(math.atan2(ASIDE, away) / STEP)
    if graph.free[k % HEADINGS] < away:
        k = node.heading
    return graph.place(k, away)


def move_while_in_sight(robot: Robot, sight: TangentSight) -> Generator[Intent, None, None]:
    """Go straight to the goal for as long as the way there is free."""
    with robot.state('motion_to_goal'):
        while free_to_goal(robot, sight.look(robot)):
            yield robot.drive(robot.goal_heading)
    robot.because(f'the goal is out of sight, d(x) = {robot.goal_distance:.2f} m')


def move_to_node(robot: Robot, sight: TangentSight, node: Point, less: float = 0.0
                 ) -> Generator[Intent, None, None]:
    """
    Go straight to a node, until it is reached, the way is blocked or the goal in sight.

    It is blocked where a disc that is smaller by ``less`` [m] could not go on.
    """
    with robot.state('motion_to_node'):
        while distance(robot.here, node) > ARRIVED:
            graph = sight.look(robot)
            heading = bearing(robot.here, node)
            free = graph.free_distance(robot.here, heading, less)
            if free < BLOCKED:
                robot.because(f'the way there is blocked, {free:.2f} m of it are free')
                return
            if free_to_goal(robot, graph):
                robot.because(f'the goal is in sight, d(x) = {robot.goal_distance:.2f} m')
                return
            yield robot.drive(heading)
    robot.because('the place is reached')
