#!/usr/bin/env python3
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
Check the claims of README.md and docs/.

Run the `bug_nav` commands of the pages verbatim, in a new folder with a new HOME, and a short
version of each measurement, and print claim, expected and measured value in one table. Exit code:
0 if every claim holds, 1 if one does not, 2 for bad input.

A share that is stored as complete (800 of 800) must be complete again, unless faults were under
study. Any other share holds if the upper end of its 99.9 % interval reaches the lower end of the
stored one. Times are shown but not judged.

With `--write`: write the output of the commands into the pages instead.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
import json
import os
from pathlib import Path
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from bug_nav.lab.orphans import end_with_parent
from bug_nav.lab.report.statistics import wilson
from bug_nav.lab.spec import load_spec, multiplied
from measurements import MEASUREMENTS, Shares
import numpy as np
from PIL import Image
from provenance import commit, fresh_seed
import results
from results import ROOT
from workspace import LONGEST, NO_FIGURES, say, Workspace

STRICT = 3.29
"""
Normal quantile of the 99.9 % intervals of shares. About 60 shares are compared in a run, and the
rows of a table share their worlds: with 95 %, every other run would report a false alarm.
"""


class Check(NamedTuple):
    """A line of the printed table."""

    page: str
    claim: str
    expected: str
    measured: str
    holds: Optional[bool]
    """None if it is not judged."""
    repeat: str = ''
    """Command that repeats a check that does not hold."""


# ---- measurements -------------------------------------------------------------------------------

def check(name: str, desk: Workspace, seed: int) -> Iterator[Check]:
    """Measure the short version and compare it with the stored result."""
    measurement = MEASUREMENTS[name]
    try:
        kept = results.load(name)
    except results.NotMeasured as missing:
        yield Check(measurement.page, name, 'no figure', str(missing), None)  # nor on the page
        return
    for label, part in measurement.parts.items():
        if part.short is None:
            continue
        say(f'{name}, {label}')
        try:
            command = part.typed(seed, False).partition(';')[0]
            data = part.read(*desk.measure(f'{name}_{label}', part.typed(seed, False)))
            fresh = measurement.shares(data)
        except NO_FIGURES as error:
            yield Check(measurement.page, f'{name}, {label}', 'figures',
                        f'none: {type(error).__name__}: {error}', False, part.command)
            continue
        old = kept['parts'][label]['data']
        what = name if label == name else f'{name}, {label}'
        yield from compared(measurement.page, part.studied, what, measurement.shares(old), fresh,
                            command)
        for which, value in measurement.times(data).items():
            yield Check(measurement.page, f'{name}: {which}',
                        measurement.times(old).get(which, ''), value, None)


def compared(page: str, studied: bool, what: str, stored: Shares, fresh: Shares, command: str
             ) -> Iterator[Check]:
    """Yield a check of each measured share; empty shares are skipped."""
    for name, share in fresh.items():
        if not share.count:
            continue
        expected = stored.get(name)
        if expected is None or not expected.count:
            yield Check(page, f'{what}: {name}', 'not stored', str(share), False,
                        command)
            continue
        complete = expected.hits == expected.count
        if complete and not studied:
            holds = share.hits == share.count
        else:
            holds = wilson(*share, STRICT)[1] >= wilson(*expected, STRICT)[0]
        yield Check(page, f'{what}: {name}', str(expected), str(share), holds, command)


# ---- the commands of the pages -----------------------------------------------------------------

MAP = """image: my_map.png
resolution: 0.05
origin: [0.0, 0.0, 0.0]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.25
"""
"""Map of a room of 8 m by 6 m with a pillar."""
SKIPPED: Dict[str, str] = {
    r'ros2 |send-goal|bug_nav demo|--live|bug_nav check( |$)(?!.*--bag)|robot init (?!.*--bag)':
        'needs ROS 2: test/ros',
    r'world my_map|my\.yaml|office|my_recording|take_2|/map\.yaml|intel|_gazebo/|the-barn|/BARN|'
    r'\$B ':
        'names a file of the reader',
    r'grade (class\.yaml|.*--python)': 'names programs of the reader: test/cli and test/ros grade',
    r'picky_bug': 'needs the plug-in of that page: test/test_plugin_example.py',
    r'^bug_nav campaign turtlebot3_2024$': 'the measurement `protocol` runs it',
    r'--scheduler tcp': 'needs a cluster: test/lab',
    r'bug_nav bench (?!.*--suite)': 'takes minutes or hours: test/cli',
    r'campaign (drift|moving|mcguire_2019|yufka_2009|family)|--multiply|--count 24':
        'takes minutes or hours: its short version is a measurement here',
}
"""Commands of the pages that are not run: pattern and reason."""


