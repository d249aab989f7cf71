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

"""Leave condition and transition of TangentBug: leave for a closer visible point."""

from __future__ import annotations

import math
from typing import Generator, Optional

from bug_nav.navigation.behaviors.field_of_view import FieldOfView
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, Follower, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.tangent_graph import (
    heading_index,
    TangentGraph,
    TangentSight,
)
from bug_nav.navigation.geometry import bearing, distance, Point
from bug_nav.navigation.names import less
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Intent, Towards

MIN_DECREASE = 0.05
"""Minimum distance by which the visible point is closer to the goal than the boundary [m]."""
TRANSITION_SLACK = 0.03
"""Reduction of the disc for which a transition has to be free [m]."""
ARRIVAL_DISTANCE = 0.02
"""Distance at which a point is reached [m]."""


class CloserVisible:
    """
    The leave condition d_reach < d_followed.

    d_followed is the least distance to the goal of the followed boundary since the hit, seen or
    touched. d_reach is that of the points reachable straight from here: the free part of the way
    to the goal, and the boundaries of other obstacles. Obstacles less than 2 rho from the followed
    boundary belong to it.
    """

    def __init__(self, sight: TangentSight, view: FieldOfView, follower: Follower,
                 closer_than: float):
        """Start at a hit; ``closer_than`` is its distance to the goal [m]."""
        self.sight, self.view, self.follower = sight, view, follower
        self.followed = closer_than
        self.place: Point = (math.inf, math.inf)
        """Target of the transition, once the condition holds (odometry frame)."""
        self._graph: Optional[TangentGraph] = None

    @property
    def end_distance(self) -> float:
        """Distance to the goal that ends the transition [m]."""
        return self.followed - 0.5 * MIN_DECREASE

    def __call__(self, robot: Robot) -> bool:
        """Return whether to leave; evaluated for each new scan."""
        self.followed = min(self.followed, robot.goal_distance)
        graph = self.sight.look(robot)
        if graph is self._graph:
            return False
        self._graph = graph
        seen = self.view.along_wall(robot, self.follower.centre)
        own, goal = graph.ends_at(self.follower.centre), robot.local_goal
        self.followed = min(self.followed, graph.ends_closest(own & seen, goal)[1])
        clear = graph.free >= robot.settings.clear_distance
        k, reach = graph.ends_closest((graph.stops >= 0) & ~own & seen & clear, goal)
        if k >= 0:
            self.place = graph.place(k, float(graph.free[k]) - ARRIVAL_DISTANCE)
        if seen[heading_index(robot.goal_heading)] and robot.way_is_free():
            straight = robot.goal_distance - graph.free_distance(
                robot.odom_position, robot.goal_heading)
            if straight < max(reach, robot.settings.xy_goal_tolerance):
                reach, self.place = max(straight, 0.0), goal
        return (reach < self.followed - MIN_DECREASE
                and robot.because(less('d_reach', reach, 'd_followed', self.followed)))


def transition(robot: Robot, rule: CloserVisible) -> Generator[Intent, None, bool]:
    """
    Move straight to the target of the leave condition until d(x) < d_followed.

    Return whether this was achieved: a way that looked free from afar may be blocked.
    """
    with robot.state('transition'):
        while robot.goal_distance >= rule.end_distance:
            heading = bearing(robot.odom_position, rule.place)
            free = rule.sight.look(robot).free_distance(
                robot.odom_position, heading, TRANSITION_SLACK)
            to_go = distance(robot.odom_position, rule.place)
            # A wall that approaches gradually never stops a disc that gives way to it.
            room = robot.space.clearance(robot.odom_position)
            grazing = room < robot.contour_radius - TRANSITION_SLACK
            if (to_go < ARRIVAL_DISTANCE or free < min(robot.settings.hit_distance, to_go)
                    or grazing):
                robot.because('the transition is blocked before d(x) < d_followed = '
                              f'{rule.followed:.2f} m, d(x) = {robot.goal_distance:.2f} m')
                return False
            yield Towards(rule.place)
        robot.because(less('d(x)', robot.goal_distance, 'd_followed', rule.followed))
        return True


def circumnavigate(robot: Robot, closer_than: float) -> Generator[Intent, None, None]:
    """
    Drive whole laps, as Bug1, until the robot is within ``closer_than`` [m] of the goal.

    Only the followed contours count; Unreachable is raised as in Bug1.
    """
    while robot.goal_distance >= closer_than:
        hit = yield from move_to_goal(robot)
        follower = meet_boundary(robot, hit)
        trace = yield from follow_boundary(robot, follower)
        yield from leave_at_closest(robot, trace, follower)
        robot.record_leave()
