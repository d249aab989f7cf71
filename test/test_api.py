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

"""Tests of the public interface, imported from `bug_nav` itself."""

from __future__ import annotations

import ast
import copy
import json
from pathlib import Path
import re
import subprocess
import sys

import bug_nav
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / 'docs' / 'api.md').read_text(encoding='utf-8')
WALL = [(2, -1), (2.5, -1), (2.5, 1), (2, 1)]


class AnyBug(bug_nav.Algorithm):
    """A user-defined Bug0: leave as soon as the way to the goal is free."""

    metadata = bug_nav.Metadata(
        title='AnyBug', source='a test', sensing=bug_nav.RANGE, memory='none', complete=False,
        bound='none', guarantee='none')
    steps = (bug_nav.MOVE_TO_GOAL, bug_nav.Step('2', 'Follow the boundary until the way is free.'))

    def run(self, robot: bug_nav.Robot) -> bug_nav.IntentGenerator:
        """Move to the goal, follow boundaries, and leave them."""
        while True:
            robot.enter_step('1')
            hit = yield from bug_nav.move_to_goal(robot)
            robot.enter_step('2')
            follower = bug_nav.meet_boundary(robot, hit)
            trace = yield from bug_nav.follow_boundary(robot, follower, bug_nav.Robot.way_is_free)
            if trace.closed:
                yield from bug_nav.leave_at_closest(robot, trace, follower)
            robot.record_leave()


@pytest.fixture(scope='module')
def wall_world():
    return bug_nav.World.from_polygons([WALL], start=(0, 0, 0), goal=(5, 0), name='wall')


@pytest.fixture(scope='module')
def episode():
    return bug_nav.run('box', seed=3)


@pytest.fixture(scope='module')
def runs():
    return bug_nav.compare('box', ['bug2', 'tangent_bug'], turns=['left', 'right'], seed=3)


# ---- names --------------------------------------------------------------------------------------

def test_this_file_imports_no_submodule_of_bug_nav():
    tree = ast.parse(Path(__file__).read_text(encoding='utf-8'))
    modules = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import)
               for name in node.names]
    assert 'bug_nav' in modules and not any(name.startswith('bug_nav.') for name in modules)
    assert not any((node.module or '').startswith('bug_nav') for node in ast.walk(tree)
                   if isinstance(node, ast.ImportFrom))


@pytest.mark.parametrize('name', bug_nav.__all__)
def test_public_name_has_a_docstring_and_is_on_the_api_page(name):
    value = getattr(bug_nav, name)
    is_alias = hasattr(value, '__origin__')  # a type such as Tuple[float, float] has no docstring
    assert (value.__doc__ or is_alias) and f'`{name}`' in PAGE.partition('## Keys of')[0]
    if isinstance(value, type) and value.__module__.startswith('bug_nav'):
        assert '__doc__' in vars(value)


def test_api_page_lists_only_public_names():
    tables = PAGE.partition('## Keys of')[0].split('| name in `bug_nav` | meaning |')[1:]
    listed = {name for table in tables for row in re.findall(r'^\| (`.*?) \|', table, re.MULTILINE)
              for name in re.findall(r'`(\w+)`', row)}
    assert listed == set(bug_nav.__all__)


def test_type_checkers_see_the_same_names():
    tree = ast.parse((ROOT / 'bug_nav' / '__init__.py').read_text(encoding='utf-8'))
    block, = [node for node in tree.body if isinstance(node, ast.If)
              and getattr(node.test, 'id', '') == 'TYPE_CHECKING']
    seen = {name.asname or name.name: node.module for node in block.body for name in node.names}
    assert seen == bug_nav._MODULES
    assert bug_nav.__all__ == list(bug_nav._MODULES)


def test_unknown_name_raises_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'bug_nav' has no attribute 'nonsense'"):
        bug_nav.nonsense  # noqa: B018
    assert {'run', 'Episode', '__version__'} <= set(dir(bug_nav))


