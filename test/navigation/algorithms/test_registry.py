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

import sys

from bug_nav.cli.parser import main
from bug_nav.lab.algorithm_catalogue import catalogue
from bug_nav.lab.benchmark import contestants
from bug_nav.lab.spec import make_spec
from bug_nav.lab.table import read_table
from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.algorithms.entry_points import conflicts, GROUP
from bug_nav.navigation.algorithms.registry import (
    BrokenAlgorithm,
    find,
    registered,
    UnknownAlgorithm,
)
from campaign_helpers import OneThread
import pytest

PLUGIN = """
from bug_nav.navigation.algorithms.base import Algorithm, Metadata, Step

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


def test_same_name_with_another_value_disables_that_name_alone(install):
    install('one', snail='one_code:Snail')
    install('other', snail='other_code:Snail', slug='other_code:Snail')
    with pytest.raises(BrokenAlgorithm) as caught:
        find('snail')
    for word in ("'snail'", 'one_code:Snail', 'other_code:Snail', 'rename'):
        assert word in str(caught.value)
    assert find('bug2') is Bug2 and find('slug').metadata.title == 'Snail'
    assert conflicts() == [str(caught.value).partition('cannot be loaded: ')[2]]


def test_shipped_algorithm_wins_a_conflict(install):
    assert conflicts() == []
    install('thief', bug2='thief_code:Snail')
    assert find('bug2') is Bug2
    sentence, = conflicts()
    assert sentence == (f"'bug2' is the name of an algorithm of bug_nav, so thief_code:Snail"
                        f"{of('thief')} is ignored; rename its entry point")


@pytest.mark.parametrize('code, reason', [
    ('def wreck(robot):\n    yield', 'is an object of type function; give a class derived'),
    ('wreck = 3', 'is an object of type int; give a class'),
    ('class wreck:\n    pass', 'is another class; give a class derived from bug_nav.Algorithm'),
    ('import sys\nsys.exit(3)', 'SystemExit: its import ends the program with 3'),
    ('import argparse\nargparse.ArgumentParser().parse_args(["--no"])',
     'SystemExit: its import ends the program with 2'),
    ('class wreck(Snail):\n    metadata = None', 'has no metadata; give it a class attribute'),
    ('class wreck(Algorithm):\n    metadata = Snail.metadata', 'has no method run; define it'),
    ('class wreck(Snail):\n    Parameters = dict', 'has Parameters that are no dataclass'),
    ('class wreck(Snail):\n    steps = ("1", "2")', 'has steps that are no tuple of bug_nav.Step'),
    ('class wreck(Snail):\n    steps = Step("1", "Move.")', 'has steps that are no tuple of'),
    ('class wreck(Snail):\n    def __init__(self):\n        pass',
     'has an __init__ that does not take the parameters; define __init__(self, parameters'),
    ('wrack = Snail', 'AttributeError: ')])
def test_invalid_plug_in_is_named_with_its_file_and_disables_nothing_else(
        install, tmp_path, code, reason):
    install('faulty', wreck='invalid:wreck', snail='faulty_code:Snail')
    (tmp_path / 'faulty' / 'invalid.py').write_text(f'{PLUGIN}\n\n{code}\n')
    sys.modules.pop('invalid', None)
    with pytest.raises(BrokenAlgorithm) as caught:
        find('wreck')
    told = str(caught.value)
    assert told.startswith('wreck cannot be loaded: ') and reason in told and '\n' not in told
    assert 'invalid.py' in told and told.endswith(f"{of('faulty')})")
    assert find('bug2') is Bug2 and find('snail').metadata.title == 'Snail'
    assert {entry.name: entry.error for entry in catalogue()}['snail'] == ''
    assert {entry.name: entry.error for entry in catalogue()}['wreck'] == told[24:]


def test_entry_point_that_is_no_reference_is_named(install):
    install('faulty', wreck='not a reference!')
    with pytest.raises(BrokenAlgorithm) as caught:
        find('wreck')
    assert str(caught.value) == ("wreck cannot be loaded: its entry point is 'not a reference!'; "
                                 f"give module:class{of('faulty')}")


def test_output_of_an_import_does_not_mix_with_that_of_the_command(install, tmp_path, capsys):
    install('chatty', snail='chatty_code:Snail')
    (tmp_path / 'chatty' / 'chatty_code.py').write_text(f'{PLUGIN}\nprint("hello")\n')
    assert find('snail').metadata.title == 'Snail'
    assert capsys.readouterr() == ('', 'hello\n')


def every_algorithm_of_a_campaign():
    return make_spec({'worlds': [{'world': 'box'}], 'algorithms': 'all'}).algorithms


@pytest.mark.parametrize('names_of', [contestants, every_algorithm_of_a_campaign])
def test_all_algorithms_are_driven_but_for_the_broken_one_which_is_named(
        names_of, install, caplog):
    install('faulty', wreck='no_such_module_at_all:Wreck', snail='faulty_code:Snail')
    names = names_of()
    assert 'snail' in names and 'wreck' not in names
    sentence, = caplog.messages
    assert sentence.startswith('bug_nav: wreck cannot be loaded: ModuleNotFoundError: ')


EXITS_AT_BIRTH = """
import sys

class Unborn(Snail):
    def __init__(self, parameters=None):
        sys.exit(4)
"""


def test_plug_in_that_exits_when_it_is_made_ends_its_own_episodes_alone(
        install, tmp_path, monkeypatch, capsys):
    install('faulty', unborn='unborn_code:Unborn')
    (tmp_path / 'faulty' / 'unborn_code.py').write_text(PLUGIN + EXITS_AT_BIRTH)
    assert main(['run', 'box', '--algorithm', 'unborn']) == 1
    out, err = capsys.readouterr()
    assert out.startswith('ERROR: SystemExit: 4') and 'unborn_code.py' in err
    monkeypatch.setattr('bug_nav.cli.campaign.Pool', lambda count: OneThread())
    assert main(['campaign', '--world', 'box', '--algorithm', 'unborn,bug2', '--turn', 'left',
                 '--format', 'csv', '--noise', '0', '--out', str(tmp_path / 'out')]) == 1
    assert [(row.algorithm, row.outcome) for row in read_table(tmp_path / 'out')] == [
        ('unborn', 'error'), ('bug2', 'reached')]


def of(distribution):
    """Return how a message names a distribution, which Python 3.9 does not know."""
    return f' of {distribution} 1.0' if sys.version_info >= (3, 10) else ''


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
        f"(no_such_module_at_all:Wreck{of('broken')})")


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
    assert str(caught.value) == f'wreck cannot be loaded: {reason} ({path}{line}{of("faulty")})'
