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
Poses, angles and segments in the plane.

Lengths are in metres, angles in radians counter-clockwise (REP-103). A point is ``(x, y)``.
"""

from __future__ import annotations

import bisect
import math
import operator
from typing import List, NamedTuple, Optional, Tuple

Point = Tuple[float, float]


def wrap(angle: float) -> float:
    """Return ``angle`` in [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


distance = math.dist
"""Return the distance between two points."""


def bearing(a: Point, b: Point) -> float:
    """Return the direction from ``a`` to ``b``, in the frame of both."""
    return math.atan2(b[1] - a[1], b[0] - a[0])


class Pose(NamedTuple):
    """A position and a heading; also the rigid transform from the origin to it."""

    x: float
    y: float
    theta: float

    @property
    def position(self) -> Point:
        """Return the position alone."""
        return self.x, self.y

    def apply(self, point: Point) -> Point:
        """Transform a point from this pose's frame to the frame in which the pose is given."""
        if self == IDENTITY:
            return point
        cos, sin = math.cos(self.theta), math.sin(self.theta)
        return self.x + cos * point[0] - sin * point[1], self.y + sin * point[0] + cos * point[1]

    def compose(self, other: Pose) -> Pose:
        """Transform a pose from this pose's frame to the frame in which this one is given."""
        return Pose(*self.apply(other[:2]), wrap(self.theta + other.theta))

    def inverse(self) -> Pose:
        """Return the inverse transform."""
        cos, sin = math.cos(self.theta), math.sin(self.theta)
        return Pose(-cos * self.x - sin * self.y, sin * self.x - cos * self.y, wrap(-self.theta))


IDENTITY = Pose(0.0, 0.0, 0.0)


class Segment(NamedTuple):
    """A directed straight segment, such as the M-line."""

    a: Point
    b: Point

    @property
    def length(self) -> float:
        """Return the distance between the ends."""
        return distance(self.a, self.b)

    def offset(self, point: Point) -> float:
        """Return the signed distance of a point from the line, positive on its left."""
        length = self.length
        if length == 0.0:
            return distance(self.a, point)
        return ((self.b[0] - self.a[0]) * (point[1] - self.a[1])
                - (self.b[1] - self.a[1]) * (point[0] - self.a[0])) / length

    def abscissa(self, point: Point) -> float:
        """Return the coordinate of the foot of a point along the line, from ``a``."""
        length = self.length
        if length == 0.0:
            return 0.0
        return ((self.b[0] - self.a[0]) * (point[0] - self.a[0])
                + (self.b[1] - self.a[1]) * (point[1] - self.a[1])) / length

    def distance(self, point: Point) -> float:
        """Return the distance of a point from the segment."""
        along = min(max(self.abscissa(point), 0.0), self.length)
        t = along / self.length if self.length else 0.0
        return distance(point, (self.a[0] + t * (self.b[0] - self.a[0]),
                                self.a[1] + t * (self.b[1] - self.a[1])))

    def crossing(self, before: Point, after: Point) -> Optional[Point]:
        """
        Return where the step from ``before`` to ``after`` crosses the segment.

        None if it does not. A step that ends on the line crosses it and one that begins on it does
        not, so that no crossing is counted twice or lost between two steps.
        """
        (ax, ay), (bx, by) = self.a, self.b
        ux, uy = bx - ax, by - ay
        # Twice the areas between the ends of the step and the segment: their signs are the sides.
        e0 = ux * (before[1] - ay) - uy * (before[0] - ax)
        e1 = ux * (after[1] - ay) - uy * (after[0] - ax)
        if e0 == 0.0 or e0 * e1 > 0.0 or e0 == e1:
            return None
        t = e0 / (e0 - e1)
        place = (before[0] + t * (after[0] - before[0]), before[1] + t * (after[1] - before[1]))
        along = ux * (place[0] - ax) + uy * (place[1] - ay)
        return place if 0.0 <= along <= ux * ux + uy * uy else None


class PoseHistory:
    """The poses of the last seconds, for queries at earlier times."""

    def __init__(self, span: float = 2.0):
        """Keep the poses of the last ``span`` seconds."""
        self.span = span
        self._stamps: List[float] = []
        self._poses: List[Pose] = []
        self.newest = -math.inf
        """The stamp of the newest pose, -inf if there is none."""

    def append(self, stamp: float, pose: Pose) -> None:
        """Add a pose; ignore one that is not newer than the newest."""
        if stamp <= self.newest:
            return
        self.newest = stamp
        self._stamps.append(stamp)
        self._poses.append(pose)
        if stamp - self._stamps[0] > 2.0 * self.span:
            keep = bisect.bisect_left(self._stamps, stamp - self.span)
            del self._stamps[:keep], self._poses[:keep]

    @property
    def oldest(self) -> float:
        """Return the stamp of the oldest pose, inf if there is none."""
        return self._stamps[0] if self._stamps else math.inf

    def gap(self, since: float, until: float) -> float:
        """Return the longest time between two poses that are used between two times [s]."""
        first = max(bisect.bisect_right(self._stamps, since) - 1, 0)
        last = bisect.bisect_left(self._stamps, until) + 1
        known = self._stamps[first:last]
        return max(map(operator.sub, known[1:], known), default=0.0)

    def at(self, stamp: float) -> Optional[Pose]:
        """
        Return the interpolated pose at ``stamp``; the oldest one for any earlier time.

        None if no pose is as new as ``stamp``.
        """
        if stamp > self.newest:
            return None
        i = bisect.bisect_left(self._stamps, stamp)
        after = self._poses[i]
        if i == 0 or self._stamps[i] == stamp:
            return after
        before = self._poses[i - 1]
        t = (stamp - self._stamps[i - 1]) / (self._stamps[i] - self._stamps[i - 1])
        return Pose(before.x + t * (after.x - before.x),
                    before.y + t * (after.y - before.y),
                    wrap(before.theta + t * wrap(after.theta - before.theta)))

    def between(self, since: float, until: float) -> List[Tuple[float, float, float, float]]:
        """Return stamps and poses that enclose an interval [s], (stamp, x, y, theta) each."""
        first = max(bisect.bisect_right(self._stamps, since) - 1, 0)
        last = bisect.bisect_left(self._stamps, until) + 1
        return [(stamp, *pose) for stamp, pose in zip(self._stamps[first:last],
                                                      self._poses[first:last])]

    @property
    def known(self) -> Tuple[List[float], List[Pose]]:
        """Return the stamps and the poses, oldest first."""
        return self._stamps, self._poses
