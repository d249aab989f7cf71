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
Are the verdicts right? ``python -m bug_nav.bench.verdicts`` runs a campaign and says so.

Exit code: 0 where every verdict was right and nothing was touched, 1 where not, 2 for bad input,
130 after Ctrl-C, which prints what has been done until then.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
import contextlib
import dataclasses
import json
import math
import multiprocessing
import os
import shlex
import signal
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from bug_nav.algorithms.registry import find
from bug_nav.bench.campaign import campaign, Plan, Run, WorldRuns
from bug_nav.robot import TURNS
from bug_nav.sim.generators import cluttered_name
from bug_nav.sim.simulator import LidarModel

Advance = Callable[[int, int], None]
"""Takes the number of judged worlds and of faults so far."""
PLAIN_PERIOD = 10.0
"""Without a terminal, progress is told this often [s]."""


class Summary:
    """What has come out so far."""

    def __init__(self, plan: Plan):
        """Begin with nothing."""
        self.plan = plan
        self.worlds: List[WorldRuns] = []

    @property
    def runs(self) -> List[Tuple[WorldRuns, Run]]:
        """Every episode, with its world."""
        return [(world, run) for world in self.worlds for run in world.runs]

    @property
    def faults(self) -> List[Tuple[WorldRuns, Run]]:
        """The episodes in which something is wrong."""
        return [(world, run) for world, run in self.runs if world.fault(run)]

    @property
    def judged(self) -> int:
        """The number of judged worlds."""
        return sum(world.truth is not None for world in self.worlds)

    def row(self, truth: Optional[bool]) -> Dict[str, int]:
        """Return the counts of the worlds of one truth; None for those that cannot be judged."""
        runs = [(world, run) for world, run in self.runs if world.truth is truth]
        wrong = sum(bool(world.fault(run)) for world, run in runs)
        return {'worlds': sum(world.truth is truth for world in self.worlds),
                'episodes': len(runs), 'right': len(runs) - wrong, 'wrong': wrong}

    def as_dict(self) -> Dict[str, Any]:
        """Return everything for a JSON file; a number that does not exist is None."""
        return {
            'plan': dataclasses.asdict(self.plan),
            'reachable': self.row(True), 'unreachable': self.row(False),
            'not_judged': self.row(None), 'contacts': self._sum('contacts'),
            'min_clearance': _finite(self._min_clearance()), 'time': self._sum('time'),
            'real_time_factor': self._sum('time') / max(self._sum('wall_time'), 1e-9),
            'episodes': [self._episode(world, run) for world, run in self.runs]}

    def _episode(self, world: WorldRuns, run: Run) -> Dict[str, Any]:
        return {'seed': world.seed, 'wished_reachable': world.wished_reachable,
                'truth': world.truth, 'surely_reachable': world.surely_reachable,
                'fault': world.fault(run), **run._asdict(),
                'min_clearance': _finite(run.min_clearance)}

    def _sum(self, name: str) -> float:
        return sum(getattr(run, name) for _, run in self.runs)

    def _min_clearance(self) -> float:
        return min((run.min_clearance for _, run in self.runs), default=math.inf)

    def table(self) -> str:
        """Return the summary for a person."""
        plan, seeds = self.plan, [world.seed for world in self.worlds]
        between = f'seeds {min(seeds)} to {max(seeds)}' if seeds else 'no worlds yet'
        lines = [f'{plan.algorithm}, turning {" and ".join(plan.turns)}, range noise '
                 f'{plan.noise:g} m, {between}', '',
                 f'{"worlds where the goal is":<28}{"worlds":>8}{"episodes":>10}{"right":>8}'
                 f'{"wrong":>8}']
        for name, truth in (('reachable', True), ('unreachable', False), ('not judged *', None)):
            row = self.row(truth)
            lines.append(f'{name:<28}{row["worlds"]:>8}{row["episodes"]:>10}{row["right"]:>8}'
                         f'{row["wrong"]:>8}')
        share = 100.0 * self.row(None)['worlds'] / max(len(self.worlds), 1)
        lines += [f'* {share:.1f} % of the worlds: the truth there hangs on 2 cm. Right is any '
                  'verdict but', '  UNREACHABLE where the goal can be reached at rho + 2 cm '
                  '(soundness).', '']
        factor = self._sum('time') / max(self._sum('wall_time'), 1e-9)
        lines.append(f'contacts {self._sum("contacts")}, smallest clearance of the body '
                     f'{self._min_clearance():.3f} m, {self._sum("time") / 3600.0:.1f} h '
                     f'simulated, {factor:.0f} times real time')
        return '\n'.join(lines + self._list_of_faults())

    def _list_of_faults(self) -> List[str]:
        lines = []
        for world, run in self.faults:
            lines += ['', f'WRONG: seed {world.seed}, turning {run.turn}: {run.outcome} after '
                      f'{run.path_length:.1f} m; {world.fault(run)}',
                      *(f'  {line}' for line in run.message.splitlines()),
                      f'  {command_of(self.plan, world, run)}']
        return lines


