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
from bug_nav.core.geometry import bearing, distance, Point, wrap
from bug_nav.robot import Robot
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
        self.here = robot.pose.position
        self.space = robot.space_in_sight
        self._near = LEAD * robot.contour_radius
        self._least = robot.contour_radius - LEAST_ROOM
        self._narrow = robot.contour_radius + robot.gaps.narrow
        self._gaps = robot.gaps
        seen = robot.perception.seen
        self._reach = seen.reach - robot.contour_radius
        scan = seen.scan
        field = abs(scan.angle_increment) * len(scan.ranges)
        self._half_field = math.pi if field > 2.0 * math.pi - 0.1 else 0.5 * field
        self._axis = (seen.origin.theta + scan.angle_min
                      + 0.5 * scan.angle_increment * len(scan.ranges))

    def free(self, origin: Point, heading: float, reach: float, less: float = CONTOUR_SLACK
             ) -> Tuple[float, Optional[Point]]:
        """Return how far a disc, smaller than rho by ``less``, can go, and what stops it."""
        return self.space.free(origin, heading, reach, less, self._least)

    def sees(self, place: Point, less: float = SLACK) -> bool:
        """Tell whether a disc, smaller than rho by ``less``, is seen to go straight to a place."""
        away, heading = distance(self.here, place), bearing(self.here, place)
        return (away < self._reach and abs(wrap(heading - self._axis)) <= self._half_field
                and self.free(self.here, heading, away, less)[1] is None)

    def sees_which(self, places: np.ndarray, less: float = SLACK) -> np.ndarray:
        """Tell the same of places (m, 2) [m], (m,) bool."""
        to_x, to_y = (places - self.here).T
        off = np.arctan2(to_y, to_x) - self._axis
        off = np.abs(np.mod(off + math.pi, 2.0 * math.pi) - math.pi)
        seen = (np.hypot(to_x, to_y) < self._reach) & (off <= self._half_field)
        seen[seen] = self.space.reaches(self.here, places[seen], less, self._least)
        return seen

    def is_near(self, place: Point) -> bool:
        """Tell whether a place is so near that the robot goes there by touch."""
        return distance(self.here, place) < self._near

    def leads_to(self, place: Point) -> bool:
        """Tell whether the robot can go straight to a place that has been seen before."""
        if distance(self.here, place) > self._near + SPACING:
            return self.sees(place, LOST)
        return not self.space.is_covered(place, LEAST_ROOM)

    def in_narrow_gap(self, place: Point, heading: float) -> bool:
        """Tell whether a place lies in a gap so narrow that it is judged from near by alone."""
        jambs = self.space.jambs(place, heading, self._narrow)
        return jambs is not None and self._gaps.is_narrow(*jambs)


class SeeingDisc(RollingDisc):
    """A disc that rolls ahead of the robot as far as the robot sees it roll."""

    doubts = False  # the robot follows T_i in straight lines, which are less exact than a contour

    def __init__(self, centre: Point, contact: Point, side: int):
        """Begin at ``centre``, touching ``contact``; ``side`` +1 keeps it on the right hand."""
        super().__init__(centre, contact, side)
        self._far = False
        self._doubtful = False

    def roll_on(self, robot: Robot, sight: Optional[Sight]) -> Iterator[Point]:
        """Roll on by the lead, and farther where a sight is given; yield the places."""
        _, way = self.lead(robot, LEAD * robot.contour_radius)
        yield from way
        if sight is None:
            return
        self._far, self._doubtful = True, False
        touched: List[Point] = []
        try:
            yield from self._roll_in_sight(robot, sight, touched)
        finally:
            self._far = False
            # The robot may never come there, and the verdict rests on these.
            robot.perception.remember(np.array(list(dict.fromkeys(touched))).reshape(-1, 2))

    def _roll_in_sight(self, robot: Robot, sight: Sight, touched: List[Point]
                       ) -> Iterator[Point]:
        """Roll on as far as is seen, and take note of what is touched."""
        course = bearing(self.contact, self.centre) - self.side * math.pi / 2.0
        if sight.in_narrow_gap(self.centre, course):
            return  # not even room is made there: that would push the disc out, scan by scan
        table = sight.space.table
        self._make_room(*table)
        yield self.centre
        for _ in range(STRIDES):
            before = self._disc
            self._roll(robot, *table)
            self._make_room(*table)
            course = bearing(before[:2], self.centre)
            if (self._doubtful or sight.in_narrow_gap(self.centre, course)
                    or not (sight.is_near(self.centre) or sight.sees(self.centre))):
                self._disc = before
                return
            if self._disc[4] > 0.5 * robot.contour_radius:  # else it is a plug
                touched.append(self.contact)
            yield self.centre

    def _meet_jamb(self, robot: Robot, before: Disc, angle: float) -> None:
        if self._far:
            self._doubtful = True
        else:
            super()._meet_jamb(robot, before, angle)
