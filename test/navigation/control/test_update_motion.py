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


"""Tests of the per-tick checks of odometry: jumps, path, progress, and time limits."""

from __future__ import annotations

import math

from arena import BURGER
from bug_nav.navigation.compiled import wrapped
from bug_nav.navigation.control.motion import (
    GAP_SPACING,
    IN_PROGRESS,
    JUMP,
    NO_DATA,
    NO_PROGRESS,
    OBSTRUCTED,
    ODOM_JUMPED,
    TIME_JUMPED,
    TIMEOUT,
    update_motion,
)
from bug_nav.navigation.control.state import limits_of, new_state
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import Settings
import pytest

TICK = 0.05
SPEED = BURGER.max_vel_x


class Odometry:
    """Odometry of a robot that is placed at a new pose in each tick."""

    def __init__(self, time_allowance: float = 0.0, **settings) -> None:
        self.state, self.limits = new_state(), limits_of(BURGER, Settings(**settings))
        self.limits['time_allowance'] = time_allowance
        self.now = self.stamp = 100.0

    def at(self, x: float, y: float = 0.0, theta: float = 0.0, *, elapsed: float = TICK,
           stamp: float = TICK, drifts: bool = False, fresh: bool = True, held: bool = False,
           patience: float = 120.0) -> int:
        """Return the result of `update_motion` for a pose, and store the place."""
        self.now += elapsed
        self.stamp += stamp
        found, self.place = update_motion(self.state, self.limits, self.now, elapsed, self.stamp,
                                          x, y, theta, drifts, fresh, held, patience)
        return found


@pytest.mark.parametrize('angle', [0.0, 1.0, -math.pi, math.pi, 3.5, -3.5, 100.0, -100.0])
def test_angle_is_wrapped_to_minus_pi_up_to_pi(angle):
    assert wrapped(angle) == (angle + math.pi) % (2.0 * math.pi) - math.pi


@pytest.mark.parametrize('x, theta, found', [
    (0.99 * (JUMP + 2.0 * SPEED * TICK), 0.0, IN_PROGRESS),
    (1.01 * (JUMP + 2.0 * SPEED * TICK), 0.0, ODOM_JUMPED),
    (0.0, 0.59, IN_PROGRESS), (0.0, -0.61, ODOM_JUMPED), (0.0, 2.0 * math.pi, IN_PROGRESS)])
def test_odometry_beyond_the_feasible_motion_is_a_jump(x, theta, found):
    odometry = Odometry()
    assert odometry.at(5.0, 3.0, 1.0) == IN_PROGRESS       # the first pose is no jump
    assert odometry.at(5.0 + x, 3.0, 1.0 + theta) == found
    assert odometry.state['jump'][0] == pytest.approx((x, abs(wrapped(theta)), TICK))
    # After a jump, the robot stays at its last place.
    assert odometry.place[0] == (5.0 if found == ODOM_JUMPED else 5.0 + x)


def test_jump_is_measured_from_the_last_accepted_odometry():
    odometry = Odometry()
    odometry.at(0.0)
    for _ in range(10):
        assert odometry.at(0.15, fresh=False) == ODOM_JUMPED or odometry.stamp > 100.15
    assert odometry.at(0.25) == IN_PROGRESS                # half a second later
    assert odometry.place[0] == 0.25


def test_backward_odometry_stamp_is_no_jump_by_itself():
    odometry = Odometry()
    odometry.at(0.0)
    assert odometry.at(0.1, stamp=-50.0) == IN_PROGRESS    # the tick's own time counts
    assert odometry.at(0.3, stamp=-50.0) == ODOM_JUMPED


def test_backward_steady_clock_is_detected_before_a_jump():
    odometry = Odometry()
    odometry.at(0.0)
    assert odometry.at(9.0, elapsed=-0.1) == TIME_JUMPED