@pytest.mark.parametrize('page', ['README.md', 'docs/api.md'])
def test_python_examples_of_the_pages_run(page, tmp_path, monkeypatch, ground_truth):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding='utf-8')
    examples = [code for code in re.findall(r'```python\n(.*?)```', text, re.DOTALL)
                if 'import bug_nav\n' in code]
    assert examples
    for code in examples:
        exec(compile(code, page, 'exec'), {})
    assert any(path.stat().st_size > 5000 for path in tmp_path.glob('*.png'))


# ---- worlds, robots, algorithms -----------------------------------------------------------------

def test_listed_names_can_be_found(wall_world):
    assert {'box', 'maze', 'u_trap'} <= set(bug_nav.worlds())
    assert bug_nav.find_world('box').name == 'box'
    assert 'burger' in bug_nav.robots() and bug_nav.find_robot('burger').title.endswith('Burger')
    assert {'bug1', 'bug2', 'tangent_bug'} <= set(bug_nav.algorithms())
    assert (wall_world.name, wall_world.start, wall_world.goal) == ('wall', (0, 0, 0), (5, 0))


def test_world_of_polygons_may_lack_start_and_goal():
    world = bug_nav.World.from_polygons([WALL])
    with pytest.raises(ValueError, match=r'has no start; .* \(start=\(x, y, yaw\) in Python\)'):
        bug_nav.run(world)
    episode = bug_nav.run(world, start=(0, 0, 0), goal=(1.0, 0.5))
    assert episode.outcome == 'reached' and episode['world'] == 'world'


# ---- episodes -----------------------------------------------------------------------------------

def test_episode_has_the_keys_and_values_of_the_json_output(episode):
    done = subprocess.run([sys.executable, '-m', 'bug_nav', 'run', 'box', '--seed', '3', '--json'],
                          capture_output=True, text=True, timeout=120, check=True)
    printed = json.loads(done.stdout)
    timing = ('wall_time', 'real_time_factor')
    assert list(episode) == list(printed) and len(episode) == len(printed)
    assert {key: value for key, value in json.loads(json.dumps(dict(episode))).items()
            if key not in timing} == {key: value for key, value in printed.items()
                                      if key not in timing}


@pytest.mark.parametrize('key', [
    'outcome', 'message', 'path_length', 'shortest_path', 'time', 'hits', 'leaves', 'hit_points',
    'leave_points', 'certificate'])
def test_common_keys_are_properties(episode, key):
    assert getattr(episode, key) == episode[key]


def test_episode_is_read_only(episode):
    with pytest.raises(TypeError):
        episode['outcome'] = 'reached'
    with pytest.raises(AttributeError):
        episode.outcome = 'reached'


def test_unknown_key_or_attribute_is_refused_with_the_nearest_name(episode):
    with pytest.raises(KeyError, match="unknown key 'pathlength'; did you mean 'path_length'?"):
        episode['pathlength']
    with pytest.raises(AttributeError, match="'path_lenght'; did you mean 'path_length'?"):
        episode.path_lenght  # noqa: B018
    with pytest.raises(AttributeError, match=r"it is a key: use episode\['goal_error'\]"):
        episode.goal_error  # noqa: B018
    assert 'pathlength' not in episode and episode.get(5) is None
    assert copy.copy(episode).outcome == episode.outcome


def test_trajectory_goes_from_the_start_to_the_final_pose(episode):
    path = episode.trajectory
    assert path.shape == (episode['ticks'], 4)
    assert np.allclose(path[0, 1:], episode['start'])
    assert np.allclose(path[-1, 1:], episode['final_pose'])
    assert np.hypot(*np.diff(path[:, 1:3], axis=0).T).sum() == pytest.approx(
        episode.path_length, rel=1e-3)


def test_episode_prints_like_the_command(episode):
    assert str(episode) == repr(episode) and str(episode).startswith('REACHED: ')
    assert '\n  points      1 hit, 1 left\n' in str(episode)


@pytest.mark.parametrize('ending, begins', [
    ('png', b'\x89PNG'), ('svg', b'<?xml'), ('pdf', b'%PDF'), ('gif', b'GIF89a'),
    ('html', b'<!')])
