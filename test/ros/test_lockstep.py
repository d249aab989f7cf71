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

"""Waiting times of the simulator for the next command in lockstep."""

from bug_nav.ros.sim.lockstep import IDLE_STEP, Lockstep, MOVING_PATIENCE, PATIENCE
import pytest

pytestmark = pytest.mark.ros
DT = 0.05


def commanded(*steps, dt=DT):
    """Return a lockstep with commands at these steps."""
    lockstep = Lockstep(dt)
    for step in steps:
        lockstep.add_command(step * dt)
    return lockstep


def patience(lockstep, step, moves=True, dt=DT):
    return lockstep.patience(step * dt, moves)


def test_lockstep_without_commands_does_not_wait():
    assert not Lockstep(DT).is_due(0.0)
    assert Lockstep(DT).patience(0.0, False) == IDLE_STEP


def test_first_command_makes_the_next_step_wait():
    assert commanded(40).is_due(41 * DT)


@pytest.mark.parametrize('moves, patient', [(True, MOVING_PATIENCE), (False, PATIENCE)])
def test_due_command_is_waited_for(moves, patient):
    lockstep = commanded(7, 8, 9)
    assert lockstep.is_due(10 * DT)
    assert patience(lockstep, 10, moves) == patient


@pytest.mark.parametrize('period', [2, 10])
@pytest.mark.parametrize('dt', [0.005, 0.05])
def test_slower_driver_is_waited_for_only_at_its_ticks(period, dt):
    lockstep = commanded(0, period, 2 * period, dt=dt)
    steps = range(2 * period + 1, 3 * period)
    assert [patience(lockstep, step, dt=dt) for step in steps] == [0.0] * (period - 1)
    assert not any(lockstep.is_due(step * dt) for step in steps)
    assert lockstep.is_due(3 * period * dt)


def test_late_driver_gets_real_time_only_while_the_robot_moves():
    lockstep = commanded(7, 8, 9)
    assert not lockstep.is_due(11 * DT)
    assert patience(lockstep, 11) == DT
    assert patience(lockstep, 11, moves=False) == IDLE_STEP


def test_driver_that_was_late_once_keeps_its_period():
    assert commanded(7, 8, 15).is_due(16 * DT)


def test_driver_that_has_slowed_down_is_waited_for_at_its_new_period():
    lockstep = commanded(7, 8, 12, 16)
    assert patience(lockstep, 17) == 0.0
    assert lockstep.is_due(20 * DT)


def test_repeated_commands_in_one_step_count_once():
    assert commanded(7, 8, 8, 8).is_due(9 * DT)
