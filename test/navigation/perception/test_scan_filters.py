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
"""Tests of the scan filters: classes of ranges, speckles, holes, places seen through."""

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception import scan_filters
from bug_nav.navigation.perception.beams import beams_of, fast_atan2, look_up_beams
from bug_nav.navigation.perception.classification import blind_ahead, classify
from bug_nav.navigation.perception.dialect import Dialect
from bug_nav.navigation.perception.scan_filters import (
    deskew,
    has_gone_through,
    HOLE_FILL_TIME,
    is_speckle,
    LidarFilter,
    MIN_MOTION,
    MIN_ROTATION,
    SPECKLE_SCANS,
)
from bug_nav.navigation.perception.sensor_queue import Placed, STUCK, UnusableScan
from bug_nav.navigation.types import Scan
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest

INF, NAN = math.inf, math.nan
DEGREE = math.radians(1.0)


def placed(ranges, stamp=0.0, pose=IDENTITY, step=DEGREE):
    scan = Scan(stamp, np.asarray(ranges, dtype=float), 0.0, step, 0.12, 3.5)
    return Placed(scan, pose, stamp)


def filtered(lidar, ranges, stamp=0.0, pose=IDENTITY, step=DEGREE):
    """Return the filtered ranges, or why the scan is unusable."""
    try:
        return lidar.read(placed(ranges, stamp, pose, step), pose, 0.0).scan.ranges
    except UnusableScan as reason:
        return str(reason)


def trouble_of(lidar, ranges):
    found = filtered(lidar, ranges)
    return found if isinstance(found, str) else ''


def around(value=1.0, **sectors):
    """Return 360 ranges; ``ahead`` replaces those 45 degrees to either side of the heading."""
    ranges = np.full(360, value)
    if 'ahead' in sectors:
        ranges[:45] = ranges[-45:] = sectors['ahead']
    return ranges


def with_beams(changes, count=360):
    ranges = np.full(count, 2.0)
    for beam, r in changes.items():
        ranges[beam] = r
    return ranges


# Classification, and scans that are unusable.

@pytest.mark.parametrize('ranges, why', [
    (around(NAN), 'lidar does not work'), (around(0.0), 'lidar does not work'),
    (around(-1.0), 'lidar does not work'), (around(1e30), 'lidar does not work'),
    (around(1e-6), 'lidar does not work'), (around(6e-33), 'lidar does not work'),
    (around(-INF), 'covers the lidar'), (around(0.05), 'covers the lidar')])
def test_scan_without_a_usable_beam_is_rejected(ranges, why):
    assert why in trouble_of(LidarFilter(0.0), ranges)


@pytest.mark.parametrize('ranges', [
    around(1.0), around(INF), around(3.6), around(1.0, ahead=-INF), around(1.0, ahead=0.05)])
def test_scan_with_usable_beams_is_accepted(ranges):
    assert trouble_of(LidarFilter(0.0), ranges) == ''


def test_each_kind_of_range_is_classified():
    raw = np.array((INF, 3.6, 6.9, 7.1, 1e30, -INF, 0.05, 0.0, NAN, -2.0, 0.2, 2.0))
    ranges = np.empty(raw.size)
    counts = classify(raw, ranges, 0.12, 3.5, 0.3)
    expected = [INF, INF, INF, NAN, NAN, -INF, 0.05, NAN, NAN, NAN, 0.2, 2.0]
    assert np.array_equal(ranges, expected, equal_nan=True)
    assert counts == (3, 2, 2, 1)


def test_integer_and_single_precision_ranges_are_accepted():
    for kind in (np.int64, np.float32):
        scan = placed(around(2.0))
        scan = scan._replace(scan=scan.scan._replace(ranges=np.full(360, 2, dtype=kind)))
        assert LidarFilter(0.0).read(scan, IDENTITY, 0.0).scan.ranges.tolist() == [2.0] * 360


