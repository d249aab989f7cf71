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
import importlib.util
import json
import multiprocessing
import os
import signal
import sys
import time
from typing import Any, Callable, Iterator, Optional, Sequence

from bug_nav.algorithms.registry import find
from bug_nav.bench.campaign import campaign, Plan
from bug_nav.bench.summary import Summary
from bug_nav.robot import TURNS
from bug_nav.sim.simulator import LidarModel

Advance = Callable[[int, int], None]
"""Takes the number of judged worlds and of faults so far."""
PLAIN_PERIOD = 10.0
"""Without a terminal, progress is told this often [s]."""


# ---- progress ---------------------------------------------------------------------------------

@contextlib.contextmanager
def _progress(total: int) -> Iterator[Advance]:
    """Show the progress on stderr: as a bar where there is a terminal and rich, else in lines."""
    if not sys.stderr.isatty() or importlib.util.find_spec('rich') is None:
        yield _lines(total)
        return
    from rich import progress
    from rich.console import Console
    columns = (progress.TextColumn('judged worlds'), progress.BarColumn(),
               progress.MofNCompleteColumn(), progress.TimeRemainingColumn(),
               progress.TextColumn('{task.fields[wrong]} wrong'))
    with progress.Progress(*columns, console=Console(stderr=True)) as bar:
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
    parser.add_argument('--dense', action='store_true',
                        help='more obstacles, most of them about 2 rho from another')
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
    return Plan(given.worlds, given.seed, given.algorithm, turns, given.noise, given.dense)


def _interrupt(number: int, frame: Any) -> None:
    """Raise KeyboardInterrupt once: a second one would break the ending of the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print('\ninterrupted: the workers end the worlds that they are in', file=sys.stderr)
    raise KeyboardInterrupt


def _run(plan: Plan, workers: int, summary: Summary) -> None:
    # Spawned, because threads do not survive a fork; deaf to Ctrl-C, which is for this process.
    with _progress(plan.worlds) as advance, ProcessPoolExecutor(
            workers, multiprocessing.get_context('spawn'), signal.signal,
            (signal.SIGINT, signal.SIG_IGN)) as pool:
        for world in campaign(plan, pool, ahead=4 * workers):
            summary.add(world)
            advance(summary.judged, len(summary.faults))


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    signal.signal(signal.SIGINT, _interrupt)
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
