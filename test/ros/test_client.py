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

"""The client: waypoints, and the lifecycle without a manager."""

from bug_nav.navigation.types import Outcome
from bug_nav.ros.client import navigator
from bug_nav.ros.client.navigator import BugNavigator, TaskResult
from bug_nav.ros.node.server import GoalServer
from bug_nav.ros.process import spin_until
from bug_nav_msgs.action import NavigateBug
import pytest
import rclpy
from rclpy.action import ActionServer
from ros_harness import NODE

pytestmark = [pytest.mark.ros, pytest.mark.timeout(120)]
TOO_FAR = (20_000.0, 0.0)
"""A goal that is rejected because of its distance."""


@pytest.fixture
def client(stack):
    client = BugNavigator(context=stack.context)
    assert client.waitUntilActive(30.0)
    yield client
    client.cancelTask()
    client.destroy_node()


def follow(client, *points, **options):
    assert client.followWaypoints([client.makePose(*point) for point in points], **options)


def finish(client):
    """Wait for the end of the task; return the waypoints with feedback."""
    seen = set()
    while not client.isTaskComplete():
        assert client.getResult() is TaskResult.UNKNOWN and client.outcome is None
        if client.getFeedback():
            seen.add(client.current_waypoint)
    return seen


def test_waypoints_are_reached_in_order(client):
    follow(client, (0.5, 0.0), (0.5, 0.5), (0.0, 0.0), algorithm='bug1')
    assert finish(client) == {0, 1, 2}
    assert client.getResult() is TaskResult.SUCCEEDED
    assert (client.current_waypoint, client.missed_waypoints) == (2, [])
    assert client.getFeedback().state_name.startswith('bug1')
    assert client.goToPose(client.makePose(0.0, 0.0))
    assert client.current_waypoint == 0


@pytest.mark.parametrize('stop, last, outcome', [
    (True, 1, Outcome.BAD_GOAL), (False, 2, Outcome.REACHED)])
def test_missed_waypoint_ends_the_task_only_with_stop_on_failure(client, stop, last, outcome):
    follow(client, (0.0, 0.0), TOO_FAR, (0.0, 0.0), stop_on_failure=stop)
    finish(client)
    assert client.getResult() is TaskResult.FAILED
    assert (client.current_waypoint, client.missed_waypoints) == (last, [1])
    assert client.outcome is outcome


def test_cancel_ends_all_waypoints(client):
    follow(client, (20.0, 0.0), (0.0, 0.0), stop_on_failure=False)
    assert not client.isTaskComplete()
    assert client.cancelTask() and client.isTaskComplete()
    assert client.getResult() is TaskResult.CANCELED
    assert client.current_waypoint == 0


def test_goal_of_another_client_ends_the_waypoints(stack, client):
    follow(client, (20.0, 0.0), (10.0, 0.0), stop_on_failure=False)
    others = stack.send(0.0, 0.0)
    finish(client)
    assert (client.current_waypoint, client.outcome) == (0, Outcome.SUPERSEDED)
    assert others.end()[1] == 'REACHED'


def test_deactivation_ends_all_waypoints(stack, client):
    follow(client, (20.0, 0.0), (0.0, 0.0), stop_on_failure=False)
    assert stack.transition('deactivate')
    finish(client)
    assert client.getResult() is TaskResult.FAILED
    assert client.outcome is Outcome.CANCELED and 'deactivated' in client.message
    assert not client.followWaypoints([client.makePose(0.0, 0.0)] * 2)
    assert client.isTaskComplete() and client.getResult() is TaskResult.UNKNOWN
    assert stack.transition('activate')


def test_rejected_waypoint_ends_the_task(stack, client):
    follow(client, (0.0, 0.0), (0.0, 0.0))
    stack.wait(lambda: 'reached' in stack.navigator.output.splitlines()[-1])
    assert stack.transition('deactivate')
    finish(client)
    assert client.getResult() is TaskResult.FAILED
    assert (client.missed_waypoints, client.message) == ([1], 'the node is not active')
    assert client.result.outcome_name == 'CANCELED'
    assert stack.transition('activate')


def test_missing_waypoints_are_rejected(client):
    with pytest.raises(ValueError, match='no waypoint'):
        client.followWaypoints([])


