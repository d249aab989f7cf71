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
What a result counts for in a world that may have changed since the robot saw it.

UNREACHABLE rests on a chain of obstacle points. Those of it that may go again (somebody, or what
has come) have to have stood there for a while: until then the robot waits where it sees them, and
goes round once more where it does not. A loop or a contradiction, after something has come or
gone, is no end either. The rounds are bounded, and after them the outcome is one of its own.

Single rangers measure how far away an obstacle is, but hardly in which direction, so that a gap
looks too narrow from afar. They look again: a chain with such a gap, or a contradiction, begins
another round, in which the gap is open until it is refused from near.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional

from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Outcome, Result
import numpy as np

ROUNDS = 5
"""The robot goes round once more, where the world has changed, so often at most."""
BEGINNINGS = 100
"""So often at most it meets the world anew, as where what it followed has gone."""
PAUSE = 2.0
"""Whether somebody still stands in the way is looked at so often [s]."""
DOUBTS = 2
"""Number of rounds in which single rangers look again at a gap that may be wider than it looks."""
FROM_NEAR = 0.35
"""What is left of that error then, as a share of the width of a cone at the contour."""


class Next(NamedTuple):
    """What comes next: an end with a result; or else a new beginning, or some time of waiting."""

    result: Optional[Result] = None
    begins_anew: bool = False


WAIT, ANEW = Next(), Next(None, True)


class Confirmation:
    """Holds back the verdicts of a goal until they count."""

    def __init__(self, robot: Robot):
        """Begin with none."""
        self._robot = robot
        self.verdict: Optional[Result] = None
        """The verdict that is held back."""
        self._found = self._looked = -math.inf
        self._rounds = self._beginnings = self._doubts = 0

    def of(self, result: Result) -> Next:
        """Return what becomes of a result that is certified, where it needs to be."""
        if result.outcome is Outcome.UNREACHABLE:
            if self._robot.is_doubtful(result.certificate) and self._doubts < DOUBTS:
                self._doubts += 1
                return self.anew('a gap of the chain around the goal may be wider than it looks')
            if self._robot.is_doubtful(result.certificate, FROM_NEAR):
                return Next(_unresolved('they do not tell whether the robot fits through a gap '
                                        'of the chain around the goal', result))
            self.verdict, self._found, self._looked = result, self._robot.stamp, -math.inf
            self._robot.because('the goal is shut off, by what may go again: it has to have stood '
                                f'there for {self._robot.settings.settled_timeout:g} s')
            return self.look()
        perception = self._robot.perception
        if (result.outcome in (Outcome.ODOM_CONTRADICTORY, Outcome.LOOP_DETECTED)
                and perception.has_changed):
            return self._round('obstacles have come or gone while the robot went round', result)
        if result.outcome is Outcome.ODOM_CONTRADICTORY and perception.cone > 0.0:
            self._rounds += 1
            if self._rounds > ROUNDS:
                return Next(_unresolved(f'{result.message}, in the last of {ROUNDS + 1} rounds, '
                                        'unless odometry drifts', result))
            return self.anew('the readings of the rangers contradict each other')
        return Next(result)

    def look(self) -> Next:
        """Look whether the verdict that is held back counts by now."""
        robot, verdict = self._robot, self.verdict
        assert verdict is not None
        if robot.stamp < self._looked + PAUSE:
            return WAIT
        self._looked = robot.stamp
        perception, inverse = robot.perception, robot.correction.inverse()
        chain = [inverse.apply(place) for place in verdict.certificate]
        perception.look_again()
        if robot.has_opened(np.array(chain), self._found):
            return self.anew()
        doubtful = perception.may_go(chain, robot.settings.settled_timeout, robot.stamp)
        if not doubtful:
            return Next(verdict)
        # Where nothing has ever moved, there is no need to go and see.
        if perception.has_changed and not any(map(perception.sees, doubtful)):
            return self._round('what shuts the goal off has come a moment ago', verdict)
        return WAIT

    def anew(self, change: str = 'what the robot followed has gone') -> Next:
        """Have the algorithm meet the world anew, from where the robot is."""
        self.verdict = None
        self._robot.because(f'{change}: the algorithm begins anew from here')
        self._beginnings += 1
        if self._beginnings > BEGINNINGS:
            return Next(Result(Outcome.WORLD_CHANGED, 'the world kept changing: what the robot '
                               f'followed has gone {BEGINNINGS} times'))
        return ANEW

    def _round(self, change: str, result: Result) -> Next:
        """Go round once more."""
        self._rounds += 1
        if self._rounds > ROUNDS:
            return Next(Result(
                Outcome.WORLD_CHANGED, f'the world kept changing: {change}, and so it was each '
                f'of the {ROUNDS} times that the robot has gone round', result.lap_length))
        return self.anew(change)


def _unresolved(why: str, result: Result) -> Result:
    """Return the end of a goal that single rangers cannot decide."""
    return Result(Outcome.UNDECIDED, f'the rangers do not resolve the obstacles: {why}',
                  result.lap_length)
