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

"""Tests of BlindBug; P23 and P25 are properties of test/properties."""

from __future__ import annotations

import math

from arena import block, hits_and_leaves, QUIET, RHO, way_of, world_of
from bug_nav.navigation.algorithms.blind_bug import BlindBug, Parameters
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import ARRIVED
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.world import World
import pytest


def drive(world: World, goal=None, turn: str = 'left', **parameters) -> EpisodeResult:
    return run_episode(world, Pose(*(world.start or (0.0, 0.0, 0.0))), goal or world.goal,
                       BlindBug(Parameters(**parameters)), lidar=QUIET,
                       settings=Settings(turn_direction=turn), time_allowance=1800.0)


def test_goal_in_open_space_is_reached_without_a_hit():
    episode = drive(find_world('open'))
    assert episode.outcome in ARRIVED and episode.events == []


def test_robot_that_passes_beside_the_goal_ends_as_a_loop():
    # The box displaces the robot sideways, and it continues there along its first heading.
    episode = drive(world_of(block(1.0, 2.0, -1.0, 1.0)), (6.0, 0.0), approach_distance=0.0,
                    max_distance_increase=3.0)
    assert episode.outcome == 'loop_detected' and 'away from the goal' in episode.result.message
    x, y = way_of(episode)[-1]
    # It leaves as it rounds the corner.
    assert 1.0 + 0.5 * RHO < y < 1.02 + RHO
    assert math.hypot(x - 6.0, y) == pytest.approx(y + 3.0, abs=0.1)


def test_robot_drives_to_a_nearby_goal_once_the_way_there_is_free():
    episode = drive(world_of(block(1.0, 2.0, -1.0, 1.0)), (6.0, 0.0))
    assert episode.outcome == 'reached'
    turned = next(sample for sample in episode.samples if sample.state == ('motion_to_goal',))
    assert math.dist(turned.pose.position, (6.0, 0.0)) == pytest.approx(2.5, abs=0.05)


@pytest.mark.parametrize('turn, side', [('left', 1), ('right', -1)])
def test_second_wall_is_passed_on_the_side_that_leads_back_to_the_line(turn, side):
    two = world_of(block(1.0, 1.5, -0.5, 0.5), block(3.5, 4.0, -2.0, 2.0))
    way = way_of(drive(two, (8.0, 0.0), turn, approach_distance=0.0, max_distance_increase=2.0))
    assert side * way[(way[:, 0] > 1.0) & (way[:, 0] < 1.5)][0, 1] > 0.5
    assert side * way[(way[:, 0] > 3.5) & (way[:, 0] < 4.0)][0, 1] < -2.0


def test_pocket_is_left_past_its_tip_with_a_single_hit():
    episode = drive(find_world('u_trap'), turn='right')
    hits, leaves = hits_and_leaves(episode)
    assert episode.outcome == 'reached' and len(hits) == len(leaves) == 1


def test_heading_that_is_never_free_ends_as_a_loop_after_a_lap():
    episode = drive(find_world('ring_start'))
    assert episode.outcome == 'loop_detected' and 'lap 1 around' in episode.result.message
    assert episode.result.lap_length > 5.0
