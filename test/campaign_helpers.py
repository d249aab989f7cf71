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

"""Helpers for campaigns in the process of the test, and in a child process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import dataclasses
from pathlib import Path
import subprocess
import tempfile
import time
from typing import List

from bug_nav.lab.campaign import Campaign
from bug_nav.lab.journal import Journal
from bug_nav.lab.rows import Row
from bug_nav.lab.spec import Spec
from bug_nav.lab.workers import Workers


class OneThread(Workers):
    """One thread."""

    count = 1

    def __init__(self) -> None:
        """Start it."""
        self.executor = ThreadPoolExecutor(1)

    def close(self) -> None:
        """Stop it."""
        self.executor.shutdown()


def await_episode(process: subprocess.Popen, journal: Path) -> None:
    """Wait until an episode is in the journal, or its writer has exited."""
    while process.poll() is None and not (
            journal.exists() and '"verdict"' in journal.read_text()):
        time.sleep(0.02)  # leave the CPU to the process


def rows_of(spec: Spec) -> List[Row]:
    """Return the rows of a campaign, with temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        journal, workers = Journal(str(Path(folder) / 'journal')), OneThread()
        campaign = Campaign(spec, journal, workers)
        try:
            assert campaign.run()
            return list(campaign.rows())
        finally:
            workers.close()
            journal.close()


def timeless(rows) -> List[Row]:
    """Return rows without the computing time, which differs from run to run."""
    return [dataclasses.replace(row, wall_time=0.0) for row in rows]
