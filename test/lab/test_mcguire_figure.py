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

"""Figure of the success rate over odometry noise."""

from __future__ import annotations

import statistics

from bug_nav.lab.spec import load_spec
from bug_nav.lab.table import write_table
from campaign_helpers import rows_of
import pytest

pytest.importorskip('matplotlib', minversion='3.7')
import draw_mcguire as tool  # noqa: E402

# These tests share their episodes.
pytestmark = [pytest.mark.xdist_group('mcguire'), pytest.mark.slow]


@pytest.fixture(scope='module')
def rows():
    """Return the rows of a small part of the campaign."""
    return rows_of(load_spec('mcguire_2019', [
        ('worlds', [{'world': 'random:rooms', 'count': 1, 'goals': 'reachable'}]),
        ('repetitions', 1), ('algorithms', ['bug0', 'bug2']), ('odometry.0.noise', [0, 0.2])]))


def test_lines_show_the_success_rates_with_and_without_correction(rows):
    found = tool.shares(rows)
    assert {name: sorted(each) for name, each in found.items()} == {
        'bug0': ['none', 'scan_matching'], 'bug2': ['none', 'scan_matching']}
    figure = tool.draw(found)
    for panel, name in zip(figure.axes, ('bug0', 'bug2')):
        lines = {line.get_label(): line for line in panel.get_lines()}
        for correction, (label, _, _) in tool.LINES.items():
            wanted = [statistics.mean(row.success for row in rows if (
                row.algorithm, row.correction, row.odometry_noise) == (name, correction, noise))
                for noise in (0.0, 0.2)]
            assert list(lines[label].get_xdata()) == [0.0, 0.2]
            assert list(lines[label].get_ydata()) == wanted
        assert ('theirs, with noise: below this' in lines) == (name == 'bug2')
    assert not any(panel.get_visible() for panel in figure.axes[2:])


def test_program_draws_the_figure_and_prints_the_table(rows, tmp_path, capsys):
    write_table(rows, tmp_path / 'rows.csv')
    assert tool.main([str(tmp_path), '--out', str(tmp_path / 'figure.png')]) == 0
    assert (tmp_path / 'figure.png').read_bytes().startswith(b'\x89PNG')
    head, *_, last = capsys.readouterr().out.splitlines()
    assert head == '| | drift correction | 0 | 0.2 |'
    assert last.startswith('| `bug2` | scan_matching | ')


def test_folder_without_rows_is_rejected(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        tool.main([str(tmp_path)])
    assert ended.value.code == 2 and 'has no rows.parquet' in capsys.readouterr().err
