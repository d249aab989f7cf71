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
Fuzz test: let the commands read thousands of corrupted files.

Each input is a shipped or generated file with a few mutations, determined by its number. A command
passes with exit code 0, 1 or 2 and one sentence, within 10 s and 1 GB. Prints failures first, with
the number of an input for each; `--keep DIR` writes those inputs to a folder. Exit code 1 if there
are failures.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import itertools
from multiprocessing.connection import wait
import os
from pathlib import Path
import sys
import time
from typing import Counter, Dict, Iterator, List, Optional, Sequence

from trials.fuzz_kinds import Files, KINDS, NEEDS, SHARE
from trials.fuzz_worker import files_of, Verdict, Worker

EVERY = 10.0
"""Period of the progress lines [s]."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the program."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    names = [name.strip() for name in arguments.kind.split(',')] if arguments.kind else list(KINDS)
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        parser.error(f'unknown kind {unknown[0]!r}; give one of {", ".join(KINDS)}')
    findings: List[str] = []
    rows = []
    for name in names:
        missing = [each for each in NEEDS.get(name, ()) if importlib.util.find_spec(each) is None]
        if missing:
            rows.append(f'{name:<10} not done: {", ".join(missing)} is not installed')
            continue
        count = max(round(arguments.count * SHARE.get(name, 1.0)), 1)
        found = _Findings(name)
        for verdict in run(name, KINDS[name].seeds(), range(arguments.first,
                                                            arguments.first + count),
                           arguments.workers):
            found.note(verdict)
        if arguments.keep:
            found.keep(Path(arguments.keep))
        findings += found.lines()
        rows.append(found.row())
    print('\n' + '\n'.join(findings + [''] * bool(findings) + [HEAD, *rows]))
    return 1 if findings else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='make fuzz', description=__doc__)
    parser.add_argument('--count', type=int, default=10_000,
                        help='number of inputs of each kind (10000)')
    parser.add_argument('--kind', default='', help=f'{", ".join(KINDS)} (all)')
    parser.add_argument('--first', type=int, default=0, help='number of the first input (0)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1,
                        help='number of processes')
    parser.add_argument('--keep', metavar='DIR', help='folder for inputs that fail')
    return parser


HEAD = f'{"kind":<10} {"inputs":>8} {"0":>7} {"1":>7} {"2":>7} {"other":>7} {"longest":>9}'


class _Findings:
    """Results of the inputs of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.codes: Counter[Optional[int]] = collections.Counter()
        self.wrong: Dict[str, List[Verdict]] = collections.defaultdict(list)
        self.longest = 0.0
        self._reported = time.monotonic()

    def note(self, verdict: Verdict) -> None:
        self.codes[verdict.code] += 1
        self.longest = max(self.longest, verdict.took)
        if verdict.fault:
            self.wrong[verdict.fault].append(verdict)
        if time.monotonic() - self._reported > EVERY:
            self._reported = time.monotonic()
            print(f'{self.kind}: {sum(self.codes.values())} inputs, '
                  f'{sum(map(len, self.wrong.values()))} not right', flush=True)

    def lines(self) -> List[str]:
        return [f'NOT RIGHT: {self.kind}: {fault}: {len(verdicts)} x, such as input '
                f'{verdicts[0].number} ({verdicts[0].took:.1f} s)'
                for fault, verdicts in sorted(self.wrong.items(), key=lambda item: -len(item[1]))]

    def row(self) -> str:
        named = [self.codes[code] for code in (0, 1, 2)]
        total = sum(self.codes.values())
        return (f'{self.kind:<10} {total:>8} ' + ' '.join(f'{number:>7}' for number in named)
                + f' {total - sum(named):>7} {self.longest:>7.1f} s')

    def keep(self, folder: Path) -> None:
        seeds = KINDS[self.kind].seeds()
        for verdicts in self.wrong.values():
            there = folder / f'{self.kind}-{verdicts[0].number}'
            there.mkdir(parents=True, exist_ok=True)
            for name, content in files_of(self.kind, seeds, verdicts[0].number).items():
                (there / name).write_bytes(content)
            (there / 'fault.txt').write_text(
                f'{verdicts[0].fault}\n{verdicts[0].said}\n', encoding='utf-8')


def run(kind: str, seeds: List[Files], numbers: Sequence[int], workers: int
        ) -> Iterator[Verdict]:
    """Yield the result of each input; a dead process is replaced."""
    left = iter(numbers)
    busy: List[Worker] = []
    try:
        for number in itertools.islice(left, workers):
            busy.append(Worker(kind, seeds))
            busy[-1].ask(number)
        while busy:
            wait([worker.connection for worker in busy], timeout=0.5)
            for worker in list(busy):
                verdict = worker.answer()
                if verdict is None:
                    continue
                yield verdict
                busy.remove(worker)
                _ask_next(worker, verdict, left, busy, kind, seeds)
    finally:
        for worker in busy:
            worker.end()


def _ask_next(worker: Worker, verdict: Verdict, left: Iterator[int], busy: List[Worker],
              kind: str, seeds: List[Files]) -> None:
    """Give the next input to a worker that has answered, or to a new one if it died."""
    number = next(left, None)
    fresh = worker
    if number is None or verdict.code is None and not worker.alive:
        worker.end()
        fresh = Worker(kind, seeds) if number is not None else worker
    if number is not None:
        busy.append(fresh)
        fresh.ask(number)


if __name__ == '__main__':
    sys.exit(main())