def command_of(plan: Plan, world: WorldRuns, run: Run) -> str:
    """Return the command that repeats an episode."""
    name = cluttered_name(world.seed, world.wished_reachable)
    return shlex.join(['bug_nav', 'run', name, '--algorithm', plan.algorithm, '--turn', run.turn,
                       '--noise', f'{plan.noise:g}', '--seed', str(world.seed)])


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


# ---- progress ---------------------------------------------------------------------------------

@contextlib.contextmanager
def _progress(total: int) -> Iterator[Advance]:
    """Show the progress on stderr: as a bar where there is a terminal and rich, else in lines."""
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn)
    except ImportError:
        Console = None
    if Console is None or not sys.stderr.isatty():
        yield _lines(total)
        return
    with Progress(TextColumn('judged worlds'), BarColumn(), MofNCompleteColumn(),
                  TimeRemainingColumn(), TextColumn('{task.fields[wrong]} wrong'),
                  console=Console(stderr=True)) as bar:
        task = bar.add_task('', total=total, wrong=0)
        yield lambda done, wrong: bar.update(task, completed=done, wrong=wrong)


def _lines(total: int) -> Advance:
    began = last = time.monotonic()

    def advance(done: int, wrong: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > PLAIN_PERIOD:
            last = now
            print(f'{done} of {total} judged worlds, {wrong} wrong, {now - began:.0f} s',
                  file=sys.stderr, flush=True)
    return advance


# ---- the command ------------------------------------------------------------------------------

def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog='python -m bug_nav.bench.verdicts', description='Navigate in random cluttered worlds '
        'and compare every verdict with the ground truth.')
    parser.add_argument('--worlds', type=int, default=500, metavar='N',
                        help='judged worlds, half with an unreachable goal (default: 500)')
    parser.add_argument('--seed', type=int, default=0, metavar='S',
                        help='the first seed (default: 0)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, metavar='W',
                        help='processes (default: %(default)s)')
    parser.add_argument('--algorithm', default='bug2', metavar='NAME', help='default: bug2')
    parser.add_argument('--turn', choices=('both', *TURNS), default='both', help='default: both')
    parser.add_argument('--noise', type=float, default=0.0, metavar='SIGMA',
                        help='standard deviation of a range, in metres (default: 0)')
    parser.add_argument('--json', metavar='FILE', help='write every episode there')
    return parser


def _plan(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Plan:
    if given.worlds < 1 or given.workers < 1 or given.seed < 0:
        parser.error('--worlds and --workers are at least 1, --seed at least 0')
    try:
        find(given.algorithm)
        LidarModel(scan_noise=given.noise)
    except ValueError as error:
        parser.error(str(error))
    turns = TURNS if given.turn == 'both' else (given.turn,)
    return Plan(given.worlds, given.seed, given.algorithm, turns, given.noise)


def _run(plan: Plan, workers: int, summary: Summary) -> None:
    # Spawned, because threads do not survive a fork; deaf to Ctrl-C, which is for this process.
    with ProcessPoolExecutor(workers, multiprocessing.get_context('spawn'), signal.signal,
                             (signal.SIGINT, signal.SIG_IGN)) as pool:
        with _progress(plan.worlds) as advance:
            for world in campaign(plan, pool, ahead=4 * workers):
                summary.worlds.append(world)
                advance(summary.judged, len(summary.faults))


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    plan = _plan(parser, given)
    summary, code = Summary(plan), 0
    try:
        _run(plan, given.workers, summary)
    except KeyboardInterrupt:
        code = 130
    except BrokenProcessPool:
        print('a worker has died; these are the worlds before', file=sys.stderr)
        code = 1
    print(summary.table())
    if given.json:
        with open(given.json, 'w', encoding='utf-8') as file:
            json.dump(summary.as_dict(), file, allow_nan=False, indent=1)
    return 1 if summary.faults else code


if __name__ == '__main__':
    sys.exit(main())
