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

"""Nav2's action navigate_to_pose has the outcomes of navigate_bug."""

import functools
import random
import signal

from bug_nav.ros.node.navigate_to_pose import to_goal
from geometry_msgs.msg import Twist
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import Odometry
import pytest
from rclpy.action import ActionClient, get_action_names_and_types
from ros_harness import is_due, moves, NODE, SentGoal, STATUS

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


class SentNav2Goal(SentGoal):
    """A goal of Nav2's action that was sent."""

    def under_way(self):
        """Wait until the robot has come closer to the goal."""
        self._stack.wait(lambda: self.feedback and self.feedback[-1].distance_remaining
                         < self.feedback[0].distance_remaining - 0.05)
        return self

    def end(self):
        """Wait for the result; return the status, because Humble has no error codes."""
        wrapped = self._stack.wait_for(self._result, 60.0)
        status = STATUS[wrapped.status]
        assert status == 'ABORTED' or getattr(wrapped.result, 'error_code', 0) == 0
        return status


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.start_sim(world='open')
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.odometry = stack.listen(Odometry, 'odom', 1)
    stack.nav2 = ActionClient(stack.node, NavigateToPose, 'navigate_to_pose')
    stack.navigator = stack.start_navigator(navigate_to_pose=True)
    return stack


def goal(x, y, yaw_z=0.0, yaw_w=0.0, tree=''):
    message = NavigateToPose.Goal(behavior_tree=tree)
    message.pose.pose.position.x, message.pose.pose.position.y = float(x), float(y)
    message.pose.pose.orientation.z, message.pose.pose.orientation.w = yaw_z, yaw_w
    return message


def send(stack, *args, **kwargs):
    return SentNav2Goal(stack, stack.nav2, goal(*args, **kwargs))


def stands(stack):
    stack.wait(lambda: stack.commands and not moves(stack.commands[-1]))
    return True


@pytest.mark.parametrize('orientation, aligned', [
    ((0.0, 0.0), False), ((0.0, 1.0), True), ((1.0, 0.0), True)])
def test_pose_with_an_orientation_requests_its_yaw(orientation, aligned):
    asked = to_goal(goal(1.0, 2.0, *orientation, tree='bug1'))
    assert (asked.algorithm, asked.align_yaw) == ('bug1', aligned)


def test_goal_is_reached_with_its_yaw_and_reports_feedback(stack):
    sent = send(stack, 1.0, 0.0, 0.0, 1.0)
    assert sent.end() == 'SUCCEEDED'
    send(stack, 1.0, 1.0).end()
    sent = send(stack, 1.0, 2.0, 0.0, 1.0)  # arrives with another yaw than requested
    assert sent.end() == 'SUCCEEDED'
    # Odometry may arrive after the result.
    stack.wait(lambda: abs(stack.odometry[-1].pose.pose.orientation.z) < 0.06)
    first, last = sent.feedback[0], sent.feedback[-1]
    assert first.current_pose.header.frame_id == 'odom'
    assert last.distance_remaining < 0.2 < first.distance_remaining
    assert last.navigation_time.sec > first.navigation_time.sec
    assert last.current_pose.pose.position.y == pytest.approx(2.0, abs=0.2)
    assert stands(stack)


@pytest.mark.parametrize('tree, words', [
    ('tangent_bug', "with 'tangent_bug'"), ('bug22', "did you mean 'bug2'"),
    ('/opt/navigate.xml', "unknown algorithm '/opt/navigate.xml'; see ")])
def test_behavior_tree_selects_the_algorithm(stack, tree, words):
    status = send(stack, 0.0, 0.0, tree=tree).end()
    assert status == ('SUCCEEDED' if tree == 'tangent_bug' else 'ABORTED')
    stack.wait(lambda: words in stack.navigator.output)


def test_newer_goal_supersedes_the_older_one_of_either_action(stack):
    first = send(stack, 2000.0, 0.0).under_way()
    second = stack.send(-20.0, 0.0)
    assert first.end() == 'ABORTED'
    third = send(stack, 0.0, 20.0)
    assert second.end()[:2] == ('ABORTED', 'SUPERSEDED')
    fourth = send(stack, 0.0, 0.0)
    assert (third.end(), fourth.end()) == ('ABORTED', 'SUCCEEDED')


@pytest.mark.slow
def test_fifty_cancels_at_random_times_all_stop_the_robot(stack):
    moments = random.Random(1)
    ends = []
    for i in range(50):
        del stack.commands[:]
        sent = send(stack, i % 2, 0.0)
        stack.wait(functools.partial(is_due, sent, stack.commands, moments.randrange(60)))
        sent.cancel()
        ends.append(sent.end())
        assert stands(stack)
    assert set(ends) <= {'CANCELED', 'SUCCEEDED'}
    assert ends.count('CANCELED') > 35
    assert 'Traceback' not in stack.navigator.output


def test_deactivation_ends_the_goal_and_an_inactive_node_rejects(stack):
    under_way = send(stack, 2000.0, 0.0).under_way()
    assert stack.transition('deactivate')
    assert under_way.end() == 'ABORTED'
    assert stands(stack)
    assert not send(stack, 0.0, 0.0).accepted
    assert stack.transition('cleanup')
    assert not send(stack, 0.0, 0.0).accepted
    assert stack.transition('configure') and stack.transition('activate')
    assert send(stack, 0.0, 0.0).end() == 'SUCCEEDED'


def test_signal_during_a_goal_stops_the_robot_and_ends_the_goal(stack):
    under_way = send(stack, 2000.0, 0.0).under_way()
    stack.navigator.signal(signal.SIGINT)
    assert under_way.end() == 'ABORTED'
    assert stack.navigator.wait() == 0
    assert stands(stack)
    assert 'Traceback' not in stack.navigator.output


def test_action_is_not_served_by_default(make_stack):
    stack = make_stack()
    stack.start(NODE, autostart=True)
    assert stack.state() == 'active'
    served = {name for name, _ in get_action_names_and_types(stack.node)}
    assert '/navigate_bug' in served and '/navigate_to_pose' not in served