def test_episode_can_be_plotted_in_every_format(episode, tmp_path, ending, begins):
    path = tmp_path / f'run.{ending}'
    episode.plot(path, speed_up=20)
    assert path.read_bytes().lower().startswith(begins.lower()) and path.stat().st_size > 5000


def test_unwritable_file_raises_a_value_error(episode, tmp_path):
    with pytest.raises(ValueError, match='must end in .png, .svg, .pdf, .gif, .mp4 or .html'):
        episode.plot(tmp_path / 'run.bmp')
    with pytest.raises(ValueError, match='does not exist; create it first'):
        episode.plot(tmp_path / 'no' / 'run.png')


def test_notebook_shows_plots_of_episodes_and_comparisons(episode, runs):
    for shown in (episode, runs):
        assert shown._repr_png_().startswith(b'\x89PNG')
    assert episode.figure().get_figwidth() > 4.0


def test_certificate_of_an_unreachable_goal_is_a_proof():
    episode = bug_nav.run('ring_goal')
    assert episode.outcome == 'unreachable'
    assert bug_nav.is_proof(episode.certificate, episode['final_pose'][:2], episode['goal'],
                            episode['contour_radius'])


def test_options_match_those_of_the_command():
    episode = bug_nav.run(
        'box', algorithm='bug2', start=(0, 0, 0.1), goal=(5.5, 0.2), robot='burger', turn='right',
        noise=0.0, clearance=0.15, still=True, time_allowance=900, seed=np.int64(7),
        settings={'robot_radius': 0.11, 'bug2.leave_margin': 0.02, 'scan_no_return': 'above',
                  'odometry': 'encoders'})
    assert episode['contour_radius'] == pytest.approx(0.26)
    assert (episode['turn'], episode['seed'], episode['odometry']) == ('right', 7, 'encoders')
    assert episode['start'] == [0.0, 0.0, 0.1] and episode['goal'] == [5.5, 0.2]
    json.dumps(dict(episode), allow_nan=False)


@pytest.mark.parametrize('options, words', [
    ({'world': 'bux'}, "did you mean 'box'"), ({'algorithm': 'bug3'}, "did you mean 'bug2'"),
    ({'algorithm': 3}, 'the algorithm is 3; give a name, or a subclass of bug_nav.Algorithm'),
    ({'algorithm': dict}, "the algorithm is <class 'dict'>"), ({'robot': 'brger'}, 'burger'),
    ({'seed': -1}, 'the seed is -1; give a whole number of at least 0'),
    ({'seed': 1.5}, 'the seed is 1.5'), ({'time_allowance': -1}, 'the time allowance is -1'),
    ({'time_allowance': float('nan')}, 'time allowance'), ({'turn': 'up'}, 'allowed are left, '),
    ({'noise': -0.1}, '0.0 to 1.0 m'), ({'noise': float('nan')}, 'give a finite number'),
    ({'clearance': 9}, '0.02 to 2.0 m'), ({'start': (0, 0)}, 'must be 3 finite numbers'),
    ({'start': (3.5, 0, 0)}, 'inside an obstacle'), ({'goal': 'far'}, 'must be 2 numbers'),
    ({'settings': {'robot_radios': 1}}, "did you mean 'robot_radius'"),
    ({'settings': {'robot_radius': 'wide'}}, "robot_radius is 'wide'; give a number"),
    ({'settings': {'bug2.leave_margin': 1}}, '0.0 to 0.03 m'),
    ({'world': 5}, 'the world is 5; give a name, a file or a World'),
    ({'robot': 5}, 'the robot is 5; give a name, such as burger'),
    ({'settings': ['a']}, "settings is ['a']; give a dict, such as {'robot_radius': 0.11}"),
    ({'settings': {'tangent_bug.sensor_range': 1}},
     "'tangent_bug.sensor_range' is a parameter of tangent_bug, but this run uses bug2; leave it "
     'out, or choose the algorithm tangent_bug')])
