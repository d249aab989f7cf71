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

"""A disc robot with a lidar in a world of solids: the embedded simulator."""

from __future__ import annotations

import dataclasses
import math

from bug_nav.geometry import Pose, wrap
from bug_nav.interface import Scan, Twist
from bug_nav.parameters import Checked, parameter
from bug_nav.robot import RobotModel
from bug_nav.sim.walls import Walls
from bug_nav.sim.world import World
import numpy as np


@dataclasses.dataclass(frozen=True)
class LidarModel(Checked):
    """A lidar; the defaults are the TurtleBot3's as Gazebo simulates it."""

    scan_count: int = parameter(360, 'beams of a scan', low=4, high=4096)
    scan_angle_min: float = parameter(
        0.0, 'direction of the first beam', unit='rad', low=-2 * math.pi, high=2 * math.pi)
    scan_angle_max: float = parameter(
        6.28, 'direction of the last beam', unit='rad', low=-2 * math.pi, high=4 * math.pi)
    scan_range_min: float = parameter(
        0.12, 'what is nearer is not measured', unit='m', low=0.0, high=10.0)
    scan_range_max: float = parameter(3.5, 'how far it sees', unit='m', low=0.1, high=1000.0)
    scan_publish_dur: float = parameter(
        0.2, 'time between two scans', unit='s', low=0.01, high=10.0)
    scan_noise: float = parameter(
        0.01, 'standard deviation of a range', unit='m', low=0.0, high=1.0)
    scan_offset_x: float = parameter(
        -0.032, "the lidar's place ahead of the robot's centre", unit='m', low=-2.0, high=2.0)
    scan_use_inf: bool = parameter(
        True, 'report nothing seen as inf, else just above scan_range_max')

    @property
    def mount(self) -> Pose:
        """The lidar's pose in the robot's frame."""
        return Pose(self.scan_offset_x, 0.0, 0.0)

    @property
    def increment(self) -> float:
        """Angle between two beams [rad]."""
        return (self.scan_angle_max - self.scan_angle_min) / (self.scan_count - 1)


class Simulator:
    """
    The true state of the world, advanced in steps of any length.

    The robot obeys its limits of speed and acceleration and cannot enter a solid: it is stopped
    before it would, and the contact is counted.
    """

    def __init__(self, world: World, start: Pose, model: RobotModel = RobotModel(),
                 lidar: LidarModel = LidarModel(), seed: int = 0):
        """Put the robot at ``start``, in the world's frame, standing."""
        self.world = world
        self.model = model
        self.lidar = lidar
        self.pose = start
        self.twist = Twist(0.0, 0.0)
        self.stamp = 0.0
        self.contacts = 0
        self.touching = False
        self.min_clearance = math.inf
        self._clearance_bound = -math.inf
        self._random = np.random.default_rng(seed)
        self._walls = Walls(world.segments)
        self._look(0.0)

    @property
    def odometry(self) -> Pose:
        """The pose that odometry reports: the truth."""
        return self.pose

    def clearance(self) -> float:
        """Return the true distance from the robot's centre to the nearest wall [m]."""
        return self._walls.distance(self.pose.x, self.pose.y)

    def step(self, command: Twist, dt: float) -> None:
        """Advance by ``dt`` [s] under a velocity command; the motion is an arc."""
        model = self.model
        half = 0.5 * model.wheel_separation
        w = _towards(self.twist.w, command.w, model.acc_lim_theta * dt, model.max_vel_theta)
        v = _towards(self.twist.v, command.v, model.acc_lim_x * dt, model.max_vel_x)
        limit = max(model.max_wheel_vel - half * abs(w), 0.0)
        v = min(max(v, -limit), limit)
        mean_v, mean_w = 0.5 * (v + self.twist.v), 0.5 * (w + self.twist.w)
        before = self.pose
        theta = before.theta + mean_w * dt / 2.0
        chord = mean_v * dt * _sinc(mean_w * dt / 2.0)
        self.pose = Pose(before.x + chord * math.cos(theta), before.y + chord * math.sin(theta),
                         wrap(before.theta + mean_w * dt))
        self.twist = Twist(v, w)
        self.stamp += dt
        self._look(abs(chord))
        if self.touching:
            self.pose = Pose(before.x, before.y, self.pose.theta)
            self.twist = Twist(0.0, w)
            self._clearance_bound = -math.inf

    def _look(self, moved: float) -> None:
        """Keep the smallest clearance and count contacts; clearance is 1-Lipschitz in space."""
        self._clearance_bound -= moved
        if self._clearance_bound > max(self.min_clearance, self.model.robot_radius):
            return
        clearance = self.clearance()
        self._clearance_bound = clearance
        self.min_clearance = min(self.min_clearance, clearance)
        touching = clearance < self.model.robot_radius
        self.contacts += touching and not self.touching
        self.touching = touching

    def scan(self) -> Scan:
        """
        Take a scan from where the robot is.

        As in Gazebo 11, what is nearer than the range's minimum is not seen at all.
        """
        lidar = self.lidar
        sensor = self.pose.compose(lidar.mount)
        ranges = self._walls.cast_rays(
            sensor.x, sensor.y, sensor.theta + lidar.scan_angle_min,
            lidar.increment, lidar.scan_count, lidar.scan_range_max)
        if lidar.scan_noise > 0.0:
            ranges = ranges + self._random.normal(0.0, lidar.scan_noise, ranges.size)
        nothing = math.inf if lidar.scan_use_inf else lidar.scan_range_max + 0.1
        seen = (ranges >= lidar.scan_range_min) & (ranges <= lidar.scan_range_max)
        return Scan(self.stamp, np.where(seen, ranges, nothing), lidar.scan_angle_min,
                    lidar.increment, lidar.scan_range_min, lidar.scan_range_max, lidar.mount)


def _towards(value: float, wanted: float, change: float, limit: float) -> float:
    wanted = min(max(wanted, -limit), limit)
    return min(max(wanted, value - change), value + change)


def _sinc(x: float) -> float:
    return math.sin(x) / x if abs(x) > 1e-9 else 1.0
