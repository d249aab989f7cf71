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
What a robot knows of the obstacles: those of the goal so far, and those that the newest scan sees.

The points of a scan are placed into the odometry's frame with the pose *at the scan's stamp*, for
a scan is up to 0.2 s old when it is used: 4 cm of travel, and in a turn a quarter of a radian.
Each is measured anew by every scan that sees it, and stays (`bug_nav.sense.memory`).
"""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Tuple

from bug_nav.core.geometry import Point, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.memory import ObstacleMemory
from bug_nav.sense.motion import Motion, Passing, seen_through
from bug_nav.sense.newest_scan import NewestScan, NOTHING_SEEN
from bug_nav.sense.observed import ObservedArea
from bug_nav.sense.standing import may_go
from bug_nav.sense.touch import felt
import numpy as np

WITHIN = 0.9
"""A point nearer to the robot's centre than this is of the robot itself [body radii]."""
SEEN = 0.1
"""Something is seen where a scan has a point no farther away than this [m]."""
GONE, FAR_GONE = 12, 6
"""Where one scan sees through so many points, something is gone: near by, and farther away."""


class Perception:
    """The obstacle points (odometry's frame, which is continuous)."""

    def __init__(self, doubt: float = 1.0, reach: float = math.inf, share: float = 1.0,
                 felt: float = math.inf, body: float = 0.0, waited: float = 0.0,
                 learns: bool = True):
        """
        Measure points up to ``reach`` [m] away; the rest is as for `ObstacleMemory`.

        ``felt`` [m]: the robot has a sense of touch, and knows of nothing farther away than this.
        ``body`` [m]: the robot's radius.
        ``waited`` [s]: what stands for so long where it was free is an obstacle; with 0, all is.
        """
        self.reach = reach
        self._felt, self._body = felt, body
        self._memory = ObstacleMemory(doubt, reach, share, WITHIN * body, learns)
        self._motion = Motion(waited) if waited > 0.0 else None
        self.points = np.empty((0, 2))
        """The points near the robot (n, 2) [m]."""
        self._real = self.points
        self.gone: Tuple[float, np.ndarray] = -math.inf, np.empty((0, 2))
        """When something was seen to be gone last [s], and the points of it (n, 2) [m]."""
        self._fence = np.empty((0, 2))
        self._position: Point = (0.0, 0.0)
        self.newest: Optional[Tuple[Scan, Pose]] = None
        """The newest scan, without what passes, and the pose that it was taken at."""
        self.watchers: List[Callable[[Scan, Pose], None]] = []
        """Each is called with every scan and the pose that it is believed to be taken at."""
        self._seen = NOTHING_SEEN
        self.sight = math.inf
        """How far from the robot nothing can be overlooked [m]."""
        self.cone = 0.0
        """The field of view of single rangers, the widest one [rad]; 0 for a lidar."""
        self.observed: Optional[ObservedArea] = None
        """Where single rangers have found the area around the robot free; None for a lidar."""

    def without_passing(self, scan: Scan, pose: Pose) -> Scan:
        """Return a scan, taken at ``pose`` or near it, in which what passes is unknown (NaN)."""
        if self._motion is None or len(scan.ranges) == 1:
            return scan
        return self._motion.without(scan, pose, self._memory.noise)

    def lasting(self, scan: Scan) -> Scan:
        """Return the same without what may be people, where something has moved."""
        return scan if self._motion is None else self._motion.lasting(scan)

    def add(self, scan: Scan, pose: Pose) -> None:
        """Add a scan of what does not pass, that was taken at ``pose``."""
        for watch in self.watchers:
            watch(scan, pose)
        if len(scan.ranges) > 1:  # of single rangers, each sees its own part
            self.sight = scan.range_max - math.hypot(scan.mount.x, scan.mount.y)
        elif scan.angle_increment:
            self.cone = max(self.cone, abs(scan.angle_increment))
            if self.observed is None:
                self.observed = ObservedArea(self._body)
            self.observed.add(scan, pose)
        if self._felt < math.inf:
            scan = felt(scan, self._felt)
        self.newest = scan, pose
        self._position = pose.position
        motion = self._motion
        if motion is not None and len(scan.ranges) > 1:
            self._forget(GONE, True)
        self._real = self._memory.measure(scan, pose)
        if motion is not None and motion.has_moved and len(scan.ranges) > 1:
            self._real = self._memory.forget_blind(
                scan, pose, lambda place: motion.came(place) > -math.inf)
        self._join()

    def _join(self) -> None:
        """Put together what is real and what of the fence is within reach."""
        self.points = self._real
        if not len(self._fence):
            return
        dx, dy = (self._fence - self._position).T
        fence = self._fence[dx * dx + dy * dy < self.reach ** 2]
        self.points = np.concatenate((self._real, fence))

    def set_fence(self, points: np.ndarray) -> None:
        """Make virtual obstacle points, (n, 2) [m], in the place of those before."""
        self._fence = points
        self._join()

    @property
    def seen(self) -> NewestScan:
        """Return what the sensor sees now, as far as it reaches; made when it is asked for."""
        if self.newest is not None and self.newest[0] is not self._seen.scan:
            self._seen = NewestScan(*self.newest)
        return self._seen

    @property
    def passing(self) -> List[Passing]:
        """Return what moves, or stands where it was free a moment ago."""
        return self._motion.passing if self._motion is not None else []

    def is_beside_somebody(self, within: float) -> bool:
        """Tell whether something has come to stand nearer to the robot than this [m]."""
        if self._motion is None or not self._motion.has_moved:
            return False
        away = np.hypot(*(self._real - self._position).T)
        return bool(self._motion.have_come(self._real[away < within]).any())

    @property
    def has_changed(self) -> bool:
        """Tell whether something has come or gone since the robot first saw it."""
        return self.gone[0] > -math.inf or (
            self._motion is not None and self._motion.has_moved)

    def may_go(self, places: List[Point], needed: float, now: float) -> List[Point]:
        """
        Return those of obstacle points that may go yet, see `bug_nav.sense.standing`.

        Not what was there for as long as ``needed`` [s]; in a world in which nothing has ever
        moved it is there until ``now`` [s], though it is not seen.
        """
        memory, motion = self._memory, self._motion
        came = motion.came if motion is not None else lambda place: -math.inf
        seen = memory.measured_last
        return may_go(places, memory.points, memory.known_since,
                      seen if self.has_changed else np.full(len(seen), now), came, needed,
                      self._position)

    def look_again(self) -> None:
        """Look at what is far away, and not measured: whether it is seen, or seen through."""
        if self._motion is not None and self.newest is not None:
            self._forget(FAR_GONE, False)
            self._memory.confirm(self.seen.points, self.newest[0].stamp)

    def _forget(self, least: int, near: bool) -> None:
        assert self.newest is not None  # whoever asks has looked
        scan, pose = self.newest
        gone = self._memory.forget(
            lambda points: seen_through(points, scan, pose, self._memory.noise), least, near)
        if len(gone):
            self.gone = scan.stamp, gone

    def sees(self, place: Point) -> bool:
        """Tell whether the newest scan has measured something at a place, or near it."""
        return self.newest is not None and bool(len(self.seen.points)) and float(np.hypot(
            *(self.seen.points - place).T).min()) < SEEN

    @property
    def remembered(self) -> np.ndarray:
        """Return all obstacle points of this goal, near and far, (n, 2) [m]."""
        # In one piece, as the kernels have all their points: each other layout is compiled anew.
        return np.ascontiguousarray(self._memory.points)

    def changes(self) -> Tuple[np.ndarray, np.ndarray]:
        """Return which of `remembered` may have changed, see `ObstacleMemory.changes`."""
        return self._memory.changes()

    def remember(self, points: np.ndarray) -> None:
        """Remember points (n, 2) [m] that are far away, for something rests on them."""
        self._memory.add(points)
