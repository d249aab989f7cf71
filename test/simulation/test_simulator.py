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

from arena import block, QUIET, R, world_of
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import STOP, Twist
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

EMPTY = world_of()
WALL = world_of(block(1.0, 1.2, -2.0, 2.0))
EAGER = RobotModel(acc_lim_x=20.0, acc_lim_theta=50.0)
"""A robot that reaches any speed within one tick."""


def driven(simulator: Simulator, command: Twist, seconds: float, dt: float = 0.05) -> Simulator:
    for _ in range(round(seconds / dt)):
        simulator.step(command, dt)
    return simulator


# Motion.

def test_straight_drive_covers_speed_times_duration():
    robot = driven(Simulator(EMPTY, Pose(1.0, 2.0, math.pi / 2), EAGER), Twist(0.1, 0.0), 5.0)
    assert robot.pose == pytest.approx((1.0, 2.0 + 0.5 - 0.1 * 0.025, math.pi / 2))
    assert robot.stamp == pytest.approx(5.0)


@pytest.mark.parametrize('dt', [0.01, 0.05, 0.2])
def test_steady_turn_is_an_exact_circle_with_any_step(dt):
    robot = Simulator(EMPTY, Pose(0.0, 0.0, 0.0), EAGER)
    robot.twist = Twist(0.1, 0.5)
    for k in range(round(4.0 / dt)):
        robot.step(Twist(0.1, 0.5), dt)
        angle = 0.5 * dt * (k + 1)
        assert robot.pose.position == pytest.approx(
            (0.2 * math.sin(angle), 0.2 * (1.0 - math.cos(angle))), abs=1e-9)
        assert robot.pose.theta == pytest.approx(angle)


def test_turn_on_the_spot_keeps_the_position():
    robot = driven(Simulator(EMPTY, Pose(1.0, 2.0, 3.0)), Twist(0.0, 1.0), 3.0)
    assert robot.pose.position == (1.0, 2.0)
    assert -math.pi <= robot.pose.theta < math.pi


# Limits.

def test_speed_changes_are_limited_by_the_acceleration():
    robot = Simulator(EMPTY, Pose(0.0, 0.0, 0.0))
    speeds, rates = [], []
    for _ in range(10):
        robot.step(Twist(0.1, 0.9), 0.05)
        speeds.append(robot.twist.v)
        rates.append(robot.twist.w)
    assert speeds[:3] == pytest.approx([0.05, 0.1, 0.1])                  # 1 m/s^2
    assert rates[:7] == pytest.approx([0.16, 0.32, 0.48, 0.64, 0.8, 0.9, 0.9])   # 3.2 rad/s^2
    robot.step(Twist(-0.1, -0.9), 0.05)
    assert robot.twist == pytest.approx((0.05, 0.74, 0.0))


@given(st.lists(st.tuples(st.floats(-9.0, 9.0), st.floats(-9.0, 9.0)), min_size=1, max_size=30),
       st.sampled_from((0.01, 0.05, 0.1)))
def test_no_command_exceeds_the_limits(commands, dt):
    model = RobotModel()
    robot = Simulator(EMPTY, Pose(0.0, 0.0, 0.0), model)
    before = robot.twist
    for command in commands:
        robot.step(Twist(*command), dt)
        v, w, _ = robot.twist
        assert abs(v) <= model.max_vel_x and abs(w) <= model.max_vel_theta
        assert abs(v) + 0.5 * model.wheel_separation * abs(w) <= model.max_wheel_vel + 1e-12
        assert abs(w - before.w) <= model.acc_lim_theta * dt + 1e-12
        assert v - before.v <= model.acc_lim_x * dt + 1e-12 or before.v < 0.0
        before = robot.twist


# Contact.

def test_robot_that_drives_into_a_wall_is_stopped_with_a_contact():
    robot = Simulator(WALL, Pose(0.0, 0.0, 0.0))
    while not robot.contacts:
        assert robot.stamp < 5.0 and not robot.touching
        robot.step(Twist(0.22, 0.0), 0.05)
    assert (robot.contacts, robot.touching, robot.twist.v) == (1, True, 0.0)
    assert 1.0 - R - 0.22 * 0.05 <= robot.pose.x <= 1.0 - R      # less than a tick before it
    assert robot.min_clearance < R
    driven(robot, Twist(0.22, 0.0), 5.0)
    assert robot.pose.x <= 1.0 - R and robot.clearance() >= R


def test_contact_ends_when_the_robot_backs_off():
    robot = driven(Simulator(WALL, Pose(0.5, 0.0, 0.0)), Twist(0.22, 0.0), 4.0)
    contacts = robot.contacts
    driven(robot, Twist(-0.22, 0.0), 1.0)
    assert contacts >= 1 and robot.contacts == contacts and not robot.touching
    driven(robot, Twist(0.22, 0.0), 4.0)
    assert robot.contacts > contacts


def test_robot_in_contact_can_turn_and_drive_away():
    robot = driven(Simulator(WALL, Pose(0.8, 0.0, 0.0)), Twist(0.22, 0.0), 2.0)
    contacts = robot.contacts
    driven(robot, Twist(0.0, 1.0), math.pi)
    driven(robot, Twist(0.22, 0.0), 3.0)
    assert robot.pose.x < 0.5 and robot.contacts == contacts >= 1


