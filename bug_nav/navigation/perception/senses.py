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

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.perception.beams import (
    beam_ends,
    beam_width,
    beams_of,
    is_full_turn,
    NewestScan,
    NOTHING_SEEN,
)
from bug_nav.navigation.perception.dialect import Dialect
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.perception.memory import (
    FIRST_MEASURED,
    LAST_MEASURED,
    ObstacleMemory,
    READINGS,
)
from bug_nav.navigation.perception.observed_area import ObservedArea
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.tracker import (
    DynamicObstacle,
    DynamicObstacleTracker,
    settled,
)
from bug_nav.navigation.types import Scan
import numpy as np

OBSERVED_DISTANCE = 0.1
"""Maximum distance between a place and a point of the scan that observes it [m]."""
CONTACT_SECTORS = 10
"""Number of sectors of contact sensing; one of them points straight ahead."""
MEDIAN_WINDOW = 5
"""Number of neighbouring beams whose median is the range of a contact."""
View = Tuple[np.ndarray, np.ndarray]
"""
Ranges (m,) [m]; and the x, y of the sensor [m], the direction of beam 0 and the beam step [rad]
(4,).
"""
NO_VIEW: View = np.empty(0), np.array((0.0, 0.0, 0.0, 1.0))
"""The view of a robot without a lidar."""


