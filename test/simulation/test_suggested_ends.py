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

"""Tests of the start and goal that are suggested for a world without them."""

from __future__ import annotations

import math

from bug_nav.lab.ground_truth import reachable
from bug_nav.simulation.suggested_ends import suggest_ends
from bug_nav.simulation.world import check_start_and_goal, World, WorldError
from hypothesis import given
from hypothesis import strategies as st
import pytest

RADIUS = 0.15


def world_of(*solids):
    return World.from_polygons(list(solids), None, None, name='mine')


def box(x, y, width, height):
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def suggested(world, start=None):
    return suggest_ends(world.clearance, world.bounds, start, RADIUS)


BOXES = st.lists(st.builds(box, *[st.floats(-5, 5)] * 2, *[st.floats(0.1, 4)] * 2), min_size=1,
                 max_size=8)


@given(BOXES)
def test_suggested_goal_can_be_reached_from_the_suggested_start(boxes):
    world = world_of(*boxes)
    ends = suggested(world)
    if ends is not None:
        assert reachable(world, *ends, RADIUS) and math.dist(*ends) > 0.0


def test_suggestion_for_a_closed_room_is_inside_it_and_for_a_given_start_on_its_side():
    room = world_of(box(0, 0, 8, 0.2), box(0, 5.8, 8, 0.2), box(0, 0, 0.2, 6), box(7.8, 0, 0.2, 6),
                    box(20, 20, 1, 1))
    start, goal = suggested(room, (1.0, 1.0))
    assert start == pytest.approx((1.0, 1.0), abs=0.3)
    assert 0 < goal[0] < 8 and 0 < goal[1] < 6
    outer, far = suggested(room)
    assert outer[0] > 8 or outer[1] > 6
    assert reachable(room, outer, far, RADIUS)


def test_no_place_is_suggested_where_none_is_free():
    assert suggested(world_of(box(0, 0, 3, 3))) is None
    assert suggested(world_of(box(0, 0, 3, 3), box(5, 5, 1, 1)), (1.0, 1.0)) is None


@pytest.mark.parametrize('start, words', [
    (None, r'has no start; give .* in Python\), such as --start \S+,0 with --goal \S+, to which'),
    ((-1.0, 2.0, 0.0), r'has no goal; give .* in Python\), such as --goal \S+, to which a way')])
def test_sentence_about_a_missing_place_suggests_one(start, words):
    world = world_of(box(-3, 0, 1, 1), box(3, 3, 1, 1))
    with pytest.raises(WorldError, match=words):
        check_start_and_goal(world, start, None, RADIUS)
