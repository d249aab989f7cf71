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

"""Tests of RV-Bug; P23 and P25 are numbers of the project's list of properties."""

from __future__ import annotations

import math

from arena import drive, RHO, Stage, way_of, world_of
from bug_nav.navigation.algorithms import rv_bug
from bug_nav.navigation.algorithms.bug0 import Bug0
from bug_nav.navigation.algorithms.rv_bug import AngleSumZero, field_heading, Parameters, RvBug
from bug_nav.navigation.geometry import Pose
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from part import part
import pytest

CLUTTER = tuple(part((f'random:cluttered?seed={seed}{wish}' for seed in range(400, 404)
                      for wish in ('', '&reachable=false')), 3))
ROBOT = Stage(world_of(), goal=(6.0, 0.0)).robot
NUMBERS = st.floats(-3.0, 3.0)


def heading(*points, **parameters) -> float:
    """Return the field's heading [rad] at the origin, with the goal straight ahead."""
    moving = np.array(points, dtype=float).reshape(-1, 4)
    return field_heading(ROBOT, moving, Parameters(**parameters))


# ---- the field ----------------------------------------------------------------------------------

def test_field_without_what_moves_is_the_direction_of_the_goal():
    assert heading() == ROBOT.goal_heading == 0.0


def test_point_that_goes_away_as_fast_as_the_robot_comes_does_not_push():
    assert heading((1.0, 0.0, 0.22, 0.0)) == 0.0
    assert heading((1.0, 0.0, 0.21, 0.0)) != 0.0


def test_point_beyond_the_influence_does_not_push():
    assert heading((2.0 + RHO, 0.0, -1.0, 0.0)) == 0.0
    assert heading((2.0, 0.0, -1.0, 0.0), influence=2.5) != 0.0


@pytest.mark.parametrize('y, sign', [(0.3, -1.0), (-0.3, 1.0)])
def test_point_that_comes_a_little_beside_is_passed_on_that_side(y, sign):
    assert 0.0 < sign * heading((1.2, y, -0.3, 0.0)) < math.pi


def test_point_that_crosses_is_passed_behind():
    # It comes from the right and goes to the left.
    assert heading((0.8, -0.6, 0.0, 0.3)) < 0.0


def test_nearer_and_faster_points_push_more():
    far, near = (abs(heading((x, 0.3, -0.2, 0.0))) for x in (1.6, 1.0))
    slow, fast = (abs(heading((1.6, 0.3, v, 0.0))) for v in (0.0, -0.5))
    assert near > far > 0.0 and fast > slow > 0.0


def test_many_points_of_one_obstacle_push_no_more_than_the_worst_of_them():
    one = (1.0, 0.3, -0.2, 0.0)
    assert heading(one, *[(1.1, 0.3 + 0.01 * k, -0.2, 0.0) for k in range(20)]) == heading(one)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=5))
def test_field_has_a_heading_wherever_points_are_and_go(points):
    assert math.isfinite(heading(*points))


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=1))
def test_nothing_pushes_with_no_gain(points):
    assert heading(*points, gain=0.0) == 0.0


def test_phantom_that_comes_is_given_way_to_and_the_goal_still_reached(monkeypatch):
    def phantom(robot) -> np.ndarray:
        # It comes along the robot's way, a little to the left of it.
        return np.array([[4.0 - 0.2 * robot.stamp, 0.1, -0.2, 0.0]])

    straight = drive('open', RvBug())
    monkeypatch.setattr(rv_bug, 'moving', phantom)
    episode = drive('open', RvBug())
    assert straight.outcome == episode.outcome == 'reached'
    start = straight.start.position
    aside = way_of(episode)[:, 1] - start[1]
    assert np.abs(way_of(straight)[:, 1] - start[1]).max() < 0.05
    assert aside.min() < -0.2
    gap = min(math.hypot(x - (4.0 - 0.2 * sample.stamp), y - 0.1)
              for sample, (x, y) in zip(episode.samples, way_of(episode)))
    assert gap > RHO


# ---- the sum of angles --------------------------------------------------------------------------

def test_whole_turn_is_not_taken_for_none():
    stage = Stage(world_of(), Pose(0.0, 0.0, 0.5 * math.pi), goal=(9.0, 0.0))
    rule = AngleSumZero(stage.robot, 1)
    assert not rule(stage.robot)
    for quarter in range(2, 5):
        assert not rule(stage.put(Pose(0.0, 0.0, 0.5 * math.pi * quarter)))
    assert rule.turned == pytest.approx(2.0 * math.pi)
    for quarter in range(3, 0, -1):
        assert not rule(stage.put(Pose(0.0, 0.0, 0.5 * math.pi * quarter)))
    assert rule(stage.put(Pose(0.0, 0.0, -0.01)))


def test_direction_of_the_goal_that_turns_along_counts():
    # Half way round the goal, always at right angles to its direction: nothing is turned back.
    stage = Stage(world_of(), Pose(-2.0, 0.0, 0.5 * math.pi), goal=(0.0, 0.0))
    rule = AngleSumZero(stage.robot, 1)
    for angle in np.linspace(math.pi, 0.0, 20)[1:]:
        pose = Pose(2.0 * math.cos(angle), 2.0 * math.sin(angle), angle - 0.5 * math.pi)
        assert not rule(stage.put(pose))
    assert rule.turned == pytest.approx(0.5 * math.pi)


# ---- whole drives -------------------------------------------------------------------------------

@pytest.mark.parametrize('name', ['u_trap', 'spiral_out'])
def test_pocket_that_bug0_goes_round_in_is_left_behind(name):
    assert drive(name, Bug0()).outcome == 'loop_detected'
    assert drive(name, RvBug()).outcome == 'reached'


@pytest.mark.parametrize('name', ['goal_solid', 'ring_goal', 'ring_start', 'cell', 'arena_out'])
def test_goal_without_a_way_ends_in_a_loop_and_never_as_unreachable(name):
    assert drive(name, RvBug()).outcome == 'loop_detected'


@pytest.mark.parametrize('name', CLUTTER)
def test_p23_p25_run_ends_and_touches_nothing(name):
    episode = drive(name, RvBug())
    assert episode.outcome in ('reached', 'loop_detected')
    assert episode.contacts == 0
