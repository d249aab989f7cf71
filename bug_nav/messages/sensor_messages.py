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
Conversion of sensor messages to the types of `bug_nav.navigation`.

Messages are accessed only through their field names, so that messages of ROS and those of a
recording, which is read without ROS, work alike. Invalid contents (numbers that are not finite, a
scan without beams) raise ValueError here, with a sentence for the user.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Tuple

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.names import shortened
from bug_nav.navigation.types import Scan
import numpy as np
from transforms3d.euler import quat2euler
from transforms3d.quaternions import quat2mat

MIN_UPRIGHT = math.cos(math.radians(10.0))
"""A lidar or robot that is tilted by more than 10 degrees does not scan the plane of the map."""
LEVEL = math.radians(5.0)
"""
Maximum tilt of a robot whose scans are used [rad].

A lidar 0.18 m above the floor sees the floor within 2 m if it is tilted more.
"""
TILT_CAUSE = (', because its lidar then sees another plane; it may have driven onto something '
              'low')
MIN_CONE = math.radians(2.0)
"""Minimum cone angle of a single ranger [rad]."""
MAX_POSITION = 1e7
"""Maximum distance of odometry from its origin [m]."""
MAX_SECTOR = 2.0 * math.pi + math.radians(6.0)
"""Maximum angle of a scan [rad]: some lidars repeat their first beams."""
BEAM_COUNT_TOLERANCE = 0.05
"""Maximum deviation of the number of beams from the angles [share], in addition to two."""
MAX_BEAMS = 10_000
"""Maximum number of beams, so that a scan is processed within a tick."""
UNIT_TOLERANCE = 0.1
"""Maximum deviation of the norm of an orientation from 1."""
MAX_SWEEP = 1.0
"""Maximum duration of a scan [s]."""
NANOSECONDS = 1_000_000_000


class Mount(NamedTuple):
    """The pose of a lidar on the robot."""

    pose: Pose = IDENTITY
    """In the frame of the robot."""
    upside_down: bool = False
    """Whether its z axis points down: its beams then turn clockwise."""

    @property
    def text(self) -> str:
        """Return the mount for a report."""
        # Rounded, without negative zeros.
        x, y, turn = (round(value, 3) + 0.0 for value in (
            self.pose.x, self.pose.y, math.degrees(self.pose.theta)))
        return (f'x {x:.3f} m, y {y:.3f} m, yaw {turn:.0f} degrees'
                + (', upside down' if self.upside_down else ''))


def frame_name(name: str) -> str:
    """Return the name of a frame in a message, without the leading slash of ROS 1."""
    return shortened(name.lstrip('/'))


def seconds(stamp: Any) -> float:
    """Return a Time or Duration message in seconds."""
    return stamp.sec + stamp.nanosec / NANOSECONDS


def yaw(q: Any) -> float:
    """Return the yaw [rad] of an orientation, which need not be normalized."""
    return quat2euler((q.w, q.x, q.y, q.z))[2]  # transforms3d puts w first, ROS last


def planar(pose: Any) -> Pose:
    """Return a pose message in the plane; raise ValueError if a number is not finite."""
    p, q = pose.position, pose.orientation
    numbers = (p.x, p.y, q.x, q.y, q.z, q.w)
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f'the pose has a number that is not finite: position ({p.x}, {p.y}), '
                         f'orientation ({q.x}, {q.y}, {q.z}, {q.w})')
    return Pose(p.x, p.y, yaw(q))


def check_unit(q: Any) -> None:
    """Raise ValueError if an orientation is no unit quaternion."""
    length = math.hypot(math.hypot(q.x, q.y), math.hypot(q.z, q.w))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise ValueError(f'its orientation ({q.x:.4g}, {q.y:.4g}, {q.z:.4g}, {q.w:.4g}) is a '
                         f'quaternion of length {length:.3g}; allowed is 1')


def tilt_of(q: Any) -> float:
    """Return the angle between the z axis of a frame and that of the world [rad]."""
    return angle_between(upward(q), (0.0, 0.0, 1.0))


def upward(q: Any) -> Tuple[float, float, float]:
    """Return the z axis of the world in the frame of an orientation; its own if that is none."""
    square = q.x ** 2 + q.y ** 2 + q.z ** 2 + q.w ** 2
    if not 0.0 < square < math.inf:
        return 0.0, 0.0, 1.0
    return (2.0 * (q.x * q.z - q.w * q.y) / square, 2.0 * (q.y * q.z + q.w * q.x) / square,
            1.0 - 2.0 * (q.x ** 2 + q.y ** 2) / square)


def angle_between(one: Tuple[float, float, float], other: Tuple[float, float, float]) -> float:
    """Return the angle between two unit vectors [rad]."""
    return math.acos(min(max(sum(a * b for a, b in zip(one, other)), -1.0), 1.0))


def odometry_pose(message: Any) -> Pose:
    """Return the pose of an odometry message; raise ValueError if it is impossible."""
    pose = planar(message.pose.pose)
    check_unit(message.pose.pose.orientation)
    tilt = tilt_of(message.pose.pose.orientation)
    if math.cos(tilt) < MIN_UPRIGHT:
        raise ValueError(f'the robot is tilted by {math.degrees(tilt):.0f} degrees; at most 10 '
                         f'degrees are allowed{TILT_CAUSE}')
    if max(abs(pose.x), abs(pose.y)) > MAX_POSITION:
        raise ValueError(f'its position is ({pose.x:.4g}, {pose.y:.4g}) m; at most '
                         f'{MAX_POSITION:g} m from the origin are allowed')
    return pose