@pytest.mark.parametrize('lost', [0.0, NAN])
@pytest.mark.parametrize('step', [DEGREE, -DEGREE])
def test_lidar_that_reports_inf_is_blind_if_it_reports_errors_ahead(lost, step):
    lidar = LidarFilter(0.0)
    free = np.where(np.arange(360) == 180, INF, around())
    assert isinstance(filtered(lidar, free, step=step), np.ndarray)
    assert 'blind over' in filtered(lidar, around(ahead=lost), step=step)
    # Errors behind and a few lost beams are accepted.
    behind = np.roll(around(ahead=lost), 180)
    assert isinstance(filtered(lidar, behind, step=step), np.ndarray)
    few = np.where(np.arange(360) % 3 > 0, lost, 1.0)
    assert isinstance(filtered(lidar, few, step=step), np.ndarray)


@pytest.mark.parametrize('word', [0.0, NAN])
def test_errors_ahead_may_mean_free_if_the_lidar_never_reports_inf(word):
    assert trouble_of(LidarFilter(0.0), around(ahead=word)) == ''


def test_blind_sector_is_found_for_a_lidar_that_does_not_begin_ahead():
    ranges = np.ones(181)
    ranges[80:120] = NAN  # from -10 to 30 degrees, of a lidar that covers -90 to 90
    assert blind_ahead(ranges, -math.pi / 2.0, DEGREE) == pytest.approx(40.0 * DEGREE)
    assert blind_ahead(ranges, math.pi / 2.0, DEGREE) == 0.0  # the lidar looks backwards


@pytest.mark.parametrize('word', [0.0, NAN, 6e-33, 0.007])
def test_scan_of_an_empty_place_is_usable_if_the_lidar_has_measured_something(word):
    lidar = LidarFilter(0.0)
    assert trouble_of(lidar, np.where(np.arange(360) < 5, 2.0, word)) == ''
    assert trouble_of(lidar, around(word)) == ''


@pytest.mark.parametrize('told, word', [('zero', 0.0), ('nan', NAN), ('range_max', 3.5)])
def test_no_return_that_is_told_is_free(told, word):
    lidar = LidarFilter(0.0, Dialect(told))
    assert np.all(filtered(lidar, around(word)) == INF)


@pytest.mark.parametrize('word', [3.5, 3.49, 3.6])
def test_equal_readings_at_the_end_of_the_range_are_no_return(word):
    lidar = LidarFilter(0.0)
    assert np.all(filtered(lidar, np.where(np.arange(360) < 350, word, 1.0))[:350] == INF)
    # Later also where few beams report it.
    left = filtered(lidar, np.where(np.arange(360) < 3, word, 1.0))
    assert np.all(left[:3] == INF) and np.all(left[3:] == 1.0)
    # Its errors are none.
    assert 'errors' in trouble_of(lidar, around(NAN))


def test_largest_reading_of_each_scan_as_range_max_is_a_reading():
    ranges = np.linspace(1.0, 3.5, 360)
    assert np.array_equal(filtered(LidarFilter(0.0), ranges), ranges)


@pytest.mark.parametrize('word', [INF, 3.6, NAN, 0.0])
def test_lost_readings_of_a_lidar_that_reports_them_as_no_return_are_filled(word):
    lidar = LidarFilter(0.0, Dialect('unknown'))
    filtered(lidar, around(2.0))
    for k in range(1, 5):  # however long they are lost
        assert filtered(lidar, around(2.0, ahead=word), 0.2 * k) == pytest.approx(2.0)
    assert trouble_of(LidarFilter(0.0, Dialect('unknown')), np.full(360, word)) != ''
    lidar = LidarFilter(0.0, Dialect('unknown'))
    filtered(lidar, around(3.4))
    assert np.isnan(filtered(lidar, np.full(360, word), 40.0)).all()  # an empty place


