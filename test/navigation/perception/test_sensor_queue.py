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
"""Tests of the sensor queue, in which scans wait for odometry."""

import math

from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.perception.sensor_queue import (
    MAX_SKEW,
    MAX_WAIT,
    QUEUE,
    SensorQueue,
    STUCK,
)
from bug_nav.navigation.types import Scan
import numpy as np
import pytest


def scan(stamp, sweep=0.0):
    # No two scans are identical, as with a real lidar.
    return Scan(stamp, np.full(360, 1.0 + 1e-6 * stamp), 0.0, math.radians(1.0), 0.12, 3.5,
                time_increment=sweep / 359.0)


def at(x):
    return Pose(x, 0.0, 0.0)


def taken(queue, now):
    """Return the scans that can be placed by now, and accept them."""
    found = []
    for each in queue.ready(now):
        queue.accept(each, now)
        found.append(each)
    return found


def feed(queue, k, offset):
    """Add odometry at 20 Hz and scans at 5 Hz, with an offset of their stamps [s]; return now."""
    now = 0.05 * k
    queue.add_pose(now, at(now), now)
    if k % 4 == 0:
        queue.add_scan(scan(now + offset), now)
    return now


def driven(*stamps, late=0.0):
    """Return a queue with odometry at these stamps, of a robot at 1 m/s."""
    queue = SensorQueue()
    for stamp in stamps:
        queue.add_pose(stamp, at(stamp), stamp + late)
    return queue


def test_scan_waits_for_odometry_and_is_placed_between_two_poses():
    queue = driven(0.0, 0.1)
    queue.add_scan(scan(0.15), 0.15)
    assert taken(queue, 0.15) == []
    queue.add_pose(0.2, at(0.2), 0.2)
    (placed,) = taken(queue, 0.2)
    assert placed.pose.x == pytest.approx(0.15) and queue.placed == 1


def test_waiting_scans_are_placed_in_order():
    queue = driven(0.0)
    for stamp in (0.05, 0.1, 0.15):
        queue.add_scan(scan(stamp), stamp)
    queue.add_pose(0.2, at(0.2), 0.25)
    assert [placed.scan.stamp for placed in taken(queue, 0.25)] == [0.05, 0.1, 0.15]


def test_scans_superseded_within_a_tick_are_skipped():
    queue = driven(0.0, 0.2)
    for stamp in (0.0, 0.025, 0.05, 0.1):
        queue.add_scan(scan(stamp), 0.2)
    assert [placed.scan.stamp for placed in taken(queue, 0.2)] == [0.05, 0.1]
    assert not queue.dropped


@pytest.mark.parametrize('change', [
    {'angle_min': math.pi}, {'mount': Pose(0.2, 0.0, math.pi)}], ids=['part', 'other'])
def test_scans_with_another_direction_or_mount_are_not_skipped(change):
    queue = driven(0.0, 0.2)
    queue.add_scan(scan(0.1), 0.2)
    queue.add_scan(scan(0.11)._replace(**change), 0.2)
    assert len(taken(queue, 0.2)) == 2


def test_sweep_waits_until_odometry_covers_its_end():
    queue = driven(0.0, 0.1)
    queue.add_scan(scan(0.05, sweep=0.13), 0.19)
    assert taken(queue, 0.19) == []
    queue.add_pose(0.2, at(0.2), 0.2)
    (placed,) = taken(queue, 0.2)
    assert placed.pose.x == pytest.approx(0.18)


def test_scan_without_odometry_is_dropped_and_counted():
    queue = driven(0.0)
    queue.add_scan(scan(0.1), 0.1)
    assert taken(queue, 0.1 + MAX_WAIT) == [] and not queue.dropped
    assert taken(queue, 0.2 + MAX_WAIT) == []
    assert queue.dropped == {'no odometry for the sweep': 1}


def test_scan_older_than_all_odometry_is_dropped():
    queue = driven(0.3)
    queue.add_scan(scan(0.2), 0.3)
    assert taken(queue, 0.3) == [] and queue.dropped == {'older than all odometry': 1}


def test_scan_in_a_gap_of_odometry_is_dropped():
    queue = driven(0.0, 0.9)
    queue.add_scan(scan(0.8), 0.9)
    assert taken(queue, 0.9) == []
    assert queue.dropped == {'gap in the odometry': 1}


def test_duplicate_and_out_of_order_messages_are_ignored():
    queue = driven(0.0, 0.1, 0.1)
    queue.add_pose(0.05, at(9.0), 0.12)
    queue.add_scan(scan(0.1), 0.12)
    queue.add_scan(scan(0.1), 0.12)
    queue.add_scan(scan(0.06), 0.12)
    assert len(taken(queue, 0.12)) == 1 and queue.newest == (0.1, at(0.1))
    assert queue.dropped == {'older than the previous scan': 2}
    assert 0.3 - queue.pose_at == pytest.approx(0.2)


