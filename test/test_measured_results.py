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

"""Tests of results/, of the pages that show them, and of the tool that measures them."""

from __future__ import annotations

import json
from pathlib import Path
import re
from types import SimpleNamespace

import pytest

pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')
from bug_nav.files import BadInput  # noqa: E402, I100
from bug_nav.lab.table import read_table  # noqa: E402
import claims  # noqa: E402
import compare_commits  # noqa: E402
import digest_episodes  # noqa: E402
import make_doc_tables  # noqa: E402
import make_tables  # noqa: E402
import measure_results  # noqa: E402
import measurements  # noqa: E402
from measurements import Measurement, Part  # noqa: E402
import provenance  # noqa: E402
import results  # noqa: E402

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
STORED = sorted(path.parent.name for path in results.RESULTS.glob('*/manifest.json'))
ROWS = sorted(results.RESULTS.glob('*/*.csv.gz'))


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Return a function that measures some parts, and writes to a folder of its own."""
    monkeypatch.setattr(results, 'RESULTS', tmp_path / 'results')
    monkeypatch.setattr(measure_results, 'BEGUN', tmp_path / 'begun')

    def measure(*, seed=7, **parts):
        monkeypatch.setitem(measurements.MEASUREMENTS, 'it', Measurement(
            'a.md', parts, lambda data: {}, code=('tools/results.py',)))
        measure_results.store('it', seed, workers=1)
        return results.load('it')
    return measure


# ---- the pages and results/ --------------------------------------------------------------------

@pytest.mark.parametrize('page', results.PAGES)
def test_figures_of_a_page_are_the_stored_ones(page):
    text = (ROOT / page).read_text(encoding='utf-8')
    tables = results.tables_of(page)
    assert make_doc_tables.with_tables(page, text, tables) == text
    for name in tables:
        mark = f'<!-- {name}: end -->'
        changed = text.replace(mark, f'| 800 of 800 |\n{mark}')
        assert make_doc_tables.with_tables(page, changed, tables) == text != changed


@pytest.mark.parametrize('name', STORED)
def test_result_has_its_provenance_and_can_be_judged(name):
    result = results.load(name)
    assert {'commit', 'date', 'seed', 'machine', 'versions', 'seconds'} <= set(result)
    measurement = measurements.MEASUREMENTS[name]
    assert set(result['parts']) == set(measurement.parts)
    for part in result['parts'].values():
        assert '{seed}' not in part['command'] and '{out}' not in part['command']
        for share in measurement.shares(part['data']).values():
            assert 0 <= share.hits <= share.count


@pytest.mark.parametrize('path', ROWS, ids=[f'{path.parent.name}, {path.stem[:-4]}'
                                            for path in ROWS])
def test_figures_of_a_result_are_those_of_its_rows(path, tmp_path):
    name, label = path.parent.name, path.name[:-len('.csv.gz')]
    out = tmp_path / 'out'
    out.mkdir()
    measure_results.write_table(read_table(path), out / 'rows.csv')
    data = measurements.MEASUREMENTS[name].parts[label].read('', out)
    assert json.loads(json.dumps(data)) == results.load(name)['parts'][label]['data']


def test_episode_that_is_far_off_does_not_rule_the_nees_of_a_fault():
    def row(variant, nees):
        return SimpleNamespace(variant=variant, mean_nees=nees)
    rows = [*(row('slip', each) for each in (1.0, 3.0, None, 1e5)), row('none', 0.5)]
    assert results.median_nees(rows, 'slip') == '3.00'


def test_missing_result_is_reported_with_the_command_that_measures_it(tmp_path, monkeypatch):
    monkeypatch.setattr(results, 'RESULTS', tmp_path)
    (shown,) = set(results.tables_of('docs/moving.md').values())
    assert 'results/doors does not exist; run `make results NAME=doors`' in shown
    (check,) = claims.check('doors', None, 1)
    assert check.holds is None and 'does not exist' in check.measured


# ---- measuring ---------------------------------------------------------------------------------

def test_stored_result_has_its_command_and_data(measured, tmp_path):
    result = measured(one=Part('echo {seed}', '--short', '--long', measurements.lines))
    assert result['parts'] == {
        'one': {'command': 'echo 7 --long', 'data': {'lines': ['7 --long']}}}
    assert list(result['code']) == ['tools/results.py']
    assert not (tmp_path / 'begun' / 'it').exists()


def test_rows_of_a_campaign_are_stored(measured):
    command = ('bug_nav campaign --world box --algorithm bug2 --set repetitions=1 --format csv '
               '--seed {seed}')
    measured(box=Part(command, '', '', measurements.campaign(measurements.by_world)))
    (row,) = read_table(results.RESULTS / 'it' / 'box.csv.gz')
    assert (row.algorithm, row.path) == ('bug2', '')
    assert row.path_length == round(row.path_length, measure_results.DIGITS) > 1.0


def test_interrupted_measurement_continues_with_its_seed(measured, tmp_path):
    def interrupted(printed, out):
        raise KeyboardInterrupt

    first = Part('echo {seed}; echo ran >> ../ran', '', '', measurements.lines)
    with pytest.raises(KeyboardInterrupt):
        measured(seed=7, one=first, two=Part('echo', '', '', interrupted))
    assert not (tmp_path / 'results').exists()
    result = measured(seed=8, one=first, two=Part('echo {seed}', '', '', measurements.lines))
    assert [part['data']['lines'] for part in result['parts'].values()] == [['7'], ['7']]
    assert result['seed'] == 7


def test_interrupted_measurement_of_other_code_begins_anew(measured, tmp_path, monkeypatch):
    (tmp_path / 'begun' / 'it').mkdir(parents=True)
    (tmp_path / 'begun' / 'it' / 'state.json').write_text(json.dumps(
        {'code': {'tools/results.py': 'other'}, 'is_long': True, 'seed': 3}))
    assert measured(one=Part('echo {seed}', '', '', measurements.lines))['seed'] == 7


def test_failed_measurement_is_reported_and_the_stored_result_is_kept(
        measured, monkeypatch, capsys):
    measured(it=Part('echo', '', '', measurements.lines))
    monkeypatch.setattr(make_doc_tables, 'main', lambda argv: 0)
    monkeypatch.setattr(make_tables, 'main', lambda argv: 0)
    monkeypatch.setitem(measurements.MEASUREMENTS, 'it', Measurement(
        'a.md', {'it': Part('bug_nav campaign --world nowhere', '', '', measurements.campaign(
            measurements.by_world))}, measurements.verdict_shares))
    assert measure_results.main(['it']) == 1
    assert "--world nowhere' has ended with exit code 2" in capsys.readouterr().err
    assert 'parts' in results.load('it')


def test_command_gets_no_arguments_of_the_make_that_measures(measured, monkeypatch):
    # `make results NAME=cost ARGS="--seed 3"` ran `make cost ARGS="--seed 3"`.
    monkeypatch.setenv('MAKEFLAGS', ' -- ARGS=--seed\\ 3 NAME=cost')
    monkeypatch.setenv('ARGS', '--seed 3')
    result = measured(one=Part('echo $MAKEFLAGS $ARGS; true', '', '', measurements.lines))
    assert result['parts']['one']['data'] == {'lines': ['']}


def test_output_without_a_table_has_no_figures(measured):
    with pytest.raises(ValueError, match='no table was printed'):
        measured(one=Part('echo it failed', '', '', measurements.table_lines))


def test_output_with_the_head_of_a_table_alone_has_no_figures(measured):
    with pytest.raises(ValueError, match='no table was printed'):
        measured(one=Part("printf '| a |\\n|---|\\n'", '', '', measurements.table_lines))


def test_failed_program_keeps_the_stored_result(measured):
    measured(it=Part('echo', '', '', measurements.lines))
    with pytest.raises(ValueError, match='has ended with exit code 3'):
        measured(it=Part('sh -c "exit 3"', '', '', measurements.lines))
    assert 'parts' in results.load('it')


@pytest.mark.parametrize('typed, problem', [
    ('', 'no result is named; give NAME= with some of: older, protocol'),
    ('drfit', "unknown result 'drfit'; give NAME= with some of: older, protocol")])
def test_unknown_result_is_rejected(typed, problem, capsys):
    with pytest.raises(SystemExit, match='2'):
        measure_results.main([typed])
    assert problem in capsys.readouterr().err


# ---- what a result depends on ------------------------------------------------------------------

CODE = '''"""A module."""
# A comment.
X = 'a#b'  # another
Y = {'a': 'b c', 'd': 1}


def f():
    """Return 1."""
    if X:
        raise ValueError(f'{X} is wrong')
    return 1
'''


def test_code_has_no_comments_docstrings_and_messages():
    same = CODE.replace(' is wrong', ', {1 + 1}: allowed is less').replace('# A c', '# The c')
    assert provenance.code_of(same) == provenance.code_of(CODE)
    for before, after in (("'a#b'", "'a'"), ("'d': 1", "'d': 2"), ('X =', 'Z ='),
                          ('ValueError', 'OSError')):
        assert provenance.code_of(CODE.replace(before, after)) != provenance.code_of(CODE)


@pytest.mark.parametrize('before, after, is_older', [
    ('another', 'a comment', False), ('Return 1.', 'Return one.', False),
    ('is wrong', 'is bad', False), ('1\n', '2\n', True)])
def test_result_is_older_after_a_change_of_code_alone(
        before, after, is_older, measured, monkeypatch, tmp_path):
    monkeypatch.setattr(provenance, 'ROOT', tmp_path)
    (tmp_path / 'tools').mkdir()
    path = tmp_path / 'tools' / 'results.py'
    path.write_text(CODE)
    provenance.digest_of.cache_clear()
    measured(one=Part('echo', '', '', measurements.lines))
    assert measure_results.changed('it') == [] and 'current' in measure_results.status()
    path.write_text(CODE.replace(before, after))
    provenance.digest_of.cache_clear()
    assert measure_results.changed('it') == (['tools/results.py'] if is_older else [])
    assert ('older than tools/results.py' in measure_results.status()) is is_older


@pytest.fixture
def older(measured, monkeypatch):
    """Measure an episode, change the digest of the code, and return a function that compares."""
    command = ('bug_nav campaign --world box --algorithm bug2 --set repetitions=1 --format csv '
               '--seed {seed}')
    part = Part(command, '', '', measurements.campaign(measurements.by_world))
    monkeypatch.setattr(compare_commits, 'DRIVEN', ('tools/results.py',))
    monkeypatch.setattr(compare_commits, '_extract', lambda base, folder: None)
    monkeypatch.setattr(compare_commits, 'digest_of', lambda path, root: 'measured')

    def compare(before, after, code='measured'):
        measured(box=part)
        manifest = {**results.load('it'), 'code': {'tools/results.py': code}}
        measure_results._write(results.RESULTS / 'it' / results.MANIFEST, manifest)
        monkeypatch.setattr(compare_commits, '_digests', lambda commands, folder, workers: [
            after if folder == ROOT else before] * len(commands))
        return compare_commits.repeated('it', 'abc', 1, 1)
    return compare


def test_result_is_current_if_repeated_episodes_are_the_same(older):
    manifest = older('reached 12', 'reached 12')
    again = manifest['repeated']
    assert (again['base'], again['rows'], again['of']) == ('abc', 1, 1)
    assert manifest['code'] == provenance.digests(['tools/results.py'])
    assert '1 of 1 episodes repeated with commit' in results.source(manifest)


def test_result_stays_older_if_a_repeated_episode_differs(older):
    with pytest.raises(ValueError, match='(?s)^1 of 1 episodes differ.*12, now reached 13$'):
        older('reached 12', 'reached 13')


def test_comparison_with_a_commit_of_other_code_is_rejected(older):
    with pytest.raises(ValueError, match='commit abc is not the code that it measured'):
        older('reached 12', 'reached 12', code='of another commit')


def test_result_without_rows_has_to_be_measured_again(measured):
    measured(one=Part('echo', '', '', measurements.lines))
    with pytest.raises(ValueError, match='measure it again'):
        compare_commits.repeated('it', 'abc', 1, 1)


def test_digest_of_an_episode_is_that_of_its_whole_course():
    command = 'bug_nav run box --algorithm bug2 --seed '
    one, again, other = map(digest_episodes.digest, (command + '1', command + '1', command + '2'))
    assert one == again != other and one.startswith('reached ')
    assert digest_episodes.digest(command + '1 --time-allowance 1').startswith('timeout ')
    with pytest.raises(BadInput):  # or two missing worlds would be the same episode
        digest_episodes.digest('bug_nav run nowhere')


def test_every_measurement_depends_on_code_that_exists():
    for measurement in measurements.MEASUREMENTS.values():
        assert all((ROOT / path).exists() for path in measurement.depends)


def test_manifests_contain_no_path_of_the_machine():
    # The output of `make cost` began with the interpreter that made its environment.
    for path in results.RESULTS.glob(f'*/{results.MANIFEST}'):
        found = re.findall(r'(?<![\w.])/(?:home|root|tmp|usr|work)/\S*', path.read_text('utf-8'))
        assert found == [], path
