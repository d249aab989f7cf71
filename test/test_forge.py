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

"""Tests of the workflows and issue forms for GitHub."""

from __future__ import annotations

from pathlib import Path
import re

import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / '.github' / 'workflows').glob('*.yml'))
FORMS = sorted((ROOT / '.github' / 'ISSUE_TEMPLATE').glob('[!c]*.yml'))


def load(path: Path) -> dict:
    return yaml.safe_load(path.read_text('utf-8'))


def commands(path: Path) -> str:
    return '\n'.join(step['run'] for job in load(path)['jobs'].values() for step in job['steps']
                     if 'run' in step)


def test_every_command_of_a_workflow_exists():
    targets = re.findall(r'^([a-z-]+):', (ROOT / 'Makefile').read_text('utf-8'), re.MULTILINE)
    said = '\n'.join(map(commands, WORKFLOWS))
    made, started = re.findall(r'make (\S+)', said), re.findall(r'^\.\S+', said, re.MULTILINE)
    assert {'lint', 'docs'} <= set(made) <= set(targets)
    assert started and all((ROOT / path).is_file() for path in started)
    for path in re.findall(r'test/\S+', said):
        assert (ROOT / path).exists(), path


def test_ros_workflow_covers_each_release_on_desktop_and_robot():
    job = load(ROOT / '.github' / 'workflows' / 'ros.yml')['jobs']['colcon']
    assert job['container'] == 'ros:${{ matrix.distro }}'
    runs = {(each['distro'], each['place'], each['runs-on'].endswith('arm'))
            for each in job['strategy']['matrix']['include']}
    assert runs == {(distro, place, place == 'robot') for distro in ('humble', 'jazzy')
                    for place in ('desktop', 'robot')}
    linked = {name for each in job['strategy']['matrix']['include']
              for name in each['packages'].split()}
    assert all((ROOT / name / 'package.xml').is_file() for name in linked)


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_is_read_only_and_has_a_time_limit(path):
    workflow = load(path)
    assert workflow['permissions'] == {'contents': 'read'}
    assert all(job['timeout-minutes'] <= 120 for job in workflow['jobs'].values())


def test_form_about_a_robot_requires_the_output_of_check():
    asked = {name: {each['id']: each.get('validations', {}).get('required', False)
                    for each in load(ROOT / f'.github/ISSUE_TEMPLATE/{name}.yml')['body']
                    if 'id' in each} for name in ('robot', 'software')}
    assert asked['robot']['check'] and 'check' in asked['software']
    assert 'bug_nav check' in (ROOT / '.github/ISSUE_TEMPLATE/robot.yml').read_text('utf-8')


@pytest.mark.parametrize('path', FORMS, ids=lambda path: path.stem)
def test_form_has_a_name_and_unique_ids(path):
    form = load(path)
    ids = [each['id'] for each in form['body'] if 'id' in each]
    assert form['name'] and form['description'] and ids and len(ids) == len(set(ids))
