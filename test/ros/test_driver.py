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

"""Inputs of the navigator from the control loop."""

from types import SimpleNamespace

from bug_nav.navigation.algorithms import registry
from bug_nav.navigation.geometry import IDENTITY
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Outcome, Scan
from bug_nav.ros.node import driver as driver_module
from bug_nav.ros.node.driver import Driver
import numpy as np
import pytest

pytestmark = pytest.mark.ros


def scan_of(stamp):
    return Scan(stamp, np.full(360, 1.0), 0.0, 0.0175, 0.12, 3.5)


def test_buffered_data_from_before_the_goal_are_usable():
    poses = [(0.05 * i, IDENTITY, 100.0 + 0.05 * i) for i in range(41)]
    scans = [(scan_of(0.2 * i), 100.0 + 0.2 * i) for i in range(11)]
    sensors = SimpleNamespace(poses=poses, scans=scans[-8:], poll=lambda: None, take_contact=bool,
                              drop_stale=lambda timeout: None)
    navigator = Navigator(registry.find('bug2')())
    Driver(None, 'odom', sensors, None, None, lambda: 0.0, None, None).begin(
        SimpleNamespace(navigator=navigator, settings=Settings()))
    assert abs(navigator.queue.skew) < 0.01
    assert not navigator.queue.dropped
    assert len(list(navigator.queue.ready(102.0))) == 8


@pytest.mark.parametrize('allowance, outcomes', [
    (0.0, []), (3.0, []), (2.0, [Outcome.TIMEOUT])])
def test_time_of_a_goal_that_was_never_driven_counts_from_its_acceptance(
        monkeypatch, allowance, outcomes):
    uptime, ends = [100.0], []
    sensors = SimpleNamespace(
        poses=[], scans=[], poll=lambda: None, take_contact=bool, drop_stale=lambda timeout: None,
        frame_error='', tilt=None,
        odom_arrivals=SimpleNamespace(count=0, missing=0.0, age=0.0, reason=''))
    goal = SimpleNamespace(
        navigator=Navigator(registry.find('bug2')()), settings=Settings(), algorithm='bug2',
        time_allowance=allowance, handle=SimpleNamespace(is_cancel_requested=False))
    driver = Driver(None, 'odom', sensors, None, SimpleNamespace(stop=lambda: None),
                    lambda: uptime[0], lambda *shown: None,
                    lambda goal, result, stamp: ends.append(result.outcome))
    monkeypatch.setattr(Driver, 'stamp', 0.0)  # the clock does not run yet
    driver.begin(goal)
    driver.tick()
    assert not ends
    uptime[0] += 2.5
    driver.tick()
    assert ends == outcomes


@pytest.mark.parametrize('suspended', [False, True])
def test_overlong_tick_ends_the_goal_unless_the_process_was_suspended(monkeypatch, suspended):
    # SIGCONT may be handled in another thread, after the tick.
    outcomes, stops = [], []
    watch = SimpleNamespace(time=2.0, own_time=2.0, was_suspended=False)
    monkeypatch.setattr(driver_module, 'Stopwatch', lambda: watch)
    goal = SimpleNamespace(algorithm='bug2', navigator=None, handle=SimpleNamespace(
        is_cancel_requested=False))
    driver = Driver(None, 'odom', SimpleNamespace(), None,
                    SimpleNamespace(stop=lambda: stops.append(True)), lambda: 0.0, None,
                    lambda goal, result, stamp: outcomes.append(result.outcome))
    monkeypatch.setattr(Driver, 'stamp', 0.0)
    monkeypatch.setattr(driver, '_tick', lambda goal: None)
    driver.begin(goal)
    driver.tick()
    assert stops and not outcomes
    watch.was_suspended = suspended
    driver.tick()
    assert outcomes == ([] if suspended else [Outcome.INTERNAL])
