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

"""Field of view of the sensor: all around, or a camera that is panned."""

from __future__ import annotations

import math
from typing import Iterator, Protocol

from bug_nav.navigation.behaviors.tangent_graph import HEADINGS, STEP
from bug_nav.navigation.geometry import bearing, Point
from bug_nav.navigation.robot import Robot
import numpy as np

ALL = np.ones(HEADINGS, dtype=bool)
"""All headings."""
_ANGLES = STEP * np.arange(HEADINGS)


class FieldOfView(Protocol):
    """The headings that the sensor observes, view by view."""

    def towards_goal(self, robot: Robot) -> Iterator[np.ndarray]:
        """Yield the observed headings, bool, after each view towards the goal."""

    def along_wall(self, robot: Robot, wall: Point) -> np.ndarray:
        """Return the headings observed along a wall at point ``wall``, bool."""


class Omnidirectional:
    """Observes all headings at once."""

    def towards_goal(self, robot: Robot) -> Iterator[np.ndarray]:
        """Yield all headings."""
        yield ALL

    def along_wall(self, robot: Robot, wall: Point) -> np.ndarray:
        """Return all headings."""
        return ALL


class Wedge:
    """Observes one wedge at a time, and counts its views."""

    def __init__(self, half_angle: float):
        """Set half the field of view [rad]."""
        self.half_angle = half_angle
        self.views = 0
        self._closest = math.inf

    def towards_goal(self, robot: Robot) -> Iterator[np.ndarray]:
        """View the direction of the goal first, then alternately left and right of it."""
        seen = np.zeros(HEADINGS, dtype=bool)
        for turn in range(HEADINGS):
            off = 2.0 * self.half_angle * ((turn + 1) // 2)
            seen = seen | self._look(robot.goal_heading + (off if turn % 2 else -off))
            yield seen
            if seen.all():
                return

    def along_wall(self, robot: Robot, wall: Point) -> np.ndarray:
        """View the wall, and the goal whenever it is nearer than ever before."""
        seen = self._look(bearing(robot.odom_position, wall))
        if robot.goal_distance < self._closest and not seen.all():
            seen = seen | self._look(robot.goal_heading)
        self._closest = min(self._closest, robot.goal_distance)
        return seen

    def _look(self, heading: float) -> np.ndarray:
        self.views += 1
        off = (_ANGLES - heading + math.pi) % (2.0 * math.pi) - math.pi
        return np.abs(off) <= self.half_angle + 1e-9
