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
SGBA, the swarm gradient bug algorithm: many robots out from a beacon, and home again.

What is heard of other robots is how far away they seem by the strength of their signal, their
headings, and who they are; not where.

K. N. McGuire, C. De Wagter, K. Tuyls, H. J. Kappen and G. C. H. E. de Croon, "Minimal navigation
solution for a swarm of tiny flying robots to explore an unknown environment", Science Robotics
4(35), eaaw9710, 2019.
"""

from __future__ import annotations

from contextlib import closing, suppress
import dataclasses
import math
from typing import Callable, Generator, NamedTuple, Optional, Sequence

from bug_nav.algorithms.base import Facts, INTENSITY, OWN, Run, Step
from bug_nav.algorithms.gradient_bug import GradientBug
from bug_nav.algorithms.gradient_bug import Parameters as GradientParameters
from bug_nav.behaviors.corner import Corner
from bug_nav.behaviors.move_along_heading import is_free_along
from bug_nav.core.geometry import bearing, distance, wrap
from bug_nav.core.interface import LoopDetected, STOP
from bug_nav.core.parameters import Checked, parameter
from bug_nav.drive.intents import Intent
from bug_nav.robot import Hit, Robot
import numpy as np

NEAR_BY = 0.7
"""What is nearer than this [m] is moved away from, to give way."""
PATIENCE = 5.0
"""Way is given for so long [s], once, until the other robot has been farther away again."""


class Heard(NamedTuple):
    """What is heard of another robot."""

    identity: int
    """The lower one has priority."""
    away: float
    """How far away it seems by the strength of its signal [m]."""
    heading: float
    """Its preferred heading [rad], from the direction that all of them faced at their start."""


def nobody(robot: Robot) -> Sequence[Heard]:
    """Hear of nobody."""
    return ()


@dataclasses.dataclass(frozen=True)
class Parameters(GradientParameters):
    """The parameters of a robot of a swarm."""

    identity: int = parameter(
        1, 'who this robot is; of two robots the one with the lower number has priority',
        low=0, high=10 ** 6)
    outbound_time: float = parameter(
        0.0, 'the robot goes outbound for so long, and then home to the goal; 0 for home at once',
        unit='s', low=0.0, high=1e6)
    outbound_heading: float = parameter(
        0.0, 'where it goes outbound, from the direction that it faces at the start',
        unit='rad', low=-math.pi, high=math.pi)
    close: float = parameter(
        3.0, 'a robot that seems nearer than this has its side to itself', unit='m',
        low=0.0, high=100.0)
    very_close: float = parameter(
        1.0, 'way is given to a robot that seems nearer than this', unit='m', low=0.0, high=100.0)


class Sgba(GradientBug):
    """Go outbound along a heading of its own and home by the gradient, and give way to others."""

    facts = Facts(
        title='SGBA', source='McGuire et al. 2019', sensing=INTENSITY,
        memory='two headings, eight counters, the last hit point and turn', complete=False,
        bound='none',
        guarantee='none: it explores, and comes home where walls lead there',
        ours='all that is ours in the gradient bug; by default nobody is heard and the way is '
             'homeward at once; a time ends the way out, where the original has the battery end '
             'it; distances stand for the strengths of signals; to give way the robot goes off '
             'what is nearest to it within 0.7 m, for 5 s at most, and stands where it cannot',
        turn=OWN)
    Parameters = Parameters
    steps = (
        Step('1a', 'Outbound: go along the outbound heading until an obstacle is in the way.'),
        Step('1b', 'Follow the wall, and learn nothing of the signal; where the closest robot '
                   'that is heard has priority and both go out to the same side, take the other '
                   'side.'),
        Step('1c', 'At a corner where the outbound heading is free, or once way was given, go on '
                   'with 1a.'),
        Step('2a', 'Inbound, once the time of the way out is over: turn round, and go along the '
                   'preferred heading until an obstacle is in the way.'),
        Step('2b', 'Follow the wall, and vote for headings as the gradient bug does.'),
        Step('2c', 'At a corner where the preferred heading is free, or once way was given, go on '
                   'with 2a.'),
        Step('3', 'Along a wall, where a robot with priority is very close: move away from what '
                  'is near until it has passed, for 5 s at most (ours).'))

    heard: Callable[[Robot], Sequence[Heard]] = staticmethod(nobody)
    """Returns the robots that are heard at a tick; whoever knows of others puts it in."""

    def __init__(self, parameters: Optional[Checked] = None):
        """Be outbound before the first tick: others hear of it, and the goal may be here."""
        super().__init__(parameters)
        self.is_outbound = self.parameters.outbound_time > 0.0
        self.out = self.parameters.outbound_heading
        """The outbound heading [rad], from where it faced at the start."""
        self._end: Optional[float] = None

    def run(self, robot: Robot) -> Run:
        """Go out for its time, and then home."""
        if self._end is None:
            self._faced = robot.pose.theta
            self._end = robot.stamp + self.parameters.outbound_time
            self._homeward = robot.goal_heading
        elif not self.is_outbound:  # where the world has changed all begins anew, but for the time
            self._homeward = self.heading
        self._waited = self._gave_way = False
        if self.is_outbound:
            yield from self._go_out(robot, self._end)
            self.is_outbound = False
            self._homeward = wrap(self.heading + math.pi)
            robot.because(f'the {self.parameters.outbound_time:g} s of the way out are over')
        return (yield from self._among_others(robot, super().run(robot)))

    def _go_out(self, robot: Robot, end: float) -> Generator[Intent, None, None]:
        """Walk along the outbound heading until then [s], and go on after a loop."""
        while robot.stamp < end:
            walk = self._among_others(robot, super().run(robot))
            with closing(walk), suppress(LoopDetected):
                while robot.stamp < end:
                    yield next(walk)

    # ---- what the gradient bug does in another way --------------------------------------------

    def step(self, name: str) -> str:
        """Return the name of a step of the gradient bug, on the way out or home."""
        return f'{1 if self.is_outbound else 2}{"abc"[int(name) - 1]}'

    @property
    def passes_goal(self) -> bool:
        """Tell whether the robot is on the way out, which may begin at the goal."""
        return self.is_outbound

    @property
    def arrival(self) -> float:
        """Return how near the goal is gone to straight [m]: not at all on the way out."""
        return 0.0 if self.is_outbound else super().arrival

    @property
    def astray(self) -> float:
        """Return how far a straight way may lead away from the goal [m]: any on the way out."""
        return math.inf if self.is_outbound else super().astray

    def first_heading(self, robot: Robot) -> float:
        """Return the heading out, or home."""
        return wrap(self._faced + self.out) if self.is_outbound else self._homeward

    def follow(self, robot: Robot, hit: Hit, corner: Corner, walked: float) -> bool:
        """Take note of the others as well; leave once way was given."""
        ends = super().follow(robot, hit, corner, walked)
        if self.is_outbound:
            self._keep_to_own_side(robot)
            self.heading = wrap(self._faced + self.out)
        gave_way, self._gave_way = self._gave_way, False
        return ends or gave_way

    # ---- the others ---------------------------------------------------------------------------

    def _first(self, robot: Robot, within: float) -> Optional[Heard]:
        """Return the closest other robot, if it is that near [m] and has priority."""
        closest = min(self.heard(robot), key=lambda other: other.away, default=None)
        if (closest is None or closest.away >= within
                or closest.identity > self.parameters.identity):
            return None
        return closest

    def _keep_to_own_side(self, robot: Robot) -> None:
        """Turn to the other side than a close robot with priority."""
        other = self._first(robot, self.parameters.close)
        if other is not None and other.heading * self.out > 0.0:
            self.out = -self.out

    def _among_others(self, robot: Robot, walk: Run) -> Run:
        """Walk, and give way along walls."""
        with closing(walk):
            while True:
                other = self._first(robot, self.parameters.very_close)
                if other is None:
                    self._waited = False
                elif not self._waited and 'boundary_following' in robot.mission.states:
                    yield from self._give_way(robot)
                    self._waited = self._gave_way = True
                try:
                    intent = next(walk)
                except StopIteration as verdict:
                    return verdict.value
                yield intent

    def _give_way(self, robot: Robot) -> Generator[Intent, None, None]:
        """Move away from what is near, until the other robot has passed or patience ends."""
        end = robot.stamp + PATIENCE
        robot.at('3', 'a robot with priority seems nearer than '
                      f'{self.parameters.very_close:.2f} m')
        with robot.state('giving_way'):
            while (robot.stamp < end
                   and self._first(robot, self.parameters.very_close) is not None):
                yield _off_what_is_near(robot)
        robot.because('way has been given')


def _off_what_is_near(robot: Robot) -> Intent:
    """Return the intent to go off the nearest obstacle point, or to stand."""
    here, points = robot.here, robot.perception.points
    if not len(points):
        return STOP
    x, y = points[np.argmin(np.hypot(*(points - here).T))]
    heading = bearing((float(x), float(y)), here)
    near = distance((float(x), float(y)), here) < NEAR_BY
    return robot.drive(heading) if near and is_free_along(robot, heading) else STOP
