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

"""Tests of the followers that are alternatives to the rolling disc."""

from __future__ import annotations

import itertools
import math

from arena import block, drive_bug2, play, RHO, Stage, TURNS, way_of, world_of
from bug_nav.lab.ground_truth import judge
from bug_nav.navigation.behaviors.follow_boundary import (
    follow_boundary,
    FOLLOWER_TYPES,
    meet_boundary,
)
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.reactive_follower import (
    LOST_AFTER,
    range_at,
    ReactiveFollower,
    WallLost,
)
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.robot import Hit
from bug_nav.navigation.settings import FOLLOWERS, Settings
from bug_nav.navigation.types import Outcome, Twist
from bug_nav.simulation.catalogue import find_world
from compare_followers import lap
import numpy as np
import pytest
from subsets import subset

REACTIVE = ('sweep', 'pid', 'parallel', 'vector_field')
MAX_DISTANCE_ERROR = {'sweep': 0.10, 'pid': 0.11, 'parallel': 0.10, 'vector_field': 0.09}
"""Largest measured error of the wall distance, plus a margin [m]; see docs/followers.md."""


def test_setting_lists_the_followers():
    assert tuple(FOLLOWER_TYPES) == FOLLOWERS
    with pytest.raises(ValueError, match="follower is 'best'; allowed are rolling_disc, sweep"):
        Settings(follower='best')


@pytest.mark.parametrize('kind', REACTIVE)
def test_setting_selects_the_follower(kind):
    stage = Stage(world_of(block(1.0, 1.2, -1.0, 1.0)), Pose(0.74, 0.0, 0.0), follower=kind)
    wall = meet_boundary(stage.robot, stage.robot.blocking_hit())
    assert type(wall) is FOLLOWER_TYPES[kind] and wall.side == 1
    assert wall.turned_back().side == -1 and type(wall.turned_back()) is type(wall)


@pytest.mark.parametrize('kind, name, turn', subset(
    itertools.product(REACTIVE, ['u_trap', 'pole'], TURNS), 3))
def test_lap_is_closed_without_a_contact(kind, name, turn):
    figures = lap(find_world(name), Settings(follower=kind, turn_direction=turn))
    assert figures.contacts == 0 and figures.worst < MAX_DISTANCE_ERROR[kind]
    # Around a pole, the length of the orbit depends on the accuracy of the follower.
    assert figures.share == pytest.approx(1.0, abs=0.3 if name == 'pole' else 0.06)


@pytest.mark.parametrize('kind', REACTIVE)
def test_paths_on_both_sides_are_mirror_images(kind):
    world = world_of(block(1.0, 2.0, -0.5, 0.5))

    def script(robot):
        hit = yield from move_to_goal(robot)
        return (yield from follow_boundary(robot, meet_boundary(robot, hit),
                                           lambda robot: robot.path_length > 3.0))
    left, right = (way_of(play(world, script, turn_direction=turn, follower=kind)[0])
                   for turn in TURNS)
    n = min(len(left), len(right))
    # The beams are not symmetric, and small differences grow.
    assert np.abs(left[:n] * (1.0, -1.0) - right[:n]).max() < 0.1


@pytest.mark.parametrize('kind, name', subset(
    itertools.product(REACTIVE, ['u_trap', 'goal_solid']), 3))
def test_bug2_has_the_right_verdict_with_any_follower(kind, name):
    world = find_world(name)
    truth = judge(world, world.start, world.goal, RHO)
    episode = drive_bug2(world, follower=kind)
    assert episode.outcome == ('reached' if truth else 'unreachable')
    assert episode.contacts == 0


# ---- lost walls -------------------------------------------------------------------------------

class Circling(ReactiveFollower):
    """A follower that always turns right on the spot."""

    def steer(self, robot, points) -> Twist:
        return Twist(0.0, -1.0)


def test_lost_wall_ends_as_blocked_after_about_one_and_a_half_turns():
    # The wall disappears after the hit.
    wall = Circling((0.8, 0.0), (1.0, 0.0), 1)
    near, void = world_of(block(1.0, 1.2, -1.0, 1.0)), world_of()
    stage = Stage(near, Pose(0.76, 0.0, 0.5 * math.pi))
    assert wall.step(stage.robot)[1] == [(0.76, 0.0)]
    stage.world = void
    turned, theta = 0.0, 0.5 * math.pi
    with pytest.raises(WallLost) as lost:
        while turned < 20.0:
            theta -= 0.2
            robot = stage.put(Pose(0.76, 0.0, theta))
            if len(robot.perceived.points) == 0:
                turned += 0.2
                assert wall.step(robot)[1] == []  # no boundary without a wall
    assert lost.value.result.outcome is Outcome.BLOCKED
    assert turned == pytest.approx(LOST_AFTER, abs=2.0)


@pytest.mark.parametrize('kind', ('pid', 'parallel', 'vector_field'))
def test_following_in_open_space_ends_as_blocked_and_not_as_unreachable(kind):
    def script(robot):
        here = robot.pose.position
        wall = meet_boundary(robot, Hit(1.0, here, (here[0] + RHO, here[1])))
        wall._aligned = True
        yield from follow_boundary(robot, wall)
    episode, _ = play(world_of(block(8.0, 9.0, 8.0, 9.0)), script, follower=kind)
    assert episode.outcome == 'blocked' and 'lost' in episode.result.message


# ---- ranges -----------------------------------------------------------------------------------

def test_range_is_the_median_in_its_direction():
    points = np.array([(0.0, -0.3), (0.01, -0.31), (-0.01, -0.9), (0.5, 0.0)])
    assert range_at(points, -0.5 * math.pi, 2.0) == pytest.approx(0.31, abs=0.001)
    assert range_at(points, 0.0, 2.0) == 0.5
    assert range_at(points, 0.5 * math.pi, 2.0) is None
    assert range_at(points, 0.0, 0.4) is None
