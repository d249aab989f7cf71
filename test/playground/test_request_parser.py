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

"""Parser of the requests of the page."""

from __future__ import annotations

import json
import shlex

from bug_nav.cli.parser import make_parser
from bug_nav.cli.run import options_of
from bug_nav.files import BadInput
from bug_nav.lab.run_setup import drive, set_up
from bug_nav.playground.request_parser import (
    MAX_POINTS,
    parse_message,
    parse_run,
    parse_world,
    safe_file_name,
    UploadedFiles,
)
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.export import world_to_sdf
from bug_nav.simulation.sdf import load_sdf
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

NONE = UploadedFiles({})
CASE = {'world': {'name': 'demo'}, 'start': [0.7, 0.8, 0.6], 'goal': [7.3, 5.2]}
EDITS = {'removed': [6], 'moved': {'5': [0.2, 0.1, 0.4]},
         'added': [{'b': [4, 3, 1, 0.5, 0.3]}, {'c': [2, 4, 0.3]},
                   {'l': [[5, 1], [5.5, 1.2], [6, 1.8]], 'w': 0.1},
                   {'p': [[1, 2], [1.5, 2], [1.2, 2.5]]}]}


def edited(**edits):
    return parse_world({'name': 'demo', 'edits': edits}, NONE)


def test_named_world_equals_the_shipped_one():
    world, shipped = parse_world({'name': 'demo'}, NONE), find_world('demo')
    assert len(world.solids) == len(shipped.solids)
    assert all(map(np.array_equal, world.solids, shipped.solids))


def test_repeated_request_returns_the_same_world():
    assert parse_world({'name': 'demo', 'edits': EDITS}, NONE) is parse_world(
        {'edits': EDITS, 'name': 'demo'}, NONE)


def test_random_and_empty_worlds_are_accepted():
    assert parse_world({'name': 'random:rooms?seed=3'}, NONE).solids
    assert not parse_world({'name': 'mine', 'solids': []}, NONE).solids


def test_edits_remove_move_and_add_solids():
    before, after = find_world('demo'), edited(**EDITS)
    # Added: a box, a circle, a line of two segments and a polygon; removed: one solid.
    assert len(after.solids) == len(before.solids) - 1 + 5
    moved = after.solids[5]
    assert np.allclose(moved.mean(axis=0), before.solids[5].mean(axis=0) + (0.2, 0.1))
    assert after.start == before.start


def test_solid_that_is_moved_and_turned_keeps_its_shape():
    before, after = find_world('demo').solids[4], edited(moved={'4': [1.0, -2.0, 0.7]}).solids[4]
    sides = [np.hypot(*(solid - np.roll(solid, 1, axis=0)).T) for solid in (before, after)]
    assert np.allclose(*sides)


@pytest.mark.parametrize('spec,says', [
    (None, 'not an object'), ([], 'not an object'), ({}, 'no name'), ({'name': 7}, 'no name'),
    ({'name': '/etc/passwd'}, 'must be opened'), ({'name': '../demo.world'}, 'must be opened'),
    ({'name': 'x' * 500}, 'no name'), ({'name': 'dmeo'}, 'did you mean'),
    ({'name': 'random:nothing'}, 'random'), ({'file': '/etc/passwd'}, 'no longer has this file'),
    ({'file': '0' * 16}, 'no longer has this file'), ({'file': ['a']}, 'no longer has this file'),
    ({'name': 'demo', 'edits': 3}, 'not an object'),
    ({'name': 'demo', 'edits': {'removed': [99]}}, 'cannot be removed'),
    ({'name': 'demo', 'edits': {'removed': [1, 1]}}, 'cannot be removed'),
    ({'name': 'demo', 'edits': {'removed': ['1']}}, 'cannot be removed'),
    ({'name': 'demo', 'edits': {'moved': {'99': [0, 0, 0]}}}, 'cannot be moved'),
    ({'name': 'demo', 'edits': {'moved': {'-1': [0, 0, 0]}}}, 'cannot be moved'),
    ({'name': 'demo', 'edits': {'moved': {'1': [0, 0]}}}, '3 numbers'),
    ({'name': 'demo', 'edits': {'moved': {'1': [1e30, 0, 0]}}}, 'beyond 100000'),
    ({'name': 'demo', 'edits': {'added': [{}]}}, 'not a box'),
    ({'name': 'demo', 'edits': {'added': [7]}}, 'not an object'),
    ({'name': 'demo', 'edits': {'added': [{'b': [0, 0, -1, 1, 0]}]}}, 'wide'),
    ({'name': 'demo', 'edits': {'added': [{'c': [0, 0, 1e4]}]}}, 'wide'),
    ({'name': 'demo', 'edits': {'added': [{'c': [0, 0, True]}]}}, '3 numbers'),
    ({'name': 'demo', 'edits': {'added': [{'p': [[0, 0], [1, 1], [1, 0], [0, 1]]}]}}, 'crosses'),
    ({'name': 'demo', 'edits': {'added': [{'p': [[0, 0], [1, 1]]}]}}, 'at least 3'),
    ({'name': 'demo', 'edits': {'added': [{'l': [[0, 0]]}]}}, 'at least 2'),
    ({'name': 'demo', 'edits': {'added': [{'l': [[0, 0]] * (MAX_POINTS + 1)}]}}, 'up to'),
    ({'name': 'demo', 'edits': {'added': [{'c': [0, 0, 1]}] * 501}}, 'up to')])
