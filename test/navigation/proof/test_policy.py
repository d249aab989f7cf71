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

import math
from typing import Sequence

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.perception.perception import Perceived
from bug_nav.navigation.perception.sensor_queue import SensorQueue
from bug_nav.navigation.proof.chain import find_chain, is_doubtful
from bug_nav.navigation.proof.policy import MAX_DOUBTS, MAX_ROUNDS, ProofPolicy
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Outcome, Result
import numpy as np
import pytest

CONE = 0.35
RHO = Robot(RobotModel(), Settings()).contour_radius


def robot_with(cone: float) -> Robot:
    robot = Robot(RobotModel(), Settings(sensing='rangers', settled_timeout=0.0))
    robot.perception.perceived = Perceived(cone_angle=cone)
    return robot


def policy_of(robot: Robot, is_located: bool = False) -> ProofPolicy:
    """Return a policy; ``is_located``: the pose of the robot is estimated, and certain."""
    robot.perception.localization = Localization(is_located)
    return ProofPolicy(robot, SensorQueue())


def drive(robot: Robot, path: Sequence[Sequence[float]]) -> None:
    """Move the robot along places, to a goal at the origin."""
    for x, y in path:
        robot.set_pose(robot.stamp + 1.0, Pose(x, y, 0.0), (0.0, 0.0), held=True)


def robot_beside_a_chain(cone: float) -> Robot:
    """Return a robot that has driven along both long sides of the chain of `verdict`."""
    robot = robot_with(cone)
    robot.perception.memory.add(np.array(verdict(1.8).certificate))  # and hardly another width
    x = np.arange(0.0, 2.0 * RHO, 0.04)
    drive(robot, [*zip(x, 0.0 * x + 2.0 * RHO), *zip(x, 0.0 * x - RHO)])
    return robot


def verdict(width: float) -> Result:
    """Return an unreachable verdict whose certificate has a gap of ``width`` [contour radii]."""
    chain = ((0.0, 0.0), (width * RHO, 0.0), (width * RHO, RHO), (0.0, RHO))
    return Result(Outcome.UNREACHABLE, 'shut off', 4.0, chain)


def restarts(policy: ProofPolicy, result: Result) -> bool:
    """Return whether the algorithm restarts after a result."""
    return policy.judge(result) is None and policy.verdict is None


def test_gap_that_a_cone_may_have_narrowed_restarts_before_unreachable_is_accepted():
    policy = policy_of(robot_beside_a_chain(CONE))
    assert [restarts(policy, verdict(1.8)) for _ in range(MAX_DOUBTS)] == MAX_DOUBTS * [True]
    assert policy.judge(verdict(1.8)).outcome is Outcome.UNREACHABLE


def test_gap_still_near_the_critical_width_after_all_restarts_is_undecided():
    policy = policy_of(robot_beside_a_chain(CONE))
    for _ in range(MAX_DOUBTS):
        assert restarts(policy, verdict(1.98))
    result = policy.judge(verdict(1.98))
    assert result.outcome is Outcome.UNDECIDED and 'the width of a gap' in result.message


def circle(x: float, radius: float, spacing: float = 0.03) -> np.ndarray:
    """Return points (n, 2) on a circle around (x, 0) [m]."""
    angles = np.arange(0.0, 2.0 * math.pi, spacing / radius)
    return np.column_stack((x + radius * np.cos(angles), radius * np.sin(angles)))


def robot_beside_a_ring(wall: np.ndarray, x: float) -> Robot:
    """
    Return a robot that has driven around a ring, and around a block at (x, 0) [m] beside it.

    The goal is in the middle of the ring, which consists of the points ``wall``.
    """
    robot, points = robot_with(CONE), np.concatenate((wall, circle(x, 0.5)))
    lap = np.concatenate((circle(0.0, 1.0 + RHO), circle(x, 0.5 + RHO)))
    away = np.hypot(*(lap[:, None] - points).transpose(2, 0, 1)).min(axis=1)
    is_between = (np.abs(lap[:, 1]) < 0.3) & (0.0 < lap[:, 0]) & (lap[:, 0] < x)
    drive(robot, [*lap[(away > 0.999 * RHO) & ~is_between], (x, -0.5 - RHO)])
    robot.perception.memory.add(points)
    return robot


