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

"""Every algorithm through the action server: around a trap, and inside a ring."""

import itertools

from bug_nav.navigation.algorithms.registry import find, registered
from part import part
import pytest

pytestmark = pytest.mark.ros
GUIDED = sorted(set(registered()) - {'follow_wall'})    # that one looks for no goal
# What those without a proof may end with; a loop is the algorithm's verdict on itself.
WITHOUT_PROOF = {'u_trap': {'REACHED', 'LOOP_DETECTED'}, 'ring_goal': {'LOOP_DETECTED'}}
PROVEN = {'u_trap': {'REACHED'}, 'ring_goal': {'UNREACHABLE'}}
GOALS = {'u_trap': (6.0, 0.2), 'ring_goal': (4.5, 0.1)}


@pytest.fixture(scope='module', params=sorted(GOALS))
def stage(request, make_stack):
    stack = make_stack()
    stack.start_sim(world=request.param)
    stack.start_navigator()
    return stack, request.param


@pytest.mark.campaign
@pytest.mark.parametrize('algorithm', GUIDED)
def test_every_algorithm_drives_the_robot_over_dds_to_the_right_end(stage, algorithm):
    drives_to_the_right_end(*stage, algorithm)


@pytest.mark.parametrize('stage, algorithm', part(itertools.product(
    sorted(GOALS), ['bug1', 'tangent_bug']), 3), indirect=['stage'])
def test_algorithm_of_each_sort_drives_the_robot_over_dds_to_the_right_end(stage, algorithm):
    drives_to_the_right_end(*stage, algorithm)


def drives_to_the_right_end(stack, world, algorithm):
    """Drive to the world's goal, and compare the outcome with what is known of it."""
    stack.reset_sim()
    sent = stack.send(*GOALS[world], algorithm=algorithm)
    status, outcome, message = sent.end(timeout=120.0)
    complete = find(algorithm).facts.complete
    assert outcome in (PROVEN if complete else WITHOUT_PROOF)[world], message
    assert (status == 'SUCCEEDED') == (outcome == 'REACHED')
    assert len(sent.result.hit_points) >= 1 or not complete
