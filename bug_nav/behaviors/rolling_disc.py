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
The rolling disc: the contour of the obstacles inflated by rho, as it is seen.

A disc of radius rho that rolls along obstacle points without slipping through between them draws,
with its centre, the boundary of the obstacles in configuration space. It turns about the point
that it touches until it touches another, and goes on about that one. So convex corners become
arcs, concave ones cusps, and a gap that is too narrow is passed by, all without special cases.
"""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.core.geometry import bearing, distance, Point
from bug_nav.core.interface import Unreachable
from bug_nav.drive.intents import Intent, Towards
from bug_nav.robot import Robot
from bug_nav.space import strides
import numpy as np

LEAD = 0.36
"""How far the disc rolls ahead of the robot [contour radii]."""
TOUCH_LEAD = 0.15
"""The same with contact sensing [contour radii]: no farther than what is felt."""
SQUEEZED = 0.01
"""A disc that lies so deep [m] in points that have shown since is where no robot can be."""
NO_EXTENT = 0.02
"""A contour whose places are all nearer to the robot than this [m] is not worth a lap."""
WAY = 64
"""So many places are rolled through at once."""


class BoxedIn(Unreachable):
    """The contour closes around the robot where it stands."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__('boxed in: the contour closes around the robot')


class RollingDisc:
    """A disc that rolls ahead of the robot (odometry's frame)."""

    doubts = True
    """A gap that looks a little too narrow is tried with a smaller disc before it is refused."""

    def __init__(self, centre: Point, contact: Point, side: int):
        """Begin at ``centre``, touching ``contact``; ``side`` +1 keeps it on the right hand."""
        self.side = side
        self._disc: strides.Disc = (*centre, *contact, distance(centre, contact))
        self._share = 1.0
        self._out_of: Optional[np.ndarray] = None

    @property
    def centre(self) -> Point:
        """Where it has got to: a place on the contour."""
        return self._disc[:2]

    @property
    def contact(self) -> Point:
        """Return the obstacle point that it touches."""
        return self._disc[2:4]

    def turned_back(self) -> RollingDisc:
        """Return the disc that rolls the other way from here."""
        return RollingDisc(self.centre, self.contact, -self.side)

    def step(self, robot: Robot) -> Tuple[Intent, List[Point]]:
        """Return what is wanted at this tick, and the places that the contour goes on through."""
        lead = TOUCH_LEAD if robot.settings.sensing == 'contact' else LEAD
        target, way = self.lead(robot, lead * robot.contour_radius)
        return Towards(target, self.side), way

    def lead(self, robot: Robot, by: float) -> Tuple[Point, List[Point]]:
        """
        Roll on until the centre is ``by`` [m] away from the robot.

        Return the centre, and the places it has come through. In a cell so small that no place of
        its contour is that far away, the lead is less; BoxedIn is raised where the contour has
        hardly any extent and the robot began there. A disc that has nowhere to roll stays.
        """
        way: List[Point] = []
        here = robot.here
        space = robot.space
        points, radii = space.points, space.radii
        if distance(self._disc[:2], here) >= by * self._share:
            # It waits for the robot; what has shown since must not cover it meanwhile.
            if points is not self._out_of:
                self._give_way(points, radii)
            return self._disc[:2], way
        self._out_of = None
        rolled, stuck, met_again = 0.0, 0, False
        while distance(self._disc[:2], here) < by * self._share:
            places = np.empty((WAY, 2))
            disc, before, angle, jamb, rolled, stuck, count = strides.roll_ahead(
                points, radii, self._disc, self.side, *here, by * self._share,
                robot.gaps.kind, rolled, stuck, places)
            self._disc = disc
            way.extend(zip(*places[:count].T.tolist()))
            if jamb:
                self._meet_jamb(robot, before, angle)
                points, radii = robot.space.points, robot.space.radii
            if rolled > strides.ROUND:
                rolled, way, self._share = 0.0, [], 0.5 * self._share
            if by * self._share < NO_EXTENT:
                if robot.is_at_start:
                    raise BoxedIn
                # The robot has come in here, so it is in a gap that noise has shut behind it.
                robot.gaps.enter(here)
                self._share = 1.0
                return self.centre, way
            if stuck > strides.JAM:
                if not self._get_free(robot, met_again):
                    return self.centre, way
                points, radii = robot.space.points, robot.space.radii
                stuck, met_again = 0, True
        return self._disc[:2], way

    def _get_free(self, robot: Robot, met_again: bool) -> bool:
        """
        Get a jammed disc free; tell whether it can roll on with what is known now.

        Where it cannot, it stays for this tick, and the gap where the robot stands is judged open:
        the robot is there, so noise has shut it.
        """
        if not met_again and self._meet_again(robot):
            return True
        return not robot.gaps.enter(robot.here) and self._turn_back(robot)

    def _meet_again(self, robot: Robot) -> bool:
        """
        Meet the obstacles anew, on the way from the robot to here; tell whether there are any.

        That is for a disc without room: before a plug whose jambs show nearer than when it was
        put there, so that there is no place any more that is clear of all three.
        """
        here = robot.here
        heading = bearing(here, self.centre)
        free, contact = robot.space.free_for(
            robot.contour_radius, here, heading, distance(here, self.centre))
        if contact is None:
            return False
        centre = (here[0] + free * math.cos(heading), here[1] + free * math.sin(heading))
        self._disc = (*centre, *contact, distance(centre, contact))
        return True

    def _turn_back(self, robot: Robot) -> bool:
        """
        Shut a passage that gets too narrow ahead of the robot; tell whether that was open.

        The robot has come in where it was wider, and the disc ahead of it has no room any more.
        """
        here, centre = robot.here, self.centre
        away = distance(here, centre)
        if away == 0.0:
            return False
        ahead = (centre[0] - here[0]) / away, (centre[1] - here[1]) / away
        return robot.gaps.shut(centre, ahead) and self._meet_again(robot)

    def _give_way(self, points: np.ndarray, radii: np.ndarray) -> None:
        """Get out of what has shown since, so that the robot can get there."""
        self._out_of = points
        if strides.deepest(points, radii, *self.centre)[0] > SQUEEZED:
            self._disc = strides.make_room(points, radii, self._disc)

    def _meet_jamb(self, robot: Robot, before: strides.Disc, angle: float) -> None:
        """Where the disc has come to touch both jambs of a narrow gap, remember it as shut."""
        across = bearing(before[2:4], self.contact)
        # Into the gap: at right angles to the line between the jambs, the way the disc rolled.
        onward = angle - self.side * math.pi / 2.0
        ahead = across + math.copysign(math.pi / 2.0, math.sin(onward - across))
        if math.cos(ahead - bearing(self.centre, robot.here)) > 0.0:
            return  # the disc has come through that one
        if self.doubts and robot.gaps.doubt(self.centre):
            self._disc = before
            return
        robot.gaps.refuse(self.centre, (math.cos(ahead), math.sin(ahead)))
