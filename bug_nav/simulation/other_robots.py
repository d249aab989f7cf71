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
Other robots that run bug_nav, in the same world at the same time.

Each has its own simulator, sensors, odometry and navigator. They sense each other only by lidar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import STOP, TickInput
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.sensors import LidarModel, Sensor
from bug_nav.simulation.simulator import Simulator

PAUSE = 2.0
"""Pause at each end of the route [s]."""


@dataclass(frozen=True)
class OtherRobot:
    """
    A robot that drives back and forth between two places.

    :ivar start: x, y [m] and yaw [rad].
    :ivar goal: x, y [m]; from there it returns to its start.
    :ivar algorithm: name of its algorithm.
    """

    start: tuple[float, float, float]
    goal: Point
    algorithm: str = 'bug2'

    def transformed(self, pose: Pose, mirrored: bool) -> OtherRobot:
        """Return the robot in another frame."""
        flip = -1.0 if mirrored else 1.0
        x, y, yaw = self.start
        return OtherRobot(pose.compose(Pose(x, flip * y, flip * yaw)),
                          pose.apply((self.goal[0], flip * self.goal[1])), self.algorithm)


class OtherRobots:
    """The other robots of a world; they have the model of the simulator's robot."""

    def __init__(self, first: Simulator, settings: Settings = Settings(),
                 lidar: Sensor = LidarModel(), odometry: OdometryModel = OdometryModel(),
                 seed: int = 0):
        """Add them to the scene of the first robot."""
        self.robots: List[_Robot] = [
            _Robot(robot, first, settings, lidar, odometry, seed + 1 + number)
            for number, robot in enumerate(first.world.other_robots)]
        self.contacts = 0
        """Number of contacts of any of them while it moved."""

    def step(self, dt: float) -> None:
        """Run one navigation tick of each, then drive for ``dt`` [s]."""
        self.contacts = 0
        for robot in self.robots:
            robot.step(dt)
            self.contacts += robot.simulator.contacts


class _Robot:
    """The simulator and navigator of one robot."""

    def __init__(self, spec: OtherRobot, first: Simulator, settings: Settings, lidar: Sensor,
                 odometry: OdometryModel, seed: int):
        self._spec, self._settings, self._lidar = spec, settings, lidar
        self._beacon = odometry.goal_beacon
        self.simulator = Simulator(first.world, Pose(*spec.start), first.model, lidar, seed,
                                   odometry, first.scene)
        self._model: RobotModel = first.model
        self._scan_due, self._departure = 0.0, 0.0
        self._back = False
        self._navigator: Optional[Navigator] = self._new_goal()

    def _new_goal(self) -> Navigator:
        return Navigator(find(self._spec.algorithm)(), self._model, self._settings)

    def step(self, dt: float) -> None:
        simulator = self.simulator
        twist = STOP
        if self._navigator is None and simulator.stamp >= self._departure:
            self._back = not self._back
            self._navigator = self._new_goal()
        if self._navigator is not None:
            decision = self._navigator.tick(self._tick_input(self._navigator))
            twist = decision.twist
            if decision.result is not None:
                self._navigator, self._departure = None, simulator.stamp + PAUSE
        simulator.step(twist, dt)

    def _tick_input(self, navigator: Navigator) -> TickInput:
        simulator, spec = self.simulator, self._spec
        goal = spec.start[:2] if self._back else spec.goal
        if self._beacon:
            goal = simulator.sensed(goal)
        stamp = simulator.stamp
        navigator.queue.add_pose(stamp, simulator.odometry)
        if stamp >= self._scan_due - 1e-9:
            self._scan_due = stamp + self._lidar.period
            for scan in simulator.sense():
                navigator.queue.add_scan(scan, stamp)
        return TickInput(stamp, goal, correction=simulator.correction,
                         goal_is_measured=self._beacon)
