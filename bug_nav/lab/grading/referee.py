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

"""The referee of a trial: ends it when nothing more can change the judgement."""

from __future__ import annotations

import dataclasses
import enum
import math
from typing import Any, Dict, List, Optional

from bug_nav.lab.grading.trace import Sample
from bug_nav.navigation.geometry import Point

STOPPED_SPEED, STOPPED_TURN = 0.01, 0.05
"""Speeds below which a robot counts as standing [m/s], [rad/s]."""
STOPPED_TIME = 1.0
"""Time that a robot stands at the goal before it has stopped there [s]."""
REAL_TIME_MARGIN, REAL_TIME_EXTRA = 3.0, 120.0
"""Maximum real time of a trial: a multiple of its simulated time, and more [s]."""


class Ending(enum.Enum):
    """Why a trial has ended."""

    STOPPED = 'stopped at the goal'
    PASSED = 'passed the goal and drove on'
    VERDICT = 'the program gave its verdict'
    CONTACT = 'contact'
    SILENT = 'no command'
    STANDSTILL = 'standstill'
    TIME = 'time limit'
    EXITED = 'the program ended'
    CRASHED = 'the program crashed'
    INTERRUPTED = 'interrupted'


@dataclasses.dataclass(frozen=True)
class TrialRules:
    """Rules of a trial; times are simulated seconds."""

    tolerance: float = 0.2
    """Distance from the goal within which it is reached [m]."""
    time_allowance: float = 300.0
    """Maximum time from the first command [s]."""
    contact: str = 'slide'
    """Reaction to a contact: hold, slide or end."""
    silence: float = 30.0
    """Maximum time until the first command [s]."""
    standstill: float = 60.0
    """Maximum time without motion [s]."""
    return_time: float = 20.0
    """Maximum time for a return to a goal that was passed [s]."""
    after_verdict: float = 3.0
    """Time from a verdict to the end [s]."""

    @property
    def slides(self) -> bool:
        """Return whether a robot slides along obstacles."""
        return self.contact == 'slide'

    def longest_real_time(self, speed: float = 1.0) -> float:
        """Return the maximum real time at a simulated time per real time [s]."""
        longest = (self.time_allowance + self.silence) / min(speed, 1.0)
        return REAL_TIME_MARGIN * longest + REAL_TIME_EXTRA

    @classmethod
    def from_dict(cls, values: Dict[str, Any]) -> TrialRules:
        """Return the rules of a dictionary that may have further entries."""
        return cls(**{field.name: values[field.name] for field in dataclasses.fields(cls)
                      if field.name in values})


class Referee:
    """Collects the samples of a trial, and decides when it ends."""

    def __init__(self, rules: TrialRules, goal: Point):
        """Begin a trial."""
        self.rules, self.goal = rules, goal
        self.samples: List[Sample] = []
        self._begun = self._passed = self._verdict = math.inf
        self._moved = self._stood_since = 0.0

    def add_verdict(self, stamp: float) -> None:
        """Add a verdict of the program at a time [s]; the trial ends soon after the first."""
        self._verdict = min(self._verdict, stamp)

    def add(self, sample: Sample) -> Optional[Ending]:
        """Add a sample; return why the trial ends, None if it goes on."""
        self.samples.append(sample)
        rules, stamp = self.rules, sample.stamp
        if sample.commands and self._begun == math.inf:
            self._begun = stamp
        if not stands(sample):
            self._moved = self._stood_since = stamp
        at_goal = math.dist((sample.x, sample.y), self.goal) <= rules.tolerance
        if at_goal:
            self._passed = stamp
        # Standing counts from the first command, so that a start at the goal is no success.
        stood = stamp - max(self._stood_since, self._begun)
        for ending, holds in (
                (Ending.CONTACT, rules.contact == 'end' and sample.contact > 0.0),
                (Ending.STOPPED, at_goal and stood >= STOPPED_TIME),
                (Ending.VERDICT, stamp - self._verdict >= rules.after_verdict),
                (Ending.PASSED, not at_goal and stamp - self._passed >= rules.return_time),
                (Ending.SILENT, self._begun == math.inf and stamp >= rules.silence),
                (Ending.STANDSTILL, stamp - max(self._moved, self._begun) >= rules.standstill),
                (Ending.TIME, stamp - self._begun >= rules.time_allowance)):
            if holds:
                return ending
        return None


def stands(sample: Sample) -> bool:
    """Return whether the robot neither drives nor turns."""
    return abs(sample.v) < STOPPED_SPEED and abs(sample.w) < STOPPED_TURN
