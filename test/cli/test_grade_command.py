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

"""Tests of `bug_nav grade` with Python functions; test/ros has those with nodes."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from bug_nav.cli import grade, grade_trial
from bug_nav.cli.parser import main
from bug_nav.files import BadInput
from bug_nav.lab.grading.assignment import Assignment, Submission
import pytest

pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')

GOOD = """
import math
def step(scan, pose, goal):
    e = math.atan2(goal[1] - pose.y, goal[0] - pose.x) - pose.theta
    print('<b>driving</b>')
    return (0.0, 0.0) if math.dist(pose.position, goal) < 0.1 else (0.2, e)
def refuse(scan, pose, goal):
    return 'unreachable'
"""
FORGER = """
import json, os, pathlib
# Results in the output folder, and of earlier trials in the folder of the supervisor.
supervisor = open('/proc/%d/cmdline' % os.getppid()).read().split('\\0')[-2]
folders = [pathlib.Path('{out}', k) for k in '01']
for folder in folders:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'mine').touch()
for file in pathlib.Path(supervisor).glob('*/judgement.json'):
    file.write_text(json.dumps(dict(json.loads(file.read_text()), ending='forged')))
def step(scan, pose, goal):
    return 'unreachable'
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'good.py').write_text(GOOD)
    (tmp_path / 'bad.py').write_text('def step(scan, pose, goal): raise ValueError("<i>oh</i>")')
    return tmp_path


@pytest.fixture(scope='module')
def graded(tmp_path_factory):
    """Return the output folder of a class of two."""
    folder = tmp_path_factory.mktemp('class')
    (folder / 'good.py').write_text(GOOD)
    (folder / 'bad.py').write_text('def step(scan, pose, goal): raise ValueError("<i>oh</i>")')
    assert main(['grade', '--python', str(folder / 'good.py'), '--python',
                 str(folder / 'bad.py'), '--worlds', 'open,ring_goal', '--out',
                 str(folder / 'out'), '--time-allowance', '60']) == 0
    return folder / 'out'


def test_class_gets_a_table_and_pages(graded):
    table = (graded / 'grades.csv').read_text().splitlines()
    assert [row.partition(',')[0] for row in table] == ['name', 'good', 'bad']
    assert 'ValueError' in table[2]
    assert 'good/index.html' in (graded / 'index.html').read_text()
    assert (graded / 'good' / '0' / 'map.png').stat().st_size > 1000


def test_text_of_a_program_is_escaped_on_its_page(graded):
    for name, tag in (('good', 'b'), ('bad', 'i')):
        page = (graded / name / 'index.html').read_text()
        assert f'&lt;{tag}&gt;' in page and f'<{tag}>' not in page


def test_json_has_every_trial(files, capsys):
    assert main(['grade', '--python', 'good.py:refuse', '--worlds', 'open,ring_goal', '--json',
                 '--no-pages', '--name', 'anna']) == 0
    (anna,) = json.loads(capsys.readouterr().out)['submissions']
    assert anna['name'] == 'anna'
    assert [trial['verdict_right'] for trial in anna['trials']] == [False, True]
    assert not (files / 'out' / 'grade' / 'index.html').exists()


def test_source_of_a_submission_is_not_replaced_by_its_results(files, capsys):
    (files / 'anna').mkdir()
    (files / 'anna' / 'bug.py').write_text(GOOD)
    (files / 'class.yaml').write_text(
        'worlds: [open]\nsubmissions: [{name: anna, python: anna/bug.py}]\n')
    assert main(['grade', 'class.yaml', '--out', '.']) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "would replace 'anna'" in line and line.endswith('give another --out')
    assert (files / 'anna' / 'bug.py').read_text() == GOOD


@pytest.mark.parametrize('kept', ['good/notes.txt', 'good/0/data.csv', 'good'])
def test_folder_with_files_of_others_is_not_emptied(files, capsys, kept):
    path = files / 'out' / kept
    path.parent.mkdir(parents=True)
    path.write_text('mine')
    assert main(['grade', '--python', 'good.py', '--worlds', 'open', '--out', 'out']) == 2
    assert 'not written by bug_nav grade' in capsys.readouterr().err
    assert path.read_text() == 'mine'


def test_empty_working_folder_of_a_command_is_not_replaced():
    submission = Submission(name='anna', command=('ros2 run a b',), folder='/home/c/anna')
    with pytest.raises(BadInput, match="has '/home/c/anna'"):
        grade._check_folders(Assignment(submissions=(submission,)), Path('/home/c'), None)


