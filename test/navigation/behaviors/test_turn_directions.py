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

"""Tests of the turn directions."""

from __future__ import annotations

import math

from arena import block, BURGER, hits_and_leaves, Stage, world_of
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.behaviors.turn_directions import mean_free_ranges, side_at
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.beams import NewestScan
from bug_nav.navigation.perception.perception import Perceived
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.settings import RobotModel, Settings, TURN_DIRECTIONS, TURNS
from bug_nav.navigation.types import Scan
from bug_nav.simulation.episode import run_episode
import numpy as np
import pytest

LEFT, RIGHT = 1, -1


def scan_of(*ranges: float) -> Scan:
    """Return four beams: ahead, left, behind, right."""
    return Scan(0.0, np.array(ranges), 0.0, 0.5 * math.pi, 0.12, 3.5)


ALIKE = scan_of(1.0, 1.0, 1.0, 1.0)


def chosen(direction: str, *, number: int = 1, seed: int = 0, contact: float = 0.0,
           scan: Scan = ALIKE, goal: float = 0.0) -> int:
    robot = Robot(BURGER, Settings(turn_direction=direction, turn_seed=seed))
    robot.ledger.hits, robot.goal_heading = number, goal
    robot.perception.perceived = Perceived(NewestScan(scan, IDENTITY))
    return side_at(robot, Hit(1.0, (0.0, 0.0), (math.cos(goal + contact),
                                                math.sin(goal + contact))))


@pytest.mark.parametrize('direction, side', [('left', LEFT), ('right', RIGHT)])
def test_fixed_direction_is_the_same_at_every_hit(direction, side):
    assert [chosen(direction, number=n, contact=c) for n, c in ((1, 0.5), (2, -0.5))] == [side] * 2


def test_alternating_policy_begins_with_left():
    assert [chosen('alternating', number=n) for n in (1, 2, 3, 4)] == [LEFT, RIGHT, LEFT, RIGHT]


@pytest.mark.parametrize('contact, side', [
    (math.radians(20.0), RIGHT), (math.radians(-20.0), LEFT), (0.0, LEFT),
    (math.radians(1.0), LEFT)])
def test_goal_policy_turns_away_from_the_contact_and_left_if_it_is_ahead(contact, side):
    assert chosen('goal', contact=contact) == side


@pytest.mark.parametrize('left, right, side', [
    (2.0, 1.0, LEFT), (1.0, 2.0, RIGHT), (1.0, 1.0, LEFT), (1.0, 1.005, LEFT),
    (math.inf, 3.0, LEFT), (1.0, -math.inf, LEFT), (-math.inf, 0.2, RIGHT),
    (math.nan, 0.5, RIGHT), (0.0, 0.5, RIGHT)])
def test_clearer_policy_turns_to_the_half_with_more_free_range(left, right, side):
    assert chosen('clearer', scan=scan_of(9.0, left, 9.0, right)) == side


def test_halves_are_relative_to_the_goal_and_not_to_the_robot():
    scan = scan_of(3.0, 1.0, 0.5, 2.0)
    # The goal is on the left and slightly behind: the beam ahead is on its right.
    assert mean_free_ranges(scan, math.radians(100.0)) == pytest.approx((1.25, 2.0))
    assert chosen('clearer', scan=scan, goal=math.radians(100.0)) == RIGHT


def test_free_range_is_limited_to_the_maximum_range():
    assert mean_free_ranges(scan_of(1.0, math.inf, 1.0, 9.0), 0.0) == (3.5, 3.5)


def test_random_policy_depends_on_the_seed_and_uses_both_sides():
    sides = [chosen('random', number=n, seed=7) for n in range(40)]
    assert sides == [chosen('random', number=n, seed=7) for n in range(40)]
    assert {LEFT, RIGHT} == set(sides)
    assert 10 < sides.count(LEFT) < 30
    assert sides != [chosen('random', number=n, seed=8) for n in range(40)]


# ---- with a robot -----------------------------------------------------------------------------

FACING_AN_END = world_of(block(1.0, 1.2, -0.1, 3.0))
"""A wall that the robot meets near its right end; the way around its left end is long."""


def side_of_robot(direction: str, yaw: float = 0.0) -> int:
    stage = Stage(FACING_AN_END, Pose(0.6, 0.0, yaw), goal=(3.0, 0.0), turn_direction=direction)
    return side_at(stage.robot, Hit(2.3, (0.776, 0.0), (1.0, 0.02)))


@pytest.mark.parametrize('yaw', [0.0, 1.5, -2.5])
def test_robot_turns_to_the_clearer_side_at_any_heading(yaw):
    assert side_of_robot('clearer', yaw) == RIGHT


def test_robot_turns_to_the_side_of_the_goal():
    assert side_of_robot('goal') == RIGHT


def test_side_of_a_hit_does_not_change():
    for direction in TURN_DIRECTIONS:
        stage = Stage(FACING_AN_END, turn_direction=direction, turn_seed=3)
        hit = Hit(2.3, (0.776, 0.0), (1.0, 0.02))
        stage.robot.record_hit(hit)
        assert len({side_at(stage.robot, hit) for _ in range(5)}) == 1


THREE_WALLS = world_of(*(block(x, x + 0.2, -0.8, 0.8) for x in (1.5, 3.5, 5.5)))


def sides_taken(direction: str, seed: int = 0) -> str:
    """Return the side on which Bug2 passes each of the three walls: L or R."""
    episode = run_episode(THREE_WALLS, Pose(0.0, 0.0, 0.0), (7.0, 0.0), Bug2(),
                          model=RobotModel(),
                          settings=Settings(turn_direction=direction, turn_seed=seed))
    assert episode.outcome == 'reached' and len(hits_and_leaves(episode)[0]) == 3
    way = np.array([sample.pose.position for sample in episode.samples])
    return ''.join('L' if way[np.argmin(np.abs(way[:, 0] - x)), 1] > 0.0 else 'R'
                   for x in (1.6, 3.6, 5.6))


def test_bug2_follows_the_turn_direction():
    assert [sides_taken(turn) for turn in (*TURNS, 'alternating')] == ['LLL', 'RRR', 'LRL']


def test_bug2_random_turns_depend_on_the_seed():
    taken = {seed: sides_taken('random', seed) for seed in range(4)}
    assert len(set(taken.values())) > 1
    assert taken[2] == sides_taken('random', 2)
