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

"""Selection of the episodes to show: alarms, failures, then the longest detours."""

from __future__ import annotations

from collections import defaultdict
import dataclasses
import math
import statistics
from typing import Callable, Dict, Hashable, List, Optional, Sequence

from bug_nav.lab.report.scores import (
    BOUND_MARGIN,
    bound_ratio,
    MIN_LENGTH,
    path_ratio,
    Results,
)
from bug_nav.lab.rows import arrived, is_wrong, length_to_goal, Row, SOFTWARE_FAULTS

BEYOND = f'path over {BOUND_MARGIN:g} times its bound'
MIN_SOLVERS = 0.75
"""Minimum number of solvers of a case, as a share of the maximum in its group."""


@dataclasses.dataclass(frozen=True)
class Walks:
    """The worst, median and best path of one algorithm, by path / shortest path."""

    name: str
    worst: Row
    typical: Row
    best: Row


@dataclasses.dataclass(frozen=True)
class SameWorld:
    """One case of a group with the episodes of all, the shortest path first."""

    group: str
    rows: List[Row]


def alarm(row: Row) -> str:
    """Return the alarm of an episode, or ''."""
    if row.contacts:
        return 'contact'
    if is_wrong(row):
        return 'wrong verdict'
    if row.outcome in SOFTWARE_FAULTS:
        return 'software fault'
    ratio = bound_ratio(row)
    return BEYOND if ratio is not None and ratio > BOUND_MARGIN else ''


def alarms(campaign: Results) -> List[Row]:
    """Return the episodes with an alarm, the worst first."""
    order = ('wrong verdict', 'contact', BEYOND, 'software fault')
    found = [row for row in campaign.rows if alarm(row)]
    return sorted(found, key=lambda row: (order.index(alarm(row)), -_detour(row)))


def failures(campaign: Results) -> List[Row]:
    """Return the other episodes with a fault or a missed goal, the longest detour first."""
    found = [row for row in campaign.rows if not alarm(row) and (
        row.fault or (row.reachable and not row.success))]
    return sorted(found, key=_detour, reverse=True)


def varied(rows: Sequence[Row], count: int, key: Callable[[Row], Hashable]) -> List[Row]:
    """Return ``count`` rows, in order, with as many different keys and worlds as possible."""
    keys: Dict[Hashable, int] = defaultdict(int)
    worlds: Dict[str, int] = defaultdict(int)
    left = list(range(len(rows)))
    found: List[int] = []
    while left and len(found) < count:
        place = min(left, key=lambda k: (keys[key(rows[k])], worlds[rows[k].world], k))
        left.remove(place)
        found.append(place)
        keys[key(rows[place])] += 1
        worlds[rows[place].world] += 1
    return [rows[place] for place in sorted(found)]


def walks(campaign: Results) -> List[Walks]:
    """Return the paths of each name that reached a goal, the longest detour first."""
    found = []
    for name in campaign.names:
        rows = [row for row in campaign.by_name[name] if path_ratio(row) is not None]
        if rows:
            rows.sort(key=_detour)
            found.append(Walks(name, rows[-1], rows[len(rows) // 2], rows[0]))
    return sorted(found, key=lambda each: -_detour(each.worst))


def same_worlds(campaign: Results, count: int) -> List[SameWorld]:
    """Return, for some groups, the case with the most different paths that most have solved."""
    groups: Dict[str, List[tuple]] = defaultdict(list)
    for by_name in campaign.cases.values():
        rows = sorted((rows[0] for rows in by_name.values()),
                      key=lambda row: (not arrived(row), row.path_length))
        logs = [math.log(length_to_goal(row)) for row in rows
                if arrived(row) and length_to_goal(row) >= MIN_LENGTH]
        if len(logs) > 1:
            groups[rows[0].group].append((len(logs), statistics.pstdev(logs), rows))
    found = []
    for group in sorted(groups)[:count]:
        enough = MIN_SOLVERS * max(solved for solved, _, _ in groups[group])
        best = max((case for case in groups[group] if case[0] >= enough),
                   key=lambda case: case[1])
        found.append(SameWorld(group, best[2]))
    return found


def shortest_beside(campaign: Results, row: Row) -> Optional[Row]:
    """Return the shortest path of another name to the same goal, if it is shorter."""
    others = [other for name, rows in campaign.cases[campaign.case_of(row)].items()
              for other in rows if name != campaign.name_of(row) and arrived(other)]
    best = min(others, key=lambda other: other.path_length, default=None)
    if best is None or (arrived(row) and best.path_length >= row.path_length):
        return None
    return best


def _detour(row: Row) -> float:
    """Return path / shortest path; the path length [m] if there is no shortest path."""
    return row.path_length / max(row.shortest_path or 1.0, MIN_LENGTH)
