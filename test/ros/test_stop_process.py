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

"""The robot stops when the node hangs, or is suspended, killed or terminated."""

import json
import os
import re
import signal
import sys
from types import SimpleNamespace

from bug_nav.ros import stop_process
from geometry_msgs.msg import Twist
from hypothesis import given
from hypothesis import strategies as st
import pytest
from ros_harness import moves, write_plugin
from subsets import subset

pytestmark = pytest.mark.ros
HANGING = """
import ctypes
import time

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2


class Hanging(Algorithm):
    metadata = Bug2.metadata

    def run(self, robot):
        while robot.path_length < 0.1:
            yield robot.along(robot.goal_heading)
        while True:
            self.hang()
            yield robot.along(robot.goal_heading)

    def hang(self):
        deadline = time.thread_time() + 2.0
        while time.thread_time() < deadline:
            pass


class Deaf(Hanging):
    def hang(self):
        ctypes.PyDLL(None).sleep(3)  # as compiled code that holds the lock of Python
"""
ENTRY_POINTS = """[bug_nav.algorithms]
hanging = hanging_plugin:Hanging
deaf = hanging_plugin:Deaf
"""


@pytest.fixture(scope='module')
def plugin_path(tmp_path_factory):
    folder = tmp_path_factory.mktemp('site')
    write_plugin(folder, 'hanging', HANGING, ENTRY_POINTS)
    return folder


@pytest.fixture
def stack(make_stack, plugin_path):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=1.0)
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.navigator = stack.start_navigator(path=plugin_path)
    stack.wait(lambda: stop_processes(stack) == ['bug_navigator_stop_process'])
    yield stack
    stack.navigator.end()
    stack.wait(lambda: not stop_processes(stack))  # it exits with the node


class Gone:
    """A terminal that has been closed."""

    def write(self, text):
        raise BrokenPipeError

    flush = write


def test_robot_stops_even_if_its_stop_cannot_be_reported(monkeypatch):
    read, write = os.pipe()
    os.write(write, b'{}\n' + stop_process.MOVING + b'0.2 1\n')
    os.close(write)
    stops = []
    monkeypatch.setattr(stop_process, '_publisher', lambda *options: SimpleNamespace(
        stop=lambda: stops.append(1), subscriber_count=1))
    monkeypatch.setattr(stop_process, 'STOP_DURATION', 0.1)
    monkeypatch.setattr(sys, 'stderr', Gone())
    stop_process._listen(read, [])
    os.close(read)
    assert stops


class LateRobot:
    """A robot that is discovered only after twenty looks, and ``others`` at once."""

    def __init__(self, others):
        self.looks, self.others, self.received = 0, others, 0

    @property
    def subscriber_count(self):
        self.looks += 1
        return self.others + (self.looks > 20)

    def stop(self):
        self.received += self.looks > 20


@pytest.mark.parametrize('others', [0, 2])
@pytest.mark.parametrize('timeout, is_stopped', [(60.0, True), (0.05, False)])
def test_robot_that_is_discovered_late_is_stopped_within_a_bound(
        monkeypatch, others, timeout, is_stopped):
    robot = LateRobot(others)
    monkeypatch.setattr(stop_process, 'STOP_PERIOD', 0.01)
    monkeypatch.setattr(stop_process, 'STOP_DURATION', 0.05)
    monkeypatch.setattr(stop_process, 'CONNECTION_TIMEOUT', timeout)
    stop_process._stop_at_last(robot, others + 1)
    assert (robot.received > 1) == is_stopped


def test_subscriber_that_has_died_with_the_node_does_not_prolong_the_stop(monkeypatch):
    """Another node may drive the robot by then."""
    stops = []
    monkeypatch.setattr(stop_process, 'STOP_PERIOD', 0.01)
    monkeypatch.setattr(stop_process, 'STOP_DURATION', 0.05)
    monkeypatch.setattr(stop_process, 'CONNECTION_TIMEOUT', 0.5)
    stop_process._stop_at_last(
        SimpleNamespace(stop=lambda: stops.append(1), subscriber_count=1), 2)
    assert 1 <= len(stops) <= 6


@pytest.mark.parametrize('namespace, logger', [
    ('/', 'nav_stop_process'), ('/team/robot1', 'team.robot1.nav_stop_process')])
def test_stop_is_reported_with_time_level_and_name(monkeypatch, capfd, namespace, logger):
    read, write = os.pipe()
    options = {'name': 'nav_stop_process', 'namespace': namespace}
    os.write(write, json.dumps(options).encode() + b'\n' + stop_process.MOVING + b'0.2 1\n')
    monkeypatch.setattr(stop_process, '_publisher', lambda *options: SimpleNamespace(
        stop=lambda: write in open_ends and os.close(open_ends.pop()), subscriber_count=1))
    open_ends = [write]  # the node dies once its silence has stopped the robot
    monkeypatch.setattr(stop_process, 'MAX_PATIENCE', 0.01)
    monkeypatch.setattr(stop_process, 'STOP_DURATION', 0.01)
    stop_process._listen(read, [])
    os.close(read)
    silent, dead = capfd.readouterr().err.splitlines()
    seconds = r'\[\d{10}\.\d{9}\]'
    assert re.fullmatch(rf'\[WARN\] {seconds} \[{re.escape(logger)}\]: nav has not '
                        r'responded for \d\.\d s while the robot moves: .*', silent)
    assert re.fullmatch(rf'\[ERROR\] {seconds} \[{re.escape(logger)}\]: nav has died '
                        'while the robot moved: .*', dead)


