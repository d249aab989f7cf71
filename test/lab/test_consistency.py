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

"""Consistency of the estimated pose with its covariance."""

from __future__ import annotations

import math

from bug_nav.lab.consistency import Consistency
from bug_nav.lab.spec import make_spec
from bug_nav.navigation.geometry import Pose
from campaign_helpers import rows_of
import numpy as np
import pytest

COVARIANCE = np.diag([0.02, 0.01, 0.1])**2


def columns_of(*errors, covariance=COVARIANCE) -> dict:
    """Return the columns for errors of x, y [m] and heading [rad], at a pose that turns over."""
    truth, consistency = Pose(1.0, -2.0, math.pi - 0.01), Consistency()
    for error in errors:
        consistency.add(Pose(*np.add(truth, error).tolist()), truth, covariance)
    return consistency.columns()


def test_errors_of_one_sigma_in_each_number_have_a_nees_of_one():
    assert columns_of((0.02, -0.01, 0.1), (-0.02, 0.01, -0.1))['mean_nees'] == pytest.approx(
        1.0, rel=1e-6)


def test_correlated_errors_count_with_their_covariance():
    covariance = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]) * 1e-4
    along, against = (columns_of((0.01, y, 0.0), covariance=covariance)['mean_nees']
                      for y in (0.01, -0.01))
    assert (along, against) == pytest.approx((2.0 / 9.0, 2.0 / 3.0), rel=1e-6)


def test_share_within_two_sigma_counts_positions_by_the_larger_standard_deviation():
    inside, outside = (0.0, 0.0409, 1.0), (0.0411, 0.0, 0.0)
    columns = columns_of(inside, inside, inside, outside)
    assert columns['within_two_sigma'] == 0.75
    assert columns['max_position_error'] == pytest.approx(0.0411)


def test_random_errors_with_their_covariance_are_consistent():
    random = np.random.default_rng(1)
    shape = np.array([[4.0, 1.0, 0.5], [1.0, 2.0, -0.5], [0.5, -0.5, 1.0]]) * 1e-4
    columns = columns_of(*random.multivariate_normal(np.zeros(3), shape, 5000), covariance=shape)
    assert columns['mean_nees'] == pytest.approx(1.0, abs=0.05)
    assert 0.9 < columns['within_two_sigma'] < 1.0


@pytest.mark.parametrize('covariance', [None, np.zeros((3, 3))])
def test_pose_without_an_estimated_covariance_is_left_out(covariance):
    assert columns_of((1.0, 0.0, 0.0), covariance=covariance) == {}


def test_position_that_is_exactly_known_and_right_is_consistent():
    # Without a wall in sight, a robot that turns knows its position, but not its heading.
    columns = columns_of((0.0, 0.0, 0.1), covariance=np.diag([0.0, 0.0, 0.01]))
    assert columns['mean_nees'] == pytest.approx(1.0 / 3.0, rel=1e-6)
    assert columns['within_two_sigma'] == 1.0


# ---- episodes -----------------------------------------------------------------------------------

def consistency_of(world: str, **settings) -> tuple:
    (row,) = rows_of(make_spec({
        'worlds': [{'world': world}], 'repetitions': 1, 'settings': settings}))
    return row.mean_nees, row.within_two_sigma, row.max_position_error


def test_episode_without_drift_correction_has_no_consistency():
    assert consistency_of('box', drift_correction='none') == (None, None, None)


def test_localizer_leaves_the_estimated_pose_unjudged():
    nees, share, _ = consistency_of('box', odometry='encoders', odometry_noise=0.05)
    assert nees > 0.1 and 0.0 < share <= 1.0
    assert consistency_of('box', odometry='encoders', odometry_noise=0.05,
                          localizer_period=0.05) == (None, None, None)


def test_estimate_is_compared_with_the_true_pose_of_the_same_time():
    # The robot drives 4 cm during a sweep.
    _, _, error = consistency_of('box', scan_publish_dur=0.2, scan_sweep_time=0.199,
                                 beam_order='index')
    assert 0.0 < error < 0.02


def test_larger_drift_has_a_larger_position_error():
    small, large = (consistency_of('ring_start', odometry='encoders', odometry_noise=noise)[2]
                    for noise in (0.02, 0.3))
    assert 0.0 < small < large