def test_odometry_with_a_stuck_stamp_counts_as_missing():
    queue = driven(*np.arange(0.0, 1.0, 0.1))
    for k in range(10):
        queue.add_pose(0.9, at(1.0 + 0.1 * k), 1.0 + 0.1 * k)
    assert 1.9 - queue.pose_at == pytest.approx(1.0)


@pytest.mark.parametrize('skew', [0.5, 5.0, -0.5, -5.0, 3600.0])
def test_scans_with_offset_stamps_are_not_placed_and_the_offset_is_reported(skew):
    queue = SensorQueue()
    for k in range(40):
        assert taken(queue, feed(queue, k, skew)) == []
    assert queue.skew == pytest.approx(skew) and queue.is_skewed
    assert f'{abs(skew):.2f} s {"ahead of" if skew > 0 else "behind"}' in queue.problem
    assert 2.0 - queue.placed_at == math.inf


@pytest.mark.parametrize('step', [0.3, 0.2, -0.3])
def test_scans_are_dropped_after_a_clock_was_set_until_the_median_has_followed(step):
    queue, used = SensorQueue(), []
    for k in range(200):
        now = feed(queue, k, step if k > 98 else 0.0)
        used += [now] * len(taken(queue, now))
    pause, begin = max((after - before, before) for before, after in zip(used, used[1:]))
    assert 4.7 < begin < 5.3 and 0.9 < pause < 1.5  # longer than the robot needs to stop
    assert set(queue.dropped) == {'offset from odometry has just changed'}
    assert queue.skew == pytest.approx(step)


@pytest.mark.parametrize('skew', [0.3, -0.2])
def test_compensated_skew_is_removed_from_the_stamps(skew):
    queue, placed = SensorQueue(), []
    for k in range(80):
        now = feed(queue, k, skew)
        if k == 40:
            queue.compensate(skew)
        placed += taken(queue, now)
    before, after = placed[:5], placed[-5:]
    assert all(each.pose.x == pytest.approx(each.scan.stamp) for each in placed)
    for each, off in [(each, skew) for each in before] + [(each, 0.0) for each in after]:
        assert math.remainder(each.stamp - off, 0.2) == pytest.approx(0.0, abs=1e-9)
    assert queue.skew == pytest.approx(skew) and queue.remaining_skew == pytest.approx(0.0)
    assert queue.problem == ''


@pytest.mark.parametrize('turn', [0.5, -0.5])
def test_placed_scan_has_the_turning_rate(turn):
    queue = SensorQueue()
    for k in range(20):
        queue.add_pose(0.05 * k, Pose(0.0, 0.0, wrap(3.0 + 0.05 * k * turn)), 0.05 * k)
    queue.add_scan(scan(0.9), 0.95)
    (placed,) = taken(queue, 0.95)
    assert placed.rate == pytest.approx(turn)


@pytest.mark.parametrize('late', [0.1, 0.3])
def test_scans_wait_for_delayed_odometry(late):
    queue, placed = SensorQueue(), []
    for k in range(60):
        now = 0.05 * k
        queue.add_pose(now - late, at(now - late), now)
        if k % 4 == 0:
            queue.add_scan(scan(now), now)
        placed += taken(queue, now)
    assert len(placed) >= 12 and late < MAX_SKEW
    assert all(each.pose.x == pytest.approx(each.scan.stamp, abs=1e-9) for each in placed)
    assert queue.skew == pytest.approx(late, abs=0.05)


def test_age_is_that_of_the_last_placed_scan_and_not_of_the_last_arrival():
    queue = driven(0.0)
    queue.add_scan(scan(0.0), 0.0)
    assert len(taken(queue, 0.0)) == 1
    for k in range(1, 20):
        queue.add_scan(scan(0.1 * k), 0.1 * k)
    taken(queue, 1.9)
    assert 1.9 - queue.placed_at == pytest.approx(1.9)


def test_delayed_scan_has_a_lag_but_no_age():
    queue = driven(*np.arange(0.0, 2.0, 0.1))
    queue.add_scan(scan(1.6), 1.9)
    assert len(taken(queue, 1.9)) == 1
    assert queue.lag == pytest.approx(0.3) and 1.9 - queue.placed_at == 0.0


def test_single_odometry_stamp_that_is_far_off_is_ignored():
    queue = driven(0.0, 0.1)
    queue.add_pose(500.0, at(0.2), 0.2)
    queue.add_pose(0.3, at(0.3), 0.3)
    assert queue.newest == (0.3, at(0.3)) and 0.3 - queue.pose_at == 0.0