@given(st.floats(0.0, 2.5))
def test_robot_advances_by_at_most_30_cm_before_the_stop_process_notices(speed):
    assert speed * stop_process.patience(speed) <= 0.3 + 1e-9
    assert stop_process.patience(speed) <= 0.5


def test_patience_of_the_child_follows_the_speed(monkeypatch):
    beats = [stop_process.MOVING + b'2.0 1\n', stop_process.MOVING + b'0.2 1\n',
             stop_process.STANDING + b'0.0 1\n', b'']
    limits = []
    monkeypatch.setattr(stop_process.select, 'select', lambda pipes, _, __, limit: (
        limits.append(limit) or (pipes,)))
    monkeypatch.setattr(stop_process.os, 'read', lambda *_: beats.pop(0))
    stop_process._listen(0, [])
    assert limits[1:] == [stop_process.patience(2.0), stop_process.patience(0.2),
                          stop_process.MAX_PATIENCE]
    assert limits[1] < limits[2]


def test_node_that_is_configured_again_has_one_publisher_of_the_stop(monkeypatch):
    read, write = os.pipe()
    os.write(write, b'{"topic": "a"}\n{"topic": "a"}\n{"topic": "b"}\n')
    os.close(write)
    events = []
    monkeypatch.setattr(stop_process, '_publisher', lambda options, _: (
        events.append(options['topic']) or SimpleNamespace(destroy=lambda: events.append('gone'))))
    stop_process._listen(read, [])
    os.close(read)
    assert events == ['a', 'gone', 'b']


def stop_processes(stack):
    return [end.node_name for end in stack.node.get_publishers_info_by_topic('/cmd_vel')
            if end.node_name.endswith('_stop_process')]


def wait_until_stopped(stack):
    return stack.wait(lambda: stack.commands and not moves(stack.commands[-1]), 5.0)


@pytest.mark.parametrize('algorithm', ['hanging', 'deaf'])
def test_hanging_control_loop_stops_the_robot_and_ends_the_goal(stack, algorithm):
    sent = stack.send(2.0, 0.0, algorithm=algorithm).under_way()
    wait_until_stopped(stack)
    assert not sent.has_ended
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'INTERNAL')
    assert f'a tick of {algorithm!r} took' in message
    assert 'the stop process stops the robot' in stack.navigator.output
    assert stack.send(0.0, 0.0).end()[1] == 'REACHED'


def test_robot_stops_when_the_node_is_killed(stack):
    stack.send(2.0, 0.0).under_way()
    stack.navigator.signal(signal.SIGKILL)
    stack.navigator.wait()
    wait_until_stopped(stack)
    stack.wait(lambda: 'has died while the robot moved' in stack.navigator.output)


def test_robot_stops_while_the_node_is_suspended_and_then_continues(stack):
    sent = stack.send(1.0, 0.0).under_way()
    stack.navigator.signal(signal.SIGSTOP)
    wait_until_stopped(stack)
    stack.navigator.signal(signal.SIGCONT)
    assert sent.end()[1] == 'REACHED', stack.output


def test_stop_process_is_inactive_if_the_robot_does_not_move(stack):
    sent = stack.send(0.2, 0.0)
    assert sent.end()[1] == 'REACHED'
    wait_until_stopped(stack)
    del stack.commands[:]
    stack.navigator.signal(signal.SIGKILL)
    stack.wait(lambda: not stop_processes(stack))
    assert 'the stop process stops the robot' not in stack.navigator.output
    assert len(stack.commands) <= 1  # one late command of the node; a stop process sends ten


SIGNALS = sorted(number.name for number in (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGUSR1, signal.SIGUSR2,
    signal.SIGALRM, signal.SIGTERM, signal.SIGIO, signal.SIGVTALRM, signal.SIGPROF,
    signal.SIGXCPU, signal.SIGSYS, signal.SIGPWR, signal.SIGRTMIN))


@pytest.fixture(scope='module')
def bare(make_stack):
    """Return a stack without a navigator; each test starts its own."""
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=1.0)
    stack.commands = stack.listen(Twist, 'cmd_vel')
    return stack


@pytest.mark.parametrize('name', subset(SIGNALS, 8))
def test_terminating_signal_stops_the_robot_first(bare, name):
    # Without the stop process, the node stops the robot itself.
    navigator = bare.start_navigator(use_stop_process=False)
    bare.send(9.0, 0.0).under_way()
    navigator.signal(getattr(signal, name))
    wait_until_stopped(bare)
    assert navigator.wait() == 0
    assert 'goal ended: canceled, the node was shut down' in navigator.output


def test_ignored_signal_stays_ignored(bare):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        navigator = bare.start_navigator()
    finally:
        signal.signal(signal.SIGHUP, before)
    navigator.signal(signal.SIGHUP)
    sent = bare.send(9.0, 0.0).under_way()
    sent.cancel()
    assert sent.end()[1] == 'CANCELED'
    assert not navigator.ended
