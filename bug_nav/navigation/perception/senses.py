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
The obstacle points of a goal and the newest scan.

`Senses.take` is the only entry point for scans. The points of a scan are placed into the odometry
frame with the pose at the *stamp of the scan*, because a scan is up to 0.2 s old when it is used:
4 cm of travel, or a quarter of a radian in a turn. Each new scan updates the points that it
observes (`bug_nav.navigation.perception.memory`).
"""

from __future__ import annotations

import math
from typing import Callable, Dict, List, Optional, Tuple

from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.perception.beams import NewestScan, NOTHING_SEEN
from bug_nav.navigation.perception.dialect import Dialect
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.perception.memory import ObstacleMemory
from bug_nav.navigation.perception.mount_check import MIRRORED
from bug_nav.navigation.perception.observed_area import ObservedArea
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.sensors import Sensor, sensor_of, View
from bug_nav.navigation.perception.tracker import DynamicObstacle, DynamicObstacleTracker
from bug_nav.navigation.types import Scan
import numpy as np

NO_VIEW: View = np.empty(0), np.array((0.0, 0.0, 0.0, 1.0))
"""The view of a robot without a lidar."""


class Senses:
    """Obstacle points in the odometry frame, which is continuous."""

    def __init__(self, clearing_time: float = 1.0, reach: float = math.inf, scale: float = 1.0,
                 contact_range: float = math.inf, body_radius: float = 0.0,
                 passage_timeout: float = 0.0, self_radius: float = 0.0,
                 dialect_of: Callable[[Pose], Dialect] = lambda mount: Dialect()):
        """
        Measure points up to ``reach`` [m]; the other arguments are those of `ObstacleMemory`.

        ``contact_range`` [m]: with contact sensing, nothing beyond it is measured. ``body_radius``
        [m]: the radius of the robot. ``passage_timeout`` [s]: a new object that is stationary for
        this time becomes an obstacle; with 0 every object is an obstacle at once. ``self_radius``
        [m]: readings nearer to the centre are those of the robot itself. ``dialect_of``
        returns what is known of the lidar at a mount.
        """
        self.reach = reach
        self._body_radius = body_radius
        self.memory = ObstacleMemory(clearing_time, reach, scale, self_radius)
        """All obstacle points of this goal, near and far."""
        self._tracker = DynamicObstacleTracker(passage_timeout) if passage_timeout > 0.0 else None
        self._contact_range = contact_range
        self._new_filter = lambda mount: LidarFilter(
            passage_timeout, dialect_of(mount), self_radius)
        self._sensors: Dict[Pose, Sensor] = {}
        """The sensors by their mounts."""
        self._undistorted_drift = IDENTITY
        """The drift correction at the newest scan that is not distorted."""
        self.points = np.empty((0, 2))
        """The points near the robot (n, 2) [m]."""
        self._measured_points = self.points
        self.cleared: Tuple[float, np.ndarray] = -math.inf, np.empty((0, 2))
        """When points were last cleared [s], and these points (n, 2) [m]."""
        self._virtual_points = np.empty((0, 2))
        self.position: Point = (0.0, 0.0)
        """The place of the robot at the newest scan [m]."""
        self.newest_scan = NOTHING_SEEN
        """The newest scan up to its full range, without dynamic obstacles."""
        self.dynamic_obstacles: List[DynamicObstacle] = []
        """Obstacles that move, or that occupy space that was free a moment ago."""
        self.view: View = NO_VIEW
        """The view of the newest scan, with dynamic obstacles and walls at grazing angles."""
        self.observers: List[Callable[[Scan, Pose], None]] = []
        """Callbacks for every scan and its estimated pose."""
        self.sensing_range = math.inf
        """Distance from the robot within which no obstacle is missed [m]."""
        self.cone_angle = 0.0
        """The widest field of view of the single rangers [rad]; 0 for a lidar."""
        self.observed: Optional[ObservedArea] = None
        """
        The area that was observed to be free; None for a lidar that looks all around.
        """

    def _sensor_of(self, scan: Scan) -> Sensor:
        """Return the sensor at the mount of a scan."""
        sensor = self._sensors.get(scan.mount)
        if sensor is None:
            sensor = self._sensors[scan.mount] = sensor_of(
                scan, self._new_filter, self._tracker, self._contact_range)
        return sensor

    def take(self, placed: Placed, localization: Localization) -> str:
        """Process a placed scan; return why it is unusable, or an empty string."""
        sensor = self._sensor_of(placed.scan)
        predicted = localization.drift.compose(placed.pose)
        reading, problem = sensor.read(placed, predicted, self.memory.noise)
        if reading.has_found_order:
            localization.forget_distorted(self._undistorted_drift)
        if problem:
            return problem
        if sensor.tracker is not None:
            self.dynamic_obstacles = sensor.tracker.dynamic_obstacles
        pose = localization.localize(reading.matched, placed.pose, reading.rate, reading.may_move)
        if localization.turns_backwards:
            return MIRRORED
        if reading.is_undistorted:
            self._undistorted_drift = localization.drift
        self.add(reading.scan, pose)
        self.view = sensor.view(placed.scan, self.memory.sensor) or self.view
        return ''

    def add(self, scan: Scan, pose: Pose) -> None:
        """Add a scan without dynamic obstacles that was taken at ``pose``."""
        for notify in self.observers:
            notify(scan, pose)
        sensor, offset = self._sensor_of(scan), 0.0
        self.sensing_range = min(self.sensing_range, sensor.reach(scan))
        self.cone_angle = max(self.cone_angle, sensor.cone)
        if sensor.has_blind_sides(scan):
            if self.observed is None:
                self.observed = ObservedArea(self._body_radius)
            offset = sensor.observe(self.observed, scan, pose)
        scan = sensor.perceived(scan)
        self.newest_scan = NewestScan(scan, pose)
        self.position = pose[:2]
        tracker = sensor.tracker
        self._measured_points, cleared = self.memory.measure(
            scan, pose, tracker is not None, offset, sensor.learns_noise)
        if len(cleared):
            self.cleared = scan.stamp, cleared
        if tracker is not None and tracker.has_tracked_motion:
            self.memory.note_motion()
        if tracker is not None and tracker.has_moved:
            self._measured_points = self.memory.clear_blind(
                scan, pose, lambda place: tracker.last_arrival(place) > -math.inf)
        self.set_virtual_obstacles(self._virtual_points)

    def set_virtual_obstacles(self, points: np.ndarray) -> None:
        """Replace the virtual obstacle points by others, (n, 2) [m]."""
        self._virtual_points, self.points = points, self._measured_points
        if len(points):  # only those within reach
            dx, dy = (points - self.position).T
            within = points[dx * dx + dy * dy < self.reach ** 2]
            self.points = np.concatenate((self._measured_points, within))

    def is_near_new_obstacle(self, within: float) -> bool:
        """Return whether a new obstacle has stopped nearer to the robot than this [m]."""
        if self._tracker is None or not self._tracker.has_moved:
            return False
        away = np.hypot(*(self._measured_points - self.position).T)
        return bool(self._tracker.has_arrived(self._measured_points[away < within]).any())

    @property
    def has_changed(self) -> bool:
        """Return whether an obstacle has appeared or disappeared since it was first observed."""
        return self.cleared[0] > -math.inf or (
            self._tracker is not None and self._tracker.has_moved)

    def last_arrival(self, place: Point) -> float:
        """Return when an object last arrived at a place and stayed [s]; -inf for never."""
        return -math.inf if self._tracker is None else self._tracker.last_arrival(place)

    def update_far_points(self) -> None:
        """Confirm or clear the distant points, which scans do not update otherwise."""
        if self._tracker is None or self.newest_scan is NOTHING_SEEN:
            return
        scan = self.newest_scan.scan
        cleared = self.memory.clear_seen_through(scan)
        if len(cleared):
            self.cleared = scan.stamp, cleared
        self.memory.confirm(self.newest_scan.points, scan.stamp)
