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

"""A disc robot with a sensor in a world of solids, some of which move: the embedded simulator."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.core.geometry import Point, Pose, PoseHistory
from bug_nav.core.interface import Scan, Twist
from bug_nav.core.settings import RobotModel
from bug_nav.sim import motion, rays
from bug_nav.sim.odometry import check_base, Odometer, OdometryModel
from bug_nav.sim.scene import Scene
from bug_nav.sim.sensors import LidarModel, Sensor
from bug_nav.sim.walls import Walls
from bug_nav.sim.world import ALL, PLAIN, World
import numpy as np

STANDING = 0.01
"""A robot that is slower than this stands [m/s]."""
APART, MET_STANDING, MET_MOVING = range(3)
"""What moves is not met, has come to the robot that stood, or the robot moved when they met."""


class Simulator:
    """
    The true state of the world, advanced in steps of any length.

    The robot obeys its limits of speed and acceleration and cannot enter a solid: it is stopped
    before it would, and the contact is counted. What moves may come to the robot too: that is a
    contact where the robot moves, and a bump where it stands.
    """

    def __init__(self, world: World, start: Pose, model: RobotModel = RobotModel(),
                 lidar: Sensor = LidarModel(), seed: int = 0,
                 odometry: OdometryModel = OdometryModel(), scene: Optional[Scene] = None):
        """
        Put the robot at ``start``, in the world's frame, standing.

        :param scene: what moves, where the robot is not the first in it.
        :raises ValueError: for odometry that the robot's base cannot have.
        """
        check_base(model, odometry)
        self.world = world
        self.model = model
        self.lidar = lidar
        self.stamp = 0.0
        self.contacts = 0
        """Number of contacts of the moving robot."""
        self.scans: Tuple[Scan, ...] = ()
        """What the sensor has measured last."""
        self.bumped = 0
        """Number of contacts of the standing robot."""
        # One source for each purpose, so that the noise of one does not hang on the other.
        self._random = np.random.default_rng(seed)
        self._wheels = np.random.default_rng((seed, 1))
        self._odometry_model = odometry
        self._is_perfect = odometry.odometry == 'perfect'
        self._robot = motion.robot_record(model, odometry)
        self._state = np.zeros(1, motion.STATE)
        self._numbers = self._state.view(float)
        self._state['min_clearance'] = math.inf
        self._walls = Walls(world.segments)
        self.surfaces = world.surfaces_there
        self._walls_of = {ALL: self._walls, **{
            surface: Walls(world.segments_of(surface))
            for surface in ((PLAIN, *self.surfaces) if self.surfaces else ())}}
        self.set_down(start)
        motion.look(self._state, self._robot, self._walls.near(*start.position),
                    self._walls.segments, self._walls.reach)
        self._read()
        self._is_first = scene is None
        self.scene = Scene(world, seed) if scene is None else scene
        """What moves."""
        self.scene.join(self, model.robot_radius)

    # ---- the true state -----------------------------------------------------------------------

    @property
    def pose(self) -> Pose:
        """The true pose of the robot, in the world's frame."""
        return self._pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self._pose = pose
        self._numbers[motion.POSE] = pose

    @property
    def twist(self) -> Twist:
        """The true velocity of the robot."""
        return Twist(*self._numbers[motion.VELOCITY].tolist())

    @twist.setter
    def twist(self, twist: Twist) -> None:
        self._numbers[motion.VELOCITY] = twist

    @property
    def travelled(self) -> float:
        """Return the length of the true path [m]."""
        return float(self._state['travelled'][0])

    @property
    def touching(self) -> bool:
        """Tell whether the last step ended in a contact with a wall."""
        return bool(self._state['touching'][0])

    @property
    def min_clearance(self) -> float:
        """Return the smallest distance from the robot's centre to a wall over all steps [m]."""
        return float(self._state['min_clearance'][0])

    @property
    def correction(self) -> Pose:
        """Return the pose of odometry's frame in the world's, as far as a localiser knows it."""
        return self._odometer.correction

    def sensed(self, place: Point) -> Point:
        """Return where a place of the world seems to be, as it is seen from the robot."""
        return self.correction.compose(self.odometry).apply(self.pose.inverse().apply(place))

    def touches(self, place: Point) -> bool:
        """Tell whether the robot would touch something at a place."""
        return min(self._walls.distance(*place),
                   self.scene.distance(self, *place)) < self.model.robot_radius

    def clearance(self) -> float:
        """Return the true distance from the robot's centre to the nearest wall [m]."""
        return self._walls.distance(self.pose.x, self.pose.y)

    def set_down(self, pose: Pose) -> None:
        """Put the robot, standing, to another place, where its odometry begins anew."""
        self._numbers[motion.RESET] = 0.0
        self._state['bound'] = -math.inf
        self.pose = self.odometry = pose
        self._numbers[motion.ODOMETRY] = pose
        self._odometer = Odometer(self._odometry_model, self._numbers[motion.NOISE],
                                  self._numbers[motion.SLIP], self._wheels)
        self._past = PoseHistory(self.lidar.sweep_time)
        self._past.append(self.stamp, pose)
        self._met = APART

    # ---- a step -------------------------------------------------------------------------------

    def step(self, command: Twist, dt: float) -> None:
        """Advance by ``dt`` [s] under a velocity command; the motion is an arc."""
        self.stamp += dt
        self._odometer.draw(self.stamp)
        walls, before = self._walls, self._pose
        asked = (self._state, self._robot, *command, dt, walls.near(before.x, before.y),
                 walls.segments, walls.reach)
        if self.scene.is_still:
            motion.step(*asked)
        else:
            motion.move(*asked)
            self._read()
            if self._is_first:
                self.scene.step(self.stamp, dt)
            if self._meets(before):
                motion.hold(self._state, before.x, before.y)
            motion.measure(self._state, self._robot)
        self._read()
        self._odometer.correct(self._pose, self.odometry, self.stamp)
        if self.lidar.sweep_time > 0.0:
            self._past.append(self.stamp, self.pose)

    def _read(self) -> None:
        """Update the plain attributes from the state that a kernel has changed."""
        contacts, x, y, theta = self._numbers[motion.READ].tolist()
        self.contacts = int(contacts)
        self._pose = self.odometry = Pose(x, y, theta)
        if not self._is_perfect:
            self.odometry = Pose(*self._numbers[motion.ODOMETRY].tolist())

    def _meets(self, before: Pose) -> bool:
        """Count what is met that moves; tell whether the robot is kept where it was before it."""
        now = self.pose
        away = self.scene.distance(self, now.x, now.y)
        if away >= self.model.robot_radius:
            self._met = APART
            return False
        # It may get away from what has come to it.
        nearer = away < self.scene.distance(self, before.x, before.y)
        twist = self.twist
        moves = math.hypot(twist.v, twist.u) > STANDING
        if moves and self._met < (MET_MOVING if nearer else MET_STANDING):
            self._state['contacts'] += 1
            self._met = MET_MOVING
        elif self._met == APART:
            self.bumped += 1
            self._met = MET_STANDING
        return nearer

    def sense(self) -> Tuple[Scan, ...]:
        """Take what the sensor measures from where the robot is."""
        self.scans = self.lidar.sense(self, self.stamp, self._random)
        return self.scans

    def scan(self) -> Scan:
        """
        Take a scan, with a lidar, from where the robot is.

        As in Gazebo 11, what is nearer than the range's minimum is not seen at all, unless the
        lidar's model says otherwise.
        """
        (scan,) = self.sense()
        return scan

    # ---- what a sensor asks: `Surroundings` ---------------------------------------------------

    def cast(self, origin: Pose, first: float, step: float, count: int, reach: float,
             surface: str = ALL) -> np.ndarray:
        """Cast a fan of rays."""
        place = origin.x, origin.y, origin.theta + first, step, count, reach
        ranges = self._walls_of[surface].cast_rays(*place)
        if self.scene.is_still or surface not in (ALL, PLAIN):
            return ranges
        return np.minimum(ranges, rays.cast_rays(self.scene.seen_by(self), *place))

    def cast_each(self, origins: np.ndarray, reach: float, surface: str = ALL) -> np.ndarray:
        """Cast a ray from each place, all near the robot."""
        ranges = self._walls_of[surface].cast_each(origins, reach)
        if self.scene.is_still or surface not in (ALL, PLAIN):
            return ranges
        return np.minimum(ranges, rays.cast_each(self.scene.seen_by(self), origins, reach))

    def poses_ago(self, ages: np.ndarray) -> List[np.ndarray]:
        """Return where the robot was."""
        stamps, poses = self._past.known
        x, y, theta = np.array(poses).T
        return [np.interp(self.stamp - ages, stamps, each) for each in (x, y, np.unwrap(theta))]
