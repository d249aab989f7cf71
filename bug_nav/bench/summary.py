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

"""What a campaign has shown, as a table for a person and as a dictionary for a file."""

from __future__ import annotations

from collections import defaultdict
import itertools
import re
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from bug_nav.bench.rows import Row, STILL
from bug_nav.bench.tally import Tally
from bug_nav.bench.twins import case_of, Twins

MOST_SCORES = 200
"""A table of more scores is no table for a terminal; the report has it."""
MOST_FAULTS = 50
"""So many of the faults are listed in full."""
_SEED = re.compile(r'seed=(\d+)')
_Label = Tuple[str, ...]


class Score:
    """How an algorithm did in the worlds of a group."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.episodes = self.right = self.wrong = self.gave_up = 0
        """Counted where the world is judged."""
        self.contacts = self.all = self.successes = 0
        """Counted everywhere."""
        self.unreachable = self.certified = 0
        """Goals that were called unreachable, and those with a certificate that holds."""
        self.shared, self.length = 0, 0.0
        """Where every algorithm of the table reached the goal: how often, and the sum [m]."""

    def add(self, row: Row) -> None:
        """Count a row in."""
        self.all += 1
        self.contacts += row.contacts
        self.successes += row.success
        self.unreachable += row.certified is not None
        self.certified += row.certified is True
        if row.reachable is not None:
            self.episodes += 1
            self.wrong += bool(row.fault)
            self.gave_up += gave_up(row)
            self.right = self.episodes - self.wrong - self.gave_up

    @property
    def path(self) -> Optional[float]:
        """Mean length of the path [m]; None where there is nothing to compare."""
        return self.length / self.shared if self.shared else None


def gave_up(row: Row) -> bool:
    """Tell whether an episode ended without a verdict, as it may."""
    return row.verdict == 'none' and not row.fault


class Summary:
    """What has come out, from rows in the order of their campaign."""

    def __init__(self, algorithms: Sequence[str], rows: Iterable[Row]) -> None:
        """Count all the rows in; those of one start and goal in a world follow one another."""
        self.algorithms = algorithms
        self.scores: Dict[Tuple[str, _Label, str], Score] = defaultdict(Score)
        """By group, by what else is varied, and by algorithm."""
        self.worlds: Dict[str, Dict[str, Any]] = {}
        """By group: how many starts and goals could be judged, and what came of the others."""
        self.tally = Tally()
        self.twins = Twins()
        self.faults: List[Row] = []
        """The first of the episodes in which something is wrong."""
        self.seeds: List[int] = []
        """Smallest and largest seed of the random worlds."""
        self.episodes = self.wrong = self.contacts = self.bumped = 0
        self.min_clearance: Optional[float] = None
        self.time = self.wall_time = 0.0
        for _, case in itertools.groupby(rows, case_of):
            self._add_case(list(case))

    def _add_case(self, rows: List[Row]) -> None:
        first = rows[0]
        worlds = self.worlds.setdefault(first.group, {
            'group': first.group, 'reachable': 0, 'unreachable': 0, 'not_judged': 0,
            'episodes': 0, 'wrong': 0})
        worlds[{True: 'reachable', False: 'unreachable', None: 'not_judged'}[first.reachable]] += 1
        found = _SEED.search(first.world)
        if found:
            seeds = [*self.seeds, int(found[1])]
            self.seeds = [min(seeds), max(seeds)]
        for row in rows:
            self._add(row)
            if row.reachable is None:
                worlds['episodes'] += 1
                worlds['wrong'] += bool(row.fault)
        self._compare(rows)
        self.twins.add_case(rows)

    def _add(self, row: Row) -> None:
        self.scores[row.group, label(row), row.algorithm].add(row)
        self.tally.add(row)
        self.episodes += 1
        self.contacts += row.contacts
        self.bumped += row.bumped
        self.time += row.time
        self.wall_time += row.wall_time
        self.wrong += bool(row.fault)
        if row.fault and len(self.faults) < MOST_FAULTS:
            self.faults.append(row)
        if row.min_clearance is not None:
            self.min_clearance = min(row.min_clearance, self.min_clearance or row.min_clearance)

    def _compare(self, rows: List[Row]) -> None:
        """Add lengths where every algorithm reached the goal with the same of everything else."""
        alike: Dict[tuple, List[Row]] = defaultdict(list)
        times: Dict[tuple, int] = defaultdict(int)
        for row in rows:
            same = (label(row), row.turn)
            alike[(*same, times[(*same, row.algorithm)])].append(row)
            times[(*same, row.algorithm)] += 1
        for group in alike.values():
            if sum(row.outcome == 'reached' for row in group) == len(self.algorithms):
                for row in group:
                    score = self.scores[row.group, label(row), row.algorithm]
                    score.shared += 1
                    score.length += row.path_length

    # ---- in numbers ---------------------------------------------------------------------------

    def table_rows(self) -> Iterator[Dict[str, Any]]:
        """Yield the scores, with the path's ratio to that of the best of its group."""
        best: Dict[tuple, float] = {}
        for (group, what, _), score in self.scores.items():
            if score.path is not None:
                best[group, what] = min(score.path, best.get((group, what), score.path))
        varied = self._varied()
        for (group, what, algorithm), score in self.scores.items():
            yield {'algorithm': algorithm, 'group': group,
                   'with': ', '.join(filter(None, itertools.compress(what, varied))),
                   'episodes': score.episodes, 'right': score.right, 'wrong': score.wrong,
                   'gave_up': score.gave_up, 'contacts': score.contacts, 'all': score.all,
                   'successes': score.successes, 'unreachable': score.unreachable,
                   'certified': score.certified, 'path': score.path,
                   'to_best': score.path / best[group, what] if score.path else None}

    def _varied(self) -> List[bool]:
        labels = {what for _, what, _ in self.scores}
        return [len(set(each)) > 1 for each in zip(*labels)]

    def as_dict(self) -> Dict[str, Any]:
        """Return everything for a JSON file; a number that does not exist is None."""
        return {'scores': list(self.table_rows()), 'worlds': list(self.worlds.values()),
                'verdicts': list(self.tally.table_rows()),
                'twins': list(self.twins.table_rows()),
                'contacts': self.contacts, 'bumped': self.bumped,
                'min_clearance': self.min_clearance,
                'time': self.time, 'real_time_factor': self._real_time_factor()}

    def _real_time_factor(self) -> float:
        return self.time / max(self.wall_time, 1e-9)

    # ---- in words -----------------------------------------------------------------------------

    def text(self, heading: str, with_success: bool = True) -> str:
        """Return the summary for a person, perhaps with the share of successes."""
        clearance = self.min_clearance
        nearest = 'none' if clearance is None else f'{clearance:.3f} m'
        return '\n'.join([
            heading, '', *self._table_of_scores(with_success), '', *self._table_of_worlds(), '',
            f'contacts {self.contacts}, bumped {self.bumped} times, smallest clearance of the '
            f'body {nearest}, {self.time / 3600.0:.1f} h simulated, '
            f'{self._real_time_factor():.0f} times real time', *self._list_of_faults(),
            *self._table_of_twins(), *self._table_of_verdicts()])

    def _table_of_scores(self, with_success: bool) -> List[str]:
        rows = list(self.table_rows())
        if len(rows) > MOST_SCORES:
            return [f'{len(rows)} lines of scores are too many to be read here: see the report']
        width = max([0, *(len(row['with']) + 2 for row in rows if row['with'])])
        wide = max([11, *(len(row['group']) + 1 for row in rows)])
        lines = [f'{"algorithm":<15}{"worlds":<{wide}}{"with" if width else "":<{width}}'
                 f'{"episodes":>9}{"right":>8}{"wrong":>7}{"gave up":>9}{"contacts":>10}'
                 + f'{"certified *":>13}'
                 + (f'{"success":>10}' if with_success else '')
                 + f'{"path **":>10}{"to best":>9}']
        for row in rows:
            path, to_best = row['path'], row['to_best']
            success = f'{100.0 * row["successes"] / row["all"]:>8.1f} %' if with_success else ''
            lines.append((
                f'{row["algorithm"]:<15}{row["group"]:<{wide}}{row["with"]:<{width}}'
                f'{row["episodes"]:>9}{row["right"]:>8}{row["wrong"]:>7}{row["gave_up"]:>9}'
                f'{row["contacts"]:>10}{_certified(row):>13}{success}'
                + ('' if path is None else f'{path:>8.2f} m{to_best:>9.3f}')).rstrip())
        return [*lines, '*  Of the goals that were called unreachable, those with a certificate '
                'that holds.',
                '** Mean length where every algorithm of the table reached the goal.']

    def _table_of_twins(self) -> List[str]:
        lines = list(self.twins.lines())
        return ['', *lines] if lines else []

    def _table_of_verdicts(self) -> List[str]:
        # The last one, for what is above it may be long.
        lines = list(self.tally.lines())
        return ['', *lines] if lines else []

    def _table_of_worlds(self) -> List[str]:
        wide = max([11, *(len(group) + 1 for group in self.worlds)])
        lines = [f'{"worlds":<{wide}}{"reachable":>11}{"unreachable":>13}{"not judged *":>14}'
                 f'{"share":>9}{"episodes":>10}{"wrong":>7}']
        for row in self.worlds.values():
            share = row['not_judged'] / (
                row['reachable'] + row['unreachable'] + row['not_judged'])
            lines.append(f'{row["group"]:<{wide}}{row["reachable"]:>11}{row["unreachable"]:>13}'
                         f'{row["not_judged"]:>14}{100.0 * share:>7.1f} %'
                         f'{row["episodes"]:>10}{row["wrong"]:>7}')
        return [*lines, '* The truth there hangs on 2 cm. Right is any verdict but UNREACHABLE '
                'where the goal', '  can be reached at rho + 2 cm (soundness).']

    def _list_of_faults(self) -> Iterator[str]:
        for row in self.faults:
            yield ''
            yield (f'WRONG: {row.algorithm} in {row.world}, turning {row.turn}: {row.outcome} '
                   f'after {row.path_length:.1f} m; {row.fault}')
            yield from (f'  {line}' for line in row.message.splitlines())
            yield f'  {row.command}'
        if self.wrong > len(self.faults):
            yield f'\nand {self.wrong - len(self.faults)} more'


def _certified(row: Dict[str, Any]) -> str:
    return f'{row["certified"]} of {row["unreachable"]}' if row['unreachable'] else ''


def label(row: Row) -> _Label:
    """Return what is varied beside algorithm, world and turn, in words."""
    return (row.robot, row.follower, f'range noise {row.range_noise:g} m', row.odometry,
            f'noise {row.odometry_noise:g}', row.variant, f'correction {row.correction}',
            STILL if row.still else '')
