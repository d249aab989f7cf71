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
Simulated robot on DDS, in lockstep with the node that drives it.

It publishes odometry, scan and clock, waits for the command, and only then advances, so that the
load of the machine does not matter. A missing command is counted, and the robot continues with
the previous one, as the base of a TurtleBot3 does.
"""

from __future__ import annotations

import math
import time
from typing import Any, Callable, List, Optional

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP, Twist
from bug_nav.ros.conversions import to_laser_scan, to_pose, to_time, to_twist
from bug_nav.ros.process import spin_until
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
from geometry_msgs.msg import Twist as TwistMsg
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from trials.fault import Fault

STEP = 0.05
"""Step of the simulation and control period of the node [s]."""
SCAN_EVERY = 4
PATIENCE = 1.5
"""Time after which a command counts as missing [s]."""
REST = 0.002
"""Real time per step while no command is expected [s]."""
MAX_STOPPED_SPEED = 0.005
"""Maximum speed of a stopped robot [m/s, rad/s]."""
FOREIGN = 1.0
"""Value of linear.z that marks a command of another publisher [m/s]."""


class LockstepRobot:
    """The robot, its sensors and its clock, on the topics of ``node``."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor):
        """Create publishers and the subscription; `place` creates the robot."""
        self._node, self._executor = node, executor
        self._odom = node.create_publisher(Odometry, 'odom', 10)
        self._scan = node.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self._clock = node.create_publisher(Clock, '/clock', 10)
        node.create_subscription(TwistMsg, 'cmd_vel', self._on_twist, 10)
        self.command = STOP
        self.commands = self.ticks = 0
        """Number of commands of the node, and of steps."""
        self.missing = 0
        """Number of missing commands."""
        self.fault = Fault()
        self.onset = 0.0
        """Onset of the fault [s]."""
        self.offset = self._offset = 0.0
        """Offset of the published time ahead of the true one [s]."""
        self.sim: Any = None
        self._commanded = self._hurried = False

    @property
    def heard(self) -> bool:
        """Return whether all topics have subscribers and cmd_vel has a publisher."""
        return (all(publisher.get_subscription_count() for publisher in
                    (self._odom, self._scan, self._clock))
                and self._node.count_publishers('cmd_vel') > 0)

    @property
    def stamp(self) -> float:
        """Return the true time, which never jumps [s]."""
        return self.ticks * STEP

    @property
    def stands(self) -> bool:
        """Return whether the robot has stopped."""
        return math.hypot(self.sim.twist.v, self.sim.twist.w) < MAX_STOPPED_SPEED

    def place(self, world: World, pose: Pose, seed: int) -> None:
        """Place the robot in a world, stopped; time continues."""
        self.sim = Simulator(world, pose, lidar=LidarModel(), seed=seed)
        self.sim.stamp = self.stamp
        self.command, self.missing, self._hurried = STOP, 0, False

    def begin(self, fault: Fault) -> None:
        """Start a fault."""
        self.fault, self.onset, self._offset = fault, self.stamp, self.offset

    def end(self) -> None:
        """End the fault; the offset of a clock that has jumped remains."""
        self.fault = Fault()

    def step(self, over: Optional[Callable[[], bool]] = None, paced: bool = False) -> None:
        """
        Publish, wait for the command if one is expected, and advance.

        ``over`` returns whether no further command will come; None if none is expected. A
        ``paced`` step takes real time.
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
        if paced:  # the rest of the period
            self.spin(STEP - (time.monotonic() - began))
        self.sim.step(self.command, STEP)
        self.ticks += 1
        self.sim.stamp = self.stamp

    def spin(self, span: float) -> None:
        """Process messages for a time [s]."""
        spin_until(self._executor, lambda: False, span)

    def wait(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait with stopped clock until a condition holds; return whether it does."""
        return bool(spin_until(self._executor, condition, timeout))

    def second_publisher(self) -> Any:
        """Return another publisher of commands."""
        return self._node.create_publisher(TwistMsg, 'cmd_vel', 1)

    def forget(self, publisher: Any) -> None:
        """Destroy a publisher."""
        self._node.destroy_publisher(publisher)

    def _await(self, over: Callable[[], bool], patience: float) -> None:
        answered = self.wait(lambda: self._commanded or over(), patience)
        self.missing += not answered
        # After one timeout, wait only briefly at further steps.
        self._hurried = not answered

    def _publish(self) -> bool:
        """Publish the state as changed by the fault; return whether the clock ticks."""
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
