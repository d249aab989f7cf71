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

from __future__ import annotations

import math

from arena import block, world_of
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception import memory
from bug_nav.navigation.perception.beams import beams_of
from bug_nav.navigation.perception.memory import (
    AVERAGED_READINGS,
    FIRST_MEASURED,
    LAST_MEASURED,
    ObstacleMemory,
    READINGS,
    WATCHED_SINCE,
)
from bug_nav.navigation.proof.chain import MIN_READINGS
from bug_nav.navigation.types import Scan
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
import numpy as np
import pytest

INF, NAN = math.inf, math.nan
MIN, MAX = 0.12, 3.5


def scan_of(*ranges: float, stamp: float = 0.0, angle_min: float = 0.0,
            increment: float = math.pi / 2, mount: Pose = IDENTITY) -> Scan:
    return Scan(stamp, np.array(ranges), angle_min, increment, MIN, MAX, mount)


def measured(*scans: Scan, poses=(), doubt: float = 1.0) -> list:
    """Return the points after scans, each taken at its pose."""
    points, known = np.empty((0, 2)), ObstacleMemory(doubt)
    for k, scan in enumerate(scans):
        points, _ = known.measure(scan, poses[k] if poses else IDENTITY)
    return points.tolist()


# Points and their readings.

def test_point_is_the_mean_of_its_readings():
    ranges = (1.02, 0.99, 1.01, 1.0)
    (x, y), = measured(*[scan_of(r, stamp=0.2 * k) for k, r in enumerate(ranges)])
    assert (x, y) == pytest.approx((np.mean(ranges), 0.0))


def test_reading_that_fills_holes_counts_as_no_new_measurement():
    # An outlier in a doorway filled all later holes there, and seemed to be measured 28 times.
    known = ObstacleMemory(1.0)
    known.measure(scan_of(1.0), IDENTITY)
    for k in range(1, 30):
        points, _ = known.measure(scan_of(1.01, stamp=0.2 * k), IDENTITY, filled=np.array([True]))
    (point,) = known.confirmed
    assert points.tolist() == [[1.0, 0.0]]  # it still blocks the robot
    assert point[READINGS] < MIN_READINGS and point[LAST_MEASURED] == 0.0


def test_point_follows_a_wall_that_has_moved_slightly():
    scans = [scan_of(1.0, stamp=0.2 * k) for k in range(100)]
    scans += [scan_of(1.03, stamp=20.0 + 0.2 * k) for k in range(4 * int(AVERAGED_READINGS))]
    (x, _), = measured(*scans)
    assert x == pytest.approx(1.03, abs=1e-3)


@pytest.mark.parametrize('gap', [0.40, 0.448, 0.50])
def test_gap_width_does_not_shrink_with_more_scans(gap):
    # By the nearest readings, the gap would be 6 cm narrower with noise of 1 cm.
    world = world_of(block(0.9, 1.1, 0.5 * gap, 1.0), block(0.9, 1.1, -1.0, -0.5 * gap))
    simulator = Simulator(world, IDENTITY, lidar=LidarModel(scan_noise=0.01), seed=1)
    known = ObstacleMemory(1.0, 1.5)
    for k in range(200):
        pose = Pose(0.25 + 0.7 * k / 200, 0.02 * math.sin(k), 0.1 * math.sin(0.3 * k))
        simulator.pose, simulator.stamp = pose, 0.2 * k
        points, _ = known.measure(simulator.scan(), pose)
    within = points[np.abs(points[:, 0] - 1.0) < 0.1]
    left, right = within[within[:, 1] > 0.0], within[within[:, 1] < 0.0]
    assert left[:, 1].min() - right[:, 1].max() == pytest.approx(gap, abs=0.03)


def test_walls_farther_apart_than_the_noise_are_separate_points():
    one, other = measured(scan_of(1.0), scan_of(0.9, stamp=0.2))
    assert one == [1.0, 0.0] and other == [pytest.approx(0.9), 0.0]


# Lidars and single rangers.

def test_noise_is_learned_only_if_enabled():
    scans = [scan_of(1.0 + 0.04 * (-1) ** k, stamp=0.2 * k) for k in range(200)]
    for learns in (True, False):
        known = ObstacleMemory(1.0)
        for scan in scans:
            known.measure(scan, IDENTITY, learns_noise=learns)
        assert known.noise == pytest.approx(0.05 if learns else 0.0, abs=0.01)


