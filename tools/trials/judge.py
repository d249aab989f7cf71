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

"""Observations of trials, and their judgement."""

from __future__ import annotations

import collections
import dataclasses
import math
from typing import Dict, List, Sequence

from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import ARRIVED
from trials.fault import Kind

MARGIN = 2.0
"""Maximum delay of the end of the goal after give_up_timeout [s]."""
LONG = 150.0
"""Maximum duration of a goal that may continue with the fault [s]."""
SLOW = 900.0
"""
Maximum duration of a goal with a fault that makes the robot slow: clock skew limits its speed to a
quarter [s].
"""
NEXT_BOUND = 90.0
"""Maximum duration of the next goal [s]."""
ANSWERS = 2
"""Maximum number of missing commands: one lost, and one while the goal ends."""
GOAL_MARGIN = 0.1
"""Margin of the goal tolerance for a true REACHED [m]."""


@dataclasses.dataclass(frozen=True)
class Seen:
    """Observations of one trial; times count from the onset of the fault [s]."""

    kind: str
    world: str
    algorithm: str
    mode: str
    outcome: str = 'none'
    message: str = ''
    ended_after: float = math.inf
    stood_after: float = 0.0
    stands: bool = True
    """Whether the robot has stopped at the end of the goal, with the fault still active."""
    contacts: int = 0
    off: float = 0.0
    """True distance to the goal at its end [m]."""
    missing: int = 0
    """Number of missing commands."""
    next_outcome: str = ''
    next_message: str = ''
    lost: str = ''
    """Request that the node did not answer."""
    alive: bool = True


def bound_of(kind: Kind) -> float:
    """Return the maximum duration of the goal [s]."""
    if kind.drivable or math.isfinite(kind.span):
        return SLOW if kind.slow else LONG
    return Settings.give_up_timeout + MARGIN


def failures_of(kind: Kind, seen: Seen) -> List[str]:
    """Return the failures of a trial, in a few words each."""
    wrong = [f'after {seen.mode}: {seen.lost}'] if seen.lost else []
    excused = bool(kind.excuse)
    if seen.contacts:
        return wrong if excused else [*wrong, 'contact']
    if seen.lost:
        return wrong
    wrong += _of_the_outcome(kind, seen)
    ended = seen.outcome != 'none' or 'none' in kind.outcomes  # or may wait
    if not seen.stands and ended and not excused:
        wrong.append('drives on after the end')
    if seen.missing > ANSWERS and not kind.paced:
        wrong.append('commands are missing')
    if seen.next_outcome not in ARRIVED:
        wrong.append(f'next goal: {seen.next_outcome or "not sent"}')
    return wrong


def _of_the_outcome(kind: Kind, seen: Seen) -> List[str]:
    outcome = seen.outcome
    if kind.outcomes:
        return [] if outcome in kind.outcomes else [f'outcome {outcome}']
    if outcome == 'none':
        return ['the goal does not end']
    if outcome == 'internal' or outcome == 'unreachable' and not kind.excuse:
        return [f'outcome {outcome}']
    if outcome == 'reached' and not kind.moves_frame \
            and seen.off > Settings.xy_goal_tolerance + GOAL_MARGIN:
        return ['"reached", and it is not']
    return []


HEAD = ('fault', 'right', 'not right', 'outcome', 'ends within', 'stands within', 'contacts',
        'next goal')


def table(kinds: Sequence[Kind], seen: Sequence[Seen]) -> List[Sequence[str]]:
    """Return one row per kind, failures first."""
    found: Dict[str, List[Seen]] = collections.defaultdict(list)
    for each in seen:
        found[each.kind].append(each)
    rows = [(kind, found[kind.name]) for kind in kinds if kind.name in found]
    rows.sort(key=lambda row: not any(failures_of(row[0], each) for each in row[1]))
    return [_row(kind, tries) for kind, tries in rows]


def _row(kind: Kind, tries: Sequence[Seen]) -> Sequence[str]:
    wrong = [failures_of(kind, each) for each in tries]
    right = sum(not each for each in wrong)
    said = _counted([each for one in wrong for each in one], len(tries))
    contacts = sum(each.contacts > 0 for each in tries)
    return (kind.name, f'{right} of {len(tries)}', said,
            _counted([each.outcome for each in tries if not each.contacts], len(tries)),
            _longest([each.ended_after for each in tries
                      if not each.contacts and each.outcome != 'none']),
            _longest([each.stood_after for each in tries if _stood(each)]),
            str(contacts) + (f' ({kind.excuse})' if contacts and kind.excuse else ''),
            _counted([each.next_outcome for each in tries if each.next_outcome], len(tries)))


def _stood(seen: Seen) -> bool:
    """Return whether the stopping time is meaningful for the fault."""
    return seen.outcome not in ('none', *ARRIVED) and seen.stands and not seen.contacts


def _counted(texts: Sequence[str], of: int) -> str:
    counts = collections.Counter(texts).most_common()
    return ', '.join(text if number == of else f'{text} ({number})' for text, number in counts)


def _longest(spans: Sequence[float]) -> str:
    return f'{max(spans):.1f} s' if spans else ''
