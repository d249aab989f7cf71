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
What the messages of a robot and its node show, as documents for a page.

Each is a dict that can be written as JSON: no number in it is infinite, and no list in it grows
with the run.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from bug_nav.core.geometry import Point, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.messages import planar
import numpy as np

Document = Dict[str, Any]

MOST_BEAMS = 1000
"""Of a scan with more, only every n-th beam is shown."""
MOST_ITEMS = 40
"""Of the diagnostics: the worst."""
MOST_TEXT = 300
"""Characters of a sentence of somebody else's."""
STALE = 3
"""The level of diagnostics that have not come for a while."""
SILENT = 5.0
"""So long [s]; they come once a second."""
KINDS = {'hit_points': 'hit', 'leave_points': 'leave'}


class Body(NamedTuple):
    """What the node's markers say of the robot itself."""

    radius: float
    contour_radius: float


# ---- the sensors ------------------------------------------------------------------------------

def scan_document(scan: Scan, base: Pose) -> Document:
    """Return a scan as it is drawn, from where the robot's frame was when it was taken."""
    stride = -(-len(scan.ranges) // MOST_BEAMS)
    ranges = scan.ranges[::stride]
    seen = np.isfinite(ranges) & (ranges >= scan.range_min) & (ranges <= scan.range_max)
    return {'type': 'scan', 'origin': rounded(base.compose(scan.mount)),
            'angle_min': scan.angle_min, 'angle_increment': stride * scan.angle_increment,
            'ranges': np.rint(100.0 * np.where(seen, ranges, 0.0)).astype(int).tolist()}


def rounded(pose: Pose) -> List[float]:
    """Return a pose in tenths of a millimetre and of a milliradian."""
    return [round(value, 4) for value in pose]


# ---- the node ---------------------------------------------------------------------------------

def path_document(path: Any) -> Document:
    """Return the driven path (nav_msgs/Path)."""
    return {'type': 'path', 'xy': [
        round(1000.0 * value) for each in path.poses
        for value in (each.pose.position.x, each.pose.position.y) if math.isfinite(value)]}


def body_of(markers: Any) -> Optional[Body]:
    """Return the robot as the node's markers show it; None where they do not."""
    disc = _find(markers, 'robot', 0)
    ring = _find(markers, 'contour_radius', 0)
    if disc is None or ring is None or not ring.points:
        return None
    corner = ring.points[0]
    return Body(0.5 * disc.scale.x, math.hypot(corner.x, corner.y))


def state_of(markers: Any) -> str:
    """Return the text that stands above the robot."""
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
        'certificate': _places(chain)[:-1]}  # its line comes back to where it began


def _events(markers: Any) -> Iterable[Document]:
    """Yield the points of each kind: a dot each in one marker, and a marker with its number."""
    for space, kind in KINDS.items():
        numbers = [each.id for each in markers.markers if each.ns == space and each.id > 0]
        for index, (x, y) in zip(numbers, _places(_find(markers, space, 0))):
            yield {'kind': kind, 'index': index, 'x': x, 'y': y}


def _find(markers: Any, space: str, number: int) -> Any:
    return next((each for each in markers.markers if (each.ns, each.id) == (space, number)), None)


def _places(marker: Any) -> List[Point]:
    """Return the points of a marker, where they are in its frame."""
    if marker is None:
        return []
    placed = planar(marker.pose)
    found = (placed.apply((point.x, point.y)) for point in marker.points)
    return [(round(x, 4), round(y, 4)) for x, y in found]


class Diagnostics:
    """The newest of each name; who has fallen silent is stale."""

    def __init__(self) -> None:
        """Begin with none."""
        self._heard: Dict[str, Tuple[float, int, str]] = {}

    def hear(self, array: Any, now: float) -> None:
        """Take in a DiagnosticArray."""
        for status in array.status:
            self.tell(status.name[:MOST_TEXT], int.from_bytes(status.level, 'little'),
                      status.message[:MOST_TEXT], now)

    def tell(self, name: str, level: int, message: str, now: float) -> None:
        """Take in one of them."""
        self._heard[name] = now, min(level, STALE), message
        if len(self._heard) > 10 * MOST_ITEMS:  # names that somebody makes up
            self._heard.pop(min(self._heard, key=lambda each: self._heard[each][0]))

    def document(self, now: float) -> Document:
        """Return the worst of them, by name."""
        items = [{'name': name, 'level': level if now - heard < SILENT else STALE,
                  'message': message} for name, (heard, level, message) in self._heard.items()]
        worst = sorted(items, key=lambda item: -int(str(item['level'])))[:MOST_ITEMS]
        return {'type': 'diagnostics', 'items': sorted(worst, key=lambda item: str(item['name']))}


def resting(state: str) -> Document:
    """Return the state of a node that drives to no goal."""
    return {'type': 'state', 'state': state, 'algorithm': '', 'goal_distance': None,
            'path_length': None, 'hits': 0, 'leaves': 0, 'active': False}


def driving(feedback: Any) -> Document:
    """Return the state that the feedback of a goal tells."""
    algorithm, _, state = feedback.state_name.partition('/')
    return {'type': 'state', 'state': state, 'algorithm': algorithm,
            'goal_distance': finite(feedback.distance_remaining),
            'path_length': finite(feedback.path_length), 'hits': feedback.number_of_hits,
            'leaves': feedback.number_of_leaves, 'active': True}


def finite(value: float) -> Optional[float]:
    """Return a number to the millimetre; None where it is none."""
    return round(value, 3) if math.isfinite(value) else None
