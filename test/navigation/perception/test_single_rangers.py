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

"""Tests of single rangers: their area, and the place of an object in a cone."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.observed_area import ObservedArea
from bug_nav.navigation.types import Scan
import numpy as np
import pytest

BODY = 0.1
CONE = math.radians(20.0)


def reading(r: float, mount: Pose = IDENTITY, cone: float = CONE) -> Scan:
    return Scan(0.0, np.array([r]), 0.0, cone, 0.0, 2.0, mount)


def covers(area: ObservedArea, x: float, y: float, radius: float = 0.03) -> bool:
    return area.covers(np.array([[x, y, 0.0]]), radius)


def test_area_without_a_reading_covers_nothing():
    assert not covers(ObservedArea(BODY), 0.0, 0.0)


def test_reading_covers_its_cone_up_to_the_obstacle_and_the_body():
    area = ObservedArea(BODY)
    area.add(reading(0.8), IDENTITY)
    assert covers(area, 0.0, 0.0, BODY)
    assert covers(area, 0.6, 0.0) and covers(area, 0.6, 0.07)
    assert not covers(area, 0.8, 0.0)       # the obstacle
    assert not covers(area, 0.6, 0.14)      # beside the cone
    assert not covers(area, 0.3, 0.0, BODY)  # the cone is not that wide there
    assert not covers(area, -0.2, 0.0)


@pytest.mark.parametrize('r', [math.nan, -math.inf, 0.0])
def test_invalid_reading_covers_nothing(r):
    area = ObservedArea(BODY)
    area.add(reading(r), IDENTITY)
    assert not covers(area, 0.2, 0.0)


@pytest.mark.parametrize('mount, place', [
    (Pose(0.0, 0.0, math.pi / 2), (0.0, 0.5)), (Pose(0.0, 0.0, math.pi), (-0.5, 0.0)),
    (Pose(-0.05, 0.0, -math.pi / 2), (-0.05, -0.5))])
def test_cone_lies_in_the_direction_of_the_ranger(mount, place):
    area = ObservedArea(BODY)
    area.add(reading(math.inf, mount), IDENTITY)
    assert covers(area, *place) and not covers(area, 0.5, 0.5)


def test_turn_on_the_spot_by_the_gap_between_rangers_covers_all_around():
    area, mounts = ObservedArea(BODY), [Pose(0.0, 0.0, k * math.pi / 2) for k in range(4)]
    for step in np.arange(0.0, math.pi / 2, 0.5 * CONE):
        for mount in mounts:
            area.add(reading(1.0, mount), Pose(0.0, 0.0, step))
    assert area.max_gap == pytest.approx(math.pi / 2)
    angles = np.linspace(0.0, 2 * math.pi, 40)
    poses = np.stack((0.5 * np.cos(angles), 0.5 * np.sin(angles), angles), axis=1)
    assert area.covers(poses, BODY)


@pytest.mark.parametrize('course', np.arange(0.0, 2 * math.pi, 0.7))
def test_area_moves_with_the_robot_and_drops_distant_places(course):
    area, way = ObservedArea(BODY), (math.cos(course), math.sin(course))
    ahead = reading(0.6, Pose(0.0, 0.0, course))
    for k in range(200):
        area.add(ahead, Pose(0.03 * k * way[0], 0.03 * k * way[1], 0.0))
        x, y = 0.03 * k * way[0], 0.03 * k * way[1]
        assert covers(area, x + 0.4 * way[0], y + 0.4 * way[1])
        assert not covers(area, x + 0.75 * way[0], y + 0.75 * way[1])
    assert covers(area, x - 0.5 * way[0], y - 0.5 * way[1])
    assert not covers(area, 0.0, 0.0)


def test_jump_of_the_robot_clears_the_grid():
    area = ObservedArea(BODY)
    area.add(reading(1.0), IDENTITY)
    area.add(reading(math.nan), Pose(40.0, -30.0, 0.0))
    assert not covers(area, 40.5, -30.0) and not covers(area, 0.5, 0.0)


# ---- the place of an object in a cone -----------------------------------------------------------

def seen_from(area: ObservedArea, *poses: Pose, r: float = 2.0) -> None:
    for pose in poses:
        area.add(reading(r), pose)


def test_object_of_a_reading_is_assumed_on_the_axis_of_an_unobserved_cone():
    area = ObservedArea(BODY)
    assert area.add(reading(0.5), IDENTITY) == 0.0
    assert area.add(reading(0.5), IDENTITY) == 0.0


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_object_is_assumed_where_no_cone_has_seen_farther(side):
    # Another cone has seen through most of this one, all but a few degrees on one side.
    area = ObservedArea(BODY)
    seen_from(area, Pose(0.0, 0.0, -side * math.radians(5.0)))
    offset = area.add(reading(0.5), IDENTITY)
    assert math.radians(4.0) < side * offset <= 0.5 * CONE


def test_object_that_has_come_into_a_free_cone_is_assumed_on_the_axis():
    area = ObservedArea(BODY)
    seen_from(area, *(Pose(0.0, 0.0, angle) for angle in (-0.2, 0.0, 0.2)))
    assert area.add(reading(0.5), IDENTITY) == 0.0


@pytest.mark.parametrize('r', [math.nan, math.inf, -math.inf, 0.0, 2.1])
def test_reading_without_an_object_has_no_offset(r):
    area = ObservedArea(BODY)
    seen_from(area, Pose(0.0, 0.0, 0.1))
    assert area.add(reading(r), IDENTITY) == 0.0