class PageWorkspace(Workspace):
    """A workspace with the files that the pages name."""

    _driving = threading.Lock()

    def page_work(self, name: str, line: str) -> Path:
        """Return a new folder for a command, with the files and rows that the pages name."""
        folder = self.work(name)
        (folder / 'my_map.yaml').write_text(MAP, encoding='utf-8')
        image = np.full((120, 160), 255, np.uint8)
        image[[0, -1]], image[:, [0, -1]], image[40:60, 60:80] = 0, 0, 0
        Image.fromarray(image).save(folder / 'my_map.png')
        shutil.copy(ROOT / 'worlds' / 'convex.world', folder / 'my_hall.world')
        shutil.copy(ROOT / 'params' / 'waffle_pi.yaml', folder / 'my_robot.yaml')
        if line.startswith('bug_nav report'):
            for place in ('', 'out/family', 'out/robots'):
                (folder / place).mkdir(parents=True, exist_ok=True)
                shutil.copy(self._rows(), folder / place / 'rows.csv')
        return folder

    def _rows(self) -> Path:
        """Return the rows of a small campaign, which runs on the first call."""
        with self._driving:
            rows = self.folder / 'rows.csv'
            if not rows.exists():
                driven = self.run('bug_nav campaign --world box,u_trap --algorithm bug1,bug2 '
                                  '--robot burger,waffle_pi --set repetitions=1 --format csv '
                                  f'--workers 1 --out {self.folder}/rows', self.folder)
                assert driven[0] == 0, driven[1]
                shutil.copy(self.folder / 'rows' / 'rows.csv', rows)
        return rows


class Command(NamedTuple):
    """A command in a code block of a page, and the output that the page shows."""

    page: str
    line: str
    printed: Tuple[str, ...]

    @property
    def skipped(self) -> str:
        """Return why the command is not run; '' if it is."""
        return next((why for pattern, why in SKIPPED.items() if re.search(pattern, self.line)), '')


def blocks(text: str) -> Iterator[Tuple[str, str]]:
    """Yield language and text of each code block of a page."""
    yield from re.findall(r'^```(\w*)\n(.*?)^```$', text, re.M | re.S)


def commands_of(page: str, text: str) -> Iterator[Command]:
    """Yield the `bug_nav` commands in code blocks; `$ ` marks commands in blocks with output."""
    for language, block in blocks(text):
        if language not in ('', 'bash', 'sh', 'console'):
            continue
        block = re.sub(r'\\\n\s*', '', block)
        commands: List[Tuple[str, List[str]]] = []
        for line in block.splitlines():
            found = re.match(r'\$ (.*)' if block.startswith('$ ') else '(.*)', line)
            if found:
                commands.append((found[1], []))
            else:
                commands[-1][1].append(line)
        for line, printed in commands:
            line = re.sub(r'\s+#.*', '', line)
            if line.startswith('bug_nav '):
                yield Command(page, line, tuple(printed))


def python_of(page: str) -> str:
    """Return the Python blocks of a page as one program."""
    text = (ROOT / page).read_text(encoding='utf-8')
    return '\n'.join(block for language, block in blocks(text) if language == 'python')


def pages() -> List[str]:
    """Return the pages whose commands are run."""
    return ['README.md', *sorted(f'docs/{path.name}' for path in (ROOT / 'docs').glob('*.md'))]


def all_commands() -> Tuple[List[Command], List[Command]]:
    """Return the commands of the pages to run, each once, and those to skip."""
    found: Dict[Tuple[str, Tuple[str, ...]], Command] = {}
    for page in pages():
        for command in commands_of(page, (ROOT / page).read_text(encoding='utf-8')):
            found.setdefault((command.line, command.printed), command)
    return ([each for each in found.values() if not each.skipped],
            [each for each in found.values() if each.skipped])


