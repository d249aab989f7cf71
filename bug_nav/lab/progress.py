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

"""Run of a campaign in a terminal: progress and Ctrl-C."""

from __future__ import annotations

import contextlib
import importlib.util
import multiprocessing
import os
import signal
import sys
import time
from typing import Any, Callable, Iterator

from bug_nav.files import interrupt
from bug_nav.lab.campaign import Campaign
from bug_nav.lab.journal import Journal
from bug_nav.lab.rows import Row
from bug_nav.lab.spec import Spec
from bug_nav.lab.workers import Workers

PLAIN_PERIOD = 10.0
"""Period of the progress lines when stderr is not a terminal [s]."""


def run_with_progress(spec: Spec, journal: Journal, workers: Workers) -> Campaign:
    """
    Run a campaign, show its progress on stderr, and return it.

    Ctrl-C stops it after the running episodes (see `Campaign.stopped`); a second Ctrl-C ends this
    process and its children at once.
    """
    progress = Progress(spec.total)
    campaign = Campaign(spec, journal, workers, progress.add)
    with progress.shown(), _interruptible(campaign):
        campaign.run()
    return campaign


@contextlib.contextmanager
def _interruptible(campaign: Campaign) -> Iterator[None]:
    def stop(number: int, frame: Any) -> None:
        if campaign.stopped:
            for child in multiprocessing.active_children():
                child.kill()
            interrupt.exit_interrupted('bug_nav')
        # A flag, because an exception could interrupt a write.
        campaign.stopped = True
        # Bypass sys.stderr, which may be in use.
        os.write(2, b'\ninterrupted: finishing the running episodes; press Ctrl-C again to stop '
                    b'at once\n')
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)


class Progress:
    """Progress and speed of a campaign."""

    def __init__(self, total: int) -> None:
        """Expect ``total`` rows; unjudged worlds may add more."""
        self.total = total
        self.done = self.new = self.fault_count = 0
        self.simulated = 0.0
        self._began = self._printed = time.monotonic()
        self._show: Callable[[], None] = self._print_line

    def add(self, row: Row, is_new: bool) -> None:
        """Add a row."""
        self.done += 1
        self.total = max(self.total, self.done)
        self.fault_count += bool(row.fault)
        if is_new:
            self.new += 1
            self.simulated += row.time
        self._show()

    @property
    def elapsed(self) -> float:
        """Time since the start [s]."""
        return max(time.monotonic() - self._began, 1e-3)

    def rate(self) -> str:
        """Return the speed as text."""
        if not self.new:
            return ''
        return (f'{self.new / self.elapsed:.1f} episodes/s, '
                f'{self.simulated / self.elapsed:.0f} simulated s/s')

    def left(self) -> str:
        """Return the estimated remaining time as text."""
        if not self.new:
            return ''
        seconds = round((self.total - self.done) * self.elapsed / self.new)
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        return f'{hours}:{minutes:02}:{seconds:02} left'

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Show a progress bar if stderr is a terminal and rich is installed, else print lines."""
        if not sys.stderr.isatty() or importlib.util.find_spec('rich') is None:
            yield
            return
        from rich import progress
        from rich.console import Console
        columns = (progress.BarColumn(), progress.MofNCompleteColumn(),
                   progress.TextColumn('{task.fields[rate]}'),
                   progress.TextColumn('{task.fields[left]}'),
                   progress.TextColumn('{task.fields[faults]} faults'))
        with progress.Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task('', total=self.total, rate='', left='', faults=0)
            self._show = lambda: bar.update(
                task, completed=self.done, total=self.total, rate=self.rate(),
                left=self.left(), faults=self.fault_count)
            self._show()
            yield

    def _print_line(self) -> None:
        now = time.monotonic()
        if now - self._printed > PLAIN_PERIOD:
            self._printed = now
            words = [f'{self.done} of {self.total} episodes', f'{self.fault_count} faults',
                     self.rate(), self.left()]
            print(', '.join(filter(None, words)), file=sys.stderr, flush=True)
