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

"""
Replay without a goal: place every scan, decide nothing.

Without a goal no outcome can end the replay, whatever the robot of the recording does. Scans and
odometry are processed as in the navigator.
"""

from __future__ import annotations

from typing import Callable

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.types import Scan, TickInput
from bug_nav.recording.recorded import Recording
from bug_nav.recording.replay import Replay
from bug_nav.recording.replay_summary import ReplaySummary
from bug_nav.recording.trajectory import Sources


class Mapping(Replay):
    """Feeds a recording to a navigator without a goal; `run` returns the summary."""

    def __init__(self, recording: Recording, sources: Sources, make: Callable[[], Navigator],
                 watch: Callable[[Scan, Pose], None]):
        """``watch`` gets each placed scan and its estimated pose."""
        super().__init__(recording, sources, (0.0, 0.0), make)
        self.summary = ReplaySummary()
        self._watch = watch

    def _begin(self, at: float) -> Navigator:
        navigator = super()._begin(at)
        navigator.robot.perception.observers.append(self._watch)
        return navigator

    def _check(self, blind: float) -> None:
        """Do nothing: without a contour to follow, the blind zone does not matter."""

    def _advance(self, until: float) -> None:
        """Process the messages until a time; there are no ticks between messages."""
        navigator, pose = self._navigator, self._pose
        if navigator is None or pose is None:
            return
        navigator.process_only(TickInput(until, pose.position, steady=until))
        self.summary.add_position(pose, navigator)
        self.summary.skews.append(navigator.queue.skew)
        self.summary.count_trouble(navigator.queue.problem)
