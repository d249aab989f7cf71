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

"""Worker process that reads corrupted files, isolated against crashes, hangs and leaks."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
from pathlib import Path
from random import Random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence

from bug_nav.files.interrupt import INTERRUPTED
from trials.fuzz_kinds import Files, FuzzKind, KINDS
from trials.mutations import mutated

LONGEST = 650
"""Maximum length of the output on stderr [characters]."""
SECONDS = 10
"""Time limit of a command [s]."""
START = 120.0
"""Time limit of the start, with compilation and imports [s]."""
MEMORY = 1_000_000_000
"""Limit of additional memory [byte]."""


class Verdict(NamedTuple):
    """Result of one input."""

    number: int
    code: Optional[int]
    said: str
    fault: str
    """Failure, with the place in the code; empty if there is none."""
    took: float


def files_of(kind: str, seeds: List[Files], number: int) -> Files:
    """Return the files of an input, determined by its number."""
    random = Random(f'{kind}/{number}')
    files = dict(random.choice(seeds))
    name = random.choice(list(files))
    others = [other for seed in seeds for other in seed.values()]
    files[name] = mutated(files[name], random, random.choice(others))
    return files


class Worker:
    """A worker process; it is stopped by its id in every case."""

    def __init__(self, kind: str, seeds: List[Files]):
        """Start the process."""
        self._mine, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context('fork').Process(
            target=_serve, args=(kind, seeds, theirs), daemon=True)
        self._process.start()
        theirs.close()
        if not self._mine.poll(START):
            self.end()
            raise RuntimeError(f'no worker is ready within {START:g} s')
        self._mine.recv()
        self._slowness = KINDS[kind].slowness
        self._number: Optional[int] = None
        self._began = 0.0

    @property
    def connection(self) -> Any:
        """Return the connection that becomes readable with the answer."""
        return self._mine

    def ask(self, number: int) -> None:
        """Start reading an input."""
        self._number, self._began = number, time.monotonic()
        self._mine.send(number)

    def answer(self) -> Optional[Verdict]:
        """Return the result of the input; None while it runs."""
        took = time.monotonic() - self._began
        try:
            if self._mine.poll():
                return self._mine.recv()
        except EOFError:
            self._process.join(5.0)
            code = self._process.exitcode
            why = ('timeout' if code == -signal.SIGALRM
                   else f'the process died with {code}')
            return Verdict(self._number or 0, None, '', why, took)
        if took > 2 * SECONDS * self._slowness:  # signals do not get through
            self.end()
            return Verdict(self._number or 0, None, '', 'hangs', took)
        return None

    @property
    def alive(self) -> bool:
        """Return whether the process is alive."""
        return self._process.is_alive()

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self._mine.close()


def _serve(kind: str, seeds: List[Files], connection: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops it
    # Import all modules, and compile the kernels, before time and memory count.
    tried(KINDS[kind], seeds[0], 0, START)
    limit = _memory() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    connection.send('ready')
    try:
        while True:
            number = connection.recv()
            connection.send(tried(KINDS[kind], files_of(kind, seeds, number), number, SECONDS))
    except EOFError:
        return


def _memory() -> int:
    """Return the used address space [byte]."""
    return int(Path('/proc/self/statm').read_text().split()[0]) * os.sysconf('SC_PAGE_SIZE')


def _written(files: Files) -> Path:
    folder = Path(tempfile.mkdtemp(prefix='bug_nav_fuzz_'))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / next(iter(files))


def tried(kind: FuzzKind, files: Files, number: int, limit: float) -> Verdict:
    """Return how the command of a kind reads files; a signal ends it after ``limit`` [s]."""
    path = _written(files)
    out, err = (path.parent / f'{name}.said' for name in ('stdout', 'stderr'))
    code, fault, began = None, '', time.monotonic()
    signal.alarm(math.ceil(limit * kind.slowness))
    try:
        with _into(out, 'stdout'), _into(err, 'stderr'):
            code = kind.run(path, Random(number))
    except BaseException as error:  # commands must not raise SystemExit either
        fault = described(error)
    finally:
        signal.alarm(0)
    took = time.monotonic() - began
    texts = [each.read_text(encoding='utf-8') for each in (out, err)]
    shutil.rmtree(path.parent, ignore_errors=True)
    return Verdict(number, code, texts[1][:500],
                   fault or wrong_with(code, *texts, kind.codes), took)


@contextlib.contextmanager
def _into(file: Path, stream: str) -> Iterator[None]:
    """Redirect a stream of `sys` to a file with its own file descriptor."""
    before = getattr(sys, stream)
    with open(file, 'w', encoding='utf-8', errors='backslashreplace') as opened:
        setattr(sys, stream, opened)
        try:
            yield
        finally:
            setattr(sys, stream, before)


def described(error: BaseException) -> str:
    """Return an exception and its innermost place in this project."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if 'bug_nav' in frame.filename] or frames
    place = f'{Path(ours[-1].filename).name}:{ours[-1].lineno}' if ours else '?'
    return f'{type(error).__name__} in {place}'


def wrong_with(code: Optional[int], out: str, said: str, codes: Sequence[int]) -> str:
    """Return the failure of an exit code, stdout and stderr; empty if there is none."""
    if code not in codes:
        return f'exit code {code}'
    if 'Traceback' in said:
        return 'a traceback'
    lines = said.strip().splitlines()
    # Outcomes such as `timeout` are on stdout, errors never are.
    if code == 2 and not lines or code == 1 and not (lines or out.strip()):
        return f'exit code {code} without a message'
    if len(said) > LONGEST:
        return f'a message of more than {LONGEST} characters: {said[:60]}'
    # A campaign that was accepted and stopped has announced its episodes before, and a world that
    # is read has notes.
    notes = code in (0, 1) and all(line.startswith('bug_nav: ') for line in lines)
    if len(lines) > 1 and code != INTERRUPTED and not notes:
        return f'{len(lines)} lines on stderr: {lines[0][:60]}'
    return ''
