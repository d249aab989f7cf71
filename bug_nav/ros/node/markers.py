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
Markers of a goal as messages.

Every message is a DELETEALL followed by all markers: the topic is latched with depth 1, so that
subscribers that join late or miss messages see the same.
"""

from __future__ import annotations

from typing import Any

from bug_nav.messages import markers
from bug_nav.navigation.geometry import Point
from bug_nav.ros.conversions import to_pose
from geometry_msgs.msg import Point as PointMsg
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray


def build(*arguments: Any) -> MarkerArray:
    """Return all markers; the arguments are those of `bug_nav.messages.markers.build`."""
    return MarkerArray(markers=[Marker(action=Marker.DELETEALL),
                                *map(_to_message, markers.build(*arguments))])


def _to_message(marker: markers.Marker) -> Marker:
    red, green, blue, alpha = marker.colour
    message = Marker(
        ns=marker.ns, id=marker.id, type=getattr(Marker, marker.kind), action=Marker.ADD,
        pose=to_pose(marker.pose), color=ColorRGBA(r=red, g=green, b=blue, a=alpha),
        frame_locked=marker.frame_locked, points=list(map(_to_point, marker.points)),
        text=marker.text)
    message.header.frame_id = marker.frame_id
    message.pose.position.z = marker.height
    message.scale.x, message.scale.y, message.scale.z = marker.scale
    return message


def _to_point(place: Point) -> PointMsg:
    return PointMsg(x=float(place[0]), y=float(place[1]), z=0.0)