@pytest.mark.parametrize('turned, usable', [(0.15, True), (0.0, False)])
def test_narrow_view_is_empty_after_turning_away(turned, usable):
    lidar = LidarFilter(0.0)
    assert trouble_of(lidar, np.where(np.arange(60) < 9, 1.0, INF)) == ''
    found = filtered(lidar, np.full(60, INF), 0.1, Pose(0.0, 0.0, turned))
    assert ('although the previous one' in str(found)) != usable


def test_scan_without_the_obstacles_that_were_all_around_is_rejected():
    lidar = LidarFilter(0.0)
    assert trouble_of(lidar, around(1.0)) == ''
    for _ in range(3):
        assert 'although the previous one' in trouble_of(lidar, around(INF))
    assert trouble_of(lidar, around(INF, ahead=2.0)) == ''
    # Distant obstacles may be out of range now.
    assert trouble_of(lidar, around(3.2)) == ''
    assert trouble_of(lidar, around(INF)) == ''


# A lidar that is stuck.

NOISE = np.random.default_rng(1).normal(1.0, 0.01, 360)


@pytest.mark.parametrize('ranges, pose, stuck', [
    (NOISE, IDENTITY, False), (NOISE, Pose(0.5 * MIN_MOTION, 0.0, 0.5 * MIN_ROTATION), False),
    (NOISE, Pose(2.0 * MIN_MOTION, 0.0, 0.0), True), (NOISE, Pose(0.0, 0.0, 2.0 * MIN_ROTATION),
                                                      True),
    (around(1.0), Pose(0.0, -2.0 * MIN_MOTION, 0.0), True),
    # In open space, and along an endless wall: a simulated lidar has no noise.
    (around(INF), Pose(2.0, 0.0, 2.0), False),
    (around(1.0, ahead=INF), Pose(2.0, 0.0, 0.0), False)])
def test_lidar_that_repeats_a_scan_while_the_robot_moves_is_stuck(ranges, pose, stuck):
    lidar = LidarFilter(0.0)
    assert isinstance(filtered(lidar, ranges), np.ndarray)
    for _ in range(2):  # and still is, if the robot has stopped
        result = filtered(lidar, ranges, 0.2, pose)
        assert (isinstance(result, str) and result == STUCK) is stuck
    changed = np.where(np.arange(360) == 7, 0.9, ranges)
    assert isinstance(filtered(lidar, changed, 0.4, pose), np.ndarray)


@pytest.mark.parametrize('code', [6e-33, 0.007, 0.015, -INF])
def test_constant_error_codes_in_an_open_place_are_no_stuck_lidar(code):
    lidar, ranges = LidarFilter(0.0), around(INF)
    ranges[10:30] = code
    for k in range(5):
        assert isinstance(filtered(lidar, ranges, 0.2 * k, Pose(0.3 * k, 0.0, 0.3 * k)),
                          np.ndarray)


@pytest.mark.parametrize('y, stuck', [(2.0 * MIN_MOTION, True), (-2.0 * MIN_MOTION, False)])
def test_repeated_scan_counts_as_stuck_only_if_the_motion_is_within_the_view(y, stuck):
    lidar = LidarFilter(0.0)
    left_half = np.full(180, 1.0)
    filtered(lidar, left_half)
    result = filtered(lidar, left_half, 0.2, Pose(0.0, y, 0.0))
    assert (isinstance(result, str) and result == STUCK) is stuck


# Speckles.

def test_isolated_reading_is_unknown():
    left = filtered(LidarFilter(0.0), with_beams({90: 0.8}))
    assert math.isnan(left[90])
    assert np.array_equal(np.delete(left, 90), np.full(359, 2.0))


@pytest.mark.parametrize('changes', [{90: 0.8, 91: 1.4}, {90: 0.8, 92: 0.8}, {0: 0.8}, {359: 0.8},
                                     {90: -INF}, {90: 3.2}])
def test_two_readings_do_not_support_each_other(changes):
    left = filtered(LidarFilter(0.0), with_beams(changes))
    assert np.flatnonzero(np.isnan(left)).tolist() == sorted(changes)


