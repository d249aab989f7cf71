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

"""Where the sensor looks: all around, or as a camera that is panned."""

from __future__ import annotations

import math
from typing import Iterator, Protocol

from bug_nav.behaviors.tangent_graph import HEADINGS, STEP
from bug_nav.core.geometry import bearing, Point
from bug_nav.robot import Robot
import numpy as np

ALL = np.ones(HEADINGS, dtype=bool)
"""All headings."""
_ANGLES = STEP * np.arange(HEADINGS)


class Gaze(Protocol):
    """Where the sensor looks, look by look, until something is found."""

    def towards_goal(self, robot: Robot) -> Iterator[np.ndarray]:
        """Yield the headings seen so far, bool, after each look for a way to the goal."""

    def along_wall(self, robot: Robot, wall: Point) -> np.ndarray:
        """Return the headings seen in boundary following, bool, with the wall at a place."""


class AllAround:
    """Sees all headings at once."""

    def towards_goal(self, robot: Robot) -> Iterator[np.ndarray]:
        """Yield all of them."""
        yield ALL

    def along_wall(self, robot: Robot, wall: Point) -> np.ndarray:
        """Return all of them."""
        return ALL


class Wedge:
    """Sees a wedge at a time, and counts its looks."""

    def __init__(self, half_angle: float):
        """See headings within ``half_angle`` [rad] of where it looks."""
        self.half_angle = half_angle
        self.looks = 0
        self._closest = math.inf

    def towards_goal(self, robot: Robot) -> Iterator[np.ndarray]:
        """Look towards the goal first, then to the left and the right of what has been seen."""
        seen = np.zeros(HEADINGS, dtype=bool)
        for turn in range(HEADINGS):
            off = 2.0 * self.half_angle * ((turn + 1) // 2)
            seen = seen | self._look(robot.goal_heading + (off if turn % 2 else -off))
            yield seen
            if seen.all():
                return

    def along_wall(self, robot: Robot, wall: Point) -> np.ndarray:
        """Look at the wall, and towards the goal whenever that has come nearer than ever."""
        seen = self._look(bearing(robot.here, wall))
        if robot.goal_distance < self._closest and not seen.all():
            seen = seen | self._look(robot.goal_heading)
        self._closest = min(self._closest, robot.goal_distance)
        return seen

    def _look(self, heading: float) -> np.ndarray:
        self.looks += 1
        off = (_ANGLES - heading + math.pi) % (2.0 * math.pi) - math.pi
        return np.abs(off) <= self.half_angle + 1e-9
