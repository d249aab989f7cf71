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

"""Tests of wall following as an algorithm of its own."""

from __future__ import annotations

import math

from arena import block, QUIET, RHO, way_of, world_of
from bug_nav.navigation.algorithms.follow_wall import FollowWall, Parameters
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.episode import EpisodeResult, run_episode
import numpy as np
import pytest

LONG_WALL = world_of(block(1.0, 1.2, -9.0, 9.0))
POST = world_of(block(1.0, 1.1, -0.05, 0.05))


def followed(world, goal=(6.0, 0.0), **parameters) -> EpisodeResult:
    return run_episode(world, Pose(0.0, 0.0, 0.0), goal, FollowWall(Parameters(**parameters)),
                       lidar=QUIET, time_allowance=200.0)


@pytest.mark.parametrize('wall_side, sign', [('right', 1), ('left', -1)])
def test_wall_is_kept_on_the_given_side(wall_side, sign):
    episode = followed(LONG_WALL, wall_side=wall_side, distance=3.0)
    x, y = way_of(episode)[-1]
    assert sign * y == pytest.approx(3.0, abs=0.15)
    assert x == pytest.approx(1.0 - RHO, abs=0.03)


def test_goal_is_reached_after_the_given_distance():
    episode = followed(LONG_WALL, distance=2.0)
    assert episode.outcome == 'reached'
    assert episode.result.message.startswith('followed the wall for 2.0')
    hit = next(event for event in episode.events if event.kind == 'hit')
    assert episode.path_length - hit.path_length == pytest.approx(2.0, abs=0.02)


def test_goal_is_reached_after_the_time_or_distance_whichever_is_first():
    episode = followed(LONG_WALL, distance=0.0, time=8.0)
    hit = next(event for event in episode.events if event.kind == 'hit')
    assert episode.outcome == 'reached' and episode.time - hit.stamp == pytest.approx(8.0, abs=0.1)
    both = followed(LONG_WALL, distance=0.5, time=8.0)
    assert both.time < episode.time


def test_short_wall_is_followed_in_several_laps():
    episode = followed(POST, distance=6.0)
    assert episode.outcome == 'reached' and episode.contacts == 0
    around = np.unwrap([math.atan2(y, x - 1.05) for x, y in way_of(episode)])
    # The contour around the post is 1.8 m long: more than three laps, clockwise around it.
    assert around[-1] - around[0] < -6.0 * math.pi


def test_goal_on_the_way_is_reached():
    episode = followed(LONG_WALL, goal=(0.6, 0.0))
    assert episode.outcome == 'reached' and 'from the goal' in episode.result.message


def test_following_without_an_end_or_with_an_unknown_side_is_rejected():
    with pytest.raises(ValueError, match='distance and time are both 0'):
        Parameters(distance=0.0, time=0.0)
    with pytest.raises(ValueError, match="wall_side is 'front'; allowed are left, right"):
        Parameters(wall_side='front')
