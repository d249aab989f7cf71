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

from typing import Callable, Generator

from bug_nav.behaviors.rolling_disc import BoxedIn, RollingDisc
from bug_nav.behaviors.trace import Trace
from bug_nav.geometry import bearing
from bug_nav.interface import Twist
from bug_nav.robot import Robot

Rule = Callable[[Robot], bool]
LEAD = 0.36
"""How far the disc rolls ahead of the robot, in contour radii."""


def follow_boundary(robot: Robot, disc: RollingDisc, leave: Rule
                    ) -> Generator[Twist, None, Trace]:
    """
    Follow the disc until the rule ``leave`` holds or the lap is closed; return the trace.

    BoxedIn is raised where the contour closes around the robot.
    """
    trace = Trace(robot, disc.centre)
    with robot.state('boundary_following'):
        while not (trace.closed or leave(robot)):
            if robot.is_boxed_in():
                raise BoxedIn
            target, way = disc.lead(robot, LEAD * robot.contour_radius)
            trace.add(robot, way)
            yield robot.drive(bearing(robot.pose.position, target), side=disc.side)
        return trace
