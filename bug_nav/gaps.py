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

Near 2 rho a robot judges a gap now shut, now open, for its error of tracking is a centimetre.
The contour would be no closed curve, and a lap of it no proof. So each judgement is kept for as
long as the goal: near a gap that was refused the disc is taken a little larger, near one that was
passed a little smaller.
"""

from __future__ import annotations

from typing import List, NamedTuple

from bug_nav.geometry import distance, Point

HYSTERESIS = 0.03
"""By how much the disc is taken larger or smaller [m]."""
REACH = 0.35
"""How far [m] from the place where a gap was judged the judgement holds."""
SPACING = 0.05
"""Judgements alike are not kept more densely than this [m]."""


class Judgement(NamedTuple):
    """How a gap was judged, and where the robot was then (odometry's frame)."""

    place: Point
    passed: bool


class GapMemory:
    """What has been judged of narrow gaps on the way to one goal."""

    def __init__(self) -> None:
        """Begin with no judgement."""
        self.judgements: List[Judgement] = []

    def judge(self, place: Point, passed: bool) -> None:
        """Remember a judgement, unless an earlier one holds at the place."""
        for judgement in self.judgements:
            if distance(judgement.place, place) < (
                    SPACING if judgement.passed == passed else REACH):
                return
        self.judgements.append(Judgement(place, passed))

    def margin(self, place: Point) -> float:
        """Return what to add to the disc's radius at a place [m]: the nearest judgement decides."""
        near = min(self.judgements, key=lambda j: distance(j.place, place), default=None)
        if near is None or distance(near.place, place) > REACH:
            return 0.0
        return -HYSTERESIS if near.passed else HYSTERESIS
