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

"""ROS messages, as dictionaries, from data of the simulator and the navigator."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Sequence, Tuple

from bug_nav.messages.markers import Marker
from bug_nav.messages.sensor_messages import NANOSECONDS
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.types import Scan, Twist
from bug_nav.simulation.sensors import RangerRing

Message = Dict[str, Any]
# Constants of `visualization_msgs/Marker` and `sensor_msgs/Range`.
KINDS = {'CYLINDER': 3, 'LINE_STRIP': 4, 'SPHERE_LIST': 7, 'TEXT_VIEW_FACING': 9}
DELETEALL = 3
ULTRASOUND, INFRARED = 0, 1


def nanoseconds(stamp: float) -> int:
    """Return a time [s] in nanoseconds; a negative one as 0."""
    return round(max(stamp, 0.0) * NANOSECONDS)


def _header(frame_id: str, stamp: float) -> Message:
    whole, rest = divmod(nanoseconds(stamp), NANOSECONDS)
    return {'stamp': {'sec': whole, 'nanosec': rest}, 'frame_id': frame_id}


def _point(place: Point, height: float = 0.0) -> Message:
    return {'x': place[0], 'y': place[1], 'z': height}


def _quaternion(yaw: float) -> Message:
    return {'z': math.sin(0.5 * yaw), 'w': math.cos(0.5 * yaw)}


def _pose(pose: Pose, height: float = 0.0) -> Message:
    return {'position': _point(pose.position, height), 'orientation': _quaternion(pose.theta)}


def pose_stamped(frame_id: str, stamp: float, pose: Pose) -> Message:
    """Return a `geometry_msgs/PoseStamped`."""
    return {'header': _header(frame_id, stamp), 'pose': _pose(pose)}


def path(frame_id: str, stamp: float, poses: Iterable[Tuple[float, Pose]]) -> Message:
    """Return a `nav_msgs/Path` of poses and their times."""
    return {'header': _header(frame_id, stamp),
            'poses': [pose_stamped(frame_id, at, pose) for at, pose in poses]}


def twist(command: Twist) -> Message:
    """Return a `geometry_msgs/Twist`."""
    return {'linear': {'x': command.v, 'y': command.u}, 'angular': {'z': command.w}}


def odometry(frame_id: str, child: str, stamp: float, pose: Pose, velocity: Twist) -> Message:
    """Return a `nav_msgs/Odometry`; the velocity is in the child frame."""
    return {'header': _header(frame_id, stamp), 'child_frame_id': child,
            'pose': {'pose': _pose(pose)}, 'twist': {'twist': twist(velocity)}}


def transforms(stamp: float, *links: Tuple[str, str, Pose]) -> Message:
    """Return a `tf2_msgs/TFMessage` of links: parent frame, child frame, pose of the child."""
    return {'transforms': [
        {'header': _header(parent, stamp), 'child_frame_id': child,
         'transform': {'translation': _point(pose.position), 'rotation': _quaternion(pose.theta)}}
        for parent, child, pose in links]}


def laser_scan(frame_id: str, scan: Scan, period: float) -> Message:
    """Return a `sensor_msgs/LaserScan`; ``period`` is the time between scans [s]."""
    return {'header': _header(frame_id, scan.stamp), 'angle_min': scan.angle_min,
            'angle_max': scan.angle_min + scan.angle_increment * (len(scan.ranges) - 1),
            'angle_increment': scan.angle_increment, 'time_increment': scan.time_increment,
            'scan_time': period, 'range_min': scan.range_min, 'range_max': scan.range_max,
            'ranges': scan.ranges.tolist()}


def ranged(frame_id: str, reading: Scan, ring: RangerRing) -> Message:
    """Return a `sensor_msgs/Range` from a scan with one beam."""
    return {'header': _header(frame_id, reading.stamp),
            'radiation_type': INFRARED if ring.infrared else ULTRASOUND,
            'field_of_view': ring.field_of_view, 'min_range': reading.range_min,
            'max_range': reading.range_max, 'range': float(reading.ranges[0])}


def text(words: str) -> Message:
    """Return a `std_msgs/String`."""
    return {'data': words}


def marker_array(markers: Sequence[Marker]) -> Message:
    """Return a `visualization_msgs/MarkerArray`: a DELETEALL, then the complete set."""
    return {'markers': [{'action': DELETEALL}, *map(_marker, markers)]}


def _marker(marker: Marker) -> Message:
    return {'header': {'frame_id': marker.frame_id}, 'ns': marker.ns, 'id': marker.id,
            'type': KINDS[marker.kind], 'pose': _pose(marker.pose, marker.height),
            'scale': dict(zip('xyz', marker.scale)), 'color': dict(zip('rgba', marker.colour)),
            'frame_locked': marker.frame_locked, 'points': list(map(_point, marker.points)),
            'text': marker.text}
