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
Processes of a submission: limits, bounded output, and an end for all of them.

Submissions are programs of strangers. The limits protect a grader from mistakes, not from malice:
this is no sandbox (docs/grade.md shows a container).
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
import resource
import signal
import subprocess
import threading
import time
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence

from bug_nav.lab.orphans import end_with_parent

STOP_TIMEOUTS = (3.0, 2.0)
"""Maximum time to exit after SIGINT, and then after SIGTERM [s]."""
KILL_TIMEOUT = 5.0
"""Maximum time until killed processes are gone [s]."""
KEPT_OUTPUT = 64 * 1024
"""Number of bytes that are kept of the beginning of the output, and of its end."""
OUTPUT_RATE = 1_000_000
"""Maximum output that is read [bytes/s]; a program that prints more has to wait."""
CHUNK = 16 * 1024
LONGEST_LINE = 4096
"""Maximum length of a line that is searched for a verdict [bytes]."""
KEPT_VARIABLES = ('PATH', 'HOME', 'USER', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'PYTHONPATH',
                  'LD_LIBRARY_PATH', 'CMAKE_PREFIX_PATH', 'VIRTUAL_ENV', 'DISPLAY')
KEPT_PREFIXES = ('LC_', 'ROS_', '_ROS_', 'AMENT_', 'COLCON_', 'RMW_', 'RCUTILS_', 'FASTRTPS_',
                 'NUMBA_', 'FASTDDS_', 'CYCLONEDDS_', 'TURTLEBOT3_', 'GAZEBO_')


class Limits(NamedTuple):
    """Limits of each process."""

    memory: int = 4096
    """Maximum address space [MiB]; ROS 2 maps about 1 GiB that it does not use."""
    cpu_time: int = 900
    """Maximum processor time [s]."""
    file_size: int = 64
    """Maximum size of a file that it writes [MiB]."""
    files: int = 512
    """Maximum number of open files."""


class Output:
    """Reads the output of a process, keeps its beginning and end, and slows down a flood."""

    def __init__(self, stream: int, on_line: Optional[Callable[[str], None]] = None):
        """Begin to read a file descriptor, which is closed at its end."""
        self._stream, self._on_line = stream, on_line
        self._head, self._tail, self._line = bytearray(), bytearray(), bytearray()
        self._lock = threading.Lock()
        self.total = 0
        """Number of bytes."""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        began = time.monotonic()
        with contextlib.suppress(OSError):
            while True:
                chunk = os.read(self._stream, CHUNK)
                if not chunk:
                    break
                self._keep(chunk)
                self._search(chunk)
                ahead = (self.total - OUTPUT_RATE) / OUTPUT_RATE - (time.monotonic() - began)
                if ahead > 0.0:
                    time.sleep(min(ahead, 1.0))
            if self._line:
                self._search(b'\n')  # the last line, which has no end
        os.close(self._stream)

    def _keep(self, chunk: bytes) -> None:
        with self._lock:
            self.total += len(chunk)
            room = KEPT_OUTPUT - len(self._head)
            self._head += chunk[:max(room, 0)]
            self._tail += chunk[max(room, 0):]
            del self._tail[:-KEPT_OUTPUT]

    def note(self, text: str) -> None:
        """Add a line of the grader."""
        self._keep(f'[bug_nav grade: {text}]\n'.encode())

    def _search(self, chunk: bytes) -> None:
        if self._on_line is None:
            return
        self._line += chunk
        *lines, rest = self._line.split(b'\n')
        self._line = rest[:LONGEST_LINE]
        for line in lines:
            self._on_line(line[:LONGEST_LINE].decode('utf-8', 'replace'))

    def close(self) -> None:
        """Wait until the output has ended, but not for a process that has escaped."""
        self._thread.join(1.0)

    @property
    def text(self) -> str:
        """Return beginning and end of the output."""
        left_out = self.total - len(self._head) - len(self._tail)
        gap = f'\n[... {left_out} bytes are left out ...]\n'.encode() if left_out > 0 else b''
        return (bytes(self._head) + gap + bytes(self._tail)).decode('utf-8', 'replace')


