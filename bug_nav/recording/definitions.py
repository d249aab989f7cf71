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
Message definitions for recordings, as in ROS 2 Humble.

A recording contains the definition of each message type, so that readers need no ROS; with this
file, the writer needs none either. Source: the packages common_interfaces, rcl_interfaces and
geometry2 of ROS 2 (Apache-2.0), without their comments.
"""

from __future__ import annotations

import re
from typing import Iterator, List

_TEXTS = {
    'builtin_interfaces/Duration': """
int32 sec
uint32 nanosec
""",
    'builtin_interfaces/Time': """
int32 sec
uint32 nanosec
""",
    'geometry_msgs/Point': """
float64 x
float64 y
float64 z
""",
    'geometry_msgs/Pose': """
Point position
Quaternion orientation
""",
    'geometry_msgs/PoseStamped': """
std_msgs/Header header
Pose pose
""",
    'geometry_msgs/PoseWithCovariance': """
Pose pose
float64[36] covariance
""",
    'geometry_msgs/Quaternion': """
float64 x 0
float64 y 0
float64 z 0
float64 w 1
""",
    'geometry_msgs/Transform': """
Vector3 translation
Quaternion rotation
""",
    'geometry_msgs/TransformStamped': """
std_msgs/Header header
string child_frame_id
Transform transform
""",
    'geometry_msgs/Twist': """
Vector3 linear
Vector3 angular
""",
    'geometry_msgs/TwistStamped': """
std_msgs/Header header
Twist twist
""",
    'geometry_msgs/TwistWithCovariance': """
Twist twist
float64[36] covariance
""",
    'geometry_msgs/Vector3': """
float64 x
float64 y
float64 z
""",
    'nav_msgs/Odometry': """
std_msgs/Header header
string child_frame_id
geometry_msgs/PoseWithCovariance pose
geometry_msgs/TwistWithCovariance twist
""",
    'nav_msgs/Path': """
std_msgs/Header header
geometry_msgs/PoseStamped[] poses
""",
    'sensor_msgs/CompressedImage': """
std_msgs/Header header
string format
uint8[] data
""",
    'sensor_msgs/LaserScan': """
std_msgs/Header header
float32 angle_min
float32 angle_max
float32 angle_increment
float32 time_increment
float32 scan_time
float32 range_min
float32 range_max
float32[] ranges
float32[] intensities
""",
    'sensor_msgs/Range': """
std_msgs/Header header
uint8 ULTRASOUND=0
uint8 INFRARED=1
uint8 radiation_type
float32 field_of_view
float32 min_range
float32 max_range
float32 range
""",
    'std_msgs/ColorRGBA': """
float32 r
float32 g
float32 b
float32 a
""",
    'std_msgs/Header': """
builtin_interfaces/Time stamp
string frame_id
""",
    'std_msgs/String': """
string data
""",
    'tf2_msgs/TFMessage': """
geometry_msgs/TransformStamped[] transforms
""",
    'visualization_msgs/Marker': """
int32 ARROW=0
int32 CUBE=1
int32 SPHERE=2
int32 CYLINDER=3
int32 LINE_STRIP=4
int32 LINE_LIST=5
int32 CUBE_LIST=6
int32 SPHERE_LIST=7
int32 POINTS=8
int32 TEXT_VIEW_FACING=9
int32 MESH_RESOURCE=10
int32 TRIANGLE_LIST=11
int32 ADD=0
int32 MODIFY=0
int32 DELETE=2
int32 DELETEALL=3
std_msgs/Header header
string ns
int32 id
int32 type
int32 action
geometry_msgs/Pose pose
geometry_msgs/Vector3 scale
std_msgs/ColorRGBA color
builtin_interfaces/Duration lifetime
bool frame_locked
geometry_msgs/Point[] points
std_msgs/ColorRGBA[] colors
string texture_resource
sensor_msgs/CompressedImage texture
UVCoordinate[] uv_coordinates
string text
string mesh_resource
MeshFile mesh_file
bool mesh_use_embedded_materials
""",
    'visualization_msgs/MarkerArray': """
Marker[] markers
""",
    'visualization_msgs/MeshFile': """
string filename
uint8[] data
""",
    'visualization_msgs/UVCoordinate': """
float32 u
float32 v
""",
}
_COMPLEX = re.compile(r'^((?:\w+/)?[A-Z]\w*)(?:\[\d*\])? ', re.MULTILINE)
"""A field whose type is a message, of the same or a named package."""
SEPARATOR = '=' * 80


def definition(datatype: str) -> str:
    """
    Return the definition of a message and, after separators, of all messages in it.

    ``datatype`` is a name such as 'nav_msgs/msg/Odometry'; KeyError if it is unknown.
    """
    package, _, name = datatype.partition('/msg/')
    first, *others = _with_parts(f'{package}/{name}')
    return _TEXTS[first].lstrip() + ''.join(
        f'{SEPARATOR}\nMSG: {other}\n{_TEXTS[other].lstrip()}' for other in others)


def _with_parts(name: str) -> List[str]:
    """Return the name of a message and of all messages in it, each once."""
    found = [name]
    for known in found:  # grows in the loop
        found.extend(part for part in dict.fromkeys(_parts(known)) if part not in found)
    return found


def _parts(name: str) -> Iterator[str]:
    package = name.partition('/')[0]
    for match in _COMPLEX.finditer(_TEXTS[name]):
        kind = match.group(1)
        yield kind if '/' in kind else f'{package}/{kind}'
