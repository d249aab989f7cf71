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

"""Child processes that exit with their parent, even if the parent is killed."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
import signal
import subprocess
from typing import Any, List, Mapping, Optional, Sequence

from bug_nav.files.module_path import child_command
from bug_nav.lab.orphans import end_with_parent

STOP_TIMEOUTS = (5.0, 2.0)
"""Maximum time to exit after SIGINT, and then after SIGTERM [s]."""
DEFAULT_TIMEOUT = 30.0
"""Default timeout of `ChildProcess.wait` [s]."""
LAST_LINES = 12
"""Number of output lines in an error report."""


def module(name: str, *arguments: str) -> List[str]:
    """Return the command that runs a Python module with the current interpreter."""
    return child_command(name, *arguments)


class ChildProcess:
    """Process that writes its output to a file."""

    def __init__(self, name: str, command: Sequence[str], log: Path,
                 environment: Mapping[str, str], folder: Optional[Path] = None,
                 orphaned: int = signal.SIGTERM):
        """Start it in ``folder``; the kernel sends ``orphaned`` when the parent dies."""
        self.name, self.log = name, log
        with open(log, 'wb') as stream:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT,
                env=environment, cwd=folder,
                # A new session: a Ctrl-C in the terminal reaches the parent only, which stops
                # the children in order.
                start_new_session=True, preexec_fn=end_with_parent(orphaned))

    @property
    def ended(self) -> bool:
        """Whether the process has exited."""
        return self._process.poll() is not None

    @property
    def output(self) -> str:
        """Return the current output."""
        return self.log.read_text(encoding='utf-8', errors='replace')

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Ask the process to exit; resume it if it is suspended."""
        self.signal(number)
        self.signal(signal.SIGCONT)

    def signal(self, number: int) -> None:
        """Send a signal if the process is running."""
        if not self.ended:
            self._process.send_signal(number)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def wait(self, timeout: float = DEFAULT_TIMEOUT) -> int:
        """Wait and return the exit code; subprocess.TimeoutExpired after ``timeout`` [s]."""
        return self._process.wait(timeout)

    def end(self) -> None:
        """Stop the process: SIGINT for a clean exit, then SIGTERM, then SIGKILL."""
        for number, patience in zip((signal.SIGINT, signal.SIGTERM), STOP_TIMEOUTS):
            self.interrupt(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.wait(patience)
                break
        # Its own children are in its process group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.wait()

    def log_tail(self) -> str:
        """Return the last lines of the output."""
        return '\n'.join(f'  {self.name}: {line}'
                         for line in self.output.splitlines()[-LAST_LINES:])


class ChildProcesses:
    """Group of processes; leaving the context stops them in reverse order."""

    def __init__(self) -> None:
        """Create an empty group."""
        self._all: List[ChildProcess] = []

    def __enter__(self) -> ChildProcesses:
        """Return the group."""
        return self

    def __exit__(self, *_: Any) -> None:
        """Stop all processes."""
        while self._all:
            self._all.pop().end()

    def start(self, *arguments: Any) -> None:
        """Start a `ChildProcess` with these arguments."""
        self._all.append(ChildProcess(*arguments))

    @property
    def exited(self) -> Optional[ChildProcess]:
        """Return a process that has exited; None while all are running."""
        return next((child for child in self._all if child.ended), None)

    def log_tail(self) -> str:
        """Return the last lines of output of every process."""
        return '\n'.join(child.log_tail() for child in self._all)
