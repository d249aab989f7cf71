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

"""Tests of points and of the table of a class."""

from __future__ import annotations

import csv
import dataclasses

from bug_nav.lab.grading.gradebook import as_text, grade_of, write_table
from bug_nav.lab.grading.judgement import Judgement
from bug_nav.lab.grading.rubric import Criterion, DEFAULT, KINDS, marks, total
from bug_nav.lab.spec_values import SpecError
import pytest

REACHED = Judgement(
    world='open', reachable=True, ending='stopped at the goal', reason='', arrival='stopped',
    time=30.0, path_length=5.0, shortest=5.0, ratio=1.0, nearest=0.1, final_distance=0.1,
    contacts=0, contact_time=0.0, commands=600, rejected=0, command_rate=20.0, fastest=0.2,
    too_fast=False, verdict='', verdict_right=None, standstill=0.0, loops=0, hits=0, leaves=0,
    leaves_on_m_line=0, laps=0, resembles='', remarks=(), factor='1')
PASSED = dataclasses.replace(REACHED, arrival='passed', ending='time limit')
MISSED = dataclasses.replace(REACHED, arrival='no', ratio=None, ending='time limit')
SILENT = dataclasses.replace(MISSED, path_length=0.0, commands=0, command_rate=0.0,
                             ending='no command', reason='No node was found.')
PROVED = dataclasses.replace(MISSED, reachable=False, verdict='unreachable', verdict_right=True)
UNPROVED = dataclasses.replace(MISSED, reachable=False)
LIED = dataclasses.replace(MISSED, verdict='unreachable', verdict_right=False)


def points(criterion, *trials, **more):
    (mark,) = marks([Criterion(criterion, 10.0, **more)], trials)
    return mark.points if mark.applies else None


@pytest.mark.parametrize('criterion, trials, expected', [
    ('reached', [REACHED], 10.0), ('reached', [PASSED], 5.0), ('reached', [MISSED], 0.0),
    ('reached', [REACHED, MISSED, PROVED], 5.0), ('reached', [PROVED], None),
    ('verdict', [PROVED], 10.0), ('verdict', [UNPROVED, PROVED], 5.0), ('verdict', [MISSED], None),
    ('truthful', [LIED], 0.0), ('truthful', [MISSED], 10.0), ('truthful', [SILENT], 0.0),
    ('runs', [SILENT], 0.0), ('runs', [MISSED], 10.0),
    ('command_rate', [REACHED], 10.0), ('command_rate', [SILENT], 0.0)])
def test_points_of_a_criterion(criterion, trials, expected):
    assert points(criterion, *trials) == expected


@pytest.mark.parametrize('contacts, expected', [(0, 10.0), (1, 7.5), (4, 0.0), (9, 0.0)])
def test_contacts_cost_points(contacts, expected):
    assert points('no_contact', dataclasses.replace(REACHED, contacts=contacts)) == expected


def test_long_contact_costs_as_much_as_several():
    scrapes = dataclasses.replace(REACHED, contacts=1, contact_time=300.0)
    brushes = dataclasses.replace(REACHED, contacts=1, contact_time=1.0)
    assert (points('no_contact', scrapes), points('no_contact', brushes)) == (0.0, 7.5)


def test_column_of_a_criterion_does_not_hide_a_count(tmp_path):
    write_table([grade_of('anna', [REACHED, REACHED, MISSED, MISSED], DEFAULT)],
                tmp_path / 'grades.csv')
    with open(tmp_path / 'grades.csv', newline='') as file:
        (row,) = csv.DictReader(file)
    assert (row['points: reached'], row['goals_reached']) == ('20.0', '2')


def test_robot_that_does_nothing_gets_no_points_for_touching_nothing():
    assert points('no_contact', SILENT) == 0.0
    assert total(marks(DEFAULT, [SILENT, SILENT]))[0] == 0.0


@pytest.mark.parametrize('ratio, expected', [(1.0, 10.0), (2.0, 10.0), (4.0, 5.0), (6.0, 0.0),
                                             (9.0, 0.0)])
def test_path_is_interpolated_from_best_to_worst(ratio, expected):
    found = dataclasses.replace(REACHED, ratio=ratio)
    assert points('path', found, best=2.0, worst=6.0) == pytest.approx(expected)


def test_criterion_that_applies_nowhere_is_not_counted():
    found = marks(DEFAULT, [REACHED])
    assert total(found) == (90.0, 90.0)  # without an unreachable goal


def test_order_of_best_and_worst_is_checked():
    with pytest.raises(SpecError, match='give less than worst'):
        Criterion('path', 10.0, best=5.0, worst=2.0)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('trial', [REACHED, PASSED, MISSED, SILENT, PROVED, UNPROVED, LIED])
def test_every_score_is_a_share(kind, trial):
    found = points(kind, trial)
    assert found is None or 0.0 <= found <= 10.0


# ---- the table ---------------------------------------------------------------------------------

def test_table_has_one_row_per_submission(tmp_path):
    grades = [grade_of('anna', [REACHED, PROVED], DEFAULT), grade_of('ben', [SILENT, UNPROVED],
                                                                     DEFAULT)]
    write_table(grades, tmp_path / 'grades.csv')
    with open(tmp_path / 'grades.csv', newline='') as file:
        anna, ben = csv.DictReader(file)
    assert (anna['name'], anna['points'], anna['goals_proved']) == ('anna', '100.0', '1')
    # Of the trial that drove, half of the points for running, no contact and truthfulness.
    assert (ben['problem'], ben['points']) == ('No node was found.', '20.0')
    assert as_text(grades).splitlines()[1].split()[:3] == ['anna', '100/100', '1/1']


@pytest.mark.parametrize('text', ['=HYPERLINK("http://x")', '+1', '-1', '@SUM(A1)'])
def test_text_of_a_program_is_no_formula_in_a_spreadsheet(tmp_path, text):
    trial = dataclasses.replace(SILENT, reason=text)
    write_table([grade_of('eve', [trial], DEFAULT)], tmp_path / 'grades.csv')
    with open(tmp_path / 'grades.csv', newline='') as file:
        (row,) = csv.DictReader(file)
    assert row['problem'].startswith("'")
