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
BlindBug: keeps to the heading of its start, and knows of no goal on the way.

There is no publication of it but its code: K. N. McGuire, bug_algorithms, Delft University of
Technology, 2017, of which the rules are taken and nothing else.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Optional, Tuple

from bug_nav.algorithms.base import Algorithm, CONTACT, Facts, FIRST, Run, Step
from bug_nav.behaviors.corner import Corner
from bug_nav.behaviors.follow_boundary import follow_boundary, Follower, meet_boundary
from bug_nav.behaviors.loop_monitor import LoopMonitor
from bug_nav.behaviors.move_along_heading import is_arriving, is_free_along, move_along_heading
from bug_nav.core.geometry import wrap
from bug_nav.core.interface import LoopDetected
from bug_nav.core.parameters import Checked, parameter
from bug_nav.robot import Hit, Robot

OFF_THE_WALL = math.radians(5.0)
"""A heading is off a wall where it leads away from it by this [rad]."""


@dataclasses.dataclass(frozen=True)
class Parameters(Checked):
    """The parameters of the algorithms with a preferred heading."""

    arrival: float = parameter(
        2.5, 'once the goal is so near and the way to it free, as far as is seen, the robot goes '
        'straight to it; 0 for never', unit='m', low=0.0, high=100.0)
    astray: float = parameter(
        10.0, 'a straight way without an obstacle ends the goal once it has led so much farther '
        'from it', unit='m', low=1.0, high=1e4)


class BlindBug(Algorithm):
    """Keep to the heading towards the goal at the start, whatever has come in between."""

    facts = Facts(
        title='BlindBug', source='McGuire 2017, as code', sensing=CONTACT,
        memory='a heading, and to which side of its line the walls have led', complete=False,
        bound='none',
        guarantee='none: it passes a goal that is not on its line, and says so',
        ours='its rules are those of its code, where it turns at a corner and goes back to the '
             'wall if that is in the way: here the heading has to be free, and 5 degrees off the '
             'wall; the side is chosen by metres walked along walls, not by time; the straight '
             'way to a goal near by, which there the simulator drives; its three ends: a whole '
             'lap without a corner to leave at, the same places three times, and a straight way '
             'that leads astray',
        turn=FIRST)
    Parameters = Parameters
    steps: ClassVar[Tuple[Step, ...]] = (
        Step('1', 'Go along the preferred heading, which is the one towards the goal at the '
                  'start, until an obstacle is in the way; where the goal is near and the way to '
                  'it free, go there (ours).'),
        Step('2', 'Follow the obstacle, to the side that walls have not led to so far, until 3 '
                  'holds; a whole lap is a loop (ours).'),
        Step('3', 'Where the obstacle ends at a corner and the preferred heading is free, turn to '
                  'it and go on with 1; the same places three times are a loop (ours).'))

    free_side = math.pi
    """At a corner the preferred heading has to be so near to the robot's own [rad]."""
    laps = 1
    """So many laps around an obstacle are walked before they are called a loop."""

    def run(self, robot: Robot) -> Run:
        """Go along the heading, and round what is in the way until it is free at a corner."""
        monitor = LoopMonitor('the obstacle was hit and left at the same places')
        self.begin(robot)
        while True:
            robot.at(self.step('1'))
            hit = yield from move_along_heading(robot, self.heading, self.arrival, self.astray)
            robot.at(self.step('2'))
            wall = meet_boundary(robot, hit, self.side(robot, hit))
            rule = _FreeAtCorner(self, robot, hit, wall)
            for _ in range(self.laps):
                trace = yield from follow_boundary(robot, wall, rule)
                if not trace.closed:
                    break
            else:
                raise LoopDetected(f'lap {self.laps} around the obstacle is closed, and at no '
                                   'corner was the preferred heading free', trace.lap_length)
            robot.at(self.step('3'))
            robot.record_leave()
            monitor.note(robot.correction.apply(hit.centre), robot.position,
                         min(hit.distance, robot.goal_distance))

    # ---- what its kin do in another way -------------------------------------------------------

    def step(self, name: str) -> str:
        """Return the name that a step of `run` has among the algorithm's own."""
        return name

    @property
    def arrival(self) -> float:
        """Return how near the goal is gone to straight [m]."""
        return self.parameters.arrival

    @property
    def astray(self) -> float:
        """Return how far a straight way may lead away from the goal [m]."""
        return self.parameters.astray

    def begin(self, robot: Robot) -> None:
        """Begin a goal."""
        self.heading = self.first_heading(robot)
        """The preferred heading [rad] (odometry's frame)."""
        self.aside = 0.0
        """How far walls have led to the left of it [m]."""

    def first_heading(self, robot: Robot) -> float:
        """Return the heading at the begin [rad]: the one towards the goal."""
        return robot.goal_heading

    def side(self, robot: Robot, hit: Hit) -> Optional[int]:
        """Choose the side to keep a wall on: the one that leads back to the line, if any does."""
        return int(math.copysign(1.0, -self.aside)) if self.aside else None

    def follow(self, robot: Robot, hit: Hit, corner: Corner, walked: float) -> bool:
        """
        Take note of what a tick along a wall says; so much of it was ``walked`` [m].

        Tell whether to leave it, wherever that is.
        """
        self.aside += walked * math.sin(wrap(robot.pose.theta - self.heading))
        return is_arriving(robot, self.arrival)


class _FreeAtCorner:
    """The rule to leave: at a corner the preferred heading is free, and off the wall."""

    def __init__(self, bug: BlindBug, robot: Robot, hit: Hit, wall: Follower):
        self.bug, self.hit, self.side = bug, hit, wall.side
        self._corner = Corner(wall, robot.contour_radius)
        self._walked = robot.path_length

    def __call__(self, robot: Robot) -> bool:
        bug = self.bug
        walked, self._walked = robot.path_length - self._walked, robot.path_length
        self._corner.look()
        ends = bug.follow(robot, self.hit, self._corner, walked)
        off_the_wall = self.side * wrap(bug.heading - robot.pose.theta)
        return ends or (
            self._corner.is_rounded and OFF_THE_WALL < off_the_wall < bug.free_side
            and is_free_along(robot, bug.heading)
            and robot.because('the wall ends at a corner, and the preferred heading is free, '
                              f'{off_the_wall:.2f} rad off it'))
