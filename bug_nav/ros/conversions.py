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

"""Converts types of `navigation` to messages; `messages.sensor_messages` does the reverse."""

from __future__ import annotations

from typing import Optional

from bug_nav.messages.sensor_messages import check_unit, NANOSECONDS, yaw
from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.types import Scan
from bug_nav.navigation.types import Twist as Command
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import PoseStamped, Quaternion, Twist
import numpy as np
from sensor_msgs.msg import LaserScan, Range
from transforms3d.euler import euler2quat


def to_time(stamp: float) -> Time:
    """Return a time in seconds as a message, clamped to zero."""
    whole, rest = divmod(round(max(stamp, 0.0) * NANOSECONDS), NANOSECONDS)
    return Time(sec=whole, nanosec=rest)


def to_duration(span: float) -> Duration:
    """Return a duration in seconds as a message."""
    whole, rest = divmod(round(span * NANOSECONDS), NANOSECONDS)
    return Duration(sec=whole, nanosec=rest)


def to_quaternion(angle: float) -> Quaternion:
    """Return a yaw [rad] as an orientation."""
    w, x, y, z = euler2quat(0.0, 0.0, angle)
    return Quaternion(x=x, y=y, z=z, w=w)


def to_pose(pose: Pose) -> PoseMsg:
    """Return a pose in the plane as a message."""
    message = PoseMsg(orientation=to_quaternion(pose.theta))
    message.position.x, message.position.y = float(pose.x), float(pose.y)
    return message


def to_pose_stamped(frame_id: str, stamp: float, pose: Pose) -> PoseStamped:
    """Return a pose in the plane, in a frame at a time [s], as a message."""
    message = PoseStamped(pose=to_pose(pose))
    message.header.frame_id, message.header.stamp = frame_id, to_time(stamp)
    return message


def requested_yaw(pose: PoseMsg, align: bool) -> Optional[float]:
    """
    Return the yaw that a goal requests [rad], None for none.

    An all-zero or identity orientation requests none, unless ``align`` is set. Raise ValueError if
    it is no unit quaternion, such as (0, 0, 1.57, 0) for a yaw of 90 degrees.
    """
    q = pose.orientation
    if not align and not any((q.x, q.y, q.z)):
        return None
    if any((q.x, q.y, q.z, q.w)):
        try:
            check_unit(q)
        except ValueError as error:
            raise ValueError(f'the goal cannot be used: {error}; for a yaw t, z is sin(t/2) and w '
                             'is cos(t/2)') from None
    return wrap(yaw(q))


def to_laser_scan(scan: Scan, frame_id: str, period: float) -> LaserScan:
    """Return a scan as a message; ``period`` [s] is the time between two scans."""
    message = LaserScan(
        angle_min=scan.angle_min, angle_increment=scan.angle_increment,
        angle_max=scan.angle_min + scan.angle_increment * (len(scan.ranges) - 1),
        range_min=scan.range_min, range_max=scan.range_max, scan_time=period,
        time_increment=scan.time_increment,
        ranges=np.asarray(scan.ranges, dtype=np.float32))
    message.header.stamp, message.header.frame_id = to_time(scan.stamp), frame_id
    return message


def to_range(scan: Scan, frame_id: str, infrared: bool, field_of_view: float) -> Range:
    """Return a single ranger's measurement, a scan of one beam, as a message."""
    message = Range(
        radiation_type=Range.INFRARED if infrared else Range.ULTRASOUND,
        field_of_view=field_of_view, min_range=scan.range_min, max_range=scan.range_max,
        range=float(scan.ranges[0]))
    message.header.stamp, message.header.frame_id = to_time(scan.stamp), frame_id
    return message


def to_twist(command: Command) -> Twist:
    """Return a velocity command as a message."""
    message = Twist()
    message.linear.x, message.angular.z = float(command.v), float(command.w)
    message.linear.y = float(command.u)
    return message
