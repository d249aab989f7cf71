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

"""The simulator node without a navigator."""

import math
import re
import time

from bug_nav.ros.qos import LATCHED
from bug_nav.ros.sim.lockstep import MOVING_PATIENCE
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry
import pytest
from rclpy.qos import qos_profile_sensor_data
from ros_harness import SIM
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.sim = stack.start(SIM, world='box', real_time_factor=5.0, x_pose=-1.0, yaw=1.0,
                            scan_angle_increment=math.pi / 90)
    stack.odometry = stack.listen(Odometry, 'odom')
    stack.scans = stack.listen(LaserScan, 'scan', qos_profile_sensor_data)
    stack.clock = stack.listen(Clock, '/clock')
    stack.cmd_vel = stack.publisher(Twist, 'cmd_vel')
    return stack


def seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


def test_robot_starts_at_the_given_pose(stack):
    stack.wait(lambda: stack.odometry and stack.scans and stack.clock)
    message = stack.odometry[0]
    assert (message.pose.pose.position.x, message.pose.pose.position.y) == (-1.0, 0.0)
    assert (message.header.frame_id, message.child_frame_id) == ('odom', 'base_footprint')
    assert stack.scans[0].header.frame_id == 'base_scan'
    assert len(stack.scans[0].ranges) == round(6.28 / (math.pi / 90)) + 1


def test_simulator_logs_world_robot_and_topics(stack):
    stack.wait(lambda: 'simulating world box (burger); publishes /scan and /odom, '
               'listens to /cmd_vel\n' in stack.sim.output)


def test_clock_advances_in_whole_steps(stack):
    del stack.clock[:]
    stack.wait(lambda: len(stack.clock) > 40)
    assert all(message.clock.nanosec % 50_000_000 == 0 for message in stack.clock)
    stack.wait(lambda: len(stack.scans) > 5)
    stamps = [seconds(scan.header.stamp) for scan in stack.scans]
    assert min(b - a for a, b in zip(stamps, stamps[1:])) == pytest.approx(0.2)


def test_command_moves_the_robot_and_expires(stack):
    twist = Twist()
    twist.linear.x = 0.1
    twist.angular.z = 0.3
    stack.cmd_vel.publish(twist)
    stack.wait(lambda: stack.odometry[-1].twist.twist.linear.x == pytest.approx(0.1))
    began = seconds(stack.odometry[-1].header.stamp)
    stack.wait(lambda: stack.odometry[-1].twist.twist.linear.x == 0.0)
    assert 0.8 < seconds(stack.odometry[-1].header.stamp) - began < 1.6


def test_command_that_is_not_finite_is_dropped(stack):
    twist = Twist()
    twist.linear.x = math.nan
    stack.cmd_vel.publish(twist)
    stack.wait(lambda: 'not finite was dropped' in stack.sim.output)


def test_robot_is_relocated_but_not_into_a_wall(stack):
    publisher = stack.publisher(PoseWithCovarianceStamped, 'initialpose')
    message = PoseWithCovarianceStamped()
    message.pose.pose.position.y = -2.0
    publisher.publish(message)
    stack.wait(lambda: stack.odometry[-1].pose.pose.position.y == -2.0)
    message.pose.pose.position.x, message.pose.pose.position.y = 2.5, 0.9
    publisher.publish(message)
    stack.wait(lambda: 'would touch a solid' in stack.sim.output)
    assert stack.odometry[-1].pose.pose.position.y == -2.0


def test_reset_restarts_time_and_pose(stack):
    stack.reset_sim()
    stamps = [seconds(each.clock) for each in stack.clock]
    assert any(later < before for before, later in zip(stamps, stamps[1:]))
    stack.wait(lambda: stack.odometry[-1].pose.pose.position.x == -1.0)


def test_odometry_continues_after_a_change_to_the_system_clock_and_back(stack):
    def is_simulated():
        return seconds(stack.odometry[-1].header.stamp) < 1e6
    stack.set_parameters('/bug_sim', publish_clock=False)
    stack.wait(lambda: not is_simulated())
    stack.set_parameters('/bug_sim', publish_clock=True)
    stack.wait(is_simulated, 10.0)