def test_thin_pole_is_accepted_after_several_scans():
    lidar, pole = LidarFilter(0.0), (1.0, 0.0)
    for k in range(SPECKLE_SCANS + 2):
        pose = Pose(0.04 * k, 0.0, 0.0)
        away = math.dist(pole, pose.position)
        left = filtered(lidar, with_beams({0: away}), 0.2 * k, pose)
        assert (left[0] == away) == (k >= SPECKLE_SCANS - 1)


def test_post_of_three_beams_is_accepted_at_once():
    ranges = with_beams({89: 0.8, 90: 0.79, 91: 0.8})
    assert np.array_equal(filtered(LidarFilter(0.0), ranges), ranges)


def test_isolated_reading_at_changing_places_is_never_accepted():
    lidar = LidarFilter(0.0)
    for k in range(20):
        left = filtered(lidar, with_beams({17 * k: 0.5 + 0.05 * k}), 0.2 * k)
        assert math.isnan(left[17 * k]) if k == 0 else left[17 * k] == pytest.approx(2.0)


def test_wall_at_a_grazing_angle_is_accepted():
    bearings = DEGREE * np.arange(360)
    with np.errstate(divide='ignore'):
        ranges = np.where(np.sin(bearings) > 0.0, 0.2 / np.sin(bearings), INF)
    left = filtered(LidarFilter(0.0), np.where(ranges <= 0.9, ranges, INF))
    assert np.isnan(left).sum() <= 2  # readings at its ends are isolated


@pytest.mark.parametrize('step', [DEGREE, -DEGREE])
def test_dropped_reading_on_the_line_of_its_neighbours_is_at_a_grazing_angle(step):
    # The far part of a wall 0.09 m beside the lidar: its readings are 0.1 m and more apart.
    ranges = np.full(360, INF)
    for k in range(3, 12):
        ranges[k] = 0.09 / math.sin(k * DEGREE)
    ranges[200] = 1.0  # a speckle
    lidar = LidarFilter(0.0)
    left = filtered(lidar, ranges, step=step)
    assert np.isnan(left[3:8]).all() and math.isnan(left[200])
    assert lidar.sight[3:8].tolist() == ranges[3:8].tolist()
    assert (np.delete(lidar.sight, range(3, 12)) == INF).all()


@given(st.lists(st.sampled_from((NAN, INF, -INF, 0.3, 0.35, 1.0, 1.05, 3.0)), min_size=1,
                max_size=12))
def test_speckle_has_fewer_than_two_similar_readings_beside_it(ranges):
    for i, r in enumerate(ranges):
        beside = [ranges[(i + off) % len(ranges)] for off in (-2, -1, 1, 2)]
        like = [other for other in beside
                if other == r or abs(other - r) <= max(0.1, 4.0 * DEGREE * r)]
        assert is_speckle(np.array(ranges), i, DEGREE) == (r < INF and len(like) < 2)


# Holes.

def test_unknown_beam_is_filled_with_the_last_observation():
    lidar = LidarFilter(0.0)
    filtered(lidar, around(3.0))
    # The robot has moved half a metre and turned: the wall ahead is nearer by half a metre.
    ranges = np.full(360, INF)
    ranges[265:276] = NAN
    filled = filtered(lidar, ranges, 0.2, Pose(0.5, 0.0, math.radians(90.0)))
    assert filled[270] == pytest.approx(2.5, abs=0.01)
    assert np.isinf(filled[:200]).all()


def lost_ahead(value):
    """Return a room in which the beams within 10 degrees of the heading report something else."""
    ranges = np.full(360, 2.0)
    ranges[:10] = ranges[-10:] = value
    return ranges


