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

"""What the page asks for is read as by strangers."""

from __future__ import annotations

import json
import shlex

from bug_nav.cli import make_parser
from bug_nav.commands import BadInput
from bug_nav.commands.case import make_case
from bug_nav.play.spec import asked, Files, MOST_POINTS, parse, saved_name, world_of
from bug_nav.sim.catalogue import find_world
from bug_nav.sim.episode import run_episode
from bug_nav.sim.export import world_to_sdf
from bug_nav.sim.sdf import load_sdf
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

NONE = Files({})
CASE = {'world': {'name': 'demo'}, 'start': [0.7, 0.8, 0.6], 'goal': [7.3, 5.2]}
EDITS = {'removed': [6], 'moved': {'5': [0.2, 0.1, 0.4]},
         'added': [{'b': [4, 3, 1, 0.5, 0.3]}, {'c': [2, 4, 0.3]},
                   {'l': [[5, 1], [5.5, 1.2], [6, 1.8]], 'w': 0.1},
                   {'p': [[1, 2], [1.5, 2], [1.2, 2.5]]}]}


def edited(**edits):
    return world_of({'name': 'demo', 'edits': edits}, NONE)


def test_named_world_is_the_shipped_one():
    world, shipped = world_of({'name': 'demo'}, NONE), find_world('demo')
    assert len(world.solids) == len(shipped.solids)
    assert all(map(np.array_equal, world.solids, shipped.solids))


def test_world_asked_for_again_is_the_same_object():
    assert world_of({'name': 'demo', 'edits': EDITS}, NONE) is world_of(
        {'edits': EDITS, 'name': 'demo'}, NONE)


def test_random_world_and_empty_floor_are_worlds():
    assert world_of({'name': 'random:rooms?seed=3'}, NONE).solids
    assert not world_of({'name': 'mine', 'solids': []}, NONE).solids


def test_edits_remove_move_and_add():
    before, after = find_world('demo'), edited(**EDITS)
    # A box, a circle, a line of two parts and a polygon come; one goes.
    assert len(after.solids) == len(before.solids) - 1 + 5
    moved = after.solids[5]
    assert np.allclose(moved.mean(axis=0), before.solids[5].mean(axis=0) + (0.2, 0.1))
    assert after.start == before.start


def test_solid_that_is_moved_and_turned_keeps_its_shape():
    before, after = find_world('demo').solids[4], edited(moved={'4': [1.0, -2.0, 0.7]}).solids[4]
    sides = [np.hypot(*(solid - np.roll(solid, 1, axis=0)).T) for solid in (before, after)]
    assert np.allclose(*sides)


@pytest.mark.parametrize('spec,says', [
    (None, 'no object'), ([], 'no object'), ({}, 'no name'), ({'name': 7}, 'no name'),
    ({'name': '/etc/passwd'}, 'not named'), ({'name': '../demo.world'}, 'not named'),
    ({'name': 'x' * 500}, 'no name'), ({'name': 'dmeo'}, 'did you mean'),
    ({'name': 'random:nothing'}, 'random'), ({'file': '/etc/passwd'}, 'does not have this file'),
    ({'file': '0' * 16}, 'does not have this file'), ({'file': ['a']}, 'does not have this file'),
    ({'name': 'demo', 'edits': 3}, 'no object'),
    ({'name': 'demo', 'edits': {'removed': [99]}}, 'cannot be removed'),
    ({'name': 'demo', 'edits': {'removed': [1, 1]}}, 'cannot be removed'),
    ({'name': 'demo', 'edits': {'removed': ['1']}}, 'cannot be removed'),
    ({'name': 'demo', 'edits': {'moved': {'99': [0, 0, 0]}}}, 'cannot be moved'),
    ({'name': 'demo', 'edits': {'moved': {'-1': [0, 0, 0]}}}, 'cannot be moved'),
    ({'name': 'demo', 'edits': {'moved': {'1': [0, 0]}}}, '3 numbers'),
    ({'name': 'demo', 'edits': {'moved': {'1': [1e30, 0, 0]}}}, 'out of this world'),
    ({'name': 'demo', 'edits': {'added': [{}]}}, 'none of box'),
    ({'name': 'demo', 'edits': {'added': [7]}}, 'no object'),
    ({'name': 'demo', 'edits': {'added': [{'b': [0, 0, -1, 1, 0]}]}}, 'wide'),
    ({'name': 'demo', 'edits': {'added': [{'c': [0, 0, 1e4]}]}}, 'wide'),
    ({'name': 'demo', 'edits': {'added': [{'c': [0, 0, True]}]}}, '3 numbers'),
    ({'name': 'demo', 'edits': {'added': [{'p': [[0, 0], [1, 1], [1, 0], [0, 1]]}]}}, 'crosses'),
    ({'name': 'demo', 'edits': {'added': [{'p': [[0, 0], [1, 1]]}]}}, 'at least 3'),
    ({'name': 'demo', 'edits': {'added': [{'l': [[0, 0]]}]}}, 'at least 2'),
    ({'name': 'demo', 'edits': {'added': [{'l': [[0, 0]] * (MOST_POINTS + 1)}]}}, 'up to'),
    ({'name': 'demo', 'edits': {'added': [{'c': [0, 0, 1]}] * 501}}, 'up to')])
