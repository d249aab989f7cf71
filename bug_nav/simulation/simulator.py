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

"""The embedded simulator: a disc robot with a sensor among static and moving solids."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.navigation.geometry import Point, Pose, PoseHistory, wrap
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import Scan, Twist
from bug_nav.simulation import kinematics, rays
from bug_nav.simulation.odometry import check_base, Odometer, OdometryModel
from bug_nav.simulation.scene import Scene
from bug_nav.simulation.sensors import LidarModel, Sensor
from bug_nav.simulation.walls import Walls
from bug_nav.simulation.world import ANY_SURFACE, PLAIN, World
import numpy as np

STATIONARY_SPEED = 0.01
"""Speed below which a robot counts as stationary [m/s]."""
APART, BUMPED, COLLIDED = range(3)
"""State towards movers: no contact, a mover hit the robot, the robot has moved towards it."""


class Simulator:
    """
    The true state of the world, advanced in steps of any length.

    The robot obeys its limits of speed and acceleration. It stops in front of a solid instead of
    entering it, and the contact is counted. When a mover touches the robot, this is a contact if
    the robot moves towards it, and a bump if the robot stands or moves away.
    """

    def __init__(self, world: World, start: Pose, model: RobotModel = RobotModel(),
                 lidar: Sensor = LidarModel(), seed: int = 0,
                 odometry: OdometryModel = OdometryModel(), scene: Optional[Scene] = None,
                 slides: bool = False):
        """
        Place the stationary robot at ``start``, in the world frame.

        :param slides: whether a robot that drives into a wall slides along it, as in Gazebo;
            otherwise it is held, and can only turn.
        :param scene: the scene of an earlier simulator, if the robot is not the first in it.
        :raises ValueError: for odometry that the robot's base cannot have.
        """
        check_base(model, odometry)
        self.world = world
        self.model = model
        self.lidar = lidar
        self.slides = slides
        self.stamp = 0.0
        self.contacts = 0
        """Number of contacts of the moving robot."""
        self.scans: Tuple[Scan, ...] = ()
        """Newest measurements of the sensor."""
        self.bumped = 0
        """Number of contacts with movers towards which the robot does not move."""
        # Separate generators, so that sensor noise and odometry noise are independent.
        self._random = np.random.default_rng(seed)
        self._wheels = np.random.default_rng((seed, 1))
        self._odometry_model = odometry
        self._is_perfect = odometry.odometry == 'perfect'
        self._robot = kinematics.robot_record(model, odometry)
        self._state = np.zeros(1, kinematics.BODY_STATE)
        self._numbers = self._state.view(float)
        self._seen = self._numbers[kinematics.READ]
        self._state['min_clearance'] = math.inf
        self._walls = Walls(world.segments)
        self.surfaces = world.special_surfaces
        self._walls_of = {ANY_SURFACE: self._walls, **{
            surface: Walls(world.segments_of(surface))
            for surface in ((PLAIN, *self.surfaces) if self.surfaces else ())}}
        self.teleport(start)
        kinematics.update_clearance(self._state, self._robot, self._walls.near(*start.position),
                                    self._walls.segments, self._walls.reach)
        self._read()
        self._is_first = scene is None
        self.scene = Scene(world, seed) if scene is None else scene
        """Movers and robots."""
        self.scene.join(self, model.robot_radius)

    # ---- the true state -----------------------------------------------------------------------

    @property
    def pose(self) -> Pose:
        """Return the true pose of the robot in the world frame."""
        return self._pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self._pose = pose
        self._numbers[kinematics.POSE] = pose

    @property
    def twist(self) -> Twist:
        """Return the true velocity of the robot."""
        return Twist(*self._numbers[kinematics.VELOCITY].tolist())

    @twist.setter
    def twist(self, twist: Twist) -> None:
        self._numbers[kinematics.VELOCITY] = twist

    @property
    def travelled(self) -> float:
        """Return the length of the true path [m]."""
        return float(self._state['travelled'][0])

    @property
    def touching(self) -> bool:
        """Return whether the last step ended in a contact with a wall."""
        return bool(self._state['touching'][0])

    @property
    def in_contact(self) -> bool:
        """Return whether the last step ended in a contact with a wall, or towards a mover."""
        return self.touching or self._contact == COLLIDED

    @property
    def min_clearance(self) -> float:
        """Return the smallest distance from the robot's centre to a wall over all steps [m]."""
        return float(self._state['min_clearance'][0])

    @property
    def correction(self) -> Pose:
        """Return the localizer's estimate of the odometry frame in the world frame."""
        return self._odometer.correction

    def sensed(self, place: Point) -> Point:
        """Return the estimated position of a world point that the robot observes."""
        return self.correction.compose(self.odometry).apply(self.pose.inverse().apply(place))

    def touches(self, place: Point) -> bool:
        """Return whether the robot would touch anything at a place."""
        return min(self._walls.distance(*place),
                   self.scene.distance(self, *place)) < self.model.robot_radius

    def clearance(self) -> float:
        """Return the true distance from the robot's centre to the nearest wall [m]."""
        return self._walls.distance(self.pose.x, self.pose.y)

    def teleport(self, pose: Pose) -> None:
        """Place the stationary robot at a pose and restart its odometry there."""
        self._numbers[kinematics.RESET] = 0.0
        self._state['bound'] = -math.inf
        self.pose = self.odometry = pose
        self._numbers[kinematics.ODOMETRY] = pose
        self._odometer = Odometer(self._odometry_model, self._numbers[kinematics.NOISE],
                                  self._numbers[kinematics.SLIP], self._wheels)
        self._past = PoseHistory(self.lidar.sweep_time)
        self._past.append(self.stamp, pose)
        self._contact = APART

    # ---- a step -------------------------------------------------------------------------------

    def step(self, command: Twist, dt: float) -> None:
        """Advance by ``dt`` [s] under a velocity command; the motion is an arc."""
        self.stamp += dt
        if not self._is_perfect:
            self._odometer.draw(self.stamp)
        walls, before, speed = self._walls, self._pose, self.twist.v if self.slides else 0.0
        arguments = (self._state, self._robot, *command, dt, walls.near(before.x, before.y),
                     walls.segments, walls.reach)
        if self.scene.is_static and not self.slides:
            kinematics.step(*arguments)
        else:
            kinematics.move(*arguments)
            self._read()
            if self.slides and self.touching:
                self._slide(before, speed, command.v, dt)
            if self._is_first:
                self.scene.step(self.stamp, dt)
            if self._touches_mover(before):
                kinematics.hold_position(self._state, before.x, before.y)
            kinematics.update_odometry(self._state, self._robot)
        self._read()
        self._odometer.correct(self._pose, self.odometry, self.stamp)
        if self._past.span > 0.0:
            self._past.append(self.stamp, self.pose)

    def _slide(self, before: Pose, speed: float, wanted: float, dt: float) -> None:
        """Move along the nearest wall by the part of the blocked motion that it allows."""
        change, limit = self.model.acc_lim_x * dt, self.model.max_vel_x
        v = min(max(wanted, speed - change, -limit), speed + change, limit)
        heading = before.theta + 0.5 * wrap(self._pose.theta - before.theta)
        x, y = v * dt * math.cos(heading), v * dt * math.sin(heading)
        away_x, away_y = self._away_from_wall(before)
        into = min(x * away_x + y * away_y, 0.0)
        x, y = x - into * away_x, y - into * away_y
        if self._walls.distance(before.x + x, before.y + y) < self.model.robot_radius:
            return  # a corner, or another wall
        ahead = x * math.cos(heading) + y * math.sin(heading)
        aside = y * math.cos(heading) - x * math.sin(heading)
        kinematics.displace(self._state, before.x + x, before.y + y, ahead, aside, v)
        self._read()

    def _away_from_wall(self, place: Pose) -> Point:
        """Return the unit vector from the nearest point of a wall to a place."""
        edges = self._walls.near(*place.position, reach=2.0 * self.model.robot_radius)
        ends, along = edges[:, :2], edges[:, 2:] - edges[:, :2]
        offsets = np.array(place.position) - ends
        share = (offsets * along).sum(axis=1) / np.maximum((along ** 2).sum(axis=1), 1e-300)
        offsets = offsets - np.clip(share, 0.0, 1.0)[:, None] * along
        nearest = offsets[np.hypot(*offsets.T).argmin()]
        x, y = (nearest / max(math.hypot(*nearest), 1e-12)).tolist()
        return x, y

    def _read(self) -> None:
        """Update the Python attributes from the state that a kernel has changed."""
        contacts, x, y, theta = self._seen.tolist()
        self.contacts = int(contacts)
        self._pose = self.odometry = Pose(x, y, theta)
        if not self._is_perfect:
            self.odometry = Pose(*self._numbers[kinematics.ODOMETRY].tolist())

    def _touches_mover(self, before: Pose) -> bool:
        """Count contacts with movers; return whether the robot must stay at its last position."""
        now = self.pose
        away = self.scene.distance(self, now.x, now.y)
        if away >= self.model.robot_radius:
            self._contact = APART
            return False
        # The robot may move away from a mover that touches it, also from one that follows it.
        nearer = away < self.scene.distance(self, before.x, before.y)
        twist = self.twist
        moves = math.hypot(twist.v, twist.u) > STATIONARY_SPEED
        if moves and nearer and self._contact != COLLIDED:
            self._state['contacts'] += 1
            self._contact = COLLIDED
        elif self._contact == APART:
            self.bumped += 1
            self._contact = BUMPED
        return nearer

    def sense(self) -> Tuple[Scan, ...]:
        """Return the measurements of the sensor at the current pose."""
        self.scans = self.lidar.sense(self, self.stamp, self._random)
        return self.scans

    def scan(self) -> Scan:
        """
        Return a scan of the lidar at the current pose.

        As in Gazebo 11, a beam shorter than the minimum range has no return, unless the lidar
        model says otherwise.
        """
        (scan,) = self.sense()
        return scan

    # ---- queries of sensors: `Surroundings` ---------------------------------------------------

    def cast(self, origin: Pose, first: float, step: float, count: int, reach: float,
             surface: str = ANY_SURFACE) -> np.ndarray:
        """Cast a fan of rays."""
        place = origin.x, origin.y, origin.theta + first, step, count, reach
        ranges = self._walls_of[surface].cast_rays(*place)
        if self.scene.is_static or surface not in (ANY_SURFACE, PLAIN):
            return ranges
        return np.minimum(ranges, rays.cast_rays(self.scene.seen_by(self), *place))

    def cast_each(self, origins: np.ndarray, reach: float, surface: str = ANY_SURFACE
                  ) -> np.ndarray:
        """Cast one ray from each pose, all near the robot."""
        ranges = self._walls_of[surface].cast_each(origins, reach)
        if self.scene.is_static or surface not in (ANY_SURFACE, PLAIN):
            return ranges
        return np.minimum(ranges, rays.cast_each(self.scene.seen_by(self), origins, reach))

    def past_poses(self, ages: np.ndarray) -> List[np.ndarray]:
        """Return past poses of the robot."""
        stamps, poses = self._past.known
        x, y, theta = np.array(poses).T
        return [np.interp(self.stamp - ages, stamps, each) for each in (x, y, np.unwrap(theta))]
