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

"""Readings of lidars and rangers at walls with known distances."""

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.dialect import Dialect
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import SensorQueue
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import Twist
from bug_nav.simulation import range_faults
from bug_nav.simulation.range_faults import burst_dropout, EDGE, LONG, NO_PAIRS, NONE
from bug_nav.simulation.sensors import LidarModel, make_rangers, RangerRing
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import BLACK, GLASS, PLAIN, World
from hypothesis import given, strategies
import numpy as np
import pytest

# The face of the wall is at x = 1.
WALL = World('wall', (np.array([[1.0, -9.0], [1.5, -9.0], [1.5, 9.0], [1.0, 9.0]]),))
HERE = Pose(0.0, 0.0, 0.0)
QUIET = {'scan_noise': 0.0, 'scan_offset_x': 0.0}


def scan_with(start=HERE, **lidar):
    return Simulator(WALL, start, lidar=LidarModel(**{**QUIET, **lidar})).scan()


def test_mount_of_a_lidar_shifts_and_rotates_its_beams():
    scan = scan_with(scan_offset_yaw=math.pi / 2.0, scan_offset_x=0.1, scan_offset_y=0.2)
    assert scan.ranges[270] == pytest.approx(0.9, abs=0.01)     # 90 degrees to the right
    assert scan.mount == Pose(0.1, 0.2, math.pi / 2.0)


def test_beams_span_the_field_of_view():
    scan = scan_with(scan_count=91, scan_angle_min=-math.pi / 4, scan_angle_max=math.pi / 4)
    assert len(scan.ranges) == 91
    assert scan.ranges[[0, 45, 90]] == pytest.approx([math.sqrt(2.0), 1.0, math.sqrt(2.0)])


@pytest.mark.parametrize('lidar, near, nothing', [
    ({}, math.inf, math.inf),
    ({'scan_near': 'minus_inf'}, -math.inf, math.inf),
    ({'scan_no_return': 'above'}, 3.6, 3.6), ({'scan_no_return': 'range_max'}, 3.5, 3.5),
    ({'scan_no_return': 'zero'}, 0.0, 0.0),
    ({'scan_zeros': True}, 0.0, 0.0),
    ({'scan_zeros': True, 'scan_near': 'minus_inf'}, 0.0, 0.0)])
def test_missing_ranges_are_reported_as_configured(lidar, near, nothing):
    scan = scan_with(Pose(0.9, 0.0, 0.0), **lidar)              # 0.10 m away, in the blind zone
    assert scan.ranges[0] == pytest.approx(near)
    assert scan.ranges[180] == pytest.approx(nothing)


@pytest.mark.parametrize('lost, reported', [('nan', np.isnan), ('inf', np.isposinf)])
def test_share_of_lost_beams_equals_the_dropout(lost, reported):
    lidar = {'scan_count': 4000, 'scan_angle_min': -0.5, 'scan_angle_max': 0.5}
    scan = scan_with(scan_dropout=0.2, scan_lost=lost, **lidar)
    assert reported(scan.ranges).mean() == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize('lidar, sentence', [
    ({'scan_sweep_time': 0.3}, 'scan_sweep_time is 0.3 s; allowed is up to scan_publish_dur'),
    ({'scan_angle_min': 1.0, 'scan_angle_max': 0.0}, 'allowed is up to one turn above'),
    ({'scan_angle_max': 7.0}, 'allowed is up to one turn above'),
    ({'scan_range_min': 4.0}, 'scan_range_min is 4 m; allowed is less than scan_range_max')])
def test_invalid_lidar_is_rejected(lidar, sentence):
    with pytest.raises(ValueError, match=sentence):
        LidarModel(**lidar)


def turning(sweep_time):
    """Return the latest scan of a rotating robot, the history of its poses, and the robot."""
    robot = Simulator(WALL, HERE, lidar=LidarModel(
        **QUIET, scan_sweep_time=sweep_time, scan_count=720, scan_angle_max=2 * math.pi * 719/720))
    queue = SensorQueue()
    queue.add_pose(0.0, robot.pose, 0.0)
    for _ in range(20):
        robot.step(Twist(0.0, 1.0), 0.05)
        queue.add_pose(robot.stamp, robot.pose, robot.stamp)
    return robot.scan(), queue, robot


def undistorted(scan, queue, robot):
    """Return a scan with its motion distortion corrected to the time of its last beam."""
    queue.add_scan(scan, robot.stamp)
    placed, = queue.ready(robot.stamp)
    return LidarFilter(0.0, Dialect(beam_order='index')).read(placed, placed.pose, 0.0).scan


def nearest_bearing(scan, pose):
    """Return the bearing of the wall's nearest point [rad, world]; its true value is 0."""
    return pose.theta + scan.angle_min + scan.angle_increment * int(np.nanargmin(scan.ranges))


