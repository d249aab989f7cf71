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

"""Tests of localizer jumps during a goal, which must cause no false crossing and no lap."""

import math

from arena import hand_over
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import TickInput
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.simulator import Simulator
import pytest

JUMP = 0.3
STATES = {
    'bug1': {'motion_to_goal', 'boundary_following', 'circumnavigation', 'return_to_leave_point'},
    'bug2': {'motion_to_goal', 'boundary_following'},
    'tangent_bug': {'motion_to_goal', 'boundary_following', 'transition'}}
ENDS = {'box': 'reached', 'u_trap': 'reached', 'ring_goal': 'unreachable'}


def drive(algorithm, world, turn, state, direction, after):
    """Drive; correct the localizer error of 0.3 m after a number of ticks in a state."""
    world = find_world(world)
    simulator = Simulator(world, Pose(*world.start), seed=1)
    navigator = Navigator(find(algorithm)(), RobotModel(), Settings(turn_direction=turn), 1800.0)
    correction = Pose(JUMP * math.cos(direction), JUMP * math.sin(direction), 0.0)
    ticks, inside = 0, 0
    while True:
        hand_over(simulator, navigator, ticks % 4 == 0)
        decision = navigator.tick(TickInput(simulator.stamp, world.goal, correction=correction))
        inside += state in decision.state
        if inside > after:
            correction = IDENTITY
        if decision.result is not None or simulator.contacts:
            return simulator, decision.result, inside > after
        simulator.step(decision.twist, 0.05)
        ticks += 1


@pytest.mark.parametrize('algorithm, state', [
    (algorithm, state) for algorithm, states in STATES.items() for state in sorted(states)])
def test_localizer_jump_in_any_state_causes_no_wrong_verdict(algorithm, state):
    jumps = []
    for k, (world, ends) in enumerate(2 * list(ENDS.items())):
        simulator, result, jumped = drive(algorithm, world, ('left', 'right')[k // 3], state,
                                          0.5 * math.pi * k, (0, 60, 200, 20)[k % 4])
        jumps.append(jumped)
        assert (result.outcome.value, simulator.contacts) == (ends, 0)
        if jumped and ends == 'reached':
            assert math.dist(simulator.pose.position, simulator.world.goal) < 0.11
    assert any(jumps)


def test_localizer_jump_along_a_wall_is_no_lap():
    # The jump moves the robot back by 0.3 m along its path: the trace seems to overlap itself.
    simulator, result, has = drive('bug2', 'box', 'right', 'boundary_following', 0.0, 200)
    assert has and result.outcome.value == 'reached'
