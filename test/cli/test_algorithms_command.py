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

"""``bug_nav algorithms``: the table, one algorithm, and load errors."""

from __future__ import annotations

import dataclasses
import json

from bug_nav.cli.algorithms import allowed_values, WIDTH, with_unit
from bug_nav.cli.parser import main
from bug_nav.lab.algorithm_catalogue import catalogue
from bug_nav.navigation.algorithms import entry_points
from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.algorithms.registry import registered
from bug_nav.navigation.parameters import parameter
import pytest


class Entry:
    """A fake entry point."""

    def __init__(self, name, value, loads):
        self.name, self.value, self._loads = name, value, loads

    def load(self):
        if isinstance(self._loads, Exception):
            raise self._loads
        return self._loads


@pytest.fixture
def register(monkeypatch):
    """Return a function that replaces the registered algorithms."""
    def put(**entries):
        found = [Entry(name, *entry) for name, entry in sorted(entries.items())]
        monkeypatch.setattr(entry_points, 'installed', lambda: found)
    return put


def output_of(capsys, *arguments):
    """Run the command and return its output."""
    assert main(['algorithms', *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ''
    return out


def test_table_fits_a_terminal_and_has_every_name(capsys):
    out = output_of(capsys)
    assert all(len(line) <= WIDTH for line in out.splitlines())
    # Long names are wrapped.
    words = {word.strip(',') for line in out.splitlines() for word in line.split()}
    assert set(registered()) <= words
    assert 'Lumelsky and Stepanov 1987 ' in out and 'D + 1.5 sum of p_i' in out


def test_description_has_facts_and_parameters(capsys):
    out = output_of(capsys, 'bug2')
    for words in ('bug2: Bug2', 'Follow the M-line', 'Lumelsky and Stepanov 1987', 'contact',
                  'D + sum of ceil(n_i / 2) p_i', 'the M-line and the last hit point',
                  'bug2.leave_margin = 0.03 m (0 to 0.03)',
                  'minimum distance by which a crossing of the M-line'):
        assert words in out


def test_description_has_the_steps(capsys):
    words = ' '.join(output_of(capsys, 'bug2').split())
    assert 'steps: 1 Move along the M-line' in words
    for name, text in Bug2.steps:
        assert f' {name} {text}' in words
    assert all(len(line) <= WIDTH for line in output_of(capsys, 'gradient_bug').splitlines())


def test_algorithm_without_steps_has_no_steps_section(register, capsys):
    bare = type('Bare', (Algorithm,), {'metadata': Bug2.metadata, 'run': Bug2.run,
                                       '__doc__': 'Do nothing.'})
    register(bare=('somebody:Bare', bare))
    assert 'steps' not in output_of(capsys, 'bare')
    assert json.loads(output_of(capsys, 'bare', '--json'))['steps'] == []


def test_json_has_every_fact_and_parameter(capsys):
    out = output_of(capsys, '--json')
    assert out.count('\n') == 1
    every = {one['name']: one for one in json.loads(out, parse_constant=pytest.fail)}
    assert set(every) == {entry.name for entry in catalogue()}
    bug2 = every['bug2']
    for name, value in dataclasses.asdict(Bug2.metadata).items():
        assert bug2[name] == value
    assert bug2['error'] is None and bug2['value'] == 'bug_nav.navigation.algorithms.bug2:Bug2'
    assert bug2['steps'] == [{'name': step.name, 'text': step.text} for step in Bug2.steps]
    assert bug2['parameters'] == [{
        'name': 'bug2.leave_margin', 'default': 0.03, 'unit': 'm', 'low': 0.0, 'high': 0.03,
        'choices': None, 'needs': None,
        'doc': 'minimum distance by which a crossing of the M-line is closer to the goal than the '
               'hit point'}]
    assert json.loads(output_of(capsys, 'bug2', '--json')) == bug2


def test_other_names_are_aliases_of_the_file_name(register, capsys):
    value = 'somewhere.second:Second', Bug2
    register(another=value, second=value)
    assert 'second, another' in output_of(capsys)
    entry, = json.loads(output_of(capsys, '--json'))
    assert (entry['name'], entry['aliases']) == ('second', ['another'])
    out = output_of(capsys, 'another')
    assert out.startswith('another (also second): ') and 'another.leave_margin = ' in out


def test_unknown_name_is_reported_with_the_message_of_the_registry(capsys):
    assert main(['algorithms', 'bug22']) == 2
    out, err = capsys.readouterr()
    assert out == '' and err.count('\n') == 1
    assert "unknown algorithm 'bug22'; did you mean 'bug2'? See `bug_nav algorithms`" in err


@pytest.mark.parametrize('loads, words', [
    (ModuleNotFoundError("No module named 'torch'"), "No module named 'torch'"),
    (SyntaxError('invalid\nsyntax'), 'SyntaxError: invalid syntax'),
    (dict, 'somebody:Theirs is another class; give a class derived from bug_nav.Algorithm'),
    (type('Bare', (Algorithm,), {}), 'somebody:Theirs has no metadata')], ids=str)
def test_unloadable_algorithm_is_listed_with_its_error(loads, words, register, capsys):
    register(bug2=('bug_nav.navigation.algorithms.bug2:Bug2', Bug2),
             theirs=('somebody:Theirs', loads))
    out = output_of(capsys)
    assert f'theirs: cannot be loaded: {words}' in ' '.join(out.split()) or words in out
    assert 'Lumelsky and Stepanov 1987' in out  # the others are listed
    _, broken = json.loads(output_of(capsys, '--json'))
    assert words in broken['error'] and broken['name'] == 'theirs'
    assert main(['algorithms', 'theirs']) == 1
    out, err = capsys.readouterr()
    assert out == '' and err.count('\n') == 1 and words in err


def test_plug_in_with_a_shipped_name_is_reported_in_one_sentence(monkeypatch, capsys):
    entries = [Entry('bug2', 'somebody:Theirs', Bug2),
               Entry('bug2', 'bug_nav.navigation.algorithms.bug2:Bug2', Bug2)]
    monkeypatch.setattr(entry_points, 'installed', lambda: entries)
    assert main(['algorithms', 'bug2']) == 0
    out, err = capsys.readouterr()
    assert err == ("bug_nav: 'bug2' is the name of an algorithm of bug_nav, so somebody:Theirs is "
                   'ignored; rename its entry point\n')
    assert 'bug_nav.navigation.algorithms.bug2:Bug2' in out


@pytest.mark.parametrize('field, limits, default', [
    (parameter(0.5, '', unit='m', low=0.0, high=2.0), '0 to 2', '0.5 m'),
    (parameter(3, '', low=1), 'at least 1', '3'),
    (parameter(-1.0, '', high=0.0), 'at most 0', '-1'),
    (parameter('a', '', choices=('a', 'b')), 'a, b', 'a'),
    (parameter(True, ''), '', 'true')])
def test_default_and_range_of_a_parameter_are_printed(field, limits, default):
    assert (allowed_values(field), with_unit(field)) == (limits, default)
