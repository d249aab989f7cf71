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

"""Simulated errors of odometry, and a localizer that corrects them."""

import math

from bug_nav.navigation.geometry import distance, Pose
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import Twist
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import pytest

EMPTY = World('empty', ())
START = Pose(1.0, 2.0, 0.5)
AHEAD, ROUND = Twist(0.2, 0.0), Twist(0.1, 0.5)


def driven(commands, odometry, seed=0, model=RobotModel(), dt=0.05):
    """Return a robot after 10 s with each command."""
    robot = Simulator(EMPTY, START, model, seed=seed, odometry=odometry)
    for command in commands:
        for _ in range(round(10.0 / dt)):
            robot.step(command, dt)
    return robot


def test_odometry_equals_the_ground_truth_by_default():
    robot = driven([AHEAD, ROUND], OdometryModel())
    assert robot.odometry == robot.pose
    assert robot.travelled == pytest.approx(2.98, abs=0.03)


def test_error_of_fine_encoders_is_within_their_resolution():
    robot = driven([AHEAD, ROUND], OdometryModel('encoders', encoder_resolution=1_000_000))
    assert distance(robot.odometry.position, robot.pose.position) < 2e-3
    assert robot.odometry.theta == pytest.approx(robot.pose.theta, abs=1e-3)


def test_coarse_encoders_count_whole_ticks():
    robot = Simulator(EMPTY, Pose(0.0, 0.0, 0.0),
                      odometry=OdometryModel('encoders', encoder_resolution=20))
    tick = 2.0 * math.pi * 0.033 / 20
    for _ in range(40):
        robot.step(AHEAD, 0.05)
        assert robot.odometry.x / tick == pytest.approx(round(robot.odometry.x / tick))
        assert 0.0 <= robot.pose.x - robot.odometry.x < tick + 1e-9


def test_slip_makes_odometry_longer_than_the_path():
    robot = driven([AHEAD], OdometryModel('encoders', odometry_slip=0.1))
    measured = distance(START.position, robot.odometry.position)
    assert measured == pytest.approx(robot.travelled / 0.9, rel=1e-3)


@pytest.mark.parametrize('model', ['encoders', 'velocity'])
def test_irregular_slip_has_the_requested_mean(model):
    irregular = OdometryModel(model, odometry_slip=0.1, odometry_slip_irregular=True)
    ends = [driven([AHEAD], irregular, seed) for seed in range(40)]
    # The measured path is slightly bent if both wheels slip independently.
    shares = [distance(START.position, robot.odometry.position) / robot.travelled
              for robot in ends]
    assert sum(shares) / len(shares) == pytest.approx(1.0 / 0.9, rel=0.01)


def test_irregular_wheel_slip_turns_odometry_either_way():
    irregular = OdometryModel('encoders', odometry_slip=0.1, odometry_slip_irregular=True)
    turns = [driven([AHEAD], irregular, seed).odometry.theta - START.theta for seed in range(40)]
    assert min(turns) < -0.05 and max(turns) > 0.05
    regular = driven([AHEAD], OdometryModel('encoders', odometry_slip=0.1))
    assert regular.odometry.theta == pytest.approx(START.theta, abs=0.01)


@pytest.mark.parametrize('model', ['encoders', 'velocity'])
def test_slip_lengthens_odometry_equally_in_both_models(model):
    robot = driven([AHEAD], OdometryModel(model, odometry_slip=0.1))
    assert distance(START.position, robot.odometry.position) == pytest.approx(
        robot.travelled / 0.9, rel=1e-3)


@pytest.mark.parametrize('model', ['encoders', 'velocity'])
@pytest.mark.parametrize('command', [AHEAD, ROUND])
def test_gyro_drift_is_proportional_to_the_path_length(model, command):
    drift = math.radians(1.0)
    robot, right = (driven([command], OdometryModel(model, odometry_gyro_drift=each))
                    for each in (drift, 0.0))
    off = math.remainder(robot.odometry.theta - right.odometry.theta, 2.0 * math.pi)
    assert off == pytest.approx(drift * robot.travelled, rel=1e-6)


