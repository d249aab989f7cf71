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
K-Bug, reconstructed from descriptions.

R. A. Langer, L. S. Coelho and G. H. C. Oliveira, "K-Bug, a new bug approach for mobile robot's
path planning", IEEE International Conference on Control Applications, 2007.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    IntentGenerator,
    Metadata,
    RANGE,
    Step,
    TURN_BY_ALGORITHM,
)
from bug_nav.navigation.algorithms.tangent_bug import Parameters
from bug_nav.navigation.behaviors.loop_monitor import LoopMonitor, SAME_PLACE_DISTANCE
from bug_nav.navigation.behaviors.move_along_graph import visible_ends
from bug_nav.navigation.behaviors.move_to_node import move_to_node, move_while_visible, point_past
from bug_nav.navigation.behaviors.tangent_graph import heading_index, TangentGraph, TangentSight
from bug_nav.navigation.geometry import bearing, distance, Point
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import LoopDetected

AS_NEAR = 0.10
"""Maximum difference between the distances of two nodes that count as equal [m]."""


class KBug(Algorithm):
    """Go to the nearest end of the obstacle that hides the goal, until the goal is visible."""

    metadata = Metadata(
        title='K-Bug', source='Langer, Coelho and Oliveira 2007', sensing=RANGE,
        memory='the last node', complete=False, bound='none',
        guarantee='none: a heuristic, which ends in a loop and reports that',
        differences="the paper's definition was not available; nodes lie 5 cm beside the ends of "
                    'the obstacle, and of two whose distances differ by less than 10 cm, the one '
                    'closer to the goal is chosen; the loop test is ours',
        turn=TURN_BY_ALGORITHM, reconstructed=True)
    Parameters = Parameters
    steps = (
        Step('1', 'Move straight to the goal while it is visible.'),
        Step('2', 'Choose the nearest end of the obstacle that hides it, except the last node; no '
                  'end, or a repeated choice, is a loop (ours).'),
        Step('3', 'Move there until the goal is visible or the way is blocked, and continue with '
                  '1.'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps."""
        sight = TangentSight(self.parameters.sensor_range)
        monitor = LoopMonitor('the same node was chosen at the same place')
        last: Optional[Point] = None
        while True:
            robot.enter_step('1')
            yield from move_while_visible(robot, sight)
            robot.enter_step('2')
            node = _nearest_end(robot, sight.look(robot), last)
            if node is None:
                raise LoopDetected('no end of the obstacle that hides the goal is visible')
            monitor.note(robot.position, robot.correction.apply(node), robot.goal_distance)
            here = robot.odom_position
            robot.enter_step('3', 'the nearest end of the obstacle that hides the goal is '
                                  f'{distance(here, node):.2f} m away')
            yield from move_to_node(robot, sight, node)
            if distance(here, robot.odom_position) > SAME_PLACE_DISTANCE:
                last = here


def _nearest_end(robot: Robot, graph: TangentGraph, last: Optional[Point]) -> Optional[Point]:
    """Return the nearer end of the hiding obstacle; between equals, the one closer to the goal."""
    goal = robot.local_goal
    heading = heading_index(bearing(graph.origin, goal))
    blocker = graph.obstacles[heading]
    own = graph.obstacles == blocker if blocker >= 0 else graph.stops < -1
    places: List[Tuple[float, float, Point]] = []
    for end in visible_ends(graph, heading, own):
        place = point_past(graph, end)
        if last is None or distance(place, last) > SAME_PLACE_DISTANCE:
            places.append((distance(graph.origin, place), distance(place, goal), place))
    if not places:
        return None
    least = min(away for away, _, _ in places)
    return min((to_goal, place) for away, to_goal, place in places if away < least + AS_NEAR)[1]
