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

"""Tests of the alignment of scans: the pose and its covariance."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.surfels import OBSERVED
from bug_nav.simulation.world import World
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
from surfel_table import CORRIDOR, LOOSE, ROOM, surfels_of, Table


@given(st.floats(-0.08, 0.08), st.floats(-0.08, 0.08), st.floats(-0.06, 0.06),
       st.sampled_from((0.0, 0.01, 0.02)))
def test_scan_is_aligned_with_its_true_pose(x, y, theta, noise):
    table, here = Table(), Pose(0.3, -0.2, 0.5)
    table.enter(surfels_of(ROOM, here, noise, 1), here)
    guess = Pose(here.x + x, here.y + y, here.theta + theta)
    found, *_ = table.align(surfels_of(ROOM, here, noise, 2), guess)
    assert math.dist(found[:2], here.position) < 0.002 + noise
    assert abs(found[2] - here.theta) < 0.001 + 0.5 * noise


def test_position_along_a_corridor_is_that_of_odometry():
    table, here = Table(), Pose(0.0, 0.1, 0.0)
    table.enter(surfels_of(CORRIDOR, here, 0.01, 1), here)
    seen = surfels_of(CORRIDOR, Pose(0.04, 0.1, 0.0), 0.01, 2)
    # Odometry is off by 2 cm along the corridor and by 3 cm across.
    (x, y, theta), covariance, *_ = table.align(seen, Pose(0.06, 0.13, 0.02), 0.01 * LOOSE)
    assert x == pytest.approx(0.06, abs=1e-3)
    assert y == pytest.approx(0.1, abs=0.005) and theta == pytest.approx(0.0, abs=0.005)
    assert covariance[0, 0] == pytest.approx(1e-4, rel=0.01)
    assert covariance[1, 1] < 0.1 * covariance[0, 0]


def test_oldest_layer_of_a_wall_determines_the_pose():
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    seen = surfels_of(ROOM, here)
    table.enter(seen, here)
    first = table.count
    table.enter(seen, Pose(0.07, 0.0, 0.0))  # seen again, 7 cm aside: a second layer
    assert table.count > first
    (x, _, _), _, matched, well, onto = table.align(seen, Pose(0.07, 0.0, 0.0))
    assert x == pytest.approx(0.0, abs=1e-3) and onto.max() < first and matched == well


def test_moved_surfels_have_little_weight():
    person = World('person', ROOM.solids + (
        np.array([(0.9, 0.3), (1.2, 0.3), (1.2, 0.6), (0.9, 0.6)]),))
    moved = World('moved', ROOM.solids + (
        np.array([(0.95, 0.36), (1.25, 0.36), (1.25, 0.66), (0.95, 0.66)]),))
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    table.enter(surfels_of(person, here), here)
    found, *_ = table.align(surfels_of(moved, here), here)
    assert math.dist(found[:2], (0.0, 0.0)) < 0.005


def test_pose_without_surfels_is_that_of_odometry():
    pose, covariance, matched, well, onto = Table().align(
        np.empty(0, OBSERVED), (1.0, 2.0, 0.5))
    assert (pose, matched, well, len(onto)) == ((1.0, 2.0, 0.5), 0, 0, 0)
    assert covariance == pytest.approx(LOOSE)
