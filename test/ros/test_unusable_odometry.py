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
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import pytest
from ros_harness import moves
from sensor_msgs.msg import LaserScan

pytestmark = pytest.mark.ros
SCAN = LaserScan(angle_min=0.0, angle_max=6.265732, angle_increment=0.01745329, range_min=0.12,
                 range_max=3.5, ranges=[math.inf] * 360)
SCAN.header.frame_id = 'base_scan'


class FakeRobot:
    """A robot that drives straight, with odometry set by a test."""

    def __init__(self, stack):
        self._node = stack.node
        self._odom = stack.node.create_publisher(Odometry, 'odom', 10)
        self._scan = stack.node.create_publisher(LaserScan, 'scan', 10)
        self._count = itertools.count()
        self._x, self._commands = 0.0, stack.commands
        self.change = None
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


@pytest.mark.parametrize('change, outcomes, words', [
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
