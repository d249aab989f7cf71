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
from bug_nav.navigation.perception.beams import obstacle_points
from bug_nav.navigation.perception.perception import Perception
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Scan
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

INF, NAN = math.inf, math.nan
MIN, MAX = 0.12, 3.5
FAR = Settings(clearance=1.5)
"""Settings with which all points of a scan are near."""
WALL = world_of(block(1.0, 1.2, -2.0, 2.0))     # its face is at x = 1


def scan_of(*ranges: float, stamp: float = 0.0, angle_min: float = 0.0,
            increment: float = math.pi / 2, mount: Pose = IDENTITY) -> Scan:
    return Scan(stamp, np.array(ranges), angle_min, increment, MIN, MAX, mount)


def taken_at(pose: Pose, stamp: float = 0.0, world=WALL, lidar: LidarModel = QUIET) -> Scan:
    simulator = Simulator(world, pose, lidar=lidar)
    simulator.stamp = stamp
    return simulator.scan()


# Readings.

@pytest.mark.parametrize('reading, distance', [
    (1.0, 1.0),         # an obstacle
    (MIN, MIN),         # the minimum range
    (MAX, MAX),         # the maximum range
    (0.05, 0.05),       # below range_min: an obstacle at this range
    (-INF, MIN),        # too near to measure: an obstacle, at range_min
    (0.0, None),        # unknown, as a real LDS reports it
    (-1.0, None),       # no reading at all
    (NAN, None),        # an error
    (INF, None),        # free
    (MAX + 1e-6, None),
    (100.0, None)])
def test_each_kind_of_reading_gives_an_obstacle_or_none(reading, distance):
    points = obstacle_points(scan_of(reading))
    assert points.tolist() == ([] if distance is None else [[distance, 0.0]])


def test_scan_without_any_return_gives_no_points():
    for ranges in ((), (INF, NAN, 0.0, MAX + 1.0)):
        assert obstacle_points(scan_of(*ranges)).shape == (0, 2)


def test_integer_and_single_precision_ranges_give_points():
    for kind in (np.int64, np.float32):
        scan = Scan(0.0, np.array([1, 2], dtype=kind), 0.0, 0.5, MIN, MAX)
        assert len(obstacle_points(scan)) == 2


@given(st.lists(st.one_of(st.just(0.0), st.floats(allow_nan=True, allow_infinity=True)),
                min_size=1, max_size=40))
def test_points_are_finite_and_in_range_for_any_readings(ranges):
    points = obstacle_points(scan_of(*ranges, increment=0.1))
    assert np.isfinite(points).all()
    assert (np.hypot(*points.T) <= MAX + 1e-9).all()


# Beam directions.

def test_beams_are_counterclockwise_from_angle_min():
    points = obstacle_points(scan_of(1.0, 2.0, angle_min=-math.pi / 2))
    assert points == pytest.approx(np.array([(0.0, -1.0), (2.0, 0.0)]), abs=1e-12)


def test_beams_with_a_negative_increment_are_clockwise():
    points = obstacle_points(scan_of(1.0, 2.0, angle_min=math.pi / 2, increment=-math.pi / 2))
    assert points == pytest.approx(np.array([(0.0, 1.0), (2.0, 0.0)]), abs=1e-12)


def test_points_of_a_rotated_off_centre_sensor_account_for_its_mount():
    points = obstacle_points(scan_of(1.0, mount=Pose(-0.032, 0.1, math.pi)))
    assert points == pytest.approx(np.array([(-1.032, 0.1)]))


@pytest.mark.parametrize('count', [240, 359, 360, 720])
@pytest.mark.parametrize('first, sense', [(0.0, 1), (-math.pi, 1), (1.3, 1), (math.pi, -1)])
def test_wall_position_does_not_depend_on_the_beam_layout(count, first, sense):
    pose = Pose(0.3, -0.2, 0.7)
    step = sense * 2.0 * math.pi / count
    ranges = []
    for k in range(count):
        angle = pose.theta + first + k * step
        reach = (1.0 - pose.x) / math.cos(angle) if math.cos(angle) > 1e-9 else INF
        ranges.append(reach if abs(pose.y + reach * math.sin(angle)) < 2.0 else INF)
    perception = Perception(settings=FAR)
    perception.add(Scan(0.0, np.array(ranges), first, step, MIN, MAX), pose)
    assert len(perception.perceived.points) > count / 5
    assert perception.perceived.points[:, 0] == pytest.approx(1.0)


# How far.

