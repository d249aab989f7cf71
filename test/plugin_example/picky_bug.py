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

"""A Bug algorithm in a separate package; it leaves an obstacle only for a long free path."""

from __future__ import annotations

import dataclasses

from bug_nav import (
    Algorithm,
    CLOSED_LAP,
    follow_boundary,
    IntentGenerator,
    leave_at_closest,
    meet_boundary,
    Metadata,
    MOVE_TO_GOAL,
    move_to_goal,
    parameter,
    ParameterSet,
    RANGE,
    Robot,
    Step,
)

MARGIN = 0.05
"""Minimum difference of the goal distances of hit point and leave point [m]."""


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters: `picky_bug.reach`."""

    reach: float = parameter(
        1.0, 'minimum free distance towards the goal at a leave point, or up to the goal',
        unit='m', low=0.2, high=3.0)


class LongFreePath:
    """Leave rule: closer to the goal than the hit point, with a long free path."""

    def __init__(self, closer_than: float, reach: float):
        """Store the maximum goal distance and the required length of the free path [m]."""
        self.closer_than, self.reach = closer_than, reach

    def __call__(self, robot: Robot) -> bool:
        """Return whether to leave here; called once per tick."""
        needed = min(self.reach, robot.goal_distance - robot.settings.xy_goal_tolerance)
        return (robot.goal_distance < self.closer_than
                and robot.free_distance_ahead(self.reach) >= needed
                and robot.because(f'{robot.closer_than_hit("d(x)", robot.goal_distance)}, and '
                                  f'{needed:.2f} m are free'))


class PickyBug(Algorithm):
    """Follow the boundary of an obstacle until the goal is closer and the path to it is free."""

    metadata = Metadata(
        title='PickyBug', source='an example', sensing=RANGE,
        memory='distance of the last hit point', complete=True, bound='none known',
        guarantee='reaches the goal, or proves that it cannot be reached')
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary until the goal is reached or 2b or 2c applies.'),
        Step('2b', 'If x is closer to the goal than H_i, and the way there is free for '
                   '`picky_bug.reach` or up to the goal, leave and continue with 1.'),
        Step('2c', CLOSED_LAP))

    def run(self, robot: Robot) -> IntentGenerator:
        """Move to the goal, follow boundaries, and leave them."""
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            follower = meet_boundary(robot, hit)
            rule = LongFreePath(hit.distance - MARGIN, self.parameters.reach)
            trace = yield from follow_boundary(robot, follower, rule)
            robot.enter_step('2c' if trace.closed else '2b')
            if trace.closed:  # safe rule: leave at the closest point, or report unreachable
                yield from leave_at_closest(robot, trace, follower)
            robot.record_leave()
