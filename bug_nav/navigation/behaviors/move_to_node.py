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

"""Motion from node to node: straight to an end of an obstacle while the goal is hidden."""

from __future__ import annotations

import math
from typing import Generator

from bug_nav.navigation.behaviors.move_along_graph import BLOCKED_DISTANCE, MIN_AIM_DISTANCE
from bug_nav.navigation.behaviors.tangent_graph import (
    free_to_goal,
    HEADINGS,
    Node,
    STEP,
    TangentGraph,
    TangentSight,
)
from bug_nav.navigation.geometry import bearing, distance, Point
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Intent

NODE_OFFSET = 0.05
"""Distance of a node beside the end of the obstacle, if free [m]."""
ARRIVAL_DISTANCE = 0.05
"""Distance at which a node is reached [m]."""


def point_past(graph: TangentGraph, node: Node) -> Point:
    """
    Return a point past a node and beside its obstacle, as far as the way there is free.

    At the node itself, the corner that hides the goal would also hide the next way.
    """
    away = min(node.distance + MIN_AIM_DISTANCE, float(graph.free[node.heading]))
    k = node.heading + node.turn * round(math.atan2(NODE_OFFSET, away) / STEP)
    if graph.free[k % HEADINGS] < away:
        k = node.heading
    return graph.place(k, away)


def move_while_visible(robot: Robot, sight: TangentSight) -> Generator[Intent, None, None]:
    """Move straight to the goal while the way there is free."""
    with robot.state('motion_to_goal'):
        while free_to_goal(robot, sight.look(robot)):
            yield robot.along(robot.goal_heading)
    robot.because(f'the goal is hidden, d(x) = {robot.goal_distance:.2f} m')


def move_to_node(robot: Robot, sight: TangentSight, node: Point, reduction: float = 0.0
                 ) -> Generator[Intent, None, None]:
    """
    Move straight to a node until it is reached, the way is blocked or the goal is visible.

    The way is blocked if a disc smaller by ``reduction`` [m] could not continue.
    """
    with robot.state('motion_to_node'):
        while distance(robot.odom_position, node) > ARRIVAL_DISTANCE:
            graph = sight.look(robot)
            heading = bearing(robot.odom_position, node)
            free = graph.free_distance(robot.odom_position, heading, reduction)
            if free < BLOCKED_DISTANCE:
                robot.because(f'the way to the node is blocked after {free:.2f} m')
                return
            if free_to_goal(robot, graph):
                robot.because(f'the goal is visible, d(x) = {robot.goal_distance:.2f} m')
                return
            yield robot.along(heading)
    robot.because('the node is reached')
