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
The visible part of a contour ahead of the robot, by a disc that rolls as far as it is visible.

A point is visible if the disc could go straight to it: anything in the way, or hiding it from the
sensor, would lie in the strip that the disc sweeps. Points that the beams miss from afar make
obstacles appear smaller, never larger, and a lap around smaller ones is still a proof. Whether a
narrow gap is open is not decided from afar: the disc waits in front of it for the robot.
"""

from __future__ import annotations

import math
from typing import Iterator, List, Optional, Tuple

from bug_nav.navigation.behaviors.rolling_disc import LEAD, RollingDisc
from bug_nav.navigation.behaviors.visibility import (
    is_visible,
    roll_while_visible,
    visible_places,
)
from bug_nav.navigation.cspace.disc_rolling import Disc
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.robot import Robot
import numpy as np

MAX_STRIDES = 150
"""Maximum number of strides of the disc per scan (3 m)."""
VISIBILITY_SLACK = 0.02
"""Reduction of the disc for the visibility of a point on a boundary [m]."""
LOSS_SLACK = 0.03
"""Reduction of the disc for a straight way to T_i that is not lost yet [m]."""
ROOM_TOLERANCE = 0.05
"""Distance inside rho at which a wall is not yet in the way [m]."""
SPACING = 0.04
"""Distance between the stored points of the path of T_i [m]."""
CONTOUR_SLACK = 0.002
"""Reduction of the disc on the contour, where it touches obstacles [m]."""


class Visibility:
    """Visibility from the robot's position: the newest scan, and stored points nearby."""

    def __init__(self, robot: Robot):
        """Take the current position and points of the robot."""
        self.position = robot.odom_position
        self.space = robot.space_in_sight
        self.points, self.judgements = robot.perceived.points, robot.gaps.judgements
        """The data of the space."""
        self._near = LEAD * robot.contour_radius
        self._least = robot.contour_radius - ROOM_TOLERANCE
        self._gaps = (robot.contour_radius + robot.gaps.narrow, robot.gaps.kernel_limits)
        seen = robot.newest_scan
        scan = seen.scan
        field = scan.angle_increment * len(scan.ranges)
        self._view = (
            self.space.points, self.space.radii,
            max(self.space.clearance(self.position), self.space.body, self._least),
            *self.position, scan.range_max - robot.contour_radius,
            seen.origin.theta + scan.angle_min + 0.5 * field,
            math.pi if abs(field) > 2.0 * math.pi - 0.1 else 0.5 * abs(field))
        """First arguments of `is_visible`."""

    def free(self, origin: Point, heading: float, reach: float, reduction: float = CONTOUR_SLACK
             ) -> Tuple[float, Optional[Point]]:
        """Return the free distance and the blocking point of a disc smaller by ``reduction``."""
        return self.space.free_distance(origin, heading, reach, reduction, self._least)

    def sees(self, place: Point, reduction: float = VISIBILITY_SLACK) -> bool:
        """Return whether a point is visible for a disc smaller than rho by ``reduction``."""
        return is_visible(*self._view, *place, reduction)

    def sees_which(self, places: np.ndarray, reduction: float = VISIBILITY_SLACK) -> np.ndarray:
        """Return the same for points (m, 2) [m], (m,) bool."""
        return visible_places(*self._view, places, reduction)

    def is_near(self, place: Point) -> bool:
        """Return whether a point is within the range of the rolling disc."""
        return distance(self.position, place) < self._near

    def leads_to(self, place: Point) -> bool:
        """Return whether the robot can go straight to a point that was visible before."""
        if distance(self.position, place) > self._near + SPACING:
            return is_visible(*self._view, *place, LOSS_SLACK)
        return not self.space.is_inside(place, ROOM_TOLERANCE)

    def roll(self, disc: Disc, side: int) -> List[Disc]:
        """Roll a disc as far as it is visible; return its states before each stride."""
        discs = np.empty((MAX_STRIDES + 1, 5))
        count = roll_while_visible(*self._view, self.space.obstacles, self._near, *self._gaps,
                                   disc, side, VISIBILITY_SLACK, discs)
        return list(map(tuple, discs[:count].tolist()))


def look(robot: Robot, last: Optional[Visibility] = None) -> Visibility:
    """Return the visibility from here: the last one if robot, points and gaps are unchanged."""
    if (last is not None and last.position == robot.odom_position
            and last.points is robot.perceived.points
            and last.judgements is robot.gaps.judgements):
        return last
    return Visibility(robot)


class LookaheadDisc(RollingDisc):
    """A disc that rolls ahead of the robot as far as it is visible."""

    doubts = False  # the robot follows T_i in straight lines, less exactly than a contour

    def roll_on(self, robot: Robot, sight: Optional[Visibility]) -> Iterator[Point]:
        """Roll by the lead, and farther if ``sight`` is given; yield the points."""
        _, way = self.lead(robot, LEAD * robot.contour_radius)
        yield from way
        if sight is None:
            return
        touched: List[Point] = []
        try:
            for k, disc in enumerate(sight.roll(self._disc, self.side)):
                self._disc = disc
                if k > 0 and disc[4] > 0.5 * robot.contour_radius:  # else a plug
                    touched.append(disc[2:4])
                yield disc[:2]
        finally:
            # The verdict depends on these points, even if the robot never comes there.
            robot.perception.memory.add(np.array(list(dict.fromkeys(touched))).reshape(-1, 2))
