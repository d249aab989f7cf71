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

"""Wall following for a distance or a time, independent of the goal."""

from __future__ import annotations

import dataclasses

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CONTACT,
    IntentGenerator,
    Metadata,
    Step,
    TURN_BY_ALGORITHM,
)
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Outcome, Result


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """The side of the wall, and the limits of which the first ends the goal."""

    wall_side: str = parameter(
        'right', 'side of the robot on which the wall is kept', choices=('left', 'right'))
    distance: float = parameter(
        5.0, 'distance along the wall; 0 for no limit', unit='m', low=0.0, high=1e5)
    time: float = parameter(
        0.0, 'time along the wall; 0 for no limit', unit='s', low=0.0, high=1e6)

    def __post_init__(self) -> None:
        """Check every field, and that at least one limit is set."""
        super().__post_init__()
        if self.distance == 0.0 and self.time == 0.0:
            raise ValueError('distance and time are both 0; give at least one of them a limit')


class LimitReached:
    """Holds once the wall has been followed for the distance or the time."""

    def __init__(self, robot: Robot, parameters: Parameters):
        """Count from the current position and time."""
        self.parameters = parameters
        self.begin = robot.path_length, robot.stamp

    def followed(self, robot: Robot) -> float:
        """Return the distance along the wall [m]."""
        return robot.path_length - self.begin[0]

    def __call__(self, robot: Robot) -> bool:
        """Return whether one of the limits is reached."""
        distance, time = self.parameters.distance, self.parameters.time
        is_reached = (0.0 < distance <= self.followed(robot)
                      or 0.0 < time <= robot.stamp - self.begin[1])
        return is_reached and robot.because(
            f'the wall was followed for {self.followed(robot):.2f} m and '
            f'{robot.stamp - self.begin[1]:.2f} s')


class FollowWall(Algorithm):
    """
    Drive straight towards the goal to the first wall, and follow it.

    At the limit, the outcome is REACHED because the request is fulfilled; the message gives the
    distance. A goal that is passed on the way is REACHED as always.
    """

    metadata = Metadata(
        title='Wall following', source='folklore', sensing=CONTACT, memory='none', complete=False,
        bound='the distance to the wall and the distance along it',
        guarantee='follows a wall for a distance or for a time; does not search for the goal',
        differences='the limits, a distance or a time', turn=TURN_BY_ALGORITHM)
    Parameters = Parameters
    steps = (
        Step('1', 'Move straight towards the goal to the first wall.'),
        Step('2', 'Follow the wall on the chosen side.'),
        Step('3', 'End after the distance or the time.'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps; a short wall is followed around several times."""
        robot.enter_step('1')
        hit = yield from move_to_goal(robot)
        robot.enter_step('2')
        follower = meet_boundary(robot, hit, 1 if self.parameters.wall_side == 'right' else -1)
        limit = LimitReached(robot, self.parameters)
        while not limit(robot):
            yield from follow_boundary(robot, follower, limit)
        robot.enter_step('3')
        return Result(Outcome.REACHED, f'followed the wall for {limit.followed(robot):.2f} m')
