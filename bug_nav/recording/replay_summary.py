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

"""Summary of a replay: counts, outcomes, and positions for the plot."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.beams import obstacle_points
from bug_nav.navigation.types import Event, Result, Scan, Twist
from bug_nav.recording.reasons import Reasons
import numpy as np

CELL = 0.05
"""Side of a cell, of whose scan points one is kept [m]."""
MAX_CELLS = 300_000
"""Maximum number of cells."""


@dataclasses.dataclass
class Hold:
    """Times that the robot waited for one reason [s]."""

    total: float = 0.0
    longest: float = 0.0
    current: float = 0.0
    times: int = 0


class End(NamedTuple):
    """An outcome."""

    at: float
    """Time since the start of the recording [s]."""
    result: Result


@dataclasses.dataclass
class ReplaySummary:
    """Summary of a replay; positions are in the odometry frame [m]."""

    goal: Optional[Point] = None
    """None in a replay without a goal."""
    duration: float = 0.0
    scans: int = 0
    placed: int = 0
    dropped: Reasons = dataclasses.field(default_factory=Reasons)
    """Number of unused scans, by reason."""
    troubles: Reasons = dataclasses.field(default_factory=Reasons)
    """Number of ticks with a problem of the data, by message."""
    skews: List[float] = dataclasses.field(default_factory=list)
    holds: Dict[str, Hold] = dataclasses.field(default_factory=dict)
    ends: List[End] = dataclasses.field(default_factory=list)
    events: List[Event] = dataclasses.field(default_factory=list)
    ticks: int = 0
    standing: int = 0
    """Ticks with a zero command."""
    turning: int = 0
    """Ticks with a command to turn in place."""
    path: List[Point] = dataclasses.field(default_factory=list)
    """Positions by odometry."""
    estimated: List[Point] = dataclasses.field(default_factory=list)
    """Positions estimated by the navigator, at the same times."""
    stops: List[Tuple[Point, str]] = dataclasses.field(default_factory=list)
    """Position and reason of the start of each wait."""
    lidar: str = ''
    """How the lidar reports, as the newest goal has found out."""
    refusal: str = ''
    """Reason why the node would not have started; else empty."""
    _cells: Set[Tuple[int, int]] = dataclasses.field(default_factory=set)

    @property
    def points(self) -> np.ndarray:
        """Return the points of the placed scans (n, 2) [m]."""
        return (np.array(sorted(self._cells), dtype=float).reshape(-1, 2) + 0.5) * CELL

    @property
    def skew(self) -> Optional[float]:
        """Return the skew of scan stamps ahead of odometry stamps [s]; None without data."""
        return float(np.median(self.skews)) if self.skews else None

    def add_scan(self, scan: Scan, pose: Pose) -> None:
        """Store the points of a placed scan."""
        if len(self._cells) >= MAX_CELLS:
            return
        points = obstacle_points(scan)
        cos, sin = np.cos(pose.theta), np.sin(pose.theta)
        placed = points @ np.array([[cos, sin], [-sin, cos]]) + np.array(pose.position)
        self._cells.update(map(tuple, np.floor(placed / CELL).astype(int).tolist()))

    def add_position(self, odometry: Pose, navigator: Navigator) -> None:
        """Store the position by odometry and the one estimated by the navigator."""
        self.path.append(odometry.position)
        estimate = odometry if navigator.tick_input is None else navigator.robot.pose
        self.estimated.append(estimate.position)

    def count_command(self, twist: Twist) -> None:
        """Count a command."""
        self.ticks += 1
        moves = twist.v != 0.0 or twist.u != 0.0
        self.turning += not moves and twist.w != 0.0
        self.standing += not moves and twist.w == 0.0

    def add_wait(self, reason: str, span: float, pose: Optional[Pose]) -> None:
        """Add a waiting time; '' if the robot did not wait."""
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

    def count_trouble(self, why: str) -> None:
        """Count a tick with a problem of the data, '' if there is none."""
        if why:
            self.troubles.add(why)

    def add_counts(self, navigator: Navigator) -> None:
        """Add the counts of a finished navigator."""
        self.placed += navigator.queue.placed
        self.lidar = str(navigator.dialects)
        self.dropped.update(navigator.queue.dropped)
        waiting = self.scans - self.placed - sum(self.dropped.values())
        if waiting > 0:
            self.dropped['waiting for odometry when the goal or the recording ended'] += waiting
