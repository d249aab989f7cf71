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
The memory of narrow gaps: what has been passed stays open, what has been refused stays shut.

A gap near 2 rho is judged now shut, now open, for two scans never show quite the same jambs. The
contour would be no closed curve then, and a lap of it no proof. So the first judgement of a gap
is kept for as long as the goal.

Noise can only make a gap look narrower than it is, for it is the nearest of many points that
count. So a gap is shut where a disc that is smaller by `EASE` cannot pass it either.
"""

from __future__ import annotations

import math
from typing import List, Tuple

from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.geometry import distance, Point
import numpy as np

NARROW = 0.06
"""A gap is narrow from 2 rho - this to 2 rho + this [m]."""
PLUG_RADIUS = 0.05
"""A shut gap has a plug in it, which the centre of the robot keeps this far from [m]."""
SAME = 0.10
"""
Judgements nearer to each other than this [m] are about one gap.

The mouth and the throat of one that narrows inside are two: the robot may pass the one, and the
disc that rolls ahead of it be refused at the other.
"""
SPACING = 0.05
"""A passage is marked so densely [m]."""
EASE = 0.015
"""Around a mark of a passage rho is taken smaller by this [m], so that it is open for certain."""
EASE_REACH = 0.30
"""How far around [m]."""
SMALL = 0.15
"""For a contour radius below this [m] all of these are smaller by as much."""


class GapMemory:
    """What has been judged of narrow gaps on the way to one goal (odometry's frame)."""

    def __init__(self, contour_radius: float):
        """Begin with no judgement, for a contour radius rho [m]."""
        share = self.share = min(contour_radius / SMALL, 1.0)
        """Of what holds for a robot that is not small."""
        self.width = 2.0 * contour_radius
        """Gaps of about this width can be judged either way [m]."""
        self.narrow = share * NARROW
        """See `NARROW`."""
        self.plug_radius = share * PLUG_RADIUS
        """See `PLUG_RADIUS`."""
        self.ease = share * EASE
        """See `EASE`."""
        self._same, self._spacing = share * SAME, share * SPACING
        self._ease_reach = share * EASE_REACH
        self.plugs: List[Point] = []
        self.passages: List[Point] = []
        self.changes = 0
        """How often gaps were judged, or judged anew."""
        self._doubted: List[Point] = []
        self.kind = (self.width, self.narrow, self.plug_radius)
        """The same for the kernels."""
        self.judgements = _table([]), _table([])
        """The passages and the plugs, (n, 2) each [m]: the same object until one is new."""

    def apply(self, points: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return points (n, 2) and plugs, and how far the robot's centre keeps from each, (n,) [m].

        That is rho, a little less around a passage, and little from a plug.
        """
        rho = 0.5 * self.width
        passages, plugs = self.judgements
        return kernels.kept_away(points, rho, passages, self._ease_reach, rho - self.ease,
                                 plugs, self.plug_radius)

    def _note(self) -> None:
        """Take note that the judgements are others now."""
        self.judgements = _table(self.passages), _table(self.plugs)
        self.changes += 1

    def is_narrow(self, one: Point, other: Point) -> bool:
        """Tell whether a gap between two jambs is one that can be judged either way."""
        return abs(distance(one, other) - self.width) < self.narrow

    def doubt(self, place: Point) -> bool:
        """Take the gap that begins at ``place`` for open until it is refused; once for each."""
        if _near(place, self._doubted, self._same) or _near(place, self.plugs, self._same):
            return False
        self._doubted.append(place)
        self.passing(place)
        return True

    def shut(self, place: Point, ahead: Point) -> bool:
        """Shut a gap at ``place`` though it has been passed so far; tell if it was open."""
        count, around = len(self.plugs), self._same + self.plug_radius
        self.passages = [each for each in self.passages if distance(each, place) >= around]
        self._note()
        self.refuse(place, ahead)
        return len(self.plugs) > count

    def refuse(self, place: Point, ahead: Point) -> None:
        """
        Remember that the gap that begins at ``place`` is shut.

        ``ahead`` is the unit vector into the gap. The plug touches the place, so that the contour
        stays as it is there.
        """
        for doubted in self._doubted:
            if doubted in self.passages and distance(doubted, place) < self._same:
                self.passages.remove(doubted)
                self._note()
        plug = (place[0] + self.plug_radius * ahead[0], place[1] + self.plug_radius * ahead[1])
        if not (_near(plug, self.passages, self._same)
                or _near(plug, self.plugs, self._spacing)):
            self.plugs.append(plug)
            self._note()

    def passing(self, place: Point) -> None:
        """Remember that the robot is passing a narrow gap at ``place``."""
        if not (_near(place, self.plugs, self._same)
                or _near(place, self.passages, self._spacing)):
            self.passages.append(place)
            self._note()

    def enter(self, place: Point) -> bool:
        """Judge the gap around a place, where the robot stands, as open; tell if it was shut."""
        was_shut = self._unplug(place, self._same)
        self.passing(place)
        return was_shut

    def reopen(self, place: Point) -> bool:
        """Judge the gap between two jambs, ``place`` half way, as open; tell if it was shut."""
        was_shut = self._unplug(place, 0.5 * self.width)
        if was_shut:
            self.passing(place)
        return was_shut

    def reopen_along(self, places: np.ndarray) -> None:
        """Judge all gaps as open that shut a round of ``places`` (n, 2), for it has a way out."""
        for x, y in self.plugs.copy():
            if np.any(np.hypot(places[:, 0] - x, places[:, 1] - y) < 0.5 * self.width):
                self.reopen((x, y))

    def _unplug(self, place: Point, around: float) -> bool:
        kept = [plug for plug in self.plugs if distance(plug, place) >= around]
        was_shut = len(kept) < len(self.plugs)
        self.plugs = kept
        if was_shut:
            self._note()
        return was_shut


def _table(places: List[Point]) -> np.ndarray:
    return np.array(places, dtype=float).reshape(-1, 2)


def _near(place: Point, places: List[Point], reach: float) -> bool:
    for x, y in places:  # at every tick, so without the cost of a generator and of calls
        if math.hypot(x - place[0], y - place[1]) < reach:
            return True
    return False