def test_filled_hole_lasts_until_a_beam_observes_the_place_again():
    lidar = LidarFilter(0.0)
    filtered(lidar, around(2.0))
    for k in range(1, 5):
        assert filtered(lidar, lost_ahead(NAN), 0.2 * k)[0] == pytest.approx(2.0)
    filtered(lidar, lost_ahead(INF), 1.0)
    assert np.isnan(filtered(lidar, lost_ahead(NAN), 1.2)[0])


def test_scan_for_matching_has_the_holes_that_are_filled_for_the_memory():
    lidar = LidarFilter(0.0)
    filtered(lidar, around(2.0))
    sweep = lidar.read(placed(lost_ahead(NAN), 0.2), IDENTITY, 0.0)
    assert np.isfinite(sweep.static.ranges).all()
    measured = sweep.matched.ranges
    assert np.isnan(measured).sum() == 20 and np.isnan(measured[:10]).all()
    assert measured[10:350].tolist() == sweep.static.ranges[10:350].tolist()


def test_scan_with_more_holes_than_readings_is_matched_with_what_fills_them():
    lidar = LidarFilter(0.0)
    filtered(lidar, around(2.0))
    ranges = np.full(360, NAN)
    ranges[:170] = 2.0
    sweep = lidar.read(placed(ranges, 0.2), IDENTITY, 0.0)
    assert sweep.matched is sweep.scan


def test_filled_hole_expires():
    lidar = LidarFilter(0.0)
    filtered(lidar, around(2.0))
    assert filtered(lidar, lost_ahead(NAN), 0.9 * HOLE_FILL_TIME)[0] == pytest.approx(2.0)
    assert np.isnan(filtered(lidar, lost_ahead(NAN), 1.1 * HOLE_FILL_TIME)[0])


def test_holes_of_a_clockwise_lidar_are_filled():
    lidar, k = LidarFilter(0.0), np.arange(360)
    filtered(lidar, np.where(np.abs(k - 90) < 2, 1.0, INF), step=-DEGREE)    # at -90 degrees
    filled = filtered(lidar, np.where(np.abs(k - 90) < 5, NAN, INF), 0.2, step=-DEGREE)
    assert np.flatnonzero(np.isfinite(filled)).tolist() == [89, 90, 91]


def test_buffers_have_room_for_the_points_of_the_next_scan():
    lidar = LidarFilter(0.0)
    filtered(lidar, around(2.0))
    capacity = lidar._hole_points.shape[1]
    lidar._states['hole_points'] = capacity - 5
    filtered(lidar, np.array([NAN] + [2.0] * 9), 0.2, step=36.0 * DEGREE)
    assert lidar._hole_points.shape[1] >= capacity - 5 + 10


def test_scans_with_different_beam_counts_fill_each_others_holes():
    lidar = LidarFilter(5.0)
    filtered(lidar, np.full(120, 2.0), step=3.0 * DEGREE)
    ranges = np.full(360, 2.0)
    ranges[90:100] = NAN
    assert np.isfinite(filtered(lidar, ranges, 0.2)).sum() == 354  # every third hole is filled
    assert filtered(lidar, np.full(120, 2.0), 0.4, step=3.0 * DEGREE).tolist() == [2.0] * 120


# The motion of the robot during a sweep.

def deskewed(ranges, scan, mount, motion, pose=IDENTITY, order=1):
    """
    Return the ends of the readings (n, 2) [m] in the frame of the robot at the end of a sweep.

    ``motion`` returns the pose at a share of the sweep, in the frame of the pose at its end.
    """
    beams, directions = beams_of(scan, mount)
    directions = directions.copy()
    sweep = np.array([(1.0 + 0.1 * share, *pose.compose(motion(share)))
                      for share in np.linspace(0.0, 1.0, 41)])
    deskew(ranges, directions, beams[0], sweep, order, 1.0, 1.1, pose[:])
    seen = np.isfinite(ranges)
    return (np.array(mount.position)[:, None] + ranges[seen] * directions[:, seen]).T