def test_bad_input_raises_a_value_error_with_one_sentence(options, words):
    with pytest.raises(ValueError) as refused:
        bug_nav.run(**{'world': 'box', **options})
    assert words in str(refused.value) and '\n' not in str(refused.value)


# ---- comparisons --------------------------------------------------------------------------------

def test_comparison_is_a_sequence_of_episodes(runs):
    assert [run['algorithm'] for run in runs] == ['bug2', 'bug2', 'tangent_bug']
    assert len(runs) == 3 and runs[-1].outcome == 'reached' and len(runs[:2]) == 2
    assert isinstance(runs[0], bug_nav.Episode)


def test_comparison_has_a_table_in_three_formats(runs, ground_truth):
    assert str(runs) == runs.table() and runs.table().startswith('box, burger, seed 3; the short')
    assert [line.split(',')[:2] for line in runs.table('csv').splitlines()] == [
        ['algorithm', 'turn'], ['bug2', 'left'], ['bug2', 'right'], ['tangent_bug', 'own']]
    assert r'tangent\_bug & own' in runs.table('tex')
    with pytest.raises(ValueError, match="no form 'xlsx'; allowed are text, csv, tex"):
        runs.table('xlsx')


def test_rows_of_a_comparison_have_ratio_and_bound(runs, ground_truth):
    for row, run in zip(runs.rows, runs):
        assert row['ratio'] == pytest.approx(
            (run.path_length + run['goal_error']) / run.shortest_path)
    assert runs.rows[0]['bound'] > runs[0].path_length


@pytest.mark.parametrize('ending', ['png', 'html', 'gif'])
def test_comparison_can_be_plotted(runs, tmp_path, ending):
    path = tmp_path / f'runs.{ending}'
    runs.plot(path, speed_up=20)
    assert path.stat().st_size > 5000


def test_comparison_accepts_one_name_or_class_and_one_turn_direction(wall_world):
    for algorithm, name in (('bug1', 'bug1'), (AnyBug, 'AnyBug')):
        run, = bug_nav.compare(wall_world, algorithm, turns='right', settings=None)
        assert (run['algorithm'], run['turn']) == (name, 'right')


@pytest.mark.parametrize('given, sentence', [
    ({'turn': 'right'}, "turn is 'right'; give turns"),
    ({'algorithm': 'bug2'}, "algorithm is 'bug2'; give algorithms")])
def test_option_of_a_single_run_is_refused_by_a_comparison(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        bug_nav.compare('box', 'bug1', **given)


def test_empty_comparison_raises_a_value_error():
    with pytest.raises(ValueError, match='0 runs cannot be compared; give 1 to 30'):
        bug_nav.compare('box', [])


# ---- user-defined algorithms --------------------------------------------------------------------

def test_user_defined_class_runs_without_installation(wall_world):
    episode = bug_nav.run(wall_world, algorithm=AnyBug)
    assert (episode.outcome, episode['algorithm'], episode.hits) == ('reached', 'AnyBug', 1)
    both = bug_nav.compare(wall_world, [AnyBug, 'bug2'])
    assert [run['algorithm'] for run in both] == ['AnyBug', 'bug2']


def test_parameter_names_of_a_class_begin_with_its_name(wall_world):
    sys.path.insert(0, str(ROOT / 'test' / 'plugin_example'))
    try:
        from picky_bug import PickyBug
    finally:
        sys.path.pop(0)
    early, late = (bug_nav.run('gap_step', algorithm=PickyBug, settings={'PickyBug.reach': reach})
                   for reach in (0.2, 1.0))
    # Between the slabs no way is free for a metre: only the safe rule leaves there.
    assert early.leave_points[0]['y'] > 2.0 and abs(late.leave_points[0]['y']) < 0.2
    with pytest.raises(ValueError, match='PickyBug.reach is 7.0 m; allowed is 0.2 to 3.0 m'):
        bug_nav.run(wall_world, algorithm=PickyBug, settings={'PickyBug.reach': 7})
