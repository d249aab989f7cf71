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

"""
A campaign: every case of a specification, driven with every combination, once.

It is written against `concurrent.futures.Executor` (see `workers`). What comes back is written
into the journal as it comes; which rows there are, and in which order, hangs on the specification
alone. A piece of work is one case with some of its combinations, so that the truth of a case is
found once and its world is made once.
"""

from __future__ import annotations

from array import array
from collections import deque
from concurrent.futures import CancelledError, FIRST_COMPLETED, Future, wait
import dataclasses
from typing import Any, Callable, Deque, Dict, Iterator, List, Optional, Tuple, Union

from bug_nav.bench.cases import bodies_of, Candidate, Case, find_case, mixed, Selection
from bug_nav.bench.episodes import (
    Combination,
    combinations,
    crashed_row,
    key_of,
    Rules,
    rules_of,
    run_one,
)
from bug_nav.bench.journal import Journal
from bug_nav.bench.rows import Row
from bug_nav.bench.spec import Spec
from bug_nav.bench.workers import is_hurried, Workers, WorkersError

STRIKES = 3
"""Work in which so many processes have died is not tried again."""
SUSPICIOUS = 2
"""After so many it is tried while nothing else runs, to know what is to blame."""
PIECE = 0.5
"""A piece of work takes about this long [s], so that there is little to lose."""
LARGEST_PIECE = 64
_POLL = 0.2
# So many times in a row may everything die before anything is done.
_HOPELESS = 10


@dataclasses.dataclass(frozen=True)
class Search:
    """Work: to find a case."""

    candidate: Candidate
    strikes: int = 0


@dataclasses.dataclass(frozen=True)
class Piece:
    """Work: to drive some episodes in a case."""

    case: Case
    asked: Tuple[Combination, ...]
    strikes: int = 0


Work = Union[Search, Piece]


def drive(rules: Rules, case: Case, asked: Tuple[Combination, ...]) -> List[Row]:
    """Drive the episodes; fewer of them, at least one, where the campaign is to end soon."""
    rows: List[Row] = []
    for combination in asked:
        if rows and is_hurried():
            break
        rows.append(run_one(rules, case, combination))
    return rows


def _ignore(row: Row, is_new: bool) -> None:
    """Watch nothing."""


