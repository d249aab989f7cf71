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
Change one thing at a time in a module, and see whether the module's tests notice.

What is changed is what a slip could: an operator, a comparison, a number, a condition. Of the
places where something can be, some are drawn, the same for the same seed, and at each one change.
The tests are those of the same name, or of the same folder. Prints each change that no test has
noticed, and a table. Some of those make no difference, or none that a module's own tests could
see: they are to be read, and are no fault in themselves.
"""

from __future__ import annotations

import argparse
from concurrent.futures import as_completed, ThreadPoolExecutor
import difflib
import os
from pathlib import Path
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

ROOT = Path(__file__).resolve().parents[1]
MODULES = 'mission.py,navigator.py,space'
EVERY = 20.0
"""Between two lines about the progress [s]."""
PATIENCE = 120.0
"""Tests that take three times as long as before, and so much longer [s] to compile, hang."""
SLIPS = re.compile(
    'AddNot|AndWithOr|OrWithAnd|TrueWithFalse|FalseWithTrue|NumberReplacer|ZeroIteration|Delete_|'
    'ContinueWithBreak|BreakWithContinue|RemoveDecorator|ExceptionReplacer|'
    'Operator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|Mod_Mul|BitAnd_BitOr|BitOr_BitAnd|'
    'Lt_LtE|Lt_Gt|LtE_Lt|LtE_Gt|Gt_GtE|Gt_Lt|GtE_Gt|GtE_Lt|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)$')
"""Of Cosmic Ray's operators; the others make of a number what no arithmetic takes."""


class Mutant(NamedTuple):
    """A change at one place."""

    path: Path
    line: int
    text: str
    """The whole file with it."""

    def __str__(self) -> str:
        """Tell where it is and what it changes."""
        lines = difflib.unified_diff((ROOT / self.path).read_text('utf-8').splitlines(),
                                     self.text.splitlines(), n=0, lineterm='')
        changes = (f'  {line[0]} {line[1:].strip()}' for line in lines
                   if line[:1] in '+-' and line[:3] not in ('+++', '---'))
        return '\n'.join([f'{self.path}:{self.line}', *changes])


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the program."""
    arguments = _parser().parse_args(argv)
    paths = [path for name in arguments.modules.split(',') for path in _files(name)]
    drawn = [(path, mutants_of(path, arguments.seed)) for path in paths]
    chosen = [mutant for _, mutants in drawn
              for mutant in mutants[:arguments.count or len(mutants)]]
    lived: Dict[Path, List[Mutant]] = {path: [] for path in paths}
    done, told = 0, time.monotonic()
    with Desk(arguments.python, paths, arguments.workers) as desk:
        for mutant, is_noticed in desk.judge(chosen):
            done += 1
            if not is_noticed:
                lived[mutant.path].append(mutant)
                print(f'LIVES: {mutant}', flush=True)
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                print(f'{done} of {len(chosen)} changes', flush=True)
    print('\n| module | places | changed | noticed |\n|---|---:|---:|---:|')
    for path, mutants in drawn:
        count = min(arguments.count or len(mutants), len(mutants))
        print(f'| `{path}` | {len(mutants)} | {count} | {count - len(lived[path])} |')
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='make mutants', description=__doc__)
    parser.add_argument('--modules', default=MODULES,
                        help=f'files or folders of bug_nav ({MODULES})')
    parser.add_argument('--count', type=int, default=30,
                        help='changes in each file; 0 for all (30)')
    parser.add_argument('--seed', type=int, default=1, help='which places are drawn (1)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, help='processes')
    parser.add_argument('--python', default=sys.executable, help='what runs the tests')
    return parser


def _files(name: str) -> List[Path]:
    """Return the files that a name stands for, relative to the root."""
    path = ROOT / 'bug_nav' / name
    found = sorted(path.glob('*.py')) if path.is_dir() else [path]
    if not path.exists():
        sys.exit(f'make mutants: bug_nav has no {name!r}; give a file such as navigator.py or a '
                 'folder such as space')
    return [each.relative_to(ROOT) for each in found if each.name != '__init__.py']


def tests_of(path: Path) -> Path:
    """Return the tests of a file: those of its folder, or of its name where it has none."""
    folder = Path('test', *path.parent.parts[1:])
    return folder / f'test_{path.name}' if path.parent == Path('bug_nav') else folder


def mutants_of(path: Path, seed: int) -> List[Mutant]:
    """Return one change for each place of a file, in an order that hangs on the seed."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names
    source = (ROOT / path).read_text('utf-8')
    tree = get_ast_from_path(ROOT / path)
    places: Dict[Tuple[tuple, str], list] = {}
    for name in filter(SLIPS.search, sorted(operator_names())):
        if get_operator(name).arguments():
            continue
        operator = get_operator(name)()
        found = (begin for node in ast_nodes(tree)
                 for begin, _ in operator.mutation_positions(node))
        for occurrence, begin in enumerate(found):
            kind = name.rpartition('/')[2].partition('_')[0]
            places.setdefault((begin, kind), []).append((operator, occurrence))
    rng = random.Random(f'{seed} {path}')
    mutants = []
    for ((line, _), _), changes in sorted(places.items(), key=lambda item: item[0]):
        text = mutate_code(source, *rng.choice(changes))
        if text != source:
            mutants.append(Mutant(path, line, text))
    return rng.sample(mutants, len(mutants))


