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

"""Motion to goal along the local tangent graph, by the node with the shortest path."""

from __future__ import annotations

import math
from typing import Callable, Generator, List, NamedTuple, Optional

from bug_nav.navigation.behaviors.field_of_view import FieldOfView
from bug_nav.navigation.behaviors.tangent_graph import (
    COURSES,
    free_to_goal,
    heading_index,
    HEADINGS,
    Node,
    path_through,
    STEP,
    TangentGraph,
    TangentSight,
)
from bug_nav.navigation.behaviors.turn_directions import side_at
from bug_nav.navigation.geometry import bearing, distance, Point
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent, Towards
import numpy as np

MIN_APPROACH = 0.05
"""Minimum decrease of the distance to the goal on the way to a node, relative to that way."""
SWITCH_ADVANTAGE = 0.10
"""Minimum advantage of a node on the other side, or of a changed decision [m]."""
DECISION_SPACING = 0.05
"""Distance after which an aim is reconsidered [m]."""
BLOCKED_DISTANCE = 0.02
"""Free distance below which the way to an aim is blocked [m]."""
MIN_AIM_DISTANCE = 0.15
"""Minimum distance of an aim; a nearer node is extended to it [m]."""


class Aim(NamedTuple):
    """Target of motion to goal."""

    node: Optional[Node]
    """None for the T-node."""
    place: Point
    turn: int
    """Side on which the obstacle is passed, 0 for the T-node."""


Refine = Callable[[Robot, TangentGraph, Aim], Aim]
"""Adjusts an aim, given the graph in which it was chosen."""


def choose_aim(robot: Robot, graph: TangentGraph, seen: np.ndarray, last: Optional[Aim]
               ) -> Optional[Aim]:
    """
    Return the T-node, or else the best of the nodes G that are strictly closer to the goal.

    Return None if there is none, at a visible local minimum of the distance to the goal. A node on
    the other side than the ``last`` has to be better by a margin. An inner node, behind which the
    same obstacle continues, may lead into a pocket and is used only if there is no other.
    """
    goal = robot.local_goal
    if seen[heading_index(robot.goal_heading)] and free_to_goal(robot, graph):
        return Aim(None, goal, 0)
    d = distance(graph.origin, goal)
    # Twice the margin at the start, as hysteresis against noise.
    needed = MIN_APPROACH if last and last.node else 2.0 * MIN_APPROACH
    best, best_rank = None, (True, math.inf)
    for node in graph.nodes(seen):
        away = max(node.distance, MIN_AIM_DISTANCE)
        place = graph.place(node.heading, away)
        if d - distance(place, goal) > needed * away:
            turn = 1 if _is_left(node, graph, goal) else -1
            h = path_through(graph, place, goal)
            h += SWITCH_ADVANTAGE if last and last.turn == -turn else 0.0
            rank = graph.is_inner(node), h
            if rank < best_rank:
                best, best_rank = Aim(node, place, turn), rank
    return best


def _is_left(node: Node, graph: TangentGraph, goal: Point) -> bool:
    x, y = COURSES[node.heading]
    return x * (goal[1] - graph.origin[1]) - y * (goal[0] - graph.origin[0]) < 0.0


def move_along_graph(robot: Robot, sight: TangentSight, view: FieldOfView,
                     refine: Refine = lambda robot, graph, aim: aim
                     ) -> Generator[Intent, None, Hit]:
    """
    Move to the goal by the nodes of the local tangent graph; return the hit at a local minimum.

    There the robot moves straight towards the goal until it is blocked, so that the boundary is
    the blocking one and the distance to the goal does not grow. ``refine`` adjusts each node.
    """
    aim: Optional[Aim] = None
    decided: Optional[Point] = None
    reported: Optional[float] = math.nan  # nothing yet
    with robot.state('motion_to_goal'):
        while True:
            if decided is None or _is_due(robot, sight, aim, decided):
                decided = robot.odom_position
                graph = sight.look(robot)
                aim = _decide(robot, graph, view, aim, refine)
                turn = aim.turn if aim is not None else None
                if turn != reported:
                    reported = turn
                    robot.because(_why(robot, graph, aim))
            hit = robot.blocking_hit()
            if aim is None and hit:
                robot.record_hit(hit)
                return hit
            if aim is not None and aim.node is not None:
                yield Towards(aim.place)
            else:
                yield robot.to_goal()


