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

"""Tests of what the sensor sees now."""

from __future__ import annotations

import math

from arena import block, Stage, world_of
from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Scan
from bug_nav.space.view import EMPTY, View
import numpy as np
import pytest

RADIUS = 0.2


def view_of(ranges, pose: Pose = Pose(0.0, 0.0, 0.0), mount: Pose = Pose(0.0, 0.0, 0.0)) -> View:
    beams = np.full(360, math.inf)
    for degree, value in ranges.items():
        beams[degree] = value
    return View(Scan(0.0, beams, 0.0, math.radians(1.0), 0.12, 3.5, mount), pose)


def test_points_lie_in_the_frame_of_odometry():
    view = view_of({90: 2.0}, Pose(1.0, 1.0, math.pi / 2.0), Pose(-0.5, 0.0, 0.0))
    assert view.origin == pytest.approx((1.0, 0.5, math.pi / 2.0))
    assert view.points == pytest.approx(np.array([(-1.0, 0.5)]))


def test_wall_ahead_ends_the_free_way_before_it():
    free = view_of({0: 2.0}).free_distance((0.0, 0.0), 0.0, RADIUS, 3.0)
    assert 1.75 < free <= 1.8


def test_wall_aside_does_not_end_the_free_way():
    assert view_of({90: 0.5}).free_distance((0.0, 0.0), 0.0, RADIUS, 3.0) == 3.0


def test_free_way_ends_where_the_sensor_no_longer_sees_both_sides_of_it():
    assert view_of({}).free_distance((0.0, 0.0), 0.0, RADIUS, 10.0) <= 3.5 - RADIUS + 1e-9


def test_nothing_seen_yet_is_nothing_free():
    assert EMPTY.free_distance((0.0, 0.0), 0.0, RADIUS, 1.0) == 0.0


def test_robot_has_a_new_view_with_a_new_scan_alone():
    stage = Stage(world_of(block(2.0, 3.0, -1.0, 1.0)))
    first = stage.robot.view
    assert stage.robot.view is first
    assert stage.put(Pose(0.1, 0.0, 0.0)).view is not first
