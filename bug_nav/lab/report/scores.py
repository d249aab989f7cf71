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

"""Figures of a campaign: by algorithm, by condition, and in pairs."""

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

from bug_nav.lab.report.statistics import Bootstrap, Interval, sign_test, wilson
from bug_nav.lab.rows import (
    arrived,
    is_wrong,
    length_to_goal,
    odometry_of,
    PERFECT,
    Row,
    SOFTWARE_FAULTS,
)
from bug_nav.lab.table import KINDS
import numpy as np

SERIES = ('algorithm', 'robot', 'follower', 'turn', 'odometry', 'variant', 'correction')
"""Columns whose values can be compared."""
NAMELESS = '–'
"""Placeholder for an empty name."""
BOUND_MARGIN = 1.1
"""Maximum path / bound before an alarm; bounds are for point robots."""
RELIABLE = 0.9
"""Minimum share of goals reached, relative to the best, for a comparison of paths."""
NUMBERS = tuple(name for name, kind in KINDS.items() if kind is float)
MAX_NUMBER = 1e9
"""Maximum absolute value of a number in a row."""
SIGNED = ('start_x', 'start_y', 'start_yaw', 'goal_x', 'goal_y', 'min_clearance',
          'mean_clearance', 'mean_nees')
"""Numbers that may be negative; a NEES is if a covariance is not positive."""
MIN_LENGTH = 1e-3
"""Minimum path length as a divisor [m]."""
EQUAL_WITHIN = 1e-9
"""Relative difference up to which two means are equal."""


