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

"""The environments that `make` builds: whoever works in one has all that bug_nav can do."""

from __future__ import annotations

import ast
from pathlib import Path
import re

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
SUITE = 'test'
"""The extra that is for the suite; the others are for whoever runs bug_nav."""


def name_of(requirement: str) -> str:
    return re.split(r'[^A-Za-z0-9._-]', requirement)[0].lower()


def told(keyword: str):
    """Return what setup.py says of what is needed; it is read, not run."""
    call = next(node for node in ast.walk(ast.parse((ROOT / 'setup.py').read_text('utf-8')))
                if isinstance(node, ast.keyword) and node.arg == keyword)
    return ast.literal_eval(call.value)


def needed() -> set:
    """Return the packages for whoever runs bug_nav and wants all that it can do."""
    every = told('install_requires') + [each for extra, names in told('extras_require').items()
                                        if extra != SUITE for each in names]
    return set(map(name_of, every)) - {'bug_nav'}


def locked(name: str) -> set:
    text = (ROOT / 'requirements' / f'{name}.txt').read_text('utf-8')
    return {name_of(line) for line in text.splitlines() if '==' in line and line[0].isalnum()}


@pytest.mark.parametrize('environment', ['core', 'ros'])
def test_environment_of_people_has_every_extra(environment):
    assert {'numpy', 'numba', 'pyarrow', 'distributed', 'starlette', 'argcomplete'} <= needed()
    assert needed() <= locked(environment)


def test_all_is_every_extra_of_people():
    extras = told('extras_require')
    inner = {extra: set(re.findall(r'\w+', name.partition('[')[2]))
             for extra, names in extras.items() for name in names if name.startswith('bug_nav[')}
    assert inner['campaign'] == {'lab'}
    assert inner['all'] | inner['campaign'] == set(extras) - {'all', SUITE}


def test_environment_without_ros_has_all_that_the_suite_needs():
    assert {name_of(each) for each in told('extras_require')[SUITE]} <= locked('core')


@pytest.mark.parametrize('path', sorted((ROOT / 'requirements').glob('*.txt')),
                         ids=lambda path: path.stem)
def test_lock_pins_every_requirement_by_its_hash(path):
    lines = path.read_text('utf-8').splitlines()
    for line, following in zip(lines, lines[1:]):
        if '==' in line and line[0].isalnum():
            assert following.lstrip().startswith('--hash=sha256:'), line


@pytest.mark.xdist_group('alike')
def test_tests_of_a_group_are_known_to_xdist_as_such(request):
    # Else each of its processes drives all that they share.
    if not request.config.getoption('loadgroup', False):
        pytest.skip('the suite was not begun with --dist loadgroup')
    assert request.node.nodeid.endswith('@alike')
