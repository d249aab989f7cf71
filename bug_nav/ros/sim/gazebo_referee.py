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
The referee of a trial in Gazebo classic: the counterpart of `bug_nav.ros.sim.referee` there.

The odometry of TurtleBot3's models is the true pose in the world, as of Gazebo. A contact is an
overlap of the robot's disc with an obstacle, as in the embedded simulator; Gazebo's own contacts
are those of the model's boxes and wheels.
"""

from __future__ import annotations

import math
from pathlib import Path
import sys
from typing import Any, Optional, Sequence

from bug_nav.lab.grading.trace import Sample
from bug_nav.messages.sensor_messages import planar, seconds
from bug_nav.navigation.geometry import Pose
from bug_nav.ros import process
from bug_nav.ros.endpoints import Endpoint, of_publishers
from bug_nav.ros.sim.trial_observer import RobotTopics, TrialObserver
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import find_robot
from bug_nav.simulation.simulator import Simulator
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import LaserScan

SETTLING_TIME = 1.0
"""Time from the first scan to the begin of a trial, until the robot stands still [s]."""


class GazeboReferee(Node):
    """Records the true state of the robot, and the commands."""

    def __init__(self, folder: Path):
        """Read the trial of a folder; ValueError, in one sentence, if that fails."""
        super().__init__('bug_nav_referee')
        # Reliable and volatile, as the plug-ins of gazebo_ros.
        commands = self.create_subscription(Twist, 'cmd_vel', self._on_command, 10)
        odometry = self.create_subscription(Odometry, 'odom', self._on_odometry, 10)
        scans = self.create_subscription(LaserScan, 'scan', self._on_scan, 10)
        topics = RobotTopics(scans.topic_name, odometry.topic_name, commands.topic_name)
        self.observer = TrialObserver(self, folder, topics, (self.get_fully_qualified_name(),))
        trial, preset = self.observer.trial, find_robot(self.observer.trial['robot'])
        self._pose = Pose(*trial['start'])
        self._body = Simulator(find_world(trial['world']), self._pose, preset.model,
                               preset.sensor, 0)
        self._command, self._received, self._rejected = Twist(), 0, 0
        self._first_scan = self._began = math.inf
        self._endpoint = Endpoint(topics.cmd_vel, Twist)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)

    def run(self, is_over: Any) -> None:
        """Observe the trial until it ends, or a condition holds."""
        process.spin_until(self._executor, lambda: is_over() or self.observer.ending, math.inf)
        self.observer.write(f'{sentence}, and does not move the robot' for sentence in
                            filter(None, of_publishers(self, self._endpoint)))

    def _on_command(self, message: Twist) -> None:
        self._received += 1
        if all(map(math.isfinite, (message.linear.x, message.angular.z))):
            self._command = message
        else:
            self._rejected += 1

    def _on_scan(self, message: LaserScan) -> None:
        self._first_scan = min(self._first_scan, seconds(message.header.stamp))

    def _on_odometry(self, message: Odometry) -> None:
        stamp = seconds(message.header.stamp)
        if self._began == math.inf:
            if stamp - self._first_scan < SETTLING_TIME:
                return
            self._began = stamp
            self.observer.add_own_nodes()
            self.observer.begin()
        try:
            self._pose = planar(message.pose.pose)
        except ValueError:  # Gazebo has lost the robot, such as after a command of NaN
            pass
        twist = message.twist.twist
        self.observer.add(Sample(
            stamp - self._began, *self._pose, twist.linear.x, twist.angular.z,
            self._command.linear.x, self._command.angular.z, float(self._received),
            float(self._rejected), float(self._body.touches(self._pose.position))))


def main(args: Optional[Sequence[str]] = None) -> int:
    """Observe a trial until it ends, or until SIGINT or SIGTERM."""
    folder = Path((sys.argv if args is None else list(args))[1])

    def make(*_: Any, **__: Any) -> GazeboReferee:
        return GazeboReferee(folder)
    with process.running('bug_nav_referee', make, args) as (node, interrupt):
        node.run(lambda: interrupt.received)
    return 0


if __name__ == '__main__':
    sys.exit(main())
