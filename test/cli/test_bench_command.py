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

"""``bug_nav bench``: arguments, output, files and continuation."""

from __future__ import annotations

import errno
import importlib.util

from bug_nav.cli import bench
from bug_nav.cli.parser import main
from bug_nav.lab import benchmark
from bug_nav.lab.benchmark import FULL, Score, Suite
from bug_nav.lab.spec import make_spec
from bug_nav.lab.table import read_table
from bug_nav.navigation.algorithms.entry_points import GROUP
from campaign_helpers import OneThread
import pytest


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Run the command with one small suite, in this process."""
    monkeypatch.setattr('bug_nav.cli.campaign.Pool', lambda count: OneThread())
    monkeypatch.setattr('bug_nav.cli.bench.suites_of', lambda names: [
        Suite('static', 'a small one', 'bench_static')])
    monkeypatch.setattr('bug_nav.cli.bench.spec_of', lambda suite, algorithms, factor: make_spec({
        'worlds': [{'world': 'box'}], 'algorithms': algorithms, 'repetitions': factor})
                        if algorithms else None)
    monkeypatch.setattr(benchmark, 'REFERENCE', tmp_path / 'bench_1.json')

    def run(*argv):
        code = main(['bench', *argv, '--out', str(tmp_path / 'out')])
        return code, capsys.readouterr(), tmp_path / 'out'
    return run


def test_output_folder_that_is_a_file_is_rejected(run, tmp_path):
    (tmp_path / 'out').write_text('')
    code, told, out = run('--algorithm', 'bug1')
    assert code == 2
    assert told.err.endswith(f"bug_nav: the output folder '{out}' is a file; give another --out\n")


def store_scores():
    benchmark.REFERENCE.write_text(benchmark.as_json(benchmark.Reference([
        Score(suite, 'tangent_bug', 10, 7, 5, 5, 1, 0, 2, 0, 1.5, 3.0, 60.0, 1.2, 100.0)
        for suite in ('static', 'moving')], 'commit 1234567')))


def test_table_and_page_show_where_the_algorithms_stand(run):
    code, told, out = run('--algorithm', 'bug1,bug2')
    assert code == 0 and 'static: a small one, 2 episodes' in told.err
    assert '1 bug1' in told.out and '1/1' in told.out
    assert [row.algorithm for row in read_table(out / 'static')] == ['bug1', 'bug2']
    if importlib.util.find_spec('jinja2'):
        assert (out / 'leaderboard.html').stat().st_size > 10_000
        assert str(out / 'leaderboard.html') in told.out


def test_same_command_continues(run):
    run('--algorithm', 'bug2')
    journal = run('--algorithm', 'bug2')[2] / 'static' / 'journal.jsonl'
    before = journal.read_bytes()
    assert run('--algorithm', 'bug2', '--algorithm', 'bug1')[0] == 0
    assert journal.read_bytes().startswith(before) and len(journal.read_bytes()) > len(before)


def test_stored_scores_of_other_algorithms_are_listed_as_well(run):
    store_scores()
    told = run('--algorithm', 'bug2')[1].out
    assert 'tangent_bug' in told and '7/10' in told and 'moving' not in told
    assert 'static: tangent_bug: 1 false UNREACHABLE' in told


def test_stored_scores_alone_are_shown_without_an_episode(run):
    code, told, out = run('--stored')
    assert code == 1 and 'no scores are stored' in told.err and not out.exists()
    store_scores()
    code, told, out = run('--stored')
    assert code == 0 and '7/10' in told.out and 'moving' in told.out
    assert [path.name for path in out.iterdir()] == ['leaderboard.html']
    assert 'commit 1234567' in (out / 'leaderboard.html').read_text()


def test_option_that_drives_is_refused_with_stored_scores(run):
    store_scores()
    code, told, out = run('--stored', '--full', '--suite', 'static')
    assert code == 2 and not out.exists()
    assert told.err == 'bug_nav: --suite and --full have no effect with --stored; leave them out\n'


def test_full_disk_is_no_bad_input(run, monkeypatch):
    def write(*_):
        raise OSError(errno.ENOSPC, 'No space left on device')
    monkeypatch.setattr('bug_nav.lab.journal.os.pwrite', write)
    code, told, _ = run('--algorithm', 'bug1')
    assert code == 1
    assert told.err.endswith('No space left on device; free some space, then repeat the command\n')


def test_error_of_the_software_is_no_bad_input(run, monkeypatch):
    def drive(*_):
        raise ValueError('a fault')
    monkeypatch.setattr('bug_nav.cli.bench.drive', drive)
    with pytest.raises(ValueError, match='a fault') as raised:
        run('--algorithm', 'bug1')
    assert raised.type is ValueError


def test_folder_of_another_campaign_is_reported_before_any_episode(run, tmp_path, monkeypatch):
    monkeypatch.setattr('bug_nav.cli.bench.suites_of', lambda names: [
        Suite('static', 'a small one', 'bench_static'),
        Suite('moving', 'another', 'bench_moving')])
    (tmp_path / 'out' / 'moving').mkdir(parents=True)
    (tmp_path / 'out' / 'moving' / 'campaign.yaml').write_text('{seed: 7}')
    code, told, out = run('--algorithm', 'bug1')
    assert code == 2 and f'{out}/moving holds another campaign' in told.err
    assert not (out / 'static').exists()


@pytest.mark.parametrize('argv, problem', [
    (('--algorithm', 'bug3'), "unknown algorithm 'bug3'"),
    (('--suite', 'statc'), "unknown suite 'statc'")])
def test_mistyped_name_ends_before_any_episode(argv, problem, tmp_path, capsys):
    assert main(['bench', *argv, '--out', str(tmp_path / 'out')]) == 2
    told = capsys.readouterr().err
    assert problem in told and told.count('\n') == 1
    assert not (tmp_path / 'out').exists()


def test_algorithm_without_the_sensors_of_a_robot_is_named(run, monkeypatch):
    monkeypatch.setattr('bug_nav.cli.bench.spec_of', lambda suite, algorithms, factor: None)
    code, told, _ = run('--algorithm', 'tangent_bug')
    assert code == 0 and 'static: none of the algorithms works with these sensors' in told.err


FAULTY = """
from bug_nav import Algorithm, Metadata