def run_command(desk: PageWorkspace, number: int, command: Command) -> Check:
    """Run a command of a page verbatim and compare its output with the page."""
    folder = desk.page_work(f'page_{number}', command.line)
    began = time.monotonic()
    try:
        if command.line.startswith('bug_nav play'):
            code, printed = _served(desk, command.line, folder), ''
        else:
            code, printed = desk.run(command.line, folder)
    except subprocess.TimeoutExpired:
        code, printed = -1, ''
    took = f'{time.monotonic() - began:.0f} s'
    missing = missing_line(command.printed, printed)
    ends_well = code == (2 if any(line.startswith('bug_nav: ') for line in command.printed) else 0)
    measured = f'exit {code}' if not ends_well or missing is None else f'no "{missing}"'
    output = '' if ends_well and missing is None else f'\n{printed[-2000:]}'
    say(f'{took:>6}  {command.line}{output}')
    return Check(command.page, command.line, 'as the page says' if command.printed else 'exit 0',
                 f'{measured}, {took}', ends_well and missing is None, command.line)


def missing_line(expected: Iterable[str], printed: str) -> Optional[str]:
    """
    Return the first line of a page that was not printed in order; None if there is none.

    Three dots match any text.
    """
    rest = iter(printed.splitlines())
    for line in expected:
        pattern = '.*'.join(map(re.escape, line.rstrip().split('...')))
        if not any(re.fullmatch(pattern, given.rstrip()) for given in rest):
            return line
    return None


def rewritten(expected: Sequence[str], printed: str) -> Tuple[str, ...]:
    """
    Return the lines of a page with current output, matched by the first word.

    Lines that match with three dots stay.
    """
    given = {line.split()[0]: line.rstrip() for line in reversed(printed.splitlines())
             if line.strip()}
    now = [given.get(line.split()[0] if line.strip() else '', line) for line in expected]
    return tuple(line if missing_line([line], each) is None else each
                 for line, each in zip(expected, now))


def write_pages(desk: PageWorkspace) -> None:
    """Update the output of commands in the pages."""
    for number, command in enumerate(all_commands()[0]):
        if not command.printed:
            continue
        _, printed = desk.run(command.line, desk.page_work(f'page_{number}', command.line))
        before = '\n'.join(('', f'$ {command.line}', *command.printed, ''))
        after = '\n'.join(('', f'$ {command.line}', *rewritten(command.printed, printed), ''))
        path = ROOT / command.page
        path.write_text(path.read_text(encoding='utf-8').replace(before, after), encoding='utf-8')


def _served(desk: Workspace, line: str, folder: Path) -> int:
    """Run `bug_nav play` until it serves, interrupt it, and return 0 if that stops it."""
    server = subprocess.Popen(
        shlex.split(line), cwd=folder, env=desk.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        preexec_fn=end_with_parent(),
        executable=shutil.which('bug_nav', path=desk.environment['PATH']))
    late = threading.Timer(LONGEST, server.kill)
    late.start()
    assert server.stderr is not None
    with server.stderr as output:
        for text in output:
            if 'http://' in text:
                server.send_signal(signal.SIGINT)
                break
        output.read()
    code = server.wait()
    late.cancel()
    return 0 if code == 130 else code or -1


# ---- figures in the text -----------------------------------------------------------------------

def episodes(name: str, factor: int = 1, **changes: Any) -> int:
    """Return the number of episodes of a campaign."""
    return multiplied(load_spec(name, list(changes.items())), factor).total


def recording_size(desk: Workspace) -> float:
    """Return the size of a recording of `demo` per simulated minute [MB]."""
    folder = desk.work('recording')
    _, printed = desk.run('bug_nav run demo --json --record demo.mcap', folder)
    report = json.loads(next(line for line in printed.splitlines() if line.startswith('{')))
    return (folder / 'demo.mcap').stat().st_size / 1e6 / (report['time'] / 60.0)


class Text(NamedTuple):
    """A figure in the text of a page: a pattern with one group, and its measurement."""

    page: str
    pattern: str
    measure: Callable[[Workspace], float]
    tolerance: float = 0.0
    """Maximum relative difference."""


