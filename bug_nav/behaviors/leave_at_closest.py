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

from bug_nav.behaviors.follow_boundary import follow_boundary, Follower
from bug_nav.behaviors.trace import Mark, TOLERANCE, Trace
from bug_nav.geometry import distance
from bug_nav.interface import Twist, Unreachable
from bug_nav.robot import Hit, Robot

FREE = 0.015
"""At the closest place the goal lies straight off the wall or straight into it; more free way
than this [m] tells the two apart."""
MARGIN = 0.03
"""A place is closer to the goal than the hit point if it is so by this [m]."""


def leave_at_closest(robot: Robot, hit: Hit, lap: Trace, wall: Follower
                     ) -> Generator[Twist, None, None]:
    """
    Go to the place of a closed lap that is closest to the goal, if the way is free from there.

    Where it is blocked Unreachable is raised: no algorithm can reach the goal then (Lumelsky and
    Stepanov 1987, Bug1's step 3).
    """
    closest = lap.closest
    at_hit = lap.holds_beginning and closest.goal_distance > hit.distance - MARGIN
    if at_hit or closest.free < FREE or not (yield from _go_back(robot, closest, lap, wall)):
        raise Unreachable('a closed lap around the obstacle has no place from which to leave for '
                          'the goal', lap.lap_length)


def _go_back(robot: Robot, place: Mark, lap: Trace, wall: Follower
             ) -> Generator[Twist, None, bool]:
    """Go to a place of the lap by the shorter way; tell whether the way is free from there."""
    with robot.state('return_to_leave_point'):
        if lap.lap.index(place) > len(lap.lap) / 2:
            wall = wall.turned_back()
        arrival = _Arrival(place)
        yield from follow_boundary(robot, wall, arrival)
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