def test_contact_is_reported(stack):
    message = PoseWithCovarianceStamped()
    message.pose.pose.position.x = 2.2
    stack.publisher(PoseWithCovarianceStamped, 'initialpose').publish(message)
    stack.wait(lambda: stack.odometry[-1].pose.pose.position.x == 2.2)
    twist = Twist()
    twist.linear.x = 0.2

    def push():
        stack.cmd_vel.publish(twist)
        return 'contact: ' in stack.sim.output
    stack.wait(push)


def test_ordinary_reliable_subscriber_receives_scans_as_in_gazebo(stack):
    scans = stack.listen(LaserScan, 'scan', 10)
    stack.wait(lambda: scans)


def named(sim, line):
    """Return the subscriber whose line is to be changed; None if no line is named."""
    return re.search(r'(/\w+) subscribes to .*' + re.escape(line), sim.output)


def test_subscriber_with_incompatible_qos_is_named_with_the_line_to_change(stack):
    stack.node.create_subscription(LaserScan, 'scan', print, LATCHED)
    stack.wait(lambda: named(stack.sim, "create_subscription(LaserScan, '/scan', callback, 10)"))


def test_subscribers_with_another_type_are_named_with_the_line_to_change(make_stack):
    stack = make_stack()
    sim = stack.start(SIM, world='open')
    stack.node.create_subscription(Odometry, 'scan', print, 10)
    stack.node.create_subscription(LaserScan, 'odom', print, 10)
    stack.wait(lambda: named(sim, "create_subscription(LaserScan, '/scan', callback, 10)")
               and named(sim, "create_subscription(Odometry, '/odom', callback, 10)"))


@pytest.mark.parametrize('kind, qos, remedy', [
    (Twist, qos_profile_sensor_data, "create_publisher(Twist, '/cmd_vel', 10)"),
    (TwistStamped, 10, 'set enable_stamped_cmd_vel to true in bug_sim')])
def test_publisher_that_does_not_move_the_robot_is_named(make_stack, kind, qos, remedy):
    stack = make_stack()
    sim = stack.start(SIM, world='open')
    stack.node.create_publisher(kind, 'cmd_vel', qos)
    stack.wait(lambda: '/test_client publishes on /cmd_vel' in sim.output)
    assert remedy in sim.output


def test_robot_without_command_timeout_drives_on_as_in_gazebo(make_stack):
    stack = make_stack()
    stack.start(SIM, world='open', real_time_factor=10.0, command_timeout=0.0)
    odometry, publisher = stack.listen(Odometry, 'odom'), stack.publisher(Twist, 'cmd_vel')
    twist = Twist()
    twist.linear.x = 0.1
    publisher.publish(twist)
    stack.wait(lambda: odometry and odometry[-1].pose.pose.position.x > 0.3)


def test_parts_are_selected_by_name(make_stack):
    stack = make_stack()
    stack.start(SIM, world='box', lidar='lds_02', wheels='uncalibrated', scan_range_max=6.0)
    scans = stack.listen(LaserScan, 'scan', qos_profile_sensor_data)
    stack.wait(lambda: scans)
    assert len(scans[0].ranges) == 360
    assert (scans[0].range_min, scans[0].range_max) == pytest.approx((0.16, 6.0))


def test_late_driver_is_waited_for(make_stack):
    stack = make_stack()
    stack.start(SIM, world='box', real_time_factor=0.0)
    clock, cmd_vel = stack.listen(Clock, '/clock'), stack.publisher(Twist, 'cmd_vel')

    def steps(count):
        told = len(clock)
        stack.wait(lambda: len(clock) >= told + count)
    twist = Twist()
    twist.angular.z = 0.3
    stack.wait(lambda: clock and cmd_vel.get_subscription_count())
    for _ in range(10):
        cmd_vel.publish(twist)
        steps(1)
    # Some steps may have been in transit before.
    longest = 0.0
    for _ in range(60):
        before = time.monotonic()
        steps(1)
        longest = max(longest, time.monotonic() - before)
    assert longest > 0.5 * MOVING_PATIENCE
