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

"""Summary of a campaign, as text tables and as a dictionary."""

from __future__ import annotations

from collections import Counter, defaultdict
import itertools
import math
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from bug_nav.lab.barn import BarnTable
from bug_nav.lab.rows import arrived, fault_text, Row, SOFTWARE_FAULTS, STATIC_BASELINE
from bug_nav.lab.static_baseline import BaselineComparison, case_of
from bug_nav.lab.verdict_counts import VerdictTable

MAX_SCORES = 200
"""Maximum number of scores that are printed."""
MAX_FAULTS = 50
"""Maximum number of faults that are listed in full."""
_Label = Tuple[str, ...]


class Score:
    """Score of an algorithm in the worlds of a group."""

    def __init__(self) -> None:
        """Start at zero."""
        self.episodes = self.right = self.fault_count = self.gave_up = 0
        """Counts in judged worlds."""
        self.reachable = self.reached = 0
        """Reachable goals, and those that were reached."""
        self.unreachable_goals = self.unreachable_right = 0
        """Unreachable goals, and those with that verdict."""
        self.contacts = self.all = self.successes = 0
        """Counts in all worlds."""
        self.unreachable = self.certified = 0
        """Outcomes `unreachable`, and those with a valid certificate."""
        self.shared, self.length = 0, 0.0
        """Episodes in which every algorithm of the table arrived, and sum of path lengths [m]."""
        self.spread: Optional[float] = None
        """Largest ratio of longest to shortest path among repetitions of a case."""

    def add(self, row: Row) -> None:
        """Add a row."""
        self.all += 1
        self.contacts += row.contacts
        self.successes += row.success
        self.unreachable += row.certified is not None
        self.certified += row.certified is True
        if row.reachable is not None:
            self.episodes += 1
            self.fault_count += bool(row.fault)
            self.gave_up += gave_up(row)
            self.right = self.episodes - self.fault_count - self.gave_up
            self.reachable += row.reachable
            self.reached += row.reachable and row.success
            self.unreachable_goals += not row.reachable
            self.unreachable_right += not row.reachable and row.verdict == 'right'

    @property
    def path(self) -> Optional[float]:
        """Mean path length [m]; None if there is nothing to compare."""
        return self.length / self.shared if self.shared else None


def is_result(row: Row, base_noise: float) -> bool:
    """
    Return whether a fault is a result of the conditions under study.

    These are odometry noise, a variant, and range noise above ``base_noise`` [m]. A contact or a
    software fault is never a result.
    """
    studied = row.odometry_noise > 0.0 or row.variant or row.range_noise > base_noise
    return bool(row.fault and studied and not row.contacts and row.outcome not in SOFTWARE_FAULTS)


def gave_up(row: Row) -> bool:
    """Return whether an episode ended without a verdict and without a fault."""
    return row.verdict == 'none' and not row.fault