class Share(NamedTuple):
    """A count and its total."""

    hits: int
    total: int

    @property
    def value(self) -> Optional[float]:
        """Return the share; None if the total is 0."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> Optional[Interval]:
        """Return the confidence interval of the share."""
        return wilson(self.hits, self.total)


class Spread(NamedTuple):
    """Distribution of values."""

    mean: float
    interval: Optional[Interval]
    """Confidence interval of the mean."""
    p5: float
    q1: float
    median: float
    q3: float
    p95: float
    most: float


@dataclasses.dataclass(frozen=True)
class Score:
    """Score of one algorithm (or other compared value) in some episodes."""

    name: str
    episodes: int
    success: Share
    """Goals reached, of the reachable ones."""
    unreachable: Share
    """Right verdicts, of the unreachable goals."""
    verdicts: Share
    """Right verdicts, of the episodes in judged worlds."""
    wrong: int
    none: int
    """Episodes in judged worlds that ended without a verdict."""
    contacts: int
    """Episodes with a contact."""
    ratio: Optional[Spread]
    """Path / shortest path, where the robot truly arrived."""
    bound: Optional[float]
    """Largest path / bound."""
    clearance: Optional[float]
    """Smallest clearance [m]."""
    mean_clearance: Optional[float]
    time: Optional[float]
    """Median time to reach the goal [s]."""
    oscillation: Optional[float]
    """Mean number of changes between left and right turns [1/m]."""


class Pair(NamedTuple):
    """Comparison of two algorithms in the cases that both solved."""

    cases: int
    worlds: int
    """Number of different pairs of start and goal."""
    ratio: float
    """Geometric mean of the ratio of their path lengths."""
    interval: Optional[Interval]

    @property
    def differ(self) -> bool:
        """Return whether the interval excludes 1."""
        return self.interval is not None and not (
            self.interval.low <= 1.0 <= self.interval.high)


def path_ratio(row: Row) -> Optional[float]:
    """
    Return path / shortest path, both to the goal itself; None if the robot did not arrive.

    At least 1: a driven path that is shorter than the shortest path known is itself the shortest.
    """
    if arrived(row) and row.shortest_path is not None and row.shortest_path >= MIN_LENGTH:
        return max(1.0, length_to_goal(row) / row.shortest_path)
    return None


def bound_ratio(row: Row) -> Optional[float]:
    """Return path / bound; None without a bound or with imperfect odometry."""
    if row.odometry == PERFECT and row.bound is not None and row.bound >= MIN_LENGTH:
        return row.path_length / row.bound
    return None


class Results:
    """The rows of a campaign, in order, and their comparison."""

    def __init__(self, rows: Iterable[Row], by: str = 'algorithm'):
        """
        Take rows and the column whose values are compared (one of `SERIES`).

        :raises ValueError: for a row with impossible numbers, in one sentence.
        """
        given = list(rows)
        for number, row in enumerate(given, 1):
            _check(number, row)
        self.rows: List[Row] = _with_shared_shortest_paths(given)
        self.by = by
        self.names: List[str] = sorted({self.name_of(row) for row in self.rows})
        self._others = [name for name in SERIES if name not in (by, 'odometry')]
        self._worlds: Dict[Hashable, int] = {}
        for row in self.rows:
            self._worlds.setdefault(_world(row), len(self._worlds))
        self.bootstrap = Bootstrap(len(self._worlds))

    @property
    def worlds(self) -> int:
        """Return the number of worlds; each pair of start and goal counts as its own."""
        return len(self._worlds)

    @property
    def maps(self) -> int:
        """Return the number of different maps; several pairs of start and goal can share one."""
        return len({row.world for row in self.rows})

    def name_of(self, row: Row) -> str:
        """Return the name that a row counts for."""
        return odometry_of(row) if self.by == 'odometry' else getattr(row, self.by) or NAMELESS

    @cached_property
    def by_name(self) -> Dict[str, List[Row]]:
        """Return the rows by name."""
        return self._sorted(self.rows)

    def _sorted(self, rows: Iterable[Row]) -> Dict[str, List[Row]]:
        found: Dict[str, List[Row]] = defaultdict(list)
        for row in rows:
            found[self.name_of(row)].append(row)
        return found

    def case_of(self, row: Row) -> Hashable:
        """Return the key that rows must share to be compared, apart from seeds."""
        # A variant includes its noise, and so does a robot unless its noise is under study.
        is_own = self.by == 'robot' and 'range_noise' not in self.noises
        noise = None if self.by == 'variant' or is_own else row.range_noise
        odometry = None if self.by in ('odometry', 'variant') else odometry_of(row)
        return (_world(row), noise, odometry,
                *(getattr(row, name) for name in self._others))

    @cached_property
    def cases(self) -> Dict[Hashable, Dict[str, List[Row]]]:
        """Return the rows by case and name."""
        found: Dict[Hashable, Dict[str, List[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            found[self.case_of(row)][self.name_of(row)].append(row)
        return found

    def levels(self, column: str) -> List[Any]:
        """Return the different values of a column, sorted."""
        return sorted({getattr(row, column) for row in self.rows})

    @cached_property
    def noises(self) -> Tuple[str, ...]:
        """
        Return the columns of noise to compare; none with variants, which include theirs.

        Range noise is under study if one robot has several levels: each has a noise of its own.
        """
        if len(self.levels('variant')) > 1:
            return ()
        levels = {(row.robot, row.range_noise) for row in self.rows}
        is_studied = len(levels) > len({robot for robot, _ in levels})
        return ('range_noise', 'odometry_noise') if is_studied else ('odometry_noise',)

    # ---- scores -------------------------------------------------------------------------------

    @cached_property
    def scores(self) -> List[Score]:
        """Return the score of each name, the best first: by goals reached, then by path ratio."""
        return sorted(self.scores_of(self.rows), key=lambda score: (
            -(score.success.value or 0.0), score.ratio.mean if score.ratio else math.inf,
            score.name))

    def scores_of(self, rows: Iterable[Row]) -> List[Score]:
        """Return the score of each name in some rows, sorted by name."""
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
        """Return the scores by level, sorted, and name."""
        by_level: Dict[Any, List[Row]] = defaultdict(list)
        for row in rows:
            by_level[level_of(row)].append(row)
        return {level: {score.name: score for score in self.scores_of(part)}
                for level, part in sorted(by_level.items(), key=itemgetter(0))}

    # ---- pairs --------------------------------------------------------------------------------

    @cached_property
    def _lengths(self) -> Dict[str, Dict[Hashable, float]]:
        """Mean log path length of each name, over repetitions, in every case that it solved."""
        found: Dict[str, Dict[Hashable, float]] = {name: {} for name in self.names}
        for case, by_name in self.cases.items():
            for name, rows in by_name.items():
                logs = [math.log(length_to_goal(row)) for row in rows
                        if arrived(row) and length_to_goal(row) >= MIN_LENGTH]
                if logs:
                    found[name][case] = sum(logs) / len(logs)
        return found

    @cached_property
    def pairs(self) -> Dict[Tuple[str, str], Pair]:
        """Comparison of each pair with a common solved case."""
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
        for (worlds, logs), interval in zip(columns, self.bootstrap.means(columns)):
            found.append(Pair(len(logs), len(set(worlds)), math.exp(sum(logs) / len(logs)),
                              interval and Interval(*map(math.exp, interval))) if logs else None)
        return found

    def ranking(self, names: Sequence[str]) -> Tuple[List[str], int]:
        """Return names, shortest paths first, in the cases that all solved; and that number."""
        lengths = [self._lengths[name] for name in names]
        common = [case for case in lengths[0] if all(case in each for each in lengths)]
        # Sorted by name if there is nothing to compare.
        means = {name: sum(each[case] for case in common) for name, each in zip(names, lengths)}
        return sorted(names, key=lambda name: (means[name], name)), len(common)

    def lengths(self, name: str) -> List[float]:
        """Return the lengths of all paths of a name that reached the goal [m]."""
        return [length_to_goal(row) for row in self.by_name.get(name, ()) if arrived(row)]

    @cached_property
    def spreads(self) -> Dict[str, Tuple[float, Tuple[float, float], str]]:
        """
        Return the largest ratio of longest to shortest path among repetitions, by name.

        With the two lengths [m] and the world.
        """
        found: Dict[str, Tuple[float, Tuple[float, float], str]] = {}
        for by_name in self.cases.values():
            for name, rows in by_name.items():
                known = [length_to_goal(row) for row in rows
                         if arrived(row) and length_to_goal(row) >= MIN_LENGTH]
                if len(known) > 1 and len(known) == len({row.seed for row in rows}):
                    ends = min(known), max(known)
                    found[name] = max(found.get(name, (0.0, ends, '')),
                                      (ends[1] / ends[0], ends, rows[0].world))
        return found

    def equals(self, ranked: Sequence[str]) -> List[str]:
        """Return the first of a ranking, and all with paths of equal length."""
        first = ranked[0]
        return [name for name in ranked if name == first or (
            (first, name) in self.pairs
            and abs(self.pairs[first, name].ratio - 1.0) <= EQUAL_WITHIN)]

    @cached_property
    def has_repetitions(self) -> bool:
        """Return whether the runs of any case differ only by seed."""
        return any(len(rows) > 1 for by_name in self.cases.values() for rows in by_name.values())

    def reached_more(self, one: str, other: str) -> Tuple[int, int, float]:
        """Return the numbers of goals that each reached in a larger share of its runs, and p."""
        wins = losses = 0
        for by_name in self.cases.values():
            if all(name in by_name and by_name[name][0].reachable for name in (one, other)):
                mine, theirs = (sum(row.success for row in by_name[name]) / len(by_name[name])
                                for name in (one, other))
                wins += mine > theirs
                losses += mine < theirs
        return wins, losses, sign_test(wins, losses)


def reliable(scores: Iterable[Score]) -> List[Score]:
    """Return the scores with at least `RELIABLE` of the best share of goals reached."""
    known = [score for score in scores if score.ratio and score.success.value]
    most = max((score.success.value or 0.0 for score in known), default=0.0)
    return [score for score in known if (score.success.value or 0.0) >= RELIABLE * most]


def shortest_reliable(scores: Iterable[Score]) -> Tuple[str, ...]:
    """
    Return the names with the smallest mean path ratio among the reliable ones.

    Several if equal; none if there is nothing to compare, or all are equal.
    """
    means = {score.name: score.ratio.mean for score in reliable(scores) if score.ratio}
    best = tuple(sorted(name for name in means
                        if means[name] <= min(means.values()) * (1.0 + EQUAL_WITHIN)))
    return best if len(best) < len(means) else ()


def _with_shared_shortest_paths(rows: Sequence[Row]) -> List[Row]:
    """
    Return rows in which all episodes of a robot with one start and goal have one shortest path.

    It is the shortest of theirs, because an episode whose robot passed a gap narrower than 2 rho
    is compared with a shorter path (see `ground_truth.comparable_path`).
    """
    least: Dict[Hashable, float] = {}
    for row in rows:
        if row.shortest_path is not None:
            key = _world(row), row.robot
            least[key] = min(row.shortest_path, least.get(key, row.shortest_path))
    return [row if row.shortest_path is None else
            dataclasses.replace(row, shortest_path=least[_world(row), row.robot])
            for row in rows]


def _check(number: int, row: Row) -> None:
    """Reject numbers from a file that no episode and no chart can have."""
    for name in NUMBERS:
        value = getattr(row, name)
        least = -MAX_NUMBER if name in SIGNED else 0.0
        if value is not None and not least <= value <= MAX_NUMBER:
            raise ValueError(f'row {number} has {name} = {value}; allowed are numbers from '
                             f'{least:g} to {MAX_NUMBER:g}')


def _world(row: Row) -> Tuple[str, float, float, float, float, float]:
    return (row.world, row.start_x, row.start_y, row.start_yaw, row.goal_x, row.goal_y)


def _score(name: str, rows: Sequence[Row], mean_ratio: Optional[Interval]) -> Score:
    reachable = [row for row in rows if row.reachable]
    judged = [row for row in rows if row.reachable is not None]
    closed = [row for row in judged if not row.reachable]
    times = [row.time for row in rows if row.success]
    ran = [row.oscillation for row in rows if row.outcome not in SOFTWARE_FAULTS]
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
