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
What a robot sees of a contour ahead of it: how far a disc rolls there, and where it could go.

A place is seen when the disc could go straight there: whatever were in the way would lie in the
strip that the disc sweeps, and so would whatever hides it from the sensor. What the beams miss
from afar makes obstacles seem smaller, never larger, and a lap around smaller ones proves as much.
Whether a narrow gap is open is not told from afar: the disc waits before it until the robot has
come.
"""

from __future__ import annotations

import math
from typing import Iterator, List, Optional, Tuple

from bug_nav.behaviors.rolling_disc import LEAD, RollingDisc
from bug_nav.core.geometry import distance, Point
from bug_nav.robot import Robot
from bug_nav.space import strides as kernels
from bug_nav.space.strides import Disc
import numpy as np

STRIDES = 150
"""With one scan T_i goes along a boundary for at most so many strides of the disc (3 m)."""
SLACK = 0.02
"""A place on a boundary is seen if a disc smaller than rho by this [m] can go straight there."""
LOST = 0.03
"""The robot goes straight on to T_i as long as a disc smaller by this [m] can."""
LEAST_ROOM = 0.05
"""A wall may have come nearer to the robot than rho by this [m], and not be in the way yet."""
SPACING = 0.04
"""Distance between the places that are kept of T_i's path [m]."""
CONTOUR_SLACK = 0.002
"""On the contour the disc is taken this much smaller [m], for it touches there."""


class Sight:
    """What the robot sees from where it is: the newest scan whole, and the memory near by."""

    def __init__(self, robot: Robot):
        """Look around."""
        self.here = robot.here
        self.space = robot.space_in_sight
        self.points, self.judgements = robot.perception.points, robot.gaps.judgements
        """What it is made of."""
        self._near = LEAD * robot.contour_radius
        self._least = robot.contour_radius - LEAST_ROOM
        self._gaps = (robot.contour_radius + robot.gaps.narrow, robot.gaps.kind)
        seen = robot.perception.seen
        scan = seen.scan
        field = scan.angle_increment * len(scan.ranges)
        self._view = (
            self.space.points, self.space.radii,
            max(self.space.room(self.here), self.space.body, self._least),
            *self.here, seen.reach - robot.contour_radius,
            seen.origin.theta + scan.angle_min + 0.5 * field,
            math.pi if abs(field) > 2.0 * math.pi - 0.1 else 0.5 * abs(field))
        """What `kernels.sees` takes first."""

    def free(self, origin: Point, heading: float, reach: float, less: float = CONTOUR_SLACK
             ) -> Tuple[float, Optional[Point]]:
        """Return how far a disc, smaller than rho by ``less``, can go, and what stops it."""
        return self.space.free(origin, heading, reach, less, self._least)

    def sees(self, place: Point, less: float = SLACK) -> bool:
        """Tell whether a disc, smaller than rho by ``less``, is seen to go straight to a place."""
        return kernels.sees(*self._view, *place, less)

    def sees_which(self, places: np.ndarray, less: float = SLACK) -> np.ndarray:
        """Tell the same of places (m, 2) [m], (m,) bool."""
        return kernels.sees_which(*self._view, places, less)

    def is_near(self, place: Point) -> bool:
        """Tell whether a place is so near that the robot goes there by touch."""
        return distance(self.here, place) < self._near

    def leads_to(self, place: Point) -> bool:
        """Tell whether the robot can go straight to a place that has been seen before."""
        if distance(self.here, place) > self._near + SPACING:
            return kernels.sees(*self._view, *place, LOST)
        return not self.space.is_covered(place, LEAST_ROOM)

    def roll(self, disc: Disc, side: int) -> List[Disc]:
        """Roll a disc on as far as is seen; return it as it was at the begin of each stride."""
        discs = np.empty((STRIDES + 1, 5))
        count = kernels.roll_in_sight(*self._view, self.space.obstacles, self._near, *self._gaps,
                                      disc, side, SLACK, discs)
        return list(map(tuple, discs[:count].tolist()))


def look(robot: Robot, last: Optional[Sight] = None) -> Sight:
    """Return what the robot sees from here: the last unless it moved, or saw or judged anew."""
    if (last is not None and last.here == robot.here and last.points is robot.perception.points
            and last.judgements is robot.gaps.judgements):
        return last
    return Sight(robot)


class SeeingDisc(RollingDisc):
    """A disc that rolls ahead of the robot as far as the robot sees it roll."""

    doubts = False  # the robot follows T_i in straight lines, which are less exact than a contour

    def roll_on(self, robot: Robot, sight: Optional[Sight]) -> Iterator[Point]:
        """Roll on by the lead, and farther where a sight is given; yield the places."""
        _, way = self.lead(robot, LEAD * robot.contour_radius)
        yield from way
        if sight is None:
            return
        touched: List[Point] = []
        try:
            for k, disc in enumerate(sight.roll(self._disc, self.side)):
                self._disc = disc
                if k > 0 and disc[4] > 0.5 * robot.contour_radius:  # else it is a plug
                    touched.append(disc[2:4])
                yield disc[:2]
        finally:
            # The robot may never come there, and the verdict rests on these.
            robot.perception.remember(np.array(list(dict.fromkeys(touched))).reshape(-1, 2))