class Summary:
    """Summary of rows in the order of their campaign."""

    def __init__(self, algorithms: Sequence[str], rows: Iterable[Row],
                 base_noise: float = math.inf) -> None:
        """
        Add rows; those of one start and goal in a world must be consecutive.

        :param base_noise: range noise above which faults are results [m].
        """
        self._base_noise = base_noise
        self.algorithms = algorithms
        self.scores: Dict[Tuple[str, _Label, str], Score] = defaultdict(Score)
        """By group, other varied columns, and algorithm."""
        self.worlds: Dict[str, Dict[str, Any]] = {}
        """By group: counts of judged pairs of start and goal, and results in unjudged ones."""
        self.tally = VerdictTable()
        self.static_baselines = BaselineComparison()
        self.barn = BarnTable()
        self.faults: List[Row] = []
        """First episodes with a fault that is not a result."""
        self.results: List[Row] = []
        """First episode with a fault that is a result (`is_result`)."""
        self.result_outcomes: Dict[str, int] = Counter()
        """Outcomes of all of those."""
        self.episodes = self.fault_count = self.contacts = self.bumped = 0
        self.min_clearance: Optional[float] = None
        self.time = self.wall_time = 0.0
        for _, case in itertools.groupby(rows, case_of):
            self._add_case(list(case))

    def _add_case(self, rows: List[Row]) -> None:
        first = rows[0]
        worlds = self.worlds.setdefault(first.group, {
            'group': first.group, 'reachable': 0, 'unreachable': 0, 'not_judged': 0,
            'episodes': 0, 'faults': 0})
        worlds[{True: 'reachable', False: 'unreachable', None: 'not_judged'}[first.reachable]] += 1
        for row in rows:
            self._add(row)
            if row.reachable is None:
                worlds['episodes'] += 1
                worlds['faults'] += bool(row.fault)
        self._compare(rows)
        self._spread(rows)
        self.static_baselines.add_case(rows)

    def _add(self, row: Row) -> None:
        self.scores[row.group, label(row), row.algorithm].add(row)
        self.tally.add(row)
        self.barn.add(row)
        self.episodes += 1
        self.contacts += row.contacts
        self.bumped += row.bumped
        self.time += row.time
        self.wall_time += row.wall_time
        self.fault_count += bool(row.fault)
        if is_result(row, self._base_noise):
            self.result_outcomes[row.outcome] += 1
            self.results += [row] if not self.results else []
        elif row.fault and len(self.faults) < MAX_FAULTS:
            self.faults.append(row)
        if row.min_clearance is not None:
            self.min_clearance = (row.min_clearance if self.min_clearance is None
                                  else min(row.min_clearance, self.min_clearance))

    def _compare(self, rows: List[Row]) -> None:
        """Add path lengths of cases in which every algorithm arrived under the same conditions."""
        alike: Dict[tuple, List[Row]] = defaultdict(list)
        times: Dict[tuple, int] = defaultdict(int)
        for row in rows:
            same = (label(row), row.turn)
            alike[(*same, times[(*same, row.algorithm)])].append(row)
            times[(*same, row.algorithm)] += 1
        for group in alike.values():
            if sum(map(arrived, group)) == len(self.algorithms):
                for row in group:
                    score = self.scores[row.group, label(row), row.algorithm]
                    score.shared += 1
                    score.length += row.path_length

    def _spread(self, rows: List[Row]) -> None:
        """Record the ratio of path lengths that differ only by seed."""
        alike: Dict[tuple, List[float]] = defaultdict(list)
        for row in rows:
            if arrived(row) and row.path_length > 0.0:
                alike[label(row), row.turn, row.algorithm].append(row.path_length)
        for (what, _, algorithm), lengths in alike.items():
            if len(lengths) > 1:
                score = self.scores[rows[0].group, what, algorithm]
                score.spread = max(max(lengths) / min(lengths), score.spread or 1.0)

    # ---- as numbers ---------------------------------------------------------------------------

    def table_rows(self) -> Iterator[Dict[str, Any]]:
        """Yield the scores, with the path length relative to the best of the group."""
        best: Dict[tuple, float] = {}
        for (group, what, _), score in self.scores.items():
            if score.path is not None:
                best[group, what] = min(score.path, best.get((group, what), score.path))
        varied = self._varied()
        for (group, what, algorithm), score in self.scores.items():
            yield {'algorithm': algorithm, 'group': group,
                   'with': ', '.join(filter(None, itertools.compress(what, varied))),
                   'episodes': score.episodes, 'right': score.right, 'faults': score.fault_count,
                   'gave_up': score.gave_up, 'contacts': score.contacts, 'all': score.all,
                   'successes': score.successes, 'reachable': score.reachable,
                   'reached': score.reached, 'unreachable_goals': score.unreachable_goals,
                   'unreachable_right': score.unreachable_right, 'unreachable': score.unreachable,
                   'certified': score.certified, 'path': score.path,
                   'to_best': score.path / best[group, what] if score.path else None,
                   'spread': score.spread}

    def _varied(self) -> List[bool]:
        labels = {what for _, what, _ in self.scores}
        return [len(set(each)) > 1 for each in zip(*labels)]

    # ---- as text ------------------------------------------------------------------------------

    def text(self, heading: str) -> str:
        """Return the summary as text."""
        clearance = self.min_clearance
        nearest = 'none' if clearance is None else f'{clearance:.3f} m'
        return '\n'.join([
            heading, '', *self._table_of_scores(), '', *self._table_of_worlds(), '',
            f'contacts {self.contacts}, bumped {self.bumped} times, smallest clearance of the '
            f'body {nearest}, {self.time / 3600.0:.1f} h simulated, '
            f'{self.time / max(self.wall_time, 1e-9):.0f} times real time',
            *self._list_of_faults(),
            # Last, because the list of faults may be long.
            *(line for table in (self.static_baselines, self.tally, self.barn)
              for line in _below(table.lines()))])

    def _table_of_scores(self) -> List[str]:
        rows = list(self.table_rows())
        if len(rows) > MAX_SCORES:
            return [f'{len(rows)} lines of scores are too many to print; see the report']
        spread = any(row['spread'] is not None for row in rows)
        width = max([0, *(len(row['with']) + 2 for row in rows if row['with'])])
        wide = max([11, *(len(row['group']) + 1 for row in rows)])
        named = max([15, *(len(row['algorithm']) + 1 for row in rows)])
        lines = [f'{"algorithm":<{named}}{"worlds":<{wide}}{"with" if width else "":<{width}}'
                 f'{"episodes":>9}{"right":>8}{"faults":>8}{"gave up":>9}{"contacts":>10}'
                 + f'{"certified *":>13}{"reached":>12}{"unreachable":>13}'
                 + f'{"path **":>10}{"to best":>9}' + (f'{"spread ***":>12}' if spread else '')]
        for row in rows:
            path, to_best = row['path'], row['to_best']
            lines.append((
                f'{row["algorithm"]:<{named}}{row["group"]:<{wide}}{row["with"]:<{width}}'
                f'{row["episodes"]:>9}{row["right"]:>8}{row["faults"]:>8}{row["gave_up"]:>9}'
                f'{row["contacts"]:>10}{_certified(row):>13}'
                f'{_share(row["reached"], row["reachable"]):>12}'
                f'{_share(row["unreachable_right"], row["unreachable_goals"]):>13}'
                + (' ' * 19 if path is None else f'{path:>8.2f} m{to_best:>9.3f}')
                + (f'{row["spread"]:>12.2f}' if row['spread'] is not None else '')).rstrip())
        return [*lines,
                'reached: of the reachable goals; unreachable: right verdicts on the others.',
                'faults: wrong verdicts, contacts, software faults and unexpected ends.',
                '*  Outcomes UNREACHABLE with a valid certificate.',
                '** Mean length where every algorithm of the table truly arrived.',
                *(['*** Longest path / shortest path among episodes that differ only by seed; '
                   'the maximum.'] if spread else [])]

    def _table_of_worlds(self) -> List[str]:
        wide = max([11, *(len(group) + 1 for group in self.worlds)])
        lines = [f'{"worlds":<{wide}}{"reachable":>11}{"unreachable":>13}{"not judged *":>14}'
                 f'{"share":>9}{"episodes":>10}{"faults":>8}']
        for row in self.worlds.values():
            share = row['not_judged'] / (
                row['reachable'] + row['unreachable'] + row['not_judged'])
            lines.append(f'{row["group"]:<{wide}}{row["reachable"]:>11}{row["unreachable"]:>13}'
                         f'{row["not_judged"]:>14}{100.0 * share:>7.1f} %'
                         f'{row["episodes"]:>10}{row["faults"]:>8}')
        return [*lines, '* rho - 2 cm and rho + 2 cm disagree. A verdict is a fault only if it is '
                'REACHED beyond the success', '  radius, or UNREACHABLE without a valid '
                'certificate or where the goal is reachable at rho + 2 cm.']

    @property
    def alarming(self) -> int:
        """Return the number of episodes with a fault that is not a result."""
        return self.fault_count - sum(self.result_outcomes.values())

    def _list_of_faults(self) -> Iterator[str]:
        if self.results:
            count = sum(self.result_outcomes.values())
            ends = ', '.join(f'{number} as {outcome}' for outcome, number in sorted(
                self.result_outcomes.items(), key=lambda pair: (-pair[1], pair[0])))
            yield ''
            yield (f'faults under the noise or variants that the campaign studies, which count '
                   f'as results: {count} episode{"" if count == 1 else "s"} (ended {ends}), such '
                   'as')
            yield f'  {self.results[0].command}'
        for row in self.faults:
            yield from lines_of_fault(row)
        if self.alarming > len(self.faults):
            yield f'\nand {self.alarming - len(self.faults)} more'


def lines_of_fault(row: Row) -> Iterator[str]:
    """Yield an empty line, and what is wrong with an episode, with the command that repeats it."""
    yield ''
    yield (f'FAULT: {row.algorithm} in {row.world}, turning {row.turn}: {row.outcome} '
           f'after {row.path_length:.1f} m; {fault_text(row)}')
    yield from (f'  {line}' for line in row.message.splitlines())
    yield f'  {row.command}'


def _below(lines: Iterable[str]) -> List[str]:
    """Return lines with an empty one before them; nothing without any."""
    found = list(lines)
    return ['', *found] if found else []


def _share(hits: int, total: int) -> str:
    return f'{hits}/{total}' if total else '-'


def _certified(row: Dict[str, Any]) -> str:
    return f'{row["certified"]} of {row["unreachable"]}' if row['unreachable'] else ''


def label(row: Row) -> _Label:
    """Return the conditions besides algorithm, world and turn direction, as text."""
    return (row.robot, row.follower, f'range noise {row.range_noise:g} m', row.odometry,
            f'noise {row.odometry_noise:g}', row.variant, f'correction {row.correction}',
            STATIC_BASELINE if row.still else '')
