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

"""What a campaign has shown, as a table for a person and as a dictionary for a file."""

from __future__ import annotations

import dataclasses
import shlex
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from bug_nav.bench.campaign import Case, CaseRuns, Plan, Run


class Summary:
    """What has come out so far."""

    def __init__(self, plan: Plan):
        """Begin with nothing."""
        self.plan = plan
        self.cases: Dict[str, Case] = {}
        """The worlds, by name."""
        self.all: List[CaseRuns] = []
        self.faults: List[Tuple[CaseRuns, Run]] = []
        """The episodes in which something is wrong."""
        self._judged = 0

    def add(self, runs: CaseRuns) -> None:
        """Count the episodes of an algorithm in a world in."""
        self.all.append(runs)
        self.cases[runs.case.name] = runs.case
        self.faults += [(runs, run) for run in runs.runs if runs.fault(run)]
        self._judged += runs.case.truth is not None

    @property
    def judged(self) -> int:
        """The number of judged worlds in which every algorithm has been."""
        return self._judged // len(self.plan.algorithms)

    def runs(self, kind: Optional[str] = None,
             algorithm: Optional[str] = None) -> Iterator[Tuple[CaseRuns, Run]]:
        """Yield the episodes of a kind of worlds and of an algorithm; of all for None."""
        for runs in self.all:
            if kind in (None, runs.case.kind) and algorithm in (None, runs.algorithm):
                yield from ((runs, run) for run in runs.runs)

    # ---- in numbers ---------------------------------------------------------------------------

    def score(self, kind: str, algorithm: str) -> Dict[str, Any]:
        """
        Return how an algorithm did in a kind of worlds.

        Right and wrong are counted where the world is judged, contacts everywhere; ``path`` is
        the mean length [m] where every algorithm of the campaign reached the goal, or None.
        """
        episodes = list(self.runs(kind, algorithm))
        judged = [(runs, run) for runs, run in episodes if runs.case.truth is not None]
        wrong = sum(bool(runs.fault(run)) for runs, run in judged)
        gave_up = sum(runs.gave_up(run) for runs, run in judged)
        shared = self._reached_by_all(kind)
        lengths = [run.path_length for runs, run in episodes
                   if (runs.case.name, run.turn) in shared]
        return {'algorithm': algorithm, 'kind': kind, 'episodes': len(judged),
                'right': len(judged) - wrong - gave_up, 'wrong': wrong, 'gave_up': gave_up,
                'contacts': sum(run.contacts for _, run in episodes),
                'path': sum(lengths) / len(lengths) if lengths else None}

    def _reached_by_all(self, kind: str) -> Set[Tuple[str, str]]:
        """Return the worlds and turns where lengths can be compared."""
        reached = [{(runs.case.name, run.turn) for runs, run in self.runs(kind, algorithm)
                    if run.outcome == 'reached'} for algorithm in self.plan.algorithms]
        return set.intersection(*reached)

    def scores(self) -> List[Dict[str, Any]]:
        """Return every `score`, with its path's ratio to that of the best of its kind."""
        found = []
        for kind in self.plan.kinds:
            rows = [self.score(kind, algorithm) for algorithm in self.plan.algorithms]
            best = min((row['path'] for row in rows if row['path']), default=None)
            found += [{**row, 'to_best': row['path'] / best if best else None} for row in rows]
        return found

    def worlds(self, kind: str) -> Dict[str, Any]:
        """Return how many worlds of a kind could be judged, and what came of the others."""
        truths = [case.truth for case in self.cases.values() if case.kind == kind]
        others = [(runs, run) for runs, run in self.runs(kind) if runs.case.truth is None]
        return {'kind': kind, 'reachable': truths.count(True), 'unreachable': truths.count(False),
                'not_judged': truths.count(None),
                'share': truths.count(None) / max(len(truths), 1), 'episodes': len(others),
                'wrong': sum(bool(runs.fault(run)) for runs, run in others)}

    def as_dict(self) -> Dict[str, Any]:
        """Return everything for a JSON file; a number that does not exist is None."""
        return {
            'plan': dataclasses.asdict(self.plan), 'scores': self.scores(),
            'worlds': [self.worlds(kind) for kind in self.plan.kinds],
            'contacts': self._sum('contacts'), 'min_clearance': self._min_clearance(),
            'time': self._sum('time'), 'real_time_factor': self._real_time_factor(),
            'episodes': [{**runs.case._asdict(), 'algorithm': runs.algorithm,
                          'fault': runs.fault(run), **run._asdict()}
                         for runs, run in self.runs()]}

    def _sum(self, name: str) -> float:
        return sum(getattr(run, name) for _, run in self.runs())

    def _min_clearance(self) -> Optional[float]:
        return min((run.min_clearance for _, run in self.runs()
                    if run.min_clearance is not None), default=None)

    def _real_time_factor(self) -> float:
        return self._sum('time') / max(self._sum('wall_time'), 1e-9)

    # ---- in words -----------------------------------------------------------------------------

    def table(self) -> str:
        """Return the summary for a person."""
        seeds = [case.seed for case in self.cases.values()]
        between = f'seeds {min(seeds)} to {max(seeds)}' if seeds else 'no worlds yet'
        clearance = self._min_clearance()
        nearest = 'none' if clearance is None else f'{clearance:.3f} m'
        return '\n'.join([
            f'turning {" and ".join(self.plan.turns)}, range noise {self.plan.noise:g} m, '
            f'{between}', '', *self._table_of_scores(), '', *self._table_of_worlds(), '',
            f'contacts {self._sum("contacts")}, smallest clearance of the body {nearest}, '
            f'{self._sum("time") / 3600.0:.1f} h simulated, {self._real_time_factor():.0f} times '
            'real time', *self._list_of_faults()])

    def _table_of_scores(self) -> List[str]:
        lines = [f'{"algorithm":<15}{"worlds":<11}{"episodes":>9}{"right":>8}{"wrong":>7}'
                 f'{"gave up":>9}{"contacts":>10}{"path *":>9}{"to best":>9}']
        for row in self.scores():
            path, to_best = row['path'], row['to_best']
            lines.append(
                f'{row["algorithm"]:<15}{row["kind"]:<11}{row["episodes"]:>9}{row["right"]:>8}'
                f'{row["wrong"]:>7}{row["gave_up"]:>9}{row["contacts"]:>10}'
                + ('' if path is None else f'{path:>7.2f} m{to_best:>9.3f}'))
        return [*lines, '* Mean length where every algorithm of the table reached the goal.']

    def _table_of_worlds(self) -> List[str]:
        lines = [f'{"worlds":<11}{"reachable":>11}{"unreachable":>13}{"not judged *":>14}'
                 f'{"share":>9}{"episodes":>10}{"wrong":>7}']
        for kind in self.plan.kinds:
            row = self.worlds(kind)
            lines.append(f'{kind:<11}{row["reachable"]:>11}{row["unreachable"]:>13}'
                         f'{row["not_judged"]:>14}{100.0 * row["share"]:>7.1f} %'
                         f'{row["episodes"]:>10}{row["wrong"]:>7}')
        return [*lines, '* The truth there hangs on 2 cm. Right is any verdict but UNREACHABLE '
                'where the goal', '  can be reached at rho + 2 cm (soundness).']

    def _list_of_faults(self) -> List[str]:
        lines = []
        for runs, run in self.faults:
            lines += ['', f'WRONG: {runs.algorithm} in {runs.case.kind}, seed {runs.case.seed}, '
                      f'turning {run.turn}: {run.outcome} after {run.path_length:.1f} m; '
                      f'{runs.fault(run)}',
                      *(f'  {line}' for line in run.message.splitlines()),
                      f'  {command_of(runs, run)}']
        return lines


def command_of(runs: CaseRuns, run: Run) -> str:
    """Return the command that repeats an episode."""
    return shlex.join([
        'bug_nav', 'run', runs.case.name, '--algorithm', runs.algorithm, '--turn', run.turn,
        '--noise', f'{runs.noise:g}', '--seed', str(runs.case.seed), '--time-allowance',
        str(runs.case.time_allowance)])
