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

"""Counts of verdicts by variant and drift correction."""

from __future__ import annotations

import dataclasses

from bug_nav.lab import summary as summary_module
from bug_nav.lab.rows import Row
from bug_nav.lab.spec import make_spec
from bug_nav.lab.summary import Summary
from bug_nav.lab.verdict_counts import VerdictTable
from campaign_helpers import rows_of
import pytest


@pytest.fixture(scope='module')
def reached() -> Row:
    """Return an episode with a right verdict."""
    (row,) = rows_of(make_spec({'worlds': [{'world': 'box'}], 'repetitions': 1}))
    assert row.verdict == 'right' and row.mean_nees is not None
    return row


def rows_under_drift(reached: Row) -> list:
    def row(**changes) -> Row:
        return dataclasses.replace(reached, variant='slip', **{
            'correction': 'none', 'mean_nees': None, **changes})
    return [
        row(), row(outcome='unreachable', verdict='wrong', fault='reachable'),
        row(verdict='wrong', fault='reached, but truly 0.52 m from the goal'),
        row(outcome='undecided', verdict='none'), row(outcome='undecided', verdict='none'),
        row(outcome='timeout', verdict='none', fault='ended as timeout'),
        row(correction='scan_matching', contacts=2, fault='an obstacle was touched'),
        row(correction='scan_matching', reachable=None, verdict='unjudged', contacts=1)]


def test_every_judged_episode_is_right_false_or_undecided(reached):
    verdicts = VerdictTable(rows_under_drift(reached)).verdicts
    assert verdicts['slip', 'none'].as_dict() == {
        'episodes': 6, 'right': 1, 'false_unreachable': 1, 'false_reached': 1,
        'no_verdict': {'undecided': 2, 'timeout': 1}, 'contacts': 0}
    matched = verdicts['slip', 'scan_matching']
    assert (matched.episodes, matched.right, matched.contacts) == (1, 1, 2)


def test_uncertain_arrivals_are_right_at_the_goal_and_no_verdict_elsewhere(reached):
    uncertain = dataclasses.replace(reached, outcome='reached_uncertain')
    rows = [uncertain, uncertain, dataclasses.replace(uncertain, success=False, verdict='none')]
    counts, = VerdictTable(rows).verdicts.values()
    assert (counts.episodes, counts.right, counts.false_reached) == (3, 2, 0)
    assert counts.no_verdict_text == '1 (1 reached_uncertain)'


def test_row_without_a_variant_is_grouped_by_its_odometry(reached):
    noisy = dataclasses.replace(reached, odometry='encoders', odometry_noise=0.1)
    assert [variant for variant, _ in VerdictTable([reached, noisy]).verdicts] == [
        'perfect', 'encoders 0.1']


def test_summary_ends_with_the_table_of_verdicts(reached):
    rows = rows_under_drift(reached)
    lines = Summary(['bug2'], rows).text('drift').splitlines()
    assert lines[-3].split()[:4] == ['variant', 'correction', 'episodes', 'right']
    assert lines[-2].split() == ['slip', 'none', '6', '1', '16.7', '%', '1', '1', '0', '3', '(2',
                                 'undecided,', '1', 'timeout)']
    assert 'false UNREACHABLE' not in Summary(['bug2'], [reached]).text('one alone')


def estimated(row: Row, nees, share, error) -> Row:
    return dataclasses.replace(row, correction='scan_matching', mean_nees=nees,
                               within_two_sigma=share, max_position_error=error)


def test_estimates_are_averaged_over_the_episodes_that_have_one(reached):
    rows = [*rows_under_drift(reached), estimated(reached, 1.0, 0.9, 0.02),
            estimated(dataclasses.replace(reached, reachable=None), 4.0, 0.5, 0.3)]
    (counts,) = VerdictTable([dataclasses.replace(
        row, variant='slip', correction='scan_matching') for row in rows]).verdicts.values()
    assert counts.as_dict()['estimates'] == {
        'episodes': 2, 'mean_nees': 2.5, 'within_two_sigma': 0.7, 'max_position_error': 0.3}


def test_summary_shows_the_estimates_of_rows_that_have_them(reached):
    rows = rows_under_drift(reached)
    assert 'NEES' not in Summary(['bug2'], rows).text('older rows')
    lines = Summary(['bug2'], [*rows, estimated(reached, 2.345, 0.876, 0.0123)]).text('').split(
        '\n')
    head, none, matched, other = (line.split() for line in lines[-5:-1])
    assert head[10:17] == ['NEES', 'in', '2', 'sigma', 'max', 'error', 'no']
    assert other[-6:] == ['2.35', '87.6', '%', '0.012', 'm', '0']
    assert none[8:10] == ['0', '3'] and matched[8:] == ['2', '0']


def test_too_many_scores_are_not_printed(reached, monkeypatch):
    rows = rows_under_drift(reached)
    assert 'too many' not in Summary(['bug2'], rows).text('few')
    monkeypatch.setattr(summary_module, 'MAX_SCORES', 1)
    assert '2 lines of scores are too many to print' in Summary(['bug2'], rows).text('')
