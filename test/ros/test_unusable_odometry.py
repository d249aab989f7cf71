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

"""Unusable odometry stops the robot, and ends the goal with the reason."""

import itertools
import math

from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Quaternion, Twist
from nav_msgs.msg import Odometry
import pytest
from ros_harness import moves
from sensor_msgs.msg import Imu, LaserScan

pytestmark = pytest.mark.ros
SCAN = LaserScan(angle_min=0.0, angle_max=6.265732, angle_increment=0.01745329, range_min=0.12,
                 range_max=3.5, ranges=[math.inf] * 360)
SCAN.header.frame_id = 'base_scan'


def pitch(degrees):
    half = math.radians(degrees) / 2.0
    return Quaternion(y=math.sin(half), w=math.cos(half))


class FakeRobot:
    """A robot that drives straight, with odometry set by a test."""

    def __init__(self, stack):
        self._node = stack.node
        self._odom = stack.node.create_publisher(Odometry, 'odom', 10)
        self._scan = stack.node.create_publisher(LaserScan, 'scan', 10)
        self._imu = stack.node.create_publisher(Imu, 'imu', 10)
        self._count = itertools.count()
        self._x, self._commands = 0.0, stack.commands
        self.change = None
        self.imu_pitch = 0.0
        """Pitch by the IMU [degrees]; odometry is planar."""
        stack.node.create_timer(0.05, self._publish)

    def _publish(self):
        i = next(self._count)
        message = Odometry(child_frame_id='base_footprint')
        message.header.frame_id = 'odom'
        if self._commands:
            self._x += 0.05 * self._commands[-1].linear.x
        message.pose.pose.position.x = self._x
        if self.change is not None:
            self.change(message, i)
        message.header.stamp = SCAN.header.stamp = self._node.get_clock().now().to_msg()
        self._odom.publish(message)
        self._imu.publish(Imu(header=message.header, orientation=pitch(self.imu_pitch)))
        if i % 2 == 0:
            self._scan.publish(SCAN)


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.fake = FakeRobot(stack)
    stack.start_navigator(use_sim_time=False, use_tf=False, movement_time_allowance=60.0)
    return stack


def another_frame(message, i):
    message.header.frame_id = 'mars'


def alternating_frames(message, i):
    message.header.frame_id = ('odom', f'odom_{i}')[i % 2]


def alternating_child_frames(message, i):
    message.child_frame_id = ('base_footprint', f'base_{i}')[i % 2]


def far_away(message, i):
    message.pose.pose.position.x = 1e300


def not_a_number(message, i):
    message.pose.pose.orientation.z = math.nan


def pitched(degrees):
    def change(message, i):
        message.pose.pose.orientation = pitch(degrees)
    return change


@pytest.mark.parametrize('change, outcomes, words', [
    (pitched(20.0), ('ODOM_STALE',), 'the robot is tilted by 20 degrees; at most 10'),
    (pitched(7.0), ('SCAN_STALE',), 'the robot is tilted by 7 degrees; at most 5'),
    (another_frame, ('ODOM_STALE',), "its frame is 'mars', but was 'odom' before"),
    (alternating_frames, ('ODOM_STALE',), "but was 'odom' before"),
    (alternating_child_frames, ('TF_ERROR', 'ODOM_STALE'), 'base_'),
    (far_away, ('ODOM_STALE',), 'm from the origin are allowed'),
    (not_a_number, ('ODOM_STALE',), 'not finite'),
], ids=lambda value: getattr(value, '__name__', None))
def test_unusable_odometry_during_a_goal_ends_it(stack, change, outcomes, words):
    stack.fake.change = None
    stack.wait(lambda: stack.send(0.0, 0.0, time_allowance=Duration(sec=1)).end()[1]
               in ('REACHED', 'TIMEOUT'))
    sent = stack.send(9.0, 0.0)
    stack.wait(lambda: stack.commands and moves(stack.commands[-1]))
    stack.fake.change = change
    status, outcome, message = sent.end(6.0)
    assert status == 'ABORTED' and outcome in outcomes
    assert words in message and len(message) < 400
    stack.wait(lambda: not moves(stack.commands[-1]))


@pytest.mark.parametrize('change, outcome', [
    (far_away, 'ODOM_STALE'), (not_a_number, 'ODOM_STALE'), (another_frame, 'TF_ERROR')],
    ids=lambda value: getattr(value, '__name__', None))
def test_odometry_that_was_never_usable_ends_the_goal(stack, change, outcome):
    stack.fake.change = change
    stack.wait(lambda: stack.send(9.0, 0.0).end()[1] == outcome)
    assert stack.send(1.0, 0.0).end(6.0)[:2] == ('ABORTED', outcome)


def test_frame_changed_between_two_goals_applies_to_the_second(stack):
    stack.fake.change = far_away
    stack.wait(lambda: stack.send(9.0, 0.0).end()[1] == 'ODOM_STALE')
    # No odometry arrives in between: the second goal begins with the frame of the first.
    stack.fake.change = another_frame
    assert stack.send(9.0, 0.0).end(6.0)[1] == 'TF_ERROR'


def test_robot_that_tips_stands_until_it_is_level_again(stack):
    """It neither climbs on nor starts while a wheel is still on what it has climbed."""
    stack.fake.change = pitched(0.0)
    # A goal of the frame of the test before ends first.
    stack.wait(lambda: stack.send(0.0, 0.0, time_allowance=Duration(sec=1)).end()[1]
               in ('REACHED', 'TIMEOUT'))
    assert stack.set_parameters(give_up_timeout=60.0) == ''
    sent = stack.send(9.0, 0.0).under_way()

    stack.fake.change = pitched(20.0)
    stack.wait(lambda: 'waiting_' in sent.feedback[-1].state_name and not moves(
        stack.commands[-1]))
    stack.fake.change = pitched(8.0)
    del sent.feedback[:]
    stack.wait(lambda: len(sent.feedback) > 10)
    assert all('waiting_' in each.state_name for each in sent.feedback)
    assert not moves(stack.commands[-1])
    stack.fake.change = pitched(3.0)
    stack.wait(lambda: moves(stack.commands[-1]))
    assert not sent.has_ended
    sent.cancel()


def test_robot_that_tips_by_its_imu_stands_although_odometry_is_planar(stack):
    stack.fake.change = None
    sent = stack.send(9.0, 0.0).under_way()
    stack.fake.imu_pitch = 15.0
    try:
        outcome, message = sent.end(6.0)[1:]
    finally:
        stack.fake.imu_pitch = 0.0
    assert outcome == 'SCAN_STALE' and 'the robot is tilted by 15 degrees' in message
    stack.wait(lambda: not moves(stack.commands[-1]))