def test_new_point_of_a_ranger_is_at_the_offset_from_its_axis():
    known = ObstacleMemory(1.0)
    scan = scan_of(1.0, increment=math.radians(20.0), mount=Pose(0.1, 0.0, 0.0))
    points, _ = known.measure(scan, IDENTITY, offset=0.1)
    assert points[0] == pytest.approx((0.1 + math.cos(0.1), math.sin(0.1)))
    # The same reading is explained by that point.
    points, _ = known.measure(scan._replace(stamp=0.1), IDENTITY)
    assert len(points) == 1


def test_motion_of_an_object_is_not_taken_for_noise():
    # A person in front of a wall sways by 8 cm, in ranges with noise of 1 cm.
    random, step, known = np.random.default_rng(2), math.radians(1.0), ObstacleMemory(1.0)
    for k in range(200):
        ranges = np.full(90, 0.9) + random.normal(0.0, 0.01, 90)
        ranges[20:60] -= 0.4 + 0.08 * (k // 5 % 2)
        known.measure(scan_of(*ranges, stamp=0.2 * k, increment=step), IDENTITY)
    assert known.noise < 0.018


def test_points_follow_after_a_time_of_errors_of_the_pose():
    # The errors are 4 cm, as of scan matching between walls, and last for 20 s.
    random, step, known = np.random.default_rng(3), math.radians(0.5), ObstacleMemory(1.0)
    for k in range(420):
        wall = 0.5 + (0.04 * math.sin(0.1 * k) if k < 400 else -0.03)
        ranges = wall + random.normal(0.0, 0.01, 180)
        points, _ = known.measure(scan_of(*ranges, stamp=0.05 * k, increment=step), IDENTITY)
    assert known.noise < 0.018
    assert np.median(np.hypot(*points.T)) == pytest.approx(0.47, abs=0.02)


@pytest.mark.parametrize('has_moved', [False, True])
def test_noise_of_a_lidar_is_learned(has_moved):
    random, known = np.random.default_rng(2), ObstacleMemory(1.0)
    if has_moved:
        known.note_motion()
    for k in range(100):
        ranges = 0.9 + random.normal(0.0, 0.03, 90)
        known.measure(scan_of(*ranges, stamp=0.2 * k, increment=math.radians(1.0)), IDENTITY)
    assert known.noise == pytest.approx(0.03, abs=0.006)


def test_free_cone_clears_a_point_beside_its_axis():
    # The left ranger measures an obstacle 0.10 m beside its axis, which is stored on the axis. The
    # cone of the right ranger is free beyond this point, 0.06 m beside its own axis.
    cone = math.radians(20.0)
    left = scan_of(1.0, increment=cone)
    right = [scan_of(reading, stamp=stamp, increment=cone, mount=Pose(0.0, -0.06, 0.0))
             for stamp, reading in ((0.1, 1.3), (0.5, 1.3))]
    assert measured(left, *right) == [[pytest.approx(1.3), pytest.approx(-0.06)]]
    assert measured(left, right[0])[0] == [1.0, 0.0]  # one reading may be wrong


@pytest.mark.parametrize('increment, count', [(math.radians(20.0), 4), (0.0, 1)])
def test_lidar_beam_clears_no_point_beside_it(increment, count):
    beside = Pose(0.0, -0.06, 0.0)
    scans = [scan_of(*count * [2.0], stamp=stamp, increment=increment, mount=beside)
             for stamp in (0.1, 0.5, 5.0)]
    assert [1.0, 0.0] in measured(scan_of(1.0), *scans)


# How long points are stored.

@pytest.mark.parametrize('age, kept', [(0.99, True), (1.01, False), (5.0, False)])
def test_point_that_beams_pass_through_is_deleted_after_a_second(age, kept):
    points = measured(scan_of(1.0, INF), scan_of(INF, INF, stamp=2.0),
                      scan_of(INF, INF, stamp=2.0 + age))
    assert points == ([[1.0, 0.0]] if kept else [])


def test_deletion_delay_is_configurable():
    scans = scan_of(1.0), scan_of(2.0, stamp=0.5), scan_of(2.0, stamp=2.0)
    assert len(measured(*scans, doubt=1.4)) == 1 and len(measured(*scans, doubt=1.6)) == 2


def test_point_that_is_measured_again_is_kept():
    points = measured(*[scan_of(1.0 if k % 4 == 0 else 2.0, stamp=0.2 * k) for k in range(100)])
    assert [1.0, 0.0] in points


@pytest.mark.parametrize('reading', [0.0, NAN, 0.5, -1.0])
def test_point_that_no_beam_reaches_is_kept(reading):
    scans = [scan_of(reading, stamp=10.0 * k) for k in range(1, 4)]
    assert [1.0, 0.0] in measured(scan_of(1.0), *scans)


def test_contradicted_point_that_is_hidden_since_is_kept():
    scans = [scan_of(2.0, stamp=1.0), *(scan_of(0.5, stamp=10.0 * k) for k in range(1, 4))]
    assert [1.0, 0.0] in measured(scan_of(1.0), *scans)


@pytest.mark.parametrize('reading', [0.0, INF])     # a real LDS, Gazebo
def test_point_in_the_blind_zone_is_kept_until_it_could_be_seen(reading):
    closer = Pose(0.4, 0.0, 0.0)                    # the point is then 0.10 m from the sensor
    scans = [scan_of(*[reading] * 4, stamp=20.0 * k) for k in range(1, 4)]
    points = [[0.5, 0.0]]
    assert measured(scan_of(0.5), *scans, poses=[IDENTITY] + 3 * [closer]) == points
    seen = measured(scan_of(0.5), *scans, poses=[IDENTITY, closer, IDENTITY, IDENTITY])
    assert seen == (points if reading == 0.0 else [])


@pytest.mark.parametrize('sense', [1, -1])
def test_point_outside_the_field_of_view_is_kept(sense):
    # Beams from -90 to +90 degrees; then the robot faces away from the point.
    fan = {'angle_min': -sense * math.pi / 2, 'increment': sense * math.pi / 180}
    ahead = scan_of(*[INF] * 90, 1.0, *[INF] * 90, **fan)
    later = [scan_of(*[INF] * 181, stamp=stamp, **fan) for stamp in (50.0, 100.0, 101.0)]
    back = Pose(0.0, 0.0, math.pi)
    assert measured(ahead, *later, poses=[IDENTITY, back, back, back]) == [[pytest.approx(1.0),
                                                                            pytest.approx(0.0)]]
    # Once it is in view again, and absent, it is deleted.
    assert measured(ahead, *later, poses=[IDENTITY, back, IDENTITY, IDENTITY]) == []


@pytest.mark.parametrize('count, last', [(360, 6.28), (359, 6.28), (360, 2 * math.pi * 359 / 360)])
def test_full_turn_of_beams_has_no_blind_sector(count, last):
    # 360 beams over 6.28 rad leave no sector in which a point could remain.
    increment = last / (count - 1)
    known = ObstacleMemory(1.0)
    known.measure(scan_of(*[1.0] * count, increment=increment), IDENTITY)
    for stamp in (3.0, 4.5):
        left, _ = known.measure(
            scan_of(*[INF] * count, stamp=stamp, increment=increment), IDENTITY)
    assert len(left) == 0


def test_memory_is_bounded_and_drops_the_oldest_points(monkeypatch):
    monkeypatch.setattr(memory, 'MAX_POINTS', 100)
    known = ObstacleMemory(1.0, reach=2.0)
    for k in range(300):
        points, _ = known.measure(scan_of(1.0, stamp=0.2 * k), Pose(0.1 * k, 0.0, 0.0))
    assert len(known.points) <= 101
    assert points[:, 0].max() == pytest.approx(30.9)


# Absent points.

def test_points_inside_the_robot_are_deleted():
    known = ObstacleMemory(1.0, body_radius=0.11)
    known.measure(scan_of(0.5), IDENTITY)
    known.measure(scan_of(0.5), IDENTITY)
    assert len(known.points) == 1
    points, _ = known.measure(scan_of(NAN, stamp=0.4), Pose(0.45, 0.0, 0.0))
    assert len(points) == 0 and len(known.points) == 0


def test_point_that_beams_pass_through_is_uncertain():
    known = ObstacleMemory(1.0)
    known.measure(scan_of(0.5), IDENTITY)
    assert len(known.points) == 1
    assert len(known.measure(scan_of(2.0, stamp=0.2), IDENTITY)) == 2  # and still blocks the way
    assert known.points.tolist() == [pytest.approx([2.0, 0.0])]
    known.measure(scan_of(0.5, stamp=0.4), IDENTITY)
    assert len(known.points) == 2


@pytest.mark.parametrize('noise', [0.01, 0.02, 0.03])
def test_noise_does_not_move_a_wall_nearer(noise):
    """Check the nearest of about 60 points."""
    world, known = world_of(block(0.5, 0.7, -1.0, 1.0)), ObstacleMemory(1.0, 1.2)
    for k in range(200):
        simulator = Simulator(world, IDENTITY, lidar=LidarModel(scan_noise=noise), seed=k)
        scan = simulator.scan()._replace(stamp=0.2 * k)
        points, _ = known.measure(scan, IDENTITY)
    assert points[:, 0].min() > 0.5 - 0.016


# Removed obstacles.

def test_absent_point_is_seen_through_unless_it_is_at_a_range_limit():
    table, ranges = np.zeros((3, memory.COLUMNS)), np.full(360, INF)
    table[:, 0] = 1.0, 3.4, 0.05
    geometry, _ = beams_of(Scan(0.0, ranges, 0.0, math.radians(1.0), MIN, MAX))

    def seen_through():
        return memory.clear_seen_through(table.copy(), 3, ranges, geometry, (0.0, 0.0, 0.0), 0.01,
                                         1)[0].tolist()
    assert seen_through() == [0]
    ranges[3] = 1.02    # beside the first, 5 cm away
    assert seen_through() == []


def test_obstacle_seen_through_at_many_points_is_cleared_and_reported():
    known = ObstacleMemory(1.0)
    known.measure(scan_of(*[1.0] * 40, increment=0.02), IDENTITY)
    few, many = (scan_of(*[2.0] * gone, *[1.0] * (40 - gone), increment=0.02)
                 for gone in (8, 24))
    assert len(known.clear_seen_through(few)) == 0
    gone = known.clear_seen_through(many)
    assert 6 <= len(gone) < 24 and (gone[:, 1] < 0.45).all()
    assert len(known.points) == 40 - len(gone)


@pytest.mark.parametrize('gone_beams, expected', [(8, 0), (30, 26)])
def test_scan_that_sees_through_many_nearby_points_clears_them_at_once(gone_beams, expected):
    known = ObstacleMemory(1.0)
    known.measure(scan_of(*[1.0] * 40, increment=0.02), IDENTITY)
    ranges = [2.0] * gone_beams + [1.0] * (40 - gone_beams)
    near, gone = known.measure(scan_of(*ranges, increment=0.02, stamp=0.2), IDENTITY, True)
    assert abs(len(gone) - expected) <= 2
    assert len(known.points) >= len(near) - gone_beams
    assert np.hypot(*gone.T) == pytest.approx(1.0)


@pytest.mark.parametrize('came, beside, left', [
    (True, INF, 0), (False, INF, 1), (True, 0.15, 1)])
def test_blind_zone_point_is_cleared_if_it_had_arrived_and_all_beside_it_is_free(
        came, beside, left):
    known = ObstacleMemory(1.0)
    near = [INF] * 36
    near[0] = 0.13
    known.measure(scan_of(*near, increment=2 * math.pi / 36), IDENTITY)
    free = [INF] * 36
    free[2] = beside
    scan = scan_of(*free, stamp=0.2, increment=2 * math.pi / 36)
    assert len(known.clear_blind(scan, IDENTITY, lambda place: came)) == left


@pytest.mark.parametrize('beyond, left', [(2.0, 0), (INF, 1), (-INF, 1)])
def test_blind_zone_point_is_cleared_if_beams_measure_what_is_behind_it(beyond, left):
    # One short reading at the minimum range blocked the robot for good.
    known = ObstacleMemory(1.0)
    known.measure(scan_of(0.13, increment=0.02), IDENTITY)
    for k in range(1, 8):
        near, _ = known.measure(scan_of(beyond, increment=0.02, stamp=0.2 * k), IDENTITY)
    assert (np.hypot(*near.T) < 0.2).sum() == left


def test_blind_zone_point_outside_the_view_is_kept():
    known = ObstacleMemory(1.0)
    behind = Pose(0.0, 0.0, math.pi / 2)  # the view, to the left, begins 90 degrees past the point
    known.measure(scan_of(0.13, *[INF] * 35, increment=2 * math.pi / 36), IDENTITY)
    scan = scan_of(*[INF] * 12, stamp=0.2, angle_min=math.radians(15.0),
                   increment=2 * math.pi / 36)
    known.measure(scan, behind)
    assert len(known.clear_blind(scan, behind, lambda place: True)) == 1


def test_changes_include_points_that_are_out_of_reach_since():
    known = ObstacleMemory(1.0, 1.0)
    known.measure(scan_of(0.9, INF, 0.5), IDENTITY)
    assert len(known.changes()[0]) == 2
    # Measured once more, and then left behind in one step: other points are nearby now.
    known.measure(scan_of(0.92, INF, 0.5, stamp=0.2), IDENTITY)
    for k in range(3):
        known.measure(scan_of(0.9, 0.8, 0.7, 0.6, stamp=0.4 + 0.2 * k), Pose(5.0 + k, 0.0, 0.0))
    numbers, places = known.changes()
    assert {0, 1} <= set(numbers.tolist())
    assert places[numbers == 0][0] == pytest.approx((0.91, 0.0))


@pytest.mark.parametrize('clears', [False, True])  # beam by beam, or all at once
@pytest.mark.parametrize('scans, moved_to, expected', [
    (10, 3.0, True),
    (2, 3.0, False),  # too short for an obstacle
    (10, 1.15, False),  # the wall has not moved, but the estimated pose has
])
def test_obstacle_that_has_gone_and_come_back_is_known(scans, moved_to, expected, clears):
    # Beside a wall, a leaf is measured in some scans, opens, and is shut again from 20 s on.
    known, step = ObstacleMemory(1.0), math.radians(1.0)
    for k in range(200):
        leaf = 1.0 if k < scans or k >= 100 else moved_to
        scan = scan_of(*[1.2] * 20, *[leaf] * 30, *[1.2] * 20, stamp=0.2 * k, increment=step)
        known.measure(scan, IDENTITY, clears)
        known.note_free(scan, 0.2)
    (x, y), come_back = known.points.T, known.has_come_back(0.2)
    is_leaf = np.hypot(x, y) < 1.05
    is_middle = is_leaf & (np.abs(np.arctan2(y, x) - 34.5 * step) < 10.0 * step)
    assert is_middle.any() and (come_back[is_middle] == expected).all()
    assert not come_back[~is_leaf].any()


@pytest.mark.parametrize('holes, expected', [
    (range(20, 50), True), (range(31, 38), False),  # no wider than a few lost beams
    (range(0), False)])
def test_place_where_a_lidar_has_no_reading_any_more_counts_as_free_once(holes, expected):
    # A leaf opens, and nothing is in range behind it, which the lidar does not report.
    known, step = ObstacleMemory(1.0), math.radians(1.0)
    is_hole = np.isin(np.arange(70), holes)
    found = []
    for k in range(30):
        is_open = k >= 10
        scan = scan_of(*np.where(is_hole & is_open, NAN, 1.0), stamp=0.2 * k, increment=step)
        known.measure(scan, IDENTITY)
        if is_open:
            found.append(known.note_unseen(scan, is_hole))
    counts = [len(places) for places in found]
    assert (counts[2] > 0) is expected and sum(counts) == counts[2]
    come_back = known.has_come_back(0.2)
    assert come_back.sum() == counts[2] and len(come_back) == 70


def test_hole_in_single_scans_is_no_free_place():
    known, step = ObstacleMemory(1.0), math.radians(1.0)
    for k in range(40):
        is_hole = np.arange(70) // 35 == k % 2
        scan = scan_of(*np.where(is_hole, NAN, 1.0), stamp=0.2 * k, increment=step)
        known.measure(scan, IDENTITY)
        assert len(known.note_unseen(scan, is_hole)) == 0


@pytest.mark.parametrize('stamps, since', [((0.0, 1.0, 2.0), 0.0), ((0.0, 1.0, 20.0, 21.0), 20.0)])
def test_point_is_watched_since_the_last_gap(stamps, since):
    known = ObstacleMemory(1.0)
    for stamp in stamps:
        known.measure(scan_of(1.0, stamp=stamp), IDENTITY)
    (point,) = known.confirmed
    assert (point[FIRST_MEASURED], point[WATCHED_SINCE]) == (0.0, since)
