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
Bug2: follow obstacles until the M-line, from start to goal, is met closer to the goal.

V. J. Lumelsky and A. A. Stepanov, "Path-planning strategies for a point mobile automaton moving
amidst unknown obstacles of arbitrary shape", Algorithmica 2:403-430, 1987.
"""

from __future__ import annotations

import dataclasses

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CLOSED_LAP,
    CONTACT,
    IntentGenerator,
    Metadata,
    SAFE_RULE,
    Step,
)
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import distance, Point, Segment
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Robot


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of the algorithms that leave on the M-line."""

    leave_margin: float = parameter(
        0.03, 'minimum distance by which a crossing of the M-line is closer to the goal than the '
              'hit point',
        unit='m', low=0.0, high=0.03)


class CloserOnMLine:
    """Step 2b: the M-line is met at Q, d(Q) < d(H), and the way from Q to the goal is free."""

    def __init__(self, start: Point, closer_than: float):
        """Set the start of the M-line, and the upper bound of d(Q) [m]."""
        self.start = start
        self.closer_than = closer_than

    def __call__(self, robot: Robot) -> bool:
        """Return whether the robot's last motion met the rule."""
        if robot.previous is None:
            return False
        m_line = Segment(self.start, robot.goal)
        q = m_line.crossing(robot.previous, robot.position)
        return (q is not None and distance(q, robot.goal) < self.closer_than
                and robot.way_is_free() and robot.because(
                    'the M-line is met at Q, '
                    f'{robot.closer_than_hit("d(Q)", distance(q, robot.goal))}, '
                    'and the way is free'))


class Bug2(Algorithm):
    """Follow the M-line, and each obstacle until the M-line is met closer to the goal."""

    metadata = Metadata(
        title='Bug2', source='Lumelsky and Stepanov 1987', sensing=CONTACT,
        memory='the M-line and the last hit point', complete=True, m_line=True, ordered=True,
        bound='D + sum of ceil(n_i / 2) p_i (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='the robot moves straight to the goal from the leave point, which may be '
                    'slightly off the M-line; an odd n_i, of an enclosed goal, is rounded up in '
                    f'the bound; {SAFE_RULE}, on a new M-line')
    Parameters = Parameters
    steps = (
        Step('1', 'Move along the M-line towards the goal until it is reached or an obstacle is '
                  'hit at H_i.'),
        Step('2', 'Follow the boundary in the chosen direction until the goal is reached or 2b or '
                  '2c applies.'),
        Step('2b', 'If the M-line is met at Q, d(Q) < d(H_i), and the way from Q to the goal is '
                   'free, leave and continue with 1.'),
        Step('2c', CLOSED_LAP))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps of the paper."""
        start = robot.position
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            closer = CloserOnMLine(start, hit.distance - self.parameters.leave_margin)
            follower = meet_boundary(robot, hit)
            trace = yield from follow_boundary(robot, follower, closer)
            robot.enter_step('2c' if trace.closed else '2b')
            if trace.closed:
                yield from leave_at_closest(robot, trace, follower)
                start = robot.position  # a new M-line, because the lap contradicts the old one
            robot.record_leave()
