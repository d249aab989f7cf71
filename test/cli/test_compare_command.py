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

"""``bug_nav compare``: several runs, one table, one figure."""

from __future__ import annotations

import csv
import json

from bug_nav.cli.parser import main
from bug_nav.lab.compare import COLUMNS
from bug_nav.visualization.sheet import draw_sheet
import pytest
from subsets import subset


def test_table_has_one_line_per_algorithm_and_turn(capsys, ground_truth):
    assert main(['compare', 'box', '--algorithm', 'bug2,tangent_bug', '--turn', 'both']) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith('box, burger, seed 1; the shortest path is 6.4')
    assert [line.split()[:3] for line in out[2:]] == [
        ['bug2', 'left', 'reached'], ['bug2', 'right', 'reached'],
        ['tangent_bug', 'own', 'reached']]
    assert len({len(line) for line in out[1:]}) == 1


def test_json_has_a_report_for_each_run_with_ratio_and_bound(capsys, ground_truth):
    assert main(['compare', 'u_trap', '--algorithm', 'bug1,bug0', '--json']) == 0
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    bug1, bug0 = told['runs']
    driven = bug1['path_length'] + bug1['goal_error']
    assert bug1['ratio'] == pytest.approx(driven / told['shortest_path'])
    assert bug1['path_length'] < bug1['bound'] and bug1['bound_formula'].startswith('D + 1.5')
    assert bug0['outcome'] == 'loop_detected' and bug0['ratio'] is None and bug0['bound'] is None


def test_path_through_a_narrower_gap_sets_the_shortest_path_of_all(capsys, ground_truth):
    argv = ['compare', 'random:cluttered?seed=7', '--algorithm', 'bug2,tangent_bug',
            '--seed', '3']
    assert main([*argv, '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert {run['shortest_path'] for run in told['runs']} == {told['shortest_path']}
    assert {run['shortest_path_margin'] for run in told['runs']} == {0.02}
    assert min(run['ratio'] for run in told['runs']) >= 1.0
    assert main(argv) == 0
    assert 'the shortest path with 2 cm less clearance is 4.' in capsys.readouterr().out


def test_each_algorithm_receives_only_its_own_settings(capsys):
    settings = ['--set', 'bug2.leave_margin=0.02', '--set', 'clearance=0.15']
    assert main(['compare', 'box', '--algorithm', 'bug2,bug0', *settings, '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['contour_radius'] == pytest.approx(0.274)
    assert main(['compare', 'box', '--algorithm', 'bug0', *settings]) == 2
    assert "'bug2.leave_margin' is a parameter of bug2" in capsys.readouterr().err


@pytest.mark.slow
def test_table_is_written_for_latex_and_for_spreadsheets(tmp_path, capsys):
    for ending in ('csv', 'tex'):
        assert main(['compare', 'box', '--algorithm', 'bug2,tangent_bug', '--table',
                     str(tmp_path / f'a.{ending}')]) == 0
        assert f'a.{ending}' in capsys.readouterr().err
    with open(tmp_path / 'a.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    assert [row['algorithm'] for row in rows] == ['bug2', 'tangent_bug']
    assert 6.0 < float(rows[0]['path_length']) < 10.0
    tex = (tmp_path / 'a.tex').read_text(encoding='utf-8').splitlines()
    body = tex[tex.index(r'\midrule') + 1:tex.index(r'\bottomrule')]
    assert [line.count('&') for line in body] == [len(COLUMNS) - 1] * 2
    assert r'tangent\_bug' in body[1] and body[1].endswith(r'\\')


@pytest.mark.parametrize('ending', subset(['png', 'svg', 'pdf', 'gif'], 4))
def test_picture_is_written_and_reported(ending, tmp_path, capsys):
    path = tmp_path / f'a.{ending}'
    assert main(['compare', 'box', '--algorithm', 'bug2,bug1', '--plot', str(path)]) == 0
    assert path.stat().st_size > 5000
    assert capsys.readouterr().err.splitlines()[-1] == f'bug_nav: wrote {path}'


@pytest.mark.parametrize('argv, told', [
    (['--algorithm', 'bug2,tangentbug'], "did you mean 'tangent_bug'?"),
    (['--turn', 'left,up'], "--turn (turn_direction) is 'up'"),
    (['--algorithm', 'bug1', 'bug2'], '; separate names by commas: --algorithm bug1,bug2 (see'),
    (['--speed-up', '3', '--plot', 'a.png'], '--speed-up applies to an animation'),
    (['--algorithm', 'bug2,,bug1'], 'give names separated by commas'),
    (['--turn', 'lef'], "'lef'"), (['--table', 'a.xlsx'], 'must end in .csv or .tex'),
    (['--plot', 'a.bmp'], 'must end in'), (['--set', 'clearence=1'], "did you mean 'clearance'?")])
def test_bad_input_is_reported_in_one_sentence(argv, told, capsys):
    assert main(['compare', 'box', *argv]) == 2
    err = capsys.readouterr().err
    assert told in err and err.count('\n') == 1


@pytest.mark.parametrize('argv', [['--algorithm', 'bug1,bug2'], ['--turn', 'both']])
def test_run_with_several_algorithms_suggests_compare(argv, capsys):
    assert main(['run', 'box', *argv]) == 2
    assert '`bug_nav compare` runs several' in capsys.readouterr().err


@pytest.mark.slow
def test_side_by_side_draws_a_map_for_each_run(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr('bug_nav.visualization.sheet.draw_sheet', lambda records, columns: (
        drawn.append((len(records), columns)) or draw_sheet(records, columns)))
    assert main(['compare', 'box', '--algorithm', 'bug1,bug2', '--side-by-side', '--plot',
                 str(tmp_path / 'two.png')]) == 0
    assert drawn == [(2, 2)] and (tmp_path / 'two.png').stat().st_size > 5000


@pytest.mark.slow
def test_side_by_side_animation_is_rejected(tmp_path, capsys):
    assert main(['compare', 'box', '--algorithm', 'bug1,bug2', '--side-by-side', '--plot',
                 str(tmp_path / 'two.gif')]) == 2
    assert '--side-by-side draws a still picture' in capsys.readouterr().err


@pytest.mark.slow
def test_crowded_map_suggests_side_by_side(tmp_path, capsys):
    assert main(['compare', 'box', '--algorithm', 'bug0,bug1,bug2,tangent_bug', '--plot',
                 str(tmp_path / 'four.png')]) == 0
    assert '--side-by-side draws a map for each' in capsys.readouterr().err
