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
BlindBug: keep to the initial heading towards the goal, without sensing the goal on the way.

Published only as code: K. N. McGuire, bug_algorithms, Delft University of Technology, 2017. Only
its rules are used here.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Optional, Tuple

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CONTACT,
    IntentGenerator,
    Metadata,
    Step,
    TURN_FIRST_BY_USER,
)
from bug_nav.navigation.behaviors.corner import Corner
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, Follower, meet_boundary
from bug_nav.navigation.behaviors.loop_monitor import LoopMonitor
from bug_nav.navigation.behaviors.move_along_heading import (
    is_arriving,
    is_free_along,
    move_along_heading,
)
from bug_nav.navigation.geometry import wrap
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import LoopDetected

OFF_THE_WALL = math.radians(5.0)
"""Minimum angle between a wall and a heading that leads off it [rad]."""


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of the algorithms with a preferred heading."""

    approach_distance: float = parameter(
        2.5, 'distance to the goal below which the robot moves straight to it if the visible way '
             'is free; 0 for never', unit='m', low=0.0, high=100.0)
    max_distance_increase: float = parameter(
        10.0, 'maximum increase of the distance to the goal along a straight path without '
        'obstacles; beyond it, the goal ends as loop_detected', unit='m', low=1.0, high=1e4)


class BlindBug(Algorithm):
    """Return to the initial heading towards the goal after every obstacle."""

    metadata = Metadata(
        title='BlindBug', source='McGuire 2017, as code', sensing=CONTACT,
        memory='a heading, and the side of its line to which the walls have led', complete=False,
        bound='none',
        guarantee='none: it misses a goal that is not on its line, and reports that',
        differences='the rules are those of its code, which turns at a corner and returns to the '
                    'wall if that is in the way; here the preferred heading must be free and at '
                    'least 5 degrees away from the wall; the side is chosen by the distance '
                    'along walls, not by time; the robot goes straight to a nearby goal, where '
                    'the simulator of the original takes over; three conditions end the goal: a '
                    'whole lap without a corner to leave at, the same points three times, and a '
                    'straight way that leads away from the goal',
        turn=TURN_FIRST_BY_USER)
    Parameters = Parameters
    steps: ClassVar[Tuple[Step, ...]] = (
        Step('1', 'Move along the preferred heading, the initial direction of the goal, until an '
                  'obstacle is hit; if the goal is near and the way to it free, go there (ours).'),
        Step('2', 'Follow the obstacle, to the side opposite to where walls have led, until 3 '
                  'applies; a whole lap is a loop (ours).'),
        Step('3', 'If the obstacle ends at a corner and the preferred heading is free, turn to it '
                  'and continue with 1; the same points three times are a loop (ours).'))

    free_side = math.pi
    """Maximum angle between the preferred heading and the robot's at a corner [rad]."""
    laps = 1
    """Number of laps around an obstacle that count as a loop."""

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps."""
        monitor = LoopMonitor('the obstacle was hit and left at the same places')
        self.begin(robot)
        while True:
            robot.enter_step(self.step('1'))
            hit = yield from move_along_heading(
                robot, self.heading, self.approach_distance, self.max_distance_increase)
            robot.enter_step(self.step('2'))
            follower = meet_boundary(robot, hit, self.side(robot, hit))
            rule = _FreeAtCorner(self, robot, hit, follower)
            for _ in range(self.laps):
                trace = yield from follow_boundary(robot, follower, rule)
                if not trace.closed:
                    break
            else:
                raise LoopDetected(f'lap {self.laps} around the obstacle is closed, and at no '
                                   'corner was the preferred heading free', trace.lap_length)
            robot.enter_step(self.step('3'))
            robot.record_leave()
            monitor.note(robot.correction.apply(hit.centre), robot.position,
                         min(hit.distance, robot.goal_distance))

    # ---- hooks of the subclasses --------------------------------------------------------------

    def step(self, name: str) -> str:
        """Return the algorithm's name for a step of `run`."""
        return name

    @property
    def approach_distance(self) -> float:
        """Distance below which the robot moves straight to the goal [m]."""
        return self.parameters.approach_distance

    @property
    def max_distance_increase(self) -> float:
        """Maximum increase of the distance to the goal along a straight path [m]."""
        return self.parameters.max_distance_increase

    def begin(self, robot: Robot) -> None:
        """Reset the memory at the start of a goal."""
        self.heading = self.first_heading(robot)
        """The preferred heading [rad] (odometry frame)."""
        self.aside = 0.0
        """Offset to the left of it that walls have caused [m]."""

    def first_heading(self, robot: Robot) -> float:
        """Return the initial heading [rad], the direction of the goal."""
        return robot.goal_heading

    def side(self, robot: Robot, hit: Hit) -> Optional[int]:
        """Return the side that leads back to the line, or None if the robot is on it."""
        return int(math.copysign(1.0, -self.aside)) if self.aside else None

    def follow(self, robot: Robot, hit: Hit, corner: Corner, walked: float) -> bool:
        """
        Update the memory after a tick along a wall; ``walked`` is its length [m].

        Return whether to leave the wall here in any case.
        """
        self.aside += walked * math.sin(wrap(robot.pose.theta - self.heading))
        return is_arriving(robot, self.approach_distance)


class _FreeAtCorner:
    """Leave condition: at a corner, the preferred heading is free and off the wall."""

    def __init__(self, bug: BlindBug, robot: Robot, hit: Hit, follower: Follower):
        self.bug, self.hit, self.side = bug, hit, follower.side
        self._corner = Corner(follower, robot.contour_radius)
        self._walked = robot.path_length

    def __call__(self, robot: Robot) -> bool:
        bug = self.bug
        walked, self._walked = robot.path_length - self._walked, robot.path_length
        self._corner.update()
        ends = bug.follow(robot, self.hit, self._corner, walked)
        off_the_wall = self.side * wrap(bug.heading - robot.pose.theta)
        return ends or (
            self._corner.is_rounded and OFF_THE_WALL < off_the_wall < bug.free_side
            and is_free_along(robot, bug.heading)
            and robot.because('the wall ends at a corner, and the preferred heading is free, '
                              f'{off_the_wall:.2f} rad off it'))
