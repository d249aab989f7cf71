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

"""Comparison of episodes with their static baseline."""

from __future__ import annotations

import dataclasses

from bug_nav.lab.rows import Row
from bug_nav.lab.spec import make_spec
from bug_nav.lab.static_baseline import BaselineComparison
from bug_nav.lab.summary import Summary
from campaign_helpers import rows_of
import pytest


@pytest.fixture(scope='module')
def reached() -> Row:
    """Return an episode that has reached the goal."""
    (row,) = rows_of(make_spec({'worlds': [{'world': 'box'}], 'repetitions': 1}))
    return row


def pair(row: Row, seed: int, ratio: float, **changes) -> list:
    """Return an episode and its baseline, which took 100 s."""
    baseline = dataclasses.replace(row, seed=seed, time=100.0, still=True)
    return [dataclasses.replace(row, seed=seed, time=100.0 * ratio, **changes), baseline]


def test_comparison_has_the_median_ratio_and_hourly_rates(reached):
    rows = [*pair(reached, 1, 1.2), *pair(reached, 2, 4.0, bumped=2), *pair(reached, 3, 1.6),
            *pair(reached, 4, 0.4, outcome='unreachable', verdict='wrong',
                  contacts=1)]
    (figures,) = BaselineComparison(rows).table_rows()
    assert (figures['episodes'], figures['reached'], figures['still_reached']) == (4, 3, 4)
    assert figures['time_ratio'] == pytest.approx(1.6) and figures['false_unreachable'] == 1
    assert figures['bumped_an_hour'] == pytest.approx(10.0)  # in 720 s
    assert figures['contacts_an_hour'] == pytest.approx(5.0)


def test_unreachable_is_false_only_if_the_verdict_is_wrong(reached):
    rows = pair(reached, 1, 1.0, outcome='unreachable', verdict='right')  # a door opened later
    (figures,) = BaselineComparison(rows).table_rows()
    assert figures['false_unreachable'] == 0 and figures['time_ratio'] is None


@pytest.mark.parametrize('changes, count', [
    ({'verdict': 'wrong', 'goal_error': 2.0}, 0), ({'outcome': 'reached_uncertain'}, 1),
    ({'outcome': 'reached_uncertain', 'verdict': 'none'}, 0)])
def test_goal_is_reached_only_in_truth(reached, changes, count):
    rows = pair(reached, 1, 1.5, **changes)
    (figures,) = BaselineComparison(rows).table_rows()
    assert figures['reached'] == count and figures['still_reached'] == 1
    assert figures['time_ratio'] == (1.5 if count else None)


def test_episode_without_a_static_baseline_is_not_compared(reached):
    alone = BaselineComparison([reached])
    assert list(alone.table_rows()) == [] == list(alone.lines())
    other = [reached, dataclasses.replace(reached, seed=reached.seed + 1, still=True)]
    assert list(BaselineComparison(other).table_rows()) == []


def test_summary_counts_bumps_and_has_the_table_of_the_baseline(reached):
    text = Summary(['bug2'], pair(reached, 1, 1.5, bumped=3)).text('moving')
    assert 'bumped 3 times' in text and '    1.50  ' in text


def test_long_name_of_an_algorithm_is_set_apart_in_every_table(reached):
    name = 'tangent_bug_of_another_package'
    rows = [dataclasses.replace(row, algorithm=name) for row in pair(reached, 1, 1.5)]
    lines = Summary([name], rows).text('moving').splitlines()
    scores = [line.split() for line in lines if line.startswith(name)]
    assert len(scores) == 3 and all(cells[0] == name for cells in scores)
    headings = [line for line in lines if line.startswith('algorithm')]
    assert all(line.index('worlds') == len(name) + 1 for line in headings)
