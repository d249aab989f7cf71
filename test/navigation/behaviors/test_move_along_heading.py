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

"""Tests of motion along a heading."""

from __future__ import annotations

import math

from arena import block, play, RHO, Stage, way_of, world_of
from bug_nav.navigation.behaviors.move_along_heading import (
    is_arriving,
    is_free_along,
    move_along_heading,
)
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import ARRIVED
import pytest

WALL = world_of(block(1.0, 2.0, -3.0, 3.0))


def test_way_along_a_heading_is_blocked_where_the_disc_would_stop():
    far, near = (Stage(WALL, Pose(x, 0.0, 0.0), (0.0, 5.0)).robot for x in (0.0, 0.97 - RHO))
    assert far.blocking_hit(0.0) is None and is_free_along(far, 0.0)
    hit = near.blocking_hit(0.0)
    assert hit.centre == pytest.approx((1.0 - RHO, 0.0), abs=0.01)
    assert hit.contact[0] == pytest.approx(1.0, abs=0.01)
    assert hit.distance == pytest.approx(math.hypot(1.0 - RHO, 5.0), abs=0.01)
    assert not is_free_along(near, 0.0) and is_free_along(near, math.pi)


def test_robot_is_arriving_only_if_the_goal_is_near_and_the_way_is_free():
    def arriving(goal, approach_distance: float) -> bool:
        return is_arriving(Stage(WALL, Pose(0.97 - RHO, 0.0, 0.0), goal).robot, approach_distance)

    assert arriving((0.0, 0.0), 2.0) and not arriving((0.0, 0.0), 0.5)
    assert not arriving((2.5, 0.0), 2.0)
    # The way is free up to the post, but not to the goal.
    post = world_of(block(1.0, 1.1, -0.05, 0.05))
    assert not is_arriving(Stage(post, goal=(2.0, 0.0)).robot, 2.5)
    assert is_arriving(Stage(post, goal=(0.6, 0.0)).robot, 2.5)


def moved(world, goal, heading: float, approach_distance: float = 0.0,
          max_distance_increase: float = 100.0):
    """Move along a heading; return the episode and the hit."""
    def script(robot):
        return (yield from move_along_heading(
            robot, heading, approach_distance, max_distance_increase))

    return play(world, script, goal=goal)


def test_robot_keeps_its_heading_until_a_hit_wherever_the_goal_is():
    episode, hit = moved(WALL, (0.0, 6.0), 0.3)
    x, y = way_of(episode)[-1]
    assert math.atan2(y, x) == pytest.approx(0.3, abs=0.03)
    assert hit.centre[0] == pytest.approx(1.0 - RHO, abs=0.01)
    assert {name for sample in episode.samples for name in sample.state} == {
        'motion_along_heading'}


def test_robot_drives_to_a_goal_within_the_arrival_distance():
    episode, _ = moved(world_of(), (3.0, 0.5), 0.0, approach_distance=1.0)
    assert episode.outcome in ARRIVED
    turned = next(sample for sample in episode.samples if sample.state == ('motion_to_goal',))
    assert math.dist(turned.pose.position, (3.0, 0.5)) == pytest.approx(1.0, abs=0.05)


def test_heading_that_leads_away_from_the_goal_ends_as_a_loop():
    episode, _ = moved(world_of(), (1.0, 0.5), 0.0, max_distance_increase=2.0)
    assert episode.outcome == 'loop_detected' and 'from 0.5 m to 2.5 m' in episode.result.message
    assert math.dist(way_of(episode)[-1], (1.0, 0.5)) == pytest.approx(2.5, abs=0.05)
