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

"""Cost of dynamic obstacles: time against the static baseline, bumps and contacts per hour."""

from __future__ import annotations

from collections import defaultdict
import itertools
import statistics
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from bug_nav.lab.rows import arrived, Row


class BaselineFigures:
    """An algorithm in the dynamic worlds of a group, compared with the static baseline."""

    def __init__(self) -> None:
        """Start at zero."""
        self.episodes = self.reached = self.still_reached = 0
        """Episodes with a baseline; those that reached the goal; baselines that reached it."""
        self.ratios: List[float] = []
        """Time / time of the baseline, where both reached the goal."""
        self.bumped = self.contacts = self.false_unreachable = 0
        self.time = 0.0
        """Simulated time of the dynamic episodes [s]."""

    @property
    def ratio(self) -> Optional[float]:
        """Return the median time ratio; None without one."""
        return statistics.median(self.ratios) if self.ratios else None

    def per_hour(self, count: int) -> float:
        """Return a count per simulated hour."""
        return 3600.0 * count / self.time if self.time else 0.0


class BaselineComparison:
    """Comparison with the static baseline, by algorithm and group."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        """Add rows; those of one start and goal in a world must be consecutive."""
        self.figures: Dict[Tuple[str, str], BaselineFigures] = defaultdict(BaselineFigures)
        """By algorithm and group."""
        for _, case in itertools.groupby(rows, case_of):
            self.add_case(list(case))

    def add_case(self, rows: List[Row]) -> None:
        """Add all rows of one start and goal in a world."""
        still = {_asked(row): row for row in rows if row.still}
        for row in rows:
            if not row.still and _asked(row) in still:
                self._add(row, still[_asked(row)])

    def _add(self, row: Row, baseline: Row) -> None:
        figures = self.figures[row.algorithm, row.group]
        reached = arrived(row), arrived(baseline)
        figures.episodes += 1
        figures.reached += reached[0]
        figures.still_reached += reached[1]
        if all(reached) and baseline.time > 0.0:
            figures.ratios.append(row.time / baseline.time)
        figures.bumped += row.bumped
        figures.contacts += row.contacts
        figures.false_unreachable += row.outcome == 'unreachable' and row.verdict == 'wrong'
        figures.time += row.time

    def table_rows(self) -> Iterator[Dict[str, Any]]:
        """Yield the figures of each algorithm and group."""
        for (algorithm, group), figures in self.figures.items():
            yield {'algorithm': algorithm, 'group': group, 'episodes': figures.episodes,
                   'reached': figures.reached, 'still_reached': figures.still_reached,
                   'time_ratio': figures.ratio, 'false_unreachable': figures.false_unreachable,
                   'contacts': figures.contacts, 'bumped': figures.bumped,
                   'contacts_an_hour': figures.per_hour(figures.contacts),
                   'bumped_an_hour': figures.per_hour(figures.bumped)}

    def lines(self) -> Iterator[str]:
        """Yield the lines of a text table; nothing if no episode has a baseline."""
        if not self.figures:
            return
        rows = list(self.table_rows())
        named = max([15, *(len(row['algorithm']) + 1 for row in rows)])
        yield (f'{"algorithm":<{named}}{"worlds":<12}{"episodes":>9}{"reached":>9}{"baseline":>10}'
               f'{"time *":>8}{"false UNREACHABLE":>19}{"contacts":>10}{"per hour":>9}'
               f'{"bumped":>8}{"per hour":>9}')
        for row in rows:
            ratio = '' if row['time_ratio'] is None else f'{row["time_ratio"]:.2f}'
            yield (f'{row["algorithm"]:<{named}}{row["group"]:<12}{row["episodes"]:>9}'
                   f'{row["reached"]:>9}{row["still_reached"]:>10}{ratio:>8}'
                   f'{row["false_unreachable"]:>19}{row["contacts"]:>10}'
                   f'{row["contacts_an_hour"]:>9.2f}{row["bumped"]:>8}'
                   f'{row["bumped_an_hour"]:>9.2f}')
        yield '* Median of time / time of the static baseline, where both reached the goal.'


def case_of(row: Row) -> tuple:
    """Return the key of a start and goal in a world."""
    return row.group, row.world, row.start_x, row.start_y, row.goal_x, row.goal_y


def _asked(row: Row) -> tuple:
    """Return the key that an episode shares with its baseline."""
    return (row.algorithm, row.robot, row.follower, row.turn, row.range_noise, row.odometry,
            row.odometry_noise, row.variant, row.correction, row.seed)