class Faulty(Algorithm):
    metadata = Metadata('Faulty', 'a test', 'contact', 'none', False, 'none', 'none')

    def run(self, robot):
        yield robot.to_goal()
        raise ValueError('a mistake')
"""


def test_error_of_an_algorithm_is_shown_once_with_its_line_and_command(run, tmp_path, monkeypatch):
    folder = tmp_path / 'faulty-1.0.dist-info'
    folder.mkdir()
    (folder / 'METADATA').write_text('Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n')
    (folder / 'entry_points.txt').write_text(f'[{GROUP}]\nfaulty = faulty_bug:Faulty\n')
    (tmp_path / 'faulty_bug.py').write_text(FAULTY)
    monkeypatch.syspath_prepend(tmp_path)
    code, told, _ = run('--algorithm', 'faulty,bug1', '--full')
    assert code == 1 and told.out.count('FAULT: ') == 1
    assert 'FAULT: faulty in box' in told.out and f'and {FULL - 1} more of faulty' in told.out
    assert 'ValueError: a mistake' in told.out and 'faulty_bug.py", line 9' in told.out
    assert 'bug_nav run box --algorithm faulty' in told.out


CONTROLLERS = {
    'still': 'def step(scan, pose, goal):\n    return 0.0, 0.0\n',
    'gives_up': "def step(scan, pose, goal):\n    return 'unreachable'\n",
    'bold': 'def step(scan, pose, goal):\n    return 0.2, 0.0\n',
    'guided': """import math
