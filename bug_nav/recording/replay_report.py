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

from bug_nav.checks.report import wrapped
from bug_nav.core.interface import Outcome
from bug_nav.recording.story import End, Story
from bug_nav.sim.map_file import FREE, GridMap, OCCUPIED

SHOWN = 5
"""Maximum number of entries of a kind that are listed."""
Row = Tuple[str, str]


class Drawn(NamedTuple):
    """A written map."""

    path: str
    """Path of its YAML file."""
    grid: GridMap


def describe(source: str, story: Story, assumed: Sequence[str], drawn: Optional[Drawn] = None
             ) -> List[str]:
    """Return the summary as lines of plain text."""
    rows = [*_aim(story), *_data(story, assumed)]
    rows += _navigation(story) if story.goal else _map(drawn)
    lines = [f'{source}, {story.duration:.1f} s: {headline(story)}', '']
    for name, text in rows:
        lines += wrapped(f'  {name:<18}', text)
    return lines


def _aim(story: Story) -> List[Row]:
    return [('goal', f'({x:.2f}, {y:.2f}) in the frame of odometry')
            for x, y in ([story.goal] if story.goal else [])]


def _data(story: Story, assumed: Sequence[str]) -> List[Row]:
    """Return the rows about scans and odometry."""
    ticks = max(story.ticks, 1)
    return [
        *(('assumed', each) for each in assumed[:SHOWN]),
        ('scans', f'{story.scans} received, {story.placed} placed'),
        *(('dropped', f'{count}: {why}') for why, count in story.dropped.most_common(SHOWN)),
        ('skew', 'unknown' if story.skew is None else
         f'scan stamps are {abs(story.skew):.3f} s {"ahead of" if story.skew > 0.0 else "behind"} '
         'those of odometry'),
        *(('trouble', f'{count / ticks:.0%} of the time: {why}')
          for why, count in story.troubles.most_common(SHOWN))]


def _navigation(story: Story) -> List[Row]:
    """Return the rows about the navigator."""
    rows: List[Row] = [
        *(('held', f'{hold.total:.1f} s {name}, {hold.times} times, at most {hold.longest:.1f} s')
          for name, hold in sorted(story.holds.items())),
        ('commands', _commands(story)),
        ('points', f'{_count(story, "hit")} hit, {_count(story, "leave")} left')]
    if story.refusal:
        rows.append(('refused', f'the node would not have started: {story.refusal}'))
    rows += [('ended', _end(end)) for end in story.ends[:SHOWN]]
    if len(story.ends) > SHOWN:
        rows.append(('ended', f'... and {len(story.ends) - SHOWN} more times'))
    if not story.ends:
        rows.append(('ended', 'it was still under way when the recording ended'))
    return rows


def _map(drawn: Optional[Drawn]) -> List[Row]:
    """Return the rows about the written map."""
    if drawn is None:
        return []
    rows, columns = drawn.grid.cells.shape
    x, y = drawn.grid.origin
    size = drawn.grid.resolution
    return [('map', f'{drawn.path}: {columns} x {rows} cells of {size:g} m, '
             f'{drawn.grid.share(OCCUPIED):.0%} occupied, {drawn.grid.share(FREE):.0%} free'),
            ('reaches', f'from ({x:.2f}, {y:.2f}) to ({x + columns * size:.2f}, '
             f'{y + rows * size:.2f}) in the frame of odometry')]


def _end(end: End) -> str:
    outcome = end.result.outcome
    stood = '; in the recording, the robot stood' if outcome is Outcome.BLOCKED else ''
    return f'after {end.at:.1f} s: {outcome.value}, {end.result.message}{stood}'


def headline(story: Story) -> str:
    """Return the headline: the share of scans that were placed."""
    if not story.scans:
        return 'there are no scans'
    if not story.placed:
        return 'NO SCAN COULD BE PLACED, the robot would not have moved'
    return f'{story.placed / story.scans:.0%} of the scans were placed'


def _commands(story: Story) -> str:
    if not story.ticks:
        return 'none'
    driving = story.ticks - story.standing - story.turning
    return (f'{story.ticks}, of which {driving / story.ticks:.0%} drive, '
            f'{story.turning / story.ticks:.0%} turn on the spot, '
            f'{story.standing / story.ticks:.0%} stand')


def _count(story: Story, kind: str) -> int:
    return sum(event.kind == kind for event in story.events)


def as_json(source: str, story: Story, assumed: Sequence[str], drawn: Optional[Drawn] = None
            ) -> Dict[str, Any]:
    """Return the output of ``--json``; a missing number is None."""
    return {
        'source': source, 'duration': story.duration,
        'goal': list(story.goal) if story.goal else None, 'map': drawn.path if drawn else None,
        'assumed': list(assumed), 'scans': story.scans, 'placed': story.placed,
        'dropped': dict(story.dropped), 'skew': story.skew, 'troubles': dict(story.troubles),
        'holds': {name: {'total': hold.total, 'longest': hold.longest, 'times': hold.times}
                  for name, hold in story.holds.items()},
        'ticks': story.ticks, 'standing': story.standing, 'turning': story.turning,
        'events': [{'kind': event.kind, 'index': event.index, 'x': event.pose.x,
                    'y': event.pose.y} for event in story.events],
        'refusal': story.refusal,
        'ends': [{'time': end.at, 'outcome': end.result.outcome.value,
                  'message': end.result.message,
                  'certificate': [list(point) for point in end.result.certificate] or None}
                 for end in story.ends]}
