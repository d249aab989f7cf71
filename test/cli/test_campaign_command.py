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

"""``bug_nav campaign``: arguments, output and files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
import sys

from bug_nav.cli.parser import main
from bug_nav.lab.spec import load_spec
from bug_nav.lab.table import read_table
from campaign_helpers import OneThread
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def here(monkeypatch):
    """Run in this process, because a pool takes seconds to start."""
    monkeypatch.setattr('bug_nav.cli.campaign.Pool', lambda count: OneThread())


@pytest.fixture
def run(here, tmp_path, capsys):
    def run(*argv):
        code = main(['campaign', *map(str, argv), '--out', str(tmp_path / 'out')])
        return code, capsys.readouterr(), tmp_path / 'out'
    return run


BOX = ('--world', 'box', '--noise', 0, '--format', 'csv')


def test_folder_holds_rows_specification_journal_and_report(run):
    code, told, out = run(*BOX, '--algorithm', 'bug1,bug2', '--turn', 'left', '--turn', 'right',
                          '--seed', 3)
    assert code == 0 and told.out.startswith('campaign: 4 episodes\n')
    assert str(out / 'rows.csv') in told.out
    rows = list(read_table(out))
    assert [(row.algorithm, row.turn) for row in rows] == [
        ('bug1', 'left'), ('bug1', 'right'), ('bug2', 'left'), ('bug2', 'right')]
    again = load_spec(str(out / 'campaign.yaml'))
    assert (again.total, again.seed) == (4, 3)
    assert (out / 'journal.jsonl').stat().st_size > 0
    if importlib.util.find_spec('jinja2'):
        assert '<html' in (out / 'report.html').read_text(encoding='utf-8')


@pytest.mark.parametrize('name', ['../../evil', '{outside}', 'a/../../../evil', '..'])
@pytest.mark.parametrize('options', [(), ('--set',)])
def test_name_of_a_campaign_writes_nothing_outside_the_folder_of_results(
        name, options, here, tmp_path, monkeypatch, capsys):
    work = tmp_path / 'deep' / 'work'
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    name = name.format(outside=tmp_path / 'evil')
    (work / 'sent.yaml').write_text('worlds: [{world: box}]\n' + (
        '' if options else f'name: {name}\n'))
    argv = ('--set', f'name={name}') if options else ()
    assert main(['campaign', 'sent.yaml', *argv]) == 2
    told = capsys.readouterr().err
    assert f"name is '{name}'; give a name for a folder" in told and told.count('\n') == 1
    assert [path.name for path in tmp_path.rglob('*') if path.is_file()] == ['sent.yaml']
    assert not (tmp_path / 'evil').exists() and not (tmp_path / 'deep' / 'evil').exists()


def test_campaign_folder_is_not_overwritten(run):
    assert run(*BOX)[0] == 0
    code, told, _ = run(*BOX)
    assert code == 2 and 'already holds a campaign; give --resume' in told.err
    code, told, _ = run(*BOX, '--resume')
    assert code == 0


@pytest.mark.parametrize('argv, words', [
    (['--seed', 4], 'whose seed is 0 and not 4'),
    (['--set', 'name=other'], "whose name is 'campaign' and not 'other'"),
    (['--algorithm', 'bug1'], "whose algorithms include 'bug2'"),
    (['--set', 'worlds.0.world=pole'], "whose worlds include 'box'"),
    (['--turn', 'right'], "whose turns include 'left'"),
    (['--set', 'success_radius=1'], 'whose success_radius is 0.5 and not 1')])
def test_another_campaign_is_not_resumed(run, argv, words):
    _, _, out = run(*BOX)
    files = {path: path.read_bytes() for path in out.iterdir()}
    code, told, _ = run(*BOX, *argv, '--resume')
    assert code == 2 and words in told.err and told.err.count('\n') == 1
    assert 'holds another campaign' in told.err and told.err.endswith('another --out\n')
    assert {path: path.read_bytes() for path in out.iterdir()} == files


def test_campaign_is_not_resumed_in_a_world_that_has_changed(run, tmp_path):
    drawing = '#########\n#.......#\n#.S...G.#\n#.......#\n#########\n'
    hall = tmp_path / 'hall.txt'
    hall.write_text(drawing)
    argv = ('--world', hall, '--noise', 0, '--format', 'csv')
    _, _, out = run(*argv)
    files = {path: path.read_bytes() for path in out.iterdir()}
    hall.write_text(drawing.replace('...G', '.#.G'))
    code, told, _ = run(*argv, '--algorithm', 'bug2,bug1', '--resume')
    assert code == 2 and told.err == (
        f"bug_nav: the world '{hall}' has changed since its episodes in {out}; undo the change, "
        'or give another --out\n')
    assert {path: path.read_bytes() for path in out.iterdir()} == files
    hall.write_text(drawing)
    code, _, _ = run(*argv, '--algorithm', 'bug2,bug1', '--resume')
    assert code == 0 and len(list(read_table(out))) == 2


def test_extended_campaign_is_resumed(run):
    run(*BOX)
    code, _, out = run(*BOX, '--world', 'pole', '--algorithm', 'bug2,bug1', '--noise', 0.01,
                       '--resume', '--set', 'repetitions=1')
    assert code == 0 and len(list(read_table(out))) == 8


def test_folder_has_the_rows_of_the_last_format_only(run):
    pytest.importorskip('pyarrow')
    run('--world', 'box', '--noise', 0, '--format', 'parquet')
    _, _, out = run(*BOX, '--algorithm', 'bug2,bug1', '--resume')
    assert [row.algorithm for row in read_table(out)] == ['bug2', 'bug1']
    assert not (out / 'rows.parquet').exists()


def test_automatic_repetitions_are_reported(run):
    _, told, _ = run('--world', 'box', '--algorithm', 'bug1,bug2', '--format', 'csv')
    assert told.err.startswith('10 episodes: 1 pair of start and goal x 2 algorithms x 5 '
                               'repetitions (automatic, because results depend on the seed')
    assert told.err.count('\n') == 1


@pytest.mark.parametrize('argv', [('--noise', 0), ('--set', 'repetitions=2')])
def test_chosen_repetitions_are_not_reported(run, argv):
    _, told, _ = run('--world', 'box', '--format', 'csv', *argv)
    assert told.err == ''


def test_options_change_a_campaign(run, tmp_path):
    (tmp_path / 'mine.yaml').write_text('worlds: [{world: box}, {world: touch}]\nname: mine\n')
    code, _, out = run(tmp_path / 'mine.yaml', '--set', 'worlds.1.world=pole', '--algorithm',
                       'class1', '--odometry-noise', '0,0.01', '--set', 'success_radius=2',
                       '--set', 'repetitions=1', '--format', 'csv')
    rows = list(read_table(out))
    assert [(row.world, row.algorithm, row.odometry, row.odometry_noise) for row in rows] == [
        (world, 'class1', 'velocity', noise) for world in ('box', 'pole') for noise in (0.0, 0.01)]


def test_worlds_are_separated_by_commas(run):
    _, _, out = run('--world', 'box,pole', '--world', 'touch', '--noise', 0, '--format', 'csv')
    assert [row.world for row in read_table(out)] == ['box', 'pole', 'touch']


def test_wrong_verdict_has_exit_code_1(run):
    code, told, _ = run(*BOX, '--set', 'success_radius=0.01')
    assert code == 1 and 'FAULT: bug2 in box' in told.out and 'bug_nav run box' in told.out
    assert told.out.startswith('campaign: 1 episode\n')


def test_wrong_verdict_under_studied_noise_has_exit_code_0(run):
    code, told, _ = run(*BOX, '--odometry-noise', 0.05, '--set', 'success_radius=0.01')
    assert code == 0 and 'FAULT' not in told.out
    assert ('faults under the noise or variants that the campaign studies, which count as '
            'results: 5 episodes (ended 5 as reached), such as\n  bug_nav run box') in told.out
    assert '  wrong' not in told.out


@pytest.mark.parametrize('argv, words', [
    ([], 'give a campaign by its file or its name'),
    (['famly'], "did you mean 'family'"),
    (['family', '--world', 'box'], 'not both'),
    (['--world', 'box', '--count', '3'], "bug_nav: 'box' has one start and goal"),
    (['--world', 'box', '--algorithm', 'bug22'], "bug_nav: unknown algorithm 'bug22'"),
    (['family', '--algorithm', 'bug22'], "bug_nav: unknown algorithm 'bug22'"),
    (['--world', 'box', '--count', '3'], 'give --places drawn for count'),
    (['--world', 'bux'], "bug_nav: unknown world 'bux'"),
    (['--world', 'box', '--noise', 'loud'], "bug_nav: --noise is 'loud'"),
    (['--world', 'box', '--set', 'seed'], 'has no value'),
    (['--world', 'box', '--set', 'sede=3'], "did you mean 'seed'"),
    (['--world', 'box', '--set', 'seed=[1'], 'is not a value'),
    (['--world', 'box', '--set', 'seed=' + '[' * 3000], 'is not a value'),
    (['--world', 'box', '--workers', '0'], 'give 1 or more'),
    (['family', '--multiply', '0'], 'give 1 or more'),
    (['family', '--multiply', '99999999999'], 'multiply by at most'),
    (['--world', 'box', '--set', 'odometry=3'], 'give a list of 1 to 10000 entries')])
def test_bad_input_is_reported_in_one_sentence_with_exit_code_2(run, argv, words):
    code, told, out = run(*argv)
    assert code == 2 and words in told.err and told.err.count('\n') == 1
    assert not (out / 'rows.csv').exists()


def test_output_folder_that_is_a_file_is_rejected(run, tmp_path):
    (tmp_path / 'out').write_text('')
    code, told, out = run(*BOX)
    assert code == 2
    assert told.err == f"bug_nav: the output folder '{out}' is a file; give another --out\n"


def test_parquet_without_pyarrow_is_rejected_before_the_first_episode(run, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    code, told, out = run('--world', 'box', '--format', 'parquet')
    assert code == 1 and told.err == (
        'bug_nav: Parquet needs pyarrow; pip install pyarrow, or choose csv\n')
    assert not out.exists()


def test_shipped_campaigns_are_listed(capsys):
    assert main(['campaign', '--list']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith('turtlebot3_2024        80 episodes') for line in lines)
    assert main(['campaign', '--list', '--every', '3']) == 2
    assert '--every has no effect with --list; leave it out' in capsys.readouterr().err


def test_generated_pages_match_the_code(capsys):
    import make_doc_tables as tool
    assert tool.main(['--check']) == 0, capsys.readouterr().err
    for page, cell in (('campaigns.md', '| `seed` |'), ('robots.md', '| `burger` |')):
        stale = (ROOT / 'docs' / page).read_text(encoding='utf-8').replace(cell, '| `stale` |')
        assert '`stale`' in stale
        assert '`stale`' not in tool.with_tables(page, stale, tool.pages()[page])
