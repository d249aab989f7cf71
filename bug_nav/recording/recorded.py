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

"""Common interface of recordings: messages with their times of arrival."""

from __future__ import annotations

from typing import Any, Collection, Dict, Iterator, NamedTuple, Protocol


class Recorded(NamedTuple):
    """A message of a recording."""

    topic: str
    kind: str
    at: float
    """Time of arrival at the recorder [s]."""
    message: Any


class Recording(Protocol):
    """An open recording."""

    warning: str
    """Defect of the file, in one sentence; else ''."""
    topics: Dict[str, str]
    """Message types by topic."""
    began: float
    """Time of arrival of the first message [s]."""
    ended: float
    """Time of arrival of the last message [s]."""

    def messages(self, topics: Collection[str]) -> Iterator[Recorded]:
        """Yield the messages of some topics in order; unknown types are skipped."""
