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

"""``bug_nav check`` of a running robot: received data and connections."""

import json
import signal

from bug_nav.ros.client import survey
from command_harness import Command
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
import pytest
from sensor_msgs.msg import LaserScan

pytestmark = pytest.mark.ros


def command(stack, *options):
    """Return the running command, in the stack's domain."""
    return Command('check', *options, folder=stack.folder, environment=stack.environment)


def checked(stack, *options, duration='3'):
    """Run the command; return its exit code and its findings by name."""
    return findings(command(stack, '--duration', duration, '--json', *options))


def findings(process, timeout=60.0):
    """Return the exit code and the findings by name of a running command."""
    code, said = process.code(timeout), process.output
    report, _ = json.JSONDecoder().raw_decode(said, said.index('{'))  # after warnings of Fast DDS
    return code, {each['subject']: each for each in report['findings']}


def test_healthy_robot_has_no_errors(robot):
    code, found = checked(robot)
    assert code == 0
    assert 'Hz' in found['scan']['found'] and 'Hz' in found['odom']['found']
    assert 'simulated time' in found['clock']['found']
    assert found['cmd_vel']['found'] == '/cmd_vel: /bug_sim (Twist) subscribes'
    assert found['publishers']['level'] == 'ok' and found['stop']['level'] == 'warning'


@pytest.mark.slow
def test_navigator_and_its_stop_process_are_not_reported_as_competing(make_stack):
    stack = make_stack()
    stack.start_sim(world='demo', real_time_factor=1.0)
    stack.start_navigator()
    stack.wait(lambda: stack.node.count_publishers('/cmd_vel') == 2)
    # On a busy machine, discovery takes longer than usual.
    found = checked(stack, duration='10')[1]
    assert found['publishers']['level'] == 'ok'
    assert '/bug_navigator_stop_process stops the robot' in found['stop']['found']


def test_parameters_of_the_running_navigator_are_checked(robot):
    robot.start_navigator(use_sim_time=False, enable_stamped_cmd_vel=True, robot_radius=0.2,
                          with_sensors=False)
    code, found = checked(robot)
    assert code == 1 and 'rho' in found['near']['found']
    assert '0.300 m' in found['near']['found']  # of that radius and the clearance
    assert found['sim_time']['level'] == 'error'
    assert 'enable_stamped_cmd_vel is true' in found['cmd_vel']['found']
    assert 'bug_navigator runs' in found['navigator']['found']


def test_robot_in_a_namespace_is_checked_by_its_name(make_stack):
    stack = make_stack(namespace='/robot1')
    stack.start_sim(world='demo', real_time_factor=1.0)
    stack.start_navigator()
    code, found = checked(stack, '--namespace', 'robot1')
    assert code == 0, found
    assert found['scan']['found'].startswith('/robot1/scan: ')
    assert found['cmd_vel']['found'].startswith('/robot1/cmd_vel: ')
    assert found['navigator']['level'] == 'ok'


def test_robot_file_is_written_from_a_running_robot_in_a_namespace(make_stack):
    stack = make_stack(namespace='/robot1')
    stack.start_sim(world='demo', real_time_factor=1.0)
    heard = stack.listen(Odometry, 'odom')
    stack.wait(lambda: len(heard) > 20)
    process = Command('robot', 'init', '--namespace', 'robot1', '--duration', '3', '--out',
                      'mine.yaml', folder=stack.folder, environment=stack.environment)
    assert process.code(60.0) == 0, process.output
    text = (stack.folder / 'mine.yaml').read_text()
    assert 'scan_topic: "scan"' in text and 'scan_offset_x: -0.032  # from the transforms' in text
    assert 'use_sim_time: true' in text


class LateNode:
    """A node that knows the navigator at first, and its topics one by one."""

    def __init__(self):
        self.asked = 0

    def get_subscriber_names_and_types_by_node(self, name, namespace):
        self.asked += 1
        return [('/front', ['sensor_msgs/msg/LaserScan'])] if self.asked > 3 else []

    def get_publisher_names_and_types_by_node(self, name, namespace):
        return [('/drive', ['geometry_msgs/msg/Twist'])] if self.asked > 5 else []


@pytest.mark.parametrize('topics, scan, cmd_vel', [
    (['/bug_navigator/markers'], '/front', '/drive'), ([], '', '')])
def test_topics_of_a_navigator_that_are_discovered_late_are_adopted(
        monkeypatch, topics, scan, cmd_vel):
    monkeypatch.setattr(survey.rclpy, 'spin_once', lambda *_, **__: None)
    monkeypatch.setattr(survey, '_call', lambda *_: None)
    found = survey._navigator(LateNode(), '/', topics, lambda: False)
    assert (found.scan, found.cmd_vel) == (scan, cmd_vel)


@pytest.mark.slow
def test_scan_topic_with_another_name_is_found_by_its_type(robot):
    code, found = checked(robot, '--scan', '/front')
    assert code == 1 and '--scan /scan' in found['scan']['remedy']


def test_subscriber_on_another_command_topic_is_reported(robot):
    code, found = checked(robot, '--cmd-vel', '/front')
    assert code == 1 and found['cmd_vel']['found'] == (
        'no node subscribes to /front; /bug_sim (Twist) subscribes to /cmd_vel')
    assert '--cmd-vel /cmd_vel' in found['cmd_vel']['remedy']


@pytest.mark.slow
def test_competing_publisher_and_stamped_subscriber_are_reported(make_stack):
    stack = make_stack()
    stack.node.create_publisher(TwistStamped, '/cmd_vel', 1)
    stack.node.create_subscription(TwistStamped, '/cmd_vel', print, 1)
    code, found = checked(stack)
    assert code == 1 and found['publishers']['level'] == 'warning'
    assert 'enable_stamped_cmd_vel' in found['cmd_vel']['remedy']


@pytest.mark.slow
def test_scan_of_wrong_type_and_silent_odometry_are_errors(make_stack):
    stack = make_stack()
    stack.node.create_publisher(Twist, '/scan', 1)
    stack.node.create_publisher(Odometry, '/odom', 1)
    stack.node.create_publisher(LaserScan, '/lidar/scan', 1)
    code, found = checked(stack)
    assert code == 1
    assert '/lidar/scan' in found['scan']['remedy']
    assert found['odom']['found'] == 'no message arrived on /odom'


@pytest.mark.slow
def test_check_waits_for_a_robot_discovered_late(make_stack):
    stack = make_stack()
    process = command(stack, '--duration', '1', '--json')
    stack.wait(lambda: 'bug_nav_check' in stack.node.get_node_names())
    stack.node.create_subscription(Twist, '/cmd_vel', print, 1)
    stack.node.create_publisher(LaserScan, '/lidar/scan', 1)
    found = findings(process)[1]
    assert found['cmd_vel']['level'] == 'ok'
    assert '/lidar/scan' in found['scan']['remedy']


@pytest.mark.slow
def test_interrupt_ends_the_check_at_once(robot):
    process = command(robot, '--duration', '600')
    robot.wait(lambda: any(name == 'bug_nav_check' for name in robot.node.get_node_names()))
    process.signal(signal.SIGINT)
    assert process.code(20.0) == 130