@pytest.mark.parametrize('step', [-100.0, 100.0])
def test_changed_clock_is_accepted_once_it_advances(step):
    queue = driven(0.0, 0.1)
    for k in range(2, 6):
        queue.add_pose(0.1 * k + step, at(0.1 * k), 0.1 * k)
        queue.add_scan(scan(0.1 * k + step), 0.1 * k)
    assert queue.newest[0] == pytest.approx(0.5 + step)
    assert [each.pose.x for each in taken(queue, 0.5)] == pytest.approx([0.4, 0.5])


@pytest.mark.parametrize('known', [True, False])
def test_single_scan_with_a_wrong_stamp_does_not_block_others(known):
    queue = driven(0.0) if known else SensorQueue()
    queue.add_scan(scan(3600.0), 0.0)
    for k in range(1, 40):
        queue.add_pose(0.1 * k, at(0.1 * k), 0.1 * k)
        queue.add_scan(scan(0.1 * k), 0.1 * k)
        taken(queue, 0.1 * k)
    assert queue.placed > 20 and not queue.is_skewed


def test_queue_is_bounded_in_a_flood_of_scans():
    queue = driven(0.0)
    for k in range(10 * QUEUE):
        queue.add_scan(scan(0.1 + 1e-4 * k), 0.1)
    queue.add_pose(0.5, at(0.5), 0.3)
    assert len(taken(queue, 0.3)) == 1 and queue.dropped == {'queue is full': 9 * QUEUE}


@pytest.mark.parametrize('pose', [Pose(math.nan, 0.0, 0.0), Pose(0.0, math.inf, 0.0)])
def test_non_finite_odometry_is_ignored(pose):
    queue = driven(0.0)
    queue.add_pose(0.1, pose, 0.1)
    queue.add_pose(math.nan, at(0.0), 0.1)
    assert queue.newest == (0.0, at(0.0))


def test_rejected_scans_are_counted_and_their_reason_reported_until_one_is_used():
    queue = driven(0.0, 0.1, 0.2, 0.3)
    for stamp in (0.1, 0.2):
        queue.add_scan(scan(stamp), stamp)
    for placed, why in zip(queue.ready(0.3), (STUCK, 'the lidar is blind')):
        queue.reject(placed.scan, why)
    assert queue.dropped == {'identical to the previous scan': 1, 'unusable': 1}
    assert queue.problem == 'the lidar is blind' and not queue.is_drivable
    assert 0.3 - queue.placed_at == math.inf
    queue.add_scan(scan(0.3), 0.3)
    assert len(taken(queue, 0.3)) == 1 and not queue.problem


def test_reason_of_rejected_scans_comes_before_a_skew_with_which_they_could_be_placed():
    queue = SensorQueue()
    for k in range(40):
        now = feed(queue, k, -0.2)
        for placed in queue.ready(now):
            queue.accept(placed, now)
    assert 'scan stamps are 0.20 s behind odometry' in queue.problem
    queue.reject(placed.scan, 'the lidar is blind')
    assert queue.problem == 'the lidar is blind'
    queue.accept(placed, now)
    queue.compensate(0.1)
    assert 'scan stamps are 0.30 s behind odometry' in queue.problem


@pytest.mark.parametrize('ahead', [5.0, 3600.0])
@pytest.mark.parametrize('odometry', [True, False])
def test_scan_from_the_future_does_not_block_later_ones(ahead, odometry):
    queue = driven(0.0, 0.1) if odometry else SensorQueue()
    queue.add_scan(scan(0.1 + ahead), 0.1)
    queue.add_pose(0.2, at(0.2), 0.2)
    queue.add_scan(scan(0.2), 0.2)
    assert [placed.scan.stamp for placed in taken(queue, 0.2)] == [0.2]


@pytest.mark.parametrize('later', [0.0, 0.001, 0.05])
def test_each_of_two_lidars_on_one_topic_is_used(later):
    queue, seen = SensorQueue(), []
    front, rear = Pose(0.1, 0.0, 0.0), Pose(-0.1, 0.0, math.pi)
    for k in range(8):
        now = 0.2 * k
        queue.add_scan(scan(now)._replace(mount=front), now)
        queue.add_scan(scan(now + later)._replace(mount=rear), now)
        queue.add_pose(now + 0.1, Pose(0.01 * k, 0.0, 0.0), now + 0.1)
        seen += [placed.scan.mount for placed in queue.ready(now + 0.1)]
    assert seen.count(front) == seen.count(rear) > 5


