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
The perception of a goal: from a placed scan to the surroundings of the robot.

`Perception.process` is the only entry point for scans. The points of a scan are placed into the
odometry frame with the pose at the *stamp of the scan*, because a scan is up to 0.2 s old when it
is used: 4 cm of travel, or a quarter of a radian in a turn.
"""

from __future__ import annotations

import math
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.beams import NewestScan, NOTHING_SEEN
from bug_nav.navigation.perception.dialect import Dialects
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.perception.memory import ObstacleMemory
from bug_nav.navigation.perception.mount_check import MIRRORED
from bug_nav.navigation.perception.observed_area import ObservedArea
from bug_nav.navigation.perception.recent_readings import NOWHERE, RecentReadings
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import Placed, UnusableScan
from bug_nav.navigation.perception.sensors import ContactSensing, Lidar, Ranger, Sensor, View
from bug_nav.navigation.perception.tracker import DynamicObstacle, DynamicObstacleTracker
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.types import Scan
import numpy as np

CONTACT_RANGE = 1.5
"""Range of contact sensing from the centre of rotation [radii R]."""
SELF_RADIUS = 0.9
"""A point nearer to the centre of the robot than this belongs to the robot itself [radii R]."""
PERSON_DISTANCE = 0.35
"""Maximum distance from the body at which a new obstacle that has stopped is near [m]."""
FAR_PERIOD = 1.0
"""
Period at which distant points are confirmed or cleared once an object has moved [s].

