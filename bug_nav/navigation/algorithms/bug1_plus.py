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
Bug1+, reconstructed: Bug1 that ends its lap as soon as the goal is visible.

A recombination of Bug1 with `GoalVisible`.

J. Ng, "An analysis of mobile robot navigation algorithms in unknown environments", PhD thesis,
University of Western Australia, 2010.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.algorithms.base import Algorithm, IntentGenerator, Metadata, RANGE, Step
from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Hit, Robot


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of Bug1+."""

    sensor_range: float = parameter(
        3.5, "range used towards the goal, at most the sensor's own range", unit='m',
        low=0.2, high=100.0)


class GoalVisible:
    """Leave condition: the way to the goal is free over its whole length."""

    def __init__(self, sensor_range: float):
        """``sensor_range``: range used [m]."""
        self.sensor_range = sensor_range
        self._within = math.inf

    def was_wrong(self, hit: Hit) -> None:
        """
        Require points closer to the goal than ``hit``, which followed a wrong decision.

        Otherwise a gap near 2 rho, which range noise can make look free, would attract the robot
        in every lap.
        """
        self._within = hit.distance

    def __call__(self, robot: Robot) -> bool:
        """Return whether the condition holds."""
        to_go = robot.goal_distance - robot.settings.xy_goal_tolerance
        return (to_go < self.sensor_range and robot.goal_distance < self._within
                and robot.way_is_free()
                and robot.free_distance_ahead(self.sensor_range) >= to_go
                and robot.because(f'the goal is visible, its way of {to_go:.2f} m is free'))


class Bug1Plus(Algorithm):
    """Go once around every obstacle, unless the goal becomes visible before."""

    metadata = Metadata(
        title='Bug1+-R', source='Ng 2010', sensing=RANGE,
        memory='the hit point, the closest point, and the contour between them',
        complete=True,
        bound='D + 1.5 sum of p_i (of Bug1)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences="the thesis' definition was not available: a recombination of Bug1 as "
                    'implemented here with a lap that ends when the goal is visible; after a hit '
                    'on that way, the goal counts as visible only from closer points',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        *Bug1.steps[:2],
        Step('2a', 'If the goal is visible, leave and continue with 1.'),
        Bug1.steps[2])

    def run(self, robot: Robot) -> IntentGenerator:
        """Run Bug1, and leave the lap when the goal is visible."""
        is_visible = GoalVisible(self.parameters.sensor_range)
        left_early = False
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            if left_early:
                is_visible.was_wrong(hit)
            follower = meet_boundary(robot, hit)
            with robot.state('circumnavigation'):
                trace = yield from follow_boundary(robot, follower, is_visible)
            left_early = not trace.closed
            robot.enter_step('2a' if left_early else '3')
            if not left_early:
                yield from leave_at_closest(robot, trace, follower)
            robot.record_leave()
