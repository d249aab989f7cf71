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
Campaign: drive every case of a specification once with every combination.

Work runs on a `concurrent.futures.Executor` (see `workers`). Results go to the journal as they
arrive; the set of rows and their order depend on the specification only. A piece of work is one
case with some of its combinations, so that the ground truth and the world of a case are computed
once.
"""

from __future__ import annotations

from array import array
from collections import deque
from concurrent.futures import CancelledError, FIRST_COMPLETED, Future, wait
import dataclasses
from typing import Any, Callable, Deque, Dict, Iterator, List, Optional, Tuple, Union

from bug_nav.lab.cases import (
    Candidate,
    Case,
    find_case,
    robot_geometries,
    Selection,
    stable_hash,
)
from bug_nav.lab.episodes import (
    CampaignRules,
    Combination,
    combinations,
    crashed_row,
    drive_episode,
    key_of,
    rules_of,
)
from bug_nav.lab.journal import Journal
from bug_nav.lab.rows import Row
from bug_nav.lab.spec import Spec
from bug_nav.lab.workers import stop_requested, WorkDropped, Workers, WorkersError

MAX_CRASHES = 3
"""Number of processes that a piece of work may kill before it is given up."""
ALONE_AFTER = 2
"""Number of killed processes after which work runs alone, to find the cause."""
PIECE_TIME = 0.5
"""Target duration of a piece of work, which bounds the loss when a process dies [s]."""
MAX_PIECE = 64
_POLL = 0.2
# Maximum number of consecutive crashes without any result.
_MAX_CRASHES_IN_A_ROW = 10


@dataclasses.dataclass(frozen=True)
class Search:
    """Work: find a case."""

    candidate: Candidate
    crashes: int = 0


@dataclasses.dataclass(frozen=True)
class Piece:
    """Work: drive some episodes of a case."""

    case: Case
    combinations: Tuple[Combination, ...]
    crashes: int = 0


Work = Union[Search, Piece]


def drive(rules: CampaignRules, case: Case, combinations: Tuple[Combination, ...]) -> List[Row]:
    """Drive episodes; after a stop request, end after the current one (at least one)."""
    rows: List[Row] = []
    for combination in combinations:
        if rows and stop_requested():
            break
        rows.append(drive_episode(rules, case, combination))
    return rows


def _ignore(row: Row, is_new: bool) -> None:
    """Ignore a row."""


class Campaign:
    """A running campaign."""

    def __init__(self, spec: Spec, journal: Journal, workers: Workers,
                 watch: Callable[[Row, bool], None] = _ignore) -> None:
        """
        Prepare the campaign; `run` starts it.

        :param watch: called with every row, and whether it is new, in any order.
        """
        self.spec, self._journal, self._workers, self._watch = spec, journal, workers, watch
        self._rules = rules_of(spec)
        self._combinations = combinations(spec)
        self._geometries = [(robot, *body) for robot, body in robot_geometries(spec).items()]
        self._keys = [array('Q') for _ in spec.worlds]
        self.stopped = False
        """Set it to end the campaign after the running episodes."""
        self._entries = deque(range(len(spec.worlds)))
        self._selections: Dict[int, Selection] = {}
        """Selections of the open entries, by entry number."""
        self._running: Dict[Future, Work] = {}
        self._retries: Deque[Work] = deque()
        self._pieces: Deque[Piece] = deque()
        self._crashes = 0
        self._mean = PIECE_TIME

    def run(self) -> bool:
        """
        Drive the episodes that are not in the journal; return whether all are done.

        :raises SpecError: if no pairs of start and goal fit the specification.
        :raises WorkersError: if no workers are left.
        """
        while not self.stopped:
            self._fill()
            if not self._running:
                return True
            self._collect()
        self._finish()
        return False

    def rows(self) -> Iterator[Row]:
        """Yield the finished rows, in the order of the specification."""
        for keys in self._keys:
            yield from self._journal.rows(keys)

    # ---- submission ---------------------------------------------------------------------------

    def _fill(self) -> None:
        """Keep the workers busy, with a short queue."""
        while len(self._running) < 2 * self._workers.count + 2 and not self.stopped:
            work = self._next()
            if work is None:
                return
            self._running[self._submit(work)] = work

    def _next(self) -> Optional[Work]:
        """Return the next work: first lost work, then known pieces, then a new case."""
        if any(work.crashes >= ALONE_AFTER for work in self._running.values()):
            return None
        if self._retries:
            alone = self._retries[0].crashes >= ALONE_AFTER
            return None if alone and self._running else self._retries.popleft()
        while not self._pieces:
            candidate = self._next_candidate()
            if candidate is None:
                return None
            key = self._key(candidate)
            if key not in self._journal:
                return Search(candidate)
            stored = self._journal.get(key)
            self._record(candidate, Case.from_dict(stored) if stored else None)
        return self._split(self._pieces.popleft())

    def _next_candidate(self) -> Optional[Candidate]:
        """Return a candidate of the first entry that has one; None if all have to wait."""
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
        """Return a part of a piece that takes about `PIECE_TIME`, and queue the rest."""
        size = min(max(int(PIECE_TIME / max(self._mean, 1e-6)), 1), MAX_PIECE)
        if piece.combinations[size:]:
            self._pieces.appendleft(
                dataclasses.replace(piece, combinations=piece.combinations[size:]))
        return dataclasses.replace(piece, combinations=piece.combinations[:size])

    def _submit(self, work: Work) -> Future:
        try:
            if isinstance(work, Search):
                return self._workers.submit(find_case, work.candidate, self.spec.seed)
            return self._workers.submit(drive, self._rules, work.case, work.combinations)
        except Exception as error:
            if not self._workers.has_died(error):
                raise
            lost: Future = Future()
            lost.set_exception(error)
            return lost

    def _key(self, candidate: Candidate) -> int:
        """Return a 64-bit hash of everything that the case of a candidate depends on."""
        worlds = dataclasses.replace(candidate.worlds, count=1)
        return stable_hash(
            'case', self.spec.seed, candidate.entry, candidate.number,
            dataclasses.asdict(worlds), candidate.want_reachable, candidate.seed, self._geometries)

    # ---- results ------------------------------------------------------------------------------

    def _collect(self) -> None:
        """Process finished work, in any order, and restart dead workers."""
        done, _ = wait(self._running, _POLL, FIRST_COMPLETED)
        lost = self._receive(done)
        if lost and self._workers.all_lost_on_crash:
            lost += self._receive(wait(self._running).done)
        if lost:
            self._crashes += 1
            if self._crashes > _MAX_CRASHES_IN_A_ROW:
                raise WorkersError('the workers die as soon as they start; finished episodes are '
                                   'kept')
            self._workers.restart()
            for work in lost:
                self._retry(work)

    def _receive(self, done: Any) -> List[Work]:
        """Store results, and return the work whose process died."""
        lost = []
        for future in done:
            work = self._running.pop(future)
            try:
                self._take(work, future.result())
            except WorkDropped:
                continue
            except CancelledError:
                raise WorkersError('the scheduler has stopped, or has dropped the work; finished '
                                   'episodes are kept') from None
            except Exception as error:
                if not self._workers.has_died(error):
                    raise
                lost.append(work)
        return lost

    def _take(self, work: Work, result: Any) -> None:
        self._crashes = 0
        if isinstance(work, Search):
            self._journal.add(self._key(work.candidate), result and result.as_dict())
            self._record(work.candidate, result)
            return
        for combination, row in zip(work.combinations, result):
            self._journal.add(key_of(self._rules, work.case, combination), row.as_dict())
            self._watch(row, True)
            self._mean += 0.1 * (row.wall_time - self._mean)

    def _record(self, candidate: Candidate, case: Optional[Case]) -> None:
        """Record the rows of the cases that now count, and queue their missing episodes."""
        selection = self._selections.get(candidate.entry)
        for each in selection.take(candidate, case) if selection else ():
            missing = []
            for combination in self._combinations:
                key = key_of(self._rules, each, combination)
                self._keys[each.entry].append(key)
                row = self._journal.row(key)
                if row is None:
                    missing.append(combination)
                else:
                    self._watch(row, False)
            if missing:
                self._pieces.append(Piece(each, tuple(missing)))

    def _retry(self, work: Work) -> None:
        """Retry work whose process died, up to `MAX_CRASHES` times."""
        crashes = work.crashes + self._workers.crashes_per_loss
        if isinstance(work, Piece) and len(work.combinations) > 1 and crashes >= ALONE_AFTER:
            # One combination at a time, to find the cause.
            self._retries.extend(
                Piece(work.case, (each,), ALONE_AFTER) for each in work.combinations)
        elif crashes < MAX_CRASHES:
            self._retries.append(dataclasses.replace(work, crashes=crashes))
        elif isinstance(work, Piece):
            self._take(work, [crashed_row(self._rules, work.case, work.combinations[0],
                                          f'the episode has killed {MAX_CRASHES} processes')])
        else:
            raise WorkersError(
                'the search for pairs of start and goal in '
                f"'{work.candidate.worlds.world}' has killed {MAX_CRASHES} processes")

    def _finish(self) -> None:
        """Cancel pending work and store the results of running work."""
        self._workers.request_stop()
        self._workers.cancel(list(self._running))
        done = wait(self._running).done
        for future in [future for future in done if future.cancelled()]:
            del self._running[future]
        self._receive([future for future in done if not future.cancelled()])
