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

from collections import Counter, defaultdict
import itertools
import math
import re
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from bug_nav.bench.rows import arrived, BROKEN, Row, STILL
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
        self.reachable = self.reached = 0
        """Goals that can be reached, and those of them that were."""
        self.unreachable_goals = self.unreachable_right = 0
        """Goals that cannot be reached, and those of them with that verdict."""
        self.contacts = self.all = self.successes = 0
        """Counted everywhere."""
        self.unreachable = self.certified = 0
        """Goals that were called unreachable, and those with a certificate that holds."""
        self.shared, self.length = 0, 0.0
        """Where every algorithm of the table truly arrived: how often, and the sum [m]."""
        self.spread: Optional[float] = None
        """The longest path by the shortest of the repetitions of a case, at most."""

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
            self.reachable += row.reachable
            self.reached += row.reachable and row.success
            self.unreachable_goals += not row.reachable
            self.unreachable_right += not row.reachable and row.verdict == 'right'

    @property
    def path(self) -> Optional[float]:
        """Mean length of the path [m]; None where there is nothing to compare."""
        return self.length / self.shared if self.shared else None


def is_result(row: Row, usual_noise: float = math.inf) -> bool:
    """
    Tell whether what is wrong with an episode is what the campaign asks about.

    So it is where its odometry has noise, where it is of a variant, and at more range noise than
    ``usual_noise`` [m]. A contact is none, nor is a fault of the software.
    """
    studied = row.odometry_noise > 0.0 or row.variant or row.range_noise > usual_noise
    return bool(row.fault and studied and not row.contacts and row.outcome not in BROKEN)


def gave_up(row: Row) -> bool:
    """Tell whether an episode ended without a verdict, as it may."""
    return row.verdict == 'none' and not row.fault


