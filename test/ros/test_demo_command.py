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

"""``bug_nav demo``: simulator, node and client on this host, and nothing that is left of them."""

import os
import signal

from command_harness import Command, processes, wait_for
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


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
    pid, = processes(command.mark, 'ros.sim.node')
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
    # So slow that a busy machine sees it follow the boundary.
    command = Command('demo', 'box', '--speed', '2', folder=tmp_path)
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
    assert len(command.left_behind) == 4     # with simulator, node and its guard
    command.process.kill()
    command.process.wait()
    assert wait_for(lambda: not command.left_behind, 15.0), command.left_behind
