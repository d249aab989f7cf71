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

"""Tests of RV-Bug; P23 and P25 are properties of test/properties."""

from __future__ import annotations

import math

from arena import drive, RHO, Stage, way_of, world_of
from bug_nav.navigation.algorithms import rv_bug
from bug_nav.navigation.algorithms.bug0 import Bug0
from bug_nav.navigation.algorithms.rv_bug import AngleSumZero, field_heading, Parameters, RvBug
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import ARRIVED
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

ROBOT = Stage(world_of(), goal=(6.0, 0.0)).robot
NUMBERS = st.floats(-3.0, 3.0)


def heading(*points, **parameters) -> float:
    """Return the field's heading [rad] at the origin, with the goal straight ahead."""
    moving = np.array(points, dtype=float).reshape(-1, 4)
    return field_heading(ROBOT, moving, Parameters(**parameters))


# ---- vector field -------------------------------------------------------------------------------

def test_field_without_moving_points_is_the_direction_of_the_goal():
    assert heading() == ROBOT.goal_heading == 0.0


def test_point_that_moves_away_at_the_speed_of_the_robot_has_no_effect():
    assert heading((1.0, 0.0, 0.22, 0.0)) == 0.0
    assert heading((1.0, 0.0, 0.21, 0.0)) != 0.0


def test_point_beyond_the_influence_has_no_effect():
    assert heading((2.0 + RHO, 0.0, -1.0, 0.0)) == 0.0
    assert heading((2.0, 0.0, -1.0, 0.0), influence=2.5) != 0.0


@pytest.mark.parametrize('y, sign', [(0.3, -1.0), (-0.3, 1.0)])
def test_robot_turns_away_from_a_point_that_approaches_slightly_to_one_side(y, sign):
    assert 0.0 < sign * heading((1.2, y, -0.3, 0.0)) < math.pi


def test_crossing_point_is_passed_behind():
    # It moves from the right to the left.
    assert heading((0.8, -0.6, 0.0, 0.3)) < 0.0


def test_nearer_and_faster_points_have_more_effect():
    far, near = (abs(heading((x, 0.3, -0.2, 0.0))) for x in (1.6, 1.0))
    slow, fast = (abs(heading((1.6, 0.3, v, 0.0))) for v in (0.0, -0.5))
    assert near > far > 0.0 and fast > slow > 0.0


def test_many_points_of_one_obstacle_have_the_effect_of_the_most_critical_one():
    one = (1.0, 0.3, -0.2, 0.0)
    assert heading(one, *[(1.1, 0.3 + 0.01 * k, -0.2, 0.0) for k in range(20)]) == heading(one)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=5))
def test_field_heading_is_finite_for_any_moving_points(points):
    assert math.isfinite(heading(*points))


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=1))
def test_zero_gain_disables_the_field(points):
    assert heading(*points, gain=0.0) == 0.0


def test_robot_avoids_an_approaching_phantom_and_reaches_the_goal(monkeypatch):
    def phantom(robot) -> np.ndarray:
        # It approaches along the way of the robot, slightly to the left of it.
        return np.array([[4.0 - 0.2 * robot.stamp, 0.1, -0.2, 0.0]])

    straight = drive('open', RvBug())
    monkeypatch.setattr(rv_bug, 'moving', phantom)
    episode = drive('open', RvBug())
    assert straight.outcome in ARRIVED and episode.outcome in ARRIVED
    start = straight.start.position
    aside = way_of(episode)[:, 1] - start[1]
    assert np.abs(way_of(straight)[:, 1] - start[1]).max() < 0.05
    assert aside.min() < -0.2
    gap = min(math.hypot(x - (4.0 - 0.2 * sample.stamp), y - 0.1)
              for sample, (x, y) in zip(episode.samples, way_of(episode)))
    assert gap > RHO


# ---- sum of angles ------------------------------------------------------------------------------

def test_full_turn_does_not_count_as_none():
    stage = Stage(world_of(), Pose(0.0, 0.0, 0.5 * math.pi), goal=(9.0, 0.0))
    rule = AngleSumZero(stage.robot, 1)
    assert not rule(stage.robot)
    for quarter in range(2, 5):
        assert not rule(stage.put(Pose(0.0, 0.0, 0.5 * math.pi * quarter)))
    assert rule.turned == pytest.approx(2.0 * math.pi)
    for quarter in range(3, 0, -1):
        assert not rule(stage.put(Pose(0.0, 0.0, 0.5 * math.pi * quarter)))
    assert rule(stage.put(Pose(0.0, 0.0, -0.01)))


def test_rotation_of_the_goal_direction_is_part_of_the_sum():
    # Halfway around the goal, always perpendicular to its direction: the sum stays the same.
    stage = Stage(world_of(), Pose(-2.0, 0.0, 0.5 * math.pi), goal=(0.0, 0.0))
    rule = AngleSumZero(stage.robot, 1)
    for angle in np.linspace(math.pi, 0.0, 20)[1:]:
        pose = Pose(2.0 * math.cos(angle), 2.0 * math.sin(angle), angle - 0.5 * math.pi)
        assert not rule(stage.put(pose))
    assert rule.turned == pytest.approx(0.5 * math.pi)


# ---- complete runs ------------------------------------------------------------------------------

@pytest.mark.parametrize('name', ['u_trap', 'spiral_out'])
def test_goal_is_reached_past_a_pocket_in_which_bug0_loops(name):
    assert drive(name, Bug0()).outcome == 'loop_detected'
    assert drive(name, RvBug()).outcome == 'reached'
