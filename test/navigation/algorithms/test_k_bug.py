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

"""Tests of K-Bug; P23 and P25 are properties of test/properties."""

from __future__ import annotations

from arena import block, QUIET, RHO, Stage, world_of
from bug_nav.navigation.algorithms.k_bug import _nearest_end, KBug
from bug_nav.navigation.behaviors.tangent_graph import TangentSight
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import ARRIVED
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
import pytest


def drive(name: str) -> EpisodeResult:
    world = find_world(name)
    return run_episode(world, Pose(*world.start), world.goal, KBug(), lidar=QUIET)


@pytest.mark.parametrize('name', ['open', 'box', 'pole', 'two_close', 'u_trap'])
def test_goal_behind_simple_obstacles_is_reached(name):
    assert drive(name).outcome in ARRIVED


@pytest.fixture
def at_a_box():
    """Return a robot in front of a box whose nearer end is on the right, and its graph."""
    robot = Stage(world_of(block(2.0, 3.0, -0.5, 1.0)), goal=(6.0, 0.0)).robot
    return robot, TangentSight(3.0).look(robot)


def test_nearer_end_is_chosen(at_a_box):
    x, y = _nearest_end(*at_a_box, None)
    assert 1.8 < x < 2.4 and -0.6 - 2 * RHO < y < -0.5 - 0.5 * RHO


def test_end_that_the_robot_comes_from_is_not_chosen_again(at_a_box):
    last = _nearest_end(*at_a_box, None)
    assert _nearest_end(*at_a_box, last)[1] > 1.0
