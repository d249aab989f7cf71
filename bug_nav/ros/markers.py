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
What rviz shows of a goal: hit and leave points, M-line, goal and state.

Every message holds the complete set behind a DELETEALL, so that one message is enough: the topic
is latched with depth 1, and whoever comes late or misses one sees the same as everybody.
"""

from __future__ import annotations

from typing import Iterable, List, Optional, Sequence, Tuple

from bug_nav.geometry import Point, Pose
from bug_nav.interface import Event
from bug_nav.ros.conversions import to_pose
from bug_nav.ros.results import of_kind, POINTS
from geometry_msgs.msg import Point as PointMsg
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

COLOURS = {
    'hit_points': (0.84, 0.15, 0.16),
    'leave_points': (0.17, 0.63, 0.17),
    'm_line': (0.50, 0.50, 0.50),
    'goal': (0.12, 0.47, 0.71),
    'state': (1.0, 1.0, 1.0),
}
DOT = 0.08
"""Size of a hit or leave point [m]."""
LETTER = 0.12
"""Height of a letter [m]."""


def build(frame_id: str, base_frame: str, start: Optional[Point], goal: Optional[Pose],
          tolerance: float, events: Sequence[Event], state: str) -> MarkerArray:
    """Return the complete set; ``start`` and ``goal`` are in ``frame_id``, None if unknown."""
    markers = [Marker(action=Marker.DELETEALL)]
    markers += _points(frame_id, 'hit_points', 'H', of_kind(events, 'hit'))
    markers += _points(frame_id, 'leave_points', 'L', of_kind(events, 'leave'))
    if goal is not None:
        markers.append(_goal(frame_id, goal, tolerance))
        if start is not None:
            markers.append(_m_line(frame_id, start, goal.position))
    if state:
        markers.append(_state(base_frame, state))
    return MarkerArray(markers=markers)


def _marker(frame_id: str, kind: str, name: str, number: int, scale: Tuple[float, float, float]
            ) -> Marker:
    """Return a marker without a stamp: it is shown in its frame as that is now."""
    red, green, blue = COLOURS[name]
    marker = Marker(ns=name, id=number, type=getattr(Marker, kind), action=Marker.ADD,
                    color=ColorRGBA(r=red, g=green, b=blue, a=1.0))
    marker.header.frame_id = frame_id
    marker.pose.orientation.w = 1.0
    marker.scale.x, marker.scale.y, marker.scale.z = scale
    return marker


def _points(frame_id: str, name: str, letter: str, events: List[Event]) -> Iterable[Marker]:
    """Yield the dots as one marker with id 0, and their numbers as one marker each."""
    events = events[-POINTS:]
    if not events:
        return
    dots = _marker(frame_id, 'SPHERE_LIST', name, 0, (DOT, DOT, DOT))
    dots.points = [_point(event.pose.position) for event in events]
    yield dots
    for event in events:
        label = _marker(frame_id, 'TEXT_VIEW_FACING', name, event.index, (0.0, 0.0, LETTER))
        label.pose.position = _point(event.pose.position, 1.5 * LETTER)
        label.text = f'{letter}{event.index}'
        yield label


def _goal(frame_id: str, goal: Pose, tolerance: float) -> Marker:
    marker = _marker(frame_id, 'CYLINDER', 'goal', 0, (2.0 * tolerance, 2.0 * tolerance, 0.01))
    marker.pose = to_pose(goal)
    marker.color.a = 0.6
    return marker


def _m_line(frame_id: str, start: Point, goal: Point) -> Marker:
    marker = _marker(frame_id, 'LINE_STRIP', 'm_line', 0, (0.02, 0.0, 0.0))
    marker.points = [_point(start), _point(goal)]
    return marker


def _state(base_frame: str, text: str) -> Marker:
    """Return the text above the robot; in the robot's frame, it moves without being sent anew."""
    marker = _marker(base_frame, 'TEXT_VIEW_FACING', 'state', 0, (0.0, 0.0, LETTER))
    marker.pose.position.z = 0.4
    marker.frame_locked = True
    marker.text = text
    return marker


def _point(place: Point, z: float = 0.0) -> PointMsg:
    return PointMsg(x=float(place[0]), y=float(place[1]), z=z)
