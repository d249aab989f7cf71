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

"""Data received from a running robot or read from a recording, as arrays."""

from __future__ import annotations

from array import array
import dataclasses
import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from bug_nav.messages.frame_tree import FrameGap, FrameTree
from bug_nav.messages.sensor_messages import (
    beam_interval,
    frame_name,
    Mount,
    raw_ranges,
    seconds,
)
from bug_nav.navigation.perception.classification import repeated_range
from bug_nav.recording.checks.node_view import NodeView
from bug_nav.recording.checks.samples import Samples
import numpy as np

MAX_MESSAGES = 2_000_000
"""Maximum number of messages of a topic: more than five hours of odometry at 100 Hz."""
MAX_NAMES = 8
"""Maximum number of different frames, or sizes of scans, that are recorded."""
READINGS = ('range', 'inf', 'repeated maximum', '0.0', 'NaN', 'above range_max', '-inf',
            'below range_min')
"""Kinds of readings of a beam; all but the first and the last two mean no return."""
End = Tuple[str, str]


class TopicTimes:
    """Times of arrival and stamps of the messages of a topic [s]."""

    def __init__(self, topic: str):
        """Start without messages."""
        self.topic = topic
        self.frames: List[str] = []
        """Frames of the messages, in order of arrival, without the leading slash of ROS 1."""
        self._arrivals, self._stamps, self._of = array('d'), array('d'), array('b')

    def add(self, message: Any, at: float, frame: Optional[str] = None) -> bool:
        """Add a message that arrived ``at`` a time [s]; return whether there was room for it."""
        if len(self) >= MAX_MESSAGES:
            return False
        self._arrivals.append(at)
        self._stamps.append(seconds(message.header.stamp))
        name = frame_name(message.header.frame_id if frame is None else frame)
        if name not in self.frames and len(self.frames) < MAX_NAMES:
            self.frames.append(name)
        self._of.append(self.frames.index(name) if name in self.frames else MAX_NAMES)
        return True

    def __len__(self) -> int:
        """Return the number of messages."""
        return len(self._arrivals)

    @property
    def arrivals(self) -> np.ndarray:
        """Return the times of arrival [s]."""
        return np.array(self._arrivals)

    @property
    def stamps(self) -> np.ndarray:
        """Return the stamps [s]."""
        return np.array(self._stamps)

    @property
    def stamps_by_frame(self) -> List[np.ndarray]:
        """Return the stamps of each of the frames [s]."""
        return [self.stamps[np.array(self._of) == k] for k in range(len(self.frames))]


class Beams:
    """Counts of the readings of all scans."""

    def __init__(self) -> None:
        """Start without scans."""
        self.counts = dict.fromkeys(READINGS, 0)
        self.sizes: Dict[int, int] = {}
        """Number of scans by number of beams."""
        self.covered = 0
        """Number of scans in which every beam reads range_min."""
        self.range_min = self.range_max = math.nan
        self.fan = math.nan
        """Field of view [rad]."""
        self.sector = 0.0, 0.0
        """Directions of the first and the last beam in the message [rad]."""
        self.typical = math.nan
        """Median of the finite readings of the newest scan [m]."""
        self.impossible_sweep = 0.0
        """The newest sweep time that the node ignores, 0 if there is none [s]."""
        self._sweeps = array('d')

    def add(self, message: Any) -> None:
        """Count the readings of a scan."""
        ranges = raw_ranges(message)
        finite = ranges[np.isfinite(ranges) & (ranges > 0.0)]
        self.typical = float(np.median(finite)) if finite.size else math.nan
        near, far = float(message.range_min), float(message.range_max)
        is_free = (ranges == repeated_range(ranges, far)[0]) & (ranges <= far)
        sees = np.isfinite(ranges) & (ranges != 0.0) & ~is_free
        found = (sees & (ranges >= near) & (ranges <= far), ranges == math.inf, is_free,
                 ranges == 0.0, np.isnan(ranges), sees & (ranges > far), ranges == -math.inf,
                 sees & (ranges < near))
        for word, those in zip(READINGS, found):
            self.counts[word] += int(np.count_nonzero(those))
        if ranges.size in self.sizes or len(self.sizes) < MAX_NAMES:
            self.sizes[ranges.size] = self.sizes.get(ranges.size, 0) + 1
        self.covered += bool(ranges.size and np.all(np.abs(ranges - near) < 1e-3))
        self.range_min, self.range_max = near, far
        first = float(message.angle_min)
        self.sector = first, first + float(message.angle_increment) * (ranges.size - 1)
        self.fan = abs(float(message.angle_increment)) * ranges.size
        self._sweeps.append(beam_interval(message) * max(ranges.size - 1, 0))
        if message.time_increment and not beam_interval(message):
            self.impossible_sweep = float(message.time_increment) * (ranges.size - 1)

    @property
    def has_limits(self) -> bool:
        """Return whether the minimum and maximum range are numbers; the node rejects others."""
        return math.isfinite(self.range_min) and math.isfinite(self.range_max)

    @property
    def sweeps(self) -> np.ndarray:
        """Return the sweep time of each scan, from its time_increment as the node reads it [s]."""
        return np.array(self._sweeps)

    @property
    def share(self) -> Dict[str, float]:
        """Return the share of each kind of reading."""
        total = max(sum(self.counts.values()), 1)
        return {word: count / total for word, count in self.counts.items()}


