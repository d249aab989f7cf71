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
"""Scans wait until odometry covers them, and what is fresh is what was placed."""

import math

from bug_nav.core.geometry import Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.intake import Intake, LARGEST_SKEW, PATIENCE, QUEUE
import numpy as np
import pytest


def scan(stamp, sweep=0.0):
    # No two are the same, as of a real lidar.
    return Scan(stamp, np.full(360, 1.0 + 1e-6 * stamp), 0.0, math.radians(1.0), 0.12, 3.5,
                time_increment=sweep / 359.0)


def at(x):
    return Pose(x, 0.0, 0.0)


def driven(*stamps, late=0.0):
    """Return an intake with odometry of these stamps, at a metre a second."""
    intake = Intake()
    for stamp in stamps:
        intake.add_pose(stamp, at(stamp), stamp + late)
    return intake


def test_scan_waits_for_odometry_of_its_time_and_is_placed_between_two_poses():
    intake = driven(0.0, 0.1)
    intake.add_scan(scan(0.15), 0.15)
    assert intake.place(0.15) == []
    intake.add_pose(0.2, at(0.2), 0.2)
    (placed,) = intake.place(0.2)
    assert placed.pose.x == pytest.approx(0.15) and intake.placed == 1


def test_all_scans_that_wait_are_placed_in_their_order():
    intake = driven(0.0)
    for stamp in (0.05, 0.1, 0.15):
        intake.add_scan(scan(stamp), stamp)
    intake.add_pose(0.2, at(0.2), 0.25)
    assert [placed.scan.stamp for placed in intake.place(0.25)] == [0.05, 0.1, 0.15]


def test_scans_that_are_faster_than_ticks_are_left_out_but_for_the_newest():
    intake = driven(0.0, 0.2)
    for stamp in (0.0, 0.025, 0.05, 0.1):
        intake.add_scan(scan(stamp), 0.2)
    assert [placed.scan.stamp for placed in intake.place(0.2)] == [0.05, 0.1]
    assert not intake.dropped


@pytest.mark.parametrize('change', [
    {'angle_min': math.pi}, {'mount': Pose(0.2, 0.0, math.pi)}], ids=['part', 'other'])
def test_scans_that_look_another_way_are_placed_however_soon_they_come(change):
    intake = driven(0.0, 0.2)
    intake.add_scan(scan(0.1), 0.2)
    intake.add_scan(scan(0.11)._replace(**change), 0.2)
    assert len(intake.place(0.2)) == 2


def test_sweep_waits_until_its_end_is_covered():
    intake = driven(0.0, 0.1)
    intake.add_scan(scan(0.05, sweep=0.13), 0.19)
    assert intake.place(0.19) == []
    intake.add_pose(0.2, at(0.2), 0.2)
    (placed,) = intake.place(0.2)
    assert placed.pose.x == pytest.approx(0.18)


def test_scan_for_which_no_odometry_comes_is_dropped_and_counted():
    intake = driven(0.0)
    intake.add_scan(scan(0.1), 0.1)
    assert intake.place(0.1 + PATIENCE) == [] and not intake.dropped
    assert intake.place(0.2 + PATIENCE) == []
    assert intake.dropped == {'no odometry of their time': 1}


def test_scan_older_than_all_odometry_is_not_placed():
    intake = driven(0.3)
    intake.add_scan(scan(0.2), 0.3)
    assert intake.place(0.3) == [] and intake.dropped == {'older than all odometry': 1}


def test_scan_in_a_gap_of_odometry_is_not_placed():
    intake = driven(0.0, 0.9)
    intake.add_scan(scan(0.8), 0.9)
    assert intake.place(0.9) == []
    assert intake.dropped == {'a gap in the odometry of their time': 1}


def test_doubled_and_overtaken_messages_change_nothing():
    intake = driven(0.0, 0.1, 0.1)
    intake.add_pose(0.05, at(9.0), 0.12)
    intake.add_scan(scan(0.1), 0.12)
    intake.add_scan(scan(0.1), 0.12)
    intake.add_scan(scan(0.06), 0.12)
    assert len(intake.place(0.12)) == 1 and intake.newest == (0.1, at(0.1))
    assert intake.dropped == {'older than the one before': 2}
    assert intake.pose_age(0.3) == pytest.approx(0.2)


def test_stuck_stamps_are_silence():
    intake = driven(*np.arange(0.0, 1.0, 0.1))
    for k in range(10):
        intake.add_pose(0.9, at(1.0 + 0.1 * k), 1.0 + 0.1 * k)
    assert intake.pose_age(1.9) == pytest.approx(1.0)


@pytest.mark.parametrize('skew', [0.5, 5.0, -0.5, -5.0, 3600.0])
def test_stamps_that_are_out_of_step_place_nothing_and_are_named(skew):
    intake = Intake()
    for k in range(40):
        now = 0.05 * k
        intake.add_pose(now, at(now), now)
        if k % 4 == 0:
            intake.add_scan(scan(now + skew), now)
        assert intake.place(now) == []
    assert intake.skew == pytest.approx(skew) and intake.out_of_step
    assert f'{abs(skew):.2f} s {"ahead of" if skew > 0 else "behind"}' in intake.trouble
    assert intake.scan_age(2.0) == math.inf


