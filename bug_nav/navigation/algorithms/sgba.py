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
SGBA, the swarm gradient bug algorithm: robots explore outwards from a beacon and return to it.

A robot receives from others their robot_id, their heading and their distance by signal strength,
but not their position.

K. N. McGuire, C. De Wagter, K. Tuyls, H. J. Kappen and G. C. H. E. de Croon, "Minimal navigation
solution for a swarm of tiny flying robots to explore an unknown environment", Science Robotics
4(35), eaaw9710, 2019.
"""

from __future__ import annotations

from contextlib import closing, suppress
import dataclasses
import math
from typing import Callable, Generator, NamedTuple, Optional, Sequence

from bug_nav.navigation.algorithms.base import (
    INTENSITY,
    IntentGenerator,
    Metadata,
    Step,
    TURN_BY_ALGORITHM,
)
from bug_nav.navigation.algorithms.gradient_bug import GradientBug
from bug_nav.navigation.algorithms.gradient_bug import Parameters as GradientParameters
from bug_nav.navigation.behaviors.corner import Corner
from bug_nav.navigation.behaviors.move_along_heading import is_free_along
from bug_nav.navigation.geometry import bearing, distance, wrap
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent, LoopDetected, STOP
import numpy as np

NEAR_BY = 0.7
"""Distance within which the robot moves away from obstacles to give way [m]."""
PATIENCE = 5.0
"""Maximum time to give way, once per approach of another robot [s]."""


class Heard(NamedTuple):
    """A message received from another robot."""

    robot_id: int
    """The lower number has priority."""
    away: float
    """Distance by the strength of its signal [m]."""
    heading: float
    """Its preferred heading, relative to the common initial heading [rad]."""


def no_messages(robot: Robot) -> Sequence[Heard]:
    """Return no messages."""
    return ()


@dataclasses.dataclass(frozen=True)
class Parameters(GradientParameters):
    """Parameters of a robot of a swarm."""

    robot_id: int = parameter(
        1, 'number of this robot; of two robots, the lower number has priority',
        low=0, high=10 ** 6)
    outbound_time: float = parameter(
        0.0, 'time outbound before the robot returns to the goal; 0 to return at once',
        unit='s', low=0.0, high=1e6)
    outbound_heading: float = parameter(
        0.0, 'heading outbound, relative to the initial heading',
        unit='rad', low=-math.pi, high=math.pi)
    separation_distance: float = parameter(
        3.0, 'distance within which robots choose different sides', unit='m',
        low=0.0, high=100.0)
    give_way_distance: float = parameter(
        1.0, 'distance within which a robot gives way to another', unit='m', low=0.0, high=100.0)


class Sgba(GradientBug):
    """Move outbound along a heading, return by the gradient, and give way to other robots."""

    metadata = Metadata(
        title='SGBA', source='McGuire et al. 2019', sensing=INTENSITY,
        memory='two headings, eight counters, the last hit point and turn', complete=False,
        bound='none',
        guarantee='none: it explores, and returns if walls lead there',
        differences='the differences of the gradient bug apply as well; by default there are no '
                    'other robots and the robot returns at once; a time ends the way out, where '
                    'the original uses the battery; distances replace signal strengths; to give '
                    'way the robot moves away from the nearest obstacle within 0.7 m, for 5 s at '
                    'most, and stops if it cannot',
        turn=TURN_BY_ALGORITHM)
    Parameters = Parameters
    steps = (
        Step('1a', 'Outbound: move along the outbound heading until an obstacle is hit.'),
        Step('1b', 'Follow the wall, ignoring the signal; if the closest robot has priority and '
                   'both head outbound to the same side, take the other side.'),
        Step('1c', 'At a corner where the outbound heading is free, or after giving way, continue '
                   'with 1a.'),
        Step('2a', 'Inbound, after the outbound time: turn around, and move along the preferred '
                   'heading until an obstacle is hit.'),
        Step('2b', 'Follow the wall, and vote for headings as in the gradient bug.'),
        Step('2c', 'At a corner where the preferred heading is free, or after giving way, '
                   'continue with 2a.'),
        Step('3', 'Along a wall, if a robot with priority is very close, move away from nearby '
                  'obstacles until it has passed, for 5 s at most (ours).'))

    heard: Callable[[Robot], Sequence[Heard]] = staticmethod(no_messages)
    """Returns the messages received at a tick; replace it to connect robots."""

    def __init__(self, parameters: Optional[ParameterSet] = None):
        """Start outbound, because others ask before the first tick and the goal may be here."""
        super().__init__(parameters)
        self.is_outbound = self.parameters.outbound_time > 0.0
        self.out = self.parameters.outbound_heading
        """The outbound heading, relative to the initial heading [rad]."""
        self._end: Optional[float] = None

    def run(self, robot: Robot) -> IntentGenerator:
        """Move outbound for the configured time, then return."""
        if self._end is None:
            self._faced = robot.pose.theta
            self._end = robot.stamp + self.parameters.outbound_time
            self._homeward = robot.goal_heading
        elif not self.is_outbound:  # a restart after a change of the world keeps the time
            self._homeward = self.heading
        self._waited = self._gave_way = False
        if self.is_outbound:
            yield from self._go_out(robot, self._end)
            self.is_outbound = False
            self._homeward = wrap(self.heading + math.pi)
            robot.because(f'the outbound time of {self.parameters.outbound_time:g} s is over')
        return (yield from self._among_others(robot, super().run(robot)))

    def _go_out(self, robot: Robot, end: float) -> Generator[Intent, None, None]:
        """Move outbound until the time ``end`` [s], and continue after a loop."""
        while robot.stamp < end:
            walk = self._among_others(robot, super().run(robot))
            with closing(walk), suppress(LoopDetected):
                while robot.stamp < end:
                    yield next(walk)

    # ---- hooks of the gradient bug ------------------------------------------------------------

    def step(self, name: str) -> str:
        """Return the name of a step of the gradient bug, outbound or inbound."""
        return f'{1 if self.is_outbound else 2}{"abc"[int(name) - 1]}'

    @property
    def passes_goal(self) -> bool:
        """Whether the robot is outbound, which may begin at the goal."""
        return self.is_outbound

    @property
    def approach_distance(self) -> float:
        """Distance below which the robot goes straight to the goal [m]; 0 outbound."""
        return 0.0 if self.is_outbound else super().approach_distance

    @property
    def max_distance_increase(self) -> float:
        """Maximum increase of the distance to the goal on a straight way [m]; inf outbound."""
        return math.inf if self.is_outbound else super().max_distance_increase

    def first_heading(self, robot: Robot) -> float:
        """Return the outbound or the inbound heading [rad]."""
        return wrap(self._faced + self.out) if self.is_outbound else self._homeward

    def follow(self, robot: Robot, hit: Hit, corner: Corner, walked: float) -> bool:
        """Consider the other robots as well; leave after giving way."""
        ends = super().follow(robot, hit, corner, walked)
        if self.is_outbound:
            self._keep_to_own_side(robot)
            self.heading = wrap(self._faced + self.out)
        gave_way, self._gave_way = self._gave_way, False
        return ends or gave_way

    # ---- other robots -------------------------------------------------------------------------

    def _first(self, robot: Robot, within: float) -> Optional[Heard]:
        """Return the closest other robot if it is ``within`` [m] and has priority."""
        closest = min(self.heard(robot), key=lambda other: other.away, default=None)
        if (closest is None or closest.away >= within
                or closest.robot_id > self.parameters.robot_id):
            return None
        return closest

    def _keep_to_own_side(self, robot: Robot) -> None:
        """Mirror the outbound heading if a close robot with priority goes to the same side."""
        other = self._first(robot, self.parameters.separation_distance)
        if other is not None and other.heading * self.out > 0.0:
            self.out = -self.out

    def _among_others(self, robot: Robot, walk: IntentGenerator) -> IntentGenerator:
        """Run ``walk``, and give way along walls."""
        with closing(walk):
            while True:
                other = self._first(robot, self.parameters.give_way_distance)
                if other is None:
                    self._waited = False
                elif not self._waited and 'boundary_following' in robot.ledger.states:
                    yield from self._give_way(robot)
                    self._waited = self._gave_way = True
                try:
                    intent = next(walk)
                except StopIteration as verdict:
                    return verdict.value
                yield intent

    def _give_way(self, robot: Robot) -> Generator[Intent, None, None]:
        """Move away from obstacles until the other robot has passed or `PATIENCE` is over."""
        end = robot.stamp + PATIENCE
        robot.enter_step('3', 'a robot with priority is closer than '
                              f'{self.parameters.give_way_distance:.2f} m')
        with robot.state('giving_way'):
            while (robot.stamp < end
                   and self._first(robot, self.parameters.give_way_distance) is not None):
                yield _away_from_nearest(robot)
        robot.because('the robot gave way')


def _away_from_nearest(robot: Robot) -> Intent:
    """Return the intent to move away from the nearest obstacle point, or to stop."""
    here, points = robot.odom_position, robot.perceived.points
    if not len(points):
        return STOP
    x, y = points[np.argmin(np.hypot(*(points - here).T))]
    heading = bearing((float(x), float(y)), here)
    near = distance((float(x), float(y)), here) < NEAR_BY
    return robot.along(heading) if near and is_free_along(robot, heading) else STOP
