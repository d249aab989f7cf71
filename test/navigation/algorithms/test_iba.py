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

"""Tests of IBA; P23 and P25 are numbers of the project's list of properties."""

from __future__ import annotations

from arena import block, drive, hits_and_leaves, RHO, Stage, world_of
from bug_nav.navigation.algorithms.bug0 import Bug0
from bug_nav.navigation.algorithms.iba import Iba, ObstacleClear
from bug_nav.navigation.behaviors.tangent_graph import TangentSight
from bug_nav.navigation.geometry import Pose
from part import part
import pytest

CLUTTER = tuple(part((f'random:cluttered?seed={seed}{wish}' for seed in range(390, 394)
                      for wish in ('', '&reachable=false')), 3))
WALL = block(1.0, 1.2, -1.0, 1.0)
HOOK = (WALL, block(1.2, 2.6, 0.8, 1.0), block(2.4, 2.6, -0.5, 0.8))
"""A wall whose upper arm leads round, and hides the goal from behind it."""


class Wall:
    """A follower at a given place."""

    side = 1

    def __init__(self, centre) -> None:
        self.centre = centre


def leaves(solids, centre, goal=(4.0, 0.0), sensor_range: float = 3.5) -> bool:
    """Tell whether it leaves a wall at a place on the contour."""
    robot = Stage(world_of(*solids), Pose(*centre, 0.0), goal).robot
    return ObstacleClear(TangentSight(sensor_range), Wall(centre))(robot)


BEHIND = (1.2 + RHO + 0.01, -0.9)


def test_wall_is_left_where_the_goal_is_in_sight():
    assert leaves([WALL], BEHIND)
    assert not leaves([WALL], (1.0 - RHO - 0.01, 0.0))


def test_wall_is_left_for_another_obstacle_in_the_way():
    assert leaves([WALL, block(2.4, 2.6, -2.0, 2.0)], BEHIND)


def test_wall_is_not_left_while_it_is_itself_in_the_way_farther_on():
    assert not leaves(HOOK, (1.2 + RHO + 0.01, 0.1))


def test_what_is_farther_away_than_is_looked_is_not_in_the_way():
    assert leaves(HOOK, (1.2 + RHO + 0.01, 0.1), sensor_range=0.7)


@pytest.mark.parametrize('name', ['u_trap', 'demo'])
def test_pocket_that_bug0_goes_back_into_is_left_behind(name):
    assert drive(name, Bug0()).outcome == 'loop_detected'
    assert drive(name, Iba()).outcome == 'reached'


def test_parts_of_an_obstacle_whose_connection_is_out_of_sight_are_taken_for_two():
    # Round the outer arm the inner one is seen, and is the same spiral.
    episode = drive('gallery', Iba())
    assert episode.outcome == 'loop_detected' and len(hits_and_leaves(episode)[0]) > 3


@pytest.mark.parametrize('name', ['goal_solid', 'ring_goal', 'ring_start', 'cell', 'arena_out'])
def test_goal_without_a_way_ends_in_a_loop_and_never_as_unreachable(name):
    assert drive(name, Iba()).outcome == 'loop_detected'


@pytest.mark.parametrize('name', CLUTTER)
def test_p23_p25_run_ends_and_touches_nothing(name):
    episode = drive(name, Iba())
    assert episode.outcome in ('reached', 'loop_detected')
    assert episode.contacts == 0
