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
Converts messages of a robot and its node to documents for a web page.

A document is a dict for JSON, with finite numbers and lists of bounded length.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from bug_nav.messages.sensor_messages import planar
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.types import Scan
import numpy as np

Document = Dict[str, Any]

MAX_BEAMS = 1000
"""Maximum number of beams shown: only every n-th beam of a larger scan is."""
MAX_ITEMS = 40
"""Maximum number of diagnostics shown, the worst first."""
MAX_TEXT = 300
"""Maximum length of names and messages of other nodes [characters]."""
STALE = 3
"""Level of outdated diagnostics, as in diagnostic_msgs/DiagnosticStatus."""
STALE_AFTER = 5.0
"""Age at which diagnostics, published at 1 Hz, are stale [s]."""
KINDS = {'hit_points': 'hit', 'leave_points': 'leave'}


class RobotOutline(NamedTuple):
    """Radius and contour radius of the robot, from the node's markers [m]."""

    radius: float
    contour_radius: float


# ---- the sensors ------------------------------------------------------------------------------

def scan_document(scan: Scan, base: Pose) -> Document:
    """Return a scan, taken at the pose ``base`` of the robot's frame."""
    stride = -(-len(scan.ranges) // MAX_BEAMS)
    ranges = scan.ranges[::stride]
    seen = np.isfinite(ranges) & (ranges >= scan.range_min) & (ranges <= scan.range_max)
    return {'type': 'scan', 'origin': rounded(base.compose(scan.mount)),
            'angle_min': scan.angle_min, 'angle_increment': stride * scan.angle_increment,
            'ranges': np.rint(100.0 * np.where(seen, ranges, 0.0)).astype(int).tolist()}


def rounded(pose: Pose) -> List[float]:
    """Return a pose rounded to 0.1 mm and 0.1 mrad."""
    return [round(value, 4) for value in pose]


# ---- the node ---------------------------------------------------------------------------------

def path_document(path: Any) -> Document:
    """Return the driven path (nav_msgs/Path)."""
    places = ((each.pose.position.x, each.pose.position.y) for each in path.poses)
    return {'type': 'path', 'xy': [
        round(1000.0 * value) for x, y in places if math.isfinite(x) and math.isfinite(y)
        for value in (x, y)]}


def robot_outline(markers: Any) -> Optional[RobotOutline]:
    """Return the radii of the robot in the node's markers, None without them."""
    disc = _find(markers, 'robot', 0)
    ring = _find(markers, 'contour_radius', 0)
    if disc is None or ring is None or not ring.points:
        return None
    corner = ring.points[0]
    return RobotOutline(0.5 * disc.scale.x, math.hypot(corner.x, corner.y))


def state_text(markers: Any) -> str:
    """Return the text of the state marker above the robot."""
    text = _find(markers, 'state', 0)
    return text.text.strip() if text is not None else ''


def marks_document(markers: Any) -> Document:
    """Return start, goal, hit and leave points and the certificate (the node's markers)."""
    start, goal = _find(markers, 'start', 0), _find(markers, 'goal', 0)
    chain = _find(markers, 'certificate', 0)
    return {
        'type': 'marks', 'start': rounded(planar(start.pose))[:2] if start is not None else None,
        'goal': rounded(planar(goal.pose))[:2] if goal is not None else None,
        'tolerance': round(0.5 * goal.scale.x, 4) if goal is not None else None,
        'events': list(_events(markers)),
        'certificate': _points(chain)[:-1]}  # the last point of the line repeats the first


def _events(markers: Any) -> Iterable[Document]:
    """Yield hit and leave points: one marker holds the dots, one each the number."""
    for space, kind in KINDS.items():
        numbers = [each.id for each in markers.markers if each.ns == space and each.id > 0]
        for index, (x, y) in zip(numbers, _points(_find(markers, space, 0))):
            yield {'kind': kind, 'index': index, 'x': x, 'y': y}


def _find(markers: Any, space: str, number: int) -> Any:
    return next((each for each in markers.markers if (each.ns, each.id) == (space, number)), None)


def _points(marker: Any) -> List[Point]:
    """Return the points of a marker, in its frame."""
    if marker is None:
        return []
    placed = planar(marker.pose)
    found = (placed.apply((point.x, point.y)) for point in marker.points)
    return [(round(x, 4), round(y, 4)) for x, y in found]


class Diagnostics:
    """The newest status of each name; outdated ones are stale."""

    def __init__(self) -> None:
        """Start empty."""
        self._newest: Dict[str, Tuple[float, int, str]] = {}

    def add_array(self, array: Any, now: float) -> None:
        """Add the statuses of a DiagnosticArray, received at ``now`` [s]."""
        for status in array.status:
            self.add(status.name[:MAX_TEXT], int.from_bytes(status.level, 'little'),
                     status.message[:MAX_TEXT], now)

    def add(self, name: str, level: int, message: str, now: float) -> None:
        """Add a status, received at ``now`` [s]."""
        self._newest[name] = now, min(level, STALE), message
        if len(self._newest) > 10 * MAX_ITEMS:  # a sender that invents names
            self._newest.pop(min(self._newest, key=lambda each: self._newest[each][0]))

    def document(self, now: float) -> Document:
        """Return the worst statuses, sorted by name."""
        items = [{'name': name, 'level': level if now - received < STALE_AFTER else STALE,
                  'message': message} for name, (received, level, message) in self._newest.items()]
        worst = sorted(items, key=lambda item: -int(str(item['level'])))[:MAX_ITEMS]
        return {'type': 'diagnostics', 'items': sorted(worst, key=lambda item: str(item['name']))}


def idle_state(state: str) -> Document:
    """Return the state of a node without a goal."""
    return {'type': 'state', 'state': state, 'algorithm': '', 'goal_distance': None,
            'path_length': None, 'hits': 0, 'leaves': 0, 'active': False}


def driving_state(feedback: Any) -> Document:
    """Return the state in the feedback of a goal."""
    algorithm, _, state = feedback.state_name.partition('/')
    return {'type': 'state', 'state': state, 'algorithm': algorithm,
            'goal_distance': finite(feedback.distance_remaining),
            'path_length': finite(feedback.path_length), 'hits': feedback.number_of_hits,
            'leaves': feedback.number_of_leaves, 'active': True}


def finite(value: float) -> Optional[float]:
    """Return a number rounded to 0.001, None if it is not finite."""
    return round(value, 3) if math.isfinite(value) else None
