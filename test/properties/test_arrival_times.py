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
"""With any timing of the data, there are no contacts and no false verdicts."""

import math

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.sensor_queue import SensorQueue
from bug_nav.navigation.types import Outcome
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.latency import TimingModel
from bug_nav.simulation.sensors import LidarModel
from hypothesis import given, HealthCheck, Phase, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from subsets import subset, WHOLE

MAY_END = {Outcome.SCAN_STALE, Outcome.ODOM_STALE, Outcome.TIME_JUMPED, Outcome.ODOM_JUMPED,
           Outcome.ODOM_CONTRADICTORY, Outcome.UNDECIDED, Outcome.BLOCKED, Outcome.TIMEOUT}
"""Allowed outcomes if the data do not permit the goal to be reached."""


def with_queue(kind):
    """Return a navigator with another sensor queue."""
    class Fed(Navigator):

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.queue = kind()
    return Fed


def faulty(doubled: float, stuck: float, steps: tuple, seed: int):
    """Return a navigator with duplicate messages, repeated stamps, and clock steps."""
    rng = np.random.default_rng(seed)

    class Faulty(SensorQueue):
        # Of each topic: with the stamp of the other, clock skew would vary from scan to scan.
        last = {}

        def _stamp(self, topic, stamp, at):
            stamp += sum(by for when, by in steps if at >= when)
            if topic in self.last and rng.random() < stuck:
                return self.last[topic]
            self.last[topic] = stamp
            return stamp

        def add_pose(self, stamp, pose, at=None):
            stamp = self._stamp('odometry', stamp, at)
            for _ in range(1 + (rng.random() < doubled)):
                super().add_pose(stamp, pose, at)

        def add_scan(self, scan, at=None):
            scan = scan._replace(stamp=self._stamp('scan', scan.stamp, at))
            for _ in range(1 + (rng.random() < doubled)):
                super().add_scan(scan, at)
    return with_queue(Faulty)


def drive(name, world, timing, scans, seed, sweep=0.0, **faults):
    world = find_world(world)
    kind = faulty(faults.get('doubled', 0.0), faults.get('stuck', 0.0), faults.get('steps', ()),
                  seed) if faults else Navigator
    period = max(1.0 / scans, 0.02)
    return run_episode(
        world, Pose(*world.start), world.goal, find(name)(), seed=seed, timing=timing,
        lidar=LidarModel(scan_publish_dur=period, scan_sweep_time=min(sweep, period)),
        keep_samples=False, navigator_type=kind, time_allowance=900.0)


@pytest.mark.parametrize('odometry, scans', subset([
    (10.0, 10.05), (20.0, 19.9), (20.0, 40.0), (10.0, 10.0), (10.0, 20.0), (5.0, 10.0),
    (200.0, 7.4)], 3))
def test_goal_is_reached_with_unrelated_scan_and_odometry_rates(odometry, scans):
    episode = drive('bug2', 'demo', TimingModel(odometry_rate=odometry), scans, 1)
    assert episode.outcome == 'reached' and episode.contacts == 0


@pytest.mark.parametrize('skew, outcome', subset([
    (0.25, 'reached'), (0.19, 'reached'), (0.15, 'reached'), (0.5, 'scan_stale'),
    (-0.25, 'reached'), (5.0, 'scan_stale'), (-2.0, 'scan_stale'), (-5.0, 'scan_stale')], 3))
def test_stamp_skew_is_tolerated_or_ends_the_goal_as_stale(skew, outcome):
    episode = drive('bug2', 'demo', TimingModel(odometry_rate=20.0, scan_skew=skew), 5.0, 1)
    assert episode.outcome == outcome and episode.contacts == 0
    if outcome == 'scan_stale':
        assert episode.time < 3.0
        assert 'synchronize the clocks' in episode.result.message


