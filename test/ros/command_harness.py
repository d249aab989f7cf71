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

"""Run commands of bug_nav as subprocesses, and find the processes that they leave behind."""

import contextlib
import os
from pathlib import Path
import signal
import subprocess
import time
import uuid

from bug_nav.cli.child_processes import ChildProcess, module

MARK = 'BUG_NAV_TEST_MARK'


def wait_for(condition, timeout=60.0):
    """Wait until the condition holds; return whether it does."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def processes(mark, word=''):
    """Return the command lines of running processes that have inherited the mark."""
    found = {}
    for folder in Path('/proc').glob('[0-9]*'):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / 'environ').read_bytes():
                found[int(folder.name)] = (folder / 'cmdline').read_text()
    # A zombie has no command line.
    return {pid: line for pid, line in found.items() if line and word in line}


class Command(ChildProcess):
    """A running command of bug_nav, or of another module."""

    def __init__(self, *argv, folder, environment=os.environ, program='bug_nav'):
        self.mark = uuid.uuid4().hex
        super().__init__(
            program, module(program, *argv), folder / f'{self.mark}.txt',
            {**environment, MARK: self.mark, 'PYTHONUNBUFFERED': '1'}, folder, signal.SIGKILL)

    @property
    def left_behind(self):
        return processes(self.mark)

    def prints(self, words, timeout=60.0):
        return wait_for(lambda: words in self.output, timeout)

    def code(self, timeout=120.0):
        try:
            return self.wait(timeout)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            raise AssertionError(f'still running; it said: {self.output}') from None
