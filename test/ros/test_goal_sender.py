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

"""The goals that a page sends, with a server in the same process."""

from bug_nav.navigation.types import Outcome
from bug_nav.ros.client import goal_sender
from bug_nav.ros.client.goal_sender import GoalSender
from bug_nav.ros.client.robot_monitor import RobotMonitor
from bug_nav.ros.node.server import GoalServer
from bug_nav.ros.process import spin_until
from bug_nav_msgs.action import NavigateBug
import pytest
import rclpy

pytestmark = [pytest.mark.ros, pytest.mark.timeout(60)]


@pytest.fixture
def driving(make_stack, monkeypatch):
    """Return a stack whose client has sent a goal, its monitor, the server and the goal."""
    monkeypatch.setattr(goal_sender, 'POLL_PERIOD', 0.1)
    stack, accepted = make_stack(), []
    node = rclpy.create_node('server', context=stack.context)
    server = GoalServer(node, lambda: True, accepted.append)
    stack.executor.add_node(node)
    monitor = RobotMonitor(stack.node)
    sender = GoalSender(stack.node, monitor)
    stack.wait(sender._client.server_is_ready)
    sender.send(1.0, 0.0, None, '', '')
    stack.wait(lambda: accepted and monitor._is_driving and sender._sent is None)
    monkeypatch.setattr(goal_sender, 'ANSWER_TIMEOUT', 0.3)  # only now: the goal was answered
    yield stack, monitor, server, accepted[0]
    sender.close()
    node.destroy_node()


def test_result_of_a_silent_node_is_reported_once(driving):
    stack, monitor, server, goal = driving
    assert not spin_until(stack.executor, lambda: monitor.news, 1.0)
    server.finish(goal, Outcome.REACHED, NavigateBug.Result(outcome=1))
    stack.wait(lambda: monitor.news)
    assert not spin_until(stack.executor, lambda: len(monitor.news) > 1, 0.5)
    assert monitor.news[0][1]['outcome'] == 'reached' and not monitor._is_driving


def test_goal_of_a_restarted_node_is_reported_as_lost(driving):
    stack, monitor, server, _ = driving
    stack.executor.remove_node(server._node)  # if killed, it is still discovered for a while
    node = rclpy.create_node('restarted', context=stack.context)
    GoalServer(node, lambda: True, print)
    stack.executor.add_node(node)
    stack.wait(lambda: monitor.news, 10.0)
    document = monitor.news[0][1]
    assert document['type'] == 'error' and 'was restarted' in document['message']
    assert not monitor._is_driving
    node.destroy_node()