def test_sliding_robot_moves_along_the_wall_that_blocks_it():
    robot = driven(Simulator(WALL, Pose(0.5, 0.0, 0.5), slides=True), Twist(0.22, 0.0), 8.0)
    assert robot.touching and robot.contacts == 1
    # It reaches the wall within 3 s, and slides with the part of 0.22 m/s along it.
    assert robot.pose.y > 0.2 + 5.0 * 0.22 * math.sin(0.5) and robot.clearance() >= R
    assert robot.pose.theta == pytest.approx(0.5)
    assert robot.odometry == robot.pose


def test_sliding_robot_that_drives_straight_into_a_wall_stands():
    robot = driven(Simulator(WALL, Pose(0.5, 0.3, 0.0), slides=True), Twist(0.22, 0.0), 8.0)
    assert robot.touching and robot.pose.y == pytest.approx(0.3, abs=1e-6)


def test_sliding_robot_is_held_in_a_corner():
    corner = world_of(block(1.0, 1.2, -2.0, 2.0), block(-1.0, 1.2, 0.5, 0.7))
    robot = driven(Simulator(corner, Pose(0.5, 0.0, 0.6), slides=True), Twist(0.22, 0.0), 20.0)
    assert robot.touching and robot.clearance() >= R
    assert robot.pose.position == pytest.approx((1.0 - R, 0.5 - R), abs=0.02)


@given(st.integers(0, 10_000))
def test_sliding_robot_never_enters_a_solid(seed):
    rng = np.random.default_rng(seed)
    world = world_of(*(block(x, x + 0.3, y, y + 0.3) for x, y in rng.uniform(-2, 2, (12, 2))))
    robot = Simulator(world, Pose(3.0, 3.0, -2.4), slides=True)
    for _ in range(200):
        robot.step(Twist(0.22, float(rng.normal(0.0, 1.0))), 0.05)
        assert robot.clearance() >= R - 1e-9


@pytest.mark.parametrize('y', [0.13, 0.125])
def test_closely_passed_wall_sets_the_minimum_clearance_without_a_contact(y):
    beside = world_of(block(0.0, 2.0, y, 1.0))
    robot = driven(Simulator(beside, Pose(-1.0, 0.0, 0.0)), Twist(0.22, 0.0), 20.0)
    assert robot.contacts == 0
    assert robot.min_clearance == pytest.approx(y, abs=1e-6)


def test_minimum_clearance_is_at_most_that_of_any_step():
    rng = np.random.default_rng(4)
    world = world_of(*(block(x, x + 0.3, y, y + 0.3) for x, y in rng.uniform(-4, 4, (25, 2))))
    robot = Simulator(world, Pose(5.0, 5.0, -2.4))
    least = robot.clearance()
    for _ in range(3000):
        robot.step(Twist(0.22, float(rng.normal(0.0, 0.6))), 0.05)
        if not robot.touching:
            least = min(least, robot.clearance())
    assert robot.min_clearance <= least + 1e-9
    assert robot.min_clearance > 0.0


# The lidar.

def test_scan_is_measured_from_the_mount_of_the_sensor():
    scan = Simulator(WALL, Pose(0.2, 0.0, 0.0), lidar=QUIET).scan()
    assert scan.ranges[0] == pytest.approx(1.0 - 0.2 + 0.032)
    assert scan.ranges[180] == math.inf
    assert (len(scan.ranges), scan.mount.x) == (360, -0.032)
    assert scan.angle_increment == pytest.approx(6.28 / 359)


def test_wall_closer_than_range_min_is_not_seen():
    scan = Simulator(WALL, Pose(0.92, 0.0, 0.0), lidar=QUIET).scan()
    assert scan.ranges[0] == math.inf               # 0.112 m ahead
    assert np.nanmin(scan.ranges) >= 0.12


@pytest.mark.parametrize('no_return, nothing', [('inf', math.inf), ('above', 3.6)])
def test_beam_without_an_echo_is_infinite_or_beyond_the_range(no_return, nothing):
    lidar = LidarModel(scan_noise=0.0, scan_no_return=no_return)
    assert (Simulator(EMPTY, Pose(0, 0, 0), lidar=lidar).scan().ranges == nothing).all()


def test_range_noise_is_repeatable_and_has_the_requested_deviation():
    def ranges(seed):
        robot = Simulator(WALL, Pose(0.0, 0.0, 0.0), lidar=LidarModel(scan_noise=0.02), seed=seed)
        return np.array([robot.scan().ranges for _ in range(50)])
    first, again, other = ranges(7), ranges(7), ranges(8)
    seen = np.isfinite(first) & np.isfinite(other)
    assert np.array_equal(first, again)
    assert not np.array_equal(first[seen], other[seen])
    exact = Simulator(WALL, Pose(0.0, 0.0, 0.0), lidar=QUIET).scan().ranges
    middle = np.isfinite(exact) & (exact < 3.0)
    assert np.std(first[:, middle] - exact[middle]) == pytest.approx(0.02, rel=0.1)
    assert abs(np.mean(first[:, middle] - exact[middle])) < 0.002


def test_stationary_robot_repeats_its_scan():
    robot = Simulator(WALL, Pose(0.0, 0.0, 0.0), lidar=QUIET)
    first = robot.scan().ranges
    driven(robot, STOP, 1.0)
    assert np.array_equal(first, robot.scan().ranges)