@pytest.mark.parametrize('failing', [0, 1])
def test_rejected_scans_of_one_of_two_lidars_are_reported_while_the_other_is_used(failing):
    queue, mounts = SensorQueue(), (Pose(0.1, 0.0, 0.0), Pose(-0.1, 0.0, math.pi))
    for k in range(5):
        now = 0.2 * k
        queue.add_pose(now, at(0.0), now)
        for mount in mounts:
            queue.add_scan(scan(now)._replace(mount=mount), now)
        for placed in queue.ready(now):
            if k and placed.scan.mount == mounts[failing]:
                queue.reject(placed.scan, 'the lidar is blind')
            else:
                queue.accept(placed, now)
        assert queue.problem == ('the lidar is blind' if k else '')
        assert queue.is_drivable is not bool(k)
        assert queue.placed_at == 0.0 and queue.lag == pytest.approx(now)
    assert queue.silent(0.1) == [mounts[failing]]
    queue.add_scan(scan(0.9)._replace(mount=mounts[failing]), 0.9)
    queue.add_pose(0.9, at(0.0), 0.9)
    assert len(taken(queue, 0.9)) == 1 and not queue.problem
    assert queue.placed_at == pytest.approx(0.8) and not queue.silent(0.1)


def test_all_lidars_that_are_silent_are_not_named():
    queue, mounts = driven(0.0, 0.1), (Pose(0.1, 0.0, 0.0), Pose(-0.1, 0.0, math.pi))
    for mount in mounts:
        queue.add_scan(scan(0.1)._replace(mount=mount), 0.1)
    assert queue.silent(5.0) == [] and len(taken(queue, 0.1)) == 2
    assert queue.silent(5.0) == []


@pytest.mark.parametrize('counts, used', [
    ((360, 360, 360, 220, 360), (360, 360, 360, 360)),        # a turn that is stretched
    ((360, 352, 366, 349, 360), (360, 352, 366, 349, 360)),   # as a motor varies
    ((360, 360, 180, 180, 180, 180, 180), (360, 360, 180, 180, 180))])  # another resolution
def test_incomplete_turn_that_is_stretched_is_dropped(counts, used):
    queue, seen = SensorQueue(), []
    for k, count in enumerate(counts):
        now = 0.2 * k
        queue.add_pose(now, at(0.0), now)
        queue.add_scan(Scan(now, np.full(count, 1.0 + 1e-6 * k), 0.0, 2.0 * math.pi / count, 0.12,
                            3.5), now)
        seen += [len(placed.scan.ranges) for placed in taken(queue, now)]
    assert tuple(seen) == used


def swept(queue, now):
    """Return the durations of the sweeps of the scans that can be placed by now [s]."""
    return [placed.stamp - placed.began for placed in taken(queue, now)]


def test_sweep_that_is_assumed_began_with_a_scan_that_was_skipped():
    queue, found = SensorQueue(), []
    for k in range(20):  # two scans arrive in each tick
        queue.add_pose(0.05 * k, at(0.0), 0.05 * k)
        for stamp in (0.05 * k - 0.025, 0.05 * k):
            queue.add_scan(scan(stamp), 0.05 * k)
        found += swept(queue, 0.05 * k)
    assert len(found) == 20 and found[1:] == pytest.approx([0.025] * 19)


def test_sweep_that_is_assumed_takes_a_mean_period_without_those_of_lost_scans():
    queue, found, stamps = SensorQueue(), [], []
    for k in range(60):
        queue.add_pose(0.05 * k, at(0.0), 0.05 * k)
        # Read every 50 ms, a turn of 0.18 s seems to take 0.15 s or 0.2 s; the tenth is lost.
        if int((k + 1) * 0.05 / 0.18) > int(k * 0.05 / 0.18):
            stamps.append(0.05 * k)
            if len(stamps) != 10:
                queue.add_scan(scan(0.05 * k), 0.05 * k)
        found += swept(queue, 0.05 * k)
    assert len(found) == len(stamps) - 1 and found[5:] == pytest.approx([0.18] * 10, abs=0.01)


def test_sweep_that_is_assumed_began_with_a_scan_that_was_dropped():
    queue, found = SensorQueue(), []
    for k, count in enumerate((360, 360, 220, 360)):  # the third one is incomplete
        queue.add_pose(0.1 * k, at(0.0), 0.1 * k)
        queue.add_scan(scan(0.1 * k)._replace(ranges=np.ones(count)), 0.1 * k)
        found += swept(queue, 0.1 * k)
    assert found == pytest.approx([0.0, 0.1, 0.1])


@pytest.mark.parametrize('skew', [0.12, -0.12])
def test_sweep_that_is_assumed_does_not_depend_on_a_compensated_skew(skew):
    queue, found = SensorQueue(), []
    for k in range(80):
        now = feed(queue, k, skew)
        if k == 42:  # between two scans
            queue.compensate(skew)
        found += swept(queue, now)
    assert len(found) > 15 and found[1:] == pytest.approx([0.2] * (len(found) - 1))