TEXTS = (
    Text('docs/campaigns.md', r'turtlebot3_2024 +# the paper\'s (\d+) runs',
         lambda desk: episodes('turtlebot3_2024')),
    Text('docs/campaigns.md', r'drift --algorithm bug2 +# a quick look: (\d+) episodes',
         lambda desk: episodes('drift', algorithms=['bug2'])),
    Text('docs/campaigns.md', r'drift --multiply 8 .*# (\d+) judged episodes in each line',
         lambda desk: episodes('drift', 8, variants=[{}], corrections=['none'])),
    Text('docs/campaigns.md', r'moving --multiply 10 .*# (\d+) judged cases',
         lambda desk: episodes('moving', 10, algorithms=['bug2'], static_baselines=False)),
    Text('docs/recording.md', r'A simulated minute takes about ([\d.]+) MB', recording_size, 0.3),
)


def check_text(desk: Workspace, text: Text) -> Check:
    """Compare a figure in the text of a page with its measurement."""
    found = re.search(text.pattern, (ROOT / text.page).read_text(encoding='utf-8'))
    if not found:
        return Check(text.page, text.pattern, 'a figure in the page', 'none', False)
    measured, claimed = text.measure(desk), float(found[1])
    return Check(text.page, found[0], found[1], f'{measured:.4g}',
                 abs(measured - claimed) <= text.tolerance * claimed)


# ---- the command -------------------------------------------------------------------------------

def report(checks: Sequence[Check]) -> str:
    """Return the table, with failed checks last, and the commands that repeat them."""
    order = sorted(checks, key=lambda each: each.holds is False)
    cells = [(f'{each.page}: {each.claim.splitlines()[0]}'[:110], each.expected[:40],
              each.measured[:60],
              {True: 'holds', False: 'DOES NOT HOLD', None: 'not judged'}[each.holds])
             for each in order]
    cells.insert(0, ('claim', 'expected', 'measured', ''))
    widths = [max(len(row[k]) for row in cells) for k in range(4)]
    rows = ['  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in cells]
    repeats = dict.fromkeys(each.repeat for each in checks if each.holds is False and each.repeat)
    return '\n'.join([*rows, *(f'repeat: {command}' for command in repeats)])


def check_all(names: Sequence[str], desk: PageWorkspace, seed: int, with_pages: bool
              ) -> List[Check]:
    """Return all checks: first the commands of the pages, in parallel."""
    checks: List[Check] = []
    if with_pages:
        run, skipped = all_commands()
        for each in skipped:
            say(f'not run, {each.skipped}: {each.line}')
        run.append(Command('README.md', f'python -c {shlex.quote(python_of("README.md"))}', ()))
        with ThreadPoolExecutor(desk.workers) as pool:
            checks += pool.map(lambda pair: run_command(desk, *pair), enumerate(run))
        checks += [check_text(desk, text) for text in TEXTS]
    for name in names:
        checks += check(name, desk, seed)
    return checks


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog='make claims', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seed', type=int, help='seed (default: derived from the commit)')
    parser.add_argument('--only', metavar='NAME[,NAME...]', default='',
                        help=f'pages, {", ".join(MEASUREMENTS)}')
    parser.add_argument('--write', action='store_true',
                        help='write the output of the commands into the pages')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, metavar='W',
                        help='number of processes (default: %(default)s)')
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    only = [name for name in given.only.split(',') if name]
    unknown = [name for name in only if name not in ('pages', *MEASUREMENTS)]
    if unknown:
        parser.error(f'unknown measurement {unknown[0]!r}; give some of: pages, '
                     f'{", ".join(MEASUREMENTS)}')
    seed = fresh_seed() if given.seed is None else given.seed
    names = [name for name in MEASUREMENTS if not only or name in only]
    with_pages = not only or 'pages' in only
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='claims-') as folder:
        desk = PageWorkspace(Path(folder), given.workers)
        if given.write:
            write_pages(desk)
            return 0
        say(f'seed {seed}, commit {commit()}')
        checks = check_all(names, desk, seed, with_pages)
    print(report(checks))
    failed = sum(each.holds is False for each in checks)
    print(f'{len(checks)} claims, {failed} do not hold; seed {seed}, '
          f'{time.monotonic() - began:.0f} s')
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
