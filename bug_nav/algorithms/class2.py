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
Class2: as Class1, but it leaves at local minima of the distance alone.

H. Noborio, "A path-planning algorithm for generation of an intuitively reasonable path in an
uncertain 2-D workspace", Japan-USA Symposium on Flexible Automation, 1990.
"""

from __future__ import annotations

from bug_nav.algorithms.base import Algorithm, CLOSED, CONTACT, Facts, GO, Run, SAFE_RULE, Step
from bug_nav.algorithms.class1 import Parameters
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.local_minimum import Valley
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.robot import Robot

RISE = 0.003
"""A minimum is passed when the distance to the goal has risen by this [m]."""


class CloserMinimum:
    """The rule to leave: a local minimum of d, less than d(H), from which the way is free."""

    def __init__(self, closer_than: float):
        """Take the distance to be undercut [m]."""
        self.closer_than = closer_than
        self._valley = Valley(RISE)

    def __call__(self, robot: Robot) -> bool:
        """Tell whether such a minimum has just been passed."""
        return (self._valley.passed(robot.goal_distance)
                and self._valley.floor < self.closer_than and robot.way_is_free()
                and robot.because('a local minimum of d is passed, '
                                  f'{robot.closer_than_hit("d(x)", self._valley.floor)}, and the '
                                  'way is free'))


class Class2(Algorithm):
    """Leave the boundary at a local minimum of the distance that is closer than the hit point."""

    facts = Facts(
        title='Class2', source='Noborio 1990', sensing=CONTACT,
        memory='distance of the last hit point', complete=True, ordered=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours='the rule to leave is taken from secondary sources, which do not define it; it '
             f'leaves where the minimum has just been passed; {SAFE_RULE}',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        GO,
        Step('2', 'Follow the boundary, until the goal is reached or 2b or 2c holds.'),
        Step('2b', 'Where d has a local minimum, d(x) < d(H_i), and the way from x to the goal is '
                   'free, leave and go on with 1.'),
        Step('2c', CLOSED))

    def run(self, robot: Robot) -> Run:
        """Go, go round, and leave at a minimum; a lap without one is the proof."""
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            closer = CloserMinimum(hit.distance - self.parameters.leave_margin)
            wall = meet_boundary(robot, hit)
            lap = yield from follow_boundary(robot, wall, closer)
            robot.at('2c' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
            robot.record_leave()
