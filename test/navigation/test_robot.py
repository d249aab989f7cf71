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
import pydoc
import re

from arena import block, BURGER, R, RHO, Stage, world_of
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import Settings
import numpy as np
import pytest

X = 2.0
WALL = world_of(block(X, X + 0.2, -2.0, 2.0))


def facing(gap: float, goal=(10.0, 0.0), **settings) -> Robot:
    """Return a robot that faces the wall, its contour disc ``gap`` [m] in front of it."""
    return Stage(WALL, Pose(X - RHO - gap, 0.0, 0.0), goal, **settings).robot


def test_help_lists_the_attributes_for_authors_which_exist():
    text, robot = pydoc.plain(pydoc.render_doc(Robot)), facing(1.0)
    listed = text[text.index('Attributes for authors'):text.index('Methods that')]
    named = set(re.findall(r'``(\w+)``', listed))
    assert {'goal', 'position', 'previous', 'goal_distance', 'random'} <= named
    assert all(hasattr(robot, name) for name in named)


# Free and blocked ways, with hysteresis.

@pytest.mark.parametrize('gap, blocked, free', [
    (0.30, False, True), (0.16, False, True), (0.14, False, False), (0.06, False, False),
    (0.04, True, False), (0.0, True, False)])
def test_way_is_free_blocked_or_undecided_in_between(gap, blocked, free):
    robot = facing(gap)
    assert (robot.blocking_hit() is not None) is blocked
    assert robot.way_is_free() is free


@pytest.mark.parametrize('beyond, blocked', [(0.15, True), (0.12, False), (0.101, False)])
def test_wall_behind_the_goal_tolerance_does_not_block_the_way(beyond, blocked):
    # The disc is 0.03 m from the wall; the goal is ``beyond`` [m] ahead of the robot.
    goal = (X - RHO - 0.03 + beyond, 0.0)
    robot = facing(0.03, goal)
    assert (robot.blocking_hit() is not None) is blocked
    assert robot.way_is_free() is not blocked


@pytest.mark.parametrize('depth', [0.01, 0.05, 0.099])
def test_robot_slightly_too_near_to_a_wall_can_move_away_and_along_only(depth):
    pose = Pose(X - RHO + depth, 0.0, 0.0)
    for goal, free in (((-5.0, 0.0), True), ((pose.x - 0.05, 5.0), True), ((5.0, 0.0), False)):
        robot = Stage(WALL, pose, goal).robot
        assert robot.way_is_free() is free
        assert (robot.blocking_hit() is None) is free


def test_free_distance_is_limited_to_the_clear_distance():
    assert facing(5.0).free_distance_to_goal() == Settings().clear_distance
    assert facing(0.1).free_distance_to_goal() == pytest.approx(0.1, abs=1e-3)


def test_plug_blocks_the_way_like_a_wall():
    robot = Stage(world_of(), Pose(0.0, 0.0, 0.0), (5.0, 0.0)).robot
    robot.gaps.mark_closed((0.03, 0.0), (1.0, 0.0))
    assert not robot.way_is_free()
    hit = robot.blocking_hit()
    assert hit.centre == pytest.approx((0.03, 0.0)) and hit.contact == robot.gaps.plugs[0]


def test_plug_beside_the_way_does_not_block_it():
    robot = Stage(world_of(), Pose(0.0, 0.0, 0.0), (5.0, 0.0)).robot
    robot.gaps.mark_closed((0.0, 0.001), (0.0, 1.0))
    assert robot.way_is_free() and robot.blocking_hit() is None


# Positions and their frames.

def observed(robot: Robot, pose: Pose, correction: Pose = Pose(0.0, 0.0, 0.0),
             held: bool = False, goal=(5.0, 5.0)) -> Robot:
    robot.set_pose(0.0, pose, goal, held, correction)
    return robot


