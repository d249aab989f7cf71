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
Base of the wall followers of the literature, which steer by the points beside them.

They compute no contour: the trace is the robot's own path, and only their gains keep it at the
contour radius. The collision monitor prevents collisions.
"""

from __future__ import annotations

import abc
import math
from typing import List, Optional, Tuple, Union

from bug_nav.navigation.geometry import Point
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Along, Concluded, Intent, Outcome, Result, Twist
import numpy as np

SPEED = 0.15
"""Speed along a wall [m/s]."""
BEAM = math.radians(3.0)
"""Half the width of a beam, whose range is the median of its points [rad]."""
IN_SIGHT = 0.30
"""Range, beyond the contour radius, within which the wall is detected [m]."""
AHEAD = math.radians(30.0)
"""
Maximum bearing of a point of the wall beyond straight ahead, on the side without the wall [rad]:
at a hit, the wall is ahead.
"""
ALIGNED_BEARING = math.radians(-60.0)
"""Bearing of the closest point at which the turn after a hit ends [rad]."""
FRONT_ROOM = 0.02
"""Free distance ahead below which the robot turns in place, at inner corners [m]."""
SIDE_ROOM = 0.02
"""Reduction of the disc so that a parallel wall does not count as ahead [m]."""
LEAST_SHARE = 0.4
"""Minimum speed near obstacles, as a fraction of the full speed."""
ARC_GAIN = 2.0
"""Turning rate per error of the bearing of an arc's centre [1/s]."""
LOST_AFTER = 3.0 * math.pi
"""Rotation without the wall after which it is lost, 1.5 turns [rad]."""


class WallLost(Concluded):
    """The followed wall was lost, which proves nothing."""

    def __init__(self) -> None:
        """Set the message."""
        super().__init__(Result(Outcome.BLOCKED, 'the followed wall is lost: 1.5 turns '
                                'without an obstacle on its side'))


class ReactiveFollower(abc.ABC):
    """
    A follower that steers by the points beside it.

    Subclasses assume a wall on the right; for a wall on the left, they get mirrored points.
    """

    def __init__(self, centre: Point, contact: Point, side: int):
        """Start at the robot; ``side`` +1 keeps the wall on the right."""
        self.centre = centre
        self.contact = contact
        self.side = side
        self._aligned = False
        self._sensed: Optional[float] = None

    def turned_back(self) -> ReactiveFollower:
        """Return a follower of the same wall on the other side."""
        return type(self)(self.centre, self.contact, -self.side)

    def step(self, robot: Robot) -> Tuple[Intent, List[Point]]:
        """
        Return the intent of this tick, and the robot's position while the wall is detected.

        Raise WallLost after 1.5 turns without the wall.
        """
        self.centre = robot.odom_position
        points = _beside(robot, self.side)
        wall = nearest_on_the_right(points, robot.contour_radius + IN_SIGHT)
        if wall is not None or self._sensed is None:
            self._sensed = robot.turned
        elif robot.turned - self._sensed > LOST_AFTER:
            raise WallLost
        self._aligned = self._aligned or wall is not None and wall[0] < ALIGNED_BEARING
        intent = (self.steer(robot, points) if self._aligned
                  else Twist(0.0, robot.model.max_vel_theta))
        if isinstance(intent, Twist):
            intent = Twist(intent.v, self.side * intent.w)
        else:
            intent = Along(robot.pose.theta + self.side * intent.heading, self.side, intent.speed)
        return intent, [self.centre] if wall is not None and self._aligned else []

    @abc.abstractmethod
    def steer(self, robot: Robot, points: np.ndarray) -> Union[Twist, Along]:
        """
        Return the command for a wall on the right; headings are relative to the robot's.

        ``points`` (n, 2) [m] are the obstacle points in the robot's frame: x ahead, y left.
        """


def _beside(robot: Robot, side: int) -> np.ndarray:
    """Return the obstacle points in the robot's frame, mirrored for a wall on the left."""
    offset = robot.perceived.points - np.array(robot.odom_position)
    cos, sin = math.cos(robot.pose.theta), math.sin(robot.pose.theta)
    return offset @ np.array([[cos, -side * sin], [sin, side * cos]])


def nearest_on_the_right(points: np.ndarray, within: float) -> Optional[Point]:
    """Return bearing [rad] and distance [m] of the nearest point on the right, or None."""
    distances = np.hypot(points[:, 0], points[:, 1])
    bearings = np.arctan2(points[:, 1], points[:, 0])
    there = np.flatnonzero((bearings < AHEAD) & (distances < within))
    if there.size == 0:
        return None
    i = there[np.argmin(distances[there])]
    return float(bearings[i]), float(distances[i])


def range_at(points: np.ndarray, angle: float, reach: float) -> Optional[float]:
    """Return the range [m] in a direction [rad] from the robot's centre; None beyond ``reach``."""
    off = np.arctan2(points[:, 1], points[:, 0]) - angle
    distances = np.hypot(points[:, 0], points[:, 1])
    beam = distances[(np.abs(np.arctan2(np.sin(off), np.cos(off))) < BEAM) & (distances < reach)]
    return float(np.median(beam)) if beam.size else None


def front_room(robot: Robot) -> float:
    """Return the free distance straight ahead [m], up to half a contour radius."""
    reach = 0.5 * robot.contour_radius
    here = robot.odom_position
    nearest = min(robot.contour_radius, robot.space.clearance(here))
    radius = max(nearest - SIDE_ROOM, robot.model.robot_radius + SIDE_ROOM)
    return robot.space.free_distance_of(radius, here, robot.pose.theta, reach)[0]


def slowed(robot: Robot, w: float) -> Twist:
    """Return a command with the rate ``w`` [rad/s] and a speed for the free distance ahead."""
    room = front_room(robot)
    if room < FRONT_ROOM:
        return Twist(0.0, robot.model.max_vel_theta)
    share = min(max(room / (0.5 * robot.contour_radius), LEAST_SHARE), 1.0)
    return Twist(share * speed(robot), w)


def speed(robot: Robot) -> float:
    """Return the speed along a wall [m/s]."""
    return min(SPEED, robot.model.max_vel_x)


def arc(robot: Robot, points: np.ndarray) -> Twist:
    """Return an arc around the end of the wall, or its last position ("clear obstacle")."""
    pivot = nearest_on_the_right(points, robot.contour_radius + IN_SIGHT)
    if pivot is None:
        return slowed(robot, -speed(robot) / robot.contour_radius)
    bearing, radius = pivot
    return slowed(robot, -speed(robot) / radius + ARC_GAIN * (bearing + 0.5 * math.pi))
