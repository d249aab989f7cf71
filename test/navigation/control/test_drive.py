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

"""Tests of the control law, which converts intents into velocities."""

from __future__ import annotations

import dataclasses
import math

from arena import BURGER
from bug_nav.navigation.control.drive import intent_fields
from bug_nav.navigation.control.drive import velocity as velocity_of
from bug_nav.navigation.control.state import limits_of
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Along, Intent, Towards, TurnTo, Twist
import pytest


def velocity(intent: Intent, pose: Pose, model: RobotModel, abreast: float = math.nan) -> Twist:
    """Return the velocity that an intent asks for at a pose."""
    return Twist(*velocity_of(limits_of(model, Settings())[0], *intent_fields(intent), *pose,
                              abreast))


@pytest.mark.parametrize('error, side, turns_on_the_spot', [
    (0.1, 0, False), (0.3, 0, False), (0.4, 0, True), (-0.4, 0, True), (3.0, 0, True),
    (-0.9, 1, False), (-1.1, 1, True), (0.4, 1, True),      # the wall on the right
    (0.9, -1, False), (1.1, -1, True), (-0.4, -1, True)])   # on the left
def test_robot_turns_on_the_spot_first_unless_it_rounds_a_corner(error, side,
                                                                 turns_on_the_spot):
    twist = velocity(Along(1.0 + error, side), Pose(0.0, 0.0, 1.0), BURGER)
    assert (twist.v == 0.0) is turns_on_the_spot
    assert math.copysign(1.0, twist.w) == math.copysign(1.0, error)
    assert 0.0 <= twist.v <= BURGER.max_vel_x


def test_robot_on_course_drives_at_the_maximum_or_given_speed():
    pose = Pose(0.0, 0.0, 3.1)
    assert velocity(Along(3.1), pose, BURGER) == Twist(BURGER.max_vel_x, 0.0)
    assert velocity(Along(3.1, speed=0.07), pose, BURGER).v == 0.07
    # The shorter rotation, across pi.
    assert velocity(Along(-3.1), pose, BURGER).w == pytest.approx(5.0 * (2 * math.pi - 6.2))


def test_robot_drives_to_a_place_at_a_speed_that_lets_it_stop_there():
    pose = Pose(1.0, 1.0, math.pi / 2.0)
    assert velocity(Towards((1.0, 3.0)), pose, BURGER) == pytest.approx(Twist(0.22, 0.0))
    slow = velocity(Towards((1.0, 1.01), room=0.01), pose, BURGER)
    assert slow.v == pytest.approx(math.sqrt(0.01 * BURGER.acc_lim_x))
    assert velocity(Towards((1.0, 1.01), speed=0.05), pose, BURGER).v == 0.05


@pytest.mark.parametrize('bearing, turned', [
    (80.0, -12.0), (-80.0, 12.0), (91.0, -1.0), (93.0, 0.0), (30.0, 0.0)])
def test_heading_is_turned_away_from_a_point_abreast_that_is_too_near(bearing, turned):
    twist = velocity(Along(0.0), Pose(0.0, 0.0, 0.0), BURGER, math.radians(bearing))
    assert twist.w == pytest.approx(5.0 * math.radians(turned))


def test_turn_intent_turns_on_the_spot():
    twist = velocity(TurnTo(1.0), Pose(0.0, 0.0, 0.8), BURGER)
    assert twist == Twist(0.0, pytest.approx(1.0))


def test_omnidirectional_base_moves_sideways_at_once():
    omni = dataclasses.replace(BURGER, base='omni')
    twist = velocity(Along(math.pi / 2.0), Pose(0.0, 0.0, 0.0), omni)
    assert (twist.v, twist.u) == (pytest.approx(0.0), pytest.approx(omni.max_vel_x))


def test_velocity_intent_is_passed_through():
    assert velocity(Twist(0.1, -0.3), Pose(5.0, 5.0, 1.0), BURGER) == Twist(0.1, -0.3)
