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

Every algorithm drives in the same worlds. A long campaign writes what it has done into a file
(``--out``) and goes on from there after an interruption (``--resume``).

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
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

from bug_nav.algorithms.registry import find, registered
from bug_nav.bench.campaign import campaign, GOALS, KINDS, Plan, TURNS
from bug_nav.bench.journal import Journal, JournalError
from bug_nav.bench.summary import Summary
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
        prog='python -m bug_nav.bench.verdicts', description='Navigate in random worlds and '
        'compare every verdict with the ground truth.')
    parser.add_argument('--worlds', type=int, default=500, metavar='N',
                        help='judged worlds of each kind (default: 500)')
    parser.add_argument('--goals', choices=GOALS, default='both',
                        help='which goals can be reached: half of them, all or none '
                        '(default: both)')
    parser.add_argument('--seed', type=int, default=0, metavar='S',
                        help='the first seed of each kind (default: 0)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, metavar='W',
                        help='processes (default: %(default)s)')
    parser.add_argument('--algorithm', default='bug2', metavar='NAME[,NAME...]',
                        help='also: complete, for those that owe a verdict, or all '
                        '(default: bug2)')
    parser.add_argument('--kind', default='cluttered', metavar='KIND[,KIND...]',
                        help=f'of worlds: {", ".join(KINDS)}, or all (default: cluttered)')
    parser.add_argument('--turn', choices=('both', *TURNS), default='both', help='default: both')
    parser.add_argument('--noise', type=float, default=0.0, metavar='SIGMA',
                        help='standard deviation of a range, in metres (default: 0)')
    parser.add_argument('--json', metavar='FILE', help='write summary and episodes there')
    parser.add_argument('--out', metavar='FILE',
                        help='add a line of JSON there for each world and algorithm')
    parser.add_argument('--resume', action='store_true', help='take what the file of --out holds '
                        'for done, where turns and noise are the same')
    return parser


def _plan(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Plan:
    if given.worlds < 1 or given.workers < 1 or given.seed < 0:
        parser.error('--worlds and --workers are at least 1, --seed at least 0')
    if given.resume and not given.out:
        parser.error('--resume needs the file of --out')
    try:
        algorithms, kinds = _algorithms(given.algorithm), _kinds(given.kind)
        LidarModel(scan_noise=given.noise)
    except ValueError as error:
        parser.error(str(error))
    turns = TURNS if given.turn == 'both' else (given.turn,)
    return Plan(given.worlds, given.seed, algorithms, kinds, turns, given.noise, given.goals)


def _algorithms(text: str) -> Tuple[str, ...]:
    if text in ('all', 'complete'):
        return tuple(name for name in registered()
                     if text == 'all' or find(name).facts.complete)
    names = tuple(dict.fromkeys(text.split(',')))
    for name in names:
        find(name)
    return names


def _kinds(text: str) -> Tuple[str, ...]:
    kinds = tuple(KINDS) if text == 'all' else tuple(dict.fromkeys(text.split(',')))
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"there are no worlds of kind '{kind}'; known are: "
                             f'{", ".join(KINDS)}')
    return kinds


def _journal(parser: argparse.ArgumentParser, given: argparse.Namespace,
             plan: Plan) -> Optional[Journal]:
    if not given.out:
        return None
    try:
        return Journal(given.out, plan, given.resume)
    except FileExistsError:
        parser.error(f'{given.out} is there already: give --resume, or another file')
    except (JournalError, OSError) as error:
        parser.error(str(error))


def _interrupt(number: int, frame: Any) -> None:
    """Raise KeyboardInterrupt once: a second one would break the ending of the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print('\ninterrupted: the workers end the worlds that they are in', file=sys.stderr)
    raise KeyboardInterrupt


def _run(plan: Plan, workers: int, summary: Summary, journal: Optional[Journal]) -> None:
    done = journal.done if journal else {}
    # Spawned, because threads do not survive a fork; deaf to Ctrl-C, which is for this process.
    with _progress(plan.worlds * len(plan.kinds)) as advance, ProcessPoolExecutor(
            workers, multiprocessing.get_context('spawn'), signal.signal,
            (signal.SIGINT, signal.SIG_IGN)) as pool, contextlib.closing(
            campaign(plan, pool, 4 * workers, done)) as episodes:
        for runs in episodes:
            if journal:
                journal.add(runs)
            summary.add(runs)
            advance(summary.judged, len(summary.faults))


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    signal.signal(signal.SIGINT, _interrupt)
    plan = _plan(parser, given)
    journal = _journal(parser, given, plan)
    summary, code = Summary(plan), 0
    try:
        _run(plan, given.workers, summary, journal)
    except KeyboardInterrupt:
        code = 130
    except BrokenProcessPool:
        print('a worker has died; these are the worlds before', file=sys.stderr)
        code = 1
    finally:
        if journal:
            journal.close()
    print(summary.table())
    if given.json:
        with open(given.json, 'w', encoding='utf-8') as file:
            json.dump(summary.as_dict(), file, allow_nan=False, indent=1)
    return 1 if summary.faults else code


if __name__ == '__main__':
    sys.exit(main())