class Summary:
    """What has come out, from rows in the order of their campaign."""

    def __init__(self, algorithms: Sequence[str], rows: Iterable[Row],
                 usual_noise: float = math.inf) -> None:
        """
        Count all the rows in; those of one start and goal in a world follow one another.

        :param usual_noise: more range noise than this [m] is there to be studied.
        """
        self._usual_noise = usual_noise
        self.algorithms = algorithms
        self.scores: Dict[Tuple[str, _Label, str], Score] = defaultdict(Score)
        """By group, by what else is varied, and by algorithm."""
        self.worlds: Dict[str, Dict[str, Any]] = {}
        """By group: how many starts and goals could be judged, and what came of the others."""
        self.tally = Tally()
        self.twins = Twins()
        self.faults: List[Row] = []
        """The first of the episodes in which something is wrong that is no result."""
        self.results: List[Row] = []
        """The first of those in which something is wrong, as is studied (`is_result`)."""
        self.result_outcomes: Dict[str, int] = Counter()
        """How all of those ended."""
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
        self._spread(rows)
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
        if is_result(row, self._usual_noise):
            self.result_outcomes[row.outcome] += 1
            self.results += [row] if not self.results else []
        elif row.fault and len(self.faults) < MOST_FAULTS:
            self.faults.append(row)
        if row.min_clearance is not None:
            self.min_clearance = min(row.min_clearance, self.min_clearance or row.min_clearance)

    def _compare(self, rows: List[Row]) -> None:
        """Add lengths where every algorithm arrived with the same of everything else."""
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
        """Note by how much paths differ that only their seeds tell apart."""
        alike: Dict[tuple, List[float]] = defaultdict(list)
        for row in rows:
            if arrived(row) and row.path_length > 0.0:
                alike[label(row), row.turn, row.algorithm].append(row.path_length)
        for (what, _, algorithm), lengths in alike.items():
            if len(lengths) > 1:
                score = self.scores[rows[0].group, what, algorithm]
                score.spread = max(max(lengths) / min(lengths), score.spread or 1.0)

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
                   'successes': score.successes, 'reachable': score.reachable,
                   'reached': score.reached, 'unreachable_goals': score.unreachable_goals,
                   'unreachable_right': score.unreachable_right, 'unreachable': score.unreachable,
                   'certified': score.certified, 'path': score.path,
                   'to_best': score.path / best[group, what] if score.path else None,
                   'spread': score.spread}

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

    def text(self, heading: str, with_goals: bool = True) -> str:
        """Return the summary for a person, perhaps with the goals that were reached."""
        clearance = self.min_clearance
        nearest = 'none' if clearance is None else f'{clearance:.3f} m'
        return '\n'.join([
            heading, '', *self._table_of_scores(with_goals), '', *self._table_of_worlds(), '',
            f'contacts {self.contacts}, bumped {self.bumped} times, smallest clearance of the '
            f'body {nearest}, {self.time / 3600.0:.1f} h simulated, '
            f'{self._real_time_factor():.0f} times real time', *self._list_of_faults(),
            *self._table_of_twins(), *self._table_of_verdicts()])

    def _table_of_scores(self, with_goals: bool) -> List[str]:
        rows = list(self.table_rows())
        if len(rows) > MOST_SCORES:
            return [f'{len(rows)} lines of scores are too many to be read here: see the report']
        spread = any(row['spread'] is not None for row in rows)
        width = max([0, *(len(row['with']) + 2 for row in rows if row['with'])])
        wide = max([11, *(len(row['group']) + 1 for row in rows)])
        lines = [f'{"algorithm":<15}{"worlds":<{wide}}{"with" if width else "":<{width}}'
                 f'{"episodes":>9}{"right":>8}{"wrong":>7}{"gave up":>9}{"contacts":>10}'
                 + f'{"certified *":>13}'
                 + (f'{"reached":>12}{"unreachable":>13}' if with_goals else '')
                 + f'{"path **":>10}{"to best":>9}' + (f'{"spread ***":>12}' if spread else '')]
        for row in rows:
            path, to_best = row['path'], row['to_best']
            goals = ''
            if with_goals:
                goals = (f'{_share(row["reached"], row["reachable"]):>12}'
                         f'{_share(row["unreachable_right"], row["unreachable_goals"]):>13}')
            lines.append((
                f'{row["algorithm"]:<15}{row["group"]:<{wide}}{row["with"]:<{width}}'
                f'{row["episodes"]:>9}{row["right"]:>8}{row["wrong"]:>7}{row["gave_up"]:>9}'
                f'{row["contacts"]:>10}{_certified(row):>13}{goals}'
                + (' ' * 19 if path is None else f'{path:>8.2f} m{to_best:>9.3f}')
                + (f'{row["spread"]:>12.2f}' if row['spread'] is not None else '')).rstrip())
        notes = ['reached: of the reachable goals; unreachable: right verdicts on the others.'
                 ] if with_goals else []
        return [*lines, *notes, '*  Of the goals that were called unreachable, those with a '
                'certificate that holds.',
                '** Mean length where every algorithm of the table truly arrived.',
                *(['*** The longest path by the shortest of one start and goal, which their seeds '
                   'alone tell apart; the most.'] if spread else [])]

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

    @property
    def alarming(self) -> int:
        """How many episodes have something wrong with them that is no result."""
        return self.wrong - sum(self.result_outcomes.values())

    def _list_of_faults(self) -> Iterator[str]:
        if self.results:
            count = sum(self.result_outcomes.values())
            ends = ', '.join(f'{number} as {outcome}' for outcome, number in sorted(
                self.result_outcomes.items(), key=lambda pair: (-pair[1], pair[0])))
            yield ''
            yield (f'wrong under the noise or faults that are studied, which is a result: {count} '
                   f'episode{"" if count == 1 else "s"} (ended {ends}), such as')
            yield f'  {self.results[0].command}'
        for row in self.faults:
            yield ''
            yield (f'WRONG: {row.algorithm} in {row.world}, turning {row.turn}: {row.outcome} '
                   f'after {row.path_length:.1f} m; {row.fault}')
            yield from (f'  {line}' for line in row.message.splitlines())
            yield f'  {row.command}'
        if self.alarming > len(self.faults):
            yield f'\nand {self.alarming - len(self.faults)} more'


def _share(hits: int, total: int) -> str:
    return f'{hits}/{total}' if total else '-'


def _certified(row: Dict[str, Any]) -> str:
    return f'{row["certified"]} of {row["unreachable"]}' if row['unreachable'] else ''


def label(row: Row) -> _Label:
    """Return what is varied beside algorithm, world and turn, in words."""
    return (row.robot, row.follower, f'range noise {row.range_noise:g} m', row.odometry,
            f'noise {row.odometry_noise:g}', row.variant, f'correction {row.correction}',
            STILL if row.still else '')
