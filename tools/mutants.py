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
Mutation testing: change one thing at a time in a module and run its tests.

Mutations are typical slips: an operator, a comparison, a number, a condition. Of all places, some
are drawn by a seed, with one change each. The tests are those of the same name or folder. Prints
each surviving mutant, and a table. Some survivors are equivalent, or not visible to the tests of
the module: read them; they are not faults in themselves.
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
MODULES = 'navigation/ledger.py,navigation/navigator.py,navigation/cspace'
EVERY = 20.0
"""Period of the progress lines [s]."""
PATIENCE = 120.0
"""Timeout of tests, in addition to three times their usual duration, for compilation [s]."""
OPERATORS = re.compile(
    'AddNot|AndWithOr|OrWithAnd|TrueWithFalse|FalseWithTrue|NumberReplacer|ZeroIteration|Delete_|'
    'ContinueWithBreak|BreakWithContinue|RemoveDecorator|ExceptionReplacer|'
    'Operator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|Mod_Mul|BitAnd_BitOr|BitOr_BitAnd|'
    'Lt_LtE|Lt_Gt|LtE_Lt|LtE_Gt|Gt_GtE|Gt_Lt|GtE_Gt|GtE_Lt|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)$')
"""Operators of Cosmic Ray in use; the others only cause type errors."""


class Mutant(NamedTuple):
    """A changed file."""

    path: Path
    line: int
    text: str
    """Text of the changed file."""

    def __str__(self) -> str:
        """Return the place and the changed lines."""
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
    done, reported = 0, time.monotonic()
    with MutantRunner(arguments.python, paths, arguments.workers) as desk:
        for mutant, is_noticed in desk.judge(chosen):
            done += 1
            if not is_noticed:
                lived[mutant.path].append(mutant)
                print(f'LIVES: {mutant}', flush=True)
            if time.monotonic() - reported > EVERY:
                reported = time.monotonic()
                print(f'{done} of {len(chosen)} changes', flush=True)
    print('\n| module | places | changed | detected |\n|---|---:|---:|---:|')
    for path, mutants in drawn:
        count = min(arguments.count or len(mutants), len(mutants))
        print(f'| `{path}` | {len(mutants)} | {count} | {count - len(lived[path])} |')
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='make mutants', description=__doc__)
    parser.add_argument('--modules', default=MODULES,
                        help=f'files or folders of bug_nav ({MODULES})')
    parser.add_argument('--count', type=int, default=30,
                        help='number of changes in each file; 0 for all (30)')
    parser.add_argument('--seed', type=int, default=1, help='seed of the drawn places (1)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, help='workers')
    parser.add_argument('--python', default=sys.executable, help='interpreter for the tests')
    return parser


def _files(name: str) -> List[Path]:
    """Return the files of a name, relative to the root."""
    path = ROOT / 'bug_nav' / name
    found = sorted(path.glob('*.py')) if path.is_dir() else [path]
    if not path.exists():
        sys.exit(f'make mutants: bug_nav has no {name!r}; give a file such as '
                 'navigation/navigator.py or a folder such as navigation/cspace')
    return [each.relative_to(ROOT) for each in found if each.name != '__init__.py']


def tests_of(path: Path) -> Path:
    """Return the tests of a file: of its folder; of its name in `bug_nav/navigation` itself."""
    folder = Path('test', *path.parent.parts[1:])
    return folder / f'test_{path.name}' if path.parent.name == 'navigation' else folder


def mutants_of(path: Path, seed: int) -> List[Mutant]:
    """Return one change for each place of a file, in an order determined by the seed."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names
    source = (ROOT / path).read_text('utf-8')
    tree = get_ast_from_path(ROOT / path)
    places: Dict[Tuple[tuple, str], list] = {}
    for name in filter(OPERATORS.search, sorted(operator_names())):
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


class MutantRunner:
    """Copies of the repository in which tests run with a change."""

    def __init__(self, python: str, paths: Sequence[Path], workers: int) -> None:
        """Store the interpreter, the tests and the number of copies."""
        self._python, self._workers = python, workers
        self._tests = sorted({str(tests_of(path)) for path in paths})
        self._running: set = set()
        self._limits: Dict[str, float] = {}

    def __enter__(self) -> MutantRunner:
        """Make the copies and run the unchanged tests, which compiles the kernels."""
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
                        sys.exit(f'make mutants: {tests} fails without a change')
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
        """Yield each change and whether the tests failed, in order of completion."""
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
        found = os.pathsep.join(filter(None, (str(tree), os.environ.get('PYTHONPATH'))))
        environment = {**os.environ, 'PYTHONPATH': found, 'PYTHONDONTWRITEBYTECODE': '1',
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
                os.killpg(process.pid, signal.SIGKILL)  # including its children
                process.wait()


if __name__ == '__main__':
    sys.exit(main())