def seen_from(motion, mount, count, step, places):
    """Return the ranges of a sweep (count,) [m]; ``places(pose, heading)`` is that of a beam."""
    ranges = np.empty(count)
    for i in range(count):
        sensor = motion(i / (count - 1)).compose(mount)
        ranges[i] = places(sensor, sensor.theta + i * step)
    return ranges


def to_wall(sensor, heading):
    """Return the range to a wall at x = 1 m."""
    return (1.0 - sensor.x) / math.cos(heading) if math.cos(heading) > 0.3 else INF


@given(st.floats(-0.05, 0.05), st.floats(-0.05, 0.05), st.floats(-0.3, 0.3), st.floats(-0.9, 0.9),
       st.sampled_from((DEGREE, -DEGREE)), st.sampled_from((0.0, 1.2)))
def test_deskewed_sweep_of_a_moving_robot_shows_a_straight_wall(x, y, theta, bend, step, mounted):
    """The robot may brake or accelerate in the sweep, and the lidar be off-centre and turned."""
    mount = Pose(0.05, 0.02, mounted)

    def motion(share):
        left = 1.0 - (1.0 - bend) * share - bend * share ** 2
        return Pose(left * x, left * y, left * theta)
    scan = Scan(0.0, np.empty(360), 0.0, step, 0.12, 3.5)
    places = deskewed(seen_from(motion, mount, 360, step, to_wall), scan, mount, motion,
                      Pose(3.0, -2.0, 3.1))
    assert len(places) > 100
    assert np.abs(places[:, 0] - 1.0).max() < 1e-3


def test_sweep_with_the_newest_beam_first_is_deskewed_in_its_order():
    def motion(share):
        return Pose(-0.05 * (1.0 - share), 0.0, -0.3 * (1.0 - share))
    scan = Scan(0.0, np.empty(360), 0.0, DEGREE, 0.12, 3.5)
    newest_first = seen_from(lambda share: motion(1.0 - share), IDENTITY, 360, DEGREE, to_wall)
    places = deskewed(newest_first, scan, IDENTITY, motion, order=-1)
    assert len(places) > 100 and np.abs(places[:, 0] - 1.0).max() < 1e-3


@pytest.mark.parametrize('step', [DEGREE, -DEGREE])
@pytest.mark.parametrize('turn', [0.002, -0.002, 0.4 * DEGREE, 0.02])
def test_slow_turn_in_a_sweep_does_not_rotate_the_scan(turn, step):
    """Less than half a beam is a turn as well: rounded away, it adds up along a curve."""
    def motion(share):
        return Pose(0.0, 0.0, -(1.0 - share) * turn)
    scan = Scan(0.0, np.empty(360), 0.0, step, 0.12, 3.5)
    places = deskewed(seen_from(motion, IDENTITY, 360, step, to_wall), scan, IDENTITY, motion)
    slope = np.polyfit(places[:, 1], places[:, 0], 1)[0]
    assert abs(slope) < 1e-5


def test_deskewing_keeps_infinite_and_unknown_ranges():
    ranges = np.array([-INF, 1.0, INF, NAN] * 3)
    scan = Scan(0.0, ranges, 0.0, 2.0 * math.pi / 12, 0.12, 3.5)
    deskewed(ranges, scan, IDENTITY, lambda share: Pose(0.0, 0.0, 1e-9 * (1.0 - share)))
    assert np.array_equal(ranges, np.array([-INF, 1.0, INF, NAN] * 3), equal_nan=True)


# Places that an earlier scan has seen through.

@given(st.floats(-10.0, 10.0), st.floats(-10.0, 10.0))
def test_fast_arc_tangent_is_accurate(y, x):
    assume(x or y)
    off = math.remainder(fast_atan2(y, x) - math.atan2(y, x), 2.0 * math.pi)
    assert off == pytest.approx(0.0, abs=3e-10)


@given(st.floats(-math.pi, math.pi), st.sampled_from((0.3, -0.3, DEGREE, -DEGREE)),
       st.floats(-7.0, 7.0))