def test_sensing_range_is_that_of_the_newest_scan_of_each_sensor():
    # Some drivers set range_max to the largest reading of each scan.
    perception, rear = Perception(), Pose(-0.1, 0.0, math.pi)
    for mount, range_max, expected in (
            (IDENTITY, 0.5, 0.5), (IDENTITY, 3.5, 3.5), (rear, 2.0, 1.9), (IDENTITY, 1.0, 1.0),
            (IDENTITY, 3.5, 1.9), (rear, 8.0, 3.5)):
        scan = scan_of(*[0.4] * 4, mount=mount)._replace(range_max=range_max)
        assert perception.add(scan, IDENTITY).sensing_range == pytest.approx(expected)


# When a scan was taken.

def test_points_are_placed_with_the_pose_at_the_stamp_of_the_scan():
    # Ten scans on an arc, each placed with its own pose: the wall stays a line.
    perception = Perception(settings=FAR)
    for k in range(10):
        pose = Pose(0.03 * k, 0.1 * k, 0.25 * k)
        perception.add(taken_at(pose, 0.05 * k), pose)
    points = perception.perceived.points
    face = points[np.abs(points[:, 0] - 1.0) < 0.1]
    assert len(face) > 50
    # A reading covers half a beam spacing beside it, which is less exact on an oblique wall.
    assert face[:, 0] == pytest.approx(1.0, abs=4e-3)


def test_observers_get_each_scan_unchanged_with_its_pose():
    perception, seen = Perception(settings=Settings(sensing='contact')), []
    perception.observers.append(lambda *each: seen.append(each))
    scan, pose = taken_at(IDENTITY), Pose(0.1, 0.2, 0.3)
    perception.add(scan, pose)
    assert seen == [(scan, pose)]  # with contact sensing, too


def test_points_placed_with_the_pose_of_another_time_are_off():
    perception = Perception(settings=FAR)
    perception.add(taken_at(Pose(0.0, 0.0, 0.0)), Pose(0.04, 0.0, 0.2))
    assert np.abs(perception.perceived.points[:, 0] - 1.0).max() > 0.1


class Recorder:
    """A localization that keeps the scans that it places."""

    drift, covariance = IDENTITY, None
    turns_backwards = False

    def __init__(self):
        self.scans, self.has_moved = [], []

    def localize(self, scan, odometry, rate=0.0, has_moved=False):
        self.scans.append(scan)
        self.has_moved.append(has_moved)
        return odometry


def recorded():
    """Return a perception, and its localization that keeps the scans that it places."""
    perception, there = Perception(), Recorder()
    perception.localization = there
    return perception, there


def test_scan_matching_gets_the_holes_that_are_filled_for_the_memory():
    perception, there = recorded()
    for stamp, ahead in ((0.0, 2.0), (0.2, math.nan)):
        ranges = np.full(360, 2.0)
        ranges[:10] = ahead
        scan = Scan(stamp, ranges, 0.0, math.radians(1.0), 0.12, 3.5)
        perception.process(Placed(scan, IDENTITY, stamp))
    assert np.isnan(there.scans[1].ranges[:10]).all()
    assert np.isfinite(perception.perceived.newest_scan.scan.ranges).all()


def test_odometry_errors_are_learned_again_after_a_person_has_walked_past():
    perception, there = recorded()
    for k in range(100):
        # For 3 s, something 0.4 m wide moves in front of a wall.
        ranges = np.full(360, 2.0)
        if k < 15:
            ranges[np.arange(4 * k, 4 * k + 15)] = 1.5
        scan = Scan(0.2 * k, ranges, 0.0, math.radians(1.0), 0.12, 3.5)
        perception.process(Placed(scan, IDENTITY, scan.stamp))
    assert perception.has_changed
    assert not there.has_moved[0] and all(there.has_moved[10:30])
    assert not any(there.has_moved[45:])


# Two lidars.

@pytest.mark.parametrize('is_held', [False, True])
def test_robot_that_one_of_two_lidars_shows_to_move_is_not_held(is_held):
    # Behind it, something follows the robot, so that the scans of that lidar stay the same.
    perception, angles = Perception(settings=Settings(drift_correction='none')), np.radians(
        np.arange(-80.0, 81.0))
    slips = []
    for k in range(24):
        pose = Pose(0.1 * k, 0.0, 0.0)
        for mount, away in ((IDENTITY, 3.0 if is_held else 3.4 - pose.x),
                            (Pose(0.0, 0.0, math.pi), 1.0)):
            scan = Scan(0.2 * k, away / np.cos(angles) + 1e-6 * k, float(angles[0]),
                        math.radians(1.0), MIN, MAX, mount)
            perception.process(Placed(scan, pose, scan.stamp))
            slips.append(perception.slip_problem())
    assert bool(slips[-1]) is any(slips) is is_held
    assert bool(perception.slip_problem(is_last=True)) is is_held
