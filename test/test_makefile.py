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

"""Tests of the Makefile in a folder whose path has a space."""

import os
from pathlib import Path
import shutil
import subprocess

import pytest

ROOT = Path(__file__).resolve().parents[1]
COPIED = ('Makefile', 'package.xml', 'pyproject.toml', 'setup.py', 'setup.cfg', 'resource',
          'requirements', 'bug_nav_msgs')
PYTHON = '#!/bin/sh\necho "$0 $*"\n'
"""A fake Python that prints its arguments."""

pytestmark = pytest.mark.skipif(
    not (shutil.which('make') and (ROOT / 'Makefile').exists()), reason='this is no clone')


@pytest.fixture
def folder(tmp_path):
    """Return a copy of the files that make reads, with a ready environment."""
    there = tmp_path.resolve() / 'a folder'
    there.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, there / name)
        else:
            shutil.copy2(ROOT / name, there)
    (there / '.venv-core/bin').mkdir(parents=True)
    (there / '.venv-core/bin/python').write_text(PYTHON)
    (there / '.venv-core/bin/python').chmod(0o755)
    (there / '.venv-core/.made').write_text(f'{there}\n')
    (there / '.venv-core/.built').touch()
    return there


def make(folder, *targets, **environment):
    kept = {name: value for name, value in os.environ.items()
            if name not in ('MAKEFLAGS', 'MAKELEVEL', 'ROS_DISTRO')}
    return subprocess.run(['make', *targets], cwd=folder, env={**kept, **environment},
                          capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize('environment', [{}, {'ROS_DISTRO': 'humble'}])
def test_targets_without_ros_work_in_a_folder_with_a_space(folder, environment):
    done = make(folder, 'lint', 'verdicts', 'ARGS=--seed 3', **environment)
    assert done.returncode == 0, done.stderr
    for words in ('.venv-core/bin/python -m ruff check\n', '-m mypy\n',
                  '-m bug_nav campaign verdicts --multiply 36 --seed 3\n'):
        assert words in done.stdout


@pytest.mark.parametrize('environment', [{}, {'ROS_DISTRO': 'humble'}])
@pytest.mark.parametrize('target', ['setup', 'demo', 'test-ros', 'soak'])
def test_targets_with_ros_report_that_the_folder_has_a_space(folder, target, environment):
    done = make(folder, target, **environment)
    assert done.returncode == 2 and done.stdout == ''
    assert done.stderr.count('\n') == 1
    assert f'move this folder, "{folder}"; what needs no ROS 2' in done.stderr


def test_environment_of_another_folder_is_recreated(folder):
    (folder / '.venv-core/.made').write_text('/somewhere/a folder\n')
    assert 'tools/make-venv .venv-core' in make(folder, '--dry-run', 'lint').stdout
