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


def test_robot_that_hears_nobody_and_goes_home_at_once_is_the_gradient_bug():
    for name in ('box', 'u_trap', 'ring_start'):
        alone, other = drive(name, GradientBug()), drive(name, Sgba())
        assert other.outcome == alone.outcome
        assert np.array_equal(way_of(other), way_of(alone))


@pytest.mark.parametrize('heading', [OUT, -OUT, 0.5])
def test_robot_goes_out_for_its_time_and_comes_home(heading):
    episode, _ = run(world_of(), (0.5, 0.0), outbound_time=25.0, outbound_heading=heading)
    there = next(sample for sample in episode.samples if sample.stamp >= 25.0)
    x, y = there.pose.position
    assert math.hypot(x, y) > 3.0
    assert math.atan2(y, x) == pytest.approx(heading, abs=0.1)
    assert episode.outcome == 'reached'


def test_outbound_heading_counts_from_where_the_robot_faces():
    episode, _ = run(world_of(), (0.5, 0.0), start=Pose(0.0, 0.0, 1.0), outbound_time=15.0,
                     outbound_heading=0.5)
    x, y = next(each for each in episode.samples if each.stamp >= 15.0).pose.position
    assert math.atan2(y, x) == pytest.approx(1.5, abs=0.1)


def test_goal_near_by_is_not_gone_to_on_the_way_out():
    episode, _ = run(world_of(), (1.0, 0.5), outbound_time=20.0, outbound_heading=math.pi)
    there = next(sample for sample in episode.samples if sample.stamp >= 20.0)
    assert there.pose.x < -2.0 and episode.outcome == 'reached'


def test_loop_on_the_way_out_does_not_end_the_goal():
    world = find_world('ring_start')
    episode, bug = run(world, world.goal, start=Pose(*world.start), outbound_time=390.0)
    assert not bug.is_outbound and episode.outcome in ('loop_detected', 'timeout')


def other(away: float, heading: float = 0.3, identity: int = 0):
    return lambda robot: [Heard(9, away + 5.0, -heading), Heard(identity, away, heading)]


@pytest.mark.parametrize('heading, away, identity, flipped', [
    (0.3, 2.0, 0, True), (-0.3, 2.0, 0, False), (0.3, 4.0, 0, False), (0.3, 2.0, 5, False)])
def test_side_is_left_to_a_close_robot_with_priority_that_has_the_same(
        heading, away, identity, flipped):
    _, bug = run(WALL, (40.0, 0.0), other(away, heading, identity), outbound_time=60.0,
                 outbound_heading=0.8, identity=3)
    assert bug.out == (-0.8 if flipped else 0.8)


def test_nobody_changes_sides_on_the_way_home():
    _, bug = run(find_world('box'), find_world('box').goal, other(2.0), identity=3)
    assert not bug.is_outbound and bug.out == 0.0


def states_of(episode: EpisodeResult) -> set:
    return {name for sample in episode.samples for name in sample.state}


def test_way_is_given_along_walls_to_a_robot_that_is_very_close_and_first():
    world = find_world('box')
    for identity, gives in ((0, True), (5, False)):
        episode, _ = run(world, world.goal, other(0.5, identity=identity), identity=3,
                         start=Pose(*world.start))
        assert ('giving_way' in states_of(episode)) == gives
        assert episode.outcome == 'reached' and episode.contacts == 0


def test_patience_ends():
    world = find_world('box')
    episode, _ = run(world, world.goal, other(0.5), identity=3, start=Pose(*world.start))
    given = [sample.stamp for sample in episode.samples if 'giving_way' in sample.state]
    assert given[-1] - given[0] == pytest.approx(PATIENCE, abs=0.2)


def test_robot_goes_off_the_wall_to_give_way():
    world = find_world('box')
    episode, _ = run(world, world.goal, other(0.5), identity=3, start=Pose(*world.start))
    ways = [sample.pose.position for sample in episode.samples if 'giving_way' in sample.state]
    begin, end = (float(world.clearance(np.array([place]))[0]) for place in (ways[0], ways[-1]))
    assert end > begin + 0.2


def test_heading_of_the_others_is_told_by_what_is_heard_alone():
    # Where the other one is plays no part: there is no place in what is heard.
    assert set(Heard._fields) == {'identity', 'away', 'heading'}
    assert no_messages(Stage(world_of()).robot) == ()


def test_way_out_may_begin_at_the_goal_itself():
    episode, _ = run(world_of(), (0.0, 0.0), outbound_time=25.0)
    assert max(sample.pose.x for sample in episode.samples) > 3.0
    assert episode.outcome == 'reached' and episode.time > 25.0


def test_loop_on_the_way_out_is_followed_by_more_of_it_until_the_time_is_up():
    world = find_world('ring_start')
    _, bug = run(world, world.goal, start=Pose(*world.start), outbound_time=500.0)
    assert bug.is_outbound


def test_time_on_the_way_out_goes_on_where_all_begins_anew():
    stage = Stage(world_of())
    bug = Sgba(Parameters(outbound_time=10.0))
    next(bug.run(stage.robot))
    stage.stamp += 10.0
    stage.put(Pose(1.0, 0.0, 0.0))
    next(bug.run(stage.robot))
    assert not bug.is_outbound
