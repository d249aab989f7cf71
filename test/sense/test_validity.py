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
"""What the beams of a lidar say, and whether a scan is one."""

import math

from bug_nav.core.geometry import IDENTITY, Pose
from bug_nav.core.interface import Scan
from bug_nav.sense.validity import Afterimage, LASTS, MOVED, Stillness, TURNED, Validity
import numpy as np
import pytest

INF, NAN = math.inf, math.nan
DEGREE = math.radians(1.0)


def scan(ranges, stamp=0.0, step=DEGREE):
    return Scan(stamp, np.asarray(ranges, dtype=float), 0.0, step, 0.12, 3.5)


def around(value=1.0, **sectors):
    """Return 360 ranges; ``ahead`` replaces those 45 degrees to either side of the heading."""
    ranges = np.full(360, value)
    if 'ahead' in sectors:
        ranges[:45] = ranges[-45:] = sectors['ahead']
    return ranges


@pytest.mark.parametrize('ranges, why', [
    (around(NAN), 'errors'), (around(0.0), 'errors'), (around(-1.0), 'errors'),
    (around(1e30), 'errors'), (around(1e-6), 'covers the lidar'),
    (around(-INF), 'covers the lidar'), (around(0.05), 'covers the lidar')])
def test_scan_without_a_usable_beam_is_none(ranges, why):
    assert why in Validity().read(scan(ranges))[1]


@pytest.mark.parametrize('ranges', [
    around(1.0), around(INF), around(3.6), around(1.0, ahead=-INF), around(1.0, ahead=0.05),
    [0.5], [INF]])
def test_scan_that_says_something_all_around_is_one(ranges):
    assert Validity().read(scan(ranges))[1] == ''


def test_free_is_said_in_one_word_and_what_is_unknown_in_another():
    read, _ = Validity().read(scan([1.0, INF, 3.6, 6.9, 7.1, 1e30, 0.0, NAN, -2.0, -INF, 0.05]))
    assert read.ranges == pytest.approx(
        [1.0, INF, INF, INF, NAN, NAN, NAN, NAN, NAN, -INF, 0.05], nan_ok=True)


@pytest.mark.parametrize('lost', [0.0, NAN])
def test_lidar_that_says_free_properly_is_blind_where_it_reports_an_error_ahead(lost):
    validity = Validity()
    assert validity.read(scan(np.where(np.arange(360) == 180, INF, around())))[1] == ''
    assert 'blind over' in validity.read(scan(around(ahead=lost)))[1]
    # Behind it matters less, and so do a few lost beams.
    behind = np.roll(around(ahead=lost), 180)
    assert validity.read(scan(behind))[1] == ''
    assert validity.read(scan(np.where(np.arange(360) % 3 > 0, lost, 1.0)))[1] == ''


@pytest.mark.parametrize('word', [0.0, NAN])
def test_lidar_that_knows_no_other_word_may_mean_free(word):
    assert Validity().read(scan(around(ahead=word)))[1] == ''


def test_scan_that_sees_nothing_of_what_was_all_around_is_none():
    validity = Validity()
    assert validity.read(scan(around(1.0)))[1] == ''
    for _ in range(3):
        assert 'a moment ago' in validity.read(scan(around(INF)))[1]
    assert validity.read(scan(around(INF, ahead=2.0)))[1] == ''
    # What was far away may have come out of sight.
    assert validity.read(scan(around(3.2)))[1] == ''
    assert validity.read(scan(around(INF)))[1] == ''


# What was seen last where nothing is said since.

def test_unknown_beam_says_what_was_last_seen_there():
    image = Afterimage()
    image.filled(scan(around(2.0)), IDENTITY)
    # Half a metre on, and turned: the wall ahead is nearer by so much.
    ranges = np.full(360, INF)
    ranges[265:276] = NAN
    filled = image.filled(scan(ranges, 0.2), Pose(0.5, 0.0, math.radians(90.0)))
    assert filled.ranges[270] == pytest.approx(1.5, abs=0.01)
    assert np.isinf(filled.ranges[:200]).all()


def test_image_lasts_until_a_beam_looks_there_again():
    image = Afterimage()
    image.filled(scan(around(2.0)), IDENTITY)
    lost = around(2.0, ahead=NAN)
    for k in range(1, 5):
        assert image.filled(scan(lost, 0.2 * k), IDENTITY).ranges[0] == pytest.approx(2.0)
    image.filled(scan(around(2.0, ahead=INF), 1.0), IDENTITY)
    assert np.isnan(image.filled(scan(lost, 1.2), IDENTITY).ranges[0])


def test_image_fades():
    image = Afterimage()
    image.filled(scan(around(2.0)), IDENTITY)
    lost = around(2.0, ahead=NAN)
    assert image.filled(scan(lost, 0.9 * LASTS), IDENTITY).ranges[0] == pytest.approx(2.0)
    assert np.isnan(image.filled(scan(lost, 1.1 * LASTS), IDENTITY).ranges[0])


def test_clockwise_lidar_has_the_same_image():
    image = Afterimage()
    ranges = np.where(np.arange(360) == 90, 1.0, INF)     # at -90 degrees
    image.filled(scan(ranges, step=-DEGREE), IDENTITY)
    lost = np.where(np.abs(np.arange(360) - 90) < 5, NAN, INF)
    filled = image.filled(scan(lost, 0.2, step=-DEGREE), IDENTITY)
    assert np.flatnonzero(np.isfinite(filled.ranges)).tolist() == [90]


NOISE = np.random.default_rng(1).normal(1.0, 0.01, 360)


@pytest.mark.parametrize('ranges, pose, stuck', [
    (NOISE, IDENTITY, False), (NOISE, Pose(0.5 * MOVED, 0.0, 0.5 * TURNED), False),
    (NOISE, Pose(2.0 * MOVED, 0.0, 0.0), True), (NOISE, Pose(0.0, 0.0, 2.0 * TURNED), True),
    (around(1.0), Pose(0.0, -2.0 * MOVED, 0.0), True),
    # In the open, and along a wall without an end: a simulated lidar has no noise.
    (around(INF), Pose(2.0, 0.0, 2.0), False),
    (around(1.0, ahead=INF), Pose(2.0, 0.0, 0.0), False)])
def test_lidar_that_says_the_very_same_while_the_robot_moves_is_stuck(ranges, pose, stuck):
    stillness = Stillness()
    assert not stillness.look(scan(ranges), IDENTITY)
    assert stillness.look(scan(ranges), pose) is stuck
    assert stillness.look(scan(ranges), pose) is stuck  # and still is, standing
    assert not stillness.look(scan(np.where(np.arange(360) == 7, 0.9, ranges)), pose)
