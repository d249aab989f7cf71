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

"""The command send-goal over real DDS: verdicts, Ctrl-C, and its client."""

from pathlib import Path
import signal

from bug_nav.cli import send_goal
from bug_nav.cli.parser import main
from bug_nav.navigation.types import Outcome
from bug_nav.ros.client.navigator import BugNavigator, TaskResult
from command_harness import Command, wait_for
import pytest
from ros_harness import NODE

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


@pytest.fixture(scope='module')
def server(make_stack):
    """Return a simulator and an active node."""
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=5.0)
    stack.start_navigator()
    return stack


def test_send_goal_reports_progress_and_the_outcome(server, tmp_path):
    command = Command('send-goal', '1.0', '-0.5', '--algorithm', 'bug2', '--time-allowance', '60',
                      '--timeout', '60', folder=tmp_path,
                      environment=server.environment)
    assert command.code() == 0, command.output
    assert 'REACHED: ' in command.output and 'm to go' in command.output
    assert '  goal        position known to 0.' in command.output
    assert 'Traceback' not in command.output


@pytest.mark.slow
def test_send_goal_with_a_yaw_succeeds(server, tmp_path):
    command = Command('send-goal', '0.5', '0', '-1.5', '--timeout', '60', folder=tmp_path,
                      environment=server.environment)
    assert command.code() == 0, command.output


@pytest.mark.slow
@pytest.mark.parametrize('argv, reason', [
    (['1', '2', '--algorithm', 'bug3'], "'bug3'"),
    (['1', '2', '--turn', 'up'], 'turn_direction'),
    (['1', '2', '--algorithm', 'k_bug', '--turn', 'left'], 'chooses it itself'),
    (['1e6', '2'], 'km'),
    (['1', '2', '--namespace', 'a b'], "or '/'; give one such as robot1"),
])
def test_invalid_goal_is_reported_as_bad_input(argv, reason, server, tmp_path):
    command = Command('send-goal', *argv, '--timeout', '60', folder=tmp_path,
                      environment=server.environment)
    assert command.code() == 2, command.output
    last = command.output.splitlines()[-1]
    assert last.startswith('bug_nav: ') and reason in last


def test_goal_in_an_unknown_frame_suggests_to_omit_the_frame(server, tmp_path):
    command = Command('send-goal', '1', '0', '--frame', 'nowhere', '--timeout', '60',
                      folder=tmp_path, environment=server.environment)
    assert command.code() == 1, command.output
    assert 'TF_ERROR: ' in command.output
    assert 'omit --frame to give the goal in that frame' in command.output


@pytest.mark.slow
def test_timeout_has_exit_code_1(server, tmp_path):
    command = Command('send-goal', '9', '9', '--time-allowance', '1', '--timeout', '60',
                      folder=tmp_path, environment=server.environment)
    assert command.code() == 1, command.output
    assert 'TIMEOUT: ' in command.output


def test_ctrl_c_cancels_the_goal_and_reports_that_the_robot_has_stopped(server, tmp_path):
    command = Command('send-goal', '50', '0', '--timeout', '60', folder=tmp_path,
                      environment=server.environment)
    assert command.prints('m to go')
    command.signal(signal.SIGINT)
    assert command.code(20.0) == 130, command.output
    assert 'cancelled; the robot has stopped' in command.output
    assert 'Traceback' not in command.output


@pytest.mark.slow
def test_newer_goal_supersedes_the_current_one(server, tmp_path):
    first = Command('send-goal', '50', '0', '--timeout', '60', folder=tmp_path,
                    environment=server.environment)
    assert first.prints('m to go')
    second = Command('send-goal', '0', '0', '--time-allowance', '1', '--timeout', '60',
                     folder=tmp_path, environment=server.environment)
    assert first.code() == 1 and 'SUPERSEDED: ' in first.output
    second.code()


@pytest.mark.slow
def test_missing_server_is_reported_with_a_remedy(make_stack, tmp_path):
    command = Command('send-goal', '1', '2', '--timeout', '1', folder=tmp_path,
                      environment=make_stack().environment)
    assert command.code(30.0) == 1
    assert len(command.output.splitlines()) == 1
    assert 'no node serves /navigate_bug' in command.output
    assert 'autostart:=true' in command.output


