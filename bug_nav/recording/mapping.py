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
A recording that is only listened to: every scan finds its place, and nothing is decided.

Who makes a map has no goal, so no goal can end, and the robot of the recording may stand, wait or
go round as it likes. What is believed of scans and odometry is what the navigator believes.
"""

from __future__ import annotations

from typing import Callable

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Observation, Scan
from bug_nav.navigator import Navigator
from bug_nav.recording.course import Sources
from bug_nav.recording.recorded import Recording
from bug_nav.recording.replay import Replay
from bug_nav.recording.story import Story


class Mapping(Replay):
    """Feeds a recording to a navigator that has no goal; `run` makes the story."""

    def __init__(self, recording: Recording, sources: Sources, make: Callable[[], Navigator],
                 watch: Callable[[Scan, Pose], None]):
        """``watch`` gets each scan that is placed, and where it is believed to be taken."""
        super().__init__(recording, sources, (0.0, 0.0), make)
        self.story = Story()
        self._watch = watch

    def _begin(self, at: float) -> Navigator:
        navigator = super()._begin(at)
        navigator.robot.perception.watchers.append(self._watch)
        return navigator

    def _check(self, blind: float) -> None:
        """Refuse nothing: there is no contour to be driven along."""

    def _advance(self, until: float) -> None:
        """Take in what has come by a moment; between two messages there is nothing to do."""
        navigator, pose = self._navigator, self._pose
        if navigator is None or pose is None:
            return
        navigator.listen(Observation(until, pose.position, steady=until))
        self.story.go(pose, navigator)
        self.story.skews.append(navigator.queue.skew)
        self.story.trouble(navigator.queue.trouble)
