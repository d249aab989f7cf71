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
"""A robot of the simulator's node: its commands, simulator and output."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP, Twist
from bug_nav.recording.sensor_messages import planar
from bug_nav.ros.sim.lockstep import Lockstep
from bug_nav.ros.sim.output import RobotOutput
from bug_nav.simulation.simulator import Simulator
from geometry_msgs.msg import PoseWithCovarianceStamped, TwistStamped
from geometry_msgs.msg import Twist as TwistMsg
from rclpy.node import Node

COMMAND_TIMEOUT = 1.0
"""Maximum age of a command [s]."""


class SimRobot:
    """A robot, in the namespace of its name, if any."""

    simulator: Simulator

    def __init__(self, node: Node, name: str, start: Pose, stamped: bool, output: RobotOutput):
        """Subscribe to commands; `begin` must set a simulator."""
        self.name, self.start, self.output = name or 'the robot', start, output
        self.commanded = False
        """Whether a command has arrived since the last step."""
        self._logger = node.get_logger()
        prefix = f'{name}/' if name else ''
        self._commands = node.create_subscription(
            TwistStamped, f'{prefix}cmd_vel', lambda message: self._on_twist(message.twist), 10
        ) if stamped else node.create_subscription(
            TwistMsg, f'{prefix}cmd_vel', self._on_twist, 10)
        node.create_subscription(
            PoseWithCovarianceStamped, f'{prefix}initialpose', self._on_initial_pose, 1)

    def begin(self, simulator: Simulator, dt: float) -> None:
        """Start at time zero, with steps of ``dt`` [s]."""
        self.simulator, self._lockstep = simulator, Lockstep(dt)
        self._command, self._commanded_at = STOP, -math.inf
        self.counts = (0, 0)
        """Number of contacts and of bumps, as of the simulator."""

    @property
    def command_topic(self) -> str:
        """Return the resolved name of the topic of commands."""
        return str(self._commands.topic_name)

    @property
    def command(self) -> Twist:
        """Return the last command, or a stop after `COMMAND_TIMEOUT`."""
        age = self.simulator.stamp - self._commanded_at
        return self._command if age <= COMMAND_TIMEOUT else STOP

    @property
    def is_due(self) -> bool:
        """Return whether a command is due."""
        return self._lockstep.is_due(self.simulator.stamp)

    @property
    def patience(self) -> float:
        """Return the maximum wait of the next step for a command [s]."""
        return self._lockstep.patience(self.simulator.stamp, self.command != STOP)

    def check(self, pose: Pose) -> None:
        """Raise ValueError if the robot would touch something at ``pose``."""
        if self.simulator.touches(pose.position):
            raise ValueError(f'at ({pose.x:.2f}, {pose.y:.2f}) {self.name} would touch a solid of '
                             f'the world {self.simulator.world.name!r}')

    def step(self, stamp: float, dt: float) -> None:
        """Advance by ``dt`` [s], to the time ``stamp`` [s]."""
        simulator = self.simulator
        simulator.step(self.command, dt)
        # Not a sum of steps, so that timers on this clock do not drift.
        simulator.stamp = stamp
        contacts, bumped = self.counts
        self.counts = simulator.contacts, simulator.bumped
        place = f'at ({simulator.pose.x:.2f}, {simulator.pose.y:.2f})'
        if simulator.contacts > contacts:
            self._logger.error(f'contact: {self.name} touches something {place}')
        if simulator.bumped > bumped:
            self._logger.info(f'bump: something touches {self.name} {place}')

    def _on_twist(self, message: TwistMsg) -> None:
        command = Twist(message.linear.x, message.angular.z, message.linear.y)
        if not all(map(math.isfinite, command)):
            return self._logger.error(f'a command that is not finite was dropped: {command}')
        self._command, self._commanded_at = command, self.simulator.stamp
        self._lockstep.add_command(self._commanded_at)
        self.commanded = True

    def _on_initial_pose(self, message: PoseWithCovarianceStamped) -> None:
        try:
            pose = planar(message.pose.pose)
            self.check(pose)
        except ValueError as error:
            self._logger.error(f'{self.name} stays where it is: {error}')
        else:
            self.simulator.teleport(pose)
