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
from bug_nav.sim import rays
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
        self.pose = start
        self.twist = Twist(0.0, 0.0)
        self.stamp = 0.0
        self.travelled = 0.0
        """Length of the true path [m]."""
        self.contacts = 0
        """How often it has touched something while it moved."""
        self.bumped = 0
        """How often something has touched it while it stood."""
        self.touching = False
        self.min_clearance = math.inf
        # Clearance is 1-Lipschitz in space: there is this much at least, until it is looked for
        # anew, which tells nothing while there is more than this.
        self._clearance_bound = self._least = -math.inf
        # One source for each purpose, so that the noise of one does not hang on the other.
        self._random = np.random.default_rng(seed)
        self._wheels = np.random.default_rng((seed, 1))
        self._odometer = Odometer(odometry, model.wheel_separation, start, self._wheels)
        self._walls = Walls(world.segments)
        self.surfaces = world.surfaces_there
        self._walls_of = {ALL: self._walls, **{
            surface: Walls(world.segments_of(surface))
            for surface in ((PLAIN, *self.surfaces) if self.surfaces else ())}}
        self._past = PoseHistory(lidar.sweep_time)
        self._past.append(0.0, start)
        self._look()
        self._is_first = scene is None
        self.scene = Scene(world, seed) if scene is None else scene
        """What moves."""
        self.scene.join(self, model.robot_radius)
        self._met = APART

    @property
    def odometry(self) -> Pose:
        """Return the pose that odometry reports."""
        return self._odometer.pose

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

    def set_down(self, pose: Pose) -> None:
        """Put the robot, standing, to another place, where its odometry begins anew."""
        self.pose, self.twist = pose, Twist(0.0, 0.0)
        self._odometer = Odometer(self._odometer.model, self.model.wheel_separation, pose,
                                  self._wheels)
        self._past = PoseHistory(self.lidar.sweep_time)
        self._past.append(self.stamp, pose)
        self._clearance_bound, self.touching, self._met = -math.inf, False, APART

    def clearance(self) -> float:
        """Return the true distance from the robot's centre to the nearest wall [m]."""
        return self._walls.distance(self.pose.x, self.pose.y)

    def step(self, command: Twist, dt: float) -> None:
        """Advance by ``dt`` [s] under a velocity command; the motion is an arc."""
        model, before = self.model, self.pose
        v_before, w_before, u_before = self.twist
        change = model.acc_lim_x * dt
        w = _towards(w_before, command.w, model.acc_lim_theta * dt, model.max_vel_theta)
        v = _towards(v_before, command.v, change, model.max_vel_x)
        u = (_towards(u_before, command.u, change, model.max_vel_x)
             if model.base == 'omni' else 0.0)
        limit = model.max_wheel_vel - 0.5 * model.wheel_separation * abs(w)
        excess = math.hypot(v, u) / limit if limit > 0.0 else math.inf
        if excess > 1.0:
            v, u = v / excess, u / excess
        turned = 0.5 * (w + w_before) * dt
        chord = dt * _sinc(turned / 2.0)
        ahead, aside = 0.5 * (v + v_before) * chord, 0.5 * (u + u_before) * chord
        self.pose = before.moved(ahead, aside, turned)
        self.twist = Twist(v, w, u)
        self.stamp += dt
        moved = math.hypot(ahead, aside)
        self._clearance_bound -= moved
        if not self._clearance_bound > self._least:
            self._look()
            if self.touching:
                self.pose = Pose(before.x, before.y, self.pose.theta)
                self.twist = Twist(0.0, w)
                self._clearance_bound = -math.inf
                ahead = aside = moved = 0.0
        if self._is_first:
            self.scene.step(self.stamp, dt)
        if not self.scene.is_still and self._meets(before):
            ahead = aside = moved = 0.0
        self.travelled += moved
        self._odometer.move(self.pose, ahead, aside, turned, self.stamp)
        if self.lidar.sweep_time > 0.0:
            self._past.append(self.stamp, self.pose)

    def _look(self) -> None:
        """Keep the smallest clearance and count contacts."""
        clearance = self._clearance_bound = self.clearance()
        self.min_clearance = min(self.min_clearance, clearance)
        self._least = max(self.min_clearance, self.model.robot_radius)
        touching = clearance < self.model.robot_radius
        self.contacts += touching and not self.touching
        self.touching = touching

    def _meets(self, before: Pose) -> bool:
        """Count what is met that moves; tell whether the robot is kept where it was before it."""
        now = self.pose
        away = self.scene.distance(self, now.x, now.y)
        if away >= self.model.robot_radius:
            self._met = APART
            return False
        # It may get away from what has come to it.
        nearer = away < self.scene.distance(self, before.x, before.y)
        moves = math.hypot(self.twist.v, self.twist.u) > STANDING
        if moves and self._met < (MET_MOVING if nearer else MET_STANDING):
            self.contacts += 1
            self._met = MET_MOVING
        elif self._met == APART:
            self.bumped += 1
            self._met = MET_STANDING
        if nearer:
            self.pose, self.twist = Pose(before.x, before.y, now.theta), Twist(0.0, self.twist.w)
            self._clearance_bound = -math.inf
        return nearer

    def sense(self) -> Tuple[Scan, ...]:
        """Take what the sensor measures from where the robot is."""
        return self.lidar.sense(self, self.stamp, self._random)

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


def _towards(value: float, wanted: float, change: float, limit: float) -> float:
    """Return what is within ``limit`` of 0 and nearest to what is wanted, as far as it changes."""
    # Every tick asks twice: comparisons take a third of the time of `min` and `max`.
    if wanted > limit:
        wanted = limit
    elif wanted < -limit:
        wanted = -limit
    if wanted < value - change:
        return value - change
    return value + change if wanted > value + change else wanted


def _sinc(x: float) -> float:
    return math.sin(x) / x if abs(x) > 1e-9 else 1.0
