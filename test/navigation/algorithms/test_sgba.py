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

"""Tests of the swarm gradient bug algorithm."""

from __future__ import annotations

import math

from arena import block, drive, QUIET, Stage, way_of, world_of
from bug_nav.navigation.algorithms.gradient_bug import GradientBug
from bug_nav.navigation.algorithms.sgba import Heard, no_messages, Parameters, PATIENCE, Sgba
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import ARRIVED
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
import numpy as np
import pytest

OUT = 0.5 * math.pi
WALL = world_of(block(-6.0, 6.0, 2.0, 2.2), block(-6.0, 6.0, -2.2, -2.0))
"""A corridor of 4 m."""


def run(world, goal, heard=no_messages, start: Pose = IDENTITY, **parameters
        ) -> tuple[EpisodeResult, Sgba]:
    bug = Sgba(Parameters(**parameters))
    bug.heard = heard
    return run_episode(world, start, goal, bug, lidar=QUIET, time_allowance=400.0), bug


def test_robot_without_messages_and_outbound_time_is_the_gradient_bug():
    for name in ('box', 'u_trap', 'ring_start'):
        alone, message_from = drive(name, GradientBug()), drive(name, Sgba())
        assert message_from.outcome == alone.outcome
        assert np.array_equal(way_of(message_from), way_of(alone))


@pytest.mark.parametrize('heading', [OUT, -OUT, 0.5])
def test_robot_drives_out_for_its_time_and_returns(heading):
    episode, _ = run(world_of(), (0.5, 0.0), outbound_time=25.0, outbound_heading=heading)
    there = next(sample for sample in episode.samples if sample.stamp >= 25.0)
    x, y = there.pose.position
    assert math.hypot(x, y) > 3.0
    assert math.atan2(y, x) == pytest.approx(heading, abs=0.1)
    assert episode.outcome in ARRIVED


def test_outbound_heading_is_relative_to_the_heading_of_the_robot():
    episode, _ = run(world_of(), (0.5, 0.0), start=Pose(0.0, 0.0, 1.0), outbound_time=15.0,
                     outbound_heading=0.5)
    x, y = next(each for each in episode.samples if each.stamp >= 15.0).pose.position
    assert math.atan2(y, x) == pytest.approx(1.5, abs=0.1)


def test_nearby_goal_is_ignored_on_the_way_out():
    episode, _ = run(world_of(), (1.0, 0.5), outbound_time=20.0, outbound_heading=math.pi)
    there = next(sample for sample in episode.samples if sample.stamp >= 20.0)
    assert there.pose.x < -2.0 and episode.outcome in ARRIVED


def test_loop_on_the_way_out_does_not_end_the_goal():
    world = find_world('ring_start')
    episode, bug = run(world, world.goal, start=Pose(*world.start), outbound_time=390.0)
    assert not bug.is_outbound and episode.outcome in ('loop_detected', 'timeout')


def message_from(away: float, heading: float = 0.3, robot_id: int = 0):
    return lambda robot: [Heard(9, away + 5.0, -heading), Heard(robot_id, away, heading)]


@pytest.mark.parametrize('heading, away, robot_id, flipped', [
    (0.3, 2.0, 0, True), (-0.3, 2.0, 0, False), (0.3, 4.0, 0, False), (0.3, 2.0, 5, False)])
def test_robot_changes_sides_for_a_close_robot_with_priority_on_the_same_side(
        heading, away, robot_id, flipped):
    _, bug = run(WALL, (40.0, 0.0), message_from(away, heading, robot_id), outbound_time=60.0,
                 outbound_heading=0.8, robot_id=3)
    assert bug.out == (-0.8 if flipped else 0.8)


def test_robot_does_not_change_sides_on_the_way_home():
    _, bug = run(find_world('box'), find_world('box').goal, message_from(2.0), robot_id=3)
    assert not bug.is_outbound and bug.out == 0.0


def states_of(episode: EpisodeResult) -> set:
    return {name for sample in episode.samples for name in sample.state}


def test_robot_gives_way_along_walls_to_a_very_close_robot_with_priority():
    world = find_world('box')
    for robot_id, gives in ((0, True), (5, False)):
        episode, _ = run(world, world.goal, message_from(0.5, robot_id=robot_id), robot_id=3,
                         start=Pose(*world.start))
        assert ('giving_way' in states_of(episode)) == gives
        assert episode.outcome == 'reached' and episode.contacts == 0


def test_robot_gives_way_for_a_limited_time():
    world = find_world('box')
    episode, _ = run(world, world.goal, message_from(0.5), robot_id=3, start=Pose(*world.start))
    given = [sample.stamp for sample in episode.samples if 'giving_way' in sample.state]
    assert given[-1] - given[0] == pytest.approx(PATIENCE, abs=0.2)


def test_robot_moves_away_from_the_wall_to_give_way():
    world = find_world('box')
    episode, _ = run(world, world.goal, message_from(0.5), robot_id=3, start=Pose(*world.start))
    ways = [sample.pose.position for sample in episode.samples if 'giving_way' in sample.state]
    begin, end = (float(world.clearance(np.array([place]))[0]) for place in (ways[0], ways[-1]))
    assert end > begin + 0.2


def test_messages_have_an_identity_a_distance_and_a_heading_only():
    # The position of the other robot is not part of a message.
    assert set(Heard._fields) == {'robot_id', 'away', 'heading'}
    assert no_messages(Stage(world_of()).robot) == ()


def test_way_out_may_begin_at_the_goal():
    episode, _ = run(world_of(), (0.0, 0.0), outbound_time=25.0)
    assert max(sample.pose.x for sample in episode.samples) > 3.0
    assert episode.outcome in ARRIVED and episode.time > 25.0


def test_robot_stays_outbound_after_a_loop_until_its_time_is_up():
    world = find_world('ring_start')
    _, bug = run(world, world.goal, start=Pose(*world.start), outbound_time=500.0)
    assert bug.is_outbound


def test_outbound_time_continues_after_a_restart():
    stage = Stage(world_of())
    bug = Sgba(Parameters(outbound_time=10.0))
    next(bug.run(stage.robot))
    stage.stamp += 10.0
    stage.put(Pose(1.0, 0.0, 0.0))
    next(bug.run(stage.robot))
    assert not bug.is_outbound