def test_client_starts_up_and_shuts_down_the_node(make_stack):
    stack = make_stack(name='walker')
    client = BugNavigator(context=stack.context, navigator='walker')
    assert not client.waitUntilActive(0.1)  # no node is running
    stack.start_sim(world='open')
    stack.start(NODE, '-r', '__node:=walker', use_sim_time=True)
    assert stack.state() == 'unconfigured'
    assert not client.waitUntilActive(1.0)
    assert client.lifecycleStartup()
    assert client.waitUntilActive(30.0) and stack.state() == 'active'
    assert client.lifecycleStartup()  # the node is active already
    assert client.goToPose(client.makePose(20.0, 0.0))
    assert client.lifecycleShutdown()
    finish(client)
    assert client.outcome is Outcome.CANCELED and 'shut down' in client.message
    assert stack.state() == 'finalized'
    assert not client.goToPose(client.makePose(0.0, 0.0))
    assert not client.lifecycleStartup()
    client.destroy_node()


class LossyServer(ActionServer):
    """An action server that loses its first response, as before it has discovered the client."""

    lost = 0

    async def _execute_get_result_request(self, request):
        if self.lost:
            await super()._execute_get_result_request(request)
        self.lost += 1


def test_server_is_ready_only_after_its_first_response(make_stack):
    context = make_stack().context
    node, client = rclpy.create_node('server', context=context), BugNavigator(context=context)
    server = LossyServer(node, NavigateBug, 'navigate_bug', lambda handle: NavigateBug.Result())
    assert client._spin_until(client.isReady, 10.0)
    assert not client.waitUntilReady(0.5)  # the server is not being spun
    client._own_executor.add_node(node)
    assert client.waitUntilReady(10.0) and server.lost
    client.destroy_node()
    server.destroy()
    node.destroy_node()


@pytest.fixture
def served(make_stack):
    """Return a client, its server and the goals that the server has accepted, in one process."""
    context, accepted = make_stack().context, []
    node, client = rclpy.create_node('server', context=context), BugNavigator(context=context)
    server = GoalServer(node, lambda: True, accepted.append)
    client._own_executor.add_node(node)
    assert client.waitUntilReady(10.0)
    yield client, server, accepted
    client.destroy_node()
    node.destroy_node()


def suspend(server, client):
    client._own_executor.remove_node(server._node)
    for _ in range(10):  # which ends the executor's last round over the nodes
        client.spin(0.01)


def be_impatient(monkeypatch):
    monkeypatch.setattr(navigator, 'ANSWER_TIMEOUT', 0.3)


def ends(client, timeout):
    return spin_until(client._own_executor, client.isTaskComplete, timeout)


def test_goal_to_a_suspended_node_is_cancelled(served, monkeypatch):
    client, server, accepted = served
    suspend(server, client)
    be_impatient(monkeypatch)
    with pytest.raises(TimeoutError):
        client.goToPose(client.makePose(1.0, 0.0))
    assert not client.cancelTask(0.1)
    client._own_executor.add_node(server._node)
    assert client.cancelTask(10.0)
    assert [handle.is_cancel_requested for handle in accepted] == [True]


def test_goal_without_feedback_ends_with_its_result(served, monkeypatch):
    client, server, accepted = served
    assert client.goToPose(client.makePose(1.0, 0.0))
    be_impatient(monkeypatch)  # only now: the goal was answered
    assert not ends(client, 1.0)
    server.finish(accepted[0], Outcome.REACHED, NavigateBug.Result(outcome=1))
    assert ends(client, 10.0)
    assert client.getResult() is TaskResult.SUCCEEDED and client.outcome is Outcome.REACHED


def test_goal_of_a_restarted_node_ends_as_unknown(served, monkeypatch):
    client, server, _ = served
    assert client.goToPose(client.makePose(1.0, 0.0))
    be_impatient(monkeypatch)
    suspend(server, client)  # a node that is killed is still discovered for a while
    node = rclpy.create_node('restarted', context=client.context)
    GoalServer(node, lambda: True, print)
    client._own_executor.add_node(node)
    assert ends(client, 10.0)
    assert client.getResult() is TaskResult.UNKNOWN and client.outcome is None
    node.destroy_node()
