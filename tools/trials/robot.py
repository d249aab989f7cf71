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
A simulated robot on DDS that goes in lockstep with the node that drives it.

It publishes odometry, scan and clock, waits for the command that answers, and only then goes on:
how busy the machine is plays no part. A command that does not come is counted, and the robot
goes on with the one before, as the base of a TurtleBot3 does.
"""

from __future__ import annotations

import math
import time
from typing import Any, Callable, List, Optional

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import STOP, Twist
from bug_nav.ros.conversions import to_laser_scan, to_pose, to_time, to_twist
from bug_nav.ros.process import spin_until
from bug_nav.sim.sensors import LidarModel
from bug_nav.sim.simulator import Simulator
from bug_nav.sim.world import World
from geometry_msgs.msg import Twist as TwistMsg
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from trials.fault import Fault

STEP = 0.05
"""A step of the simulation and the period of the node's ticks [s]."""
SCAN_EVERY = 4
PATIENCE = 1.5
"""A command that has not come after so long [s] counts as missing."""
REST = 0.002
"""While no command is expected, the node gets so long for a step [s]."""
STANDS = 0.005
"""What is slower than this [m/s, rad/s] stands."""
FOREIGN = 1.0
"""The mark of a command that is not the node's; no robot on the ground moves along z."""


class LockstepRobot:
    """The robot, its sensors and its clock, on the topics of ``node``."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor):
        """Make publishers and the subscription; there is no robot before `place`."""
        self._node, self._executor = node, executor
        self._odom = node.create_publisher(Odometry, 'odom', 10)
        self._scan = node.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self._clock = node.create_publisher(Clock, '/clock', 10)
        node.create_subscription(TwistMsg, 'cmd_vel', self._on_twist, 10)
        self.command = STOP
        self.commands = self.ticks = 0
        """Commands of the node, and steps."""
        self.missing = 0
        """Commands that did not come."""
        self.fault = Fault()
        self.onset = 0.0
        """When the fault began."""
        self.offset = self._offset = 0.0
        """So far the published time is ahead of the true one [s]."""
        self.sim: Any = None
        self._commanded = self._hurried = False

    @property
    def heard(self) -> bool:
        """Tell whether somebody listens to all that the robot publishes, and commands it."""
        return (all(publisher.get_subscription_count() for publisher in
                    (self._odom, self._scan, self._clock))
                and self._node.count_publishers('cmd_vel') > 0)

    @property
    def stamp(self) -> float:
        """Return the true time [s]; it never jumps."""
        return self.ticks * STEP

    @property
    def stands(self) -> bool:
        """Tell whether the robot stands."""
        return math.hypot(self.sim.twist.v, self.sim.twist.w) < STANDS

    def place(self, world: World, pose: Pose, seed: int) -> None:
        """Put the robot into a world, standing; time goes on."""
        self.sim = Simulator(world, pose, lidar=LidarModel(), seed=seed)
        self.sim.stamp = self.stamp
        self.command, self.missing, self._hurried = STOP, 0, False

    def begin(self, fault: Fault) -> None:
        """Begin with a fault."""
        self.fault, self.onset, self._offset = fault, self.stamp, self.offset

    def end(self) -> None:
        """End the fault; a clock that has jumped stays where it is."""
        self.fault = Fault()

    def step(self, over: Optional[Callable[[], bool]] = None, paced: bool = False) -> None:
        """
        Publish, wait for the command where there will be one, and advance.

        ``over`` tells that no command will come (any more), None where none is expected. In a
        ``paced`` step time does not wait.
        """
        self._commanded = False
        began = time.monotonic()
        ticks = self._publish()
        if over is None:
            self.spin(REST)
        elif not ticks or paced:
            self.spin(STEP)
        else:
            self._await(over, STEP if self._hurried else PATIENCE)
        if paced:  # and if the publishing itself took long
            self.spin(STEP - (time.monotonic() - began))
        self.sim.step(self.command, STEP)
        self.ticks += 1
        self.sim.stamp = self.stamp

    def spin(self, span: float) -> None:
        """Look at what comes for so long [s]."""
        spin_until(self._executor, lambda: False, span)

    def wait(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait until a condition holds, while the clock stands; tell whether it does."""
        return bool(spin_until(self._executor, condition, timeout))

    def second_publisher(self) -> Any:
        """Return somebody else's publisher of commands."""
        return self._node.create_publisher(TwistMsg, 'cmd_vel', 1)

    def forget(self, publisher: Any) -> None:
        """Take a publisher apart."""
        self._node.destroy_publisher(publisher)

    def _await(self, over: Callable[[], bool], patience: float) -> None:
        answered = self.wait(lambda: self._commanded or over(), patience)
        self.missing += not answered
        # Having waited in vain once, it need not do so at every step.
        self._hurried = not answered

    def _publish(self) -> bool:
        """Publish what the fault leaves of the present state; tell whether the clock ticks."""
        since, fault = self.stamp - self.onset, self.fault
        ticks = True
        if fault.clock is not None:
            offset = fault.clock(since)
            ticks = offset is not None
            self.offset = self.offset if offset is None else self._offset + offset
        stamp = self.stamp + self.offset
        self._send(self._odom, self._odometry(stamp), fault.odom, since)
        if self.ticks % SCAN_EVERY == 0:
            scan = self.sim.scan()._replace(stamp=stamp)
            self._send(self._scan, to_laser_scan(scan, 'base_scan', self.sim.lidar.period),
                       fault.scan, since)
        if ticks:
            self._clock.publish(Clock(clock=to_time(stamp)))
        return ticks

    def _odometry(self, stamp: float) -> Odometry:
        message = Odometry(child_frame_id='base_footprint')
        message.header.frame_id, message.header.stamp = 'odom', to_time(stamp)
        message.pose.pose = to_pose(self.sim.odometry)
        message.twist.twist = to_twist(self.sim.twist)
        return message

    @staticmethod
    def _send(publisher: Any, message: Any, change: Any, since: float) -> None:
        messages: List[Any] = [message] if change is None else list(change(message, since))
        for each in messages:
            publisher.publish(each)

    def _on_twist(self, message: TwistMsg) -> None:
        self.command = Twist(message.linear.x, message.angular.z)
        if message.linear.z != FOREIGN:
            self.commands += 1
            self._commanded = True
