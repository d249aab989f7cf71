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
What messages of sensors hold, in the types of the core.

Messages are known by the names of their fields alone: those of ROS and those of a recording, which
is read without ROS, serve alike. What a message may hold and the core must not see (numbers that
are not finite, a scan without beams) raises ValueError here, with a sentence for the user.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import Scan
import numpy as np
from transforms3d.euler import quat2euler
from transforms3d.quaternions import quat2mat

LEVEL = math.cos(math.radians(10.0))
"""A lidar whose plane is tilted by more than 10 degrees does not see the robot's plane."""
NARROWEST = math.radians(2.0)
"""What a single ranger sees is at least so wide [rad]."""
FARTHEST = 1e7
"""Odometry that is further from its origin [m] is not the way that a robot has driven."""
TURNS = 2.0 * math.pi + math.radians(6.0)
"""A scan goes around once, and some lidars repeat their first beams [rad]."""
ODD_BEAMS = 0.05
"""The share of the beams that there may be more or fewer than the angles say, and two."""
MOST_BEAMS = 10_000
"""No lidar has more beams in its plane, and the control loop has a tick's time for them."""
UNIT = 0.1
"""By how much more or less than 1 an orientation may be long and still be one."""
LONGEST_SWEEP = 1.0
"""No lidar takes longer for a scan [s]."""
NANOSECONDS = 1_000_000_000


class Mount(NamedTuple):
    """A lidar's place on the robot."""

    pose: Pose = IDENTITY
    """In the robot's frame."""
    upside_down: bool = False
    """Its z axis points down: beams that it counts to the left go to the right."""


def seconds(stamp: Any) -> float:
    """Return a Time or Duration message in seconds."""
    return stamp.sec + stamp.nanosec / NANOSECONDS


def yaw(q: Any) -> float:
    """Return the yaw [rad] of an orientation; it need not be normalised."""
    return quat2euler((q.w, q.x, q.y, q.z))[2]  # transforms3d puts w first, ROS last


def planar(pose: Any) -> Pose:
    """Return a pose message in the plane; ValueError where a number is not finite."""
    p, q = pose.position, pose.orientation
    numbers = (p.x, p.y, q.x, q.y, q.z, q.w)
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f'the pose has a number that is not finite: position ({p.x}, {p.y}), '
                         f'orientation ({q.x}, {q.y}, {q.z}, {q.w})')
    return Pose(p.x, p.y, yaw(q))


def transform_pose(transform: Any) -> Pose:
    """Return a transform in the plane: the pose of the child frame in its parent's."""
    t = transform.translation
    return Pose(t.x, t.y, yaw(transform.rotation))


def odometry_pose(message: Any) -> Pose:
    """Return the pose of odometry; ValueError where it is none that a robot can have."""
    pose = planar(message.pose.pose)
    q = message.pose.pose.orientation
    length = math.hypot(math.hypot(q.x, q.y), math.hypot(q.z, q.w))
    if abs(length - 1.0) > UNIT:
        raise ValueError(f'its orientation ({q.x:.4g}, {q.y:.4g}, {q.z:.4g}, {q.w:.4g}) is no '
                         f'quaternion of length 1, but of {length:.3g}')
    if max(abs(pose.x), abs(pose.y)) > FARTHEST:
        raise ValueError(f'its position is ({pose.x:.4g}, {pose.y:.4g}) m, further away than a '
                         'robot drives')
    return pose


def placement(transform: Any) -> np.ndarray:
    """Return a transform as a matrix (4, 4); ValueError where a number is not finite."""
    t, q = transform.translation, transform.rotation
    matrix = np.eye(4)
    matrix[:3, :3] = quat2mat((q.w, q.x, q.y, q.z))
    matrix[:3, 3] = t.x, t.y, t.z
    if not np.all(np.isfinite(matrix)):
        raise ValueError('the transform has a number that is not finite')
    return matrix


