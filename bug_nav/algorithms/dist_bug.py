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
DistBug.

I. Kamon and E. Rivlin, "Sensory-based motion planning with global proofs", IEEE Transactions on
Robotics and Automation 13(6):814-822, 1997.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.algorithms.base import Algorithm, CLOSED, Facts, GO, RANGE, Run, SAFE_RULE, Step
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.core.parameters import Checked, parameter
from bug_nav.core.reasons import less
from bug_nav.robot import Hit, Robot


@dataclasses.dataclass(frozen=True)
class Parameters(Checked):
    """The parameters of the algorithms that look at the free way to the goal."""

    sensor_range: float = parameter(
        3.5, "how far is looked towards the goal, at most the sensor's own range", unit='m',
        low=0.2, high=100.0)
    step: float = parameter(
        0.2, 'the free way has to end closer to the goal than anything visited by this', unit='m',
        low=0.05, high=5.0)


class FreeWayEndsCloser:
    """The rule to leave: the free way F towards the goal ends at least Step closer than d_min."""

    def __init__(self, parameters: Parameters):
        """Begin with nothing visited."""
        self.step = parameters.step
        self.reach = parameters.sensor_range
        self.closest = math.inf

    def visit(self, hit: Hit) -> None:
        """Take note of a hit; where it is no closer than all before, the last look was wrong."""
        if hit.distance > self.closest:
            self.reach *= 0.5  # what is seen from farther away cannot be trusted here
        self.closest = min(self.closest, hit.distance)

    def __call__(self, robot: Robot) -> bool:
        """Tell whether the goal is visible or the free way ends closer."""
        self.closest = min(self.closest, robot.goal_distance)
        if not robot.way_is_free():
            return False
        free = robot.free_distance_ahead(min(self.reach, robot.goal_distance))
        ends = robot.goal_distance - free
        if ends <= robot.settings.xy_goal_tolerance:
            return robot.because(f'the goal is in sight, F = {free:.2f} m are free')
        return ends <= self.closest - self.step and robot.because(
            f'F = {free:.2f} m are free and end closer to the goal, '
            + less('d(x) - F', ends, 'd_min', self.closest))


class DistBug(Algorithm):
    """Leave where the free way towards the goal ends closer than anything visited."""

    facts = Facts(
        title='DistBug', source='Kamon and Rivlin 1997', sensing=RANGE,
        memory='hit point and least distance', complete=True,
        bound='none in the perimeters alone',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours='taken from secondary sources; the turn direction is a setting, not chosen from what '
             'is seen, and the robot never turns back; d_min is not reset at a hit, and after a '
             f'look that was wrong the next ones are half as far; {SAFE_RULE}, so that no step is '
             'too large')
    Parameters = Parameters
    steps = (
        GO,
        Step('2', 'Follow the boundary, until the goal is reached or 2b or 2c holds.'),
        Step('2b', 'Where the goal is in sight, or the free way F towards it ends closer than all '
                   'places before, d(x) - F <= d_min - Step, leave and go on with 1.'),
        Step('2c', CLOSED))

    def run(self, robot: Robot) -> Run:
        """Go, go round, and leave by the rule; a lap without a place to leave is the proof."""
        closer = FreeWayEndsCloser(self.parameters)
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            closer.visit(hit)
            wall = meet_boundary(robot, hit)
            lap = yield from follow_boundary(robot, wall, closer)
            robot.at('2c' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
            robot.record_leave()
