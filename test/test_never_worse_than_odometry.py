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

"""Where odometry is exact, scan matching leaves it so: in all kinds of worlds, with all lidars."""

from __future__ import annotations

import math

from bug_nav.lab.run_setup import drive, RunOptions, set_up
from bug_nav.simulation.generators import GENERATORS, MOVING
from bug_nav.simulation.parts import LIDARS, OWN
from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

STILL = [kind for kind in GENERATORS if kind not in MOVING]
LIDAR = st.sampled_from([OWN, *LIDARS])
ALGORITHM = st.sampled_from(['bug1', 'bug2', 'tangent_bug'])


def excess(kind, seed, algorithm, settings, allowed=0.05):
    """Return the distance from odometry beyond a distance and three sigma [m], and the episode."""
    off = []

    def note(simulator, navigator, decision) -> None:
        odometry, localization = simulator.odometry, navigator.localization
        sigma = localization.uncertainty(localization.drift.compose(odometry)[:2])
        off.append(math.dist(localization.drift.compose(odometry)[:2], odometry[:2])
                   - max(allowed, 3.0 * sigma))
    episode = drive(set_up(RunOptions(
        f'random:{kind}?seed={seed}', algorithm, seed=seed, time_allowance=300.0,
        settings=settings)), note)
    return max(off, default=0.0), episode


# Rows of posts rotate the map a little, by more than 5 cm at its end; in other worlds one of a
# hundred with 3 cm of noise does. The estimate then must say so.
@pytest.mark.parametrize('kind', STILL)
@settings(max_examples=3)
@given(lidar=LIDAR, noise=st.sampled_from([0.01, 0.03]), seed=st.integers(0, 10**6),
       algorithm=ALGORITHM)
def test_exact_odometry_is_kept(kind, lidar, noise, seed, algorithm):
    off, episode = excess(kind, seed, algorithm, {
        'lidar': lidar, **({'scan_noise': noise} if lidar == OWN else {})})
    assert off < 0.0 and episode.contacts == 0


# Taken for noise, it seemed to average out: the map turned by 10 degrees.
@pytest.mark.parametrize('seed, algorithm, lidar', [
    (2010, 'bug1', 'lds_01'), (265, 'bug1', 'lds_01'), (9259, 'bug2', OWN)])
def test_texture_of_rows_of_posts_moves_nothing(seed, algorithm, lidar):
    assert excess('posts', seed, algorithm, {'lidar': lidar}, 0.1)[0] < 0.0


# 2 cm led to 0.7, 0.3 and 0.2 m in the first three, and to false REACHED.
@pytest.mark.parametrize('kind, seed, algorithm, bias', [
    ('coils', 7, 'bug2', -0.02), ('combs', 3, 'bug2', 0.02), ('cells', 7598, 'tangent_bug', -0.02),
    ('cluttered', 5, 'bug2', 0.02), ('spirals', 6, 'bug1', 0.02)])
def test_lidar_that_measures_too_much_or_too_little_hardly_moves_the_robot(
        kind, seed, algorithm, bias):
    assert excess(kind, seed, algorithm, {'scan_bias': bias}, 0.1)[0] < 0.0


@pytest.mark.parametrize('error', [-0.02, 0.02])
def test_position_is_uncertain_where_lidar_and_odometry_disagree_on_distances(error):
    off, _ = excess('rooms', 4, 'tangent_bug', {'scan_scale_error': error}, 0.0)
    told = excess('rooms', 4, 'tangent_bug', {}, 0.0)[0]
    assert off < 0.15 and told < 0.02


@pytest.mark.parametrize('error, is_uncertain', [(0.0, False), (-0.02, True), (0.02, True)])
def test_uncertainty_of_a_goal_tells_that_lidar_and_odometry_disagree(error, is_uncertain):
    episode = drive(set_up(RunOptions('demo', 'bug2', seed=1, settings={
        'scan_scale_error': error})))
    assert episode.result.uncertainty == pytest.approx(0.04 if is_uncertain else 0.005, rel=0.5)
