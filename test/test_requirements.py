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

ROOT = Path(__file__).resolve().parents[1]
RUN_ALONE = {'test'}
"""Extras that are for the suite; the others are for whoever runs bug_nav."""


def name_of(requirement: str) -> str:
    return re.split(r'[^A-Za-z0-9._-]', requirement)[0].lower()


def extras() -> dict:
    """What setup.py offers beside what it needs; it is read, not run."""
    call = next(node for node in ast.walk(ast.parse((ROOT / 'setup.py').read_text('utf-8')))
                if isinstance(node, ast.keyword) and node.arg == 'extras_require')
    return ast.literal_eval(call.value)


def locked(name: str) -> set:
    text = (ROOT / 'requirements' / f'{name}.txt').read_text('utf-8')
    return {name_of(line) for line in text.splitlines() if '==' in line and line[0].isalnum()}


@pytest.mark.parametrize('environment', ['core', 'ros'])
def test_environment_of_people_has_every_extra(environment):
    wanted = {name_of(each) for extra, names in extras().items() if extra not in RUN_ALONE
              for each in names}
    assert {'numba', 'pyarrow', 'distributed', 'starlette', 'argcomplete'} <= wanted
    assert wanted <= locked(environment)


def test_environment_without_ros_has_all_that_the_suite_needs():
    assert {name_of(each) for each in extras()['test']} <= locked('core')


@pytest.mark.parametrize('path', sorted((ROOT / 'requirements').glob('*.txt')),
                         ids=lambda path: path.stem)
def test_lock_pins_every_requirement_by_its_hash(path):
    lines = path.read_text('utf-8').splitlines()
    for line, following in zip(lines, lines[1:]):
        if '==' in line and line[0].isalnum():
            assert following.lstrip().startswith('--hash=sha256:'), line
