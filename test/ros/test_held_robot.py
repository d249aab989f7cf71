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

"""A robot that is held while its wheels turn ends its goal with this cause, over real DDS."""

import math

from bug_nav.navigation.geometry import IDENTITY
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.simulator import Simulator
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import pytest
from ros_harness import moves
from sensor_msgs.msg import LaserScan

pytestmark = pytest.mark.ros
PERIOD = 0.1


class HeldRobot:
    """A robot that cannot move, whose odometry follows the commands."""

    def __init__(self, stack):
        self._node, self._commands = stack.node, stack.commands
        self._simulator = Simulator(find_world('box'), IDENTITY)
        self._x = self._y = self._theta = 0.0
        self._odom = stack.node.create_publisher(Odometry, 'odom', 10)
        self._scan = stack.node.create_publisher(LaserScan, 'scan', 10)
        stack.node.create_timer(PERIOD, self._publish)

    def _publish(self):
        if self._commands:
            twist = self._commands[-1]
            self._x += PERIOD * twist.linear.x * math.cos(self._theta)
            self._y += PERIOD * twist.linear.x * math.sin(self._theta)
            self._theta += PERIOD * twist.angular.z
        odometry = Odometry(child_frame_id='base_footprint')
        odometry.header.frame_id = 'odom'
        odometry.header.stamp = self._node.get_clock().now().to_msg()
        odometry.pose.pose.position.x, odometry.pose.pose.position.y = self._x, self._y
        odometry.pose.pose.orientation.z = math.sin(0.5 * self._theta)
        odometry.pose.pose.orientation.w = math.cos(0.5 * self._theta)
        self._odom.publish(odometry)
        seen = self._simulator.scan()
        scan = LaserScan(
            angle_min=seen.angle_min, angle_increment=seen.angle_increment,
            angle_max=seen.angle_min + (len(seen.ranges) - 1) * seen.angle_increment,
            range_min=seen.range_min, range_max=seen.range_max, ranges=seen.ranges.tolist())
        scan.header.stamp, scan.header.frame_id = odometry.header.stamp, 'base_scan'
        self._scan.publish(scan)


@pytest.mark.parametrize('drift_correction', ['scan_matching', 'none'])
def test_held_robot_ends_as_blocked_and_stands(make_stack, drift_correction):
    stack = make_stack()
    stack.commands = stack.listen(Twist, 'cmd_vel')
    HeldRobot(stack)
    stack.start_navigator(use_sim_time=False, use_tf=False, drift_correction=drift_correction)
    status, outcome, message = stack.send(6.0, 0.0).end(60.0)
    assert (status, outcome) == ('ABORTED', 'BLOCKED')
    assert 'the scans show no motion: it is held, or its wheels slip' in message
    assert any(map(moves, stack.commands))
    stack.wait(lambda: not moves(stack.commands[-1]))
