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

"""Count messages for the user that differ in their numbers as one."""

from __future__ import annotations

import re
from typing import Counter, Dict

MAX_REASONS = 50
"""Maximum number of different messages that are counted."""
_NUMBER = re.compile(r'[-+]?\d+(\.\d+)?(e[-+]?\d+)?|\bnan\b|[-+]?\binf\b')


class Reasons(Counter[str]):
    """Counts by message: that of the first of those that differ only in numbers."""

    def __init__(self) -> None:
        """Start without messages."""
        super().__init__()
        self._first: Dict[str, str] = {}

    def add(self, why: str) -> None:
        """Count a message."""
        alike = _NUMBER.sub('#', why)
        if alike in self._first or len(self._first) < MAX_REASONS:
            self[self._first.setdefault(alike, why)] += 1
