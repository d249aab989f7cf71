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

"""The safe rule: before a goal is called unreachable, see whether the lap shuts it off."""

from __future__ import annotations

import math
from typing import Generator

from bug_nav.behaviors.follow_boundary import follow_boundary, Follower
from bug_nav.behaviors.trace import Mark, TOLERANCE, Trace
from bug_nav.core.geometry import distance, Point
from bug_nav.core.interface import STOP, Unreachable
from bug_nav.drive.intents import Intent, Towards
from bug_nav.robot import Robot

NEARLY = 0.05
"""A goal so little [m] out of tolerance, as the marks and their noise have it, is looked for."""
SLOW = 0.05
"""The speed into a corner [m/s]."""
STANDS = 0.001
"""A robot that gets no further in a tick than this [m] stands."""
THERE = 0.02
"""So near to the closest place [m] the robot is at it."""


def leave_at_closest(robot: Robot, lap: Trace, wall: Follower) -> Generator[Intent, None, None]:
    """
    Go to the place of a closed lap that is closest to the goal, where the goal is on this side.

    Where the lap lies between robot and goal Unreachable is raised. The paper asks for the way
    from the closest place instead (Lumelsky and Stepanov 1987, Bug1's step 3): there it goes
    straight into the wall, or straight off it. That is the same question, but a sensor cannot
    answer it where another obstacle is only just not touched there.

    A goal behind the contour may still be within the tolerance of it, in a corner that the robot
    has cut. It goes there before it gives up; the navigator knows the goal when it is reached.
    In a narrow corner a centimetre of noise moves the contour by several.
    """
    shut_off, closest = lap.shuts_off(robot.goal), lap.closest
    length = f'the lap is closed, {lap.lap_length:.2f} m'
    robot.pass_milestone(closest.place)
    if shut_off:
        robot.because(f'{length}, and shuts the goal off')
        yield from _come_to_a_stand(robot)  # to find the certificate may take longer than a tick
        changes = robot.gaps.changes
        # No certificate, no verdict: where a gap has turned out wider, the robot goes on.
        shut_off = bool(robot.certificate()) or robot.gaps.changes == changes
    near = robot.settings.xy_goal_tolerance + NEARLY
    if not shut_off or closest.goal_distance < near:
        place = f'd(Q) = {closest.goal_distance:.2f} m'
        robot.because(f'{length}, and closest to the goal at Q, {place}')
        yield from _go_back(robot, closest, lap, wall)
        robot.because(f'the closest place Q of the lap is reached, {place}')
    if shut_off:
        if closest.goal_distance < near:
            yield from _reach_in(robot)
        raise Unreachable('the contour that has been followed all around lies between the robot '
                          'and the goal', lap.lap_length)


def _come_to_a_stand(robot: Robot) -> Generator[Intent, None, None]:
    """Stop, and wait until the robot stands."""
    with robot.state('return_to_leave_point'):
        moved = math.inf
        while moved > STANDS:
            before = robot.path_length + robot.contour_radius * robot.turned
            yield STOP
            moved = robot.path_length + robot.contour_radius * robot.turned - before


def _go_back(robot: Robot, place: Mark, lap: Trace, wall: Follower
             ) -> Generator[Intent, None, None]:
    """Go to a place of the lap, by the shorter way."""
    with robot.state('return_to_leave_point'):
        if lap.lap.index(place) > len(lap.lap) / 2:
            wall = wall.turned_back()
        near = _Near(place.place, min(TOLERANCE, robot.contour_radius))
        yield from follow_boundary(robot, wall, near)
        while near(robot) and near.away > THERE:
            there = robot.correction.inverse().apply(place.place)
            yield Towards(there, room=near.away)


def _reach_in(robot: Robot) -> Generator[Intent, None, None]:
    """Go straight for the goal, as far as a disc could that is smaller by what none can tell."""
    least = robot.contour_radius - robot.gaps.ease
    end = robot.path_length + robot.goal_distance
    with robot.state('return_to_leave_point'):
        while (robot.space.room(robot.here) > least
               and robot.path_length < end):
            yield Towards(robot.local_goal, speed=SLOW)


class _Near:
    """Ends a way back near the place; the follower would cut the corner that it may be in."""

    def __init__(self, place: Point, within: float):
        self.place = place
        self.within = within
        self.away = math.inf

    def __call__(self, robot: Robot) -> bool:
        self.away = distance(robot.position, self.place)
        return self.away < self.within
