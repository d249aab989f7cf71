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
Inject faults around the node and check the reaction of the robot.

The node runs in its own process; the robot is simulated here, in lockstep with it, and each fault
is injected into the messages at a random time of a drive. Prints a table, failures first; exit
code 1 if there are any. With `--write`, the table goes to docs/faults.md. Needs ROS 2.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from pathlib import Path
from random import Random
import re
import signal
import sys
import tempfile
import time
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from bug_nav.cli.ros_domain import confine, reserved_domain
from make_doc_tables import with_tables
from trials.fault import Kind
from trials.judge import failures_of, HEAD, Seen, table

PAGE = Path(__file__).resolve().parent.parent / 'docs' / 'faults.md'


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the program."""
    arguments = _parser().parse_args(argv)
    # Signals that nohup or a background shell ignores would be ignored by the node, too.
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    with reserved_domain() as domain, tempfile.TemporaryDirectory(
            prefix='bug_nav_faults_') as logs:
        confine(os.environ, domain)
        os.environ['ROS_LOG_DIR'] = logs
        kinds, seen = _run(arguments, Path(logs))
    rows = table(kinds, seen)
    print(f'\n{_plain([HEAD, *rows])}')
    wrong = [(kind, each) for kind in kinds for each in seen
             if each.kind == kind.name and failures_of(kind, each)]
    print(f'\n{len(seen) - len(wrong)} of {len(seen)} trials are right, {len(rows)} kinds')
    if arguments.write and (arguments.kinds or len(rows) < len(kinds)):
        print(f'{PAGE.name} stays as it is: not every kind was tried')
    elif arguments.write:
        page = PAGE.read_text(encoding='utf-8')
        PAGE.write_text(with_tables(PAGE.name, page, {'faults': outcomes(rows)}), encoding='utf-8')
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='make faults', description=__doc__)
    parser.add_argument('--tries', type=int, default=3, help='number of trials of each kind (3)')
    parser.add_argument('--kinds', default='',
                        help='parts of names of kinds, or names of groups, separated by commas '
                        '(all)')
    parser.add_argument('--seed', type=int, default=0, help='seed of the times of faults (0)')
    parser.add_argument('--minutes', type=float, default=120.0,
                        help='start no trial after this time [min] (120)')
    parser.add_argument('--write', action='store_true', help='write the table of docs/faults.md')
    return parser


def _run(arguments: argparse.Namespace, logs: Path) -> Tuple[List[Kind], List[Seen]]:
    from trials.kinds import all_kinds  # must run in its own domain
    kinds = chosen(all_kinds(), arguments.kinds)
    if not kinds:
        sys.exit(f'make faults: unknown kind {arguments.kinds!r}')
    seen: List[Seen] = []
    deadline = time.monotonic() + 60.0 * arguments.minutes
    with _stage(logs) as run:
        for attempt in range(arguments.tries):
            for number, kind in enumerate(kinds, 1):
                if time.monotonic() > deadline:
                    print('the time is up', flush=True)
                    return kinds, seen
                began = time.monotonic()
                seen.append(run(kind, Random(f'{arguments.seed}/{kind.name}/{attempt}')))
                _print_trial(attempt, number, len(kinds), kind, seen[-1], time.monotonic() - began)
    return kinds, seen


@contextlib.contextmanager
def _stage(logs: Path) -> Iterator:
    """Yield a function that runs a trial."""
    from trials.stage import stage
    with stage(logs) as run:
        yield run


def chosen(groups: Dict[str, List[Kind]], names: str) -> List[Kind]:
    """Return the kinds selected by name or group."""
    wanted = [name.strip() for name in names.split(',') if name.strip()]
    return [kind for group, kinds in groups.items() for kind in kinds
            if not wanted or any(name == group or name in kind.name for name in wanted)]


def _print_trial(attempt: int, number: int, of: int, kind: Kind, seen: Seen, took: float) -> None:
    wrong = '; '.join(failures_of(kind, seen))
    where = f'{seen.world} {seen.algorithm} {seen.mode}'
    print(f'{attempt + 1}:{number}/{of} {kind.name} [{where}]: {seen.outcome} after '
          f'{seen.ended_after:.1f} s, then {seen.next_outcome or "-"}; {took:.1f} s'
          + (f'  NOT RIGHT: {wrong}' if wrong else ''), flush=True)
    for text in filter(None, (seen.message, seen.next_message)):
        print(f'      {text[:200]}', flush=True)


def _plain(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return '\n'.join('  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                     for row in rows)


def outcomes(rows: Sequence[Sequence[str]]) -> str:
    """Return the table of the page: faults and outcomes, without counts."""
    columns = [[row[HEAD.index(name)] for name in ('fault', 'outcome')] for row in (HEAD, *rows)]
    lines = [columns[0], ['---', '---'], *(
        (fault, re.sub(r' \(\d+\)', '', outcome)) for fault, outcome in columns[1:])]
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)


if __name__ == '__main__':
    sys.exit(main())