def test_drift_and_correction_are_applied_to_the_pose():
    odometry = Odometry()
    drift, correction, goal = Pose(1.0, 2.0, 0.5), Pose(-3.0, 1.0, -1.5), (4.0, 4.0)
    odometry.state['drift'], odometry.state['correction'] = drift, correction
    odometry.state['goal'] = goal
    odometry.at(0.3, 0.2, 3.0, drifts=True)
    pose = drift.compose(Pose(0.3, 0.2, 3.0))
    assert odometry.place[:3] == pose and odometry.place[3:5] == correction.apply(pose.position)
    assert odometry.place[5] == math.atan2(goal[1] - pose.y, goal[0] - pose.x)
    odometry.at(0.3, 0.2, 3.1)      # without drift, the heading is not even wrapped
    assert odometry.place[:3] == (0.3, 0.2, 3.1)


def test_motion_during_a_hold_is_no_path_and_gaps_are_checked_at_intervals():
    odometry = Odometry()
    odometry.at(1.0, held=True)
    assert odometry.place[6:] == (0.0, 0.0, True)
    odometry.at(1.0 + 0.9 * GAP_SPACING, theta=-0.1)
    assert odometry.place[6:] == (pytest.approx(0.9 * GAP_SPACING), pytest.approx(0.1), False)
    odometry.at(1.0 + 1.1 * GAP_SPACING)
    assert odometry.place[6:] == (pytest.approx(1.1 * GAP_SPACING), pytest.approx(0.2), True)


def test_lack_of_progress_is_detected_after_the_allowance():
    odometry = Odometry(movement_time_allowance=1.0)
    found = [odometry.at(0.0) for _ in range(30)]
    assert found == ([IN_PROGRESS] * found.count(IN_PROGRESS)
                     + [NO_PROGRESS] * found.count(NO_PROGRESS))
    assert found.count(IN_PROGRESS) in (20, 21, 22)
    # Enough motion counts as progress again, and turning is part of it.
    assert odometry.at(0.0, theta=0.5) == NO_PROGRESS
    assert odometry.at(0.1, theta=0.5) == IN_PROGRESS


@pytest.mark.parametrize('turn, found', [(lambda k: 0.3 * math.sin(k), NO_PROGRESS),
                                         (lambda k: 0.2 * k, IN_PROGRESS)])
def test_turning_on_counts_as_progress_and_turning_to_and_fro_does_not(turn, found):
    # Between two posts, a robot turned to and fro for 90 s.
    odometry = Odometry()
    for k in range(400):
        last = odometry.at(0.0, theta=turn(k))
    assert last == found


def test_small_robot_that_turns_to_and_fro_while_it_drives_makes_progress():
    # An e-puck that looks between the cones of its rangers drove 0.43 m in 10 s.
    odometry = Odometry(movement_time_allowance=10.0, required_movement_radius=0.5)
    odometry.limits['robot_radius'] = 0.037
    for k in range(800):
        assert odometry.at(0.043 * TICK * k, theta=0.5 * math.sin(0.1 * k)) == IN_PROGRESS


@pytest.mark.parametrize('field, found', [('is_standing', NO_DATA),
                                          ('is_waiting', OBSTRUCTED), ('is_looking', OBSTRUCTED)])
def test_stops_and_waits_are_limited_and_do_not_count_as_idle_time(field, found):
    odometry, outcomes = Odometry(movement_time_allowance=1.0, give_up_timeout=1.0), []
    for _ in range(80):
        odometry.state[field] = True
        outcomes.append(odometry.at(0.0, fresh=False, patience=3.0))
    first = outcomes.index(found)
    assert outcomes[:first] == [IN_PROGRESS] * first and first in (60, 61, 62)


def test_time_allowance_starts_at_the_first_tick():
    odometry = Odometry(time_allowance=1.0)
    found = [odometry.at(0.01 * k, fresh=k % 2 == 0) for k in range(30)]
    assert found.index(TIMEOUT) in (21, 22) and found[-1] == TIMEOUT


def test_progress_resets_the_times_stood_and_waited():
    odometry = Odometry(movement_time_allowance=1.0)
    odometry.at(0.0)
    odometry.state['is_standing'] = odometry.state['is_waiting'] = True
    odometry.at(0.0, elapsed=0.5)
    assert not odometry.state['is_standing'] and not odometry.state['is_waiting']
    assert odometry.state['stood'] == odometry.state['waited'] == 0.5
    odometry.at(0.15, stamp=1.0)
    assert odometry.state['stood'] == odometry.state['waited'] == 0.0