@pytest.mark.parametrize('gap', [1.75, 1.97, 2.03])
def test_doubtful_gap_does_not_matter_if_a_smaller_disc_cannot_reach_the_goal(gap):
    robot = robot_beside_a_ring(circle(0.0, 1.0), 1.5 + gap * RHO)
    result = Result(Outcome.UNREACHABLE, 'shut off', 4.0, tuple(find_chain(robot)))
    assert policy_of(robot).judge(result) is result


@pytest.mark.parametrize('gap, outcome', [
    (1.75, Outcome.UNREACHABLE), (1.9, Outcome.UNDECIDED), (2.03, None)])
def test_doubtful_gap_in_front_of_a_door_to_the_goal_matters(gap, outcome):
    wall = circle(0.0, 1.0, 0.002)
    wall = wall[np.hypot(wall[:, 0] - 1.0, wall[:, 1]) > 0.35]
    x, y = wall[0]
    robot = robot_beside_a_ring(wall, x + math.sqrt((0.5 + gap * RHO) ** 2 - y ** 2))
    chain = find_chain(robot)
    assert bool(chain) is (outcome is not None)
    if outcome is not None:
        policy, result = policy_of(robot), Result(Outcome.UNREACHABLE, '', 4.0, tuple(chain))
        assert [restarts(policy, result) for _ in range(MAX_DOUBTS)] == MAX_DOUBTS * [True]
        assert policy.judge(result).outcome is outcome


@pytest.mark.parametrize('away, doubtful', [(2.0, True), (RHO, False)])
def test_gap_is_measured_as_exactly_as_the_robot_has_come_near(away, doubtful):
    robot = robot_with(CONE)
    drive(robot, circle(0.0, 1.0 + away))
    assert is_doubtful(robot, circle(0.0, 1.0, 0.1).tolist(), 1.0) is doubtful


@pytest.mark.parametrize('cone, width', [(CONE, 1.6), (0.0, 1.9)])
def test_much_narrower_gap_or_gap_seen_by_a_lidar_is_accepted_at_once(cone, width):
    after = policy_of(robot_beside_a_chain(cone)).judge(verdict(width))
    assert after.outcome is Outcome.UNREACHABLE


@pytest.mark.parametrize('gone', [0, 12])
def test_verdict_counts_only_while_its_whole_chain_is_remembered(gone):
    robot, ring = Robot(RobotModel(), Settings()), circle(0.0, 1.5)
    drive(robot, [(0.0, 0.0)])
    robot.perception.memory.add(ring[gone:])
    policy = policy_of(robot)
    result = Result(Outcome.UNREACHABLE, 'shut off', 4.0, tuple(map(tuple, ring.tolist())))
    assert restarts(policy, result) is bool(gone)
    assert policy.judge(result._replace(certificate=())) is not None  # boxed in: without a chain


def test_contradiction_between_cones_is_undecided_after_all_rounds():
    policy = policy_of(robot_with(CONE))
    contradiction = Result(Outcome.ODOM_CONTRADICTORY, 'the obstacles are not closed', 5.0)
    assert all(restarts(policy, contradiction) for _ in range(MAX_ROUNDS))
    result = policy.judge(contradiction)
    assert result.outcome is Outcome.UNDECIDED and 'rangers do not resolve' in result.message
    assert 'the obstacles are not closed' in result.message and 'odometry' in result.message
    assert policy_of(robot_with(0.0)).judge(contradiction) is contradiction


def test_contradiction_of_a_lidar_starts_further_rounds_only_if_odometry_does_not_explain_it():
    contradiction = Result(Outcome.ODOM_CONTRADICTORY, 'the obstacles are not closed', 5.0)
    policy = policy_of(robot_with(0.0), True)
    assert all(restarts(policy, contradiction) for _ in range(MAX_DOUBTS))
    assert policy.judge(contradiction) is contradiction
    assert policy_of(robot_with(0.0)).judge(contradiction) is contradiction
