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

from bug_nav.navigation.geometry import Pose
from bug_nav.recording.sensor_messages import Mount
from bug_nav.ros.client.robot_drive import _Newest, nearest_obstacle
from geometry_msgs.msg import Twist
import pytest
from ros_harness import moves
from sensor_msgs.msg import LaserScan
from test_check import command, findings

pytestmark = pytest.mark.ros


@pytest.mark.slow
def test_drive_measures_the_robot(robot):
    process = command(robot, '--drive', '--yes', '--duration', '3', '--json')
    code, found = findings(process, timeout=150.0)
    assert code == 0, found
    assert found['drive']['level'] == 'ok'
    for matter in ('yaw', 'place', 'wheels', 'axle'):
        assert found[matter]['level'] == 'ok', found[matter]


@pytest.mark.parametrize('number, code', [
    (signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_any_end_stops_the_robot(robot, number, code):
    sent = robot.listen(Twist, 'cmd_vel')
    process = driving(robot, sent)
    process.signal(number)
    assert process.code(30.0) == code, process.output
    robot.wait(lambda: not moves(sent[-1]))
    if number == signal.SIGKILL:
        robot.wait(lambda: not robot.node.count_publishers('cmd_vel'))  # of the stop process
    assert not moves(sent[-1])


def driving(robot, sent):
    """Return the command once the robot moves; on a busy machine late data may end a drive."""
    for _ in range(3):
        process = command(robot, '--drive', '--yes', '--duration', '4')
        robot.wait(lambda process=process: process.ended or sent and moves(sent[-1]), 60.0)
        if not process.ended:
            return process
    raise AssertionError(process.output)


def test_robot_with_errors_is_not_driven(robot):
    sent = robot.listen(Twist, 'cmd_vel')
    process = command(robot, '--drive', '--yes', '--duration', '2', '--scan', '/front', '--json')
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
