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

"""Progress of the compilation of kernels, which takes half a minute after an update."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional, Set

from bug_nav.navigation import compiled

REPORTS = 4
"""Number of progress reports while kernels compile, if stderr is not a terminal."""


class _Progress:
    """Reports how many of the kernels without compiled code have been compiled."""

    def __init__(self, report: Optional[Callable[[str], None]],
                 is_interrupted: Callable[[], bool]):
        """Report with a function; without one on stderr, and on a terminal in one line."""
        self._is_interrupted = is_interrupted
        self._is_line = report is None and sys.stderr.isatty()
        self._report = report or _print
        self._begun: Set[Any] = set()
        self._total = 0

    def show(self, made: Any) -> None:
        """Report that a kernel compiles, unless the process shall end."""
        if self._is_interrupted():
            raise KeyboardInterrupt  # numba handles an Exception as an error of the kernel
        if made in self._begun:
            return
        if not self._begun:
            self._total = sum(each is made or each._cache.is_empty for each in compiled.KERNELS)
        self._begun.add(made)
        count, total = len(self._begun), max(self._total, len(self._begun))
        if self._is_line:
            sys.stderr.write(f'\rbug_nav: compiling kernels {count}/{total}\x1b[K')
            sys.stderr.flush()
        elif count == 1:
            self._report(f'compiling {total} kernel{"s" * (total > 1)}, once after an '
                         'installation or an update: this can take half a minute or more')
        elif count * REPORTS // total > (count - 1) * REPORTS // total:
            self._report(f'compiling kernels {count}/{total}')

    def end(self) -> None:
        """Clear the line on a terminal."""
        if self._is_line and self._begun:
            sys.stderr.write('\r\x1b[K')
            sys.stderr.flush()


def _print(line: str) -> None:
    print(f'bug_nav: {line}', file=sys.stderr, flush=True)


@contextlib.contextmanager
def compiling(report: Optional[Callable[[str], None]] = None,
              is_interrupted: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """
    Report the progress of compilation in this context: with a function, or on stderr.

    The next kernel raises KeyboardInterrupt instead of compiling once ``is_interrupted()``, for
    processes with signal handlers of their own.
    """
    progress = _Progress(report, is_interrupted)
    compiled.watchers.append(progress.show)
    try:
        yield
    finally:
        compiled.watchers.pop()
        progress.end()
