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
"""The measuring drive of check: what it commands, when it stops, and that it always ends."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import STOP
from bug_nav.recording.checks.measuring_drive import MARGIN, MAX_WAITING, MeasuringDrive, Seen
from hypothesis import given
from hypothesis import strategies as st
import pytest

TICK = 0.05
MODEL, SETTINGS = RobotModel(), Settings()


class Robot:
    """A robot that obeys after ``delay`` ticks, ``sign`` and ``turn`` times the command."""

    def __init__(self, sign=1.0, turn=1.0, delay=0, nearest=2.0):
        self.sign, self.turn, self.nearest = sign, turn, nearest
        self.pose, self.sent = IDENTITY, [STOP] * delay
        self.driven = 0.0

    def move(self, command):
        self.sent.append(command)
        obeyed = self.sent.pop(0)
        self.driven += abs(obeyed.v) * TICK
        self.pose = self.pose.compose(Pose(
            self.sign * obeyed.v * TICK, 0.0, self.turn * obeyed.w * TICK))


def driven(robot, change=lambda seen: seen, ticks=4000):
    """Return the plan at its end, and the commands."""
    plan, commands = MeasuringDrive(MODEL, SETTINGS), []
    for tick in range(ticks):
        seen = change(Seen(tick * TICK, robot.pose, 0.05, robot.nearest, 0.1))
        commands.append(plan.command(seen))
        robot.move(commands[-1])
        if plan.ended is not None:
            return plan, commands
    raise AssertionError('the drive does not end')


@pytest.mark.parametrize('delay', [0, 10])
def test_robot_turns_and_drives_half_a_metre(delay):
    robot = Robot(delay=delay)
    plan, commands = driven(robot)
    assert plan.ended == '' and commands[-1] == STOP and plan.command(
        Seen(1e3, robot.pose, 0.0, 2.0, 0.0)) == STOP
    assert sum(max(each.w, 0.0) for each in commands) * TICK > 2.0 * math.pi
    assert robot.driven == pytest.approx(0.5, abs=0.1)
    assert len(commands) * TICK == pytest.approx(plan.duration, rel=0.3)


@pytest.mark.parametrize('robot, words', [
    (Robot(turn=0.0), 'has turned 0 of'), (Robot(sign=0.0), 'has driven 0.00 of'),
    (Robot(sign=-1.0), 'drives back'), (Robot(turn=-1.0), 'turns against its commands'),
    (Robot(turn=0.01), 'has turned'), (Robot(nearest=MODEL.robot_radius + 0.3), 'no room'),
    (Robot(nearest=0.15), 'something is 0.15 m')])
def test_drive_ends_early_with_the_reason(robot, words):
    plan, commands = driven(robot)
    assert words in plan.ended and commands[-1] == STOP
    assert plan.is_disobeyed == (robot.nearest == 2.0)


def test_robot_that_turns_against_its_commands_does_not_drive_ahead():
    robot = Robot(turn=-1.0)
    driven(robot)
    assert robot.driven == 0.0


def test_obstacle_seen_only_while_turning_counts_for_the_way_ahead():
    def change(seen):
        return seen._replace(nearest=0.4 if 3.0 < seen.now < 3.5 else 2.0)
    robot = Robot()
    assert 'the nearest obstacle is 0.40 m' in driven(robot, change)[0].ended
    assert robot.driven == 0.0


@given(scale=st.floats(0.0, 1.0), nearest=st.floats(0.6, 3.0))
def test_odometry_that_reports_too_little_does_not_prolong_the_way(scale, nearest):
    robot = Robot(sign=scale, nearest=nearest)
    driven(robot)
    assert robot.driven <= 1.15 * 0.5 + 0.15 * TICK + 1e-9


def test_lidar_that_sees_nothing_ends_the_drive():
    plan, commands = driven(Robot(nearest=math.nan))
    assert 'the lidar sees nothing' in plan.ended and set(commands) == {STOP}


LATE = [{'pose_age': 0.5}, {'scan_age': 1.0}, {'pose': None}]


@given(start=st.floats(0.0, 40.0), fault=st.sampled_from(
    [*LATE, {'nearest': 0.0}, {'nearest': math.nan}]))
def test_any_lasting_fault_at_any_time_stops_the_robot_at_that_tick(start, fault):
    plan, robot = MeasuringDrive(MODEL, SETTINGS), Robot()
    faulty = 0
    for tick in range(4000):
        seen = Seen(tick * TICK, robot.pose, 0.05, 2.0, 0.1)
        is_faulty = seen.now >= start
        command = plan.command(seen._replace(**fault) if is_faulty else seen)
        robot.move(command)
        if is_faulty:
            faulty += 1
            assert command == STOP
            if plan.ended is not None:
                break
    assert plan.ended is not None and faulty <= 1 + (MAX_WAITING + 0.1) / TICK * (fault in LATE)


@given(start=st.floats(0.0, 15.0), duration=st.floats(0.1, MAX_WAITING - 0.2),
       fault=st.sampled_from(LATE))
def test_robot_stands_while_data_are_late_and_completes_the_drive(start, duration, fault):
    def change(seen):
        return seen._replace(**fault) if start <= seen.now < start + duration else seen
    robot = Robot()
    plan, commands = driven(robot, change)
    late = [command for tick, command in enumerate(commands)
            if start <= tick * TICK < start + duration]
    assert plan.ended == '' and plan.waits == 1 and set(late) == {STOP}
    assert plan.waited == pytest.approx(duration, abs=2 * TICK)
    assert robot.driven == pytest.approx(0.5, abs=0.1)


def test_robot_starts_slowly_after_each_wait():
    def change(seen):
        return seen._replace(pose_age=0.5 if seen.now % 1.0 < 0.15 else 0.05)
    _, commands = driven(Robot(), change)
    for before, command in zip(commands, commands[1:]):
        if before == STOP:
            assert abs(command.w) <= 0.1 * 0.6 + 1e-9 and command.v <= 0.1 * 0.15 + 1e-9


def test_waiting_is_bounded_in_all():
    def change(seen):
        return seen._replace(pose_age=0.5 if seen.now % 1.0 < 0.8 else 0.05)
    plan, _ = driven(Robot(), change)
    assert 'no odometry for 0.5 s; in all, the robot waited 5.0 s' in plan.ended
    assert not plan.is_disobeyed


@given(sign=st.floats(-3.0, 3.0), turn=st.floats(-3.0, 3.0), delay=st.integers(0, 40),
       nearest=st.floats(0.0, 5.0))
def test_drive_always_ends_and_stays_within_its_speeds(sign, turn, delay, nearest):
    plan, commands = driven(Robot(sign, turn, delay, nearest))
    assert commands[-1] == STOP and plan.ended is not None
    assert all(each.v <= 0.15 and abs(each.w) <= 0.6
               for each in commands)
    if nearest < MODEL.robot_radius + MARGIN:
        assert all(each == STOP for each in commands)
