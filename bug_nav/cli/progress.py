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

"""Progress lines for navigation and other long work."""

from __future__ import annotations

import math
import shutil
import time
from typing import Optional, TextIO

BAR_WIDTH = 20
"""Width of the progress bar [characters]."""
DELAY = 0.5
"""Time before the first line [s]."""
TERMINAL_PERIOD, FILE_PERIOD = 0.1, 2.0
"""Period of updates on a terminal, and in a file or pipe [s]."""


class ProgressLine:
    """
    Distance bar, state, hit and leave counts, path length and time.

    On a terminal the line is redrawn in place; in a file or a pipe a line is added every
    `FILE_PERIOD`.
    """

    def __init__(self, stream: TextIO):
        """Write to ``stream``."""
        self._stream = stream
        self._terminal = stream.isatty()
        self._every = TERMINAL_PERIOD if self._terminal else FILE_PERIOD
        self._max_distance = 0.0
        self._next: Optional[float] = None
        self._shown = False

    def show(self, distance: float, state: str, hits: int, leaves: int, path_length: float,
             elapsed: float) -> None:
        """Show the distance to the goal [m] and the rest; at a limited rate."""
        if not math.isfinite(distance):  # before the first odometry
            return
        now = time.monotonic()
        self._max_distance = max(self._max_distance, distance)
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
        """Erase the line, so that other output can follow."""
        if self._shown:
            self._stream.write('\r\x1b[K')
            self._stream.flush()
            self._shown = False

    def _bar(self, distance: float) -> str:
        done = 1.0 - distance / self._max_distance if self._max_distance > 0.0 else 1.0
        filled = round(BAR_WIDTH * min(max(done, 0.0), 1.0))
        full, empty = ('█', '░') if _can_print('█░', self._stream) else ('#', '-')
        return full * filled + empty * (BAR_WIDTH - filled)


class PercentLine:
    """Percentage of work done; on a terminal only."""

    def __init__(self, stream: TextIO, what: str):
        """Write to ``stream``."""
        self._stream, self._what = stream, what
        self._next = time.monotonic() + DELAY if stream.isatty() else math.inf

    def show(self, share: float) -> None:
        """Show the share [0 to 1]; at a limited rate."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + TERMINAL_PERIOD
            self._stream.write(f'\r{self._what} {min(max(share, 0.0), 1.0):4.0%}\x1b[K')
            self._stream.flush()

    def clear(self) -> None:
        """Erase the line."""
        if self._stream.isatty():
            self._stream.write('\r\x1b[K')
            self._stream.flush()


def _can_print(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or 'ascii')
    except (LookupError, UnicodeEncodeError):
        return False
    return True
