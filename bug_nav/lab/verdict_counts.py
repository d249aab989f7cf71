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

"""Counts of verdicts and consistency of estimates, by variant and by drift correction."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterable, Iterator, Mapping, Tuple

from bug_nav.lab.rows import is_wrong, odometry_of, Row, STATIC_BASELINE


class EstimateFigures:
    """Consistency of the estimated poses of the episodes that estimate drift (`Consistency`)."""

    def __init__(self) -> None:
        """Start without episodes."""
        self.episodes = 0
        """Episodes with an estimate, also in unjudged worlds."""
        self._nees = self._within = self._max_error = 0.0

    def add(self, row: Row) -> None:
        """Add a row, which may be without an estimate."""
        if row.mean_nees is None:
            return
        self.episodes += 1
        self._nees += row.mean_nees
        self._within += row.within_two_sigma or 0.0
        self._max_error = max(self._max_error, row.max_position_error or 0.0)

    def as_dict(self) -> Dict[str, Any]:
        """
        Return the figures by name, with four digits; empty without an episode.

        NEES and the share of scans within two sigma are means over the episodes, the position
        error is the largest of any.
        """
        if not self.episodes:
            return {}
        return {'episodes': self.episodes, 'mean_nees': round(self._nees / self.episodes, 4),
                'within_two_sigma': round(self._within / self.episodes, 4),
                'max_position_error': round(self._max_error, 4)}


def estimate_cells(figures: Mapping[str, Any]) -> Tuple[str, str, str]:
    """Return NEES, share and error [m] of `EstimateFigures.as_dict` as text; empty without any."""
    if not figures:
        return '', '', ''
    return (f'{figures["mean_nees"]:.2f}', f'{100.0 * figures["within_two_sigma"]:.1f} %',
            f'{figures["max_position_error"]:.3f} m')


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
        self.estimates = EstimateFigures()

    def add(self, row: Row) -> None:
        """Add a row."""
        self.contacts += row.contacts > 0
        self.estimates.add(row)
        if row.reachable is None:
            return
        self.episodes += 1
        if row.verdict == 'none':
            self.no_verdict[row.outcome] += 1
        elif not is_wrong(row):
            self.right += 1
        elif row.outcome == 'unreachable':
            self.false_unreachable += 1
        else:
            self.false_reached += 1

    @property
    def estimate_cells(self) -> Tuple[str, str, str]:
        """Return the figures of the estimates as text, as `estimate_cells`."""
        return estimate_cells(self.estimates.as_dict())

    @property
    def no_verdict_text(self) -> str:
        """Return the number of episodes without a verdict, as `no_verdict_text`."""
        return no_verdict_text(self.no_verdict)

    def as_dict(self) -> Dict[str, Any]:
        """Return the counts by name, and the figures of the estimates if there are any."""
        estimates = self.estimates.as_dict()
        return {'episodes': self.episodes, 'right': self.right,
                'false_unreachable': self.false_unreachable,
                'false_reached': self.false_reached, 'no_verdict': dict(self.no_verdict),
                'contacts': self.contacts, **({'estimates': estimates} if estimates else {})}


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

    @property
    def has_estimates(self) -> bool:
        """Return whether any episode estimates drift; rows of earlier versions do not say."""
        return any(each.estimates.episodes for each in self.verdicts.values())

    def lines(self) -> Iterator[str]:
        """Yield the lines of a text table; nothing for a single variant and correction."""
        if len(self.verdicts) < 2:
            return
        wide = max(9, *(len(variant) + 2 for variant, _ in self.verdicts))
        estimated = self.has_estimates
        yield (f'{"variant":<{wide}}{"correction":<15}{"episodes":>8}{"right":>8}{"share":>9}'
               f'{"false UNREACHABLE":>19}{"false REACHED":>15}{"contacts":>10}'
               + (f'{"NEES":>10}{"in 2 sigma":>12}{"max error":>11}' if estimated else '')
               + '  no verdict')
        for (variant, correction), each in self.verdicts.items():
            share = f'{100.0 * each.right / each.episodes:.1f} %' if each.episodes else ''
            yield (f'{variant:<{wide}}{correction:<15}{each.episodes:>8}{each.right:>8}{share:>9}'
                   f'{each.false_unreachable:>19}{each.false_reached:>15}{each.contacts:>10}'
                   + ('{:>10}{:>12}{:>11}'.format(*each.estimate_cells)
                      if estimated else '')
                   + f'  {each.no_verdict_text}')
        if estimated:
            yield ('NEES, about 1 if the covariance of the pose is right, and the share of scans '
                   'in 2 sigma are means over episodes.')