class SubmissionProcess:
    """A process of a submission, in a session of its own."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], limits: Limits,
                 folder: Optional[Path] = None, pass_fds: Sequence[int] = (),
                 on_line: Optional[Callable[[str], None]] = None):
        """
        Start it; OSError if that fails.

        :param on_line: called in another thread with each line of the output.
        """
        self.command = list(command)
        reading, writing = os.pipe()
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.STDOUT,
                env=dict(environment), cwd=folder, start_new_session=True, pass_fds=pass_fds,
                preexec_fn=_limited(limits))
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        self.output = Output(reading, on_line)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def exit_code(self) -> Optional[int]:
        """Return the exit code, negative for a signal; None while it runs."""
        return self._process.poll()

    def end(self) -> None:
        """Stop it and its process group: SIGINT, then SIGTERM, then SIGKILL."""
        if self.exit_code is None:
            self.output.note('the trial has ended, and the program is asked to end')
        for number, patience in zip((signal.SIGINT, signal.SIGTERM), STOP_TIMEOUTS):
            if self.exit_code is not None:
                break
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
                os.killpg(self.pid, signal.SIGCONT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self.output.close()

    @property
    def failure(self) -> str:
        """Return how it ended if that is a crash, in one sentence; '' if not."""
        code = self.exit_code
        if not code or code in (-signal.SIGINT, -signal.SIGTERM, 130, 143):
            return ''
        lines = [line.strip() for line in self.output.text.splitlines() if line.strip()]
        last = f'; its last line was: {lines[-1][:300]}' if lines else ''
        if code > 0:
            return f'it ended with exit code {code}{last}'
        known = {signal.SIGXCPU: ' (the limit of processor time)', signal.SIGXFSZ:
                 ' (the limit of file sizes)', signal.SIGKILL: ' (by the system or the limits)'}
        number = signal.Signals(-code)
        return f'it was ended by {number.name}{known.get(number, "")}{last}'


def environment_of(additional: Mapping[str, str]) -> Dict[str, str]:
    """Return the environment of a submission: of this process only what ROS and Python need."""
    kept = {name: value for name, value in os.environ.items()
            if name in KEPT_VARIABLES or name.startswith(KEPT_PREFIXES)}
    return {**kept, 'PYTHONUNBUFFERED': '1', **additional}


def end_descendants(spared: Sequence[int] = ()) -> int:
    """
    Kill all descendants of this process, also those in other sessions; return their number.

    :param spared: process ids of children that stay, with their descendants.
    """
    killed = set()
    deadline = time.monotonic() + KILL_TIMEOUT
    while time.monotonic() < deadline:
        found = set(descendants(os.getpid(), spared))
        if not found:
            break
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        killed |= found
        time.sleep(0.02)
    return len(killed)


def descendants(parent: int, spared: Sequence[int] = ()) -> Iterator[int]:
    """Yield the process ids of all descendants of a process, as of now."""
    children: Dict[int, List[int]] = {}
    for folder in Path('/proc').glob('[0-9]*'):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # After the name in parentheses, which may contain anything: state, then parent.
            fields = (folder / 'stat').read_text(errors='replace').rpartition(')')[2].split()
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    ahead = [child for child in children.get(parent, []) if child not in spared]
    while ahead:
        pid = ahead.pop()
        yield pid
        ahead += children.get(pid, [])


def _limited(limits: Limits) -> Callable[[], None]:
    """Return a ``preexec_fn`` that sets limits, and lets the process end with its parent."""
    mebibyte = 1024 * 1024
    values = [(resource.RLIMIT_AS, limits.memory * mebibyte),
              (resource.RLIMIT_FSIZE, limits.file_size * mebibyte),
              (resource.RLIMIT_CPU, limits.cpu_time), (resource.RLIMIT_NOFILE, limits.files),
              (resource.RLIMIT_CORE, 0)]
    end_too = end_with_parent(signal.SIGKILL)
    # Looked up before the fork, because imports are not safe in the child.
    set_limit, current = resource.setrlimit, resource.getrlimit

    def limit() -> None:
        for kind, value in values:
            hard = current(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            # A soft limit of processor time first sends SIGXCPU, the hard one SIGKILL.
            set_limit(kind, (value, value + 5 if kind == resource.RLIMIT_CPU
                             and hard == resource.RLIM_INFINITY else value))
        if end_too is not None:
            end_too()
    return limit
