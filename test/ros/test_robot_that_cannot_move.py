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

"""A robot that is held, enclosed, or whose bumper is pressed, ends its goal with this cause."""

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.ros.conversions import to_laser_scan, to_pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.simulator import Simulator
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import pytest
from ros_harness import moves
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Bool

pytestmark = pytest.mark.ros
PERIOD = 0.1
AHEAD = 6.0


class FakeRobot:
    """A robot whose odometry follows the commands, although it may be held."""

    def __init__(self, stack):
        self._node, self._commands = stack.node, stack.commands
        self.is_held = self.is_enclosed = False
        self._simulator, self._odometry = Simulator(find_world('box'), IDENTITY), IDENTITY
        self._odom = stack.node.create_publisher(Odometry, 'odom', 10)
        self._scan = stack.node.create_publisher(LaserScan, 'scan', 10)
        self._bumper = stack.node.create_publisher(Bool, 'bumper', 10)
        stack.node.create_timer(PERIOD, self._publish)

    @property
    def position(self):
        return self._odometry.position

    def press(self, *values):
        """Send the states of the bumper, one directly after another."""
        for value in values:
            self._bumper.publish(Bool(data=value))

    def _publish(self):
        if self._commands:
            v, w = self._commands[-1].linear.x, self._commands[-1].angular.z
            self._odometry = self._odometry.compose(Pose(PERIOD * v, 0.0, PERIOD * w))
            if not self.is_held:
                self._simulator.pose = self._odometry
        scan = to_laser_scan(self._simulator.scan(), 'base_scan', PERIOD)
        if self.is_enclosed:
            scan.ranges = [0.2] * len(scan.ranges)
        odometry = Odometry(child_frame_id='base_footprint')
        odometry.header.frame_id, odometry.pose.pose = 'odom', to_pose(self._odometry)
        odometry.header.stamp = scan.header.stamp = self._node.get_clock().now().to_msg()
        self._odom.publish(odometry)
        self._scan.publish(scan)


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.fake = FakeRobot(stack)
    stack.start_navigator(use_sim_time=False, use_tf=False, bumper_topic='bumper')
    return stack


def stands(stack):
    stack.wait(lambda: not moves(stack.commands[-1]))
    return True


def ends_as_pressed(stack, sent):
    assert sent.end(6.0)[1:] == (
        'BLOCKED', 'the bumper is pressed: move the robot away from what it touches')
    return stands(stack)


@pytest.mark.parametrize('values', [(True,), (True, False)])
def test_bumper_stops_the_robot_and_ends_the_goal(stack, values):
    stack.fake.press(False)
    sent = stack.send(AHEAD, 0.0)
    stack.wait(lambda: stack.commands and moves(stack.commands[-1]))
    stack.fake.press(*values)
    assert ends_as_pressed(stack, sent)
    stack.fake.press(False)


def test_goal_does_not_start_while_the_bumper_is_pressed(stack):
    stack.fake.press(True)
    stack.wait(lambda: stack.send(AHEAD, 0.0).end(6.0)[1] == 'BLOCKED')
    stack.fake.press(False)
    sent = stack.send(AHEAD, 0.0)
    stack.wait(lambda: moves(stack.commands[-1]))
    sent.cancel()
    assert sent.end(6.0)[1] == 'CANCELED' and stands(stack)


def test_robot_that_has_driven_to_an_earlier_goal_is_not_boxed_in(stack):
    x = stack.fake.position[0]
    assert stack.send(x + 0.3, 0.0).end(20.0)[1] == 'REACHED'
    stack.fake.is_enclosed = True
    _, outcome, message = stack.send(AHEAD, 0.0).end(30.0)
    stack.fake.is_enclosed = False
    assert outcome == 'WORLD_CHANGED' and 'had driven in freely' in message
    assert stands(stack)


@pytest.mark.parametrize('drift_correction', ['none', 'scan_matching'])
def test_held_robot_ends_as_blocked_and_stands(stack, drift_correction):
    assert stack.set_parameters(drift_correction=drift_correction) == ''
    stack.fake.is_held = True
    status, outcome, message = stack.send(AHEAD, 0.0).end(60.0)
    assert (status, outcome) == ('ABORTED', 'BLOCKED'), message
    assert 'the scans show no motion: it is held, or its wheels slip' in message
    assert stands(stack)
