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
"""A localization that jumps beside a wall must not bring the robot into contact with it."""

import math

from arena import hand_over
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.types import TickInput
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import equip
from bug_nav.simulation.simulator import Simulator
import numpy as np
import pytest

JUMP = 0.5


class JumpingLocalization(Localization):
    """A localization to whose result an error is added."""

    error = IDENTITY

    def localize(self, *args, **kwargs):
        """Return the pose with the error."""
        pose = super().localize(*args, **kwargs)
        self.drift = self.error.compose(self.drift)
        return self.error.compose(pose)


def drive(world, algorithm, robot, seed):
    """Drive for 90 s, while the localization jumps by half a metre in each second."""
    equipment, world, random = equip(robot, {}), find_world(world), np.random.default_rng(seed)
    simulator = Simulator(world, Pose(*world.start), equipment.model, equipment.sensor, seed,
                          equipment.odometry)
    navigator = Navigator(find(algorithm)(), equipment.model, equipment.settings, 90.0)
    localization = JumpingLocalization(True, equipment.model.robot_radius)
    navigator.localization = navigator.robot.perception.localization = localization
    due, ticks, every = random.random(), 0, round(equipment.sensor.period / 0.05)
    while True:
        hand_over(simulator, navigator, ticks % every == 0)
        if simulator.stamp >= due:
            due += 1.0
            angle, _ = random.uniform(-math.pi, math.pi), random.uniform()
            localization.error = Pose(
                JUMP * math.cos(angle), JUMP * math.sin(angle), 0.0)
        decision = navigator.tick(TickInput(simulator.stamp, world.goal))
        if simulator.contacts or decision.result is not None:
            return simulator, localization
        simulator.step(decision.twist, 0.05)
        ticks += 1


@pytest.mark.parametrize('robot, world, algorithm, seed', [  # all had contacts
    ('burger', 'random:cluttered?seed=1024', 'bug1', 23),
    ('burger', 'random:cluttered?seed=1049', 'bug2', 48),
    ('waffle_pi', 'box', 'tangent_bug', 25),
    ('waffle_pi', 'box', 'tangent_bug', 40),
    ('turtlebot4', 'random:cluttered?seed=1024', 'bug1', 23),
    ('turtlebot4', 'u_trap', 'bug2', 42)])
def test_localization_that_jumps_beside_walls_causes_no_contact(robot, world, algorithm, seed):
    simulator, localization = drive(world, algorithm, robot, seed)
    assert math.hypot(*localization.drift.position) > JUMP / 2.0
    assert simulator.contacts == 0
