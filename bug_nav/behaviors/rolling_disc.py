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
from typing import List, Tuple

from bug_nav import kernels
from bug_nav.gaps import PLUG_RADIUS
from bug_nav.geometry import bearing, distance, Point, wrap
from bug_nav.interface import Twist, Unreachable
from bug_nav.robot import Robot
import numpy as np

LEAD = 0.36
"""How far the disc rolls ahead of the robot, in contour radii."""
TOUCH_LEAD = 0.15
"""The same with contact sensing: no farther than what is felt."""
STRIDE = 0.02
"""The disc rolls on in arcs of at most this length [m]."""
ROUND = 1.0
"""A contour that stays near the robot for so long [m] is all around it."""
NO_EXTENT = 0.02
"""A contour whose places are all nearer to the robot than this [m] is not worth a lap."""
JAM = 100
"""After so many touches on end without a turn the disc is jammed."""
MAKE_ROOM = 8
"""So many points are made room for at once."""
PENETRATION = 1e-4
"""Points this deep [m] in the disc push it out."""


class BoxedIn(Unreachable):
    """The contour closes around the robot where it stands."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__('boxed in: the contour closes around the robot')


class RollingDisc:
    """A disc that rolls ahead of the robot (odometry's frame)."""

    def __init__(self, centre: Point, contact: Point, side: int):
        """Begin at ``centre``, touching ``contact``; ``side`` +1 keeps it on the right hand."""
        self.centre = centre
        self.contact = contact
        self.side = side
        self._radius = distance(centre, contact)
        self._share = 1.0

    def turned_back(self) -> RollingDisc:
        """Return the disc that rolls the other way from here."""
        return RollingDisc(self.centre, self.contact, -self.side)

    def step(self, robot: Robot) -> Tuple[Twist, List[Point]]:
        """Return the command of this tick, and the places that the contour goes on through."""
        lead = TOUCH_LEAD if robot.settings.sensing == 'contact' else LEAD
        target, way = self.lead(robot, lead * robot.contour_radius)
        return robot.drive(bearing(robot.pose.position, target), side=self.side), way

    def lead(self, robot: Robot, by: float) -> Tuple[Point, List[Point]]:
        """
        Roll on until the centre is ``by`` [m] away from the robot.

        Return the centre, and the places it has come through. In a cell so small that no place of
        its contour is that far away, the lead is less; BoxedIn is raised where the contour has
        hardly any extent and the robot began there, and RuntimeError where the disc cannot roll.
        """
        way: List[Point] = []
        if distance(self.centre, robot.pose.position) >= by * self._share:
            return self.centre, way
        points, radii = robot.obstacles()
        rolled, stuck, met_again = 0.0, 0, False
        while distance(self.centre, robot.pose.position) < by * self._share:
            self._make_room(points, radii)
            step = self._roll(robot, points, radii)
            rolled += step
            stuck = 0 if step > PENETRATION else stuck + 1
            way.append(self.centre)
            if rolled > ROUND:
                rolled, way, self._share = 0.0, [], 0.5 * self._share
            if by * self._share < NO_EXTENT:
                if robot.path_length < ROUND:
                    raise BoxedIn
                # The robot has come in here, so it is in a gap that noise has shut behind it.
                robot.gaps.enter(robot.pose.position)
                self._share = 1.0
                return self.centre, way
            if stuck > JAM:
                if met_again or not self._meet_again(robot):
                    if robot.gaps.enter(robot.pose.position):
                        return self.centre, way
                    raise RuntimeError(f'the rolling disc is jammed at {self.centre}')
                stuck, met_again = 0, True
        return self.centre, way

    def _meet_again(self, robot: Robot) -> bool:
        """
        Meet the obstacles anew, on the way from the robot to here; tell whether there are any.

        That is for a disc without room: before a plug whose jambs show nearer than when it was
        put there, so that there is no place any more that is clear of all three.
        """
        here = robot.pose.position
        heading = bearing(here, self.centre)
        free, contact = robot.perception.free_distance(
            heading, robot.contour_radius, distance(here, self.centre))
        if contact is None:
            return False
        self.contact = contact
        self.centre = (here[0] + free * math.cos(heading), here[1] + free * math.sin(heading))
        self._radius = distance(self.centre, contact)
        return True

    def _make_room(self, points: np.ndarray, radii: np.ndarray) -> None:
        """
        Take the disc out of points that it has come to cover, for two scans never agree quite.

        A point of the same wall just pushes. Where it is the other jamb of a gap that shows
        narrower than a moment ago, the disc turns about its contact, on or back, whichever is
        nearer: it leaves the gap the way that it came, unless it is half through.
        """
        for _ in range(MAKE_ROOM):
            x, y = self.centre
            depth, i = kernels.deepest(points, radii, x, y)
            if depth < PENETRATION:
                return
            ax, ay = self.contact
            dx, dy = points[i, 0] - ax, points[i, 1] - ay
            apart, radius = math.hypot(dx, dy), self._radius
            if apart < radius:
                self._touch(points, radii, i)
                continue
            cos = (radius ** 2 + apart ** 2 - radii[i] ** 2) / max(2.0 * radius * apart, 1e-9)
            off = wrap(math.atan2(y - ay, x - ax) - math.atan2(dy, dx))
            angle = math.atan2(dy, dx) + math.copysign(math.acos(min(max(cos, -1.0), 1.0)), off)
            self.centre = (ax + radius * math.cos(angle), ay + radius * math.sin(angle))

    def _roll(self, robot: Robot, points: np.ndarray, radii: np.ndarray) -> float:
        """Turn about the contact, to the next one or for a stride; return the length [m]."""
        (x, y), (ax, ay), radius = self.centre, self.contact, self._radius
        start = math.atan2(y - ay, x - ax)
        turn, i = kernels.roll(points[:, 0] - ax, points[:, 1] - ay, radii, radius, start,
                               self.side)
        stride = STRIDE / radius
        angle = start - self.side * min(turn, stride)
        self.centre = (ax + radius * math.cos(angle), ay + radius * math.sin(angle))
        if turn <= stride:
            last, was_plug = self.contact, radius == PLUG_RADIUS
            self._touch(points, radii, i)
            if not was_plug and radii[i] != PLUG_RADIUS:
                self._refuse_narrow_gap(robot, last, angle)
        return radius * min(turn, stride)

    def _touch(self, points: np.ndarray, radii: np.ndarray, i: int) -> None:
        """Make point ``i`` the contact, and let the disc just touch it."""
        self.contact, self._radius = (float(points[i, 0]), float(points[i, 1])), float(radii[i])
        away = distance(self.contact, self.centre)
        if away > 0.0:
            scale = self._radius / away
            self.centre = (self.contact[0] + scale * (self.centre[0] - self.contact[0]),
                           self.contact[1] + scale * (self.centre[1] - self.contact[1]))

    def _refuse_narrow_gap(self, robot: Robot, last: Point, angle: float) -> None:
        """Where the disc has come to touch both jambs of a narrow gap, remember it as shut."""
        if not robot.gaps.is_narrow(last, self.contact):
            return
        across = bearing(last, self.contact)
        # Into the gap: at right angles to the line between the jambs, the way the disc rolled.
        onward = angle - self.side * math.pi / 2.0
        ahead = across + math.copysign(math.pi / 2.0, math.sin(onward - across))
        if math.cos(ahead - bearing(self.centre, robot.pose.position)) > 0.0:
            return  # the disc has come through that one
        robot.gaps.refuse(self.centre, (math.cos(ahead), math.sin(ahead)))
