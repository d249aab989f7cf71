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
import pytest
from subsets import subset

pytestmark = pytest.mark.ros
GUIDED = sorted(set(registered()) - {'follow_wall'})    # has no goal
# Possible outcomes of algorithms without a proof; a loop is detected by the algorithm itself.
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
def test_every_algorithm_has_the_expected_outcome_over_dds(stage, algorithm):
    check_outcome(*stage, algorithm)


@pytest.mark.parametrize('stage, algorithm', subset(itertools.product(
    sorted(GOALS), ['bug1', 'tangent_bug']), 3), indirect=['stage'])
def test_one_algorithm_of_each_kind_has_the_expected_outcome_over_dds(stage, algorithm):
    check_outcome(*stage, algorithm)


def check_outcome(stack, world, algorithm):
    """Drive to the goal of a world, and check the outcome."""
    stack.reset_sim()
    sent = stack.send(*GOALS[world], algorithm=algorithm)
    status, outcome, message = sent.end(timeout=120.0)
    complete = find(algorithm).metadata.complete
    assert outcome in (PROVEN if complete else WITHOUT_PROOF)[world], message
    assert (status == 'SUCCEEDED') == (outcome == 'REACHED')
    assert len(sent.result.hit_points) >= 1 or not complete