def test_gyro_drifts_neither_on_the_spot_nor_in_perfect_odometry():
    spun = driven([Twist(0.0, 0.5)], OdometryModel('velocity', odometry_gyro_drift=0.1))
    assert spun.odometry.theta == pytest.approx(spun.pose.theta)
    perfect = driven([AHEAD], OdometryModel(odometry_gyro_drift=0.1))
    assert perfect.odometry == perfect.pose


def test_bias_of_measured_velocities_scales_the_rotation():
    robot = driven([Twist(0.1, 0.1)], OdometryModel('velocity', odometry_bias=0.1))
    assert (robot.odometry.theta - START.theta) == pytest.approx(
        1.1 * (robot.pose.theta - START.theta))


def test_bias_of_a_wheel_bends_a_straight_path():
    robot = driven([AHEAD], OdometryModel('encoders', odometry_bias=0.01))
    # The right wheel measures 1 % more; this divided by the wheel separation is the rotation.
    assert robot.odometry.theta - START.theta == pytest.approx(
        0.01 * robot.travelled / 0.16, rel=0.02)


def test_overestimated_wheel_separation_reduces_the_measured_rotation():
    robot = driven([Twist(0.0, 0.5)], OdometryModel('encoders', axle_error=0.25))
    turned, seen = (math.remainder(pose.theta - START.theta, 2 * math.pi)
                    for pose in (robot.pose, robot.odometry))
    assert seen + 2 * math.pi * (seen < 0) == pytest.approx(
        (turned + 2 * math.pi * (turned < 0)) / 1.25, rel=0.01)


def spread(dt):
    ends = [driven([AHEAD], OdometryModel('velocity', odometry_noise=0.2), seed, dt=dt)
            for seed in range(60)]
    errors = [distance(START.position, robot.odometry.position) - robot.travelled
              for robot in ends]
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def test_accumulated_velocity_noise_does_not_depend_on_the_step():
    # 100 draws of 20 % of 0.02 m each: 0.2 * 0.02 * sqrt(100) = 0.04 m.
    assert spread(0.05) == pytest.approx(0.04, rel=0.3)
    assert spread(0.02) == pytest.approx(0.04, rel=0.3)


def test_odometry_noise_is_repeatable_by_seed():
    noisy = OdometryModel('velocity', odometry_noise=0.1)
    one, same, other = (driven([ROUND], noisy, seed).odometry for seed in (1, 1, 2))
    assert one == same != other


def test_odometry_noise_does_not_change_the_range_noise():
    noisy = driven([AHEAD], OdometryModel('velocity', odometry_noise=0.1))
    assert (noisy.scan().ranges == driven([AHEAD], OdometryModel()).scan().ranges).all()


def test_localizer_corrects_the_drift_in_jumps():
    model = OdometryModel('velocity', odometry_noise=0.1, odometry_bias=0.05,
                          localizer_period=2.0)
    robot = Simulator(EMPTY, START, odometry=model)
    before, jumps = robot.correction, 0
    for _ in range(400):
        robot.step(ROUND, 0.05)
        if robot.correction != before:
            jumps, before = jumps + 1, robot.correction
            believed = robot.correction.compose(robot.odometry)
            assert distance(believed.position, robot.pose.position) < 1e-9
    assert jumps == 9
    assert distance(robot.odometry.position, robot.pose.position) > 0.05


def test_encoders_of_two_wheels_are_rejected_for_an_omnidirectional_base():
    with pytest.raises(ValueError, match="odometry is 'encoders', of two wheels"):
        Simulator(EMPTY, START, RobotModel(base='omni'), odometry=OdometryModel('encoders'))


def test_only_an_omnidirectional_base_drives_sideways():
    robot = Simulator(EMPTY, Pose(0.0, 0.0, 0.0), RobotModel(base='omni'))
    for _ in range(40):
        robot.step(Twist(0.0, 0.0, 0.2), 0.05)
    assert robot.pose.y == pytest.approx(0.38, abs=0.01)
    assert robot.pose.x == pytest.approx(0.0, abs=1e-9)
    still = Simulator(EMPTY, Pose(0.0, 0.0, 0.0))
    still.step(Twist(0.0, 0.0, 0.2), 0.05)
    assert still.pose == Pose(0.0, 0.0, 0.0)
