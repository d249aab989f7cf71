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

"""What the rows of a campaign say, in numbers: by algorithm, by condition, and in pairs."""

from __future__ import annotations

from collections import defaultdict
import dataclasses
from functools import cached_property
import math
from operator import itemgetter
from typing import (
    Any,
    Callable,
    Dict,
    Hashable,
    Iterable,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from bug_nav.bench.report.statistics import Bootstrap, Interval, sign_test, wilson
from bug_nav.bench.rows import arrived, BROKEN, is_wrong, odometry_of, PERFECT, Row, walk
from bug_nav.bench.table import KINDS
import numpy as np

SERIES = ('algorithm', 'robot', 'follower', 'turn', 'odometry', 'variant', 'correction')
"""The columns whose values can be compared with one another."""
NAMELESS = '–'
"""Stands for a name that is empty."""
BOUND_MARGIN = 1.1
"""A path may be so many times as long as its bound: a robot is no point."""
RELIABLE = 0.9
"""Paths are compared among those that reached so many goals, of what the best reached."""
NUMBERS = tuple(name for name, kind in KINDS.items() if kind is float)
LARGEST = 1e9
"""No number of a row is larger than this."""
SIGNED = ('start_x', 'start_y', 'start_yaw', 'goal_x', 'goal_y', 'min_clearance',
          'mean_clearance')
"""The numbers that can be negative."""
SHORTEST = 1e-3
"""By no shorter path than this is divided [m]."""
ALIKE = 1e-9
"""Two means that differ by no larger share are the same."""


class Share(NamedTuple):
    """So many of so many."""

    hits: int
    total: int

    @property
    def value(self) -> Optional[float]:
        """Return the share, or None of none."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> Optional[Interval]:
        """Return what the share can be."""
        return wilson(self.hits, self.total)


class Spread(NamedTuple):
    """How values are distributed."""

    mean: float
    interval: Optional[Interval]
    """Of the mean."""
    p5: float
    q1: float
    median: float
    q3: float
    p95: float
    most: float


@dataclasses.dataclass(frozen=True)
class Score:
    """How one algorithm (or whatever is compared) did in some episodes."""

    name: str
    episodes: int
    success: Share
    """Of the goals that can be reached."""
    unreachable: Share
    """Right verdicts, of the goals that cannot be reached."""
    verdicts: Share
    """Right ones, of the episodes in judged worlds."""
    wrong: int
    none: int
    """Episodes in judged worlds that ended without a verdict."""
    contacts: int
    """Episodes with one."""
    ratio: Optional[Spread]
    """Path by shortest path, where the robot truly arrived."""
    bound: Optional[float]
    """The largest path by bound."""
    clearance: Optional[float]
    """The smallest [m]."""
    mean_clearance: Optional[float]
    time: Optional[float]
    """Median until the goal was reached [s]."""
    oscillation: Optional[float]
    """Mean [1/m]."""


class Pair(NamedTuple):
    """Two algorithms in the cases in which both reached the goal."""

    cases: int
    ratio: float
    """Geometric mean of the one's path length by the other's."""
    interval: Optional[Interval]

    @property
    def differ(self) -> bool:
        """Tell whether the interval leaves 1 out."""
        return self.interval is not None and not (
            self.interval.low <= 1.0 <= self.interval.high)


def path_ratio(row: Row) -> Optional[float]:
    """Return path by shortest path, both to the goal itself, of a robot that truly arrived."""
    if arrived(row) and row.shortest_path is not None and row.shortest_path >= SHORTEST:
        return walk(row) / row.shortest_path
    return None


def bound_ratio(row: Row) -> Optional[float]:
    """Return path by bound, where there is a bound and odometry is as the theory has it."""
    if row.odometry == PERFECT and row.bound is not None and row.bound >= SHORTEST:
        return row.path_length / row.bound
    return None


class Campaign:
    """The rows, in order, and what is compared in them."""

    def __init__(self, rows: Iterable[Row], by: str = 'algorithm'):
        """
        Take rows and the column whose values are compared (one of `SERIES`).

        :raises ValueError: for a number that cannot be one of an episode, in one sentence.
        """
        self.rows: List[Row] = list(rows)
        for number, row in enumerate(self.rows, 1):
            _check(number, row)
        self.by = by
        self.names: List[str] = sorted({self.name_of(row) for row in self.rows})
        self._others = [name for name in SERIES if name not in (by, 'odometry')]
        self._worlds: Dict[Hashable, int] = {}
        for row in self.rows:
            self._worlds.setdefault(_world(row), len(self._worlds))
        self.bootstrap = Bootstrap(len(self._worlds))

    @property
    def worlds(self) -> int:
        """Return the number of worlds; another start or goal makes it another one."""
        return len(self._worlds)

    def name_of(self, row: Row) -> str:
        """Return what a row counts for."""
        return odometry_of(row) if self.by == 'odometry' else getattr(row, self.by) or NAMELESS

    @cached_property
    def by_name(self) -> Dict[str, List[Row]]:
        """Return the rows of each."""
        return self._sorted(self.rows)

    def _sorted(self, rows: Iterable[Row]) -> Dict[str, List[Row]]:
        found: Dict[str, List[Row]] = defaultdict(list)
        for row in rows:
            found[self.name_of(row)].append(row)
        return found

    def case_of(self, row: Row) -> Hashable:
        """Return what two rows must have in common to be compared, their seeds aside."""
        # A variant is one for the noise that it has.
        noise = None if self.by == 'variant' else row.range_noise
        odometry = None if self.by in ('odometry', 'variant') else odometry_of(row)
        return (_world(row), noise, odometry,
                *(getattr(row, name) for name in self._others))

    @cached_property
    def cases(self) -> Dict[Hashable, Dict[str, List[Row]]]:
        """Return the rows by case and by what is compared."""
        found: Dict[Hashable, Dict[str, List[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            found[self.case_of(row)][self.name_of(row)].append(row)
        return found

    def levels(self, column: str) -> List[Any]:
        """Return the different values of a column, sorted."""
        return sorted({getattr(row, column) for row in self.rows})

    @property
    def noises(self) -> Tuple[str, ...]:
        """Return the columns by which noise is compared; variants stand for what theirs is."""
        return () if len(self.levels('variant')) > 1 else ('range_noise', 'odometry_noise')

    # ---- one by one ---------------------------------------------------------------------------

    @cached_property
    def scores(self) -> List[Score]:
        """Return the score of each, the best first: by share of goals reached, then by path."""
        return sorted(self.scores_of(self.rows), key=lambda score: (
            -(score.success.value or 0.0), score.ratio.mean if score.ratio else math.inf,
            score.name))

    def scores_of(self, rows: Iterable[Row]) -> List[Score]:
        """Return the score of each in some of the rows, by name."""
        by_name = sorted(self._sorted(rows).items())
        means = self._mean_ratios([part for _, part in by_name])
        return [_score(name, part, mean) for (name, part), mean in zip(by_name, means)]

    def _mean_ratios(self, parts: Sequence[List[Row]]) -> List[Optional[Interval]]:
        columns = []
        for rows in parts:
            walked = [row for row in rows if path_ratio(row) is not None]
            columns.append(([self._worlds[_world(row)] for row in walked],
                            [path_ratio(row) for row in walked]))
        return self.bootstrap.means(columns)

    def scores_at(self, level_of: Callable[[Row], Any], rows: Iterable[Row]
                  ) -> Dict[Any, Dict[str, Score]]:
        """Return, for every level that some of the rows have, sorted, the scores by name."""
        by_level: Dict[Any, List[Row]] = defaultdict(list)
        for row in rows:
            by_level[level_of(row)].append(row)
        return {level: {score.name: score for score in self.scores_of(part)}
                for level, part in sorted(by_level.items(), key=itemgetter(0))}

    # ---- in pairs -----------------------------------------------------------------------------

    @cached_property
    def _lengths(self) -> Dict[str, Dict[Hashable, float]]:
        """Mean log path length of each in every case in which it arrived, repetitions alike."""
        found: Dict[str, Dict[Hashable, float]] = {name: {} for name in self.names}
        for case, by_name in self.cases.items():
            for name, rows in by_name.items():
                logs = [math.log(walk(row)) for row in rows
                        if arrived(row) and walk(row) >= SHORTEST]
                if logs:
                    found[name][case] = sum(logs) / len(logs)
        return found

    @cached_property
    def pairs(self) -> Dict[Tuple[str, str], Pair]:
        """Every pair that has a case in common."""
        found = {}
        for name in self.names:
            others = [other for other in self.names if other != name]
            for other, pair in zip(others, self._pairs(name, others)):
                if pair:
                    found[name, other] = pair
        return found

    def _pairs(self, name: str, others: List[str]) -> List[Optional[Pair]]:
        mine = self._lengths[name]
        columns = []
        for other in others:
            theirs = self._lengths[other]
            common = [case for case in mine if case in theirs]
            columns.append(([self._worlds[case[0]] for case in common],  # type: ignore[index]
                            [mine[case] - theirs[case] for case in common]))
        found: List[Optional[Pair]] = []
        for (_, logs), interval in zip(columns, self.bootstrap.means(columns)):
            found.append(Pair(len(logs), math.exp(sum(logs) / len(logs)),
                              interval and Interval(*map(math.exp, interval))) if logs else None)
        return found

    def ranking(self, names: Sequence[str]) -> Tuple[List[str], int]:
        """Return some, shortest paths first, in the cases that all of them solved; their count."""
        lengths = [self._lengths[name] for name in names]
        common = [case for case in lengths[0] if all(case in each for each in lengths)]
        # By the name where there is nothing to compare.
        means = {name: sum(each[case] for case in common) for name, each in zip(names, lengths)}
        return sorted(names, key=lambda name: (means[name], name)), len(common)

    def lengths(self, name: str) -> List[float]:
        """Return the lengths of all the paths of one that arrived [m]."""
        return [walk(row) for row in self.by_name.get(name, ()) if arrived(row)]

    @cached_property
    def spreads(self) -> Dict[str, Tuple[float, Tuple[float, float], str]]:
        """
        Return of each the longest path by the shortest of the repetitions of one case.

        That of the case in which it is the largest, with the two lengths [m] and the world.
        """
        found: Dict[str, Tuple[float, Tuple[float, float], str]] = {}
        for by_name in self.cases.values():
            for name, rows in by_name.items():
                known = [walk(row) for row in rows if arrived(row) and walk(row) >= SHORTEST]
                if len(known) > 1 and len(known) == len({row.seed for row in rows}):
                    ends = min(known), max(known)
                    found[name] = max(found.get(name, (0.0, ends, '')),
                                      (ends[1] / ends[0], ends, rows[0].world))
        return found

    def equals(self, ranked: Sequence[str]) -> List[str]:
        """Return of a ranking the first, and those whose paths are exactly as long as its."""
        first = ranked[0]
        return [name for name in ranked if name == first or (
            (first, name) in self.pairs and abs(self.pairs[first, name].ratio - 1.0) <= ALIKE)]

    def reached_alone(self, one: str, other: str) -> Tuple[int, int, float]:
        """Return the goals that only the one reached, only the other, and the sign test's p."""
        wins = losses = 0
        for by_name in self.cases.values():
            if all(name in by_name and by_name[name][0].reachable for name in (one, other)):
                mine, theirs = (sum(row.success for row in by_name[name]) / len(by_name[name])
                                for name in (one, other))
                wins += mine > theirs
                losses += mine < theirs
        return wins, losses, sign_test(wins, losses)


def reliable(scores: Iterable[Score]) -> List[Score]:
    """Return those that reached nearly as many goals as the best of them, and any at all."""
    known = [score for score in scores if score.ratio and score.success.value]
    most = max((score.success.value or 0.0 for score in known), default=0.0)
    return [score for score in known if (score.success.value or 0.0) >= RELIABLE * most]


def shortest_reliable(scores: Iterable[Score]) -> Tuple[str, ...]:
    """
    Return whose mean of path by shortest path is the smallest of the reliable.

    Several where they are alike; none where there is nobody to compare with, or all are alike.
    """
    means = {score.name: score.ratio.mean for score in reliable(scores) if score.ratio}
    best = tuple(sorted(name for name in means
                        if means[name] <= min(means.values()) * (1.0 + ALIKE)))
    return best if len(best) < len(means) else ()


def _check(number: int, row: Row) -> None:
    """Refuse what a file by strangers may hold, and what no chart has a place for."""
    for name in NUMBERS:
        value = getattr(row, name)
        least = -LARGEST if name in SIGNED else 0.0
        if value is not None and not least <= value <= LARGEST:
            raise ValueError(f'row {number} has {name} = {value}; allowed are numbers from '
                             f'{least:g} to {LARGEST:g}')


def _world(row: Row) -> Tuple[str, float, float, float, float, float]:
    return (row.world, row.start_x, row.start_y, row.start_yaw, row.goal_x, row.goal_y)


def _score(name: str, rows: Sequence[Row], mean_ratio: Optional[Interval]) -> Score:
    reachable = [row for row in rows if row.reachable]
    judged = [row for row in rows if row.reachable is not None]
    closed = [row for row in judged if not row.reachable]
    times = [row.time for row in rows if row.success]
    ran = [row.oscillation for row in rows if row.outcome not in BROKEN]
    return Score(
        name, len(rows), Share(sum(row.success for row in reachable), len(reachable)),
        Share(sum(row.verdict == 'right' for row in closed), len(closed)),
        Share(sum(row.verdict == 'right' for row in judged), len(judged)),
        sum(map(is_wrong, rows)),
        sum(row.verdict == 'none' for row in judged), sum(row.contacts > 0 for row in rows),
        _spread([path_ratio(row) for row in rows], mean_ratio),
        max(_known(map(bound_ratio, rows)), default=None),
        min(_known(row.min_clearance for row in rows), default=None),
        _mean(_known(row.mean_clearance for row in rows)),
        float(np.median(times)) if times else None, _mean(ran))


def _spread(values: Iterable[Optional[float]], interval: Optional[Interval]) -> Optional[Spread]:
    known = _known(values)
    if not known:
        return None
    percentiles = map(float, np.percentile(known, [5, 25, 50, 75, 95, 100]))
    return Spread(float(np.mean(known)), interval, *percentiles)


def _known(values: Iterable[Optional[float]]) -> List[float]:
    return [value for value in values if value is not None]


def _mean(values: List[float]) -> Optional[float]:
    return sum(values) / len(values) if values else None
