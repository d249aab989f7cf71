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

"""Tests of corners along a boundary."""

from __future__ import annotations

import math
from typing import List

from arena import RHO
from bug_nav.navigation.behaviors.corner import Corner, SAMPLE_SPACING, STRIDE
from hypothesis import given
from hypothesis import strategies as st
import pytest

STEP = 0.01


class Wall:
    """A follower that advances one step per update."""

    def __init__(self, side: int, heading: float = 0.0) -> None:
        self.side, self.heading, self.centre = side, heading, (0.0, 0.0)

    def go(self, length: float, turn: float = 0.0) -> None:
        """Advance, and turn along the way."""
        self.heading += turn
        self.centre = (self.centre[0] + length * math.cos(self.heading),
                       self.centre[1] + length * math.sin(self.heading))


def detected(side: int, turn: float, radius: float = RHO, heading: float = 0.0) -> List[bool]:
    """Return whether a corner is detected, for each step along 1 m, an arc, and 1 m."""
    wall = Wall(side, heading)
    corner, seen = Corner(wall, radius), []
    arc = max(round(abs(turn) * radius / STEP), 1)
    for k in range(200 + arc):
        wall.go(STEP, turn / arc if 100 <= k < 100 + arc else 0.0)
        corner.update()
        seen.append(corner.is_rounded)
    return seen


@pytest.mark.parametrize('radius', [0.15, RHO, 0.6])
@pytest.mark.parametrize('side', [1, -1])
def test_corner_towards_the_wall_is_detected_while_it_is_rounded(side, radius):
    seen = detected(side, -side * 0.5 * math.pi, radius)
    begin, end = seen.index(True), len(seen) - seen[::-1].index(True)
    # It begins at 1 m; its begin and end are detected one or two strides late.
    arc, stride = 0.5 * math.pi * radius / STEP, STRIDE * SAMPLE_SPACING * radius / STEP
    assert 100 + stride < begin < 102 + 2.0 * stride
    assert 98 + arc < end < 102 + arc + stride
    assert all(seen[begin:end])


@pytest.mark.parametrize('side', [1, -1])
def test_concave_and_shallow_corners_are_not_detected(side):
    assert not any(detected(side, side * 0.5 * math.pi))
    assert not any(detected(side, -side * math.radians(15.0)))


@given(st.floats(-math.pi, math.pi))
def test_corner_detection_does_not_depend_on_the_heading(heading):
    assert sum(detected(1, -1.2, heading=heading)) == pytest.approx(sum(detected(1, -1.2)), abs=2)


def test_wall_is_straight_where_it_does_not_bend():
    wall = Wall(1)
    corner = Corner(wall, RHO)
    assert corner.is_straight
    for turn in (0.0, 0.5 * math.pi):
        wall.go(STEP, turn)
        for _ in range(13):
            wall.go(STEP)
            corner.update()
        assert corner.is_straight == (turn == 0.0)
