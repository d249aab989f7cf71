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

"""The commands send-goal and demo over real DDS: verdicts, Ctrl-C, and nothing left behind."""

import contextlib
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
import uuid

from bug_nav.commands.children import Children, end_with_parent
from bug_nav.commands.domain import confine, own_domain
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]
CLI = [sys.executable, '-u', '-m', 'bug_nav.cli']
MARK = 'BUG_NAV_TEST_MARK'


def wait_for(condition, timeout=60.0):
    """Wait until the condition holds; tell whether it does."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def processes(mark, word=''):
    """Return the running processes that have inherited the mark, by their command lines."""
    found = {}
    for folder in Path('/proc').glob('[0-9]*'):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / 'environ').read_bytes():
                found[int(folder.name)] = (folder / 'cmdline').read_text()
    # What has ended and was not waited for has no command line.
    return {pid: line for pid, line in found.items() if line and word in line}


class Command:
    """A running command, its output in a file."""

    def __init__(self, *argv, folder, environment=os.environ):
        self.output = folder / f'{uuid.uuid4().hex}.txt'
        self.mark = uuid.uuid4().hex
        with open(self.output, 'wb') as stream:
            self.process = subprocess.Popen(
                [*CLI, *argv], stdout=stream, stderr=subprocess.STDOUT, cwd=folder,
                env={**environment, MARK: self.mark}, preexec_fn=end_with_parent(signal.SIGKILL))

    @property
    def text(self):
        return self.output.read_text()

    @property
    def left_behind(self):
        return processes(self.mark)

    def says(self, words, timeout=60.0):
        return wait_for(lambda: words in self.text, timeout)

    def code(self, timeout=120.0):
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f'still running; it said: {self.text}') from None


@contextlib.contextmanager
def domain_environment():
    """Yield an environment with a domain of its own."""
    with own_domain() as domain:
        environment = dict(os.environ)
        confine(environment, domain)
        yield environment


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    """Yield the environment of a domain with a simulator and an active node."""
    with nodes(tmp_path_factory.mktemp('nodes'), autostart=True) as environment:
        yield environment


@contextlib.contextmanager
def nodes(folder, autostart, *more):
    with domain_environment() as environment, Children() as children:
        environment['ROS_LOG_DIR'] = str(folder)
        children.start('simulator', 'bug_nav.ros.sim_node', [
            '--ros-args', '-p', 'world:=open', '-p', 'real_time_factor:=10.0'],
            folder / 'simulator.log', environment)
        children.start('navigator', 'bug_nav.ros.node', [
            '--ros-args', '-p', f'autostart:={str(autostart).lower()}', '-p', 'use_sim_time:=true',
            *more], folder / 'navigator.log', environment)
        yield environment


# ---- send-goal --------------------------------------------------------------------------------

def test_send_goal_reaches_and_tells(server, tmp_path):
    command = Command('send-goal', '1.0', '-0.5', '--algorithm', 'bug2', '--time-allowance', '60',
                      '--timeout', '60', folder=tmp_path,
                      environment=server)
    assert command.code() == 0, command.text
    assert 'REACHED: ' in command.text and 'm to go' in command.text
    assert 'Traceback' not in command.text


def test_send_goal_turns_to_a_yaw(server, tmp_path):
    command = Command('send-goal', '0.5', '0', '-1.5', '--timeout', '60', folder=tmp_path,
                      environment=server)
    assert command.code() == 0, command.text


@pytest.mark.parametrize('argv, reason', [
    (['1', '2', '--algorithm', 'bug3'], "'bug3'"),
    (['1', '2', '--turn', 'up'], 'turn_direction'),
    (['1e6', '2'], 'km'),
    (['1', '2', '--namespace', 'a b'], '--namespace'),
])
def test_a_goal_that_makes_no_sense_is_bad_input(argv, reason, server, tmp_path):
    command = Command('send-goal', *argv, '--timeout', '60', folder=tmp_path,
                      environment=server)
    assert command.code() == 2, command.text
    last = command.text.splitlines()[-1]
    assert last.startswith('bug_nav: ') and reason in last


def test_a_timeout_has_exit_code_1(server, tmp_path):
    command = Command('send-goal', '9', '9', '--time-allowance', '1', '--timeout', '60',
                      folder=tmp_path, environment=server)
    assert command.code() == 1, command.text
    assert 'TIMEOUT: ' in command.text


def test_ctrl_c_cancels_the_goal_and_the_robot_stands(server, tmp_path):
    command = Command('send-goal', '50', '0', '--timeout', '60', folder=tmp_path,
                      environment=server)
    assert command.says('m to go')
    command.process.send_signal(signal.SIGINT)
    assert command.code(20.0) == 130, command.text
    assert 'cancelled, the robot stands' in command.text
    assert 'Traceback' not in command.text


def test_a_newer_goal_supersedes(server, tmp_path):
    first = Command('send-goal', '50', '0', '--timeout', '60', folder=tmp_path,
                    environment=server)
    assert first.says('m to go')
    second = Command('send-goal', '0', '0', '--time-allowance', '1', '--timeout', '60',
                     folder=tmp_path, environment=server)
    assert first.code() == 1 and 'SUPERSEDED: ' in first.text
    second.code()


def test_no_server_is_one_sentence_with_what_to_start(tmp_path):
    with domain_environment() as environment:
        command = Command('send-goal', '1', '2', '--timeout', '1', folder=tmp_path,
                          environment=environment)
        assert command.code(30.0) == 1
    assert len(command.text.splitlines()) == 1
    assert 'no node serves /navigate_bug' in command.text and 'autostart:=true' in command.text


def test_an_inactive_node_is_one_sentence(tmp_path):
    with nodes(tmp_path, False) as environment:
        command = Command('send-goal', '1', '2', '--timeout', '3', folder=tmp_path,
                          environment=environment)
        assert command.code(60.0) == 1
        assert len(command.text.splitlines()) == 1


def test_ctrl_c_while_waiting_for_a_server(tmp_path):
    with domain_environment() as environment:
        command = Command('send-goal', '1', '2', '--timeout', '60', folder=tmp_path,
                          environment=environment)
        # The middleware has threads of its own: with them, the waiting has begun.
        assert wait_for(lambda: len(list(Path(f'/proc/{command.process.pid}/task').iterdir())) > 5)
        command.process.send_signal(signal.SIGINT)
        assert command.code(10.0) == 130
    assert command.text == ''


def test_a_namespace(tmp_path):
    with nodes(tmp_path, True, '-r', '__ns:=/robot1', '-r', 'scan:=/scan', '-r', 'odom:=/odom',
               '-r', 'cmd_vel:=/cmd_vel') as environment:
        command = Command('send-goal', '0.6', '0', '--namespace', 'robot1', '--timeout', '60',
                          folder=tmp_path,
                          environment=environment)
        assert command.code() == 0, command.text


def test_the_client_has_the_shape_of_nav2s(server, monkeypatch):
    from bug_nav.interface import Outcome
    from bug_nav.ros.client import BugNavigator, TaskResult
    import rclpy
    for name in ('ROS_DOMAIN_ID', 'ROS_LOCALHOST_ONLY', 'ROS_AUTOMATIC_DISCOVERY_RANGE'):
        monkeypatch.delenv(name, raising=False)
        if name in server:
            monkeypatch.setenv(name, server[name])
    rclpy.init(args=[])
    try:
        navigator = BugNavigator('a_client_of_nav2s_shape')
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
    finally:
        rclpy.try_shutdown()


# ---- demo -------------------------------------------------------------------------------------

def test_demo_draws_the_run_and_leaves_nothing_behind(tmp_path):
    command = Command('demo', 'pole', folder=tmp_path)
    assert command.code() == 0, command.text
    assert 'REACHED: ' in command.text and '1 hit, 1 left' in command.text
    assert (tmp_path / 'out' / 'demo.png').read_bytes().startswith(b'\x89PNG')
    assert not command.left_behind


def test_demo_proves_that_a_goal_is_unreachable(tmp_path):
    command = Command('demo', 'ring_start', '--turn', 'right', '--plot', 'ring.svg',
                      folder=tmp_path)
    assert command.code() == 0, command.text
    assert 'UNREACHABLE: ' in command.text and 'a closed lap of' in command.text
    assert '<svg' in (tmp_path / 'ring.svg').read_text()


def test_demo_tells_which_process_has_died_and_where_its_output_is(tmp_path):
    command = Command('demo', 'box', '--speed', '1', folder=tmp_path)
    assert command.says('m to go')
    pid, = processes(command.mark, 'sim_node')
    os.kill(pid, signal.SIGKILL)
    assert command.code(30.0) == 1
    assert 'navigator: [INFO]' in command.text  # its last words
    assert 'the simulator has ended before its time' in command.text
    assert 'the output of the nodes is in ' in command.text
    assert not command.left_behind


def test_a_bad_goal_of_the_demo_is_bad_input(tmp_path):
    command = Command('demo', 'open', '--algorithm', 'bug3', folder=tmp_path)
    assert command.code() == 2, command.text
    assert "'bug3'" in command.text.splitlines()[-1]
    assert not command.left_behind


@pytest.mark.parametrize('words', [None, 'are starting', 'm to go', 'boundary_following'])
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_leaves_nothing_behind(words, number, tmp_path):
    command = Command('demo', 'box', '--speed', '5', folder=tmp_path)
    if words is None:
        assert wait_for(lambda: len(command.left_behind) > 1)  # its first node is there
    else:
        assert command.says(words)
    command.process.send_signal(number)
    command.process.send_signal(number)  # somebody is impatient
    assert command.code(30.0) == 130, command.text
    assert not command.left_behind


def test_a_demo_that_is_killed_leaves_nothing_behind(tmp_path):
    command = Command('demo', 'box', '--speed', '1', folder=tmp_path)
    assert command.says('m to go')
    assert len(command.left_behind) == 3
    command.process.kill()
    command.process.wait()
    assert wait_for(lambda: not command.left_behind, 15.0), command.left_behind
