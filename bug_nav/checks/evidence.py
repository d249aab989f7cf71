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

"""What has been heard of a robot, as arrays: of a running one as of a recording."""

from __future__ import annotations

from array import array
import dataclasses
import math
from typing import Any, Dict, List, Optional, Tuple

from bug_nav.checks.tree import FrameTree
from bug_nav.sense.messages import ranges_of, seconds
import numpy as np

MOST = 2_000_000
"""Messages of one topic that are kept: five hours of odometry at 100 Hz."""
MOST_NAMES = 8
"""Frames that the messages of one topic are counted by."""
WORDS = ('range', 'inf', '0.0', 'NaN', 'above range_max', '-inf', 'below range_min')
"""What a beam may say; all but the first and the last two are words for 'nothing seen'."""
End = Tuple[str, str]


class Track:
    """When the messages of a topic arrived, and which time they are stamped with [s]."""

    def __init__(self, topic: str):
        """Begin with none."""
        self.topic = topic
        self.frames: List[str] = []
        """The frames that they name, in the order in which they came."""
        self._arrivals, self._stamps = array('d'), array('d')

    def add(self, message: Any, at: float, frame: Optional[str] = None) -> bool:
        """Note a message that arrived ``at`` a time; tell whether there was room for it."""
        if len(self) >= MOST:
            return False
        self._arrivals.append(at)
        self._stamps.append(seconds(message.header.stamp))
        name = message.header.frame_id if frame is None else frame
        if name not in self.frames and len(self.frames) < MOST_NAMES:
            self.frames.append(name)
        return True

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._arrivals)

    @property
    def arrivals(self) -> np.ndarray:
        """Return the times of arrival."""
        return np.array(self._arrivals)

    @property
    def stamps(self) -> np.ndarray:
        """Return the stamps."""
        return np.array(self._stamps)


class Beams:
    """What the beams of all scans say, in numbers."""

    def __init__(self) -> None:
        """Begin with no scan."""
        self.counts = dict.fromkeys(WORDS, 0)
        self.sizes: Dict[int, int] = {}
        """How many scans have so many beams."""
        self.covered = 0
        """Scans in which every beam reads range_min."""
        self.range_min = self.range_max = math.nan
        self.fan = math.nan
        """How far it looks around [rad]."""
        self._sweeps = array('d')

    def add(self, message: Any) -> None:
        """Count the beams of a scan."""
        ranges = ranges_of(message)
        near, far = float(message.range_min), float(message.range_max)
        sees = np.isfinite(ranges) & (ranges != 0.0)
        found = (sees & (ranges >= near) & (ranges <= far), ranges == math.inf, ranges == 0.0,
                 np.isnan(ranges), sees & (ranges > far), ranges == -math.inf,
                 sees & (ranges < near))
        for word, those in zip(WORDS, found):
            self.counts[word] += int(np.count_nonzero(those))
        if ranges.size in self.sizes or len(self.sizes) < MOST_NAMES:
            self.sizes[ranges.size] = self.sizes.get(ranges.size, 0) + 1
        self.covered += bool(ranges.size and np.all(np.abs(ranges - near) < 1e-3))
        self.range_min, self.range_max = near, far
        self.fan = abs(float(message.angle_increment)) * ranges.size
        self._sweeps.append(float(message.time_increment) * max(ranges.size - 1, 0))

    @property
    def sweeps(self) -> np.ndarray:
        """Return how long each scan took by its own account [s]."""
        return np.array(self._sweeps)

    @property
    def share(self) -> Dict[str, float]:
        """Return the share of the beams that say each of `WORDS`."""
        total = max(sum(self.counts.values()), 1)
        return {word: count / total for word, count in self.counts.items()}


@dataclasses.dataclass
class Graph:
    """Who is connected to whom, which only a running robot can tell; an end: node, type."""

    listeners: Tuple[End, ...] = ()
    """Who listens on cmd_vel."""
    drivers: Tuple[End, ...] = ()
    """Who publishes cmd_vel."""
    mismatches: Dict[str, str] = dataclasses.field(default_factory=dict)
    """By topic, why what is published there cannot be heard."""
    hears_transforms: bool = True
    """Whether the type of their messages is installed."""
    others: Tuple[Tuple[str, End], ...] = ()
    """The listeners of velocity commands on other topics, each with its topic."""


@dataclasses.dataclass
class Evidence:
    """All that has been heard."""

    scan: Track
    odom: Track
    cmd_vel: str
    """The topic of the commands."""
    odom_frame: str = ''
    """The frame that odometry is in; `odom.frames` are those that it is the pose of."""
    beams: Beams = dataclasses.field(default_factory=Beams)
    tree: FrameTree = dataclasses.field(default_factory=FrameTree)
    commands: Dict[str, int] = dataclasses.field(default_factory=dict)
    """How many commands there were of each type."""
    topics: Dict[str, str] = dataclasses.field(default_factory=dict)
    """The types of all topics that there are."""
    began: float = math.nan
    ended: float = math.nan
    graph: Optional[Graph] = None
    """None for a recording."""

    @property
    def duration(self) -> float:
        """Return for how long was listened [s]."""
        return max(self.ended - self.began, 0.0)

    def hear_scan(self, message: Any, at: float) -> None:
        """Take a `sensor_msgs/LaserScan`."""
        if self.scan.add(message, at):
            self.beams.add(message)

    def hear_odometry(self, message: Any, at: float) -> None:
        """Take a `nav_msgs/Odometry`."""
        self.odom_frame = message.header.frame_id
        self.odom.add(message, at, message.child_frame_id)

    def hear_command(self, kind: str) -> None:
        """Take a velocity command of a type."""
        self.commands[kind] = self.commands.get(kind, 0) + 1
