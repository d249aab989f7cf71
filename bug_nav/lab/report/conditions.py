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

"""Scores by condition: world, robot, noise, variant."""

from __future__ import annotations

from functools import partial
import itertools
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from bug_nav.lab.report.charts import Style
from bug_nav.lab.report.scores import NAMELESS, Results, Share, shortest_reliable
from bug_nav.lab.rows import odometry_of, PERFECT, Row
from bug_nav.lab.verdict_counts import VerdictTable

NOISES = {'range_noise': 'range_noise', 'odometry': 'odometry_noise'}
"""Columns of conditions that show a noise, and the column of its level."""
CONDITIONS = {'group': 'World', 'robot': 'Robot', 'algorithm': 'Algorithm',
              'follower': 'Follower', 'turn': 'Turn direction', 'range_noise': 'Range noise',
              'odometry': 'Odometry', 'variant': 'Variant', 'correction': 'Drift correction'}
"""Columns of the conditions and their titles."""


class Condition(NamedTuple):
    """The scores of all names at every level of a column."""

    title: str
    levels: List[str]
    rows: List[tuple]
    """Style, and for each level a score or None."""
    best: List[Tuple[str, ...]]
    """Names with the shortest paths among the reliable ones, at each level."""


def conditions(campaign: Results, styles: Dict[str, Style]) -> List[Condition]:
    """Return the scores at every level of each column with several levels."""
    found = []
    for column, title in CONDITIONS.items():
        if column == campaign.by or (
                column in NOISES and NOISES[column] not in campaign.noises):
            continue
        by_level = campaign.scores_at(partial(_level, column), campaign.rows)
        if len(by_level) < 2:
            continue
        parts = by_level.values()
        found.append(Condition(
            title, list(map(_level_text, by_level)),
            [(styles[score.name], [part.get(score.name) for part in parts])
             for score in campaign.scores],
            [shortest_reliable(part.values()) for part in parts]))
    return found


def _level(column: str, row: Row) -> Any:
    """Return the sort key of a level; odometry is sorted by noise."""
    if column == 'odometry':
        return row.odometry_noise, odometry_of(row)
    return getattr(row, column)


def _level_text(level: Any) -> str:
    if isinstance(level, tuple):
        return level[-1]
    return f'{level:g} m' if isinstance(level, float) else level or NAMELESS


def verdicts(campaign: Results) -> List[tuple]:
    """Return variant, correction, counts and share of right verdicts; [] for a single one."""
    found = VerdictTable(campaign.rows).verdicts
    return [(*key, each, Share(each.right, each.episodes)) for key, each in found.items()
            if len(found) > 1]


class Noise(NamedTuple):
    """A noise with several levels, and the rows in which they are compared."""

    title: str
    column: str
    odometry: str
    """Odometry model; empty for range noise."""
    rows: Sequence[Row]


def noises(campaign: Results) -> Iterator[Noise]:
    """Yield each noise with several levels; odometry noise by correction."""
    if not campaign.noises:
        return
    if 'range_noise' in campaign.noises:
        yield Noise('Range noise', 'range_noise', '', campaign.rows)
    corrections = campaign.levels('correction')
    for odometry, correction in itertools.product(campaign.levels('odometry'), corrections):
        rows = [row for row in campaign.rows
                if row.odometry in (odometry, PERFECT) and row.correction == correction]
        if odometry != PERFECT and len({row.odometry_noise for row in rows}) > 1:
            suffix = f', drift correction: {correction}' if len(corrections) > 1 else ''
            yield Noise(f'Odometry noise: {odometry}{suffix}', 'odometry_noise', odometry, rows)
