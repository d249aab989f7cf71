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
"""Other robots that run bug_nav."""

from __future__ import annotations

import math

from arena import block, QUIET
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.other_robots import OtherRobot, OtherRobots
from bug_nav.simulation.robots import find_robot
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np
import pytest

ALONE = Pose(0.0, 50.0, 0.0)


def traffic_in(*solids, other: OtherRobot, robot: Pose = ALONE) -> tuple:
    simulator = Simulator(World('', solids, other_robots=(other,)), robot, lidar=QUIET)
    return simulator, OtherRobots(simulator, lidar=QUIET)


def run(simulator: Simulator, traffic: OtherRobots, seconds: float) -> np.ndarray:
    """Simulate the other robots; return the path of the first, (n, 2) [m]."""
    way = []
    for _ in range(round(seconds / 0.05)):
        simulator.step(STOP, 0.05)
        traffic.step(0.05)
        way.append(traffic.robots[0].simulator.pose.position)
    return np.array(way)


def test_other_robot_drives_back_and_forth_around_an_obstacle():
    other = OtherRobot((0.0, 0.0, 0.0), (3.0, 0.0))
    simulator, traffic = traffic_in(block(1.2, 1.8, -0.3, 0.5), other=other)
    way = run(simulator, traffic, 80.0)
    there = np.flatnonzero(np.hypot(*(way - (3.0, 0.0)).T) < 0.15)
    assert there.size and np.hypot(*(way[there[0]:] - (0.0, 0.0)).T).min() < 0.15
    assert traffic.contacts == 0


def test_robot_sees_the_other_robot_and_is_avoided_by_it():
    other = OtherRobot((1.0, 0.0, math.pi), (-1.0, 0.0))
    simulator, traffic = traffic_in(other=other, robot=Pose(0.0, 0.0, 0.0))
    assert np.isfinite(simulator.scan().ranges).any()
    way = run(simulator, traffic, 30.0)
    assert np.hypot(*(way - (-1.0, 0.0)).T).min() < 0.15      # around the stationary robot
    assert traffic.contacts == simulator.bumped == simulator.contacts == 0


@pytest.mark.parametrize('robot', ['e_puck', 'turtlebot4'])
def test_other_robots_drive_with_the_equipment_of_the_robot(robot):
    preset = find_robot(robot)
    simulator = Simulator(World('', (), other_robots=(OtherRobot((0, 0, 0), (0.5, 0)),)), ALONE,
                          preset.model, preset.sensor)
    traffic = OtherRobots(simulator, preset.settings, preset.sensor, preset.odometry)
    assert run(simulator, traffic, 15.0)[:, 0].max() > 0.3


def test_other_robot_is_transformed_with_its_world():
    other = OtherRobot((1.0, 2.0, 0.5), (3.0, -1.0), 'bug1')
    moved = other.transformed(Pose(1.0, 0.0, math.pi / 2), mirrored=True)
    assert moved.start == pytest.approx((3.0, 1.0, math.pi / 2 - 0.5))
    assert moved.goal == pytest.approx((0.0, 3.0)) and moved.algorithm == 'bug1'
    world = World('', (), other_robots=(other,)).transformed(1.0, 0.0, math.pi / 2)
    assert world.other_robots[0].goal == pytest.approx((2.0, 3.0))


def test_episode_with_another_robot_is_repeatable():
    world = World('', (), other_robots=(OtherRobot((4.0, 0.3, math.pi), (-1.0, 0.3)),))

    def again():
        return run_episode(world, Pose(0, 0, 0), (3.0, 0.0), Bug2(), seed=3,
                           time_allowance=120.0)
    one, other = again(), again()
    assert one.samples == other.samples and one.contacts == other.contacts
    assert world.settled.other_robots == ()
