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
The policy that decides when a verdict counts in a world that may have changed.

UNREACHABLE rests on a chain of obstacle points. Possibly dynamic points of the chain must have
been stationary for `settled_timeout`: until then, the robot waits where it observes them, and
drives another round where it does not. A loop or a contradiction after obstacles have appeared or
disappeared is no verdict either. The number of rounds is limited; the outcome after the last one
is WORLD_CHANGED.

Single rangers measure the range of an obstacle, but hardly its bearing, so that a gap looks too
narrow from afar. If every chain has such a gap, or after a contradiction, another round starts in
which the gap counts as open until the robot finds it too narrow from nearby.

A lidar may miss an obstacle that it saw once from afar. A contradiction that odometry does not
explain starts another round, in which the robot remembers more.
"""

from __future__ import annotations

import math
from typing import Optional

from bug_nav.navigation.perception.sensor_queue import SensorQueue
from bug_nav.navigation.proof.certifier import Certifier
from bug_nav.navigation.proof.chain import (
    find_chain,
    FIRST_GAP_ERROR,
    is_doubtful,
    LATER_GAP_ERROR,
    settled_chain,
)
from bug_nav.navigation.proof.settled import have_gone, is_observed, possibly_dynamic
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Outcome, Result
import numpy as np

MAX_ROUNDS = 5
"""Maximum number of additional rounds after changes of the world."""
MAX_RESTARTS = 100
"""Maximum number of restarts of the algorithm, for any reason."""
CHECK_PERIOD = 2.0
"""Period of checks whether possibly dynamic points are still there [s]."""
PROOF_PERIOD = 20.0
"""Minimum time between two searches for a proof without a lap [s]."""
MAX_DOUBTS = 2
"""Maximum number of rounds in which the robot checks unresolved obstacles or gaps again."""


class ProofPolicy:
    """Holds verdicts back until they count."""

    def __init__(self, robot: Robot, queue: SensorQueue):
        """Start without a verdict; the arguments are as for `Certifier`."""
        self._robot, self._certifier = robot, Certifier(robot, queue)
        self.complete = self._certifier.complete
        self.verdict: Optional[Result] = None
        """The verdict that is held back, for which the robot waits."""
        self._found_at = self._checked_at = self._proved_at = -math.inf
        self._rounds = self._restarts = self._doubts = 0

    def conclude(self, result: Result) -> Optional[Result]:
        """Certify and judge a result of the algorithm; return the same as `judge`."""
        if result.outcome is Outcome.UNREACHABLE:
            result = self._certifier.certify(result, find_chain(self._robot))
        return self.judge(result)

    def prove(self, now: float) -> Optional[Result]:
        """
        Return UNREACHABLE if the settled obstacles in memory separate the robot from the goal.

        Where doors keep moving, a lap may never be closed. The robot stands, because the search
        may exceed a tick; None if it is not due. ``now`` [s] is on the steady clock. A contour
        that closes around a robot which had driven in freely proves nothing.
        """
        robot, perception = self._robot, self._robot.perception
        if not perception.has_changed or now < self._proved_at + PROOF_PERIOD:
            return None
        self._proved_at = now
        if robot.has_driven and robot.is_boxed_in():
            return None
        perception.update_far_points()
        result = self._certifier.certify(
            Result(Outcome.UNREACHABLE, 'static obstacles separate the robot from the goal'),
            settled_chain(self._robot))
        return result if result.outcome is Outcome.UNREACHABLE else None

    def judge(self, result: Result) -> Optional[Result]:
        """
        Return the result that ends the goal; None to wait, or to restart the algorithm.

        None means to wait if `verdict` is set, and to restart otherwise. ``result`` is that of the
        algorithm, with its certificate if it needs one.
        """
        if result.outcome is Outcome.UNREACHABLE:
            if (self._doubts < MAX_DOUBTS
                    and is_doubtful(self._robot, result.certificate, FIRST_GAP_ERROR)):
                self._doubts += 1
                return self.restart('a gap around the goal may be wider than measured')
            if is_doubtful(self._robot, result.certificate, LATER_GAP_ERROR):
                return _unresolved('the width of a gap around the goal is uncertain', result)
            self.verdict, self._found_at, self._checked_at = result, self._robot.stamp, -math.inf
            self._robot.because('possibly dynamic obstacles enclose the goal: they must be '
                                f'stationary for {self._robot.settings.settled_timeout:g} s')
            return self.check()
        perception = self._robot.perception
        if (result.outcome in (Outcome.ODOM_CONTRADICTORY, Outcome.LOOP_DETECTED)
                and perception.has_changed):
            return self._after_change('obstacles have appeared or disappeared meanwhile', result)
        if result.outcome is Outcome.ODOM_CONTRADICTORY and perception.perceived.cone_angle > 0.0:
            return self._next_round('the readings of the rangers contradict each other',
                                    _unresolved(f'{result.message}, in the last of '
                                                f'{MAX_ROUNDS + 1} rounds (or odometry drifts)',
                                                result))
        # If odometry does not cause it.
        if (result.outcome is Outcome.ODOM_CONTRADICTORY and self._certifier.is_located
                and self._doubts < MAX_DOUBTS):
            self._doubts += 1
            return self.restart(result.message)
        return result

    def check(self) -> Optional[Result]:
        """Check whether the verdict that is held back counts now; return the same as `judge`."""
        robot, verdict = self._robot, self.verdict
        assert verdict is not None
        if robot.stamp < self._checked_at + CHECK_PERIOD:
            return None
        self._checked_at = robot.stamp
        perception, inverse = robot.perception, robot.correction.inverse()
        chain = [inverse.apply(place) for place in verdict.certificate]
        perception.update_far_points()
        if robot.has_opened(np.array(chain), self._found_at):
            return self.restart('an obstacle that encloses the goal has disappeared')
        if have_gone(perception, chain):
            return self._after_change('a part of the chain around the goal has gone', verdict)
        needed = robot.settings.settled_timeout
        doubtful = possibly_dynamic(perception, chain, needed, robot.stamp)
        if not doubtful:
            return verdict
        # If nothing has ever moved, the robot does not need to check. It watches an obstacle that
        # has come back, but not forever.
        if perception.has_changed and (
                robot.stamp - self._found_at > needed + CHECK_PERIOD
                or not any(is_observed(perception, place) for place in doubtful)):
            return self._after_change('obstacles that enclose the goal may move away', verdict)
        return None

    def restart(self, change: str) -> Optional[Result]:
        """Request a restart of the algorithm at the current pose; return the same as `judge`."""
        self.verdict = None
        self._robot.because(f'{change}: the algorithm restarts here')
        self._restarts += 1
        if self._restarts > MAX_RESTARTS:
            return Result(
                Outcome.WORLD_CHANGED, f'the world kept changing: {change}, after {MAX_RESTARTS} '
                'restarts of the algorithm')
        return None

    def _after_change(self, change: str, result: Result) -> Optional[Result]:
        """Start another round after a change of the world."""
        return self._next_round(change, Result(
            Outcome.WORLD_CHANGED, f'the world kept changing: {change}, in each of {MAX_ROUNDS} '
            'further rounds', result.lap_length))

    def _next_round(self, change: str, last: Result) -> Optional[Result]:
        """Start another round; after the last one, end with the result ``last``."""
        self._rounds += 1
        return last if self._rounds > MAX_ROUNDS else self.restart(change)


def _unresolved(reason: str, result: Result) -> Result:
    """Return the result of a goal that single rangers cannot decide."""
    return Result(Outcome.UNDECIDED, f'the rangers do not resolve the obstacles: {reason}',
                  result.lap_length)
