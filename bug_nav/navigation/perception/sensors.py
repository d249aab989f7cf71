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
The sensors of a robot: lidars, contact sensing and single rangers, each at a mount.

A sensor turns a placed scan into what perception needs: readings for the obstacle points, readings
for scan matching, what it has *not* observed, and how exact it is. `Perception` chooses the class
by the setting `sensing`, and takes a scan of one beam for that of a ranger: a further type of
sensor needs a class here and a choice there; docs/design.md lists the other files.
"""

from __future__ import annotations

import math
from typing import Optional, Sequence, Tuple

from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.perception.beams import beam_ends, beam_width, beams_of, is_full_turn
from bug_nav.navigation.perception.observed_area import ObservedArea
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.sweep import Sweep
from bug_nav.navigation.perception.sweep_order import is_steady
from bug_nav.navigation.perception.tracker import DynamicObstacleTracker
from bug_nav.navigation.types import Scan
import numpy as np

MAX_SPACING = math.radians(60.0)
"""
Maximum angle between the directions of two rangers in front [rad].

It holds ahead of the robot and up to its sides, because the robot would drive into an obstacle
between two rangers. At the contour radius, two points that such rangers measure are one contour
radius apart; a disc that rolls from one to the other is at most 0.13 rho too near to an obstacle
between them.
"""
CONTACT_SECTORS = 10
"""Number of sectors of contact sensing; one of them points straight ahead."""
MEDIAN_WINDOW = 5
"""Number of neighbouring beams whose median is the range of a contact."""
View = Tuple[np.ndarray, np.ndarray]
"""
Ranges (m,) [m]; and the x, y of the sensor [m], the direction of beam 0 and the beam step [rad]
(4,).
"""
NEAR, BESIDE = 0.05, 1.0
"""
Maximum distance of a reading from the minimum range [m] beside which, within this angle [rad], an
obstacle may be too near to be measured.
"""


class Sensor:
    """A sensor; by default one that measures in a single direction and knows nothing else."""

    cone = 0.0
    """Width of the cone across which the object of a reading may be anywhere [rad]."""
    learns_noise = False
    """
    Whether its readings show the range noise, which requires narrow beams that repeatedly measure
    the same place of a wall. In a cone, or in a contact sector, the nearest point moves along the
    wall with the robot.
    """
    tracker: Optional[DynamicObstacleTracker] = None

    def read(self, placed: Placed, predicted: Pose, noise: float) -> Sweep:
        """
        Return what a scan measures.

        ``predicted`` is the pose with the drift correction of the scan before; ``noise`` [m] the
        range noise.

        :raises UnusableScan: with the reason, if it cannot be used.
        """
        return Sweep(placed.scan)

    def perceived(self, scan: Scan) -> Scan:
        """Return the part of a scan that becomes obstacle points."""
        return scan

    def has_blind_sides(self, scan: Scan) -> bool:
        """Return whether obstacles may be beside what it observes."""
        return False

    def observe(self, area: ObservedArea, scan: Scan, pose: Pose) -> float:
        """
        Add what a scan has observed to be free, at ``pose``.

        Return the offset from its axis at which the object of a single reading is assumed [rad].
        """
        return 0.0

    def reach(self, scan: Scan) -> float:
        """Return the distance from the robot within which it misses no obstacle [m]."""
        return math.inf

    def view(self, scan: Scan, at: Pose) -> Optional[View]:
        """Return the view of its newest scan from the pose ``at`` of the sensor."""
        return None

    def slip_problem(self, is_last: bool = False) -> str:
        """Return that the robot is held while its wheels turn, see `SlipCheck.problem`."""
        return ''

    @property
    def slip_doubt(self) -> str:
        """Return that the robot may have been held at the end, if people do not walk along."""
        return ''

    @property
    def shows_motion(self) -> bool:
        """Return whether its newest scan shows that the robot moves."""
        return False

    def forget_slip(self) -> None:
        """Forget that the robot may be held, because another sensor shows that it moves."""


class Ranger(Sensor):
    """A single ranger: sonar, infrared or time of flight."""

    def __init__(self, scan: Scan):
        """Create the ranger of a scan, whose beam step is the width of its cone."""
        self.cone = abs(scan.angle_increment)

    def has_blind_sides(self, scan: Scan) -> bool:
        """Return whether its cone has a width; a thin beam is not taken for a view."""
        return self.cone > 0.0

    def observe(self, area: ObservedArea, scan: Scan, pose: Pose) -> float:
        """Add the cone in front of a reading, if it has a width."""
        return area.add(scan, pose) if self.has_blind_sides(scan) else 0.0


class Lidar(Sensor):
    """A lidar or depth camera, with its filter and what is known of its dialect."""

    learns_noise = True

    def __init__(self, lidar_filter: LidarFilter, tracker: Optional[DynamicObstacleTracker]):
        """Create a lidar; the ``tracker`` of dynamic obstacles is common to all."""
        self._filter, self.tracker = lidar_filter, tracker
        self._known_order = lidar_filter.dialect.order.known
        self._has_believed = False
        """Whether a turning scan without times was believed, so that the map may be distorted."""

    def read(self, placed: Placed, predicted: Pose, noise: float) -> Sweep:
        """Filter a scan, and mark the readings of obstacles that move or have moved."""
        sweep, order = self._filter.read(placed, predicted, noise), self._filter.dialect.order
        sweep.has_found_order = order.known != self._known_order and order.order != 0
        self._known_order = order.known
        sweep.is_distorted = order.is_distorted(placed)
        if order.order is None:
            steady = is_steady(placed.sweep)
            self._has_believed = (not sweep.has_found_order and self._has_believed
                                  or not steady and not sweep.is_distorted)
            sweep.is_steady = steady and not self._has_believed
        if self.tracker is not None:
            if sweep.has_found_losses:
                self.tracker.forget()
            sensor = predicted.apply(placed.scan.mount[:2])
            self.tracker.mark_dynamic(sweep, *self._filter.beam_ends, sensor)
            if self.tracker.has_moved:
                self.tracker.mark_person_sized(sweep)
            if self.tracker.has_tracked_motion:
                self._filter.expect_motion()
            sweep.may_move = self.tracker.may_move(sensor, placed.stamp)
        return sweep

    def has_blind_sides(self, scan: Scan) -> bool:
        """Return whether it does not look all around."""
        return not is_full_turn(len(scan.ranges), beam_width(float(scan.angle_increment)))

    def observe(self, area: ObservedArea, scan: Scan, pose: Pose) -> float:
        """
        Add how far each beam has seen.

        Many lidars report what is nearer than their minimum range as no return. Beside a reading
        just beyond it, a beam without a return has therefore seen nothing.
        """
        ranges, seen = np.asarray(scan.ranges), self._filter.seen
        near = np.flatnonzero(ranges < scan.range_min + NEAR)
        if near.size:
            beams = np.flatnonzero(np.isinf(seen))
            apart = np.abs(beams[:, None] - near).min(axis=1) * abs(scan.angle_increment)
            seen = seen.copy()  # a row of the filter
            seen[beams[apart < BESIDE]] = 0.0
        if not self.has_blind_sides(scan):
            seen = np.append(seen, seen[0])  # what is between the last beam and the first
        area.add_view(scan._replace(ranges=seen), pose)
        return 0.0

    def reach(self, scan: Scan) -> float:
        """Return its maximum range around the robot [m]."""
        return scan.range_max - math.hypot(scan.mount.x, scan.mount.y)

    def view(self, scan: Scan, at: Pose) -> Optional[View]:
        """Return its view with dynamic obstacles and walls at grazing angles."""
        return self._filter.sight, np.array(
            (at.x, at.y, at.theta + scan.angle_min, scan.angle_increment))

    def slip_problem(self, is_last: bool = False) -> str:
        """Return that its scans show no motion although odometry does."""
        return self._filter.slip.problem(is_last)

    @property
    def slip_doubt(self) -> str:
        """Return that all that its last scans show seems to move along with the robot."""
        return self._filter.slip.doubt

    @property
    def shows_motion(self) -> bool:
        """Return whether its newest scan shows that the robot moves."""
        return self._filter.slip.shows_motion

    def forget_slip(self) -> None:
        """Forget that the robot may be held."""
        self._filter.slip.forget()


class ContactSensing(Lidar):
    """A lidar of which only contacts are used, as of a robot with bumpers."""

    learns_noise = False

    def __init__(self, lidar_filter: LidarFilter, radius: float):
        """``radius`` [m]: nothing beyond it is measured."""
        super().__init__(lidar_filter, None)
        self._radius = radius

    def perceived(self, scan: Scan) -> Scan:
        """Return the contacts."""
        return contact_scan(scan, self._radius)


def check_coverage(mounts: Sequence[Pose], robot: str = 'the robot') -> None:
    """
    Raise ValueError, in one sentence, if rangers do not observe every wall ahead.

    ``mounts``: the poses of the rangers in the frame of the robot; each points along its own x
    axis.
    """
    directions = sorted(wrap(mount.theta) for mount in mounts)
    ends = (-0.5 * math.pi, 0.5 * math.pi)
    ahead = [each for each in directions
             if ends[0] - 0.5 * MAX_SPACING <= each <= ends[1] + 0.5 * MAX_SPACING]
    inner = 0.5 * MAX_SPACING + 1e-6
    if not ahead or ahead[0] > ends[0] + inner or ahead[-1] < ends[1] - inner:
        raise ValueError(f'{robot} has no ranger that observes a boundary on its left, or none '
                         'on its right; add one on either side, or use a lidar')
    widest = max(b - a for a, b in zip(ahead, ahead[1:]))
    if widest > MAX_SPACING + 1e-6:
        raise ValueError(
            f'{len(mounts)} rangers of {robot} point in directions up to '
            f'{math.degrees(widest):.0f} degrees apart in front; at most '
            f'{math.degrees(MAX_SPACING):.0f} are allowed, because they would miss a wall '
            'between them; add rangers, or use a lidar')


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