A door that opens far away may be shut again before the robot is there.
"""


class Perceived(NamedTuple):
    """Surroundings of the robot since the newest scan (odometry frame)."""

    newest_scan: NewestScan = NOTHING_SEEN
    """The newest scan up to its full range, without dynamic obstacles, and its pose."""
    points: np.ndarray = NOWHERE
    """The points of static and virtual obstacles near the robot (n, 2) [m]."""
    measured_points: np.ndarray = NOWHERE
    """Those of static obstacles."""
    dynamic_obstacles: Sequence[DynamicObstacle] = ()
    """Obstacles that move, or that occupy space that was free a moment ago."""
    view: View = (np.empty(0), np.array((0.0, 0.0, 0.0, 1.0)))
    """The view of the newest scan, with dynamic obstacles and walls at grazing angles."""
    sensing_range: float = math.inf
    """Distance from the robot within which no obstacle is missed [m]."""
    cone_angle: float = 0.0
    """The widest field of view of the single rangers [rad]; 0 for a lidar."""
    observed: Optional[ObservedArea] = None
    """The area that was observed to be free; None if every lidar looks all around."""
    new_points: np.ndarray = NOWHERE
    """Points of new obstacles that have stopped, up to `PERSON_DISTANCE` away (n, 2) [m]."""
    displaced: np.ndarray = NOWHERE
    """Readings of the last second that localization has moved, where odometry says (n, 2) [m]."""

    @property
    def all_points(self) -> np.ndarray:
        """Return the points of all obstacles near the robot (n, 2) [m]."""
        if not self.dynamic_obstacles and not len(self.displaced):
            return self.points
        return np.concatenate((self.points, self.displaced,
                               *(each.points for each in self.dynamic_obstacles)))


class Perception:
    """Owns the sensors with their filters, the tracker, localization, memory, observed area."""

    def __init__(self, model: RobotModel = RobotModel(), settings: Settings = Settings(),
                 scale: float = 1.0, dialects: Optional[Dialects] = None):
        """Start without scans; ``scale`` is that of `ObstacleMemory`."""
        self._settings, self._dialects = settings, dialects or Dialects()
        self._radius = model.robot_radius
        self._self_radius = model.self_radius or SELF_RADIUS * model.robot_radius
        self._contour_radius = contour_radius(model, settings)
        self.reach = (3.0 * self._contour_radius
                      + max(settings.clear_distance, settings.xy_goal_tolerance)
                      + 0.5 * model.max_vel_x + 0.5 * model.max_vel_x ** 2 / model.acc_lim_x)
        """Distance up to which points matter for gaps, motion and braking [m]."""
        self.localization = Localization(settings.drift_correction == 'scan_matching'
                                         and settings.sensing == 'range', model.robot_radius)
        """The frames of poses and goals, and the drift correction."""
        self.memory = ObstacleMemory(settings.clearing_time, self.reach, scale, self._self_radius)
        """All obstacle points of this goal, near and far."""
        self.recent = RecentReadings(self.reach, model.robot_radius)
        """The readings of the last second, which do not depend on the localization."""
        self.tracker = DynamicObstacleTracker(settings.passage_timeout)
        self._sensors: Dict[Pose, Sensor] = {}
        """The sensors by their mounts."""
        self._reaches: Dict[Pose, float] = {}
        """Those of their newest scans, by their mounts, see `Sensor.reach` [m]."""
        self._undistorted_drift = IDENTITY
        """The drift correction at the newest scan that is not distorted."""
        self.perceived = Perceived()
        self.cleared: Tuple[float, np.ndarray] = -math.inf, NOWHERE
        """When points were last cleared [s], and these points (n, 2) [m]."""
        self._far_updated = -math.inf
        self._filled: Optional[np.ndarray] = None
        self._holes: Optional[np.ndarray] = None
        self._virtual_points = NOWHERE
        self.observers: List[Callable[[Scan, Pose], None]] = []
        """Callbacks for every scan and its estimated pose."""

    def process(self, placed: Placed) -> Perceived:
        """
        Process a placed scan.

        :raises UnusableScan: with the reason, if it cannot be used.
        """
        localization, sensor = self.localization, self._sensor_of(placed.scan)
        predicted = localization.drift.compose(placed.pose)
        sweep = sensor.read(placed, predicted, self.memory.noise)
        if sensor.shows_motion:
            for each in self._sensors.values():
                each.forget_slip()
        if sweep.has_found_order:
            # It was placed with a clock skew that is forgotten now.
            sweep.is_distorted = sweep.is_distorted or localization.skew != 0.0
            localization.forget_distorted(self._undistorted_drift)
        pose = localization.localize(sweep.matched, placed.pose, placed.rate, sweep.may_move)
        if localization.turns_backwards:
            raise UnusableScan(MIRRORED)
        if sweep.is_steady:
            self._undistorted_drift = localization.drift
        self.recent.add(sweep.scan, placed.pose, localization.drift)
        return self.add(sweep.static, pose, sweep.filled, sweep.holes)

    def add(self, scan: Scan, pose: Pose, filled: Optional[np.ndarray] = None,
            holes: Optional[np.ndarray] = None) -> Perceived:
        """
        Add a scan without dynamic obstacles that was taken at ``pose``.

        ``filled`` and ``holes`` (n,) are as in `Sweep`: what fills holes has not been measured.
        """
        for notify in self.observers:
            notify(scan, pose)
        before, sensor, offset = self.perceived, self._sensor_of(scan), 0.0
        observed, self._reaches[scan.mount] = before.observed, sensor.reach(scan)
        if sensor.has_blind_sides(scan):
            observed = observed or ObservedArea(self._radius, self.reach)
        if observed is not None:
            offset = sensor.observe(observed, scan, pose)
        scan = sensor.perceived(scan)
        points, cleared = self.memory.measure(scan, pose, sensor.tracker is not None, offset,
                                              sensor.learns_noise, filled)
        if len(cleared):
            self.cleared = scan.stamp, cleared
        if sensor.tracker is not None and self.has_changed:
            self.memory.note_free(scan, self._contour_radius + self._displacement)
        if sensor.tracker is not None and self.tracker.has_tracked_motion:
            self.memory.note_motion()
        if sensor.tracker is not None and self.tracker.has_moved:
            points = self.memory.clear_blind(
                scan, pose, lambda place: self.tracker.arrived_last_seen(place) > -math.inf)
        self.perceived = Perceived(
            NewestScan(scan, pose), self._with_virtual(points, pose), points,
            self.tracker.dynamic_obstacles, sensor.view(scan, self.memory.sensor) or before.view,
            min(self._reaches.values()), max(before.cone_angle, sensor.cone),
            observed, self._new_points(points, pose), self.recent.displaced)
        self._filled, self._holes = filled, holes
        if sensor.tracker is not None and scan.stamp - self._far_updated >= FAR_PERIOD:
            self._far_updated = scan.stamp
            if self.tracker.has_tracked_motion:  # otherwise it may be drift that has changed walls
                self.update_far_points()
            else:
                self._note_unseen()
        return self.perceived

    def slip_problem(self, is_last: bool = False) -> str:
        """Return that the robot is held while its wheels turn; empty if a sensor shows motion."""
        sensors = self._sensors.values()
        # All are asked first, because the last comparison may show motion too.
        problems = [sensor.slip_problem(is_last) for sensor in sensors]
        if is_last and any(sensor.shows_motion for sensor in sensors):
            return ''
        return next(filter(None, problems), '')

    @property
    def slip_doubt(self) -> str:
        """Return that the robot may be held, or people walk along; empty if a motion is shown."""
        sensors = self._sensors.values()
        doubts = [sensor.slip_doubt for sensor in sensors]
        if any(sensor.shows_motion for sensor in sensors) or not any(doubts):
            return ''
        return (f'{next(filter(None, doubts))}, unless all obstacles in range move along with '
                'the robot')

    def _sensor_of(self, scan: Scan) -> Sensor:
        """Return the sensor at the mount of a scan; a scan of one beam is that of a ranger."""
        sensor = self._sensors.get(scan.mount)
        if sensor is None:
            sensor = self._sensors[scan.mount] = (
                Ranger(scan) if len(scan.ranges) == 1 else self._new_lidar(scan.mount))
        return sensor

    def _new_lidar(self, mount: Pose) -> Lidar:
        settings, is_lidar = self._settings, self._settings.sensing == 'range'
        lidar_filter = LidarFilter(settings.passage_timeout if is_lidar else 0.0,
                                   self._dialects.of(settings, mount), self._self_radius)
        if settings.sensing == 'contact':
            return ContactSensing(lidar_filter, CONTACT_RANGE * self._radius)
        return Lidar(lidar_filter, self.tracker if is_lidar else None)

    @property
    def has_come_back(self) -> np.ndarray:
        """Return which points in memory are of an obstacle that had gone before, (n,)."""
        return self.memory.has_come_back(self._contour_radius)

    @property
    def _displacement(self) -> float:
        """Return how far the points of a wall may have moved because odometry drifts [m]."""
        covariance = self.localization.covariance
        if covariance is None:  # walls may have moved by any distance, unless an object has
            return 0.0 if self.tracker.has_tracked_motion else math.inf
        return 2.0 * math.sqrt(covariance[0, 0] + covariance[1, 1])

    def set_virtual_obstacles(self, points: np.ndarray) -> None:
        """Replace the virtual obstacle points by others, (n, 2) [m]."""
        now, self._virtual_points = self.perceived, points
        self.perceived = now._replace(
            points=self._with_virtual(now.measured_points, now.newest_scan.pose))

    def _with_virtual(self, points: np.ndarray, pose: Pose) -> np.ndarray:
        """Return points (n, 2) and the virtual ones within reach of a pose."""
        if not len(self._virtual_points):
            return points
        dx, dy = (self._virtual_points - pose.position).T
        within = self._virtual_points[dx * dx + dy * dy < self.reach ** 2]
        return np.concatenate((points, within))

    def _new_points(self, points: np.ndarray, pose: Pose) -> np.ndarray:
        """Return the points near the robot, of points (n, 2), whose obstacles have arrived."""
        if not self.tracker.has_moved:
            return NOWHERE
        near = points[np.hypot(*(points - pose.position).T) < self._radius + PERSON_DISTANCE]
        return near[self.tracker.has_arrived(near)]

    @property
    def has_changed(self) -> bool:
        """Return whether an obstacle has appeared or disappeared since it was first observed."""
        return self.cleared[0] > -math.inf or self.tracker.has_moved

    def update_far_points(self) -> None:
        """Confirm or clear the distant points, which scans do not update otherwise."""
        newest = self.perceived.newest_scan
        if self._settings.sensing != 'range' or newest is NOTHING_SEEN:
            return
        self._note_unseen()
        if self._filled is not None:
            newest = NewestScan(newest.scan._replace(
                ranges=np.where(self._filled, math.nan, newest.scan.ranges)), newest.pose)
        cleared = self.memory.clear_seen_through(newest.scan)
        if len(cleared):
            self.cleared = newest.scan.stamp, cleared
        self.memory.confirm(newest.points, newest.scan.stamp)

    def _note_unseen(self) -> None:
        """Note the points, near and far, that the newest scan should see and does not."""
        if self._holes is not None:
            scan = self.perceived.newest_scan.scan
            unseen = self.memory.note_unseen(scan, self._holes)
            if len(unseen):
                self.cleared = scan.stamp, unseen
