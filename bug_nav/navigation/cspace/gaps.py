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
The memory of narrow gaps: passed gaps stay open, refused gaps stay closed.

A gap near 2 rho is judged open in one scan and closed in another, because no two scans measure its
edges alike. The contour would then not be a closed curve, and a lap of it no proof. Therefore the
first judgement of a gap is kept until the end of the goal.

Noise only makes a gap look narrower, because the nearest of many points counts. Therefore a gap is
closed only if a disc that is smaller by `EASE` cannot pass either.
"""

from __future__ import annotations

import math
from typing import List, Tuple

from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.geometry import distance, Point
import numpy as np

NARROW = 0.06
"""Narrow gaps are between 2 rho - this and 2 rho + this wide [m]."""
PLUG_RADIUS = 0.05
"""Inflation radius of the plug in a closed gap [m]."""
SAME_GAP = 0.10
"""
Maximum distance between judgements of the same gap [m].

The mouth and the throat of a gap that narrows are two: the robot may pass the mouth while the disc
that rolls ahead of it is refused at the throat.
"""
MARK_SPACING = 0.05
"""Distance between the marks of a passage [m]."""
EASE = 0.015
"""Reduction of rho around the marks of a passage, so that it is certainly open [m]."""
TRACE_SLACK = 0.004
"""Distance of points from a disc in the middle between two marks of a free trace [m]."""
EASE_REACH = 2.0
"""Distance from a mark within which rho is reduced [contour radii]."""
SMALL_RADIUS = 0.15
"""Contour radius below which all these lengths are smaller in proportion [m]."""


class GapMemory:
    """Judgements of narrow gaps on the way to one goal (odometry frame)."""

    def __init__(self, contour_radius: float):
        """Start without judgements, for a contour radius rho [m]."""
        scale = self.scale = min(contour_radius / SMALL_RADIUS, 1.0)
        """Scale of lengths for a small robot, else 1."""
        self.width = 2.0 * contour_radius
        """Width of ambiguous gaps [m]."""
        self.narrow = scale * NARROW
        """`NARROW` for this robot [m]."""
        self.plug_radius = scale * PLUG_RADIUS
        """`PLUG_RADIUS` for this robot [m]."""
        self.ease = scale * EASE
        """`EASE` for this robot [m]."""
        self._same_gap, self._spacing = scale * SAME_GAP, scale * MARK_SPACING
        self._ease_reach = EASE_REACH * contour_radius
        self.plugs: List[Point] = []
        self.passages: List[Point] = []
        self.changes = 0
        """Number of changes of the judgements."""
        self._assumed_open: List[Point] = []
        self._is_trace_free, self._trace = False, _table([])
        self.kernel_limits = (self.width, self.narrow, self.plug_radius)
        """Width, tolerance and plug radius, for kernels."""
        self.judgements = _table([]), _table([])
        """The passages and the plugs, (n, 2) each [m]: the same object until they change."""

    def apply(self, points: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return points (n, 2) and plugs, and the inflation radius of each, (n,) [m].

        It is rho, slightly less around a passage, and little for a plug.
        """
        rho = 0.5 * self.width
        passages, plugs = self.judgements
        centres, radii = kernels.inflate(points, rho, passages, self._ease_reach, rho - self.ease,
                                         plugs, self.plug_radius)
        if self._is_trace_free:
            kernels.free_places(points, radii, self._trace, self.scale * TRACE_SLACK)
        return centres, radii

    def _update_tables(self) -> None:
        """Update the tables after a change of the judgements."""
        self.judgements = _table(self.passages), _table(self.plugs)
        if self._is_trace_free:
            self._trace = _table([each for each in self.passages
                                  if each not in self._assumed_open])
        self.changes += 1

    def is_narrow(self, one: Point, other: Point) -> bool:
        """Return whether a gap between two edges is ambiguous."""
        return abs(distance(one, other) - self.width) < self.narrow

    def assume_open(self, place: Point) -> bool:
        """Treat the gap at ``place`` as open until it is refused; at most once per gap."""
        if _near(place, self._assumed_open, self._same_gap) or _near(place, self.plugs,
                                                                     self._same_gap):
            return False
        self._assumed_open.append(place)
        self.mark_passed(place)
        return True

    def close(self, place: Point, direction: Point) -> bool:
        """Close a gap at ``place`` although it was passed; return whether it was open."""
        count, around = len(self.plugs), self._same_gap + self.plug_radius
        self.passages = [each for each in self.passages if distance(each, place) >= around]
        self._update_tables()
        self.mark_closed(place, direction)
        return len(self.plugs) > count

    def mark_closed(self, place: Point, direction: Point) -> None:
        """
        Mark the gap at ``place`` as closed.

        ``direction`` is the unit vector into the gap. The plug touches the place, so that the
        contour there does not change.
        """
        for assumed in self._assumed_open:
            if assumed in self.passages and distance(assumed, place) < self._same_gap:
                self.passages.remove(assumed)
                self._update_tables()
        plug = (place[0] + self.plug_radius * direction[0],
                place[1] + self.plug_radius * direction[1])
        if not (_near(plug, self.passages, self._same_gap)
                or _near(plug, self.plugs, self._spacing)):
            self.plugs.append(plug)
            self._update_tables()

    def mark_passed(self, place: Point) -> None:
        """Record that the robot passes a narrow gap at ``place``."""
        if not (_near(place, self.plugs, self._same_gap)
                or _near(place, self.passages, self._spacing)):
            self.passages.append(place)
            self._update_tables()

    def mark_entered(self, place: Point) -> bool:
        """Open the gap around the place of the robot; return whether it was closed."""
        was_closed = self._unplug(place, self._same_gap)
        self.mark_passed(place)
        return was_closed

    def free_trace(self, place: Point) -> bool:
        """
        Reduce rho so that the robot can stand where it was in passages; return if that is new.

        The robot is at ``place``, and noise has closed the passage around it.
        """
        is_first, count = not self._is_trace_free, len(self.passages)
        self._is_trace_free = True
        self.mark_entered(place)
        if is_first:
            self._update_tables()
        return is_first or len(self.passages) > count

    def reopen(self, place: Point) -> None:
        """Open the gap whose middle is ``place`` if it is closed."""
        if self._unplug(place, 0.5 * self.width):
            self.mark_passed(place)

    def reopen_along(self, places: np.ndarray) -> None:
        """Open all closed gaps beside a lap of ``places`` (n, 2) that has an exit."""
        for x, y in self.plugs.copy():
            if np.any(np.hypot(places[:, 0] - x, places[:, 1] - y) < 0.5 * self.width):
                self.reopen((x, y))

    def _unplug(self, place: Point, around: float) -> bool:
        kept = [plug for plug in self.plugs if distance(plug, place) >= around]
        was_closed = len(kept) < len(self.plugs)
        self.plugs = kept
        if was_closed:
            self._update_tables()
        return was_closed


def _table(places: List[Point]) -> np.ndarray:
    return np.array(places, dtype=float).reshape(-1, 2)


def _near(place: Point, places: List[Point], reach: float) -> bool:
    for x, y in places:  # called at every tick: without a generator, for speed
        if math.hypot(x - place[0], y - place[1]) < reach:
            return True
    return False
