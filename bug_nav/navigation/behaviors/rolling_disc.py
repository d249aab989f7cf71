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
The rolling disc: the contour of the observed obstacles inflated by rho.

The centre of a disc of radius rho that rolls along obstacle points traces the boundary of the
obstacles in configuration space. It turns about the point that it touches until it touches
another one. So convex corners become arcs, concave ones cusps, and a gap that is too narrow is
passed, all without special cases.
"""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.navigation.cspace import disc_rolling
from bug_nav.navigation.geometry import bearing, distance, Point, wrap
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import (
    Concluded,
    Intent,
    Outcome,
    Result,
    Towards,
    Unreachable,
    WorldChanged,
)
import numpy as np

LEAD = 0.36
"""Lead of the disc over the robot [contour radii]."""
TOUCH_LEAD = 0.15
"""Lead with contact sensing, within the contact range [contour radii]."""
MAX_OVERLAP = 0.01
"""Depth of new points inside the disc at which its position is impossible [m]."""
MIN_EXTENT = 0.02
"""Distance of a contour from the robot below which it has no extent [m]."""
TOUCHING = 0.01
"""Distance from the body below which a reading may be of the robot itself [m]."""
OWN_REACH, OWN_WIDTH, OWN_GAP = 1.5, 0.06, 0.08
"""
Of a part of the robot outside its radius: maximum distance from the centre [radii], maximum
distance of its points from the nearest one, and width of the free space around them [m].
"""
MAX_PLACES = 64
"""Maximum number of points per call of the kernel."""


class BoxedIn(Unreachable):
    """The contour closes around the robot."""

    def __init__(self) -> None:
        """Set the message."""
        super().__init__('boxed in: the contour closes around the robot')


def boxed_in(robot: Robot) -> Exception:
    """
    Return what to raise in a closed contour.

    Readings that touch the body are rather parts of the robot, unless an object, such as a door,
    has arrived there; so are narrow ones a little farther away, of a robot that has not driven. A
    robot that has driven in can drive out again.
    """
    points = robot.perceived.points
    dx, dy = (points - robot.odom_position).T
    away = np.hypot(dx, dy)
    nearest = int(np.argmin(away))
    has_arrived = bool(robot.perception.tracker.has_arrived(points[nearest:nearest + 1])[0])
    within = robot.model.robot_radius + TOUCHING
    if not robot.has_driven and robot.settings.sensing == 'range':
        apart = np.hypot(*(points - points[nearest]).T)
        if not ((apart > OWN_WIDTH) & (apart < OWN_WIDTH + OWN_GAP)).any():
            within = OWN_REACH * robot.model.robot_radius
    if has_arrived or away[nearest] >= within:
        return WorldChanged('the contour has closed around a robot that had driven in freely'
                            ) if robot.has_driven else BoxedIn()
    angle = math.degrees(wrap(math.atan2(dy[nearest], dx[nearest]) - robot.pose.theta))
    return Concluded(Result(
        Outcome.UNDECIDED, 'the contour closes around the robot, but a reading '
        f'{away[nearest]:.2f} m from its centre, at {angle:.0f} degrees, may be of the robot '
        f'itself (radius {robot.model.robot_radius:g} m): if it turns with the robot, set '
        'self_radius above that'))


class RollingDisc:
    """A disc that rolls ahead of the robot (odometry frame)."""

    doubts = True
    """Whether a slightly narrow gap is tried with a smaller disc before it is refused."""

    def __init__(self, centre: Point, contact: Point, side: int):
        """Start at ``centre``, touching ``contact``; ``side`` +1 keeps it on the right."""
        self.side = side
        self._disc: disc_rolling.Disc = (*centre, *contact, distance(centre, contact))
        self._share = 1.0
        self._places = np.empty((MAX_PLACES, 2))
        self._out_of: Optional[np.ndarray] = None

    @property
    def centre(self) -> Point:
        """Position of the disc, a point on the contour."""
        return self._disc[:2]

    @property
    def contact(self) -> Point:
        """Obstacle point that the disc touches."""
        return self._disc[2:4]

    def turned_back(self) -> RollingDisc:
        """Return a disc that rolls the other way."""
        return RollingDisc(self.centre, self.contact, -self.side)

    def step(self, robot: Robot) -> Tuple[Intent, List[Point]]:
        """Return the intent of this tick, and the next points of the contour."""
        lead = TOUCH_LEAD if robot.settings.sensing == 'contact' else LEAD
        target, way = self.lead(robot, lead * robot.contour_radius)
        return Towards(target, self.side), way

    def lead(self, robot: Robot, by: float) -> Tuple[Point, List[Point]]:
        """
        Roll until the centre is ``by`` [m] away from the robot; return it and the points passed.

        In a cell whose contour is smaller than that, the lead is less. Raise BoxedIn if the
        contour has no extent and the robot started there. A disc that cannot roll anywhere stays.
        """
        way: List[Point] = []
        here = robot.odom_position
        if distance(self._disc[:2], here) >= by * self._share:
            # The disc waits for the robot; points observed meanwhile must not cover it.
            space = robot.space
            if space.points is not self._out_of:
                self._give_way(space.points, space.radii)
            return self._disc[:2], way
        self._out_of = None
        rolled, stuck, met_again = 0.0, 0, False
        while distance(self._disc[:2], here) < by * self._share:
            places, space = self._places, robot.space
            disc, before, angle, jamb, rolled, stuck, count = disc_rolling.roll_ahead(
                space.points, space.radii, self._disc, self.side, *here,
                by * self._share, robot.gaps.kernel_limits, rolled, stuck, places)
            self._disc = disc
            way.extend(zip(*places[:count].T.tolist()))
            if jamb:
                self._meet_jamb(robot, before, angle)
            if rolled > disc_rolling.MAX_NEARBY:
                rolled, way = 0.0, []
                if not self._reduce_lead(robot, by):
                    return self.centre, way
            if stuck > disc_rolling.JAM_CONTACTS:
                if not self._get_free(robot, met_again):
                    return self.centre, way
                stuck, met_again = 0, True
        return self._disc[:2], way

    def _reduce_lead(self, robot: Robot, by: float) -> bool:
        """
        Reduce the lead in a contour that stays near the robot; return whether it has an extent.

        Where the robot has entered, noise has closed the passage, which is opened again instead.
        """
        if not robot.may_be_boxed_in and robot.gaps.free_trace(robot.odom_position):
            return True
        self._share *= 0.5
        if by * self._share >= MIN_EXTENT:
            return True
        if robot.may_be_boxed_in:
            raise boxed_in(robot)
        self._share = 1.0
        return False

    def _get_free(self, robot: Robot, met_again: bool) -> bool:
        """
        Free a jammed disc; return whether it can roll on with the known points.

        Otherwise it stays for this tick, and the gap at the robot is judged open: the robot is in
        it, so noise has closed it.
        """
        if not met_again and self._meet_again(robot):
            return True
        return not robot.gaps.mark_entered(robot.odom_position) and self._turn_back(robot)

    def _meet_again(self, robot: Robot) -> bool:
        """
        Place the disc at the first obstacle from the robot to here; return whether there is one.

        A disc has no room in front of a plug if the jambs are now measured nearer to each other
        than when the plug was placed.
        """
        here = robot.odom_position
        heading = bearing(here, self.centre)
        free, contact = robot.space.free_distance_of(
            robot.contour_radius, here, heading, distance(here, self.centre))
        if contact is None:
            return False
        centre = (here[0] + free * math.cos(heading), here[1] + free * math.sin(heading))
        self._disc = (*centre, *contact, distance(centre, contact))
        return True

    def _turn_back(self, robot: Robot) -> bool:
        """
        Close a passage that becomes too narrow ahead of the robot; return whether it was open.

        The robot entered where it was wider, and the disc ahead has no room any more.
        """
        here, centre = robot.odom_position, self.centre
        away = distance(here, centre)
        if away == 0.0:
            return False
        ahead = (centre[0] - here[0]) / away, (centre[1] - here[1]) / away
        return robot.gaps.close(centre, ahead) and self._meet_again(robot)

    def _give_way(self, points: np.ndarray, radii: np.ndarray) -> None:
        """Move the waiting disc out of new points, because the robot has to get there."""
        self._out_of = points
        if disc_rolling.deepest_penetration(points, radii, *self.centre)[0] > MAX_OVERLAP:
            self._disc = disc_rolling.resolve_penetration(points, radii, self._disc)

    def _meet_jamb(self, robot: Robot, before: disc_rolling.Disc, angle: float) -> None:
        """Store a narrow gap as closed when the disc touches both of its jambs."""
        across = bearing(before[2:4], self.contact)
        # Into the gap: perpendicular to the line between the jambs, in the rolling direction.
        onward = angle - self.side * math.pi / 2.0
        ahead = across + math.copysign(math.pi / 2.0, math.sin(onward - across))
        if math.cos(ahead - bearing(self.centre, robot.odom_position)) > 0.0:
            return  # the disc came through that gap
        if self.doubts and robot.gaps.assume_open(self.centre):
            self._disc = before
            return
        robot.gaps.mark_closed(self.centre, (math.cos(ahead), math.sin(ahead)))