def test_results_of_an_earlier_grade_are_replaced(files):
    command = ['grade', '--python', 'good.py', '--worlds', 'open', '--out', 'out']
    assert main(command) == 0
    written = sorted(path.name for path in (files / 'out' / 'good').rglob('*'))
    assert main(command) == 0
    assert sorted(path.name for path in (files / 'out' / 'good').rglob('*')) == written


def test_program_cannot_write_its_own_judgement(files, capsys):
    (files / 'eve.py').write_text(FORGER.format(out=files / 'out' / 'eve'))
    assert main(['grade', '--python', 'eve.py', '--worlds', 'open,ring_goal', '--out', 'out',
                 '--json']) == 0
    (eve,) = json.loads(capsys.readouterr().out)['submissions']
    assert [trial['ending'] for trial in eve['trials']] == ['the program gave its verdict'] * 2
    for number, trial in enumerate(eve['trials']):
        stored = files / 'out' / 'eve' / str(number)
        assert json.loads((stored / 'judgement.json').read_text()) == trial
        assert not (stored / 'mine').exists()


def test_films_are_drawn_if_asked(files):
    assert main(['grade', '--python', 'good.py', '--worlds', 'open', '--films', '--out',
                 'it']) == 0
    assert (files / 'it' / 'good' / '0' / 'film.gif').read_bytes()[:3] == b'GIF'


def test_suites_are_listed(capsys):
    assert main(['grade', '--list']) == 0
    assert 'homework_bug2' in capsys.readouterr().out.split()
    assert main(['grade', '--list', '--json']) == 2
    assert '--json has no effect with --list; leave it out' in capsys.readouterr().err


def test_template_is_a_package_with_a_node_of_about_fifty_lines(files, capsys):
    assert main(['grade', '--template', 'mine']) == 0
    assert (files / 'mine' / 'package.xml').exists()
    lines = (files / 'mine' / 'my_bug' / 'bug.py').read_text().splitlines()
    assert 50 <= len(lines) <= 100
    compile('\n'.join(lines), 'bug.py', 'exec')
    assert main(['grade', '--template', 'mine']) == 2


@pytest.mark.parametrize('arguments, sentence', [
    (['--python', 'no.py', '--worlds', 'open'], 'there is no file'),
    (['--python', 'good.py', '--worlds', 'opn'], "did you mean 'open'"),
    (['--python', 'good.py'], 'no worlds are given'),
    (['--worlds', 'open'], 'no program is given'),
    (['no.yaml'], 'No such file'), (['--suite', 'homework'], 'unknown suite'),
    (['--python', 'good.py', '--worlds', 'open', '--tolerance', '5'], 'tolerance is 5.0')])
def test_mistake_is_one_line(files, capsys, arguments, sentence):
    assert main(['grade', *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith('bug_nav: ') and sentence in line


def test_models_that_a_world_lacks_are_named_with_the_grades(files, capsys):
    (files / 'w.world').write_text(
        '<sdf version="1.6" xmlns:bug_nav="urn:bug_nav"><world name="w">'
        '<bug_nav:episode start="0 0 0" goal="2 0"/>'
        '<include><uri>model://no_such_model</uri></include></world></sdf>')
    assert main(['grade', '--python', 'good.py', '--worlds', 'w.world?missing=skip']) == 0
    assert 'w.world?missing=skip: ' in capsys.readouterr().err
    page = (files / 'out' / 'grade' / 'good' / 'index.html').read_text()
    assert 'no_such_model' in page and 'left out, as in Gazebo' in page


@pytest.mark.parametrize('has_ended, words', [
    (True, 'the simulator ended early'), (False, 'the simulator did not finish in time')])
def test_failure_of_gazebo_is_no_result_of_the_program(has_ended, words):
    trial = object.__new__(grade_trial._RosTrial)
    trial._programs, trial._assignment = [], SimpleNamespace(speed=1.0)
    trial._trial = SimpleNamespace(rules=SimpleNamespace(longest_real_time=lambda speed: 0.0))
    trial._simulators = [SimpleNamespace(ended=has_ended, log_tail=lambda: 'of gazebo'),
                         SimpleNamespace(ended=False, log_tail=lambda: 'of the referee')]
    with pytest.raises(SystemExit, match=f'{words}:\nof gazebo\nof the referee'):
        trial._watch()
