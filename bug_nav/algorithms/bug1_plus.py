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
Bug1+, reconstructed: Bug1 that ends its lap as soon as the goal is in sight.

It is a recombination: all of it is Bug1's but `GoalInSight`.

J. Ng, "An analysis of mobile robot navigation algorithms in unknown environments", PhD thesis,
University of Western Australia, 2010.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.algorithms.base import Algorithm, Facts, RANGE, Run, Step
from bug_nav.algorithms.bug1 import Bug1
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.core.parameters import Checked, parameter
from bug_nav.robot import Hit, Robot


@dataclasses.dataclass(frozen=True)
class Parameters(Checked):
    """Bug1+'s own parameters."""

    sensor_range: float = parameter(
        3.5, "how far is looked towards the goal, at most the sensor's own range", unit='m',
        low=0.2, high=100.0)


class GoalInSight:
    """The rule to end the lap: the way is free as far as the goal."""

    def __init__(self, sensor_range: float):
        """Take how far is looked [m]."""
        self.sensor_range = sensor_range
        self._within = math.inf

    def was_wrong(self, hit: Hit) -> None:
        """
        Hold closer to the goal than this hit from now on: it came after a lap that ended so.

        A centimetre of noise decides whether a gap is seen as free, and without this the robot
        would come back to it lap for lap.
        """
        self._within = hit.distance

    def __call__(self, robot: Robot) -> bool:
        """Tell whether the rule holds."""
        to_go = robot.goal_distance - robot.settings.xy_goal_tolerance
        return (to_go < self.sensor_range and robot.goal_distance < self._within
                and robot.way_is_free()
                and robot.free_distance_ahead(self.sensor_range) >= to_go
                and robot.because('the goal is in sight, the way there free for '
                                  f'{to_go:.2f} m'))


class Bug1Plus(Algorithm):
    """Go once around every obstacle, unless the goal comes into sight before."""

    facts = Facts(
        title='Bug1+-R', source='Ng 2010', sensing=RANGE,
        memory='the hit point, the closest place, and the way between them',
        complete=True,
        bound='D + 1.5 sum of p_i (of Bug1)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours="the thesis' own definition was not at hand: a recombination, Bug1 as it is here, "
             'with a lap that ends where the goal is in sight; where the robot then hits '
             'something after all, the next look has to be from closer',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        *Bug1.steps[:2],
        Step('2a', 'Where the goal is in sight, leave and go on with 1.'),
        Bug1.steps[2])

    def run(self, robot: Robot) -> Run:
        """Walk as Bug1, and leave the lap where the goal is in sight."""
        in_sight = GoalInSight(self.parameters.sensor_range)
        seen = False
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            if seen:
                in_sight.was_wrong(hit)
            wall = meet_boundary(robot, hit)
            with robot.state('circumnavigation'):
                lap = yield from follow_boundary(robot, wall, in_sight)
            seen = not lap.closed
            robot.at('2a' if seen else '3')
            if not seen:
                yield from leave_at_closest(robot, lap, wall)
            robot.record_leave()
