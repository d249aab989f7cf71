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

"""Tests of PointBug; P23 and P25 are properties of test/properties."""

from __future__ import annotations

import math

from arena import block, drive, RHO, Stage, world_of
from bug_nav.navigation.algorithms.point_bug import PointBug, sudden_point
from bug_nav.navigation.behaviors.move_to_node import NODE_OFFSET
from bug_nav.navigation.behaviors.tangent_graph import TangentSight
from bug_nav.navigation.types import ARRIVED
import pytest

BOX = world_of(block(2.0, 3.0, -0.5, 1.0))


def first_point(turn: str = 'left', came_by=None, goal=(6.0, 0.0), world=BOX):
    """Return the first sudden point before the box."""
    robot = Stage(world, goal=goal, turn_direction=turn).robot
    return sudden_point(robot, TangentSight(3.0).look(robot), came_by)


@pytest.mark.parametrize('turn, y', [('left', 1.0 + RHO), ('right', -0.5 - RHO)])
def test_first_turn_is_to_the_given_side_up_to_the_first_sudden_point(turn, y):
    found = first_point(turn)
    assert 1.8 < found[0] < 2.4 and abs(found[1] - y) < RHO + NODE_OFFSET
    # The first sudden point of the turn is an end of the box, even if the other is nearer.
    assert math.copysign(1.0, found[1]) == math.copysign(1.0, y)


def test_later_turns_are_to_the_side_of_the_goal():
    assert first_point('right', came_by=-1.0)[1] < 0.0      # the right end comes first
    assert first_point('right', came_by=-0.3)[1] > 0.0      # it is behind; the left end is next
    assert first_point('left', came_by=1.0)[1] > 0.0
    assert first_point('left', came_by=0.45)[1] < 0.0


def test_point_that_the_robot_comes_from_is_ignored():
    left = first_point('left')
    back = math.atan2(left[1], left[0]) - math.pi
    assert first_point('left', came_by=back) == first_point('right')


def test_room_has_no_sudden_point():
    walls = [block(-2.0, 2.0, y, y + 0.1) for y in (-2.1, 2.0)]
    walls += [block(x, x + 0.1, -2.1, 2.1) for x in (-2.1, 2.0)]
    assert first_point(world=world_of(*walls)) is None


@pytest.mark.parametrize('name', ['open', 'box', 'pole', 'two_close', 'u_trap', 'demo'])
def test_goal_behind_simple_obstacles_is_reached(name):
    assert drive(name, PointBug()).outcome in ARRIVED


# In `spiral_out`, range noise decides whether a robot without memory finds the way.
@pytest.mark.parametrize('name', ['goal_solid', 'ring_goal', 'ring_start', 'cell'])
def test_goal_that_requires_memory_ends_as_a_loop(name):
    episode = drive(name, PointBug())
    assert episode.outcome == 'loop_detected' and episode.result.lap_length == 0.0