class Desk:
    """Copies of the tree in which tests run with a change."""

    def __init__(self, python: str, paths: Sequence[Path], workers: int) -> None:
        """Copy the tree, and run the tests as it is: what they compile serves all changes."""
        self._python, self._workers = python, workers
        self._tests = sorted({str(tests_of(path)) for path in paths})
        self._running: set = set()
        self._limits: Dict[str, float] = {}

    def __enter__(self) -> Desk:
        """Make the copies."""
        self._folder = tempfile.TemporaryDirectory(prefix='bug_nav_mutants_')
        self._free: queue.Queue = queue.Queue()
        names = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, stdout=subprocess.PIPE,
                               text=True, check=True).stdout.split('\0')
        try:
            for number in range(self._workers):
                print(f'The tests without a change, {number + 1} of {self._workers} ...',
                      flush=True)
                tree = Path(self._folder.name, str(number), 'bug_nav')
                for name in filter(lambda name: (ROOT / name).is_file(), names):
                    (tree / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, tree / name)
                for tests in self._tests:
                    begun = time.monotonic()
                    if not self._pass(tree, tests, None):
                        sys.exit(f'make mutants: {tests} fails without any change')
                    self._limits[tests] = 3.0 * (time.monotonic() - begun) + PATIENCE
                self._free.put(tree)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        """Delete the copies."""
        self._folder.cleanup()

    def judge(self, mutants: Sequence[Mutant]) -> Iterator[Tuple[Mutant, bool]]:
        """Yield each change with whether the tests have noticed it, as it is known."""
        with ThreadPoolExecutor(self._workers) as executor:
            futures = {executor.submit(self._is_noticed, mutant): mutant for mutant in mutants}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                for future in futures:
                    future.cancel()
                for process in list(self._running):  # Ctrl-C does not wait for their end
                    process.kill()

    def _is_noticed(self, mutant: Mutant) -> bool:
        tree, tests = self._free.get(), str(tests_of(mutant.path))
        try:
            (tree / mutant.path).write_text(mutant.text, 'utf-8')
            return not self._pass(tree, tests, self._limits[tests])
        finally:
            shutil.copy2(ROOT / mutant.path, tree / mutant.path)
            self._free.put(tree)

    def _pass(self, tree: Path, tests: str, limit: Optional[float]) -> bool:
        command = [self._python, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', '-n', '0',
                   '-m', 'not ros and not campaign', tests]
        environment = {**os.environ, 'PYTHONPATH': str(tree), 'PYTHONDONTWRITEBYTECODE': '1',
                       'NUMBA_CACHE_DIR': str(Path(self._folder.name, 'cache'))}
        process = subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        self._running.add(process)
        try:
            return process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            self._running.discard(process)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # what it has started as well
                process.wait()


if __name__ == '__main__':
    sys.exit(main())