def test_motion_distortion_of_a_rotating_robot_is_corrected():
    scan, queue, robot = turning(0.2)
    assert scan.stamp == pytest.approx(robot.stamp - 0.2)
    bent = math.remainder(nearest_bearing(scan, robot.pose), 2 * math.pi)
    assert abs(bent) > 0.02
    straight = undistorted(scan, queue, robot)
    assert (straight.stamp, straight.time_increment) == (robot.stamp, 0.0)
    assert math.remainder(nearest_bearing(straight, robot.pose), 2 * math.pi) == pytest.approx(
        0.0, abs=math.radians(0.75))
    still, _, _ = turning(0.0)
    both = np.isfinite(straight.ranges) & np.isfinite(still.ranges)
    assert both.sum() > 0.9 * np.isfinite(still.ranges).sum()
    # Oblique beams differ most if they are offset by a fraction of a beam.
    assert np.median(np.abs(straight.ranges[both] - still.ranges[both])) < 0.01


def test_sweep_of_a_stationary_robot_is_not_distorted():
    robot = Simulator(WALL, HERE, lidar=LidarModel(**QUIET, scan_sweep_time=0.2))
    queue = SensorQueue()
    for _ in range(10):
        robot.step(Twist(0.0, 0.0), 0.05)
        queue.add_pose(robot.stamp, robot.pose, robot.stamp)
    scan = robot.scan()
    same = undistorted(scan, queue, robot)
    speckles = np.isnan(same.ranges)  # the ends of the wall
    assert speckles.sum() <= 2
    assert same.ranges[~speckles] == pytest.approx(scan.ranges[~speckles])


def ring(**changes):
    values = {'range_min': 0.05, 'range_max': 2.0, 'field_of_view': 0.0, 'noise': 0.0,
              'period': 0.1, **changes}
    rangers = make_rangers((
        ('front', 0.1, 0.0, 0), ('left', 0.0, 0.1, 90), ('slant', 0.0, 0.0, 45)))
    return RangerRing(rangers, **values)


def test_rangers_measure_along_their_axes():
    scans = Simulator(WALL, HERE, lidar=ring()).sense()
    assert [float(scan.ranges[0]) for scan in scans] == pytest.approx(
        [0.9, math.inf, math.sqrt(2.0)])
    assert scans[1].mount == Pose(0.0, 0.1, math.pi / 2.0)


def test_ranger_measures_the_nearest_point_in_its_cone():
    scans = Simulator(WALL, HERE, lidar=ring(field_of_view=math.radians(40.0))).sense()
    assert float(scans[2].ranges[0]) == pytest.approx(1.0 / math.cos(math.radians(25.0)), rel=1e-3)


def test_range_below_the_minimum_of_a_ranger_is_minus_infinity():
    near = Simulator(WALL, Pose(0.87, 0.0, 0.0), RobotModel(robot_radius=0.1), ring()).sense()
    assert float(near[0].ranges[0]) == -math.inf


# Faults.

FAN = {**QUIET, 'scan_count': 4000, 'scan_angle_min': -0.5, 'scan_angle_max': 0.5}


def box(x):
    """Return a solid 0.1 m thick across the path, at a distance ``x`` [m]."""
    return np.array([[x, -9.0], [x + 0.1, -9.0], [x + 0.1, 9.0], [x, 9.0]])


def seen(world=WALL, seed=0, **lidar):
    """Return the ranges of 4000 beams ahead, and their true ranges to the wall [m]."""
    robot = Simulator(world, HERE, lidar=LidarModel(**{**FAN, **lidar}), seed=seed)
    return robot.scan().ranges, 1.0 / np.cos(np.linspace(-0.5, 0.5, 4000))


@pytest.mark.parametrize('dropout', [0.0, 0.2])
def test_random_numbers_of_a_lidar_without_faults_are_unchanged(dropout):
    # This keeps episodes identical to those of older releases.
    model = LidarModel(scan_dropout=dropout)
    robot = Simulator(WALL, HERE, lidar=model, seed=3)
    clean = Simulator(WALL, HERE, lidar=LidarModel(scan_noise=0.0)).scan().ranges
    random = np.random.default_rng(3)
    for _ in range(3):
        ranges = clean + 0.01 * random.standard_normal(360)
        if dropout:
            ranges[random.random(360) < dropout] = math.nan
        assert np.array_equal(robot.scan().ranges, np.where(ranges > 3.5, math.inf, ranges),
                              equal_nan=True)


def test_noise_grows_with_the_range():
    for away in (1.0, 3.0):
        ranges, across = seen(World('', (box(away),)), scan_noise=0.01, scan_noise_share=0.02)
        away = away * across
        error = (ranges - away) / np.hypot(0.01, 0.02 * away)
        assert error[np.isfinite(error)].std() == pytest.approx(1.0, abs=0.05)


