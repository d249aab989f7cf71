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

"""Finding of a check: level, observation and remedy."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Level(enum.IntEnum):
    """Severity of a finding."""

    OK = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        """Return the name in the report."""
        return self.name.lower()


class Finding(NamedTuple):
    """A finding on one subject."""

    level: Level
    subject: str
    """Subject in one word."""
    found: str
    """Observation, with numbers."""
    remedy: str = ''
    """Advice; '' if none."""


def ok(subject: str, found: str) -> Finding:
    """Return a finding without a remedy."""
    return Finding(Level.OK, subject, found)


def warning(subject: str, found: str, remedy: str) -> Finding:
    """Return a finding with which the robot can drive."""
    return Finding(Level.WARNING, subject, found, remedy)


def error(subject: str, found: str, remedy: str) -> Finding:
    """Return a finding with which the robot cannot drive, or not safely."""
    return Finding(Level.ERROR, subject, found, remedy)
