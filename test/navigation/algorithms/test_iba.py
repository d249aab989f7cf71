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

"""Tests of IBA; P23 and P25 are properties of test/properties."""

from __future__ import annotations

from arena import block, drive, hits_and_leaves, RHO, Stage, world_of
from bug_nav.navigation.algorithms.bug0 import Bug0
from bug_nav.navigation.algorithms.iba import Iba, ObstacleClear
from bug_nav.navigation.behaviors.tangent_graph import TangentSight
from bug_nav.navigation.geometry import Pose
import pytest

WALL = block(1.0, 1.2, -1.0, 1.0)
HOOK = (WALL, block(1.2, 2.6, 0.8, 1.0), block(2.4, 2.6, -0.5, 0.8))
"""A wall with an upper arm that leads around, and hides the goal from behind the wall."""


class Wall:
    """A follower at a given place."""

    side = 1

    def __init__(self, centre) -> None:
        self.centre = centre


def leaves(solids, centre, goal=(4.0, 0.0), sensor_range: float = 3.5) -> bool:
    """Return whether the leave rule holds at a place on the contour."""
    robot = Stage(world_of(*solids), Pose(*centre, 0.0), goal).robot
    return ObstacleClear(TangentSight(sensor_range), Wall(centre))(robot)


BEHIND = (1.2 + RHO + 0.01, -0.9)


def test_wall_is_left_where_the_goal_is_visible():
    assert leaves([WALL], BEHIND)
    assert not leaves([WALL], (1.0 - RHO - 0.01, 0.0))


def test_wall_is_left_although_another_obstacle_is_in_the_way():
    assert leaves([WALL, block(2.4, 2.6, -2.0, 2.0)], BEHIND)


def test_wall_is_not_left_while_it_blocks_the_way_farther_on():
    assert not leaves(HOOK, (1.2 + RHO + 0.01, 0.1))


def test_obstacle_beyond_the_sensor_range_does_not_block_the_way():
    assert leaves(HOOK, (1.2 + RHO + 0.01, 0.1), sensor_range=0.7)


@pytest.mark.parametrize('name', ['u_trap', 'demo'])
def test_goal_is_reached_past_a_pocket_in_which_bug0_loops(name):
    assert drive(name, Bug0()).outcome == 'loop_detected'
    assert drive(name, Iba()).outcome == 'reached'


def test_obstacle_with_a_hidden_connection_counts_as_two_and_gives_a_loop():
    # Around the outer arm, the inner one of the same spiral is visible.
    episode = drive('gallery', Iba())
    assert episode.outcome == 'loop_detected' and len(hits_and_leaves(episode)[0]) > 3
