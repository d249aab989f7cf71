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

`Perception.take` is the one way in for a scan. The points of a scan are placed into the odometry's
frame with the pose *at the scan's stamp*, because a scan is up to 0.2 s old when it is used: 4 cm
of travel, and in a turn a quarter of a radian. Each is measured anew by every scan that sees it,
and stays (`bug_nav.navigation.perception.memory`).
"""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.perception.lidar_sweep import LidarSweep
from bug_nav.navigation.perception.localisation import Localisation
from bug_nav.navigation.perception.measuring import seen_through
from bug_nav.navigation.perception.memory import ObstacleMemory
from bug_nav.navigation.perception.observed import ObservedArea
from bug_nav.navigation.perception.points import NewestScan, NOTHING_SEEN
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.tracker import DynamicObstacle, DynamicObstacleTracker, may_go
from bug_nav.navigation.types import Scan
import numpy as np

WITHIN = 0.9
"""A point nearer to the robot's centre than this is of the robot itself [body radii]."""
SEEN = 0.1
"""Something is seen where a scan has a point no farther away than this [m]."""
FAR_GONE = 6
"""Least number of points far away that one scan sees through where something is gone."""
SECTORS = 10
"""Number of sectors of the sense of touch; one of them points straight ahead."""
NEIGHBOURS = 5
"""Number of neighbouring beams whose median is the range of a felt point."""
View = Tuple[np.ndarray, np.ndarray]
"""Ranges (m,) [m], and the sensor's x, y [m], direction of beam 0 and step [rad] (4,)."""
UNSEEN: View = np.empty(0), np.array((0.0, 0.0, 0.0, 1.0))
"""The view of a robot that cannot tell what is in sight."""


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
        self._felt, self._body, self._waited = felt, body, waited
        self._memory = ObstacleMemory(doubt, reach, share, WITHIN * body, learns)
        self._tracker = DynamicObstacleTracker(waited) if waited > 0.0 else None
        self._lidar = LidarSweep(waited)
        self.points = np.empty((0, 2))
        """The points near the robot (n, 2) [m]."""
        self._real = self.points
        self.gone: Tuple[float, np.ndarray] = -math.inf, np.empty((0, 2))
        """When something was seen to be gone last [s], and the points of it (n, 2) [m]."""
        self._fence = np.empty((0, 2))
        self._position: Point = (0.0, 0.0)
        self.newest: Optional[Tuple[Scan, Pose]] = None
        """The newest scan, without what passes, and the pose that it was taken at."""
        self.passing: List[DynamicObstacle] = []
        """What moves, or stands where it was free a moment ago."""
        self.view: View = UNSEEN
        """What the newest scan sees, with what passes."""
        self.watchers: List[Callable[[Scan, Pose], None]] = []
        """Each is called with every scan and the pose that it is believed to be taken at."""
        self._seen = NOTHING_SEEN
        self.sight = math.inf
        """How far from the robot nothing can be overlooked [m]."""
        self.cone = 0.0
        """The field of view of single rangers, the widest one [rad]; 0 for a lidar."""
        self.observed: Optional[ObservedArea] = None
        """Where single rangers have found the area around the robot free; None for a lidar."""

    def take(self, placed: Placed, localisation: Localisation) -> str:
        """Take in a scan that was placed; return why it is unusable, '' where it is used."""
        scan, odometry = placed.scan, placed.pose
        if len(scan.ranges) == 1:  # of a single ranger
            self.add(scan, localisation.place(scan, odometry))
            return ''
        roughly = localisation.drift.compose(odometry)
        read, trouble = self._lidar.read(placed, roughly, self._memory.noise)
        if trouble:
            return trouble
        still = lasting = read
        if self._tracker is not None:
            places, apart = self._lidar.seen
            still = self._tracker.without(read, places, apart,
                                          roughly.apply(scan.mount[:2]))
            self.passing = self._tracker.passing
            # What moves, or did so, tells nothing of where the robot is.
            lasting = self._tracker.lasting(still) if self._tracker.has_moved else still
        pose = localisation.place(lasting, odometry)
        self.add(still, pose)
        x, y, theta = self._memory.sensor
        self.view = read.ranges, np.array((x, y, theta + scan.angle_min, scan.angle_increment))
        return ''

    def add(self, scan: Scan, pose: Pose) -> None:
        """Add a scan of what does not pass, that was taken at ``pose``."""
        for watch in self.watchers:
            watch(scan, pose)
        is_lidar = len(scan.ranges) > 1
        if is_lidar:  # of single rangers, each sees its own part
            self.sight = scan.range_max - math.hypot(scan.mount.x, scan.mount.y)
        elif scan.angle_increment:
            self.cone = max(self.cone, abs(scan.angle_increment))
            if self.observed is None:
                self.observed = ObservedArea(self._body)
            self.observed.add(scan, pose)
        if self._felt < math.inf:
            scan = felt(scan, self._felt)
        self.newest = scan, pose
        self._position = pose[:2]
        tracker = self._tracker if is_lidar else None
        self._real, gone = self._memory.measure(scan, pose, tracker is not None)
        if len(gone):
            self.gone = scan.stamp, gone
        if tracker is not None and tracker.has_moved:
            self._real = self._memory.forget_blind(
                scan, pose, lambda place: tracker.came(place) > -math.inf)
        self.set_fence(self._fence)

    def set_fence(self, points: np.ndarray) -> None:
        """Make virtual obstacle points, (n, 2) [m], in the place of those before."""
        self._fence, self.points = points, self._real
        if len(points):  # those of them that are within reach
            dx, dy = (points - self._position).T
            within = points[dx * dx + dy * dy < self.reach ** 2]
            self.points = np.concatenate((self._real, within))

    @property
    def seen(self) -> NewestScan:
        """Return what the sensor sees now, as far as it reaches; made when it is asked for."""
        if self.newest is not None and self.newest[0] is not self._seen.scan:
            self._seen = NewestScan(*self.newest, self._memory.sensor)
        return self._seen

    def is_beside_somebody(self, within: float) -> bool:
        """Tell whether something has come to stand nearer to the robot than this [m]."""
        if self._tracker is None or not self._tracker.has_moved:
            return False
        away = np.hypot(*(self._real - self._position).T)
        return bool(self._tracker.have_come(self._real[away < within]).any())

    @property
    def has_changed(self) -> bool:
        """Tell whether something has come or gone since the robot first saw it."""
        return self.gone[0] > -math.inf or (
            self._tracker is not None and self._tracker.has_moved)

    def may_go(self, places: List[Point], needed: float, now: float) -> List[Point]:
        """
        Return those of obstacle points that may go yet, see `perception.tracker.may_go`.

        Not what was there for as long as ``needed`` [s]; in a world in which nothing has ever
        moved it is there until ``now`` [s], though it is not seen.
        """
        memory, tracker = self._memory, self._tracker
        came = tracker.came if tracker is not None else lambda place: -math.inf
        seen = memory.measured_last
        return may_go(places, memory.points, memory.known_since,
                      seen if self.has_changed else np.full(len(seen), now), came, needed,
                      self._position)

    def look_again(self) -> None:
        """Look at what is far away, and not measured: whether it is seen, or seen through."""
        if self._tracker is None or self.newest is None:
            return
        scan, pose = self.newest
        sensor = pose.compose(scan.mount)
        gone = self._memory.forget(lambda points: seen_through(
            points, scan.ranges, sensor.x, sensor.y,
            sensor.theta + scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max,
            self._memory.noise), FAR_GONE)
        if len(gone):
            self.gone = scan.stamp, gone
        self._memory.confirm(self.seen.points, scan.stamp)

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


