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

"""Replay of a recording through the navigator, at the recorded times of arrival."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional

from bug_nav.messages.frame_tree import FrameGap, FrameTree
from bug_nav.messages.sensor_messages import Mount, odometry_pose, scan_from_message, seconds
from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.sensor_queue import EndStampDetector
from bug_nav.navigation.settings import check_blind_zone
from bug_nav.navigation.types import Outcome, TickInput
from bug_nav.recording.evidence_reader import ODOM, SCAN, transforms_of
from bug_nav.recording.recorded import Recording
from bug_nav.recording.replay_summary import End, ReplaySummary
from bug_nav.recording.trajectory import Sources

PERIOD = 0.05
"""Control period of the node [s]."""
FINAL_OUTCOMES = (Outcome.REACHED, Outcome.REACHED_UNCERTAIN, Outcome.UNREACHABLE,
                  Outcome.LOOP_DETECTED)
"""Outcomes that end the replay."""
MAX_ENDS = 20
"""Maximum number of other outcomes before the replay ends."""
SKEW_INTERVAL = 20
"""Interval between samples of the clock skew [ticks]."""
WAITING_STATES = ('waiting_', 'clocks_')
"""Prefixes of states in which the robot waits for data."""


class Replay:
    """One replay; `run` returns the summary."""

    def __init__(self, bag: Recording, sources: Sources, goal: Point,
                 make: Callable[[], Navigator]):
        """``make`` returns a new navigator, at the start and after each outcome."""
        self._bag, self._sources, self._goal, self._make = bag, sources, goal, make
        self._tree: FrameTree = transforms_of(bag, sources.transforms)
        self._mounts: Dict[str, Mount] = {}
        self.assumed: List[str] = []
        """Assumptions that replace information missing in the recording."""
        self._navigator: Optional[Navigator] = None
        self._pose: Optional[Pose] = None
        self._next = math.nan
        self._base = sources.base_frame
        self._offset: Optional[Pose] = None
        self._end_stamps = EndStampDetector()
        self._over = False
        self.summary = ReplaySummary(goal)

    def run(self, watch: Callable[[float], None]) -> ReplaySummary:
        """Replay the recording; ``watch`` gets the progress (0 to 1)."""
        bag, summary = self._bag, self.summary
        summary.duration = bag.ended - bag.began
        for each in bag.messages((self._sources.scan, self._sources.odom)):
            self._advance(each.at)
            if self._over:
                break
            if each.kind == SCAN and each.topic == self._sources.scan:
                self._on_scan(each.message, each.at)
            elif each.kind == ODOM and each.topic == self._sources.odom:
                self._on_odometry(each.message, each.at)
            watch((each.at - bag.began) / max(summary.duration, 1e-9))
        if not self._over:
            self._advance(bag.ended + PERIOD)  # one more tick for the last messages
        if self._navigator is not None:
            self._end(self._navigator)
        return summary

    # ---- messages -----------------------------------------------------------------------------

    def _on_scan(self, message: Any, at: float) -> None:
        self.summary.scans += 1
        if self._navigator is None:
            return self.summary.dropped.add(
                'before the first odometry, or after the goal had ended')
        try:
            scan = scan_from_message(message, self._mount(message.header.frame_id),
                                     seconds(message.header.stamp) or at)
        except ValueError as error:
            return self.summary.dropped.add(str(error))
        if not self.summary.refusal:
            self._check(scan.range_min + math.hypot(scan.mount.x, scan.mount.y))
        self._navigator.queue.add_scan(self._end_stamps.corrected(scan, at), at)

    def _check(self, blind: float) -> None:
        assert self._navigator is not None
        robot = self._navigator.robot
        try:
            check_blind_zone(robot.model, robot.settings, blind)
        except ValueError as error:
            self.summary.refusal = str(error)

    def _on_odometry(self, message: Any, at: float) -> None:
        try:
            pose = odometry_pose(message)
        except ValueError:
            return
        if self._offset is None:
            self._offset = self._find_offset(message.child_frame_id.lstrip('/'))
        self._pose = pose.compose(self._offset)
        if self._navigator is None:
            self._navigator = self._begin(at)
        self._navigator.queue.add_pose(seconds(message.header.stamp) or at, self._pose, at)

    def _begin(self, at: float) -> Navigator:
        """Return a new navigator; the scan timeout counts from now."""
        navigator = self._make()
        navigator.robot.perception.observers.append(self.summary.add_scan)
        self._next = at
        return navigator

    def _find_offset(self, child: str) -> Pose:
        """Return the pose of the robot frame in the child frame of odometry."""
        if child in ('', self._base):
            return IDENTITY
        try:
            return self._tree.pose(child, self._base)
        except (FrameGap, ValueError) as why:
            self.assumed.append(f'the robot frame is {child} ({why})')
            self._base = child
            return IDENTITY

    def _mount(self, frame: str) -> Mount:
        if not self._sources.use_tf:
            return self._sources.mount
        if frame not in self._mounts:
            try:
                self._mounts[frame] = self._tree.mount(self._base, frame.lstrip('/'))
            except FrameGap as gap:
                self.assumed.append(f'the mount of the lidar is that of the preset ({gap})')
                self._mounts[frame] = self._sources.mount
        return self._mounts[frame]

    # ---- ticks --------------------------------------------------------------------------------

    def _advance(self, until: float) -> None:
        """Tick up to a time, if there is a navigator."""
        while self._navigator is not None and self._next < until:
            self._tick(self._navigator, self._next)
            self._next += PERIOD

    def _tick(self, navigator: Navigator, now: float) -> None:
        summary, pose = self.summary, self._pose
        assert pose is not None  # there is a navigator
        decision = navigator.tick(TickInput(now, self._goal, steady=now))
        summary.count_command(decision.twist)
        summary.events.extend(decision.events)
        summary.add_position(pose, navigator)
        reason = decision.state[-1] if decision.state else ''
        summary.add_wait(reason if reason.startswith(WAITING_STATES) else '', PERIOD, pose)
        if summary.ticks % SKEW_INTERVAL == 0:
            summary.skews.append(navigator.queue.skew)
        summary.count_trouble(navigator.queue.problem)
        if decision.result is not None:
            summary.ends.append(End(now - self._bag.began, decision.result))
            self._end(navigator)
            self._over = decision.result.outcome in FINAL_OUTCOMES or len(summary.ends) >= MAX_ENDS

    def _end(self, navigator: Navigator) -> None:
        navigator.close()
        self.summary.add_counts(navigator)
        self._navigator = None
