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

"""The launch of Gazebo in the comparison with it, with a program in place of ros2."""

import os
import signal

from command_harness import wait_for
import compare_with_gazebo
from compare_with_gazebo import Gazebo, Scene
import pytest

pytestmark = pytest.mark.ros
ROS2 = """#!/bin/sh
case "$1" in
launch)
    trap "{trap}" INT
    echo $$ > pid
    while :; do sleep 0.05; done;;
lifecycle)
    echo asked >> asked
    echo "a warning"
    [ -e pid -a $(wc -l < asked) -gt 2 ] && echo "active [3]" || echo "inactive [2]";;
esac
"""


@pytest.fixture
def start(tmp_path, monkeypatch):
    def start(trap='exit'):
        (tmp_path / 'ros2').write_text(ROS2.format(trap=trap))
        (tmp_path / 'ros2').chmod(0o755)
        monkeypatch.setenv('PATH', f'{tmp_path}:{os.environ["PATH"]}')
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(compare_with_gazebo, 'STOP', 0.5)
        return Gazebo(Scene('box', None, None, ()), tmp_path, 1.0)
    yield start
    if is_running(tmp_path):
        os.killpg(int((tmp_path / 'pid').read_text()), signal.SIGKILL)


def is_running(folder):
    try:
        os.kill(int((folder / 'pid').read_text()), 0)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return True


def test_launch_is_ready_once_the_node_is_active_and_ends_with_sigint(start, tmp_path, capsys):
    gazebo = start()
    assert (tmp_path / 'asked').read_text().count('asked') >= 3
    gazebo.end()
    assert not is_running(tmp_path)
    assert capsys.readouterr().out == ''


def test_launch_that_ignores_sigint_is_killed(start, tmp_path):
    gazebo = start(trap='')
    gazebo.end()
    assert not is_running(tmp_path)


def test_interrupted_start_ends_the_launch(start, tmp_path, monkeypatch):
    def interrupt(*command):
        assert wait_for((tmp_path / 'pid').exists)
        if command[0] == 'ros2':
            raise KeyboardInterrupt
        return ''
    monkeypatch.setattr(compare_with_gazebo, 'output', interrupt)
    with pytest.raises(KeyboardInterrupt):
        start()
    assert not is_running(tmp_path)