PLACES = [(0.5, -2.0), (6.0, -2.0), (6.0, 0.0)]
def step(scan, pose, goal):
    while PLACES and math.dist(pose.position, PLACES[0]) < 0.1:
        PLACES.pop(0)
    if not PLACES:
        return 0.0, 0.0
    x, y = PLACES[0]
    error = math.remainder(math.atan2(y - pose.y, x - pose.x) - pose.theta, math.tau)
    return 0.2 if abs(error) < 0.3 else 0.0, 2.0 * error
"""}
CONTROLLERS['lies_there'] = CONTROLLERS['guided'].replace(
    'return 0.0, 0.0', "return 'unreachable'")


@pytest.fixture
def score(run, tmp_path):
    """Return the score of a controller in the world `box`."""
    def score(name):
        file = tmp_path / f'{name}.py'
        file.write_text(CONTROLLERS[name])
        found = []
        original = bench.score_of_controller

        def keep(*arguments):
            found.append(original(*arguments))
            return found[-1]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bench, 'score_of_controller', keep)
            code, told, out = run('--python', str(file))
        assert code == 0 and name in told.out and not (out / 'static').exists()
        return found[0]
    return score


def test_controller_that_reaches_the_goal_is_right(score):
    found = score('guided')
    assert (found.episodes, found.right, found.reached, found.contacts) == (1, 1, 1, 0)
    assert 1.0 <= found.ratio < 2.0 and found.time > 20.0 and found.turning > 0.0


@pytest.mark.parametrize('name, no_verdict, false_unreachable, contacts', [
    ('still', 1, 0, 0), ('gives_up', 0, 1, 0), ('bold', 1, 0, 1), ('lies_there', 0, 1, 0)])
def test_controller_that_fails_is_not_right(score, name, no_verdict, false_unreachable, contacts):
    found = score(name)
    assert found.right == 0 and found.ratio is None
    assert (found.no_verdict, found.false_unreachable, found.contacts) == (
        no_verdict, false_unreachable, contacts)


def test_controller_is_ranked_beside_stored_algorithms(run, tmp_path):
    store_scores()
    (tmp_path / 'still.py').write_text(CONTROLLERS['still'])
    told = run('--python', str(tmp_path / 'still.py'))[1].out
    assert told.index('1 tangent_bug') < told.index('2 still.py:step') and '0/1' in told


@pytest.mark.parametrize('text', ['def step(', 'def step(scan, pose, goal):\n    1 / 0\n'])
def test_controller_that_crashes_in_every_episode_is_bad_input(run, tmp_path, text):
    (tmp_path / 'faulty.py').write_text(text)
    code, told, _ = run('--python', str(tmp_path / 'faulty.py'))
    assert code == 2 and told.out == ''
    assert 'faulty.py crashed in all 1 episodes: ' in told.err and 'Error' in told.err


def test_controller_named_like_an_algorithm_does_not_replace_it(run, tmp_path):
    store_scores()
    (tmp_path / 'tangent_bug.py').write_text(CONTROLLERS['still'])
    told = run('--python', str(tmp_path / 'tangent_bug.py'))[1].out
    assert '1 tangent_bug ' in told and '7/10' in told and '2 tangent_bug.py:step' in told


def test_controller_that_does_not_exist_is_rejected(run, tmp_path):
    code, told, _ = run('--python', str(tmp_path / 'none.py'))
    assert code == 2 and 'there is no file' in told.err


def test_controller_is_refused_in_a_suite_that_it_cannot_drive(tmp_path, capsys):
    (tmp_path / 'still.py').write_text(CONTROLLERS['still'])
    assert main(['bench', '--python', str(tmp_path / 'still.py'), '--suite', 'drift']) == 2
    assert ("the suite is 'drift'; a Python controller can drive static and noise"
            in capsys.readouterr().err)