class Senses:
    """Obstacle points in the odometry frame, which is continuous."""

    def __init__(self, clearing_time: float = 1.0, reach: float = math.inf, scale: float = 1.0,
                 contact_range: float = math.inf, body_radius: float = 0.0,
                 passage_timeout: float = 0.0, learns_noise: bool = True,
                 self_radius: float = 0.0,
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
        self._contact_range, self._body_radius = contact_range, body_radius
        self.memory = ObstacleMemory(clearing_time, reach, scale, self_radius,
                                     learns_noise)
        """All obstacle points of this goal, near and far."""
        self._tracker = DynamicObstacleTracker(passage_timeout) if passage_timeout > 0.0 else None
        self._new_lidar = lambda mount: LidarFilter(
            passage_timeout, dialect_of(mount), self_radius)
        self._lidars: Dict[Pose, LidarFilter] = {}
        """The filters of each lidar, by its mount."""
        self.points = np.empty((0, 2))
        """The points near the robot (n, 2) [m]."""
        self._measured_points = self.points
        self.cleared: Tuple[float, np.ndarray] = -math.inf, np.empty((0, 2))
        """When points were last cleared [s], and these points (n, 2) [m]."""
        self._virtual_points = np.empty((0, 2))
        self._position: Point = (0.0, 0.0)
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

    @property
    def _observed(self) -> ObservedArea:
        if self.observed is None:
            self.observed = ObservedArea(self._body_radius)
        return self.observed

    def take(self, placed: Placed, localization: Localization) -> str:
        """Process a placed scan; return why it is unusable, or an empty string."""
        raw, odometry = placed.scan, placed.pose
        if len(raw.ranges) == 1:  # a single ranger
            self.add(raw, localization.localize(raw, odometry))
            return ''
        predicted = localization.drift.compose(odometry)
        lidar = self._lidars.get(raw.mount)
        if lidar is None:
            lidar = self._lidars[raw.mount] = self._new_lidar(raw.mount)
        order = lidar.dialect.order
        before = order.order
        scan, problem = lidar.read(placed, predicted, self.memory.noise)
        if order.order and order.order != before:  # the scans up to now are distorted
            localization.forget_distorted()
        if problem:
            return problem
        stationary = static = scan
        may_move = False
        if self._tracker is not None:
            ends, spacing = lidar.beam_ends
            sensor = predicted.apply(raw.mount[:2])
            stationary = self._tracker.remove_dynamic(scan, ends, spacing, sensor)
            self.dynamic_obstacles = self._tracker.dynamic_obstacles
            # Scan matching must not use obstacles that move or have moved.
            static = stationary
            if self._tracker.has_moved:
                static = self._tracker.remove_person_sized(stationary)
            may_move = self._tracker.may_move(sensor, scan.stamp)
        matched = lidar.without_filled(static)
        may_move = may_move or order.is_unknown(placed)
        if order.is_distorted(placed):
            matched = matched._replace(ranges=np.full(len(raw.ranges), math.nan))
        pose = localization.localize(matched, odometry, placed.rate, may_move)
        if not is_full_turn(len(raw.ranges), beam_width(float(raw.angle_increment))):
            self._observed.add_view(scan._replace(ranges=lidar.seen), pose)
        self.add(stationary, pose)
        x, y, theta = self.memory.sensor
        self.view = (lidar.sight,
                     np.array((x, y, theta + raw.angle_min, raw.angle_increment)))
        return ''

    def add(self, scan: Scan, pose: Pose) -> None:
        """Add a scan without dynamic obstacles that was taken at ``pose``."""
        for notify in self.observers:
            notify(scan, pose)
        is_lidar, offset = len(scan.ranges) > 1, 0.0
        if is_lidar:
            self.sensing_range = scan.range_max - math.hypot(scan.mount.x, scan.mount.y)
        elif scan.angle_increment:
            self.cone_angle = max(self.cone_angle, abs(scan.angle_increment))
            offset = self._observed.add(scan, pose)
        if self._contact_range < math.inf:
            scan = contact_scan(scan, self._contact_range)
        self.newest_scan = NewestScan(scan, pose)
        self._position = pose[:2]
        tracker = self._tracker if is_lidar else None
        self._measured_points, cleared = self.memory.measure(
            scan, pose, tracker is not None, offset)
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
            dx, dy = (points - self._position).T
            within = points[dx * dx + dy * dy < self.reach ** 2]
            self.points = np.concatenate((self._measured_points, within))

    def is_near_new_obstacle(self, within: float) -> bool:
        """Return whether a new obstacle has stopped nearer to the robot than this [m]."""
        if self._tracker is None or not self._tracker.has_moved:
            return False
        away = np.hypot(*(self._measured_points - self._position).T)
        return bool(self._tracker.has_arrived(self._measured_points[away < within]).any())

    @property
    def has_changed(self) -> bool:
        """Return whether an obstacle has appeared or disappeared since it was first observed."""
        return self.cleared[0] > -math.inf or (
            self._tracker is not None and self._tracker.has_moved)

    def is_settled(self, needed: float, now: float) -> np.ndarray:
        """
        Return which points in memory are static, (n,), see `perception.tracker.settled`.

        A point counts as static once it has been there for ``needed`` [s]. As long as nothing in
        the world has moved, a point is assumed to be there until ``now`` [s] even if it is not
        observed.
        """
        tracker, confirmed = self._tracker, self.memory.confirmed
        arrival = tracker.last_arrival if tracker is not None else lambda place: -math.inf
        until = confirmed[:, LAST_MEASURED]
        return settled(confirmed[:, :READINGS], confirmed[:, FIRST_MEASURED],
                       until if self.has_changed else np.full(len(until), now), arrival, needed,
                       self._position)

    def possibly_dynamic(self, places: List[Point], needed: float, now: float) -> List[Point]:
        """Return those obstacle points that may still move away, see `is_settled`."""
        points, is_settled = self.memory.points, self.is_settled(needed, now)
        return [place for place in places if len(points)
                and not is_settled[np.argmin(((points - place) ** 2).sum(axis=1))]]

    def update_far_points(self) -> None:
        """Confirm or clear the distant points, which scans do not update otherwise."""
        if self._tracker is None or self.newest_scan is NOTHING_SEEN:
            return
        scan = self.newest_scan.scan
        cleared = self.memory.clear_seen_through(scan)
        if len(cleared):
            self.cleared = scan.stamp, cleared
        self.memory.confirm(self.newest_scan.points, scan.stamp)

    def is_observed(self, place: Point) -> bool:
        """Return whether the newest scan has a point at a place."""
        away = np.hypot(*(self.newest_scan.points - place).T)
        return bool((away < OBSERVED_DISTANCE).any())


# ---- contact sensing ----------------------------------------------------------------------------

def contact_scan(scan: Scan, radius: float) -> Scan:
    """
    Return the scan of contact sensing: the nearest point within a radius [m] in each sector.

    As in I. Spektor, A. Zagirov, R. Safin and E. Magid, "Implementation of Bug1 and Bug2 Basic
    Path-Planning Algorithms for a TurtleBot 3 Robot in ROS Noetic" (ICAROB 2024), contacts lie
    within 1.5 R of the centre of rotation, where R is the radius of the robot, in independent
    sectors of 36 degrees. The paper uses the five sectors of the front half. Here, ten sectors
    cover the full circle, because a wall that is followed is beside the robot, and behind it at
    every outer corner. Each sector reports only its nearest point.

    The other beams of that sector are unknown (NaN). Sectors without a contact are free up to the
    radius, which is the range of the scan.
    """
    ranges = np.asarray(scan.ranges, dtype=float)
    measurable = np.where(ranges == -math.inf, scan.range_min, ranges)
    measured = (measurable > 0.0) & (measurable <= scan.range_max)
    smoothed = _median_filtered(np.where(measured, measurable, math.inf))
    reach = radius + math.hypot(*scan.mount.position)
    _, directions = beams_of(scan, scan.mount)
    x, y = beam_ends(np.minimum(smoothed, reach), directions, (*scan.mount.position, 0.0), 0.0).T
    distances = np.hypot(x, y)
    sectors = np.round(np.arctan2(y, x) * CONTACT_SECTORS
                       / (2.0 * math.pi)).astype(int) % CONTACT_SECTORS
    ranges = np.where(measured, math.inf, ranges)
    for sector in np.unique(sectors[measured & (smoothed < reach) & (distances <= radius)]):
        in_sector = np.flatnonzero((sectors == sector) & measured)
        nearest = in_sector[np.argmin(distances[in_sector])]
        ranges[in_sector] = math.nan
        ranges[nearest] = smoothed[nearest]
    return scan._replace(ranges=ranges, range_max=min(scan.range_max, reach))


def _median_filtered(ranges: np.ndarray) -> np.ndarray:
    """Return the running median of ranges, because a minimum would select outliers."""
    half = MEDIAN_WINDOW // 2
    around = np.concatenate((ranges[-half:], ranges, ranges[:half]))
    return np.median([around[i:i + ranges.size] for i in range(MEDIAN_WINDOW)], axis=0)
