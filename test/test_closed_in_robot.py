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
"""A robot that has driven freely is not boxed in by readings that appear around it."""

import math

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import Outcome, TickInput
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.simulator import Simulator
import numpy as np
import pytest

DT = 0.05


def drive(algorithm, radius, begins, lasts=math.inf, has_driven=False, beams=slice(None)):
    """
    Return the result in the world `box`.

    Those beams read ``radius`` [m] for ``lasts`` [s] once the robot has driven ``begins`` [m].
    """
    world = find_world('box')
    simulator = Simulator(world, Pose(*world.start), seed=1)
    navigator = Navigator(find(algorithm)(), time_allowance=100.0)
    navigator.robot.has_driven = has_driven
    noise, since, ticks = np.random.default_rng(1), math.inf, 0
    while True:
        navigator.queue.add_pose(simulator.stamp, simulator.odometry)
        if simulator.travelled >= begins:
            since = min(since, simulator.stamp)
        if ticks % 4 == 0:
            scan = simulator.scan()
            if 0.0 <= simulator.stamp - since < lasts:
                ranges = np.array(scan.ranges)
                ranges[beams] = noise.normal(radius, 0.005, len(ranges))[beams]
                scan = scan._replace(ranges=ranges)
            navigator.queue.add_scan(scan, simulator.stamp)
        decision = navigator.tick(TickInput(simulator.stamp, world.goal))
        if decision.result is not None:
            return decision.result
        simulator.step(decision.twist, DT)
        ticks += 1


@pytest.mark.parametrize('algorithm', ['bug1', 'bug2', 'tangent_bug', 'vis_bug_21'])
def test_ring_that_appears_around_a_driving_robot_is_no_proof(algorithm):
    result = drive(algorithm, 0.2, 0.1)
    assert result.outcome in (Outcome.WORLD_CHANGED, Outcome.BLOCKED, Outcome.TIMEOUT), result


def test_robot_that_has_driven_to_an_earlier_goal_is_not_boxed_in():
    assert drive('bug2', 0.2, 0.0, has_driven=True).outcome is Outcome.WORLD_CHANGED


def test_robot_that_has_never_driven_is_boxed_in():
    assert drive('bug2', 0.2, 0.0).outcome is Outcome.UNREACHABLE


@pytest.mark.parametrize('share', [1.05, 1.15, 1.3, 1.45])
@pytest.mark.parametrize('algorithm', ['bug1', 'bug2', 'tangent_bug', 'vis_bug_21'])
def test_narrow_parts_of_a_robot_outside_its_radius_prove_nothing(algorithm, share):
    posts = np.add.outer(np.arange(45, 360, 90), np.arange(-3, 4)).ravel()
    result = drive(algorithm, share * RobotModel().robot_radius, 0.0, beams=posts)
    assert result.outcome is Outcome.UNDECIDED and 'set self_radius above' in result.message


def test_walls_a_little_outside_the_radius_are_a_proof():
    assert drive('bug2', 1.45 * RobotModel().robot_radius, 0.0).outcome is Outcome.UNREACHABLE


def test_ring_that_disappears_does_not_end_the_goal():
    assert drive('bug2', 0.2, 0.1, lasts=1.0).outcome is Outcome.REACHED