@pytest.mark.parametrize('late', [0.1, 0.3])
def test_odometry_that_is_late_is_waited_for(late):
    intake, placed = Intake(), []
    for k in range(60):
        now = 0.05 * k
        intake.add_pose(now - late, at(now - late), now)
        if k % 4 == 0:
            intake.add_scan(scan(now), now)
        placed += intake.place(now)
    assert len(placed) >= 12 and late < LARGEST_SKEW
    assert all(each.pose.x == pytest.approx(each.scan.stamp, abs=1e-9) for each in placed)
    assert intake.skew == pytest.approx(late, abs=0.05)


def test_age_counts_what_was_placed_and_not_what_has_come():
    intake = driven(0.0)
    intake.add_scan(scan(0.0), 0.0)
    assert len(intake.place(0.0)) == 1
    for k in range(1, 20):
        intake.add_scan(scan(0.1 * k), 0.1 * k)
    intake.place(1.9)
    assert intake.scan_age(1.9) == pytest.approx(1.9)


def test_scan_that_hangs_back_is_old_in_its_own_time():
    intake = driven(*np.arange(0.0, 2.0, 0.1))
    intake.add_scan(scan(1.6), 1.9)
    assert len(intake.place(1.9)) == 1
    assert intake.lag == pytest.approx(0.3) and intake.scan_age(1.9) == 0.0


def test_single_stamp_of_another_time_is_not_believed():
    intake = driven(0.0, 0.1)
    intake.add_pose(500.0, at(0.2), 0.2)
    intake.add_pose(0.3, at(0.3), 0.3)
    assert intake.newest == (0.3, at(0.3)) and intake.pose_age(0.3) == 0.0


@pytest.mark.parametrize('step', [-100.0, 100.0])
def test_clock_that_was_set_is_believed_once_it_goes_on(step):
    intake = driven(0.0, 0.1)
    for k in range(2, 6):
        intake.add_pose(0.1 * k + step, at(0.1 * k), 0.1 * k)
        intake.add_scan(scan(0.1 * k + step), 0.1 * k)
    assert intake.newest[0] == pytest.approx(0.5 + step)
    assert [each.pose.x for each in intake.place(0.5)] == pytest.approx([0.4, 0.5])


@pytest.mark.parametrize('known', [True, False])
def test_single_scan_of_another_time_shuts_out_no_other(known):
    intake = driven(0.0) if known else Intake()
    intake.add_scan(scan(3600.0), 0.0)
    for k in range(1, 40):
        intake.add_pose(0.1 * k, at(0.1 * k), 0.1 * k)
        intake.add_scan(scan(0.1 * k), 0.1 * k)
        intake.place(0.1 * k)
    assert intake.placed > 20 and not intake.out_of_step


def test_flood_of_scans_is_bounded():
    intake = driven(0.0)
    for k in range(10 * QUEUE):
        intake.add_scan(scan(0.1 + 1e-4 * k), 0.1)
    intake.add_pose(0.5, at(0.5), 0.3)
    assert len(intake.place(0.3)) == 1 and intake.dropped == {'too many at once': 9 * QUEUE}


@pytest.mark.parametrize('pose', [Pose(math.nan, 0.0, 0.0), Pose(0.0, math.inf, 0.0)])
def test_odometry_that_is_no_number_is_not_odometry(pose):
    intake = driven(0.0)
    intake.add_pose(0.1, pose, 0.1)
    intake.add_pose(math.nan, at(0.0), 0.1)
    assert intake.newest == (0.0, at(0.0))


def test_lidar_that_is_stuck_is_no_lidar():
    intake = driven(0.0, 0.1, 0.2, 0.3)
    for stamp in (0.1, 0.2, 0.3):
        intake.add_scan(scan(0.0)._replace(stamp=stamp), stamp)
    assert len(intake.place(0.3)) == 1 and intake.dropped == {'the very same as before': 2}
    assert 'it is stuck' in intake.trouble
    intake.add_pose(0.4, at(0.4), 0.4)
    intake.add_scan(scan(0.4), 0.4)
    assert len(intake.place(0.4)) == 1 and not intake.trouble


@pytest.mark.parametrize('ahead', [5.0, 3600.0])
@pytest.mark.parametrize('odometry', [True, False])
def test_scan_of_a_time_to_come_does_not_silence_those_after_it(ahead, odometry):
    intake = driven(0.0, 0.1) if odometry else Intake()
    intake.add_scan(scan(0.1 + ahead), 0.1)
    intake.add_pose(0.2, at(0.2), 0.2)
    intake.add_scan(scan(0.2), 0.2)
    assert [placed.scan.stamp for placed in intake.place(0.2)] == [0.2]