def mount_in(matrix: np.ndarray) -> Mount:
    """Return a lidar's mount from its place as a matrix; ValueError where it is not level."""
    upright = float(matrix[2, 2])
    if abs(upright) < LEVEL:
        tilt = math.degrees(math.acos(min(abs(upright), 1.0)))
        raise ValueError(f'the lidar is tilted by {tilt:.0f} degrees; it has to scan the plane '
                         'that the robot drives in, to 10 degrees')
    heading = math.atan2(matrix[1, 0], matrix[0, 0])
    return Mount(Pose(float(matrix[0, 3]), float(matrix[1, 3]), heading), upright < 0.0)


def mount_of(transform: Any) -> Mount:
    """Return a lidar's mount from its transform; ValueError where it does not lie level."""
    return mount_in(placement(transform))


def ranges_of(message: Any) -> np.ndarray:
    """Return the ranges of a scan as they came, (n,) [m]."""
    with np.errstate(invalid='ignore'):  # a NaN of the kind that signals warns when it is widened
        return np.asarray(message.ranges, dtype=float)


def scan_of(message: Any, mount: Mount, stamp: float) -> Scan:
    """
    Return a scan, its angles from the message and its place from the mount.

    ValueError where it has no beams or its geometry makes no sense. What the ranges mean is the
    business of the core (`bug_nav.navigation.perception.points.obstacle_points`).
    """
    geometry = (message.angle_min, message.angle_increment, message.range_min, message.range_max)
    if not all(math.isfinite(number) for number in geometry):
        raise ValueError('the scan has an angle or a range limit that is not finite')
    if len(message.ranges) < 2 or message.angle_increment == 0.0:
        raise ValueError(f'the scan has {len(message.ranges)} beams, '
                         f'{message.angle_increment} rad apart')
    if message.range_max <= max(message.range_min, 0.0):
        raise ValueError(f'the scan says that it measures from {message.range_min} to '
                         f'{message.range_max} m')
    if len(message.ranges) > MOST_BEAMS:
        raise ValueError(f'the scan has {len(message.ranges)} beams; at most {MOST_BEAMS} are '
                         'taken')
    _check_fan(message)
    turn = -1.0 if mount.upside_down else 1.0
    # A sweep of a second and more is a driver's mistake.
    sweep = message.time_increment * (len(message.ranges) - 1)
    pause = message.time_increment if 0.0 < sweep <= LONGEST_SWEEP else 0.0
    return Scan(stamp, ranges_of(message), turn * message.angle_min,
                turn * message.angle_increment, message.range_min, message.range_max, mount.pose,
                pause)


def _check_fan(message: Any) -> None:
    """Raise ValueError where the angles of a scan do not fit together, or not its beams."""
    first, last, step = message.angle_min, message.angle_max, message.angle_increment
    count = len(message.ranges)
    said = f'{count} beams from {first:g} to {last:g} rad, {step:g} rad apart'
    if max(abs(first), abs(last)) > 2.0 * TURNS or abs(step) * (count - 1) > TURNS:
        raise ValueError(f'the scan says that it has {said}, which is more than a turn')
    if not math.isfinite(last):
        raise ValueError('the scan has an angle or a range limit that is not finite')
    # One beam more or less is usual: some count the last, and some do not.
    expected = (last - first) / step + 1.0
    if abs(expected - count) > 2.0 + ODD_BEAMS * count:
        raise ValueError(f'the scan says that it has {said}; that would be {expected:.0f} beams')


def echo_of(message: Any, mount: Mount, stamp: float) -> Scan:
    """
    Return what a single ranger has measured, as a scan of one beam.

    The thing measured may be anywhere in the sensor's cone; it is taken to be on its axis. A range
    beyond max_range is free, one below min_range too near to measure (REP-117).
    """
    geometry = (message.field_of_view, message.min_range, message.max_range)
    if not all(map(math.isfinite, geometry)) or message.max_range <= max(message.min_range, 0.0):
        raise ValueError(f'a range sensor says that it measures from {message.min_range} to '
                         f'{message.max_range} m in {message.field_of_view} rad')
    seen = message.range
    if seen > message.max_range:
        seen = math.inf
    elif seen < message.min_range and seen != 0.0:
        seen = -math.inf
    return Scan(stamp, np.array([seen]), 0.0, max(message.field_of_view, NARROWEST),
                message.min_range, message.max_range, mount.pose)