def test_place_is_looked_up_at_the_beam_of_its_bearing(bearing, step, first):
    at, away = np.empty(1), np.empty(1)
    place = np.array([0.3 + 2.0 * math.cos(bearing)]), np.array([2.0 * math.sin(bearing) - 0.1])
    look_up_beams(*place, 0.3, -0.1, first, step, at, away)
    assert 0.0 <= at[0] <= 2.0 * math.pi / abs(step) and away[0] == pytest.approx(2.0)
    assert math.remainder(first + at[0] * step - bearing, 2.0 * math.pi) == pytest.approx(
        0.0, abs=1e-8)


ranges = st.one_of(st.floats(0.1, 4.0), st.sampled_from((INF, NAN, -INF)))


@given(st.lists(ranges, min_size=12, max_size=12), st.sampled_from((0.3, 2 * math.pi / 12)),
       st.floats(0.0, 1.0, exclude_max=True), st.floats(0.1, 3.0))
def test_place_is_seen_through_if_all_beams_that_pass_it_end_behind_it(
        past, width, share, away):
    at, behind, whole = share * 2.0 * math.pi / width, away + 0.15, width > 0.5
    k = math.floor(at + 0.5)
    k = 0 if whole and k >= 12 else k
    beside = min(1 + int(0.05 / (width * away)), 40)
    beams = [j % 12 if whole else j for j in range(k - beside, k + beside + 1)]
    assert has_gone_through(np.array(past), at, away, behind, width, whole, 0.05) == all(
        0 <= j < 12 and past[j] > behind for j in beams)


def test_scan_is_compared_with_all_stored_scans_of_the_last_5_s():
    lidar = LidarFilter(5.0)
    for k in range(100):
        filtered(lidar, np.where(np.arange(360) % 50 == k % 50, 2.1, 2.0), 0.2 * k)
    state = lidar._states[0]
    stamps = sorted(lidar._poses[(state['written'] - 1 - i) % scan_filters.KEPT_SCANS, 0]
                    for i in range(state['stored']))
    assert stamps[-1] == pytest.approx(19.8) and 14.6 <= stamps[0] <= 14.8
    assert np.diff(stamps) == pytest.approx(0.2)
    # A person stands where it was free for the last 5 s.
    filtered(lidar, with_beams(dict.fromkeys(range(170, 190), 1.0)), 20.0)
    places, apart = lidar.beam_ends
    assert np.flatnonzero(apart < INF).tolist() == list(range(170, 190))
    assert np.hypot(*places[180]) == pytest.approx(1.0)


def test_scans_in_quick_succession_are_not_all_kept():
    lidar, ranges = LidarFilter(5.0), np.linspace(1.0, 2.0, 360)
    for k in range(100):  # at 100 Hz
        filtered(lidar, ranges + 1e-3 * k, 10.0 + 0.01 * k)
    assert 5 <= lidar._states['written'][0] <= 10


# Parts of the robot.

def seen_often(scans, **fields):
    """Return the filtered ranges of the last of equal scans by a robot that turns."""
    lidar = LidarFilter(0.0, self_radius=0.3)
    for k in range(scans):
        ranges = np.where(np.arange(360) % 180 < 4, 0.25, 2.0 + 0.001 * k)
        scan = placed(ranges, 0.2 * k, Pose(0.0, 0.0, 0.1 * k))
        seen = lidar.read(scan._replace(scan=scan.scan._replace(**fields)), IDENTITY, 0.0)
    return seen.scan.ranges


def test_readings_that_stay_within_the_self_radius_are_dropped():
    assert seen_often(3)[1] == 0.25
    left = seen_often(8)
    assert not (left < 1.0).any() and left[90] > 2.0  # other readings may fill the holes


def test_self_radius_is_about_the_centre_of_the_robot():
    left = seen_often(8, mount=Pose(0.1, 0.0, 0.0))
    assert (left[:4] == 0.25).all() and not (left[180:184] < 1.0).any()
