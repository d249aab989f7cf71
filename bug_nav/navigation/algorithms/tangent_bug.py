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
TangentBug: navigate by the local tangent graph.

I. Kamon, E. Rimon and E. Rivlin, "TangentBug: a range-sensor-based navigation algorithm", The
International Journal of Robotics Research 17(9):934-953, 1998.
"""

from __future__ import annotations

import dataclasses
from typing import Generator

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CLOSED_LAP,
    IntentGenerator,
    Metadata,
    RANGE,
    SAFE_RULE,
    Step,
    TURN_BY_ALGORITHM,
)
from bug_nav.navigation.behaviors.field_of_view import FieldOfView, Omnidirectional
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary, Rule
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.leave_for_closer import circumnavigate, CloserVisible, transition
from bug_nav.navigation.behaviors.move_along_graph import Aim, move_along_graph, shorter_side
from bug_nav.navigation.behaviors.tangent_graph import TangentGraph, TangentSight
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of the algorithms that use the range to obstacles."""

    sensor_range: float = parameter(
        3.5, 'range within which obstacles are used, at most that of the sensor', unit='m',
        low=0.15, high=1000.0)


class TangentBug(Algorithm):
    """Go by the visible ends of obstacles, and leave a boundary for a closer visible point."""

    metadata = Metadata(
        title='TangentBug', source='Kamon, Rimon and Rivlin 1998', sensing=RANGE,
        memory='d_followed, the least distance of the followed boundary to the '
               'goal', complete=True,
        bound='D + sum of p_i + sum of p_i m_i, m_i the local minima of d on obstacle i (of the '
              'original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='taken from secondary sources; an inner node, behind which the same obstacle '
                    'continues, is used only if there is no other; at a local minimum the robot '
                    'moves straight on until it is blocked; if the way taken when leaving is '
                    'blocked, the robot drives whole laps, as Bug1, until it is closer; '
                    f'{SAFE_RULE}',
        turn=TURN_BY_ALGORITHM)
    Parameters = Parameters
    steps = (
        Step('1', 'Move to the goal if the visible way there is free, otherwise to the node O_i '
                  'of the local tangent graph that is closer to the goal and has the shortest '
                  'path to it; at a local minimum of d, straight on until blocked (ours).'),
        Step('2', 'Follow the boundary on the shorter side, and update d_followed, the least '
                  'distance of the boundary to the goal, until the goal is reached or 2b or 2c '
                  'applies.'),
        Step('2b', 'If a visible point is closer to the goal, d_reach < d_followed, leave and '
                   'continue with 3.'),
        Step('2c', CLOSED_LAP),
        Step('3', 'Move straight to that point until d(x) < d_followed, and continue with 1.'),
        Step('3b', 'If that way is blocked, drive whole laps as Bug1 until d(x) < d_followed '
                   '(ours).'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps; `circumnavigate` is ours."""
        sight, view = TangentSight(self.parameters.sensor_range), self.field_of_view()
        while True:
            robot.enter_step('1')
            hit = yield from self.motion_to_goal(robot, sight, view)
            robot.enter_step('2')
            follower = meet_boundary(robot, hit, shorter_side(robot, sight.look(robot), hit))
            closer = CloserVisible(sight, view, follower, hit.distance)
            trace = yield from follow_boundary(robot, follower, self.leave_rule(closer))
            robot.enter_step('2c' if trace.closed else '2b')
            if trace.closed:
                yield from leave_at_closest(robot, trace, follower)
                robot.record_leave()
                continue
            robot.record_leave()
            robot.enter_step('3')
            if not (yield from transition(robot, closer)):
                robot.enter_step('3b')
                yield from circumnavigate(robot, closer.end_distance)

    # ---- hooks of the subclasses --------------------------------------------------------------

    def field_of_view(self) -> FieldOfView:
        """Return the directions in which the sensor looks."""
        return Omnidirectional()

    def motion_to_goal(self, robot: Robot, sight: TangentSight, view: FieldOfView
                       ) -> Generator[Intent, None, Hit]:
        """Move to a local minimum of the distance to the goal, and return the hit there."""
        return move_along_graph(robot, sight, view, self.refine)

    def refine(self, robot: Robot, graph: TangentGraph, aim: Aim) -> Aim:
        """Return the aim to use instead of ``aim``, a node."""
        return aim

    def leave_rule(self, closer: CloserVisible) -> Rule:
        """Return the leave condition."""
        return closer
