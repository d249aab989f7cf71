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

"""The safe rule: before a goal is called unreachable, look from the closest place of the lap."""

from __future__ import annotations

from typing import Generator

from bug_nav.behaviors.follow_boundary import follow_boundary
from bug_nav.behaviors.rolling_disc import RollingDisc
from bug_nav.behaviors.trace import Mark, TOLERANCE, Trace
from bug_nav.geometry import distance
from bug_nav.interface import Twist
from bug_nav.robot import Robot

FREE = 0.015
"""At the closest place the goal lies straight off the wall or straight into it; more free way
than this [m] tells the two apart."""


def leave_at_closest(robot: Robot, lap: Trace, disc: RollingDisc) -> Generator[Twist, None, bool]:
    """
    Go to the place of a closed lap that is closest to the goal, and look at the way from there.

    Return True where the way is free, and the robot is there; False where it is blocked: then the
    goal is unreachable, whatever the algorithm (Lumelsky and Stepanov 1987, Bug1's step 3).
    """
    closest = lap.closest
    if closest.free < FREE:
        return False
    with robot.state('return_to_leave_point'):
        if lap.lap.index(closest) > len(lap.lap) / 2:
            disc = RollingDisc(disc.centre, disc.contact, -disc.side)
        arrival = _Arrival(closest)
        yield from follow_boundary(robot, disc, arrival)
        return arrival.free


class _Arrival:
    """Ends a way back: at the place when the way is free there, or when it has been passed."""

    def __init__(self, place: Mark):
        self.place = place.place
        self.free = False
        self._met = False

    def __call__(self, robot: Robot) -> bool:
        away = distance(robot.position, self.place)
        self._met |= away < TOLERANCE
        self.free = away < TOLERANCE and robot.free_distance_to_goal() > FREE
        return self.free or (self._met and away > 2.0 * TOLERANCE)
