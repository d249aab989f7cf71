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

"""Boundary following: drive along the contour of the obstacles inflated by rho."""

from __future__ import annotations

import math
from typing import Callable, Generator, Optional

from bug_nav.geometry import Point
from bug_nav.interface import Twist
from bug_nav.robot import Robot

from bug_nav.behaviors.trace import Trace

Rule = Callable[[Robot], bool]


class BoxedIn(Exception):
    """No heading is free, all around."""


def follow_boundary(robot: Robot, contact: Point, side: int, leave: Rule
                    ) -> Generator[Twist, None, Trace]:
    """
    Follow the boundary until the rule ``leave`` holds or the lap is closed; return the trace.

    ``contact``: an obstacle point of the boundary (odometry's frame); ``side``: +1 keeps it on
    the right hand, -1 on the left. Turning from the contact away from the wall, the first free
    heading is the tangent of the inflated obstacle. That rounds convex corners on an arc, turns
    in concave ones and passes gaps that are too narrow, without special cases.
    """
    trace = Trace(robot, contact)
    with robot.state('boundary_following'):
        while True:
            trace.add(robot)
            if trace.closed or leave(robot):
                return trace
            sector = robot.tangent(trace.contact, side)
            if sector is None:
                yield from _look_around(robot, trace.contact, side)
                continue
            _touch(robot, trace, robot.perception.wall_point(sector.first, side))
            away = min(robot.outward(), sector.width / 2.0)
            yield robot.drive(sector.first + side * away, side=side)


def _touch(robot: Robot, trace: Trace, contact: Optional[Point]) -> None:
    """
    Go on to the next contact point.

    Where the contact jumps from one jamb of a gap to the other, the gap has been judged too
    narrow. It stays so for this goal: a gap near 2 rho that is now shut and now open would make
    the contour no closed curve.
    """
    if contact is None:
        return
    if robot.is_narrow(trace.contact, contact):
        robot.gaps.judge(robot.pose.position, passed=False)
    trace.contact = contact


def _look_around(robot: Robot, contact: Point, side: int) -> Generator[Twist, None, None]:
    """Turn on the spot until a heading is free; raise BoxedIn after a full turn without one."""
    with robot.state('turning'):
        begin = robot.turned
        while robot.tangent(contact, side) is None:
            if robot.turned - begin > 2.0 * math.pi:
                raise BoxedIn
            yield Twist(0.0, side * robot.model.max_vel_theta)
