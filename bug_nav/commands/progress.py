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

"""One line that tells how a navigation is going."""

from __future__ import annotations

import math
import shutil
import time
from typing import Optional, TextIO

BAR = 20
PATIENCE = 0.5
"""Work that takes no longer [s] needs no line."""
ON_TERMINAL, IN_FILE = 0.1, 2.0
"""Time between two lines [s]."""


class ProgressLine:
    """
    The distance as a bar, the state, the points so far, path and time.

    On a terminal the line is drawn again in its place; in a file or a pipe a new one comes now
    and then.
    """

    def __init__(self, stream: TextIO):
        """Write to ``stream``."""
        self._stream = stream
        self._terminal = stream.isatty()
        self._every = ON_TERMINAL if self._terminal else IN_FILE
        self._farthest = 0.0
        self._next: Optional[float] = None
        self._shown = False

    def show(self, distance: float, state: str, hits: int, leaves: int, path_length: float,
             elapsed: float) -> None:
        """Show how far it is to the goal [m], and the rest; not more often than people read."""
        if not math.isfinite(distance):  # before the first odometry
            return
        now = time.monotonic()
        self._farthest = max(self._farthest, distance)
        if self._next is not None and now < self._next:
            return
        self._next = now + self._every
        text = (f'{self._bar(distance)} {distance:6.2f} m to go  {state or "waiting":<24} '
                f'H{hits} L{leaves}  path {path_length:6.2f} m  {elapsed:6.1f} s')
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            text = f'\r{text[:width]}\x1b[K'
            self._shown = True
        self._stream.write(text if self._terminal else text + '\n')
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away, so that other text can follow."""
        if self._shown:
            self._stream.write('\r\x1b[K')
            self._stream.flush()
            self._shown = False

    def _bar(self, distance: float) -> str:
        done = 1.0 - distance / self._farthest if self._farthest > 0.0 else 1.0
        filled = round(BAR * min(max(done, 0.0), 1.0))
        full, empty = ('█', '░') if _can_print('█░', self._stream) else ('#', '-')
        return full * filled + empty * (BAR - filled)


class ShareLine:
    """The share of some work that is done, on a terminal alone."""

    def __init__(self, stream: TextIO, what: str):
        """Write to ``stream``."""
        self._stream, self._what = stream, what
        self._next = time.monotonic() + PATIENCE if stream.isatty() else math.inf

    def show(self, share: float) -> None:
        """Show the share, not more often than people read."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + ON_TERMINAL
            self._stream.write(f'\r{self._what} {min(max(share, 0.0), 1.0):4.0%}\x1b[K')
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._stream.isatty():
            self._stream.write('\r\x1b[K')
            self._stream.flush()


def _can_print(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or 'ascii')
    except (LookupError, UnicodeEncodeError):
        return False
    return True