def test_longer_wait_for_the_server_is_reported(make_stack, monkeypatch, capsys):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(make_stack().domain))
    monkeypatch.setattr(send_goal, 'QUIET_TIME', 0.1)
    assert main(['send-goal', '1', '2', '--timeout', '0.3']) == 1
    _, said = capsys.readouterr()
    first, last = said.splitlines()
    assert first == 'bug_nav: waiting for the action /navigate_bug ...'
    assert 'no node serves /navigate_bug (waited 0.3 s)' in last


def test_unresponsive_server_is_reported_in_one_sentence(make_stack, monkeypatch, capsys):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(make_stack().domain))
    monkeypatch.setattr(BugNavigator, 'isReady', lambda client: True)
    assert main(['send-goal', '1', '2', '--timeout', '0.1']) == 1
    _, said = capsys.readouterr()
    assert len(said.splitlines()) == 1
    assert '/navigate_bug does not respond (waited 0.1 s); no goal was sent' in said


def test_invalid_domain_is_reported_in_one_sentence(monkeypatch, capsys):
    monkeypatch.setenv('ROS_DOMAIN_ID', 'abc')
    monkeypatch.delenv('ROS_SECURITY_ENABLE', raising=False)
    assert main(['send-goal', '1', '2', '--timeout', '0.1']) == 1
    _, said = capsys.readouterr()
    assert len(said.splitlines()) == 1
    assert said.startswith('bug_nav: ROS 2 has failed: ') and 'ROS_DOMAIN_ID' in said


@pytest.mark.slow
def test_inactive_node_is_reported_in_one_sentence(make_stack, tmp_path):
    stack = make_stack()
    stack.start(NODE)
    assert stack.transition('configure')  # which creates the action server
    command = Command('send-goal', '1', '2', '--timeout', '60', folder=tmp_path,
                      environment=stack.environment)
    assert command.code(90.0) == 1
    said = [line for line in command.output.splitlines() if ': waiting for' not in line]
    assert len(said) == 1 and 'is not active' in said[0]


@pytest.mark.slow
def test_restart_of_a_killed_node_is_reported(make_stack, tmp_path):
    stack = make_stack()
    stack.start_sim(world='open')
    navigator = stack.start_navigator()
    command = Command('send-goal', '50', '0', '--timeout', '60', folder=tmp_path,
                      environment=stack.environment)
    assert command.prints('m to go')
    navigator.signal(signal.SIGKILL)
    navigator.wait()
    stack.start(NODE, autostart=True, use_sim_time=True)
    assert command.code(60.0) == 1
    assert 'the node that serves /navigate_bug is lost' in command.output.splitlines()[-1]


@pytest.mark.slow
def test_ctrl_c_while_waiting_for_a_server_has_exit_code_130(make_stack, tmp_path):
    command = Command('send-goal', '1', '2', '--timeout', '60', folder=tmp_path,
                      environment=make_stack().environment)
    # The threads of the middleware show that the command is waiting.
    assert wait_for(lambda: len(list(Path(f'/proc/{command.pid}/task').iterdir())) > 5)
    command.signal(signal.SIGINT)
    assert command.code(10.0) == 130
    assert command.output.splitlines()[-1] == 'bug_nav: interrupted'


@pytest.mark.slow
def test_send_goal_in_a_namespace_succeeds(make_stack, tmp_path):
    stack = make_stack(namespace='/robot1')
    stack.start_sim(world='open')
    stack.start_navigator()
    command = Command('send-goal', '0.6', '0', '--namespace', 'robot1', '--timeout', '60',
                      folder=tmp_path, environment=stack.environment)
    assert command.code() == 0, command.output


def test_client_has_the_interface_of_the_nav2_simple_commander(server):
    navigator = BugNavigator('a_client_of_nav2s_shape', context=server.context)
    assert navigator.isTaskComplete() and navigator.getFeedback() is None
    assert navigator.waitUntilReady(60.0)
    assert navigator.goToPose(navigator.makePose(0.8, 0.4), 'bug2', time_allowance=60.0)
    assert navigator.getResult() is TaskResult.UNKNOWN
    while not navigator.isTaskComplete():
        pass
    assert navigator.getFeedback().path_length > 0.0
    assert navigator.getResult() is TaskResult.SUCCEEDED
    assert navigator.outcome is Outcome.REACHED and navigator.message == ''
    assert navigator.goToPose(navigator.makePose(30.0, 0.0))
    assert navigator.cancelTask()
    assert navigator.getResult() is TaskResult.CANCELED
    assert navigator.outcome is Outcome.CANCELED
    navigator.destroy_node()
