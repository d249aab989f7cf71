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

"""Counts of verdicts, by variant and by drift correction."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterable, Iterator, Mapping, Tuple

from bug_nav.lab.rows import is_wrong, odometry_of, Row, STATIC_BASELINE
from bug_nav.navigation.types import Outcome


class VerdictCounts:
    """Counts of right, wrong and missing verdicts."""

    def __init__(self) -> None:
        """Start at zero."""
        self.episodes = self.right = 0
        """Episodes in judged worlds, as the next ones."""
        self.false_unreachable = self.false_reached = 0
        """
        UNREACHABLE for a reachable goal or without a valid certificate; REACHED for an
        unreachable goal or farther from the goal than the success radius.
        """
        self.no_verdict: Dict[str, int] = Counter()
        """
        Episodes without a verdict, by outcome; uncertain arrivals also by the true position.
        """
        self.contacts = 0
        """Episodes with a contact, also in unjudged worlds."""

    def add(self, row: Row) -> None:
        """Add a row."""
        self.contacts += row.contacts > 0
        if row.reachable is None:
            return
        self.episodes += 1
        if row.verdict == 'none':
            self.no_verdict[_label(row)] += 1
        elif not is_wrong(row):
            self.right += 1
        elif row.outcome == 'unreachable':
            self.false_unreachable += 1
        else:
            self.false_reached += 1

    @property
    def no_verdict_text(self) -> str:
        """Return the number of episodes without a verdict, as `no_verdict_text`."""
        return no_verdict_text(self.no_verdict)

    def as_dict(self) -> Dict[str, Any]:
        """Return the counts by name."""
        return {'episodes': self.episodes, 'right': self.right,
                'false_unreachable': self.false_unreachable,
                'false_reached': self.false_reached, 'no_verdict': dict(self.no_verdict),
                'contacts': self.contacts}


def _label(row: Row) -> str:
    if row.outcome != Outcome.REACHED_UNCERTAIN.value:
        return row.outcome
    return f'{row.outcome} {"at the goal" if row.success else "elsewhere"}'


def no_verdict_text(counts: Mapping[str, int]) -> str:
    """Return the number of episodes without a verdict, and by outcome, most frequent first."""
    parts = ', '.join(f'{count} {outcome}' for outcome, count in sorted(
        counts.items(), key=lambda pair: (-pair[1], pair[0])))
    return f'{sum(counts.values())}' + (f' ({parts})' if parts else '')


class VerdictTable:
    """Verdicts by variant (faults of odometry and sensors) and drift correction."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        """Add rows."""
        self.verdicts: Dict[Tuple[str, str], VerdictCounts] = {}
        """By variant and correction; a row without a variant counts for its odometry."""
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        """Add a row."""
        what = row.variant or odometry_of(row)
        key = f'{what}, {STATIC_BASELINE}' if row.still else what, row.correction
        self.verdicts.setdefault(key, VerdictCounts()).add(row)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a text table; nothing for a single variant and correction."""
        if len(self.verdicts) < 2:
            return
        wide = max(9, *(len(variant) + 2 for variant, _ in self.verdicts))
        yield (f'{"variant":<{wide}}{"correction":<15}{"episodes":>8}{"right":>8}{"share":>9}'
               f'{"false UNREACHABLE":>19}{"false REACHED":>15}{"contacts":>10}  no verdict')
        for (variant, correction), each in self.verdicts.items():
            share = f'{100.0 * each.right / each.episodes:.1f} %' if each.episodes else ''
            yield (f'{variant:<{wide}}{correction:<15}{each.episodes:>8}{each.right:>8}{share:>9}'
                   f'{each.false_unreachable:>19}{each.false_reached:>15}{each.contacts:>10}  '
                   f'{each.no_verdict_text}')