class Campaign:
    """A specification on its way to rows."""

    def __init__(self, spec: Spec, journal: Journal, workers: Workers,
                 watch: Callable[[Row, bool], None] = _ignore) -> None:
        """
        Begin nothing yet.

        :param watch: is called with every row, and whether it is new, in any order.
        """
        self.spec, self._journal, self._workers, self._watch = spec, journal, workers, watch
        self._rules = rules_of(spec)
        self._combinations = combinations(spec)
        self._bodies = [(robot, *body) for robot, body in bodies_of(spec).items()]
        self._keys = [array('Q') for _ in spec.worlds]
        self.stopped = False
        """Set, it ends the campaign as soon as nothing is lost by it."""
        self._entries = deque(range(len(spec.worlds)))
        self._selections: Dict[int, Selection] = {}
        """Of the entries that have been begun and are not finished, by their numbers."""
        self._running: Dict[Future, Work] = {}
        self._again: Deque[Work] = deque()
        self._pieces: Deque[Piece] = deque()
        self._deaths = 0
        self._mean = PIECE

    def run(self) -> bool:
        """
        Drive what is not in the journal yet; return whether all has been driven.

        :raises SpecError: where starts and goals cannot be found as they are asked for.
        :raises WorkersError: where there are no workers any more.
        """
        while not self.stopped:
            self._fill()
            if not self._running:
                return True
            self._collect()
        self._wind_up()
        return False

    def rows(self) -> Iterator[Row]:
        """Yield the rows that there are, in the order of the specification."""
        for keys in self._keys:
            yield from self._journal.rows(keys)

    # ---- what is begun ------------------------------------------------------------------------

    def _fill(self) -> None:
        """Keep the workers busy, with little more than they can do at a time."""
        while len(self._running) < 2 * self._workers.count + 2 and not self.stopped:
            work = self._next()
            if work is None:
                return
            self._running[self._submit(work)] = work

    def _next(self) -> Optional[Work]:
        """Return what is to be begun now: what was lost, what is known, then another case."""
        if any(work.strikes >= SUSPICIOUS for work in self._running.values()):
            return None
        if self._again:
            alone = self._again[0].strikes >= SUSPICIOUS
            return None if alone and self._running else self._again.popleft()
        while not self._pieces:
            candidate = self._next_candidate()
            if candidate is None:
                return None
            key = self._key(candidate)
            if key not in self._journal:
                return Search(candidate)
            told = self._journal.get(key)
            self._found(candidate, Case.from_dict(told) if told else None)
        return self._split(self._pieces.popleft())

    def _next_candidate(self) -> Optional[Candidate]:
        """Return one of the first entries that has any; None where those have to wait."""
        for entry, selection in list(self._selections.items()):
            if selection.finished:
                del self._selections[entry]
        while True:
            for selection in self._selections.values():
                candidate = selection.next_candidate()
                if candidate is not None:
                    return candidate
            if len(self._selections) > self._workers.count or not self._entries:
                return None
            entry = self._entries.popleft()
            self._selections[entry] = Selection(self.spec, entry)

    def _split(self, piece: Piece) -> Piece:
        """Return as much of a piece as is done in one go, and keep the rest."""
        size = min(max(int(PIECE / max(self._mean, 1e-6)), 1), LARGEST_PIECE)
        if piece.asked[size:]:
            self._pieces.appendleft(dataclasses.replace(piece, asked=piece.asked[size:]))
        return dataclasses.replace(piece, asked=piece.asked[:size])

    def _submit(self, work: Work) -> Future:
        try:
            if isinstance(work, Search):
                return self._workers.submit(find_case, work.candidate, self.spec.seed)
            return self._workers.submit(drive, self._rules, work.case, work.asked)
        except Exception as error:
            if not self._workers.has_died(error):
                raise
            lost: Future = Future()
            lost.set_exception(error)
            return lost

    def _key(self, candidate: Candidate) -> int:
        """Return 64 bits that name a candidate: all that its case hangs on."""
        worlds = dataclasses.replace(candidate.worlds, count=1)
        return mixed('case', self.spec.seed, candidate.entry, candidate.number,
                     dataclasses.asdict(worlds), candidate.wish, candidate.seed, self._bodies)

    # ---- what comes back ----------------------------------------------------------------------

    def _collect(self) -> None:
        """Take what has been done, in any order, and mend what has died."""
        done, _ = wait(self._running, _POLL, FIRST_COMPLETED)
        lost = self._receive(done)
        if lost and self._workers.die_together:
            lost += self._receive(wait(self._running).done)
        if lost:
            self._deaths += 1
            if self._deaths > _HOPELESS:
                raise WorkersError('the workers die as soon as they begin; what has been done is '
                                   'kept')
            self._workers.mend()
            for work in lost:
                self._strike(work)

    def _receive(self, done: Any) -> List[Work]:
        """Take results, and return the work that has lost its process."""
        lost = []
        for future in done:
            work = self._running.pop(future)
            try:
                self._take(work, future.result())
            except CancelledError:
                raise WorkersError('the scheduler has gone, or has dropped the work; what has '
                                   'been done is kept') from None
            except Exception as error:
                if not self._workers.has_died(error):
                    raise
                lost.append(work)
        return lost

    def _take(self, work: Work, result: Any) -> None:
        self._deaths = 0
        if isinstance(work, Search):
            self._journal.add(self._key(work.candidate), result and result.as_dict())
            self._found(work.candidate, result)
            return
        for combination, row in zip(work.asked, result):
            self._journal.add(key_of(self._rules, work.case, combination), row.as_dict())
            self._watch(row, True)
            self._mean += 0.1 * (row.wall_time - self._mean)

    def _found(self, candidate: Candidate, case: Optional[Case]) -> None:
        """Note the rows of the cases that are certain to count now, and what of them is to do."""
        selection = self._selections.get(candidate.entry)
        for each in selection.take(candidate, case) if selection else ():
            asked = []
            for combination in self._combinations:
                key = key_of(self._rules, each, combination)
                self._keys[each.entry].append(key)
                row = self._journal.row(key)
                if row is None:
                    asked.append(combination)
                else:
                    self._watch(row, False)
            if asked:
                self._pieces.append(Piece(each, tuple(asked)))

    def _strike(self, work: Work) -> None:
        """Do again what has lost its process; what does so again and again is given up."""
        strikes = work.strikes + self._workers.deaths_told
        if isinstance(work, Piece) and len(work.asked) > 1 and strikes >= SUSPICIOUS:
            # One of them alone, so that it is known which is to blame.
            self._again.extend(Piece(work.case, (each,), SUSPICIOUS) for each in work.asked)
        elif strikes < STRIKES:
            self._again.append(dataclasses.replace(work, strikes=strikes))
        elif isinstance(work, Piece):
            self._take(work, [crashed_row(self._rules, work.case, work.asked[0],
                                          f'{STRIKES} processes have died with it')])
        else:
            raise WorkersError(f"the search for starts and goals in '{work.candidate.worlds.world}"
                               f"' has ended {STRIKES} processes")

    def _wind_up(self) -> None:
        """Take what is being done; drop what is not."""
        self._workers.hurry()
        for future in [future for future in self._running if future.cancel()]:
            del self._running[future]
        self._receive(wait(self._running).done)
