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

"""Warnings with a remedy: incompatible endpoints, and other publishers of commands."""

from types import SimpleNamespace

from bug_nav.ros.node.health import Health
from bug_nav.ros.qos import LATCHED
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
import pytest
from rclpy.duration import Duration
from rclpy.qos import qos_profile_sensor_data, QoSProfile
from sensor_msgs.msg import LaserScan, PointCloud2

pytestmark = pytest.mark.ros


@pytest.fixture
def stack(make_stack):
    return make_stack()


def start(stack, *remappings):
    """Start a simulator and a node, and return the list of diagnostics."""
    stack.start_sim(*remappings, world='open', real_time_factor=1.0)
    stack.navigator = stack.start_navigator(with_sensors=False)
    return stack.listen(DiagnosticArray, '/diagnostics')


def wait_for_warning(stack, heard, *words):
    """
    Wait for a diagnostic with these words that is also logged as a warning; return its status.

    Numbers may change until the warning is logged, so any received message may match.
    """
    return stack.wait(lambda: next((
        message.status[0] for message in heard
        if all(word in message.status[0].message for word in words)
        and message.status[0].message in stack.navigator.output), None))


def test_robot_whose_first_messages_are_awaited_is_not_fine(stack):
    stack.start_navigator(with_sensors=False, use_sim_time=False)
    heard = stack.listen(DiagnosticArray, '/diagnostics')
    words = [message.status[0].message for message in stack.wait(
        lambda: heard if any('no node publishes' in message.status[0].message
                             for message in heard) else None)]
    assert 'ok' not in words


def test_subscriber_of_stamped_commands_is_reported_with_the_parameter(stack):
    heard = start(stack, '-r', 'cmd_vel:=elsewhere')
    stack.node.create_subscription(TwistStamped, 'cmd_vel', print, 1)
    stack.send(3.0, 0.0)
    status = wait_for_warning(stack, heard, '/test_client subscribes to /cmd_vel with '
                              'type geometry_msgs/msg/TwistStamped',
                              'set enable_stamped_cmd_vel to true')
    assert status.level == DiagnosticStatus.ERROR


@pytest.mark.slow
def test_subscriber_with_incompatible_quality_of_service_is_reported(stack):
    heard = start(stack, '-r', 'cmd_vel:=elsewhere')
    stack.node.create_subscription(Twist, 'cmd_vel', print, LATCHED)
    stack.send(3.0, 0.0)
    wait_for_warning(
        stack, heard, '/test_client subscribes to /cmd_vel with an incompatible quality of '
        'service (Volatile publisher and transient local subscription)')


@pytest.mark.slow
@pytest.mark.parametrize('message, qos, words', [
    (PointCloud2, qos_profile_sensor_data, 'with type sensor_msgs/msg/PointCloud2'),
    (LaserScan, QoSProfile(depth=1, deadline=Duration(seconds=1)), None)])
def test_unreceivable_scan_is_reported(stack, message, qos, words):
    heard = start(stack, '-r', 'scan:=elsewhere')
    wait_for_warning(stack, heard, 'no node publishes /scan', 'ROS_DOMAIN_ID')
    stack.node.create_publisher(message, 'scan', qos)
    if words:
        wait_for_warning(stack, heard, '/test_client publishes on /scan', words)
    else:  # a deadline of the publisher is compatible: it is only silent
        wait_for_warning(stack, heard, 'no message on /scan', 'ros2 topic hz /scan')


def test_competing_publisher_is_a_warning_only_during_a_goal(stack):
    heard = start(stack)
    stack.wait(lambda: heard and heard[-1].status[0].level == DiagnosticStatus.OK)
    stack.node.create_publisher(Twist, 'cmd_vel', 1)
    sent = stack.send(3.0, 0.0)     # far enough for checks on the way, once per second
    values = stack.wait(lambda: next((told for told in (
        {each.key: each.value for each in message.status[0].values} for message in heard)
        if int(told.get('scans placed', 0)) > 0), None))
    assert abs(float(values['scan ahead of odometry [s]'])) < 0.3
    assert int(values['scans dropped']) < 10
    status = wait_for_warning(stack, heard, 'other publishers on /cmd_vel: /test_client')
    assert status.level == DiagnosticStatus.WARN
    assert sent.end()[1] == 'REACHED_UNCERTAIN'
    del heard[:]
    stack.wait(lambda: heard and heard[-1].status[0].level == DiagnosticStatus.OK)


@pytest.mark.slow
def test_small_stamp_skew_is_a_warning(stack):
    stack.start_sim(world='open', real_time_factor=1.0, scan_skew=0.25)
    stack.navigator = stack.start_navigator(with_sensors=False)
    heard = stack.listen(DiagnosticArray, '/diagnostics')
    sent = stack.send(4.0, 0.0)
    status = wait_for_warning(stack, heard, 'scan stamps are 0.2', 'ahead of odometry')
    assert status.level == DiagnosticStatus.WARN
    sent.cancel()


def test_late_commands_are_reported_with_their_time():
    assert Health.lateness(SimpleNamespace(_period=0.05)) is None
    assert 'up to 188 ms between two commands' in Health.lateness(SimpleNamespace(_period=0.188))


@pytest.mark.parametrize('process, is_lost', [
    (None, False), (SimpleNamespace(alive=True), False), (SimpleNamespace(alive=False), True)])
def test_death_of_the_stop_process_is_reported(process, is_lost):
    loss = Health.loss(SimpleNamespace(_stop_process=process))
    assert ('the stop process has died' in loss) if is_lost else loss is None


def test_lidar_that_reads_range_min_everywhere_is_reported(stack):
    heard = start(stack, '-r', 'scan:=elsewhere')
    publisher = stack.publisher(LaserScan, 'scan')
    scan = LaserScan(angle_min=-3.1, angle_increment=0.1, angle_max=3.1, range_min=0.12,
                     range_max=3.5, ranges=[0.12] * 63)
    scan.header.frame_id = 'base_scan'

    def named():
        publisher.publish(scan)
        return any('every beam of the scan reads range_min' in message.status[0].message
                   for message in heard)
    stack.wait(named)
