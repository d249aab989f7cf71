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

"""The file of a campaign: a line of JSON for each world and algorithm, so that it can go on."""

from __future__ import annotations

import json
import os
from typing import Dict, Tuple

from bug_nav.bench.campaign import CaseRuns, Plan


class JournalError(ValueError):
    """The file is not what a campaign has written."""


class Journal:
    """What has been done, on a disk: lines are added at the end, and nothing else."""

    def __init__(self, path: str, plan: Plan, resume: bool) -> None:
        """
        Open the file.

        :param resume: take what it holds for done, where turns and noise are those of the plan;
            otherwise it must not be there yet.
        :raises JournalError: if a line is none of a campaign's.
        :raises FileExistsError: if it is there and not to be resumed.
        """
        self.done: Dict[Tuple[str, str], CaseRuns] = {}
        self._file = open(path, 'r+b' if resume and os.path.exists(path) else 'x+b')
        whole = 0
        for number, line in enumerate(self._file, 1):
            if line.endswith(b'\n'):  # a campaign that was killed may have left half a line
                whole += len(line)
                self._take(plan, number, line)
        self._file.seek(whole)
        self._file.truncate()

    def _take(self, plan: Plan, number: int, line: bytes) -> None:
        try:
            runs = CaseRuns.from_dict(json.loads(line))
        except (ValueError, TypeError, KeyError):
            self._file.close()
            raise JournalError(f'line {number} of {self._file.name} is none of a campaign; '
                               'give another file') from None
        if (tuple(run.turn for run in runs.runs), runs.noise) == (plan.turns, plan.noise):
            self.done[runs.case.name, runs.algorithm] = runs

    def add(self, runs: CaseRuns) -> None:
        """Write what is not there yet."""
        if (runs.case.name, runs.algorithm) not in self.done:
            self._file.write(json.dumps(runs.as_dict(), allow_nan=False).encode() + b'\n')
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
