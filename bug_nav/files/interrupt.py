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
Ctrl-C in a program: one sentence and exit code 130, wherever it is at that moment.

Python's own KeyboardInterrupt is not raised: within an import, a compiled kernel or a callback it
becomes another exception, or is swallowed. The signal handler ends the process instead, after the
actions that are registered here.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any, Callable, Iterator, List, NoReturn

INTERRUPTED = 130
"""Exit code after Ctrl-C, as a shell has it: 128 + SIGINT."""
_REDRAW = b'\r\x1b[K\x1b[?25h'
"""Clears a line of progress, and shows the cursor that a bar has hidden."""

_undo: List[Callable[[], None]] = []


def install_handler(program: str) -> None:
    """End this process on Ctrl-C, unless its parent made it ignore SIGINT."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: exit_interrupted(program))


def ignore() -> None:
    """Ignore Ctrl-C from now on: the work is done, and the interpreter exits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def exit_interrupted(program: str, sentence: str = 'interrupted') -> NoReturn:
    """Run the registered actions, print one sentence, and end the process."""
    ignore()
    for action in reversed(_undo):
        with contextlib.suppress(Exception):
            action()
    # Bypass sys.stderr: the interrupted code may be writing to it.
    with contextlib.suppress(OSError):
        os.write(2, (_REDRAW if os.isatty(2) else b'') + f'{program}: {sentence}\n'.encode())
    os._exit(INTERRUPTED)


def register_cleanup(action: Callable[[], Any]) -> None:
    """Call ``action`` when Ctrl-C ends this process, from now on."""
    _undo.append(action)


@contextlib.contextmanager
def cleanup_on_interrupt(action: Callable[[], Any]) -> Iterator[None]:
    """Call ``action`` when Ctrl-C ends this process within this context."""
    _undo.append(action)
    try:
        yield
    finally:
        _undo.remove(action)
