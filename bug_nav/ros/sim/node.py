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
The executable ``bug_sim``: the embedded simulator as a node.

Odometry begins in the world's frame and is the truth unless it is told to drift, as with Gazebo
classic's diff drive: goals in the odometry's frame are places in the world. To be set down
elsewhere (``initialpose``) is therefore a jump of the odometry. A robot with single rangers
publishes each on ``range/NAME`` instead of a scan; a localiser publishes map to odom.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import sys
import time
from typing import Any, Optional, Sequence

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import STOP, Twist
from bug_nav.core.settings import RobotModel
from bug_nav.ros import process
from bug_nav.ros.fields import declare_field, read
from bug_nav.ros.sim.output import SimOutput
from bug_nav.ros.sim.settings import SimSettings, SimSwitches
from bug_nav.sense.messages import planar
from bug_nav.sim.catalogue import find_world
from bug_nav.sim.link import IDEAL, Link, TimingModel
from bug_nav.sim.odometry import OdometryModel
from bug_nav.sim.parts import Parts
from bug_nav.sim.robots import find_robot, fitted
from bug_nav.sim.sensors import LidarModel
from bug_nav.sim.simulator import Simulator
from geometry_msgs.msg import PoseWithCovarianceStamped, TwistStamped
from geometry_msgs.msg import Twist as TwistMsg
import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Empty

OLD = 1.0
"""A command that is older than this [s] is dropped."""
IDLE = 0.01
"""As fast as possible: how long a step lasts [s] while nobody drives."""
PATIENCE = 0.25
"""As fast as possible: how long the next command is waited for [s] while somebody drives."""


