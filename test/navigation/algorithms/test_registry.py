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

from __future__ import annotations

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.algorithms.registry import (
    BrokenAlgorithm,
    find,
    GROUP,
    registered,
    UnknownAlgorithm,
)
import pytest

PLUGIN = """
from bug_nav.navigation.algorithms.base import Algorithm, Metadata

class Snail(Algorithm):
    metadata = Metadata('Snail', 'a test', 'contact', 'none', False, 'none', 'none')

    def run(self, robot):
        yield
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution with entry points where Python finds it, as pip and colcon do."""
    def put(distribution: str, **entries: str) -> None:
        root = tmp_path / distribution
        folder = root / f'{distribution}-1.0.dist-info'
        folder.mkdir(parents=True)
        (folder / 'METADATA').write_text(
            f'Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n')
        lines = [f'[{GROUP}]', *(f'{name} = {value}' for name, value in entries.items())]
        (folder / 'entry_points.txt').write_text('\n'.join(lines) + '\n')
        (root / f'{distribution}_code.py').write_text(PLUGIN)
        monkeypatch.syspath_prepend(root)
    return put


def test_shipped_algorithms_are_found_by_their_entry_points():
    assert find('bug2') is Bug2
    assert 'bug2' in registered()


def test_plug_in_algorithm_is_found_beside_the_shipped_ones(install):
    install('snails', snail='snails_code:Snail')
    found = find('snail')
    assert issubclass(found, Algorithm) and found.metadata.title == 'Snail'
    assert list(registered()) == sorted(registered())


def test_entry_that_an_overlay_repeats_is_one_registration(install):
    install('underlay', snail='underlay_code:Snail')
    install('overlay', snail='underlay_code:Snail')
    assert registered()['snail'].value == 'underlay_code:Snail'
    assert find('snail').metadata.title == 'Snail'


def test_same_name_with_another_value_is_a_conflict(install):
    install('one', snail='one_code:Snail')
    install('other', snail='other_code:Snail')
    with pytest.raises(ValueError) as caught:
        registered()
    for word in ("'snail'", 'one_code:Snail', 'other_code:Snail', 'rename'):
        assert word in str(caught.value)


def test_shipped_name_cannot_be_taken_over(install):
    install('thief', bug2='thief_code:Snail')
    with pytest.raises(ValueError, match="'bug2'"):
        find('bug2')


@pytest.mark.parametrize('name, hint', [('bug3', "did you mean 'bug2'?"), ('Bug2', "'bug2'?")])
def test_unknown_name_error_suggests_the_nearest_and_the_command(name, hint):
    with pytest.raises(UnknownAlgorithm) as caught:
        find(name)
    assert f'{hint} See `bug_nav algorithms`' in str(caught.value)
    assert '\n' not in str(caught.value)


def test_unknown_name_without_a_similar_one_gets_no_suggestion():
    with pytest.raises(UnknownAlgorithm, match='qqqqq') as caught:
        find('qqqqq')
    assert str(caught.value) == "unknown algorithm 'qqqqq'; see `bug_nav algorithms`"


def test_broken_plug_in_fails_when_it_is_loaded_and_not_before(install):
    install('broken', wreck='no_such_module_at_all:Wreck')
    assert 'wreck' in registered() and find('bug2') is Bug2
    with pytest.raises(BrokenAlgorithm) as caught:
        find('wreck')
    assert str(caught.value) == (
        "wreck cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_at_all' "
        '(no_such_module_at_all:Wreck)')


@pytest.mark.parametrize('code, reason, line', [
    ('import math\nfrom bug_nav import Algoritm\n',
     "ImportError: cannot import name 'Algoritm' from 'bug_nav'", ':2'),
    ('1 / 0\n', 'ZeroDivisionError: division by zero', ':1'),
    ('\n\nx = = 1\n', 'SyntaxError: invalid syntax', ':3')])
def test_error_of_a_broken_plug_in_names_its_file_and_line(install, tmp_path, code, reason, line):
    install('faulty', wreck='wrecked:Wreck')
    path = tmp_path / 'faulty' / 'wrecked.py'
    path.write_text(code)
    with pytest.raises(BrokenAlgorithm) as caught:
        find('wreck')
    assert str(caught.value) == f'wreck cannot be loaded: {reason} ({path}{line})'
