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

"""``bug_nav robots``: the list, one robot, and its node parameters."""

from __future__ import annotations

from bug_nav.cli.parser import main
from bug_nav.cli.robots import WIDTH
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.simulation.robots import find_robot, ROBOTS
import pytest
import yaml


def test_table_has_one_line_per_robot(capsys):
    assert main(['robots']) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(ROBOTS)
    assert all(ROBOTS[line.split()[0]].title in line for line in lines)
    begin = head.index('description')
    assert all(line[begin - 2:begin] == '  ' for line in lines)


@pytest.mark.parametrize('name', ROBOTS)
def test_description_is_complete_and_fits_the_width(capsys, name):
    assert main(['robots', name]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == f'{name}: {ROBOTS[name].title}'
    assert all(len(line) <= WIDTH for line in lines)
    told = ' '.join(' '.join(lines).split())
    assert f'R = {ROBOTS[name].model.robot_radius:g} m' in told
    assert all(' '.join(source.split()) in told for source in ROBOTS[name].sources)


@pytest.mark.parametrize('name', ROBOTS)
def test_parameter_file_matches_the_preset(capsys, name):
    assert main(['robots', name, '--params']) == 0
    nodes = yaml.safe_load(capsys.readouterr().out)['/**']
    assert set(nodes) == {'bug_navigator'}
    told, preset = nodes['bug_navigator']['ros__parameters'], find_robot(name)
    assert told['robot_radius'] == preset.model.robot_radius
    for kind, values in ((RobotModel, preset.model), (Settings, preset.settings)):
        for field in set(kind.__dataclass_fields__) & set(told):
            assert told[field] == getattr(values, field), field


@pytest.mark.parametrize('name, frame', [
    ('turtlebot4', 'base_link'), ('jackal', 'base_link'), ('burger', None)])
def test_parameter_file_has_the_base_frame_of_a_robot_with_another_one(capsys, name, frame):
    assert main(['robots', name, '--params']) == 0
    node = yaml.safe_load(capsys.readouterr().out)['/**']['bug_navigator']['ros__parameters']
    assert node.get('robot_base_frame') == frame


@pytest.mark.parametrize('words, sentence', [
    (['burgr'], "did you mean 'burger'?"),
    (['turtlebot3'], "did you mean 'burger' or 'waffle_pi'?"),
    (['--params'], '--params needs a robot; give one of burger, ')])
def test_invalid_robot_is_reported_in_one_sentence(capsys, words, sentence):
    assert main(['robots', *words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and sentence in lines[0]
