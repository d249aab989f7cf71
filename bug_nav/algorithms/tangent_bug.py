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
TangentBug.

I. Kamon, E. Rimon and E. Rivlin, "TangentBug: a range-sensor-based navigation algorithm", The
International Journal of Robotics Research 17(9):934-953, 1998.
"""

from __future__ import annotations

import dataclasses
from typing import Generator

from bug_nav.algorithms.base import Algorithm, CLOSED, Facts, OWN, RANGE, Run, SAFE_RULE, Step
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary, Rule
from bug_nav.behaviors.gaze import AllAround, Gaze
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.leave_for_closer import CloserInSight, go_round, transition
from bug_nav.behaviors.move_along_graph import Aim, move_along_graph, shorter_side
from bug_nav.behaviors.tangent_graph import TangentGraph, TangentSight
from bug_nav.core.parameters import Checked, parameter
from bug_nav.drive.intents import Intent
from bug_nav.robot import Hit, Robot


@dataclasses.dataclass(frozen=True)
class Parameters(Checked):
    """The parameters of the algorithms that see."""

    sensor_range: float = parameter(
        3.5, 'how far obstacles are made use of; at most as far as the sensor sees', unit='m',
        low=0.15, high=1000.0)


class TangentBug(Algorithm):
    """Go by the obstacles' ends in sight, and round what hides the goal until it is closer."""

    facts = Facts(
        title='TangentBug', source='Kamon, Rimon and Rivlin 1998', sensing=RANGE,
        memory='the least distance to the goal of the followed boundary', complete=True,
        bound='D + sum of p_i + sum of p_i m_i, m_i the local minima of d on obstacle i (of the '
              'original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours='taken from secondary sources; an inner node, behind which the same obstacle goes '
             'on, is taken where there is no other; at a local minimum the robot goes straight on '
             'until it is blocked; where the way that it leaves by turns out to be blocked, it '
             f'goes whole laps, as Bug1, until it is closer; {SAFE_RULE}',
        turn=OWN)
    Parameters = Parameters
    steps = (
        Step('1', 'Go to the goal if the way there is free as far as is seen, else to the node '
                  'O_i of the local tangent graph that is closer to the goal and promises the '
                  'shortest way; at a local minimum of d, straight on until blocked (ours).'),
        Step('2', 'Follow the boundary by the shorter side, and keep d_followed, the least '
                  'distance of the boundary to the goal, until the goal is reached or 2b or 2c '
                  'holds.'),
        Step('2b', 'Where what is in sight reaches closer, d_reach < d_followed, leave and go on '
                   'with 3.'),
        Step('2c', CLOSED),
        Step('3', 'Go straight to the place that was seen, until d(x) < d_followed; go on with '
                  '1.'),
        Step('3b', 'Where that way is blocked, go whole laps as Bug1, until d(x) < d_followed '
                   '(ours).'))

    def run(self, robot: Robot) -> Run:
        """Follow the steps; `go_round` is ours."""
        sight, gaze = TangentSight(self.parameters.sensor_range), self.gaze()
        while True:
            robot.at('1')
            hit = yield from self.motion_to_goal(robot, sight, gaze)
            robot.at('2')
            wall = meet_boundary(robot, hit, shorter_side(robot, sight.look(robot), hit))
            closer = CloserInSight(sight, gaze, wall, hit.distance)
            lap = yield from follow_boundary(robot, wall, self.leave_rule(closer))
            robot.at('2c' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
                robot.record_leave()
                continue
            robot.record_leave()
            robot.at('3')
            if not (yield from transition(robot, closer)):
                robot.at('3b')
                yield from go_round(robot, closer.enough)

    # ---- what its kin do in another way -------------------------------------------------------

    def gaze(self) -> Gaze:
        """Return where the sensor looks."""
        return AllAround()

    def motion_to_goal(self, robot: Robot, sight: TangentSight, gaze: Gaze
                       ) -> Generator[Intent, None, Hit]:
        """Move until the distance to the goal has a local minimum, and return the hit there."""
        return move_along_graph(robot, sight, gaze, self.refine)

    def refine(self, robot: Robot, graph: TangentGraph, aim: Aim) -> Aim:
        """Return the place to go to for a node."""
        return aim

    def leave_rule(self, closer: CloserInSight) -> Rule:
        """Return when to leave the boundary."""
        return closer