def test_noise_does_not_make_an_infinite_range_finite():
    assert np.isposinf(seen(World('', ()), scan_noise_share=0.5)[0]).all()


def test_short_beams_end_uniformly_before_the_wall():
    ranges, wall = seen(scan_short=0.2, scan_range_min=0.0)
    short = ranges < wall - 1e-9
    assert short.mean() == pytest.approx(0.2, abs=0.03)
    shares = (ranges / wall)[short]
    assert shares.min() >= 0.0 and shares.mean() == pytest.approx(0.5, abs=0.05)
    assert ranges[~short] == pytest.approx(wall[~short])


def test_short_beams_also_occur_without_a_wall():
    ranges, _ = seen(World('', ()), scan_short=0.2, scan_range_min=0.0)
    assert np.isfinite(ranges).mean() == pytest.approx(0.2, abs=0.03)
    assert ranges[np.isfinite(ranges)].max() <= 3.5


def test_long_beams_exceed_the_true_range_by_the_minimum():
    ranges, wall = seen(scan_long=0.2)
    long = ranges > wall + 1e-9
    assert long.mean() == pytest.approx(0.2, abs=0.03)
    assert (ranges - wall)[long].min() >= LONG
    assert ranges[long].max() <= 3.5 and ranges[long].std() > 0.3


def test_long_beam_beyond_the_maximum_range_is_infinite():
    ranges, wall = seen(World('', (box(3.2),)), scan_long=0.2)
    assert np.isposinf(ranges[wall * 3.2 < 3.5]).mean() == pytest.approx(0.2, abs=0.03)


def test_mixed_beam_at_an_edge_reads_an_intermediate_range():
    post = World('', (box(2.0), np.array([[1.0, -0.1], [1.1, -0.1], [1.1, 0.1], [1.0, 0.1]])))
    clean, _ = seen(post)
    edges = np.flatnonzero(np.abs(np.diff(clean)) > EDGE)
    assert len(edges) == 2
    readings = np.array([seen(post, seed, scan_mixed=0.5)[0] for seed in range(60)])
    mixed = readings != clean
    assert set(np.flatnonzero(mixed.any(axis=0))) == set(edges)
    assert mixed[:, edges].mean() == pytest.approx(0.5, abs=0.15)
    between = readings[mixed]
    assert between.min() > 1.0 and between.max() < 2.0 / math.cos(0.5) and between.std() > 0.1


def test_beam_at_an_edge_without_a_background_is_not_mixed():
    pole = World('', (np.array([[1.0, -0.1], [1.1, -0.1], [1.1, 0.1], [1.0, 0.1]]),))
    assert np.array_equal(seen(pole, scan_mixed=1.0)[0], seen(pole)[0])


def report(ranges, *, noise=NONE, mixed=NO_PAIRS, short=NO_PAIRS, long=NO_PAIRS, lost=NONE,
           **lidar):
    """Return the reported ranges of a lidar of 0.1 to 3 m, given true ranges and random draws."""
    model = LidarModel(**{'scan_noise': 0.0, 'scan_near': 'minus_inf', 'scan_range_min': 0.1,
                          'scan_range_max': 3.0, **lidar})
    reported = np.array(ranges)
    draws = map(np.array, (noise, mixed, short, long, lost))
    range_faults.apply_faults(reported, *draws, model._faults)
    return reported.tolist()


def test_reported_ranges_have_noise_and_are_infinite_beyond_the_limits():
    assert report([0.05, 0.15, 1.0, 2.95, 3.5, math.inf], scan_noise=0.1,
                  noise=[0.0, -1.0, 2.0, 1.0, -9.0, 0.0]) == [
        -math.inf, -math.inf, 1.2, math.inf, 3.5 - 0.1 * 9.0, math.inf]


def test_range_dependent_noise_follows_the_true_range():
    assert report([1.0, 2.0, math.inf], noise=[1.0, -1.0, -9.0], scan_noise=0.03,
                  scan_noise_share=0.04) == [
        1.05, 2.0 - math.hypot(0.03, 0.08), math.inf]
    assert report([2.0], noise=[1.0], short=[[0.0], [0.5]], scan_noise_share=0.1,
                  scan_short=0.5) == [1.2]


def test_beam_is_mixed_with_its_true_next_neighbor():
    draws = [[0.0, 0.0, 0.9, 0.0], [0.5, 0.25, 0.5, 0.5]]
    assert report([1.0, 2.0, 1.0, 2.0, math.inf], mixed=draws, scan_mixed=0.5) == [
        1.5, 1.75, 1.0, 2.0, math.inf]
    assert report([1.0, 1.0 + EDGE, 1.0], mixed=[[0.0, 0.0], [0.5, 0.5]], scan_mixed=1.0) == [
        1.0, 1.0 + EDGE, 1.0]


