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

"""Tests of the correction of odometry drift by scan matching."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.perception.scan_matching import (
    _contradicts,
    _inherit,
    _store,
    _transform,
    _update,
    _write_relative,
    inherit,
    KEYFRAME,
    MATCHING_STATE,
    MIN_CONTRADICTING,
    propagate,
)
from bug_nav.navigation.perception.surfels import SURFEL
from bug_nav.navigation.types import Scan, Twist
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np
import pytest

FAULTS = {'one wheel 1 %': {'odometry_bias': 0.01}, 'one wheel 3 %': {'odometry_bias': 0.03},
          'noise 10 %': {'odometry_noise': 0.1}, 'slip 5 %': {'odometry_slip': 0.05},
          'axle 5 %': {'axle_error': 0.05}, 'gyro': {'odometry_gyro_drift': math.radians(1.0)}}
FIELD = World('field', (np.array([(90.0, 0.0), (91.0, 0.0), (91.0, 1.0)]),))


def loop(world, odometry=OdometryModel(), laps=2, lidar=LidarModel(), seed=1, start=None):
    """
    Drive in circles; return the true, matched and odometry poses, and the matcher.

    The circles have a radius of 0.3 m.
    """
    simulator = Simulator(world, start or Pose(*world.start), lidar=lidar, seed=seed,
                          odometry=odometry)
    matcher = Localization(True, 0.124)
    first = simulator.odometry
    true, found, said = [], [], []
    for _ in range(int(laps * 2.0 * math.pi * 0.3 / 0.2 / 0.2)):
        found.append(matcher.localize(simulator.scan(), simulator.odometry))
        true.append(simulator.pose)
        said.append(simulator.odometry)
        for _ in range(4):
            simulator.step(Twist(0.2, 0.2 / 0.3), 0.05)
    assert first == said[0]
    return true, found, said, matcher


def counts(matcher):
    """Return the numbers of scans that have corrected the drift, and of those that did not fit."""
    return matcher._states['matched'].item(), matcher._states['unmatched'].item()


def off(one, other):
    return math.dist(one.position, other.position)


@pytest.mark.parametrize('fault', FAULTS.values(), ids=FAULTS)
def test_odometry_drift_is_corrected(fault):
    true, found, said, matcher = loop(
        find_world('maze'), OdometryModel('encoders', **fault), laps=8)
    assert off(true[-1], found[-1]) < 0.03
    assert off(true[-1], found[-1]) < 0.5 * off(true[-1], said[-1])
    # A scan that contradicts odometry is not believed before the next one does so too.
    assert counts(matcher)[1] < 0.02 * len(true)


def test_perfect_odometry_is_not_changed():
    true, found, _, matcher = loop(find_world('maze'), laps=8)
    assert max(map(off, true, found)) < 0.01
    assert matcher.uncertainty(true[-1].position) < 0.01


@pytest.mark.parametrize('bias', [-0.02, 0.01, 0.02])
def test_error_of_all_ranges_is_found_and_moves_nothing(bias):
    true, found, _, matcher = loop(find_world('maze'), laps=8, lidar=LidarModel(scan_bias=bias))
    assert matcher._states['bias'].item() == pytest.approx(bias, abs=0.003)
    assert max(map(off, true, found)) < 0.02


def test_pose_without_observations_is_that_of_odometry_with_its_uncertainty():
    true, found, said, matcher = loop(FIELD, OdometryModel('encoders', odometry_bias=0.01),
                                      start=Pose(0.0, 0.0, 0.0))
    assert max(map(off, found, said)) < 1e-12
    near = matcher.uncertainty(found[-1].position)
    far = matcher.uncertainty((found[-1].x + 20.0, found[-1].y))
    assert 0.0 < near < far


def test_odometry_that_contradicts_the_walls_is_corrected_at_the_second_scan():
    world = find_world('maze')
    simulator, matcher = Simulator(world, Pose(*world.start), seed=1), Localization(True, 0.124)
    for k in range(80):
        x, y, theta = simulator.odometry
        # After learning that odometry is good, it is off by 9 cm from one scan to the next.
        odometry = Pose(x + 0.08, y - 0.05, theta + 0.03) if k > 60 else simulator.odometry
        found = matcher.localize(simulator.scan(), odometry)
        assert off(found, simulator.pose) < (0.1 if k == 61 else 0.02)
        for _ in range(4):
            simulator.step(Twist(0.2, 0.2 / 0.3), 0.05)
    assert counts(matcher) == (78, 1)


@pytest.mark.parametrize('component', range(3))
@pytest.mark.parametrize('by, matched, contradicts', [
    (0.06, MIN_CONTRADICTING, True), (0.04, MIN_CONTRADICTING, False),
    (0.06, MIN_CONTRADICTING - 1, False)])
def test_match_contradicts_odometry_beyond_five_standard_deviations(component, by, matched,
                                                                    contradicts):
    # The match reduces the variance from (1.25 cm)^2 to (0.75 cm)^2: its correction has 1 cm.
    before, after = np.diag([0.0125 ** 2] * 3), np.diag([0.0075 ** 2] * 3)
    guess, pose = (1.0, 2.0, 0.5), [1.0, 2.0, 0.5]
    pose[component] += by
    assert _contradicts(guess, tuple(pose), before, after, np.zeros((3, 3)), matched
                        ) == contradicts
    # What the scans of a place share does not contradict.
    assert not _contradicts(guess, tuple(pose), before, after, np.diag([0.01 ** 2] * 3), matched)


def test_scan_without_readings_corrects_nothing():
    matcher = Localization(True, 0.124)
    simulator = Simulator(find_world('maze'), Pose(*find_world('maze').start), seed=1)
    for _ in range(3):
        matcher.localize(simulator.scan(), simulator.odometry)
    drift, (matched, _) = matcher.drift, counts(matcher)
    other = Simulator(find_world('ring_start'), Pose(*find_world('ring_start').start), seed=1)
    matcher.localize(other.scan()._replace(ranges=np.full(360, math.nan)), simulator.odometry)
    assert counts(matcher) == (matched, 1)
    assert matcher.drift == pytest.approx(drift)


def test_uncertainty_grows_along_a_corridor_and_not_across():
    corridor = World('corridor', (np.array([(-20, -1), (20, -1), (20, -1.1), (-20, -1.1)]),
                                  np.array([(-20, 1.1), (20, 1.1), (20, 1), (-20, 1)])))
    simulator = Simulator(corridor, Pose(-8.0, 0.0, 0.0), seed=3,
                          odometry=OdometryModel('encoders', odometry_noise=0.05))
    matcher = Localization(True, 0.124)
    for _ in range(200):
        matcher.localize(simulator.scan(), simulator.odometry)
        for _ in range(4):
            simulator.step(Twist(0.2, 0.0), 0.05)
    along, across = np.sqrt(np.diag(matcher._states['covariance'][0]))[:2]
    assert along > 3.0 * across


@pytest.mark.parametrize('heading, open_axis', [(0.0, 0), (0.5 * math.pi, 1)])
def test_old_walls_in_view_again_leave_the_uncertainty_along_them(heading, open_axis):
    corner = [(-20, -1), (20, -1), (20, -1.1), (-20, -1.1)]
    corridor = World('corridor', tuple(
        np.array([Pose(0.0, 0.0, heading).apply((x, y + up)) for x, y in corner])
        for up in (0.0, 2.1)))
    simulator, matcher = Simulator(corridor, Pose(0.0, 0.0, heading)), Localization(True, 0.124)
    matcher.localize(simulator.scan(), simulator.odometry)
    # It comes back from walls that were less known than these.
    matcher._states['inherited'] = np.diag((0.04, 0.04, 0.01))
    for _ in range(3):
        matcher.localize(simulator.scan(), simulator.odometry)
    sigmas = np.sqrt(np.diag(matcher.covariance))
    assert sigmas[1 - open_axis] < sigmas[open_axis] == pytest.approx(0.2, rel=0.05)


def test_uncertainty_of_a_stationary_robot_does_not_grow():
    world = find_world('maze')
    simulator = Simulator(world, Pose(*world.start), seed=4)
    matcher = Localization(True, 0.124)
    for _ in range(500):
        matcher.localize(simulator.scan(), simulator.odometry)
    assert matcher.uncertainty(simulator.pose.position) < 0.005
    assert off(IDENTITY, matcher.drift) < 0.005


def test_tables_of_keyframes_and_surfels_grow(monkeypatch):
    monkeypatch.setattr('bug_nav.navigation.perception.localization.ROWS', 400)
    true, found, _, matcher = loop(find_world('maze'), laps=4)
    assert max(map(off, true, found)) < 0.01


def test_scan_with_few_beams_is_accepted():
    matcher = Localization(True)
    scan = Scan(0.0, np.array([1.0, 1.0]), 0.0, 0.5, 0.12, 3.5)
    assert matcher.localize(scan, IDENTITY) == IDENTITY
    assert matcher.localize(scan, Pose(0.1, 0.0, 0.0)) == Pose(0.1, 0.0, 0.0)


def test_pose_inherits_the_covariance_of_the_keyframes_that_saw_its_walls():
    surfels = np.zeros(2, SURFEL)
    surfels['first_keyframe'][1] = 1
    # Two keyframes, 2 m apart along x: the heading of the second is off by 0.1 rad.
    keyframes = np.zeros(2, KEYFRAME)
    keyframes['x'][1] = 2.0
    keyframes['covariance'] = np.diag((0.01, 0.01, 0.0)), np.diag((0.01, 0.01, 0.01))
    keyframes['unit'][:, 1] = keyframes['covariance']
    both, units, derivative = np.empty((3, 3)), np.empty((2, 3, 3)), np.empty((3, 5))
    inherit(both, units, derivative, surfels, keyframes, np.array([0, -1, 1]), (5.0, 0.0, 0.0))
    assert both[0, 0] == pytest.approx(0.01)
    assert both[1, 1] == pytest.approx(0.01 + 0.5 * 3.0 ** 2 * 0.01)
    assert both[1, 2] == both[2, 1] == pytest.approx(0.5 * 3.0 * 0.01)
    assert np.array_equal(units[1], both) and not units[0].any()
    inherit(both, units, derivative, surfels, keyframes, np.array([-1]), (5.0, 0.0, 0.0))
    assert not both.any() and not derivative.any()


# ---- covariances, against matrices ------------------------------------------------------------

def covariance_of(seed, size=3):
    """Return a covariance (size, size) with correlations."""
    root = np.random.default_rng(seed).normal(size=(size, size))
    return root @ root.T


def jacobian(dx, dy):
    """Return the change of a pose dx, dy [m] away with that of a pose."""
    return np.array([[1.0, 0.0, -dy], [0.0, 1.0, dx], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize('seed, dx, dy', [(1, 0.7, -0.3), (2, -1.5, 2.0), (3, 0.0, 0.4)])
def test_step_propagates_a_covariance_as_its_jacobian_does(seed, dx, dy):
    before = covariance_of(seed)
    after = before.copy()
    propagate(after, dx, dy, 0.03, 0.02)
    turn = jacobian(dx, dy)
    assert after == pytest.approx(turn @ before @ turn.T + np.diag([0.03, 0.03, 0.02]))


@pytest.mark.parametrize('seed', [1, 2])
def test_pose_inherits_the_mean_covariance_of_its_walls(seed):
    views = [(0.5, -1.0, covariance_of(seed)), (-2.0, 0.4, covariance_of(seed + 5))]
    keyframes, surfels = np.zeros(2, KEYFRAME), np.zeros(3, SURFEL)
    for keyframe, (x, y, c) in zip(keyframes, views):
        keyframe['x'], keyframe['y'], keyframe['covariance'] = x, y, c
        keyframe['derivative'] = np.random.default_rng(seed).normal(size=(3, 5))
    surfels['first_keyframe'] = 0, 1, 1
    pose, inherited, derivative = (1.0, 2.0, 0.3), np.zeros((3, 3)), np.zeros((3, 5))
    units = np.zeros((2, 3, 3))
    inherit(inherited, units, derivative, surfels, keyframes, np.array([0, -1, 1, 2]), pose)
    turns = [jacobian(pose[0] - x, pose[1] - y) for x, y, _ in views]
    one, other = (turn @ c @ turn.T for turn, (_, _, c) in zip(turns, views))
    assert inherited == pytest.approx((one + 2.0 * other) / 3.0)
    one, other = (turn @ keyframe['derivative'] for turn, keyframe in zip(turns, keyframes))
    assert derivative == pytest.approx((one + 2.0 * other) / 3.0)


def test_keyframe_stores_the_covariance_without_the_error_that_all_surfels_share():
    states = np.zeros(1, MATCHING_STATE).view(np.recarray)
    state, keyframes = states[0], np.zeros(4, KEYFRAME)
    parts = [covariance_of(seed) for seed in (1, 2, 3)]
    state['beyond'], state['inherited'], state['initial_covariance'] = parts
    units = [np.stack([covariance_of(seed), covariance_of(seed + 1)]) for seed in (11, 13)]
    state['unit'], state['inherited_unit'] = units
    state['error']['expected'], state['error']['judged'] = (2.0, 0.7), 9
    state['error']['noise'] = 1.5, 0.2
    derivatives = [np.random.default_rng(seed).normal(size=(3, 5)) for seed in (4, 5)]
    state['derivative'], state['inherited_derivative'] = derivatives
    systematic, spread = np.array((0.02, -0.1, 0.05, 0.1)), covariance_of(6, 4)
    state['error']['systematic'], state['error']['spread'] = systematic, spread
    seen = np.zeros(1, SURFEL)
    seen['x'], seen['nx'] = 1.0, -1.0
    _store(state, np.zeros(8, SURFEL), np.full(16, -1), keyframes, seen, np.array([-1]),
           (0.2, -0.1, 0.2), (0.3, -0.2, 0.1))
    assert (keyframes['x'][0], keyframes['y'][0]) == (0.3, -0.2)
    assert keyframes['covariance'][0] == pytest.approx(parts[0] + parts[1])
    assert keyframes['unit'][0] == pytest.approx(sum(units))
    total = sum(derivatives)
    assert keyframes['derivative'][0] == pytest.approx(total)
    # What is known by now of the errors at the time of the keyframes still counts as one.
    by, off = total[:, :4], total[:, :4] @ systematic - total[:, 4]
    assert state['covariance'] == pytest.approx(
        parts[0] + parts[1] + 2.0 * parts[2] + 0.5 * (sum(units)[0] + sum(units)[1])
        + by @ spread @ by.T + np.outer(off, off))
    assert (state['surfels'], state['keyframes']) == (1, 1)


def test_pose_has_no_error_relative_to_the_walls_that_it_has_just_stored():
    states = np.zeros(1, MATCHING_STATE).view(np.recarray)
    state, keyframes, surfels = states[0], np.zeros(4, KEYFRAME), np.zeros(8, SURFEL)
    random = np.random.default_rng(1)
    own, inherited = random.normal(size=(2, 3, 5))
    state['derivative'], state['inherited_derivative'] = own, inherited
    state['beyond'], state['inherited'] = covariance_of(2), covariance_of(3)
    both = state['beyond'] + state['inherited']
    seen, pose = np.zeros(1, SURFEL), (0.3, -0.2, 0.1)
    seen['x'], seen['nx'] = 1.0, -1.0
    _store(state, surfels, np.full(16, -1), keyframes, seen, np.array([-1]), pose, pose)
    _inherit(state, surfels, keyframes, np.array([0]), pose)
    assert state['derivative'] == pytest.approx(np.zeros((3, 5)))
    assert state['inherited_derivative'] == pytest.approx(own + inherited)
    assert state['beyond'] == pytest.approx(np.zeros((3, 3)))
    assert state['inherited'] == pytest.approx(both)


@pytest.mark.parametrize('seed', range(50))
def test_covariance_stays_positive_after_a_match_with_other_walls(seed):
    generator = np.random.default_rng(seed)
    # Some directions are known much better than others.
    random, inherited, walls, of_match = (
        root @ root.T for root in generator.normal(size=(4, 3, 3))
        * 10.0 ** generator.uniform(-2.0, 0.5, (4, 1, 3)))
    states, keyframes = np.zeros(1, MATCHING_STATE).view(np.recarray), np.zeros(1, KEYFRAME)
    state, left = states[0], np.empty((3, 3))
    state['beyond'], state['inherited'], keyframes['covariance'][0] = random, inherited, walls
    _inherit(state, np.zeros(1, SURFEL), keyframes, np.array([0]), (0.0, 0.0, 0.0))
    _update(random, np.linalg.inv(of_match), left)
    _transform(state['beyond'], left)
    _write_relative(state, random)
    assert np.linalg.eigvalsh(state['beyond'] + state['inherited'])[0] > 0.0


def test_new_start_keeps_the_uncertainty_but_no_estimate():
    matcher = Localization(True)
    state = matcher._states[0]
    own, inherited = np.random.default_rng(1).normal(size=(2, 3, 5))
    state['derivative'], state['inherited_derivative'] = own, inherited
    state['error']['systematic'], state['error']['skew'] = (0.1, 0.1, 0.1, 0.2), 0.2
    matcher.forget_distorted(Pose(0.1, 0.2, 0.3))
    assert state['inherited_derivative'][:, :4] == pytest.approx((own + inherited)[:, :4])
    assert not state['inherited_derivative'][:, 4].any() and not state['derivative'].any()
    assert not state['error']['systematic'].any() and not state['error']['skew']
    assert matcher.skew == 0.0 and not matcher.knows_skew


@pytest.mark.parametrize('place', [(3.0, 1.0), (-1.0, 4.0), (0.5, -2.0)])
def test_uncertainty_of_a_place_is_that_of_the_pose_with_its_lever(place):
    matcher, covariance = Localization(True), covariance_of(4)
    matcher._states['covariance'][0], matcher._states['pose'][0] = covariance, (0.5, -1.0, 0.7)
    turn = jacobian(place[0] - 0.5, place[1] + 1.0)
    variances = np.linalg.eigvalsh((turn @ covariance @ turn.T)[:2, :2])
    assert matcher.uncertainty(place) == pytest.approx(math.sqrt(variances.max()))
