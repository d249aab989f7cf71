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

"""Tests of the environments that `make` builds, which have the packages for all features."""

from __future__ import annotations

import ast
from pathlib import Path
import re

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
SUITE = 'test'
"""The extra for the test suite; the others are for users of bug_nav."""


def name_of(requirement: str) -> str:
    return re.split(r'[^A-Za-z0-9._-]', requirement)[0].lower()


def setup_value(keyword: str):
    """Return the value of a keyword in setup.py, which is parsed and not run."""
    call = next(node for node in ast.walk(ast.parse((ROOT / 'setup.py').read_text('utf-8')))
                if isinstance(node, ast.keyword) and node.arg == keyword)
    return ast.literal_eval(call.value)


def needed() -> set:
    """Return the packages for all features of bug_nav."""
    every = setup_value('install_requires') + [
        each for extra, names in setup_value('extras_require').items()
        if extra != SUITE for each in names]
    return set(map(name_of, every)) - {'bug_nav'}


def locked(name: str) -> set:
    text = (ROOT / 'requirements' / f'{name}.txt').read_text('utf-8')
    return {name_of(line) for line in text.splitlines() if '==' in line and line[0].isalnum()}


@pytest.mark.parametrize('environment', ['core', 'ros'])
def test_environment_has_every_extra_for_users(environment):
    assert {'numpy', 'numba', 'pyarrow', 'distributed', 'starlette', 'argcomplete'} <= needed()
    assert needed() <= locked(environment)


def test_extra_all_includes_every_extra_for_users():
    extras = setup_value('extras_require')
    inner = {extra: set(re.findall(r'\w+', name.partition('[')[2]))
             for extra, names in extras.items() for name in names if name.startswith('bug_nav[')}
    assert inner['campaign'] == {'lab'}
    assert inner['all'] | inner['campaign'] == set(extras) - {'all', SUITE}


def test_environment_without_ros_has_the_extra_of_the_suite():
    assert {name_of(each) for each in setup_value('extras_require')[SUITE]} <= locked('core')


@pytest.mark.parametrize('path', sorted((ROOT / 'requirements').glob('*.txt')),
                         ids=lambda path: path.stem)
def test_lock_file_pins_every_requirement_with_a_hash(path):
    lines = path.read_text('utf-8').splitlines()
    for line, following in zip(lines, lines[1:]):
        if '==' in line and line[0].isalnum():
            assert following.lstrip().startswith('--hash=sha256:'), line


@pytest.mark.xdist_group('alike')
def test_xdist_knows_the_group_of_a_test(request):
    # Otherwise, each xdist process runs all episodes that the tests of a group share.
    if not request.config.getoption('loadgroup', False):
        pytest.skip('the suite was not begun with --dist loadgroup')
    assert request.node.nodeid.endswith('@alike')
