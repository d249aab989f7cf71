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

from __future__ import annotations

import math

from arena import block, QUIET, world_of
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.points import obstacle_points
from bug_nav.navigation.perception.senses import Senses
from bug_nav.navigation.types import Scan
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

INF, NAN = math.inf, math.nan
MIN, MAX = 0.12, 3.5
WALL = world_of(block(1.0, 1.2, -2.0, 2.0))     # its face is at x = 1


def scan_of(*ranges: float, stamp: float = 0.0, angle_min: float = 0.0,
            increment: float = math.pi / 2, mount: Pose = IDENTITY) -> Scan:
    return Scan(stamp, np.array(ranges), angle_min, increment, MIN, MAX, mount)


def taken_at(pose: Pose, stamp: float = 0.0, world=WALL, lidar: LidarModel = QUIET) -> Scan:
    simulator = Simulator(world, pose, lidar=lidar)
    simulator.stamp = stamp
    return simulator.scan()


# What a reading means.

@pytest.mark.parametrize('reading, distance', [
    (1.0, 1.0),         # an obstacle
    (MIN, MIN),         # the nearest that is measured
    (MAX, MAX),         # the farthest
    (0.05, 0.05),       # below range_min: an obstacle, and there
    (-INF, MIN),        # too near to measure: an obstacle, at range_min
    (0.0, None),        # unknown, as a real LDS says it
    (-1.0, None),       # no reading at all
    (NAN, None),        # an error
    (INF, None),        # free
    (MAX + 1e-6, None),
    (100.0, None)])
def test_reading_is_an_obstacle_or_none(reading, distance):
    points = obstacle_points(scan_of(reading))
    assert points.tolist() == ([] if distance is None else [[distance, 0.0]])


def test_scan_without_any_return_gives_no_points():
    for ranges in ((), (INF, NAN, 0.0, MAX + 1.0)):
        assert obstacle_points(scan_of(*ranges)).shape == (0, 2)


def test_integer_and_single_precision_ranges_are_read_too():
    for kind in (np.int64, np.float32):
        scan = Scan(0.0, np.array([1, 2], dtype=kind), 0.0, 0.5, MIN, MAX)
        assert len(obstacle_points(scan)) == 2


def test_points_farther_than_the_reach_are_left_out():
    assert len(obstacle_points(scan_of(1.0, 2.0, 3.0), reach=2.5)) == 2


@given(st.lists(st.one_of(st.just(0.0), st.floats(allow_nan=True, allow_infinity=True)),
                min_size=1, max_size=40))
def test_no_reading_whatever_gives_a_point_that_is_not_finite_or_too_far(ranges):
    points = obstacle_points(scan_of(*ranges, increment=0.1))
    assert np.isfinite(points).all()
    assert (np.hypot(*points.T) <= MAX + 1e-9).all()


# Where a beam points.

def test_beams_count_from_angle_min_counter_clockwise():
    points = obstacle_points(scan_of(1.0, 2.0, angle_min=-math.pi / 2))
    assert points == pytest.approx(np.array([(0.0, -1.0), (2.0, 0.0)]), abs=1e-12)


def test_clockwise_sensor_counts_the_other_way():
    points = obstacle_points(scan_of(1.0, 2.0, angle_min=math.pi / 2, increment=-math.pi / 2))
    assert points == pytest.approx(np.array([(0.0, 1.0), (2.0, 0.0)]), abs=1e-12)


def test_sensor_that_is_turned_and_off_centre_is_placed_by_its_mount():
    points = obstacle_points(scan_of(1.0, mount=Pose(-0.032, 0.1, math.pi)))
    assert points == pytest.approx(np.array([(-1.032, 0.1)]))


@pytest.mark.parametrize('count', [240, 359, 360, 720])
@pytest.mark.parametrize('first, sense', [(0.0, 1), (-math.pi, 1), (1.3, 1), (math.pi, -1)])
def test_wall_is_where_it_is_whatever_the_beams(count, first, sense):
    pose = Pose(0.3, -0.2, 0.7)
    step = sense * 2.0 * math.pi / count
    ranges = []
    for k in range(count):
        angle = pose.theta + first + k * step
        reach = (1.0 - pose.x) / math.cos(angle) if math.cos(angle) > 1e-9 else INF
        ranges.append(reach if abs(pose.y + reach * math.sin(angle)) < 2.0 else INF)
    perception = Senses()
    perception.add(Scan(0.0, np.array(ranges), first, step, MIN, MAX), pose)
    assert len(perception.points) > count / 5
    assert perception.points[:, 0] == pytest.approx(1.0)


# When a scan was taken.

def test_points_are_placed_with_the_pose_at_the_scans_stamp():
    # Ten scans on an arc, each placed with its own pose: the wall stays a line.
    perception = Senses()
    for k in range(10):
        pose = Pose(0.03 * k, 0.1 * k, 0.25 * k)
        perception.add(taken_at(pose, 0.05 * k), pose)
    face = perception.points[np.abs(perception.points[:, 0] - 1.0) < 0.1]
    assert len(face) > 50
    # A reading stands for half a beam beside it, which is not as far where the wall is aslant.
    assert face[:, 0] == pytest.approx(1.0, abs=4e-3)


def test_watchers_get_each_scan_as_it_came_and_its_pose():
    perception, seen = Senses(contact_range=0.2), []
    perception.observers.append(lambda *each: seen.append(each))
    scan, pose = taken_at(IDENTITY), Pose(0.1, 0.2, 0.3)
    perception.add(scan, pose)
    assert seen == [(scan, pose)]  # of a robot that feels, too


def test_points_placed_with_a_pose_of_another_moment_would_be_off():
    perception = Senses()
    perception.add(taken_at(Pose(0.0, 0.0, 0.0)), Pose(0.04, 0.0, 0.2))
    assert np.abs(perception.points[:, 0] - 1.0).max() > 0.1
