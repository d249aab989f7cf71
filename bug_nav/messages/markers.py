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
Markers of a goal: robot, start, goal, M-line, hit and leave points, certificate and state.

The M-line is shown for algorithms that have one. The markers are independent of ROS:
`bug_nav.ros.node.markers` converts them to messages for rviz, and recordings contain them too.
"""

from __future__ import annotations

import math
from typing import Iterable, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.types import Event

COLOURS = {
    'hit_points': (1.0, 0.36, 0.33),
    'leave_points': (0.36, 0.88, 0.36),
    'start': (0.60, 0.60, 0.60),
    'm_line': (0.60, 0.60, 0.60),
    'goal': (0.25, 0.60, 0.95),
    'state': (1.0, 1.0, 1.0),
    'robot': (0.95, 0.75, 0.35),
    'contour_radius': (0.74, 0.74, 0.13),
    'certificate': (0.93, 0.32, 0.72),
}
DOT = 0.13
"""Size of a hit or leave point, and of the start [m]."""
LETTER = 0.18
"""Height of a letter [m]."""
LINK, KNOT = 0.04, 0.07
"""Width of the line of a certificate, and size of its points [m]."""
MAX_POINTS = 256
"""Maximum number of hit or leave points shown; the latest ones."""
MAX_NAME_LENGTH = 128
CORNERS = 48
"""Corners of the circle of the contour radius."""


class Body(NamedTuple):
    """The robot, for its markers."""

    frame_id: str
    """Base frame."""
    radius: float
    """Radius R of the robot [m]."""
    contour_radius: float
    """Contour radius rho; obstacles within it are hit [m]."""


class Marker(NamedTuple):
    """A marker with the fields of `visualization_msgs/Marker` that are in use."""

    frame_id: str
    """Frame at its latest transform, because the marker has no stamp."""
    kind: str
    """Name of the type constant."""
    ns: str
    id: int  # noqa: A003
    scale: Tuple[float, float, float]
    pose: Pose = IDENTITY
    height: float = 0.0
    """z of the pose [m]."""
    points: Tuple[Point, ...] = ()
    text: str = ''
    alpha: float = 1.0
    frame_locked: bool = False

    @property
    def colour(self) -> Tuple[float, float, float, float]:
        """Red, green, blue and alpha, 0 to 1."""
        return (*COLOURS[self.ns], self.alpha)


def build(frame_id: str, body: Body, start: Optional[Point], goal: Optional[Pose],
          tolerance: float, events: Sequence[Event], state: str,
          certificate: Sequence[Point] = (), placed: Pose = IDENTITY, has_m_line: bool = True
          ) -> List[Marker]:
    """
    Return all markers.

    ``start`` and ``goal`` (None if unknown), the events, and the ``certificate`` of an unreachable
    goal are in a frame whose pose in ``frame_id`` is ``placed``. ``has_m_line``: whether the
    algorithm has an M-line.
    """
    markers = [
        *_points(frame_id, 'hit_points', 'H', [event for event in events if event.kind == 'hit']),
        *_points(frame_id, 'leave_points', 'L',
                 [event for event in events if event.kind == 'leave'])]
    if goal is not None:
        markers.append(Marker(frame_id, 'CYLINDER', 'goal', 0,
                              (2.0 * tolerance, 2.0 * tolerance, 0.01), goal, alpha=0.6))
        if start is not None:
            markers += _start_and_m_line(frame_id, start, goal.position, has_m_line)
    if certificate:
        chain = tuple(certificate)
        markers += [
            Marker(frame_id, 'LINE_STRIP', 'certificate', 0, (LINK, 0.0, 0.0),
                   points=(*chain, chain[0])),
            Marker(frame_id, 'SPHERE_LIST', 'certificate', 1, (KNOT, KNOT, KNOT), points=chain)]
    markers = [*_robot(body),
               *(marker._replace(pose=placed.compose(marker.pose)) for marker in markers)]
    # Two empty lines move the text above the robot in a top view.
    markers.append(Marker(body.frame_id, 'TEXT_VIEW_FACING', 'state', 0, (0.0, 0.0, LETTER),
                          height=0.4, text=f'{state}\n\n', frame_locked=True))
    return markers


def state_name(algorithm: str, stack: Sequence[str]) -> str:
    """Return the stack of states, outermost first, as one name."""
    return '/'.join((algorithm, *stack))[:MAX_NAME_LENGTH]


def _robot(body: Body) -> Iterable[Marker]:
    """Yield body, heading and contour radius in the base frame, so that they move with it."""
    width = 2.0 * body.radius
    yield Marker(body.frame_id, 'CYLINDER', 'robot', 0, (width, width, 0.1), height=0.05,
                 alpha=0.5, frame_locked=True)
    yield Marker(body.frame_id, 'LINE_STRIP', 'robot', 1, (0.025, 0.0, 0.0), height=0.11,
                 points=((0.0, 0.0), (body.radius, 0.0)), frame_locked=True)
    turns = [2.0 * math.pi * corner / CORNERS for corner in range(CORNERS + 1)]
    ring = tuple((body.contour_radius * math.cos(turn), body.contour_radius * math.sin(turn))
                 for turn in turns)
    yield Marker(body.frame_id, 'LINE_STRIP', 'contour_radius', 0, (0.01, 0.0, 0.0), points=ring,
                 frame_locked=True)


def _start_and_m_line(frame_id: str, start: Point, goal: Point, has_m_line: bool
                      ) -> Iterable[Marker]:
    """Yield the start and the line from there to the goal."""
    yield Marker(frame_id, 'CYLINDER', 'start', 0, (DOT, DOT, 0.01), Pose(*start, 0.0))
    if has_m_line:
        yield Marker(frame_id, 'LINE_STRIP', 'm_line', 0, (0.02, 0.0, 0.0), points=(start, goal))


def _points(frame_id: str, name: str, letter: str, events: List[Event]) -> Iterable[Marker]:
    """Yield the dots as one marker with id 0, and one marker for each number."""
    events = events[-MAX_POINTS:]
    if not events:
        return
    yield Marker(frame_id, 'SPHERE_LIST', name, 0, (DOT, DOT, DOT),
                 points=tuple(event.pose.position for event in events))
    for event in events:
        yield Marker(frame_id, 'TEXT_VIEW_FACING', name, event.index, (0.0, 0.0, LETTER),
                     Pose(event.pose.x, event.pose.y + LETTER, 0.0), 1.5 * LETTER,
                     text=f'{letter}{event.index}')