def transform_matrix(transform: Any) -> np.ndarray:
    """Return a transform as a matrix (4, 4); raise ValueError if it is impossible."""
    t, q = transform.translation, transform.rotation
    if math.isfinite(q.x + q.y + q.z + q.w):
        check_unit(q)
    matrix = np.eye(4)
    matrix[:3, :3] = quat2mat((q.w, q.x, q.y, q.z))
    matrix[:3, 3] = t.x, t.y, t.z
    if not np.all(np.isfinite(matrix)):
        raise ValueError('the transform has a number that is not finite')
    return matrix


def mount_from_matrix(matrix: np.ndarray) -> Mount:
    """Return the mount of a lidar from its pose as a matrix; raise ValueError if it is tilted."""
    upright = float(matrix[2, 2])
    if abs(upright) < MIN_UPRIGHT:
        tilt = math.degrees(math.acos(min(abs(upright), 1.0)))
        raise ValueError(f'the lidar is tilted by {tilt:.0f} degrees; at most 10 degrees from '
                         'the plane of the robot are allowed')
    return Mount(planar_from_matrix(matrix), upright < 0.0)


def planar_from_matrix(matrix: np.ndarray) -> Pose:
    """Return a transform in the plane: the pose of the child frame in its parent's."""
    return Pose(float(matrix[0, 3]), float(matrix[1, 3]),
                math.atan2(matrix[1, 0], matrix[0, 0]))


def raw_ranges(message: Any) -> np.ndarray:
    """Return the unchanged ranges of a scan message, (n,) [m]."""
    with np.errstate(invalid='ignore'):  # converting a signalling NaN warns
        return np.asarray(message.ranges, dtype=float)


def scan_from_message(message: Any, mount: Mount, stamp: float) -> Scan:
    """
    Return a scan with the angles of the message and the pose of the mount.

    Raise ValueError if it has no beams or its geometry is inconsistent. The ranges are interpreted
    later (`bug_nav.navigation.perception.beams.obstacle_points`).
    """
    for name in ('angle_min', 'angle_max', 'angle_increment', 'range_min', 'range_max'):
        if not math.isfinite(getattr(message, name)):
            raise ValueError(f'the scan has the {name} {getattr(message, name)}; it must be '
                             'finite')
    if len(message.ranges) < 2 or message.angle_increment == 0.0:
        raise ValueError(f'the scan has {len(message.ranges)} beams, {message.angle_increment:g} '
                         'rad apart; it must have at least 2, not 0 rad apart')
    if message.range_max <= max(message.range_min, 0.0):
        raise ValueError(f'the scan has range_min {message.range_min:g} m and range_max '
                         f'{message.range_max:g} m; range_max must be larger than range_min and 0')
    if len(message.ranges) > MAX_BEAMS:
        raise ValueError(f'the scan has {len(message.ranges)} beams; at most {MAX_BEAMS} are '
                         'allowed')
    _check_angles(message)
    turn = -1.0 if mount.upside_down else 1.0
    return Scan(stamp, raw_ranges(message), turn * message.angle_min,
                turn * message.angle_increment, message.range_min, message.range_max, mount.pose,
                beam_interval(message))


def beam_interval(message: Any) -> float:
    """Return the time between beams [s]; 0 if the sweep is impossible, a mistake of the driver."""
    sweep = message.time_increment * (len(message.ranges) - 1)
    return float(message.time_increment) if 0.0 < sweep <= MAX_SWEEP else 0.0


def _check_angles(message: Any) -> None:
    """Raise ValueError if the angles and the number of beams are inconsistent."""
    first, last, step = message.angle_min, message.angle_max, message.angle_increment
    count = len(message.ranges)
    geometry = f'{count} beams from {first:g} to {last:g} rad, {step:g} rad apart'
    if max(abs(first), abs(last)) > 2.0 * MAX_SECTOR or abs(step) * (count - 1) > MAX_SECTOR:
        raise ValueError(f'the scan has {geometry}, which is more than a full turn')
    # One beam more or less is usual: drivers differ in whether they count the last.
    expected = (last - first) / step + 1.0
    if expected < 0.0:
        raise ValueError(
            f'the scan has angle_increment {step:g} rad, but angle_max is '
            f'{"above" if last > first else "below"} angle_min, {last:g} and {first:g} rad; its '
            'sign must be that of angle_max - angle_min')
    if abs(expected - count) > 2.0 + BEAM_COUNT_TOLERANCE * count:
        raise ValueError(f'the scan has {geometry}; these angles are those of {expected:.0f} '
                         'beams')


def scan_from_range(message: Any, mount: Mount, stamp: float) -> Scan:
    """
    Return the reading of a single ranger as a scan of one beam.

    The obstacle may be anywhere in the cone of the sensor; it is assumed on its axis. A range
    above max_range is free, one below min_range is too near to measure (REP-117), and a negative
    one is an error.
    """
    geometry = (message.field_of_view, message.min_range, message.max_range)
    if not all(map(math.isfinite, geometry)) or message.max_range <= max(message.min_range, 0.0):
        raise ValueError(f'a range message has min_range {message.min_range} m, max_range '
                         f'{message.max_range} m and field_of_view {message.field_of_view} rad; '
                         'all must be finite, and max_range larger than min_range and 0')
    measured = message.range
    if measured > message.max_range:
        measured = math.inf
    elif 0.0 < measured < message.min_range:
        measured = -math.inf
    elif -math.inf < measured < 0.0:
        measured = math.nan
    return Scan(stamp, np.array([measured]), 0.0, max(message.field_of_view, MIN_CONE),
                message.min_range, message.max_range, mount.pose)
