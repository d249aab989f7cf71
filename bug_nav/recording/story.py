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

"""What the navigator has done in a replay, in numbers and places."""

from __future__ import annotations

import collections
import dataclasses
import re
from typing import Counter, Dict, List, NamedTuple, Optional, Set, Tuple

from bug_nav.core.geometry import Point, Pose
from bug_nav.core.interface import Event, Result, Scan, Twist
from bug_nav.navigator import Navigator
from bug_nav.sense.points import obstacle_points
import numpy as np

CELL = 0.05
"""Of the placed points that lie in a cell of this size [m] one is kept ..."""
MOST_CELLS = 300_000
"""... in so many cells at most."""
MOST_REASONS = 50
"""So many different sentences are counted at most."""
_NUMBER = re.compile(r'\d+(\.\d+)?')


@dataclasses.dataclass
class Hold:
    """How long the robot stood for one reason [s]."""

    total: float = 0.0
    longest: float = 0.0
    current: float = 0.0
    times: int = 0


class End(NamedTuple):
    """A goal that has ended."""

    at: float
    """Since the recording began [s]."""
    result: Result


@dataclasses.dataclass
class Story:
    """All of it; places are in the frame of odometry."""

    goal: Optional[Point] = None
    """None where it is only listened to."""
    duration: float = 0.0
    scans: int = 0
    placed: int = 0
    dropped: Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """How many scans were not used, by the reason."""
    troubles: Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """In how many ticks which sentence held."""
    skews: List[float] = dataclasses.field(default_factory=list)
    holds: Dict[str, Hold] = dataclasses.field(default_factory=dict)
    ends: List[End] = dataclasses.field(default_factory=list)
    events: List[Event] = dataclasses.field(default_factory=list)
    ticks: int = 0
    standing: int = 0
    """Ticks with the command to stand."""
    turning: int = 0
    """Ticks with the command to turn on the spot."""
    path: List[Point] = dataclasses.field(default_factory=list)
    """As odometry tells it."""
    believed: List[Point] = dataclasses.field(default_factory=list)
    """As the navigator believes it, at the same times."""
    stops: List[Tuple[Point, str]] = dataclasses.field(default_factory=list)
    """Where each hold began, and why."""
    refusal: str = ''
    """Why the node would not have begun, where it would not."""
    _phrases: Dict[str, str] = dataclasses.field(default_factory=dict)
    _cells: Set[Tuple[int, int]] = dataclasses.field(default_factory=set)

    @property
    def points(self) -> np.ndarray:
        """Return the points of the placed scans, (n, 2) [m]."""
        return (np.array(sorted(self._cells), dtype=float).reshape(-1, 2) + 0.5) * CELL

    @property
    def skew(self) -> Optional[float]:
        """Return how far scans' stamps were ahead of odometry's [s]; None where none came."""
        return float(np.median(self.skews)) if self.skews else None

    def see(self, scan: Scan, pose: Pose) -> None:
        """Keep the points of a scan that was placed."""
        if len(self._cells) >= MOST_CELLS:
            return
        points = obstacle_points(scan)
        cos, sin = np.cos(pose.theta), np.sin(pose.theta)
        placed = points @ np.array([[cos, sin], [-sin, cos]]) + np.array(pose.position)
        self._cells.update(map(tuple, np.floor(placed / CELL).astype(int).tolist()))

    def go(self, odometry: Pose, navigator: Navigator) -> None:
        """Keep where the robot is, by odometry and by what the navigator believes."""
        self.path.append(odometry.position)
        believed = odometry if navigator.observation is None else navigator.robot.pose
        self.believed.append(believed.position)

    def command(self, twist: Twist) -> None:
        """Count a command."""
        self.ticks += 1
        moves = twist.v != 0.0 or twist.u != 0.0
        self.turning += not moves and twist.w != 0.0
        self.standing += not moves and twist.w == 0.0

    def hold(self, reason: str, span: float, pose: Optional[Pose]) -> None:
        """Count a time in which was waited for something; '' for one in which nothing was."""
        for name, hold in self.holds.items():
            if name != reason:
                hold.current = 0.0
        if not reason:
            return
        hold = self.holds.setdefault(reason, Hold())
        if hold.current == 0.0:
            hold.times += 1
            if pose is not None:
                self.stops.append((pose.position, reason))
        hold.current += span
        hold.total += span
        hold.longest = max(hold.longest, hold.current)

    def drop(self, why: str) -> None:
        """Count a scan that was not one."""
        if why in self.dropped or len(self.dropped) < MOST_REASONS:
            self.dropped[why] += 1

    def trouble(self, why: str) -> None:
        """Count a tick in which something was wrong with the data, whatever the numbers in it."""
        if not why:
            return
        alike = _NUMBER.sub('#', why)
        why = self._phrases.setdefault(alike, why)
        if why in self.troubles or len(self.troubles) < MOST_REASONS:
            self.troubles[why] += 1

    def add_up(self, navigator: Navigator) -> None:
        """Take over the counts of a navigator that has ended."""
        self.placed += navigator.queue.placed
        self.dropped.update(navigator.queue.dropped)
        waiting = self.scans - self.placed - sum(self.dropped.values())
        if waiting > 0:
            self.dropped['waiting for odometry when the goal or the recording ended'] += waiting