@pytest.mark.parametrize('skew', subset([0.1, -0.1, 0.2, -0.2, 0.3, -0.3], 2))
def test_constant_skew_is_measured_and_compensated(skew):
    navigators = []

    class Watched(Navigator):

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            navigators.append(self)
    world = find_world('box')
    episode = run_episode(world, Pose(*world.start), world.goal, find('bug1')(), seed=1,
                          timing=TimingModel(scan_skew=skew), navigator_type=Watched)
    (navigator,) = navigators
    assert navigator.queue.compensated == pytest.approx(skew, abs=0.03)
    assert abs(navigator.queue.remaining_skew) < 0.03
    assert episode.outcome == 'reached' and episode.goal_error < 0.2
    assert episode.time < 150.0  # at full speed most of the time; 220 s without


@pytest.mark.parametrize('by', [0.25, 0.5, 2.0, -0.25, -2.0])
def test_clock_step_of_the_lidar_causes_no_contact(by):
    class Skewed(SensorQueue):

        def add_scan(self, scan, at=None):
            super().add_scan(scan._replace(stamp=scan.stamp + (by if at > 5.0 else 0.0)), at)
    world = find_world('demo')
    episode = run_episode(world, Pose(*world.start), world.goal, find('bug2')(), seed=1,
                          timing=TimingModel(odometry_rate=20.0),
                          navigator_type=with_queue(Skewed))
    assert episode.contacts == 0
    assert episode.outcome == ('reached' if abs(by) < 0.3 else 'scan_stale')


def test_goal_is_reached_with_the_timing_of_a_real_turtlebot4():
    # As recorded: scans of 0.135 s at 7.4 Hz, and odometry with a median delay of 64 ms.
    timing = TimingModel(odometry_rate=20.0, odometry_delay=0.03, odometry_jitter=0.1)
    episode = drive('bug2', 'demo', timing, 7.4, 1, sweep=0.135)
    assert episode.outcome == 'reached' and episode.contacts == 0


rates = st.floats(math.log(5.0), math.log(200.0)).map(math.exp)
late = st.one_of(st.just(0.0), st.floats(0.0, 0.3))
shares = st.one_of(st.just(0.0), st.floats(0.0, 0.3))


@settings(max_examples=15 if WHOLE else 5, deadline=None, phases=(Phase.explicit, Phase.generate),
          suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([('bug1', 'box'), ('bug2', 'demo'), ('tangent_bug', 'box'),
                        ('bug2', 'ring_goal'), ('dist_bug', 'u_trap')]),
       rates, st.floats(math.log(2.0), math.log(40.0)).map(math.exp), late, late, late, late,
       shares, shares, shares, shares, st.floats(0.0, 0.2), st.integers(0, 10**6),
       st.lists(st.tuples(st.floats(1.0, 40.0), st.floats(-20.0, 20.0)), max_size=2))
def test_no_timing_causes_a_contact_or_a_false_verdict(
        case, odometry, scans, late_odometry, late_scans, jitter, scan_jitter, drop, scan_drop,
        doubled, stuck, sweep, seed, steps):
    timing = TimingModel(
        odometry_rate=odometry, odometry_delay=late_odometry,
        odometry_jitter=min(jitter, 0.3 - late_odometry), odometry_drop=drop,
        scan_delay=late_scans, scan_jitter=min(scan_jitter, 0.3 - late_scans),
        scan_drop=scan_drop)
    name, world = case
    episode = drive(name, world, timing, scans, seed, sweep, doubled=doubled, stuck=stuck,
                    steps=tuple(steps))
    assert episode.contacts == 0
    right = Outcome.UNREACHABLE if world == 'ring_goal' else Outcome.REACHED
    assert episode.result.outcome in MAY_END | {right}
    # No data are lost for long, and no clock has been stepped.
    if not steps and drop < 0.2 and scan_drop < 0.2 and stuck == 0.0 and (
            odometry > 10.0 and scans > 4.0):
        assert episode.result.outcome is right