class BugSim(Node):
    """A disc robot with a lidar, or with rangers, in a world."""

    def __init__(self, node_name: str = 'bug_sim', **kwargs: Any):
        """Put the robot into the world; ValueError, in one sentence, where that cannot be."""
        super().__init__(node_name, **kwargs)
        self._declare(SimSettings(), ('robot',))
        self._declare(Parts())
        preset = fitted(find_robot(self.get_parameter('robot').value), read(self, Parts))
        sensor = preset.sensor
        lidar = sensor if isinstance(sensor, LidarModel) else None
        step = lidar.increment if lidar else SimSettings.scan_angle_increment
        self._declare(SimSettings(scan_angle_increment=step), besides=('robot',))
        self._declare(preset.model)
        # A beacon is for who passes the goal on; here the goal is the client's.
        self._declare(preset.odometry, besides=('goal_beacon',))
        self._declare(IDEAL)
        self._declare(SimSwitches(), live=True)
        if lidar:
            self._declare(lidar, besides=('scan_count',))  # it follows from the increment
        self.settings = read(self, SimSettings)
        self._model = read(self, RobotModel)
        self._odometry = read(self, OdometryModel, changed={'goal_beacon': False})
        self._sensor = self._read_lidar() if lidar else sensor
        self._world = find_world(self.settings.world)
        self._start = self._read_start()
        self._scan_every = max(round(self._sensor.period
                                     / self.settings.update_duration), 1)
        self._command, self._commanded_at = STOP, -math.inf
        self.commanded = False
        """A command has come since the last step."""
        self._steps = 0
        self._simulator = self._at(self._start)
        self._contacts = 0
        self._output = SimOutput(
            self, self.settings, self._sensor, self._world, self._odometry,
            Link(read(self, TimingModel), np.random.default_rng((self.settings.seed, 2))))
        self._listen()

    def _declare(self, defaults: Any, only: Sequence[str] = (), besides: Sequence[str] = (),
                 live: bool = False) -> None:
        """Declare the fields of a dataclass, with the values of an instance as defaults."""
        for field in dataclasses.fields(defaults):
            if field.name not in besides and (not only or field.name in only):
                field = copy.copy(field)
                field.default = getattr(defaults, field.name)
                declare_field(self, field.name, field, live)

    def _listen(self) -> None:
        if self.settings.enable_stamped_cmd_vel:
            self.create_subscription(
                TwistStamped, 'cmd_vel', lambda message: self._on_twist(message.twist), 10)
        else:
            self.create_subscription(TwistMsg, 'cmd_vel', self._on_twist, 10)
        self.create_subscription(
            PoseWithCovarianceStamped, 'initialpose', self._on_initial_pose, 1)
        self.create_service(Empty, '~/reset', self._on_reset)

    # ---- time ---------------------------------------------------------------------------------

    def publish(self) -> None:
        """Publish the present state."""
        switches = read(self, SimSwitches)
        stamp = (self._simulator.stamp if switches.publish_clock
                 else self.get_clock().now().nanoseconds * 1e-9)
        self._output.publish(
            self._simulator, stamp, self._steps % self._scan_every == 0, switches)
        self.commanded = False

    def step(self) -> None:
        """Advance by one step."""
        simulator = self._simulator
        age = simulator.stamp - self._commanded_at
        simulator.step(self._command if age <= OLD else STOP, self.settings.update_duration)
        self._steps += 1
        # Not a sum of steps: timers on this clock must not drift against it.
        simulator.stamp = self._steps * self.settings.update_duration
        if simulator.contacts > self._contacts:
            self.get_logger().error('contact: the robot touches a solid at '
                                    f'({simulator.pose.x:.2f}, {simulator.pose.y:.2f})')
        self._contacts = simulator.contacts

    # ---- what comes in ------------------------------------------------------------------------

    def _on_twist(self, message: TwistMsg) -> None:
        command = Twist(message.linear.x, message.angular.z, message.linear.y)
        if not all(map(math.isfinite, command)):
            return self.get_logger().error(f'a command that is not finite was dropped: {command}')
        self._command, self._commanded_at = command, self._simulator.stamp
        self.commanded = True

    def _on_initial_pose(self, message: PoseWithCovarianceStamped) -> None:
        try:
            self._simulator = self._at(planar(message.pose.pose))
        except ValueError as error:
            self.get_logger().error(f'the robot stays where it is: {error}')

    def _on_reset(self, request: Empty.Request, response: Empty.Response) -> Empty.Response:
        """Begin anew at the start and at time zero, as Gazebo's reset_simulation does."""
        self._steps, self._command, self._commanded_at = 0, STOP, -math.inf
        self._simulator = self._at(self._start)
        self._output.restart()
        return response

    def _at(self, pose: Pose) -> Simulator:
        """Return a simulator of this moment with the robot at a pose."""
        simulator = Simulator(self._world, pose, self._model, self._sensor, self.settings.seed,
                              self._odometry)
        if simulator.touching:
            raise ValueError(f'at ({pose.x:.2f}, {pose.y:.2f}) the robot would touch a solid of '
                             f'the world {self._world.name!r}')
        simulator.stamp = self._steps * self.settings.update_duration
        self._contacts = 0
        return simulator

    def _read_lidar(self) -> LidarModel:
        first, last = (self.get_parameter(name).value
                       for name in ('scan_angle_min', 'scan_angle_max'))
        count = round((last - first) / self.settings.scan_angle_increment) + 1
        return read(self, LidarModel, changed={'scan_count': count})

    def _read_start(self) -> Pose:
        given = (self.settings.x_pose, self.settings.y_pose, self.settings.yaw)
        of_world = self._world.start or (0.0, 0.0, 0.0)
        start = Pose(*(default if math.isnan(value) else value
                       for value, default in zip(given, of_world)))
        if not all(map(math.isfinite, start)):
            raise ValueError(f'x_pose, y_pose and yaw are {given}; they have to be finite, or nan '
                             "for the world's start")
        return start


def main(args: Optional[Sequence[str]] = None) -> int:
    """Simulate until SIGINT or SIGTERM."""
    node, interrupt = process.start('bug_sim', BugSim, args)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    pace = _paced if node.settings.real_time_factor else _as_fast_as_driven
    try:
        pace(node, executor, interrupt)
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _paced(node: BugSim, executor: Any, interrupt: process.Interrupt) -> None:
    """Step at a fixed rate; time that is lost is not made up for."""
    period = node.settings.update_duration / node.settings.real_time_factor
    due = time.monotonic()
    while not interrupt.came:
        node.publish()
        due = max(due + period, time.monotonic())
        process.spin_until(executor, lambda: interrupt.came, due - time.monotonic())
        node.step()


def _as_fast_as_driven(node: BugSim, executor: Any, interrupt: process.Interrupt) -> None:
    """Step whenever a command has come: the run does not depend on how fast the machine is."""
    driven = False
    while not interrupt.came:
        node.publish()
        process.spin_until(executor, lambda: node.commanded or interrupt.came,
                           PATIENCE if driven else IDLE)
        driven = node.commanded
        node.step()


if __name__ == '__main__':
    sys.exit(main())