def _why(robot: Robot, graph: TangentGraph, aim: Optional[Aim]) -> str:
    """Return the reason for an aim."""
    if aim is None:
        return ('no visible node is closer to the goal: d has a local minimum, '
                f'd(x) = {robot.goal_distance:.2f} m')
    if aim.node is None:
        return f'the visible way to the goal is free, d(x) = {robot.goal_distance:.2f} m'
    h = path_through(graph, aim.place, robot.local_goal)
    return (f'the node on the {"left" if aim.turn > 0 else "right"} of the obstacle has the '
            f'shortest path, h = {h:.2f} m')


def _is_due(robot: Robot, sight: TangentSight, aim: Optional[Aim], decided: Point) -> bool:
    """
    Return whether to decide again: after some distance, or if the way is blocked.

    Rotation in place does not count, although the beams change with it.
    """
    if distance(robot.odom_position, decided) > DECISION_SPACING:
        return True
    if aim is None:
        return False
    if aim.node is None:
        return robot.blocking_hit() is not None
    heading = bearing(robot.odom_position, aim.place)
    return sight.look(robot).free_distance(robot.odom_position, heading) < BLOCKED_DISTANCE


def _decide(robot: Robot, graph: TangentGraph, view: FieldOfView, last: Optional[Aim],
            refine: Refine) -> Optional[Aim]:
    for seen in view.towards_goal(robot):
        aim = choose_aim(robot, graph, seen, last)
        if aim is not None:
            return aim if aim.node is None else refine(robot, graph, aim)
    return None


def offset_from_obstacle(graph: TangentGraph, node: Node, away: float, aside: float, goal: Point
                         ) -> Point:
    """
    Return the point ``away`` [m] past a node, moved off its obstacle by ``aside`` [m].

    It is moved only while the way is free and it is closer to the goal than the robot.
    """
    place = graph.place(node.heading, away)
    for step in range(1, int(math.atan2(aside, away) / STEP) + 1):
        k = (node.heading + node.turn * step) % HEADINGS
        moved = graph.place(k, away)
        if graph.free[k] < away or distance(moved, goal) >= distance(graph.origin, goal):
            break
        place = moved
    return place


def visible_ends(graph: TangentGraph, heading: int, own: np.ndarray) -> List[Node]:
    """
    Return the visible left and right end of the obstacle at ``heading``.

    ``own`` (`HEADINGS`,) bool marks its headings. Return no end if it is not at ``heading`` or is
    all around.
    """
    ahead = np.roll(own, -heading)
    if not ahead[0] or ahead.all():
        return []
    found = []
    for turn, away in ((1, int(np.argmin(ahead))), (-1, int(np.argmin(ahead[::-1])) + 1)):
        last = heading + turn * (away - 1)
        found.append(Node((last + turn) % HEADINGS, float(graph.free[last % HEADINGS]), turn))
    return found


def shorter_side(robot: Robot, graph: TangentGraph, hit: Hit) -> int:
    """
    Return the side to keep the blocking obstacle on: +1 right, -1 left.

    The robot passes the end with the smaller h; the turn direction decides ties.
    """
    goal = robot.local_goal
    found = visible_ends(
        graph, heading_index(bearing(graph.origin, goal)), graph.ends_at(hit.contact))
    lengths = [path_through(graph, graph.place(end.heading - end.turn, end.distance), goal)
               for end in found]
    if not found or abs(lengths[0] - lengths[1]) < SWITCH_ADVANTAGE:
        return side_at(robot, hit)
    return found[int(np.argmin(lengths))].turn
