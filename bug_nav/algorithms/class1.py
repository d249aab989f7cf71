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
Class1, also known as Com1.

H. Noborio, "A path-planning algorithm for generation of an intuitively reasonable path in an
uncertain 2-D workspace", Japan-USA Symposium on Flexible Automation, 1990; Com1 in K. N. McGuire,
G. de Croon and K. Tuyls, "A comparative study of bug algorithms for robot navigation", Robotics
and Autonomous Systems 121, 2019, which is where the rule is taken from.
"""

from __future__ import annotations

import dataclasses

from bug_nav.algorithms.base import Algorithm, CLOSED, CONTACT, Facts, GO, Run, SAFE_RULE, Step
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.core.parameters import Checked, parameter
from bug_nav.robot import Robot


@dataclasses.dataclass(frozen=True)
class Parameters(Checked):
    """The parameters of the algorithms that leave closer to the goal than they hit."""

    leave_margin: float = parameter(
        0.03, 'a place to leave from has to be closer to the goal than the hit point by this',
        unit='m', low=0.0, high=0.2)


class Closer:
    """The rule to leave: d(x) < d(H), and the way from x to the goal is free."""

    def __init__(self, closer_than: float):
        """Take the distance to be undercut [m]."""
        self.closer_than = closer_than

    def __call__(self, robot: Robot) -> bool:
        """Tell whether the rule holds."""
        return (robot.goal_distance < self.closer_than and robot.way_is_free() and robot.because(
            f'{robot.closer_than_hit("d(x)", robot.goal_distance)}, and the way is free'))


class Class1(Algorithm):
    """Leave the boundary as soon as the way is free from a place closer than the hit point."""

    facts = Facts(
        title='Class1 (Com1)', source='Noborio 1990', sensing=CONTACT,
        memory='distance of the last hit point', complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours=f'the rule to leave is taken from secondary sources; {SAFE_RULE}')
    Parameters = Parameters
    steps = (
        GO,
        Step('2', 'Follow the boundary, until the goal is reached or 2b or 2c holds.'),
        Step('2b', 'Where d(x) < d(H_i), and the way from x to the goal is free, leave and go on '
                   'with 1.'),
        Step('2c', CLOSED))

    def run(self, robot: Robot) -> Run:
        """Go, go round, and leave closer; a lap without a place to leave is the proof."""
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            closer = Closer(hit.distance - self.parameters.leave_margin)
            wall = meet_boundary(robot, hit)
            lap = yield from follow_boundary(robot, wall, closer)
            robot.at('2c' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
            robot.record_leave()
