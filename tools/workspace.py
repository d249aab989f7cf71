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

"""Folders in which the commands of the pages and of measurements run."""

from __future__ import annotations

import os
from pathlib import Path
import re
import shlex
import subprocess
import sys
from typing import Tuple

from bug_nav.cli.campaign import JOURNAL
from bug_nav.lab.orphans import end_with_parent
from results import ROOT

LONGEST = 900.0
"""Timeout of a command of a page, after which its claim does not hold [s]."""
PROGRAMS = Path(sys.executable).parent
"""Folder of `bug_nav` and `python` of this environment."""
UNKEPT = ('XDG_', 'MPL', 'BUG_NAV_', 'MAKE', 'MFLAGS', 'ARGS', 'NAME')
"""Prefixes of unkept variables of the environment, those of a calling `make` among them."""
NO_FIGURES = (OSError, ValueError, KeyError, IndexError)
"""Exceptions that mean that the output of a command is not as expected."""


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


class Workspace:
    """A folder to run commands in, with its own HOME and environment."""

    def __init__(self, folder: Path, workers: int = os.cpu_count() or 1,
                 scheduler: str = '') -> None:
        """
        Make the folders; programs of this environment come first in PATH.

        Campaigns run in ``workers`` processes here, or on the Dask cluster of a ``scheduler``.
        """
        self.folder, self.workers, self.scheduler = folder, workers, scheduler
        home, programs = folder / 'home', folder / 'programs'
        for made in (home, programs):
            made.mkdir(parents=True, exist_ok=True)
        for name in ('bug_nav', 'python', 'python3'):
            self._program(programs / name)
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(UNKEPT)}
        self.environment = {**kept, 'HOME': str(home), 'COLUMNS': '100', 'BROWSER': 'true',
                            'PATH': os.pathsep.join((str(programs), os.environ['PATH'])),
                            'PYTHONPATH': os.pathsep.join(filter(None, (
                                str(ROOT), os.environ.get('PYTHONPATH'))))}

    @staticmethod
    def _program(path: Path) -> None:
        entry = '-m bug_nav ' if path.name == 'bug_nav' else ''
        own = PROGRAMS / path.name
        call = (shlex.quote(str(own)) if own.exists() and path.name == 'bug_nav'
                else f'{shlex.quote(sys.executable)} {entry}')
        path.write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding='utf-8')
        path.chmod(0o755)

    def work(self, name: str) -> Path:
        """Return a folder to run in."""
        folder = self.folder / 'work' / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def run(self, command: str, folder: Path, shown: bool = False) -> Tuple[int, str]:
        """Run a shell command; return its exit code and output (without progress)."""
        # exec, so that the command itself exits with this process and by the timeout.
        done = subprocess.run(
            command if ';' in command else f'exec {command}', shell=True, cwd=folder,
            preexec_fn=end_with_parent(), env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=None if shown else subprocess.STDOUT, text=True,
            timeout=None if shown else LONGEST, check=False)
        return done.returncode, done.stdout

    def measure(self, name: str, command: str) -> Tuple[str, Path]:
        """
        Run the command of a measurement; return its output, and its output folder.

        A campaign or a benchmark that was interrupted in this workspace continues. The output of
        a suite of the benchmark is in the folder with the name of the suite.
        """
        folder = self.work(name)
        out = folder / 'out'
        command = command.replace('tools/', f'{ROOT}/tools/')
        command = re.sub('^make ', f'make --silent --no-print-directory -C {ROOT} ', command)
        where = f' --workers {self.workers}'
        if ' campaign ' in command or ' bench ' in command:
            where += f' --out {out}'
            where += ' --resume' if (out / JOURNAL).exists() else ''
            where += f' --scheduler {shlex.quote(self.scheduler)}' if self.scheduler else ''
        command = re.sub(r'( campaign| bench|tools/hostile\.py)(?= )',
                         lambda found: found[0] + where, command, count=1)
        suite = re.search(r' bench .*--suite (\w+)', command)
        code, printed = self.run(command, folder, shown=True)
        # Wrong verdicts and contacts are results.
        if code and not (code == 1 and re.search(r' (campaign|bench) |hostile\.py', command)):
            raise ValueError(f'{command!r} has ended with exit code {code}')
        return printed, out / suite[1] if suite else out
