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

"""Report of a replay, as text and as JSON."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import Outcome
from bug_nav.recording.checks.report import wrapped
from bug_nav.recording.replay_summary import End, ReplaySummary
from bug_nav.simulation.map_file import FREE, GridMap, OCCUPIED

SHOWN = 5
"""Maximum number of entries of a kind that are listed."""
Row = Tuple[str, str]


class Drawn(NamedTuple):
    """A written map."""

    path: str
    """Path of its YAML file."""
    grid: GridMap
    start: Pose
    """Pose of the robot at the first scan."""


def describe(source: str, summary: ReplaySummary, assumed: Sequence[str],
             drawn: Optional[Drawn] = None) -> List[str]:
    """Return the summary as lines of plain text."""
    rows = [*_aim(summary), *_data(summary, assumed)]
    rows += _navigation(summary) if summary.goal else _map(drawn)
    lines = [f'{source}, {summary.duration:.1f} s: {headline(summary)}', '']
    for name, text in rows:
        lines += wrapped(f'  {name:<18}', text)
    return lines


def _aim(summary: ReplaySummary) -> List[Row]:
    return [('goal', f'({x:.2f}, {y:.2f}) in the frame of odometry')
            for x, y in ([summary.goal] if summary.goal else [])]


def _data(summary: ReplaySummary, assumed: Sequence[str]) -> List[Row]:
    """Return the rows about scans and odometry."""
    ticks = max(summary.ticks, 1)
    return [
        *(('assumed', each) for each in assumed[:SHOWN]),
        ('scans', f'{summary.scans} received, {summary.placed} placed'),
        *(('dropped', f'{count}: {why}') for why, count in summary.dropped.most_common(SHOWN)),
        ('skew', 'unknown' if summary.skew is None else
         f'scan stamps are {abs(summary.skew):.3f} s '
         f'{"ahead of" if summary.skew > 0.0 else "behind"} those of odometry'),
        *([('lidar', summary.lidar)] if summary.lidar else ()),
        *(('trouble', f'{count / ticks:.0%} of the time: {why}')
          for why, count in summary.troubles.most_common(SHOWN))]


def _navigation(summary: ReplaySummary) -> List[Row]:
    """Return the rows about the navigator."""
    rows: List[Row] = [
        *(('held', f'{hold.total:.1f} s {name}, {hold.times} times, at most {hold.longest:.1f} s')
          for name, hold in sorted(summary.holds.items())),
        ('commands', _commands(summary)),
        ('points', f'{_count(summary, "hit")} hit, {_count(summary, "leave")} left')]
    if summary.refusal:
        rows.append(('refused', f'the node would not have started: {summary.refusal}'))
    rows += [('ended', _end(end)) for end in summary.ends[:SHOWN]]
    if len(summary.ends) > SHOWN:
        rows.append(('ended', f'... and {len(summary.ends) - SHOWN} more times'))
    if not summary.ends:
        rows.append(('ended', 'it was still under way when the recording ended'))
    return rows


def _map(drawn: Optional[Drawn]) -> List[Row]:
    """Return the rows about the written map."""
    if drawn is None:
        return []
    rows, columns = drawn.grid.cells.shape
    x, y = drawn.grid.origin
    size, start = drawn.grid.resolution, drawn.start
    return [('map', f'{drawn.path}: {columns} x {rows} cells of {size:g} m, '
             f'{drawn.grid.share(OCCUPIED):.0%} occupied, {drawn.grid.share(FREE):.0%} free'),
            ('reaches', f'from ({x:.2f}, {y:.2f}) to ({x + columns * size:.2f}, '
             f'{y + rows * size:.2f}) in the frame of odometry'),
            ('start', f'the recording starts at --start={start.x:.2f},{start.y:.2f},'
             f'{start.theta:.2f}')]


def _end(end: End) -> str:
    outcome = end.result.outcome
    stood = '; in the recording, the robot stood' if outcome is Outcome.BLOCKED else ''
    return f'after {end.at:.1f} s: {outcome.value}, {end.result.message}{stood}'


def headline(summary: ReplaySummary) -> str:
    """Return the headline: the share of scans that were placed."""
    if not summary.scans:
        return 'there are no scans'
    if not summary.placed:
        return 'NO SCAN COULD BE PLACED, the robot would not have moved'
    return f'{summary.placed / summary.scans:.0%} of the scans were placed'


def _commands(summary: ReplaySummary) -> str:
    if not summary.ticks:
        return 'none'
    driving = summary.ticks - summary.standing - summary.turning
    return (f'{summary.ticks}, of which {driving / summary.ticks:.0%} drive, '
            f'{summary.turning / summary.ticks:.0%} turn on the spot, '
            f'{summary.standing / summary.ticks:.0%} stand')


def _count(summary: ReplaySummary, kind: str) -> int:
    return sum(event.kind == kind for event in summary.events)


def as_json(source: str, summary: ReplaySummary, assumed: Sequence[str],
            drawn: Optional[Drawn] = None) -> Dict[str, Any]:
    """Return the output of ``--json``; a missing number is None."""
    return {
        'source': source, 'duration': summary.duration,
        'goal': list(summary.goal) if summary.goal else None, 'map': drawn.path if drawn else None,
        'assumed': list(assumed), 'scans': summary.scans, 'placed': summary.placed,
        'dropped': dict(summary.dropped), 'skew': summary.skew,
        'lidar': summary.lidar, 'troubles': dict(summary.troubles),
        'holds': {name: {'total': hold.total, 'longest': hold.longest, 'times': hold.times}
                  for name, hold in summary.holds.items()},
        'ticks': summary.ticks, 'standing': summary.standing, 'turning': summary.turning,
        'events': [{'kind': event.kind, 'index': event.index, 'x': event.pose.x,
                    'y': event.pose.y} for event in summary.events],
        'refusal': summary.refusal,
        'ends': [{'time': end.at, 'outcome': end.result.outcome.value,
                  'message': end.result.message,
                  'certificate': [list(point) for point in end.result.certificate] or None}
                 for end in summary.ends]}
