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

"""Processes that end with whoever started them, in every case."""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import Any, Callable, List, Mapping, Optional, Sequence

from bug_nav.core.module_path import child_command

PATIENCE = (5.0, 2.0)
"""How long a process may take to end after SIGINT, and then after SIGTERM [s]."""
LONG = 30.0
"""What takes longer [s] never ends, unless its caller knows better."""
LAST_LINES = 12
PR_SET_PDEATHSIG = 1


def module(name: str, *arguments: str) -> List[str]:
    """Return the command that runs a Python module, as this Python would."""
    return child_command(name, *arguments)


class Child:
    """A process with its output in a file."""

    def __init__(self, name: str, command: Sequence[str], log: Path,
                 environment: Mapping[str, str], folder: Optional[Path] = None,
                 orphaned: int = signal.SIGTERM):
        """Start it, in ``folder``; when its parent dies it gets the signal ``orphaned``."""
        self.name, self.log = name, log
        with open(log, 'wb') as stream:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT,
                env=environment, cwd=folder,
                # In a session of its own: a Ctrl-C in the terminal comes to us alone, and the
                # processes end in our order.
                start_new_session=True, preexec_fn=end_with_parent(orphaned))

    @property
    def ended(self) -> bool:
        """Tell whether it is over."""
        return self._process.poll() is not None

    @property
    def output(self) -> str:
        """Return what it has said."""
        return self.log.read_text(encoding='utf-8', errors='replace')

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Tell it to end, be it suspended."""
        self.signal(number)
        self.signal(signal.SIGCONT)

    def signal(self, number: int) -> None:
        """Send it a signal, if it lives."""
        if not self.ended:
            self._process.send_signal(number)

    @property
    def pid(self) -> int:
        """Return its id."""
        return self._process.pid

    def wait(self, timeout: float = LONG) -> int:
        """Return its exit code; subprocess.TimeoutExpired where it lasts longer [s]."""
        return self._process.wait(timeout)

    def end(self) -> None:
        """End it, with SIGINT so that it can end well, and with SIGKILL if it will not."""
        for number, patience in zip((signal.SIGINT, signal.SIGTERM), PATIENCE):
            self.interrupt(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.wait(patience)
                break
        # And whatever it may have started, which is in its group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.wait()

    def last_words(self) -> str:
        """Return the last lines of its output."""
        return '\n'.join(f'  {self.name}: {line}'
                         for line in self.output.splitlines()[-LAST_LINES:])


class Children:
    """Several of them; leaving the context ends them, the last one first."""

    def __init__(self) -> None:
        """Begin with none."""
        self._all: List[Child] = []

    def __enter__(self) -> Children:
        """Return itself."""
        return self

    def __exit__(self, *_: Any) -> None:
        """End them all."""
        while self._all:
            self._all.pop().end()

    def start(self, *arguments: Any) -> None:
        """Start a `Child`."""
        self._all.append(Child(*arguments))

    @property
    def dead(self) -> Optional[Child]:
        """One that has ended, None while all live."""
        return next((child for child in self._all if child.ended), None)

    def last_words(self) -> str:
        """Return the last lines of everybody's output."""
        return '\n'.join(child.last_words() for child in self._all)


def end_with_parent(number: int = signal.SIGTERM) -> Optional[Callable[[], None]]:
    """
    Return what a child does first: ask Linux for a signal when its parent dies.

    That is for a parent that is killed, and so cannot end its children. Everything it calls is
    looked up here, before the fork: in the child there may be no time and no lock for it.
    """
    if not sys.platform.startswith('linux'):
        return None
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, int(number))
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)
    return ask
