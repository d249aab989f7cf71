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
DistBug: leave where the free way towards the goal ends closer than any visited point.

I. Kamon and E. Rivlin, "Sensory-based motion planning with global proofs", IEEE Transactions on
Robotics and Automation 13(6):814-822, 1997.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.algorithms.base import (
    CLOSED_LAP,
    Metadata,
    MOVE_TO_GOAL,
    RANGE,
    SAFE_RULE,
    Step,
)
from bug_nav.navigation.algorithms.leave_by_rule import LeaveByRule
from bug_nav.navigation.behaviors.follow_boundary import Rule
from bug_nav.navigation.names import less
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Hit, Robot


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of the algorithms that measure the free way to the goal."""

    sensor_range: float = parameter(
        3.5, "range used towards the goal, at most the sensor's own range", unit='m',
        low=0.2, high=100.0)
    step: float = parameter(
        0.2, 'minimum distance by which the free way ends closer to the goal than all visited '
             'points',
        unit='m',
        low=0.05, high=5.0)


class FreeWayEndsCloser:
    """Leave condition: the free way F towards the goal ends at least Step closer than d_min."""

    def __init__(self, parameters: Parameters):
        """Start with nothing visited."""
        self.step = parameters.step
        self.reach = parameters.sensor_range
        self.closest = math.inf

    def visit(self, hit: Hit) -> None:
        """Add a hit point; if it is farther than d_min, halve the range used from now on."""
        if hit.distance > self.closest:
            self.reach *= 0.5  # the way looked free from too far away
        self.closest = min(self.closest, hit.distance)

    def __call__(self, robot: Robot) -> bool:
        """Return whether the goal is visible or the free way ends closer."""
        self.closest = min(self.closest, robot.goal_distance)
        if not robot.way_is_free():
            return False
        free = robot.free_distance_ahead(min(self.reach, robot.goal_distance))
        ends = robot.goal_distance - free
        if ends <= robot.settings.xy_goal_tolerance:
            return robot.because(f'the goal is visible, F = {free:.2f} m')
        return ends <= self.closest - self.step and robot.because(
            f'the free way F = {free:.2f} m ends closer to the goal, '
            + less('d(x) - F', ends, 'd_min', self.closest))


class DistBug(LeaveByRule):
    """Leave where the free way towards the goal ends closer than any visited point."""

    metadata = Metadata(
        title='DistBug', source='Kamon and Rivlin 1997', sensing=RANGE,
        memory='hit point and least distance to the goal', complete=True,
        bound='none in the perimeters alone',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='taken from secondary sources; the turn direction is a setting instead of a '
                    'choice from the scan, and the robot never turns back; d_min is not reset at '
                    'a hit; after a hit farther away than d_min, the range used is halved; '
                    f'{SAFE_RULE}, so that the algorithm is complete for any Step')
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary until the goal is reached or 2b or 2c applies.'),
        Step('2b', 'If the goal is visible, or the free way F towards it ends closer than all '
                   'visited points, d(x) - F <= d_min - Step, leave and continue with 1.'),
        Step('2c', CLOSED_LAP))

    def begin(self) -> None:
        """Forget d_min."""
        self.closer = FreeWayEndsCloser(self.parameters)

    def leave_rule(self, robot: Robot, hit: Hit) -> Rule:
        """Return step 2b."""
        self.closer.visit(hit)
        return self.closer