def test_correction_jump_is_no_step():
    robot = observed(Robot(BURGER, Settings()), Pose(1.0, 0.0, 0.0), held=True)
    observed(robot, Pose(1.01, 0.0, 0.0))
    observed(robot, Pose(1.02, 0.0, 0.0), correction=Pose(0.0, 3.0, math.pi / 2))
    # With the new correction at both ends, the step is 1 cm long, not 3 m.
    assert math.dist(robot.previous, robot.position) == pytest.approx(0.01)
    assert robot.position == pytest.approx((0.0, 4.02))
    assert robot.path_length == pytest.approx(0.02)
    assert robot.global_pose == pytest.approx((0.0, 4.02, math.pi / 2))


def test_motion_during_a_hold_is_no_step():
    robot = observed(Robot(BURGER, Settings()), Pose(0.0, 0.0, 0.0), held=True)
    assert robot.previous is None and robot.path_length == 0.0
    observed(robot, Pose(0.5, 0.0, 1.0), held=True)
    assert robot.previous is None and robot.path_length == robot.turned == 0.0
    observed(robot, Pose(0.5, 0.1, 0.8))
    assert robot.previous == (0.5, 0.0)
    assert (robot.path_length, robot.turned) == (pytest.approx(0.1), pytest.approx(0.2))


def test_goal_heading_is_in_the_odometry_frame():
    turned = Pose(5.0, 5.0, math.pi / 2)
    robot = observed(Robot(BURGER, Settings()), Pose(1.0, 0.0, 0.0), turned, goal=(5.0, 9.0))
    assert robot.goal_distance == pytest.approx(3.0)
    assert robot.goal_heading == pytest.approx(0.0)         # up in the map is ahead in odometry


def test_states_nest_and_an_exception_leaves_them():
    robot = Robot(BURGER, Settings())
    with robot.state('outer'):
        with pytest.raises(RuntimeError), robot.state('inner'):
            assert robot.ledger.states == ['outer', 'inner']
            raise RuntimeError
        assert robot.ledger.states == ['outer']
    assert robot.ledger.states == []


def test_hit_and_leave_are_recorded_with_their_number_and_pose():
    robot = facing(0.02)
    hit = robot.blocking_hit()
    robot.record_hit(hit)
    robot.record_leave()
    one, two = robot.ledger.events
    assert (one.kind, one.index, two.kind, two.index) == ('hit', 1, 'leave', 1)
    assert one.pose == robot.global_pose
    # The hit is measured from the contour, the leave from the robot, which has not moved.
    assert one.goal_distance == pytest.approx(two.goal_distance - 0.02, abs=1e-3)


def test_contour_radius_is_the_body_radius_plus_the_clearance():
    assert Robot(BURGER, Settings()).contour_radius == pytest.approx(RHO)
    assert Robot(BURGER, Settings(clearance=0.2)).contour_radius == pytest.approx(R + 0.2)


# ---- openings ----------------------------------------------------------------------------------

CONTOUR = np.array([(1.0, 0.0), (2.0, 0.0)])


@pytest.mark.parametrize('gone, since, has_opened', [
    ((1.5, 0.1), 2.0, False), ((1.0, 0.1), 2.0, True), ((1.0, 0.1), 4.0, False)])
def test_contour_has_opened_if_a_point_beside_it_was_cleared_since(gone, since, has_opened):
    robot = Robot(BURGER, Settings())
    robot.perception.cleared = 3.0, np.array([gone])
    assert robot.has_opened(CONTOUR, since) is has_opened
    assert not robot.has_opened(np.empty((0, 2)), since)


def test_opening_counts_once_however_often_it_is_checked():
    robot = Robot(BURGER, Settings())
    robot.perception.cleared = 3.0, np.array([(1.0, 0.1)])
    assert [robot.is_new_opening(CONTOUR, 0.0) for _ in range(3)] == [True, False, False]
    assert len(robot._openings) == 1  # or a lap takes longer and longer
    robot.perception.cleared = 4.0, np.array([(1.0, 0.1)])
    assert not robot.is_new_opening(CONTOUR, 0.0)  # a door that opens again
    robot.perception.cleared = 5.0, np.array([(2.0, 0.1)])
    assert robot.is_new_opening(CONTOUR, 0.0)
