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

from arena import block, hits_and_leaves, play, RHO, world_of
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import ARRIVED
import pytest

WALL = world_of(block(2.0, 2.2, -2.0, 2.0))


@pytest.mark.parametrize('goal, start', [
    ((3.0, 0.0), Pose(0.0, 0.0, 0.0)), ((-2.0, 1.0), Pose(0.0, 0.0, 0.0)),
    ((0.0, -3.0), Pose(0.0, 0.0, math.pi / 2)), ((0.05, 0.15), Pose(0.0, 0.0, -2.0))])
def test_path_is_straight_and_ends_at_the_goal(goal, start):
    episode, _ = play(world_of(), move_to_goal, start, goal)
    assert episode.outcome in ARRIVED
    assert episode.path_length == pytest.approx(math.hypot(*goal) - 0.10, abs=0.012)
    assert episode.events == []
    assert math.dist(episode.samples[-1].pose.position, goal) <= 0.10


def test_robot_does_not_overshoot_the_goal():
    for tolerance in (0.01, 0.02, 0.05):
        episode, _ = play(world_of(), move_to_goal, goal=(1.0, 0.3), xy_goal_tolerance=tolerance)
        assert episode.outcome == 'reached'
        assert episode.path_length < math.hypot(1.0, 0.3)


@pytest.mark.parametrize('heading', [0.0, 0.5, -0.7])
def test_wall_in_the_way_is_hit_at_the_contour(heading):
    start = Pose(0.0, 0.0, heading)
    goal = (6.0 * math.cos(heading), 6.0 * math.sin(heading))
    episode, hit = play(WALL, move_to_goal, start, goal)
    (event,), _ = hits_and_leaves(episode)
    x = 2.0 - RHO
    # The hit point is on the contour and on the way, wherever the robot itself is.
    assert hit.centre == pytest.approx((x, x * math.tan(heading)), abs=0.01)
    assert hit.distance == event.goal_distance == pytest.approx(math.dist(hit.centre, goal))
    assert hit.contact[0] == pytest.approx(2.0, abs=1e-3)     # the mean of many readings
    assert math.dist(hit.centre, hit.contact) == pytest.approx(RHO, abs=0.002)
    # The robot itself stops before it, within the hit distance.
    assert x - 0.08 < event.pose.x <= x
    assert episode.contacts == 0


def test_goal_in_front_of_the_wall_is_reached_without_a_hit():
    episode, _ = play(WALL, move_to_goal, goal=(2.0 - RHO - 0.03, 0.0))
    assert episode.outcome == 'reached' and episode.events == []


def test_wall_beside_the_way_is_no_hit():
    beside = world_of(block(0.0, 3.0, RHO + 0.005, 1.0))
    episode, _ = play(beside, move_to_goal, Pose(-1.0, 0.0, 0.0), (4.0, 0.0))
    assert episode.outcome == 'reached' and episode.events == []


def test_robot_that_starts_nearer_than_rho_to_a_wall_can_leave_it():
    near = world_of(block(-1.0, -0.15, -2.0, 2.0))
    episode, _ = play(near, move_to_goal, goal=(3.0, 0.0))
    assert episode.outcome == 'reached' and episode.events == []
    assert episode.min_clearance == pytest.approx(0.15 - 0.124, abs=1e-3)
