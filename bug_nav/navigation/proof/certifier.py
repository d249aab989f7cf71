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
Certification of verdicts: a closed chain, and certain places of robot and goal.

The places are as certain as the localization and the clocks of the sensors.
"""

from __future__ import annotations

from typing import List

from bug_nav.navigation.geometry import Point
from bug_nav.navigation.perception.sensor_queue import SensorQueue
from bug_nav.navigation.proof.chain import is_certain
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Outcome, Result

CONFIDENCE = 2.0
"""Number of standard deviations within which a place must be certain."""


class Certifier:
    """Certifies verdicts, and names the cause of those that cannot be certified."""

    def __init__(self, robot: Robot, queue: SensorQueue):
        """Take the robot of a goal, and the queue of its sensors."""
        self._robot, self._queue = robot, queue
        self._localization = robot.perception.localization

    def certify(self, result: Result, chain: List[Point]) -> Result:
        """Return a verdict with its certificate, or another result if there is none."""
        robot, localization = self._robot, self._localization
        skew = self._queue.skew_message
        if not chain:
            return Result(
                Outcome.ODOM_CONTRADICTORY, 'the algorithm reports the goal as unreachable, but '
                'the remembered obstacles do not form a closed chain', result.lap_length)
        if skew and not localization.knows_skew:
            return Result(Outcome.UNDECIDED, 'the obstacles form a closed chain, but '
                          f'{skew}', result.lap_length)
        # The end of the lap must be certain relative to its start, and the goal well inside.
        error = CONFIDENCE * localization.uncertainty(robot.local_goal)
        if (CONFIDENCE * localization.uncertainty(robot.odom_position) > robot.contour_radius
                or error > 0.0 and not is_certain(robot, chain, error)):
            return Result(
                Outcome.UNDECIDED, 'the obstacles form a closed chain, but odometry may be off by '
                f'{error:.2f} m, which is too much for a proof', result.lap_length)
        return result._replace(certificate=tuple(map(robot.correction.apply, chain)))

    def complete(self, result: Result, goal_is_measured: bool) -> Result:
        """
        Return the result that ends a goal, with its cause, its uncertainty, and any clock skew.

        ``goal_is_measured`` is that of the last `TickInput`.
        """
        skew = self._queue.skew_message
        if result.outcome is Outcome.ODOM_CONTRADICTORY:
            result = self._attribute(result, skew)
        result = self._qualify(result._replace(
            uncertainty=self._localization.uncertainty(self._robot.local_goal)), goal_is_measured)
        if skew not in result.message:
            result = result._replace(message=f'{result.message}; {skew}')
        return result

    def _attribute(self, contradiction: Result, skew: str) -> Result:
        """Add the cause to a contradiction: not odometry if its error is small."""
        if self.is_located and not skew:
            return contradiction._replace(
                outcome=Outcome.UNDECIDED, message='the sensors do not resolve the obstacles: '
                f'{contradiction.message}, although the position is known to '
                f'{self._location_error:.2f} m')
        return contradiction._replace(message=f'{contradiction.message}: odometry drifts, or the '
                                      'sensors do not resolve the obstacles')

    def _qualify(self, result: Result, goal_is_measured: bool) -> Result:
        """Return a result that states whether a goal is reached for certain: known to rho."""
        robot, error = self._robot, CONFIDENCE * result.uncertainty
        # An algorithm such as follow_wall can end as REACHED elsewhere.
        if (result.outcome is not Outcome.REACHED or not error > robot.contour_radius
                or goal_is_measured or robot.goal_distance > robot.settings.xy_goal_tolerance):
            return result
        return result._replace(
            outcome=Outcome.REACHED_UNCERTAIN, message=f'{robot.goal_distance:.3f} m from the '
            f'goal by the estimate, but the position is only known to {error:.2f} m (two standard '
            'deviations)')

    @property
    def is_located(self) -> bool:
        """Return whether robot and goal are known to the contour radius."""
        return self._location_error <= self._robot.contour_radius

    @property
    def _location_error(self) -> float:
        """Return the largest likely error of robot and goal [m]; NaN if it is not estimated."""
        robot, uncertainty = self._robot, self._localization.uncertainty
        return CONFIDENCE * max(uncertainty(robot.local_goal), uncertainty(robot.odom_position))
