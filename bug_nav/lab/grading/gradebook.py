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

"""The table of a class: one row per submission, as CSV and as text."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from bug_nav.files.paths import atomic_write
from bug_nav.lab.grading.judgement import Judgement
from bug_nav.lab.grading.rubric import Criterion, Mark, marks, total

FORMULA = ('=', '+', '-', '@', '\t', '\r')
"""First characters with which spreadsheets begin a formula."""


class Grade(NamedTuple):
    """A graded submission."""

    name: str
    trials: Tuple[Judgement, ...]
    marks: Tuple[Mark, ...]

    @property
    def points(self) -> float:
        """Return the points."""
        return total(self.marks)[0]

    @property
    def maximum(self) -> float:
        """Return the maximum number of points."""
        return total(self.marks)[1]

    @property
    def percent(self) -> float:
        """Return the share of the points [%]."""
        return 100.0 * self.points / self.maximum if self.maximum else 0.0

    @property
    def problem(self) -> str:
        """Return the first reason why the program crashed, was silent or was not graded."""
        return next((trial.reason for trial in self.trials if trial.reason), '')


def grade_of(name: str, trials: Sequence[Judgement], rubric: Sequence[Criterion]) -> Grade:
    """Return the grade of a submission."""
    return Grade(name, tuple(trials), tuple(marks(rubric, trials)))


def row_of(grade: Grade) -> Dict[str, Any]:
    """Return a row of the table of a class."""
    trials = grade.trials
    can = [trial for trial in trials if trial.reachable is not False]
    cannot = [trial for trial in trials if trial.reachable is False]
    ratios = [trial.ratio for trial in can if trial.reached and trial.ratio is not None]
    return {
        'name': _safe(grade.name), 'points': round(grade.points, 1),
        'maximum': round(grade.maximum, 1), 'percent': round(grade.percent, 1),
        **{f'points: {mark.criterion.title}': round(mark.points, 1) if mark.applies else ''
           for mark in grade.marks},
        'goals_reached': sum(trial.reached for trial in can),
        'goals_passed': sum(trial.arrival == 'passed' for trial in can),
        'goals_reachable': len(can),
        'goals_proved': sum(trial.solved for trial in cannot),
        'goals_unreachable': len(cannot),
        'wrong_verdicts': sum(trial.verdict_right is False for trial in trials),
        'contacts': sum(trial.contacts for trial in trials),
        'contact_time': round(sum(trial.contact_time for trial in trials), 1),
        'mean_ratio': round(sum(ratios) / len(ratios), 2) if ratios else '',
        'endings': _safe('; '.join(f'{trial.world}: {trial.ending}' for trial in trials)),
        'problem': _safe(grade.problem)}


def write_table(grades: Sequence[Grade], path: Path) -> None:
    """Write the table of a class as CSV, for the learning platform."""
    rows = list(map(row_of, grades))
    with atomic_write(path) as partial, open(
            partial, 'w', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _safe(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    line = ' '.join(text.split())
    return f"'{line}" if line.startswith(FORMULA) else line


def as_text(grades: Sequence[Grade]) -> str:
    """Return the table of a class for a terminal."""
    rows = [('', 'points', 'reached', 'proved', 'contacts', 'ratio', 'endings')]
    for grade in grades:
        row = row_of(grade)
        rows.append((
            grade.name, f'{row["points"]:g}/{row["maximum"]:g}',
            f'{row["goals_reached"]}/{row["goals_reachable"]}'
            + (f' (+{row["goals_passed"]} passed)' if row['goals_passed'] else ''),
            f'{row["goals_proved"]}/{row["goals_unreachable"]}', str(row['contacts']),
            str(row['mean_ratio']), _counted([trial.ending for trial in grade.trials])))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return '\n'.join('  '.join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _counted(endings: List[str]) -> str:
    return ', '.join(f'{endings.count(each)} {each}' for each in dict.fromkeys(endings))