# ---- the sense of touch -------------------------------------------------------------------------

def felt(scan: Scan, radius: float) -> Scan:
    """
    Return the scan of what is felt: the nearest point within a radius [m] in each sector.

    As in I. Spektor, A. Zagirov, R. Safin and E. Magid, "Implementation of Bug1 and Bug2 Basic
    Path-Planning Algorithms for a TurtleBot 3 Robot in ROS Noetic" (ICAROB 2024), what is felt
    lies within 1.5 R of the centre of rotation, R the robot's radius, in sectors of 36 degrees
    that do not know of each other. Theirs are the five of the front half. Here they go all around,
    ten of them: a wall that is followed is beside the robot, and behind it at every outer corner.
    In each sector the nearest point is felt and nothing else.

    The other beams of such a sector are unknown (NaN). Sectors without a felt point are free up
    to the radius, which is the range of the scan.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    known = np.where(ranges == -math.inf, scan.range_min, ranges)
    measured = (known > 0.0) & (known <= scan.range_max)
    smooth = _smoothed(np.where(measured, known, math.inf))
    angles = scan.mount.theta + scan.angle_min + scan.angle_increment * np.arange(ranges.size)
    reach = radius + math.hypot(*scan.mount.position)
    ends = np.minimum(smooth, reach)
    x = scan.mount.x + ends * np.cos(angles)
    y = scan.mount.y + ends * np.sin(angles)
    away = np.hypot(x, y)
    sectors = np.round(np.arctan2(y, x) * SECTORS / (2.0 * math.pi)).astype(int) % SECTORS
    ranges = np.where(measured, math.inf, ranges)
    for sector in np.unique(sectors[measured & (smooth < reach) & (away <= radius)]):
        there = np.flatnonzero((sectors == sector) & measured)
        nearest = there[np.argmin(away[there])]
        ranges[there] = math.nan
        ranges[nearest] = smooth[nearest]
    return scan._replace(ranges=ranges, range_max=min(scan.range_max, reach))


def _smoothed(ranges: np.ndarray) -> np.ndarray:
    """Return the median of each range and its neighbours: the least of many is an outlier."""
    half = NEIGHBOURS // 2
    around = np.concatenate((ranges[-half:], ranges, ranges[:half]))
    return np.median([around[i:i + ranges.size] for i in range(NEIGHBOURS)], axis=0)
