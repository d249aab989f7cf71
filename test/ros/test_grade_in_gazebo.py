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

"""Tests of `bug_nav grade` with Gazebo as the simulator."""

from __future__ import annotations

import json
from pathlib import Path
import sys

from bug_nav.cli.parser import main
from bug_nav.ros.launching.resources import package_share
import pytest

pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')
pytestmark = pytest.mark.ros
HAS_GAZEBO = package_share('gazebo_ros') and package_share('turtlebot3_gazebo')
NODE = Path(__file__).parent / 'graded_node.py'
WORLD = 'random:cluttered?count=0&size=4&seed=1'
"""A small world without obstacles, which is exported for Gazebo."""


@pytest.mark.gazebo
@pytest.mark.slow
@pytest.mark.skipif(not HAS_GAZEBO, reason='gazebo_ros or turtlebot3_gazebo is not installed')
@pytest.mark.parametrize('simulator', ['bug_sim', 'gazebo'])
@pytest.mark.parametrize('mistake, arrival, ending', [
    ('good', 'stopped', 'stopped at the goal'), ('silent', 'no', 'no command'),
    ('crash', 'no', 'the program crashed')])
def test_node_has_the_same_grade_in_both_simulators(
        tmp_path, simulator, mistake, arrival, ending):
    assert main(['grade', '--command', f'{sys.executable} {NODE} {mistake} {{x}} {{y}} '
                 f'{tmp_path}/pids', '--worlds', WORLD, '--simulator', simulator,
                 '--time-allowance', '120', '--no-pages', '--out', str(tmp_path / 'out')]) == 0
    submission, = json.loads((tmp_path / 'out' / 'grades.json').read_text())['submissions']
    trial, = submission['trials']
    assert (trial['arrival'], trial['ending']) == (arrival, ending), trial
    assert trial['contacts'] == 0
    if arrival == 'stopped':  # it turns on a curve of its own at the start
        assert 1.0 <= trial['ratio'] < 1.5
    if mistake == 'silent':
        assert 'look for a wait that does not end' in trial['reason']


def test_missing_ros2_is_named_before_any_trial(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('PATH', str(tmp_path))
    assert main(['grade', '--command', 'my_bug {x} {y}', '--worlds', 'open', '--simulator',
                 'gazebo', '--out', str(tmp_path / 'out')]) == 1
    assert 'needs Gazebo 11 and the command ros2' in capsys.readouterr().err
    assert not (tmp_path / 'out').exists()
