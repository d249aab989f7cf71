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
from typing import Iterator

from bug_nav.messages.sensor_messages import planar
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP, Twist
from bug_nav.ros.endpoints import Endpoint, of_publishers
from bug_nav.ros.sim.lockstep import Lockstep
from bug_nav.ros.sim.output import RobotOutput
from bug_nav.ros.sim.settings import SimSettings
from bug_nav.simulation.simulator import Simulator
from geometry_msgs.msg import PoseWithCovarianceStamped, TwistStamped
from geometry_msgs.msg import Twist as TwistMsg
from rclpy.node import Node


class SimRobot:
    """A robot, in the namespace of its name, if any."""

    simulator: Simulator

    def __init__(self, node: Node, name: str, start: Pose, settings: SimSettings,
                 output: RobotOutput):
        """Subscribe to commands; `begin` must set a simulator."""
        self.name, self.start, self.output = name or 'the robot', start, output
        self._node, self._timeout = node, settings.command_timeout or math.inf
        self.received = self.rejected = 0
        """Number of commands that have arrived, and of those among them that are not finite."""
        self.commanded = False
        """Whether a command has arrived since the last step."""
        self._logger = node.get_logger()
        prefix = f'{name}/' if name else ''
        self._message = TwistStamped if settings.enable_stamped_cmd_vel else TwistMsg
        self._commands = node.create_subscription(
            self._message, f'{prefix}cmd_vel', lambda message: self._on_twist(
                message.twist if settings.enable_stamped_cmd_vel else message), 10)
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
        """Return the last command, or a stop after the parameter ``command_timeout``."""
        age = self.simulator.stamp - self._commanded_at
        return self._command if age <= self._timeout else STOP

    @property
    def last_command(self) -> Twist:
        """Return the last finite command, however old."""
        return self._command

    @property
    def is_due(self) -> bool:
        """Return whether a command is due."""
        return self._lockstep.is_due(self.simulator.stamp)

    @property
    def patience(self) -> float:
        """Return the maximum wait of the next step for a command [s]."""
        return self._lockstep.patience(self.simulator.stamp, self.command != STOP)

    def unmatched(self) -> Iterator[str]:
        """Yield a sentence for each node that this one cannot talk to, with the line to change."""
        yield from self.output.unmatched(self._node)
        endpoint = Endpoint(self.command_topic, self._message)
        for reason in filter(None, of_publishers(self._node, endpoint)):
            remedy = (f'change its line to create_publisher({self._message.__name__}, '
                      f"'{endpoint.topic}', 10)")
            if endpoint.message_name in reason:  # the type differs
                other = str(self._message is TwistMsg).lower()
                remedy += f', or set enable_stamped_cmd_vel to {other} in bug_sim'
            yield f'{reason}, and does not move the robot; {remedy}'

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
        self.received += 1
        if not all(map(math.isfinite, command)):
            self.rejected += 1
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
