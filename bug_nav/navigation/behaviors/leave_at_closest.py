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

"""The safe rule: a closed lap proves a goal unreachable only if it separates it from the robot."""

from __future__ import annotations

import math
from typing import Generator

from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, Follower
from bug_nav.navigation.behaviors.trace import Mark, TOLERANCE, Trace
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.proof.chain import find_chain
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Intent, STOP, Towards, Unreachable, WorldChanged

CORNER_MARGIN = 0.05
"""Maximum distance of a goal behind the contour beyond its tolerance, for an attempt [m]."""
CORNER_SPEED = 0.05
"""Maximum speed into a corner [m/s]."""
MAX_REST_MOTION = 0.001
"""Maximum motion of a robot at rest between two messages of odometry [m]."""
ARRIVAL_DISTANCE = 0.02
"""Distance at which the closest point is reached [m]."""
RETURN_MARGIN = 1.0
"""Maximum length of the way back beyond that of the lap [m]."""


def leave_at_closest(robot: Robot, trace: Trace, follower: Follower
                     ) -> Generator[Intent, None, None]:
    """
    Return to the point of a closed lap closest to the goal, if robot and goal are on one side.

    Raise Unreachable if the lap separates them. The paper tests the direction of the goal at the
    closest point instead (Lumelsky and Stepanov 1987, step 3 of Bug1): into the wall, or away from
    it. The two are equivalent, but a sensor cannot decide the latter next to another obstacle that
    the disc almost touches.

    A goal behind the contour may still be within the goal tolerance, in a corner that the robot
    cut: in a narrow corner, 1 cm of noise moves the contour by several centimetres. The
    robot goes there before it gives up; the navigator detects arrival.
    """
    is_separated, closest = trace.separates_from(robot.goal), trace.closest
    length = f'the lap is closed, {trace.lap_length:.2f} m'
    robot.pass_milestone(closest.place)
    if is_separated:
        robot.because(f'{length}, and separates the robot from the goal')
        yield from _stop(robot)  # because computing the certificate may exceed a tick
        changes = robot.gaps.changes
        # Without a certificate there is no verdict: continue if a gap turned out wider.
        is_separated = bool(find_chain(robot)) or robot.gaps.changes == changes
    near = robot.settings.xy_goal_tolerance + CORNER_MARGIN
    if not is_separated or closest.goal_distance < near:
        place = f'd(Q) = {closest.goal_distance:.2f} m'
        robot.because(f'{length}, and closest to the goal at Q, {place}')
        yield from _go_back(robot, closest, trace, follower)
        robot.because(f'the closest point Q of the lap is reached, {place}')
    if is_separated:
        if closest.goal_distance < near:
            yield from _reach_into_corner(robot)
        raise Unreachable('the closed lap separates the robot from the goal', trace.lap_length)


def _stop(robot: Robot) -> Generator[Intent, None, None]:
    """Stop, and wait until the robot is at rest."""
    with robot.state('return_to_leave_point'):
        moved = math.inf
        while moved > MAX_REST_MOTION:
            before = robot.path_length + robot.contour_radius * robot.turned
            stamp = robot.odom_stamp
            yield STOP
            while robot.odom_stamp == stamp:
                yield STOP
            moved = robot.path_length + robot.contour_radius * robot.turned - before


def _go_back(robot: Robot, place: Mark, trace: Trace, follower: Follower
             ) -> Generator[Intent, None, None]:
    """
    Return to a point of the lap by the shorter way.

    In a world that has changed, raise WorldChanged if a whole lap does not lead there, because the
    boundary is another one then, such as that of a wall that an open door now touches; or if an
    obstacle, such as that door, has come there.
    """
    with robot.state('return_to_leave_point'):
        if trace.lap.index(place) > len(trace.lap) / 2:
            follower = follower.turned_back()
        near = _Near(place.place, min(TOLERANCE, robot.contour_radius),
                     robot.path_length + trace.lap_length + RETURN_MARGIN)
        yield from follow_boundary(robot, follower, near)
        if near.away >= near.within and robot.perception.has_changed:
            raise WorldChanged('the closest point of the lap is not on the boundary any more')
        while ARRIVAL_DISTANCE < near.away < near.within:
            there = robot.correction.inverse().apply(place.place)
            if (robot.perception.has_changed
                    and robot.space.clearance(there) < robot.limits['guarded_radius'][0]):
                raise WorldChanged('an obstacle is at the closest point of the lap now')
            yield Towards(there, room=near.away)
            near(robot)


def _reach_into_corner(robot: Robot) -> Generator[Intent, None, None]:
    """Move straight towards the goal as far as a disc reduced by the sensing error could."""
    least = robot.contour_radius - robot.gaps.ease
    end = robot.path_length + robot.goal_distance
    with robot.state('return_to_leave_point'):
        while (robot.space.clearance(robot.odom_position) > least
               and robot.path_length < end):
            yield Towards(robot.local_goal, speed=CORNER_SPEED)


class _Near:
    """Ends the way back near a point, because the follower would cut a corner there."""

    def __init__(self, place: Point, within: float, end: float):
        """Also end at the path length ``end`` [m], if the world has changed."""
        self.place, self.within, self.end = place, within, end
        self.away = math.inf

    def __call__(self, robot: Robot) -> bool:
        self.away = distance(robot.position, self.place)
        return self.away < self.within or (robot.perception.has_changed
                                           and robot.path_length > self.end)
