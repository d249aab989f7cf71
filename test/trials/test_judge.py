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

"""Evaluation of trials with faults."""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.settings import Settings
import faults
import pytest
from trials.fault import Fault, Kind
from trials.judge import bound_of, failures_of, LONG, MARGIN, Seen, table

KIND = Kind('kind', lambda random: Fault())
RIGHT = Seen('kind', 'box', 'bug2', 'driving', outcome='scan_stale', ended_after=2.1,
             stood_after=0.7, next_outcome='reached')


def seen(**changes) -> Seen:
    return dataclasses.replace(RIGHT, **changes)


def test_trial_whose_goal_ends_and_robot_stops_is_right():
    assert failures_of(KIND, RIGHT) == []


@pytest.mark.parametrize('changes, wrong', [
    ({'outcome': 'none'}, 'the goal does not end'), ({'contacts': 1}, 'contact'),
    ({'outcome': 'unreachable'}, 'outcome unreachable'),
    ({'outcome': 'internal'}, 'outcome internal'),
    ({'outcome': 'reached', 'off': 1.0}, '"reached", and it is not'),
    ({'stands': False}, 'drives on after the end'), ({'missing': 9}, 'commands are missing'),
    ({'next_outcome': 'blocked'}, 'next goal: blocked'),
    ({'next_outcome': ''}, 'next goal: not sent'),
    ({'lost': 'no answer to a goal'}, 'after driving: no answer to a goal')])
def test_failure_of_a_trial_is_reported(changes, wrong):
    assert failures_of(KIND, seen(**changes)) == [wrong]


def test_false_reached_is_right_if_the_fault_moves_the_frame():
    moving = KIND._replace(moves_frame=True)
    assert failures_of(moving, seen(outcome='reached', off=1.0)) == []


def test_contact_is_excused_if_no_node_can_prevent_it():
    excused = KIND._replace(excuse='the base drives on')
    assert failures_of(excused, seen(contacts=1, next_outcome='')) == []
    assert table([excused], [seen(contacts=1)])[0][6] == '1 (the base drives on)'


def test_only_the_outcomes_of_a_kind_are_right():
    kind = KIND._replace(outcomes=('bad_goal',))
    assert failures_of(kind, seen(outcome='bad_goal')) == []
    assert failures_of(kind, RIGHT) == ['outcome scan_stale']


def test_time_limit_is_longer_for_drivable_goals():
    assert bound_of(KIND) == Settings.give_up_timeout + MARGIN
    assert bound_of(KIND._replace(drivable=True)) == bound_of(KIND._replace(span=1.0)) == LONG


def test_kinds_with_failures_are_first_in_the_table():
    other = KIND._replace(name='other')
    rows = table([KIND, other], [RIGHT, RIGHT, seen(kind='other', contacts=1), seen(kind='other')])
    assert [row[:3] for row in rows] == [('other', '1 of 2', 'contact (1)'),
                                         ('kind', '2 of 2', '')]
    assert rows[1][3:6] == ('scan_stale', '2.1 s', '0.7 s')


def test_kinds_are_selected_by_group_or_by_part_of_the_name():
    groups = {'scan': [KIND._replace(name='zeros')], 'odom': [KIND._replace(name='odom late')]}
    assert [kind.name for kind in faults.chosen(groups, '')] == ['zeros', 'odom late']
    assert [kind.name for kind in faults.chosen(groups, 'scan, late')] == ['zeros', 'odom late']
    assert [kind.name for kind in faults.chosen(groups, 'zer')] == ['zeros']


def test_table_is_inserted_between_the_markers_of_the_page():
    page = faults.with_tables('', faults.PAGE.read_text('utf-8'), {'faults': '| a |\n|---|'})
    assert '| a |\n|---|\n<!-- faults: end -->' in page
    assert '| a |' not in faults.with_tables('', page, {'faults': '| b |'})


def test_page_has_faults_and_outcomes_without_counts_and_times():
    rows = table([KIND], [RIGHT, seen(outcome='reached')])
    assert faults.outcomes(rows).splitlines() == [
        '| fault | outcome |', '| --- | --- |', '| kind | scan_stale, reached |']


def test_unknown_times_are_empty_in_the_table():
    (row,) = table([KIND], [seen(outcome='none', ended_after=math.inf)])
    assert row[4] == row[5] == ''
