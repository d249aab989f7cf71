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

"""Tests of the newest scan."""

from __future__ import annotations

import math

from arena import block, Stage, world_of
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.beams import NewestScan, NOTHING_SEEN
from bug_nav.navigation.types import Scan
import numpy as np
import pytest


def seen(ranges, pose: Pose = IDENTITY, mount: Pose = IDENTITY) -> NewestScan:
    beams = np.full(360, math.inf)
    for degree, value in ranges.items():
        beams[degree] = value
    return NewestScan(Scan(0.0, beams, 0.0, math.radians(1.0), 0.12, 3.5, mount), pose)


def test_points_are_in_the_odometry_frame():
    scan = seen({90: 2.0}, Pose(1.0, 1.0, math.pi / 2.0), Pose(-0.5, 0.0, 0.0))
    assert scan.origin == pytest.approx((1.0, 0.5, math.pi / 2.0))
    assert scan.points == pytest.approx(np.array([(-1.0, 0.5)]))


def test_empty_scan_has_no_reach_and_no_points():
    assert NOTHING_SEEN.scan.range_max == 0.0 and len(NOTHING_SEEN.points) == 0


def test_newest_scan_is_replaced_only_by_a_new_scan():
    stage = Stage(world_of(block(2.0, 3.0, -1.0, 1.0)))
    first = stage.robot.newest_scan
    assert stage.robot.newest_scan is first
    assert stage.put(Pose(0.1, 0.0, 0.0)).newest_scan is not first