def test_second_draw_sets_the_length_of_short_and_long_beams():
    assert report([2.0, math.inf, 2.0], short=[[0.1, 0.1, 0.3], [0.5, 0.5, 0.5]],
                  scan_short=0.2) == [1.0, 1.5, 2.0]
    assert report([1.0, 2.0, 2.8, 1.0], long=[[0.1, 0.1, 0.1, 0.3], [0.0, 0.5, 0.5, 0.5]],
                  scan_long=0.2) == [1.0 + LONG, 2.0 + LONG + 0.25, math.inf, 1.0]


def test_loss_takes_precedence_over_other_readings():
    lost = report([0.05, 1.0, math.inf, 1.0], lost=[0.1, 0.1, 0.1, 0.9], scan_dropout=0.2)
    assert np.isnan(lost[:3]).all() and lost[3] == 1.0


@given(share=strategies.floats(0.0, 1.0), run=strategies.floats(1.0, 50.0),
       seed=strategies.integers(0, 1000))
def test_share_of_lost_beams_does_not_depend_on_the_run_length(share, run, seed):
    lost = burst_dropout(np.random.default_rng(seed).random(20_000), share, run)
    # The standard deviation of the share, where runs are independent of one another.
    spread = math.sqrt(share * (1.0 - share) * 2.0 * max(run, 1.0 / max(1.0 - share, 1e-4))
                       / lost.size)
    assert abs(lost.mean() - share) <= 5.0 * spread + 1e-9


@pytest.mark.parametrize('share, run', [(0.03, 3.0), (0.2, 10.0), (0.5, 2.0)])
def test_runs_of_lost_beams_have_the_requested_mean_length(share, run):
    lost = burst_dropout(np.random.default_rng(1).random(400_000), share, run)
    assert lost.sum() / (np.diff(lost.astype(int)) == 1).sum() == pytest.approx(run, rel=0.05)


def test_beams_are_lost_independently_with_a_run_length_of_one():
    draws = np.random.default_rng(1).random(1000)
    assert np.array_equal(burst_dropout(draws, 0.3, 1.0), draws < 0.3)


@pytest.mark.parametrize('sweep_time', [0.0, 0.2])
def test_yaw_error_of_a_lidar_is_not_in_its_mount(sweep_time):
    scan = scan_with(scan_yaw_error=math.radians(10.0), scan_count=361,
                     scan_angle_max=2.0 * math.pi, scan_sweep_time=sweep_time)
    assert scan.mount == Pose(0.0, 0.0, 0.0)
    assert int(np.argmin(scan.ranges)) == 350       # the wall ahead seems to be to the right


def test_share_of_beams_through_glass_is_as_configured():
    world = World('', (box(1.0), box(2.0)), surfaces=(GLASS, PLAIN))
    ranges, across = seen(world)
    assert ranges == pytest.approx(2.0 * across)
    ranges, _ = seen(world, scan_through_glass=0.3)
    through = np.isclose(ranges, 2.0 * across)
    assert through.mean() == pytest.approx(0.3, abs=0.03)
    assert ranges[~through] == pytest.approx(across[~through])


def test_black_surface_absorbs_beams_and_hides_the_wall_behind():
    world = World('', (box(1.0), box(2.0)), surfaces=(BLACK, PLAIN))
    assert np.isposinf(seen(world)[0]).all()
    ranges, across = seen(world, scan_black_range=1.05)
    assert np.array_equal(np.isfinite(ranges), across <= 1.05)
    hidden = World('', (box(1.0), box(2.0)), surfaces=(PLAIN, BLACK))
    assert seen(hidden)[0] == pytest.approx(across)


def test_black_surface_behind_glass_is_not_seen():
    world = World('', (box(1.0), box(2.0)), surfaces=(GLASS, BLACK))
    ranges, across = seen(world, scan_through_glass=0.5)
    assert np.isposinf(ranges).mean() == pytest.approx(0.5, abs=0.03)
    assert ranges[np.isfinite(ranges)] == pytest.approx(across[np.isfinite(ranges)])


def test_sweeping_lidar_sees_through_glass():
    world = World('', (box(1.0), box(2.0)), surfaces=(GLASS, PLAIN))
    ranges, across = seen(world, scan_sweep_time=0.2)
    assert ranges == pytest.approx(2.0 * across)


def test_glass_stops_the_robot_like_a_wall():
    ends = []
    for surfaces in ((), (GLASS,)):
        robot = Simulator(World('', (box(0.5),), surfaces=surfaces), HERE)
        for _ in range(100):
            robot.step(Twist(0.2, 0.0), 0.05)
        ends.append((robot.pose, robot.contacts))
    assert ends[0] == ends[1] and ends[0][1] > 0
