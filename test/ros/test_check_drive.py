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
"""``bug_nav check --drive``: what is measured, and that any end stops the robot."""

import math
import signal
import time
from unittest import mock

from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.geometry import Pose
from bug_nav.ros.client.robot_drive import _Newest, nearest_obstacle
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import pytest
from ros_harness import moves
from sensor_msgs.msg import LaserScan
from test_check import command, findings

pytestmark = pytest.mark.ros


DRIVE = ('--drive', '--yes', '--robot', 'burger')


@pytest.mark.slow
def test_drive_measures_the_robot(robot):
    # On a busy machine, data may be late so often that the drive would end.
    process = command(robot, *DRIVE, '--duration', '3', '--json', '--set', 'odom_timeout=3.0',
                      '--set', 'scan_timeout=3.0')
    code, found = findings(process, timeout=150.0)
    assert code == 0, found
    assert found['drive']['level'] == 'ok'
    for subject in ('yaw', 'place', 'wheels', 'axle'):
        assert found[subject]['level'] == 'ok', found[subject]


@pytest.mark.parametrize('number, code', [
    (signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_any_end_stops_the_robot(robot, number, code):
    sent = robot.listen(Twist, 'cmd_vel')
    process = driving(robot, sent)
    process.signal(number)
    assert process.code(30.0) == code, process.output
    # On a busy machine, odometry may be too late to show it.
    assert code != 130 or 'interrupted; the robot stands by its odometry' in process.output or (
        'interrupted; zero velocities were sent, but odometry does not show' in process.output)
    robot.wait(lambda: not process.left_behind)  # its stop process
    robot.wait(lambda: not moves(sent[-1]))
    # DDS misses a killed process after 20 s; until then, the next drive would be refused.
    robot.wait(lambda: not robot.node.count_publishers('cmd_vel'), 90.0)
    assert not moves(sent[-1])


def driving(robot, sent):
    """Return the command once the robot moves."""
    process = command(robot, *DRIVE, '--duration', '4')
    robot.wait(lambda: process.ended or sent and moves(sent[-1]), 120.0)
    assert not process.ended, process.output
    return process


def test_robot_stands_while_its_odometry_pauses_and_drives_on(robot):
    sent, simulator = robot.listen(Twist, 'cmd_vel'), robot.processes[0]
    process = driving(robot, sent)
    simulator.signal(signal.SIGSTOP)
    robot.wait(lambda: not moves(sent[-1]))
    simulator.signal(signal.SIGCONT)
    robot.wait(lambda: process.ended or moves(sent[-1]))
    assert not process.ended, process.output
    process.signal(signal.SIGINT)
    assert process.code(30.0) == 130, process.output


def test_robot_that_nobody_names_is_not_driven(robot):
    process = command(robot, '--drive', '--yes')
    assert process.code(30.0) == 2 and '--params FILE' in process.output


def test_standstill_is_known_from_odometry_alone():
    newest = _Newest(Mount(Pose(0.0, 0.0, 0.0), False), 0.1)
    began = time.monotonic()
    assert not newest.stands(began)
    with mock.patch('time.monotonic') as clock:
        for step in range(10):
            clock.return_value = began + 0.125 * step
            newest.on_odometry(odometry(0.01 * min(step, 4)))
            assert newest.stands(began) == (step >= 7)
        clock.return_value += 0.5
        assert not newest.stands(began)  # silent since


def odometry(x):
    message = Odometry()
    message.pose.pose.position.x = x
    message.pose.pose.orientation.w = 1.0
    return message


def test_robot_with_errors_is_not_driven(robot):
    sent = robot.listen(Twist, 'cmd_vel')
    process = command(robot, *DRIVE, '--duration', '2', '--scan', '/front', '--json')
    code, found = findings(process)
    assert code == 1
    assert 'the robot was not driven: there are errors: scan' in found['drive']['found']
    assert not sent


@pytest.mark.parametrize('yaw', [0.0, 1.0, math.pi])
def test_obstacle_is_never_farther_than_for_any_yaw_of_the_lidar(yaw):
    scan = LaserScan(angle_increment=math.pi, range_min=0.05, range_max=8.0, ranges=[2.0, 0.6])
    mount = Mount(Pose(0.25, 0.0, yaw), False)
    assert nearest_obstacle(scan, mount, 0.27) == pytest.approx(0.35)
    scan.ranges = [2.0, 0.3]
    assert nearest_obstacle(scan, mount, 0.27) == pytest.approx(0.05)
    scan.ranges = [math.inf, math.inf]
    assert math.isnan(nearest_obstacle(scan, mount, 0.27))


def test_nearest_obstacle_of_all_scans_since_the_last_tick_counts():
    newest = _Newest(Mount(Pose(0.0, 0.0, 0.0), False), 0.1)
    for distance in (0.4, 2.0):
        newest.on_scan(LaserScan(range_min=0.05, range_max=8.0, ranges=[distance]))
    assert newest.read().nearest == newest.read().nearest == pytest.approx(0.4)
    newest.on_scan(LaserScan(range_min=0.05, range_max=8.0, ranges=[2.0]))
    assert newest.read().nearest == pytest.approx(2.0)


def test_without_a_terminal_the_question_needs_an_answer(robot):
    process = command(robot, '--drive')
    assert process.code(30.0) == 2 and 'give --yes' in process.output
