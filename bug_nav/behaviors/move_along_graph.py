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

"""Motion to goal along the local tangent graph: by the node that promises the shortest path."""

from __future__ import annotations

import math
from typing import Callable, Generator, List, NamedTuple, Optional

from bug_nav.behaviors.gaze import Gaze
from bug_nav.behaviors.tangent_graph import (
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
from bug_nav.core.geometry import bearing, distance, Point
from bug_nav.drive.intents import Intent, Towards
from bug_nav.robot import Hit, Robot
import numpy as np

NEARER = 0.05
"""On the way to a node the distance to the goal decreases by this share of the way at least."""
STEADY = 0.10
"""By this [m] a node on the other side must be better; the same for a decision to be changed."""
RECONSIDER = 0.05
"""An aim is kept for so much of the way [m]."""
BLOCKED = 0.02
"""The way to an aim is blocked when the disc has less than this to go [m]."""
SHORTEST_AIM = 0.15
"""A node nearer than this [m] is aimed at from this far: beyond it the way goes on."""


class Aim(NamedTuple):
    """Where motion to goal goes; the heading is from where the graph was seen."""

    node: Optional[Node]
    """None for the T-node."""
    place: Point
    turn: int
    """On which side of the obstacle, 0 for the T-node."""


Refine = Callable[[Robot, TangentGraph, Aim], Aim]
"""Moves an aim, given with the graph that it was chosen in."""


def choose_aim(robot: Robot, graph: TangentGraph, seen: np.ndarray, last: Optional[Aim]
               ) -> Optional[Aim]:
    """
    Return the T-node, or else the best of the nodes G that are strictly closer to the goal.

    None where there is none: the distance to the goal has a local minimum here, as far as is
    seen. A node on the other side than the ``last`` has to be better by a margin; one behind
    which the same obstacle goes on leads into its pockets, and is taken where there is no other.
    """
    goal = robot.local_goal
    if seen[heading_index(robot.goal_heading)] and free_to_goal(robot, graph):
        return Aim(None, goal, 0)
    d = distance(graph.origin, goal)
    # Twice the margin to begin with: or noise begins and ends it by turns.
    needed = NEARER if last and last.node else 2.0 * NEARER
    best, best_rank = None, (True, math.inf)
    for node in graph.nodes(seen):
        away = max(node.distance, SHORTEST_AIM)
        place = graph.place(node.heading, away)
        if d - distance(place, goal) > needed * away:
            turn = 1 if _is_left(node, graph, goal) else -1
            h = path_through(graph, place, goal)
            h += STEADY if last and last.turn == -turn else 0.0
            rank = graph.is_inner(node), h
            if rank < best_rank:
                best, best_rank = Aim(node, place, turn), rank
    return best


def _is_left(node: Node, graph: TangentGraph, goal: Point) -> bool:
    x, y = COURSES[node.heading]
    return x * (goal[1] - graph.origin[1]) - y * (goal[0] - graph.origin[0]) < 0.0


def move_along_graph(robot: Robot, sight: TangentSight, gaze: Gaze,
                     refine: Refine = lambda robot, graph, aim: aim
                     ) -> Generator[Intent, None, Hit]:
    """
    Go to the goal by the nodes of the local tangent graph; return the hit at a local minimum.

    There the robot goes straight towards the goal until it is blocked: the boundary that it
    meets is the one that blocks the way, and the distance to the goal has not grown. The nodes
    on the way are ``refine``d.
    """
    aim: Optional[Aim] = None
    decided: Optional[Point] = None
    told: Optional[float] = math.nan  # nothing so far
    with robot.state('motion_to_goal'):
        while True:
            if decided is None or _is_due(robot, sight, aim, decided):
                decided = robot.here
                graph = sight.look(robot)
                aim = _decide(robot, graph, gaze, aim, refine)
                turn = aim.turn if aim is not None else None
                if turn != told:
                    told = turn
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
    """Say why an aim was chosen."""
    if aim is None:
        return ('no node in sight is closer to the goal: d has a local minimum, '
                f'd(x) = {robot.goal_distance:.2f} m')
    if aim.node is None:
        return f'the way to the goal is free as far as is seen, d(x) = {robot.goal_distance:.2f} m'
    h = path_through(graph, aim.place, robot.local_goal)
    return (f'the node on the {"left" if aim.turn > 0 else "right"} of the obstacle promises the '
            f'shortest way, h = {h:.2f} m')


def _is_due(robot: Robot, sight: TangentSight, aim: Optional[Aim], decided: Point) -> bool:
    """
    Tell whether to decide anew: after some way, or where the way has turned out to be blocked.

    While the robot turns on the spot its beams turn, too: what changes then is no news.
    """
    if distance(robot.here, decided) > RECONSIDER:
        return True
    if aim is None:
        return False
    if aim.node is None:
        return robot.blocking_hit() is not None
    heading = bearing(robot.here, aim.place)
    return sight.look(robot).free_distance(robot.here, heading) < BLOCKED


def _decide(robot: Robot, graph: TangentGraph, gaze: Gaze, last: Optional[Aim], refine: Refine
            ) -> Optional[Aim]:
    for seen in gaze.towards_goal(robot):
        aim = choose_aim(robot, graph, seen, last)
        if aim is not None:
            return aim if aim.node is None else refine(robot, graph, aim)
    return None


def beside(graph: TangentGraph, node: Node, away: float, aside: float, goal: Point) -> Point:
    """
    Return the place ``away`` [m] past a node, moved off its obstacle by ``aside`` [m].

    It is moved for as long as the way there is free and it is nearer to the goal than the robot.
    """
    place = graph.place(node.heading, away)
    for step in range(1, int(math.atan2(aside, away) / STEP) + 1):
        k = (node.heading + node.turn * step) % HEADINGS
        moved = graph.place(k, away)
        if graph.free[k] < away or distance(moved, goal) >= distance(graph.origin, goal):
            break
        place = moved
    return place


def ends(graph: TangentGraph, heading: int, own: np.ndarray) -> List[Node]:
    """
    Return the left and the right end, as seen, of the obstacle that is ahead.

    ``own`` (`HEADINGS`,) bool tells its headings; there is no end where it is not at ``heading``
    or is all around.
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
    Return the side to keep the blocking obstacle on: +1 on the right hand, -1 on the left.

    It is passed by the one of its ends that has the smaller h; the turn direction decides ties.
    """
    goal = robot.local_goal
    found = ends(graph, heading_index(bearing(graph.origin, goal)), graph.ends_at(hit.contact))
    lengths = [path_through(graph, graph.place(end.heading - end.turn, end.distance), goal)
               for end in found]
    if not found or abs(lengths[0] - lengths[1]) < STEADY:
        return robot.side_at(hit)
    return found[int(np.argmin(lengths))].turn
