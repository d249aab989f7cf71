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

"""Kernels of a step; test_simulator.py and test_odometry.py test their effects on a robot."""

from __future__ import annotations

import math

from arena import block, R, world_of
from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import Twist
from bug_nav.simulation import kinematics
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.simulator import Simulator
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest


def along_an_arc(x, y, theta, ahead, aside, turned):
    """Return the pose after a step whose chord is ahead and aside of the mean heading."""
    cos, sin = math.cos(theta + 0.5 * turned), math.sin(theta + 0.5 * turned)
    return Pose(x + ahead * cos - aside * sin, y + ahead * sin + aside * cos,
                wrap(theta + turned))


@given(*[st.floats(-7.0, 7.0)] * 6)
def test_step_along_an_arc_equals_that_of_a_pose(x, y, theta, ahead, aside, turned):
    assert kinematics._moved(x, y, theta, ahead, aside, turned) == along_an_arc(
        x, y, theta, ahead, aside, turned)


def test_slices_of_the_state_select_its_fields():
    state = np.zeros(1, kinematics.BODY_STATE)
    for part, names in ((kinematics.READ, ('contacts', 'x', 'y', 'theta')),
                        (kinematics.POSE, ('x', 'y', 'theta')),
                        (kinematics.ODOMETRY, ('odom_x', 'odom_y', 'odom_theta')),
                        (kinematics.VELOCITY, ('v', 'w', 'u')),
                        (kinematics.NOISE, ('noise_1', 'noise_2')),
                        (kinematics.SLIP, ('slip_1', 'slip_2'))):
        state.view(float)[part] = np.arange(1.0, len(names) + 1.0)
        assert [state[name][0] for name in names] == list(range(1, len(names) + 1))
        state.view(float)[:] = 0.0
    state.view(float)[kinematics.RESET] = 1.0
    kept = [name for name in kinematics.BODY_STATE.names if state[name][0] == 0.0]
    assert kept == ['travelled', 'min_clearance', 'contacts']


def test_state_of_a_robot_is_accessible_by_field_name():
    robot = Simulator(world_of(), Pose(1.0, 2.0, 0.5))
    robot.step(Twist(0.2, 0.0), 0.05)
    assert robot._state[0].x == robot.pose.x
    assert robot._state[0].v == robot.twist.v == pytest.approx(0.05)


@pytest.mark.parametrize('dt', [0.5, 10.0, 40.0])
def test_clearance_is_correct_after_a_step_beyond_the_cached_walls(dt):
    # The lidar sees 3.5 m: neither wall is within range at the start.
    world = world_of(block(-6.0, -5.0, -9.0, 9.0), block(12.0, 13.0, -9.0, 9.0))
    robot = Simulator(world, Pose(0.0, 0.0, 0.0), RobotModel(acc_lim_x=20.0))
    assert robot.min_clearance == 5.0
    robot.scan()
    robot.step(Twist(0.22, 0.0), 0.05)
    robot.step(Twist(0.22, 0.0), dt)
    assert robot.min_clearance == min(5.0, 12.0 - robot.pose.x)
    assert robot.clearance() == pytest.approx(min(5.0 + robot.pose.x, 12.0 - robot.pose.x))


def test_speed_limit_keeps_the_direction_of_an_omnidirectional_base():
    model = RobotModel(base='omni', acc_lim_x=20.0, wheel_separation=0.0)
    robot = Simulator(world_of(), Pose(0.0, 0.0, 0.0), model)
    robot.step(Twist(0.2, 0.0, -0.2), 0.05)
    assert math.hypot(robot.twist.v, robot.twist.u) == pytest.approx(0.22)
    assert robot.twist.u == -robot.twist.v
    assert robot.travelled == pytest.approx(math.hypot(*robot.pose.position))


def test_turn_too_fast_for_the_wheels_leaves_no_linear_speed():
    robot = Simulator(world_of(), Pose(0.0, 0.0, 0.0), RobotModel(
        acc_lim_theta=50.0, max_wheel_vel=0.05))
    robot.step(Twist(0.2, 1.0), 0.05)
    assert robot.twist == (0.0, 1.0, 0.0) and robot.travelled == 0.0


def test_contact_stops_translation_but_not_rotation():
    world = world_of(block(R + 0.001, 1.0, -1.0, 1.0))
    robot = Simulator(world, Pose(0.0, 0.0, 0.0), RobotModel(acc_lim_x=20.0),
                      odometry=OdometryModel('velocity', odometry_slip=0.1))
    robot.step(Twist(0.2, 0.5), 0.1)
    assert robot.contacts == 1 and robot.touching
    assert robot.pose.position == robot.odometry.position == (0.0, 0.0)
    assert robot.odometry.theta == pytest.approx(robot.pose.theta) != 0.0
    assert robot.twist.v == robot.travelled == 0.0


def test_robot_continues_from_an_assigned_pose():
    robot = Simulator(world_of(), Pose(0.0, 0.0, 0.0), RobotModel(acc_lim_x=20.0))
    robot.pose, robot.twist = Pose(1.0, 2.0, math.pi / 2.0), Twist(0.2, 0.0)
    robot.step(Twist(0.2, 0.0), 0.5)
    assert robot.pose == pytest.approx((1.0, 2.1, math.pi / 2.0))


def test_teleport_keeps_the_counters_and_resets_the_encoders():
    world = world_of(block(0.3, 1.0, -1.0, 1.0))
    robot = Simulator(world, Pose(0.0, 0.0, 0.0), odometry=OdometryModel('encoders'))
    for _ in range(40):
        robot.step(Twist(0.2, 0.0), 0.05)
    counts = robot.contacts, robot.travelled, robot.min_clearance
    assert counts[0] >= 1 and robot._state[0].left_ticks > 0
    robot.teleport(Pose(-3.0, 0.0, 0.0))
    assert (robot.contacts, robot.travelled, robot.min_clearance) == counts
    assert robot.odometry == robot.pose == (-3.0, 0.0, 0.0)
    assert robot.twist == (0.0, 0.0, 0.0) and not robot.touching
    assert robot._state[0].left_ticks == 0.0


@pytest.mark.parametrize('draw, share', [(0.0, 0.0), (1.0, 0.1), (1e9, kinematics.MAX_SLIP)])
def test_irregular_slip_follows_its_draw_up_to_a_limit(draw, share):
    assert kinematics._irregular(0.1, draw) == pytest.approx(share)
