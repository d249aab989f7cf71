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

"""Tests of the proof policy: what sensors do not resolve starts another round."""

from __future__ import annotations

from bug_nav.navigation.proof_policy import MAX_DOUBTS, MAX_ROUNDS, ProofPolicy
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Outcome, Result
import pytest

CONE = 0.35


def robot_with(cone: float) -> Robot:
    robot = Robot(RobotModel(), Settings(sensing='rangers'))
    robot.senses.cone_angle = cone
    return robot


def verdict(width: float) -> Result:
    """Return an unreachable verdict whose certificate has a gap of ``width`` [contour radii]."""
    rho = robot_with(CONE).contour_radius
    chain = ((0.0, 0.0), (width * rho, 0.0), (width * rho, rho), (0.0, rho))
    return Result(Outcome.UNREACHABLE, 'shut off', 4.0, chain)


def restarts(policy: ProofPolicy, *arguments) -> bool:
    """Return whether the algorithm restarts after a result."""
    return policy.judge(*arguments) is None and policy.verdict is None


def test_gap_that_a_cone_may_have_narrowed_restarts_before_unreachable_is_accepted():
    policy = ProofPolicy(robot_with(CONE))
    assert [restarts(policy, verdict(1.8)) for _ in range(MAX_DOUBTS)] == MAX_DOUBTS * [True]
    assert policy.judge(verdict(1.8)).outcome is Outcome.UNREACHABLE


def test_gap_still_near_the_critical_width_after_all_restarts_is_undecided():
    policy = ProofPolicy(robot_with(CONE))
    for _ in range(MAX_DOUBTS):
        assert restarts(policy, verdict(1.98))
    result = policy.judge(verdict(1.98))
    assert result.outcome is Outcome.UNDECIDED and 'the width of a gap' in result.message


@pytest.mark.parametrize('cone, width', [(CONE, 1.6), (0.0, 1.9)])
def test_much_narrower_gap_or_gap_seen_by_a_lidar_is_accepted_at_once(cone, width):
    after = ProofPolicy(robot_with(cone)).judge(verdict(width))
    assert after.outcome is Outcome.UNREACHABLE


def test_contradiction_between_cones_is_undecided_after_all_rounds():
    policy = ProofPolicy(robot_with(CONE))
    contradiction = Result(Outcome.ODOM_CONTRADICTORY, 'the obstacles are not closed', 5.0)
    assert all(restarts(policy, contradiction) for _ in range(MAX_ROUNDS))
    result = policy.judge(contradiction)
    assert result.outcome is Outcome.UNDECIDED and 'rangers do not resolve' in result.message
    assert 'the obstacles are not closed' in result.message and 'odometry' in result.message
    assert ProofPolicy(robot_with(0.0)).judge(contradiction) is contradiction


def test_contradiction_of_a_lidar_starts_further_rounds_only_if_odometry_does_not_explain_it():
    contradiction = Result(Outcome.ODOM_CONTRADICTORY, 'the obstacles are not closed', 5.0)
    policy = ProofPolicy(robot_with(0.0))
    assert all(restarts(policy, contradiction, True) for _ in range(MAX_DOUBTS))
    assert policy.judge(contradiction, True) is contradiction
    assert ProofPolicy(robot_with(0.0)).judge(contradiction, False) is contradiction