def test_invalid_world_is_rejected_with_one_sentence(spec, says):
    with pytest.raises(BadInput, match=says) as refused:
        parse_world(spec, NONE)
    assert '\n' not in str(refused.value)


@pytest.mark.parametrize('change,says', [
    ({'start': None}, 'start'), ({'start': [0, 0]}, '3 numbers'), ({'goal': ['a', 1]}, 'goal'),
    ({'goal': [True, 1]}, 'goal'), ({'seed': -1}, 'seed'), ({'seed': 1.5}, 'seed'),
    ({'seed': 10 ** 30}, 'seed'), ({'seed': True}, 'seed'), ({'robot': 'no robot'}, 'robot'),
    ({'robot': 'brger'}, 'burger'), ({'turn': 'up'}, 'turn'), ({'turn': None}, 'turn'),
    ({'time_allowance': 1e9}, 'time allowance'), ({'set': []}, 'not an object'),
    ({'set': {'nonsense': 1}}, 'unknown parameter'), ({'set': {'clearance': 'a;b'}}, 'clearance'),
    ({'set': {'clearance': 99}}, 'clearance'), ({'set': {'a b': 1}}, 'no valid name'),
    ({'set': {'clearance': None}}, 'invalid value'), ({'goal': [99999.0, 0]}, 'km'),
    ({'start': [0.0, 0.0, 0.0]}, 'obstacle')])
def test_invalid_case_is_rejected_with_one_sentence(change, says):
    with pytest.raises(BadInput, match=says):
        parse_run({**CASE, **change}, 'bug2', NONE)


@pytest.mark.parametrize('algorithm', ['nope', '', None, 3, 'os:system'])
def test_unknown_algorithm_is_rejected(algorithm):
    with pytest.raises(BadInput):
        parse_run(CASE, algorithm, NONE)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(['name', 'file', 'edits', 'added', 'moved', 'removed', 'b', 'c', 'p', 'l',
                         'w', 'world', 'start', 'goal', 'set', 'seed', 'robot', 'turn', '0', '5']),
        inner, max_size=5), max_leaves=20)


@given(JSON)
def test_any_request_is_parsed_or_rejected_with_one_sentence(data):
    for ask in (lambda: parse_world(data, NONE), lambda: parse_run(data, 'bug2', NONE),
                lambda: parse_run({**CASE, 'world': data}, 'bug2', NONE),
                lambda: parse_world({'name': 'demo', 'edits': data}, NONE)):
        try:
            ask()
        except BadInput as refused:
            assert str(refused) and '\n' not in str(refused)


@pytest.mark.parametrize('text', ['', '{', '[]', '3', 'NaN', '{"a": NaN}', '{"a": Infinity}',
                                  '[' * 100_000, '\x00'])
def test_message_that_is_not_an_object_is_rejected(text):
    with pytest.raises(BadInput):
        parse_message(text)


def test_command_reproduces_the_run_exactly(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = {**CASE, 'world': {'name': 'demo', 'edits': EDITS}, 'turn': 'right', 'seed': 7,
            'set': {'scan_noise': 0.02, 'bug2.leave_margin': 0.02, 'odometry': 'encoders'}}
    page = parse_run(case, 'bug2', NONE)
    (tmp_path / 'playground.world').write_text(world_to_sdf(page.setup.world), encoding='utf-8')
    typed = make_parser().parse_args(shlex.split(page.command)[1:])
    again = set_up(options_of(typed, algorithm=typed.algorithm, turn=typed.turn))
    assert drive(page.setup).path_length == drive(again).path_length


def test_command_of_a_shipped_world_names_it():
    assert parse_run(CASE, 'bug2', NONE).command == (
        'bug_nav run demo --algorithm bug2 --start=0.7,0.8,0.6 --goal=7.3,5.2')


def test_saved_world_is_read_back_exactly(tmp_path):
    world = edited(**EDITS)
    path = tmp_path / 'saved.world'
    path.write_text(world_to_sdf(world), encoding='utf-8')
    again = load_sdf(path)
    assert again.start == world.start and again.goal == world.goal
    assert all(map(np.array_equal, world.solids, again.solids))


def test_safe_file_name_has_no_special_characters():
    assert safe_file_name('../../etc/passwd"\r\n', '.world') == '_etc_passwd_.world'
    assert json.dumps(safe_file_name('', '.txt')) == '"world.txt"'
