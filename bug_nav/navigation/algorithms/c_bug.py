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
CBUG, reconstructed: Bug1 inside a virtual ellipse that grows.

A recombination of Bug1 with a virtual wall, the ellipse.

Y. Gabriely and E. Rimon, "CBUG: a quadratically competitive mobile robot navigation algorithm",
IEEE Transactions on Robotics 24(6):1451-1457, 2008.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.algorithms.base import Algorithm, CONTACT, IntentGenerator, Metadata, Step
from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.trace import Trace
from bug_nav.navigation.geometry import bearing, distance, Point
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Unreachable
import numpy as np

SPACING = 0.03
"""Distance between the points of the virtual wall [m]."""
TOUCH = 0.05
"""Distance, beyond rho, within which a contour touches the virtual wall [m]."""
ROOM = 4.0
"""Minimum distance of the virtual wall beyond the start and the goal [contour radii]."""


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of CBUG."""

    first_length_ratio: float = parameter(
        1.5, 'ratio of the length of the first ellipse to the distance from start to goal',
        low=1.1, high=10.0)
    area_growth_factor: float = parameter(
        2.0, 'ratio of the area of an ellipse to the one before', low=1.2, high=10.0)


class Ellipse:
    """An ellipse with the foci start and goal (global frame)."""

    def __init__(self, start: Point, goal: Point, half_length: float):
        """``half_length``: the semi-major axis [m]."""
        self.foci = start, goal
        self.half_length = half_length
        self.half_width = math.sqrt(half_length ** 2 - (0.5 * distance(start, goal)) ** 2)

    def grown(self, factor: float) -> Ellipse:
        """Return the ellipse with the same foci and ``factor`` times the area."""
        # a b = area / pi and a^2 - b^2 = c^2, so that a^4 - c^2 a^2 - (area / pi)^2 = 0.
        c2 = self.half_length ** 2 - self.half_width ** 2
        area = factor * self.half_length * self.half_width
        return Ellipse(*self.foci, math.sqrt(0.5 * (c2 + math.sqrt(c2 ** 2 + 4.0 * area ** 2))))

    @property
    def points(self) -> np.ndarray:
        """Points on the ellipse, (n, 2) [m]."""
        count = int(2.0 * math.pi * self.half_length / SPACING) + 1
        angles = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
        (x, y), (gx, gy) = self.foci
        theta = bearing(*self.foci)
        along, across = self.half_length * np.cos(angles), self.half_width * np.sin(angles)
        return np.column_stack((
            0.5 * (x + gx) + math.cos(theta) * along - math.sin(theta) * across,
            0.5 * (y + gy) + math.sin(theta) * along + math.cos(theta) * across))

    def is_touched_by(self, trace: Trace, reach: float) -> bool:
        """Return whether a lap comes within ``reach`` [m] of the ellipse."""
        points = self.points
        return any(np.hypot(points[:, 0] - mark.place[0], points[:, 1] - mark.place[1]).min()
                   < reach for mark in trace.lap)


class CBug(Algorithm):
    """Drive as Bug1 inside an ellipse around start and goal; enlarge it if it blocks the way."""

    metadata = Metadata(
        title='CBUG', source='Gabriely and Rimon 2008', sensing=CONTACT,
        memory='an ellipse, the hit point, the closest point', complete=True,
        bound='quadratic in the shortest path (of the original)',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences="the paper's steps were not available: Bug1 as implemented here, with our "
                    'sizes of the first ellipse and of its growth; the robot continues from '
                    'where it is when the ellipse grows, and a lap within rho and 5 cm of the '
                    'ellipse is no proof',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        *Bug1.steps[:2],
        Step('3', 'Report the goal as unreachable if the lap separates it from the robot and does '
                  'not touch the ellipse, which counts as a wall; if the lap does not separate '
                  'them, return to Q, leave there, and continue with 1.'),
        Step('4', 'Otherwise enlarge the ellipse, and continue with 1.'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps."""
        apart = distance(robot.position, robot.goal)
        ellipse = Ellipse(robot.position, robot.goal, max(
            0.5 * self.parameters.first_length_ratio * apart,
            0.5 * apart + ROOM * robot.contour_radius))
        robot.set_virtual_obstacles(ellipse.points)
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            follower = meet_boundary(robot, hit)
            with robot.state('circumnavigation'):
                trace = yield from follow_boundary(robot, follower)
            robot.enter_step('3')
            try:
                yield from leave_at_closest(robot, trace, follower)
            except Unreachable:
                if not ellipse.is_touched_by(trace, robot.contour_radius + TOUCH):
                    raise
                ellipse = ellipse.grown(self.parameters.area_growth_factor)
                robot.enter_step('4', 'the ellipse blocks the way and grows to a length of '
                                      f'{2.0 * ellipse.half_length:.2f} m')
                robot.set_virtual_obstacles(ellipse.points)
            robot.record_leave()
