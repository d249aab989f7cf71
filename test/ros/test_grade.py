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

"""Tests of `bug_nav grade` over real DDS, with nodes that make every mistake we know."""

from __future__ import annotations

import json
import os
from pathlib import Path
import sys
import time

from bug_nav.cli.parser import main
from bug_nav.lab import grading
import pytest
import yaml

pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')

pytestmark = [pytest.mark.ros, pytest.mark.slow]

NODE = Path(__file__).parent / 'graded_node.py'
ARGUMENTS = '{x} {y}'
TEMPLATE = Path(grading.__file__).parent / 'template' / 'my_bug' / 'bug.py'
CLASS = {
    'good': {}, 'never_stops': {}, 'silent': {}, 'wrong_topic': {}, 'wrong_type': {},
    'best_effort': {}, 'other_domain': {}, 'no_node': {}, 'nan': {}, 'crash': {}, 'flood': {},
    'gives_up': {}, 'ignores_signals': {},
    'stamped': {'stamped': True},
    'point': {'goal': {'topic': '/goal_point', 'type': 'geometry_msgs/msg/Point'}},
    'pose': {'goal': {'topic': '/goal_pose', 'type': 'geometry_msgs/msg/PoseStamped'}},
    'parameter': {'goal': {'parameter': '/driver', 'fields': {'x': 'goal_x', 'y': 'goal_y'}}},
    'service': {'goal': {'service': '/plan', 'type': 'nav_msgs/srv/GetPlan', 'fields': {
        'x': 'goal.pose.position.x', 'y': 'goal.pose.position.y'}}},
    'reports': {'verdict_topic': {
        'topic': '/status', 'type': 'std_msgs/msg/String', 'match': 'no path'}},
    'nobody': {'goal': {'topic': '/no_such', 'type': 'geometry_msgs/msg/Point'}},
    'no_program': {'command': '/no/such/program'},
    'namespace': {'namespace': 'tb1', 'remap': True},
    'template': {'command': f'{sys.executable} {TEMPLATE} --ros-args -p goal_x:={{x}} '
                 '-p goal_y:={y}'}}
"""Submissions: by the mistake that the node makes, with their other keys."""


@pytest.fixture(scope='module')
def graded(tmp_path_factory):
    """Return the trial of each submission of a class, graded by one command."""
    folder = tmp_path_factory.mktemp('grade')
    pids = folder / 'pids'
    submissions = []
    for name, keys in CLASS.items():
        goal = '' if 'goal' in keys else ARGUMENTS
        remap = ' --ros-args -r __ns:=/tb1' if keys.pop('remap', False) else ''
        submissions.append({
            'name': name,
            'command': f'{sys.executable} {NODE} {name} {goal} {pids}{remap}', **keys})
    file = folder / 'class.yaml'
    file.write_text(yaml.safe_dump({
        'worlds': ['open'], 'speed': 3.0, 'silence': 45.0, 'time_allowance': 60.0,
        'submissions': submissions}))
    assert main(['grade', str(file), '--out', str(folder / 'out'), '--jobs', '3']) == 0
    document = json.loads((folder / 'out' / 'grades.json').read_text())
    trials = {each['name']: each['trials'][0] for each in document['submissions']}
    return {'pids': pids, 'out': folder / 'out', **trials}


@pytest.mark.parametrize('name', ['good', 'stamped', 'point', 'pose', 'parameter', 'service',
                                  'namespace', 'flood', 'ignores_signals',
                                  'template'])
def test_goal_is_delivered_and_reached(graded, name):
    found = graded[name]
    assert (found['arrival'], found['reason']) == ('stopped', ''), found
    assert found['ratio'] == pytest.approx(1.0, abs=0.1)
    assert found['factor'].startswith('3 (')


@pytest.mark.parametrize('name, ending, reason', [
    ('silent', 'no command', 'look for a wait that does not end'),
    ('wrong_topic', 'no command', 'publishes commands on /robot/cmd_vel'),
    ('wrong_type', 'no command', 'with type geometry_msgs/msg/TwistStamped'),
    ('best_effort', 'no command', "create_publisher(Twist, '/cmd_vel', 10)"),
    ('other_domain', 'no command', 'uses ROS domain 101'),
    ('no_node', 'no command', 'No node of your program was found'),
    ('nobody', 'no command', 'nobody was there to receive it (topic /no_such)'),
    ('crash', 'the program crashed', 'index out of range'),
    ('no_program', 'the program crashed', 'cannot be started')])
def test_failure_is_named_with_its_reason(graded, name, ending, reason):
    found = graded[name]
    assert found['ending'] == ending and reason in found['reason'], found
    assert found['arrival'] == 'no'


def test_robot_that_never_stops_has_only_passed_the_goal(graded):
    assert graded['never_stops']['arrival'] == 'passed'
    assert graded['never_stops']['ending'] == 'passed the goal and drove on'


def test_commands_that_are_not_finite_are_counted(graded):
    found = graded['nan']
    assert found['rejected'] > 20 and found['path_length'] == 0.0
    assert found['ending'] == 'standstill'


@pytest.mark.parametrize('name', ['gives_up', 'reports'])
def test_line_of_the_log_or_a_topic_is_a_verdict(graded, name):
    found = graded[name]
    assert (found['verdict'], found['verdict_right']) == ('unreachable', False)


def test_flood_of_output_is_kept_small(graded):
    assert (graded['out'] / 'flood' / '0' / 'output.txt').stat().st_size < 300_000


def test_no_process_survives(graded):
    for pid in map(int, graded['pids'].read_text().split()):
        deadline = time.monotonic() + 5.0
        while time.monotonic() < deadline and Path(f'/proc/{pid}').exists():
            if 'Z' in Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2][:3]:
                break
        else:
            assert not Path(f'/proc/{pid}').exists()


def test_table_and_pages_are_written(graded):
    table = (graded['out'] / 'grades.csv').read_text().splitlines()
    assert len(table) == 1 + len(CLASS)
    assert (graded['out'] / 'index.html').exists()
    page = (graded['out'] / 'wrong_topic' / 'index.html').read_text()
    assert 'publishes commands on /robot/cmd_vel' in page
    assert os.path.exists(graded['out'] / 'good' / '0' / 'map.png')
