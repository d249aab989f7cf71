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

"""The benchmark BARN: worlds of a folder, the metric, and a campaign with both."""

from __future__ import annotations

from bug_nav.cli.parser import main
from bug_nav.lab.barn import barn_columns, barn_entries, BarnTable, path_length
from bug_nav.lab.spec_values import SpecError
from bug_nav.lab.table import read_table
from campaign_helpers import OneThread
import numpy as np
import pytest

POST = """<sdf version="1.6"><world name="w"><model name="post"><static>1</static>
<pose>-2.0 8.0 0.5 0 0 0</pose><link name="l"><collision name="c"><geometry>
<cylinder><radius>0.075</radius><length>1</length></cylinder>
</geometry></collision></link></model></world></sdf>
"""


@pytest.fixture
def folder(tmp_path):
    """Three worlds in the format of BARN, each with one post and a path straight ahead."""
    worlds = tmp_path / 'BARN'
    (worlds / 'path_files').mkdir(parents=True)
    for number in (0, 2, 10):
        (worlds / f'world_{number}.world').write_text(POST)
        np.save(worlds / 'path_files' / f'path_{number}.npy', np.array([[15, 0], [15, 29]]))
    return worlds


def drive(speed, length=10.0):
    """Return the times and places of a straight drive that starts after 1 s."""
    stamps = np.arange(0.0, 1.0 + length / speed, 0.05)
    return stamps, np.column_stack((speed * np.maximum(stamps - 1.0, 0.0), 0.0 * stamps))


@pytest.mark.parametrize('speed, metric', [
    (2.0, 0.5),  # faster than 2 OT counts no more
    (0.5, (10.0 / 2.0) / (8.9 / 0.5)), (0.1, 0.125)])
def test_metric_compares_the_time_in_motion_with_the_optimal_time(speed, metric):
    columns = barn_columns(*drive(speed), (10.0, 0.0), 1.0, 10.0)
    assert columns['travel_time'] == pytest.approx(8.9 / speed, abs=0.11)
    assert columns['barn_metric'] == pytest.approx(metric, rel=0.01)


def test_metric_of_a_robot_that_does_not_arrive_is_zero():
    assert barn_columns(*drive(1.0, 8.0), (10.0, 0.0), 1.0, 10.0) == {
        'travel_time': None, 'barn_metric': 0.0}


def test_episode_without_a_reference_length_has_no_metric():
    assert barn_columns(*drive(1.0), (10.0, 0.0), 1.0, None) == {}


def test_path_length_includes_the_ways_from_the_start_and_to_the_goal(folder):
    # Cells of 0.15 m: the path is 4.35 m long, from 5.075 m on and 0.075 m beside the start.
    assert path_length(folder / 'path_files' / 'path_0.npy') == pytest.approx(
        np.hypot(0.075, 2.075) + 4.35 + np.hypot(0.075, 3.575), abs=1e-3)


@pytest.mark.parametrize('every, names', [(1, ['world_0', 'world_2', 'world_10']),
                                          (2, ['world_0', 'world_10'])])
def test_worlds_of_a_folder_are_in_the_order_of_their_numbers(folder, every, names):
    entries = barn_entries(folder, every)
    assert [entry['world'] for entry in entries] == [
        str(folder / f'{name}.world') for name in names]
    assert all(entry['goal'][1] - entry['start'][1] == 10.0 for entry in entries)


def test_folder_without_worlds_is_rejected_with_the_place_to_get_them(tmp_path):
    with pytest.raises(SpecError, match='has no files such as world_0.world; give the folder '
                       'jackal_helper/worlds/BARN of https'):
        barn_entries(tmp_path)


def test_world_without_a_path_is_rejected_by_the_name_of_the_path(folder):
    (folder / 'path_files' / 'path_2.npy').unlink()
    with pytest.raises(SpecError, match='path_2.npy is not a path of BARN .No such file'):
        barn_entries(folder)


def test_path_that_is_no_array_is_rejected(folder):
    (folder / 'path_files' / 'path_2.npy').write_text('nothing')
    with pytest.raises(SpecError, match='path_2.npy is not a path of BARN'):
        barn_entries(folder)


@pytest.mark.parametrize('options, sentence', [
    ([], 'the campaign barn has no worlds of its own; give --worlds FOLDER'),
    (['--every', '6'], '--every 6 has no effect without --worlds; give both')])
def test_campaign_without_worlds_is_rejected(options, sentence, tmp_path, capsys):
    assert main(['campaign', 'barn', *options, '--out', str(tmp_path / 'out')]) == 2
    assert sentence in capsys.readouterr().err


def test_campaign_reports_the_metric_of_every_world_and_its_mean(
        folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr('bug_nav.cli.campaign.Pool', lambda count: OneThread())
    out = tmp_path / 'out'
    assert main(['campaign', 'barn', '--worlds', str(folder), '--every', '2', '--format', 'csv',
                 '--out', str(out)]) == 0
    rows = list(read_table(out))
    assert len(rows) == 2 and all(row.success and 0.4 < row.barn_metric <= 0.5 for row in rows)
    assert all('--start=-2.25,3,1.57 --goal=-2.25,13' in row.command for row in rows)
    mean = sum(row.barn_metric for row in rows) / 2
    printed = next(line for line in capsys.readouterr().out.splitlines()
                   if line.startswith('tangent_bug') and 'world_0' in line)
    assert printed.split()[:4] == ['tangent_bug', '2', '2', '0'] and f'{mean:.4f}' in printed
    table = BarnTable()
    table.add(rows[0])
    assert f'{rows[0].barn_metric:.4f}' in '\n'.join(table.lines())