@dataclasses.dataclass
class Graph:
    """Connections of a running robot; an end is a node and a message type."""

    listeners: Tuple[End, ...] = ()
    """Subscribers of cmd_vel."""
    drivers: Tuple[End, ...] = ()
    """Publishers of cmd_vel."""
    mismatches: Dict[str, str] = dataclasses.field(default_factory=dict)
    """Reasons why messages cannot be received (incompatible QoS), by topic."""
    others: Tuple[Tuple[str, End], ...] = ()
    """Subscribers of velocity commands on other topics, each with its topic."""


class NavigatorStatus(NamedTuple):
    """Diagnostics of a running navigator."""

    state: str
    trouble: str
    """Its problem, '' if there is none."""
    is_error: bool


@dataclasses.dataclass
class Evidence:
    """All received data."""

    scan: TopicTimes
    odom: TopicTimes
    cmd_vel: str
    """Command topic."""
    namespace: str = ''
    """Namespace of the robot, without slashes at its ends."""
    base_frame: str = ''
    """Frame of the robot that was asked for, '' if none."""
    transforms: Tuple[str, ...] = ('/tf', '/tf_static')
    """Topics of transforms."""
    navigator: Optional[NavigatorStatus] = None
    """Diagnostics of the running navigator, None if there are none."""
    odom_frame: str = ''
    """Parent frame of odometry; `odom.frames` are its child frames."""
    beams: Beams = dataclasses.field(default_factory=Beams)
    tree: FrameTree = dataclasses.field(default_factory=FrameTree)
    node: NodeView = dataclasses.field(default_factory=NodeView)
    mount: Optional[Mount] = None
    """Mount of the lidar if it is not that of the transforms."""
    _mounts: Dict[str, Mount] = dataclasses.field(default_factory=dict)
    samples: Samples = dataclasses.field(default_factory=Samples)
    commands: Dict[str, int] = dataclasses.field(default_factory=dict)
    """Number of commands by message type."""
    topics: Dict[str, str] = dataclasses.field(default_factory=dict)
    """Message types of all topics."""
    began: float = math.nan
    ended: float = math.nan
    graph: Optional[Graph] = None
    """None for a recording."""

    @property
    def duration(self) -> float:
        """Return the duration of the observation [s]."""
        return max(self.ended - self.began, 0.0)

    def add_scan(self, message: Any, at: float) -> None:
        """Add a `sensor_msgs/LaserScan`."""
        if self.scan.add(message, at):
            self.beams.add(message)
            self.node.add_scan(message, self._mount(frame_name(message.header.frame_id)), at)
            self.samples.add_scan(message)

    def _mount(self, frame: str) -> Mount:
        """Return the mount of a lidar, looked up once, as by the node."""
        if self.mount is not None:
            return self.mount
        try:
            if frame not in self._mounts:
                self._mounts[frame] = self.tree.mount(self.base(self.base_frame), frame)
        except (FrameGap, ValueError):
            return Mount()  # a finding of its own
        return self._mounts[frame]

    def base(self, wanted: str) -> str:
        """Return the wanted frame of the robot; if it does not exist, that of odometry."""
        names = [name for name in self.odom.frames if name]
        known = {*self.tree.frames, *names}
        if wanted in known or not known:
            return wanted
        return names[0] if names else 'base_link' if 'base_link' in known else wanted

    def add_odometry(self, message: Any, at: float) -> None:
        """Add a `nav_msgs/Odometry`."""
        self.odom_frame = frame_name(message.header.frame_id)
        if self.odom.add(message, at, message.child_frame_id):
            self.node.add_odometry(message, at)
            self.samples.add_odometry(message)

    def add_command(self, kind: str, message: Any, at: float) -> None:
        """Add a velocity command of a message type that arrived ``at`` a time [s]."""
        self.commands[kind] = self.commands.get(kind, 0) + 1
        self.samples.add_command(message, at)