def test_world_that_makes_no_sense_is_refused_in_a_sentence(spec, says):
    with pytest.raises(BadInput, match=says) as refused:
        world_of(spec, NONE)
    assert '\n' not in str(refused.value)


@pytest.mark.parametrize('change,says', [
    ({'start': None}, 'start'), ({'start': [0, 0]}, '3 numbers'), ({'goal': ['a', 1]}, 'goal'),
    ({'goal': [True, 1]}, 'goal'), ({'seed': -1}, 'seed'), ({'seed': 1.5}, 'seed'),
    ({'seed': 10 ** 30}, 'seed'), ({'seed': True}, 'seed'), ({'robot': 'no robot'}, 'robot'),
    ({'robot': 'brger'}, 'burger'), ({'turn': 'up'}, 'turn'), ({'turn': None}, 'turn'),
    ({'time_allowance': 1e9}, 'time allowance'), ({'set': []}, 'no object'),
    ({'set': {'nonsense': 1}}, 'no parameter'), ({'set': {'clearance': 'a;b'}}, 'clearance'),
    ({'set': {'clearance': 99}}, 'clearance'), ({'set': {'a b': 1}}, 'no name'),
    ({'set': {'clearance': None}}, 'no parameter has'), ({'goal': [99999.0, 0]}, 'km'),
    ({'start': [0.0, 0.0, 0.0]}, 'obstacle')])
def test_case_that_makes_no_sense_is_refused_in_a_sentence(change, says):
    with pytest.raises(BadInput, match=says):
        asked({**CASE, **change}, 'bug2', NONE)


@pytest.mark.parametrize('algorithm', ['nope', '', None, 3, 'os:system'])
def test_algorithm_that_is_not_there_is_refused(algorithm):
    with pytest.raises(BadInput):
        asked(CASE, algorithm, NONE)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(['name', 'file', 'edits', 'added', 'moved', 'removed', 'b', 'c', 'p', 'l',
                         'w', 'world', 'start', 'goal', 'set', 'seed', 'robot', 'turn', '0', '5']),
        inner, max_size=5), max_leaves=20)


@given(JSON)
def test_whatever_is_asked_for_is_a_case_or_one_sentence(data):
    for ask in (lambda: world_of(data, NONE), lambda: asked(data, 'bug2', NONE),
                lambda: asked({**CASE, 'world': data}, 'bug2', NONE),
                lambda: world_of({'name': 'demo', 'edits': data}, NONE)):
        try:
            ask()
        except BadInput as refused:
            assert str(refused) and '\n' not in str(refused)


@pytest.mark.parametrize('text', ['', '{', '[]', '3', 'NaN', '{"a": NaN}', '{"a": Infinity}',
                                  '[' * 100_000, '\x00'])
def test_message_that_is_no_object_is_refused(text):
    with pytest.raises(BadInput):
        parse(text)


def test_command_drives_the_same_to_the_last_digit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = {**CASE, 'world': {'name': 'demo', 'edits': EDITS}, 'turn': 'right', 'seed': 7,
            'set': {'scan_noise': 0.02, 'bug2.leave_margin': 0.02, 'odometry': 'encoders'}}
    page = asked(case, 'bug2', NONE)
    (tmp_path / 'playground.world').write_text(world_to_sdf(page.case.world), encoding='utf-8')
    typed = make_parser().parse_args(shlex.split(page.command)[1:])
    lengths = []
    for it, seed in ((page.case, page.seed), (make_case(typed), typed.seed)):
        lengths.append(run_episode(
            it.world, it.start, it.goal, it.algorithm, model=it.robot.model,
            settings=it.robot.settings, lidar=it.robot.sensor, odometry=it.robot.odometry,
            timing=it.robot.timing, seed=seed).path_length)
    assert lengths[0] == lengths[1]


def test_command_of_a_shipped_world_names_it():
    assert asked(CASE, 'bug2', NONE).command == (
        'bug_nav run demo --algorithm bug2 --start=0.7,0.8,0.6 --goal=7.3,5.2')


def test_saved_world_is_read_to_the_last_digit(tmp_path):
    world = edited(**EDITS)
    path = tmp_path / 'saved.world'
    path.write_text(world_to_sdf(world), encoding='utf-8')
    again = load_sdf(path)
    assert again.start == world.start and again.goal == world.goal
    assert all(map(np.array_equal, world.solids, again.solids))


def test_name_of_a_saved_file_is_harmless():
    assert saved_name('../../etc/passwd"\r\n', '.world') == '_etc_passwd_.world'
    assert json.dumps(saved_name('', '.txt')) == '"world.txt"'
