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

import math
from types import SimpleNamespace

from bug_nav.navigation.algorithms import registry
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.dialect import Dialects
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Outcome, Scan
from bug_nav.ros.node import driver as driver_module
from bug_nav.ros.node.driver import Driver
from bug_nav.ros.node.frames import OldTransform
from bug_nav.ros.node.goal import Goal
from bug_nav.ros.node.settings import NodeSettings
from bug_nav_msgs.action import NavigateBug
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


OVERLONG, NORMAL, SUSPENDED = (2.0, False), (0.01, False), (2.0, True)


@pytest.mark.parametrize('ticks, ends', [
    ([OVERLONG, OVERLONG, NORMAL], True), ([OVERLONG, NORMAL, OVERLONG, NORMAL], False),
    ([OVERLONG, SUSPENDED, OVERLONG, NORMAL], False), ([SUSPENDED, SUSPENDED, NORMAL], False)])
def test_overlong_ticks_in_a_row_end_the_goal_unless_the_process_was_suspended(
        monkeypatch, ticks, ends):
    # A single one may be the machine's: it has waited for a disk.
    outcomes, stops, warnings = [], [], []
    watches = []
    monkeypatch.setattr(driver_module, 'Stopwatch', lambda: watches[-1])
    node = SimpleNamespace(get_logger=lambda: SimpleNamespace(warning=warnings.append))
    goal = SimpleNamespace(algorithm='bug2', navigator=None, handle=SimpleNamespace(
        is_cancel_requested=False))
    driver = Driver(node, 'odom', SimpleNamespace(), None,
                    SimpleNamespace(stop=lambda: stops.append(True)), lambda: 0.0, None,
                    lambda goal, result, stamp: outcomes.append(result.outcome))
    monkeypatch.setattr(Driver, 'stamp', 0.0)
    monkeypatch.setattr(driver, '_tick', lambda goal: None)
    driver.begin(goal)
    for i, (took, suspended) in enumerate(ticks):
        assert not outcomes
        watches.append(SimpleNamespace(time=took, own_time=took, was_suspended=False))
        driver.tick()
        watches[-1].was_suspended = suspended  # SIGCONT may be handled after the tick
        assert len(stops) == sum(each[0] > 1.0 for each in ticks[:i + 1]) + len(outcomes)
    assert outcomes == ([Outcome.INTERNAL] if ends else [])
    assert all('2.0 s' in each for each in warnings)
    assert len(warnings) == ticks[:-1].count(OVERLONG) - ends


class MovingFrames:
    """The robot at x = 1, 2, ... [m] in each look at its frame, which is old at first."""

    settled = True

    def __init__(self, looks_old=0):
        self.looks, self.looks_old = 0, looks_old

    def is_fixed(self, target, source):
        return source == target or (target, source) == ('base_link', 'camera') or source == 'map'

    def pose(self, target, source):
        if target == source:
            return IDENTITY
        self.looks += 1
        if self.looks <= self.looks_old:
            raise OldTransform('the transform is 0.2 s old')
        return Pose(float(self.looks), 0.0, math.pi / 2)


def driver_with(frames, shown, ends):
    sensors = SimpleNamespace(
        poses=[(0.0, IDENTITY, 0.0)], scans=[], poll=lambda: None, take_contact=bool,
        drop_stale=lambda timeout: None, frame_error='', tilt=SimpleNamespace(has_tipped=False),
        odom_arrivals=SimpleNamespace(count=1, missing=0.0),
        scan_arrivals=SimpleNamespace(count=1, missing=0.0), odom_frame='odom',
        base_frame='base_link', check=lambda model, settings: None)
    return Driver(None, 'odom', sensors, frames,
                  SimpleNamespace(stop=lambda: None, send=lambda twist: None), lambda: 0.0,
                  lambda goal, decision, stamp: shown.append((goal.target, goal.place)),
                  lambda goal, result, stamp: ends.append(result))


def goal_in(frame):
    request = NavigateBug.Goal()
    request.pose.header.frame_id, request.align_yaw = frame, True
    request.pose.pose.position.x, request.pose.pose.orientation.w = 2.0, 1.0
    handle = SimpleNamespace(request=request, is_cancel_requested=False)
    parameters = SimpleNamespace(read=lambda kind: kind(), node=NodeSettings(),
                                 algorithm=lambda name: registry.find(name)())
    return Goal(handle, parameters, 0.0, Dialects())


@pytest.mark.parametrize('frame', ['base_link', 'camera'])
def test_goal_in_a_frame_of_the_robot_does_not_move_with_it(monkeypatch, frame):
    # `send-goal 2 0 --frame base_link`: it was always 2 m ahead.
    monkeypatch.setattr(Driver, 'stamp', 0.0)
    shown, ends = [], []
    driver, goal = driver_with(MovingFrames(), shown, ends), goal_in(frame)
    driver.begin(goal)
    for _ in range(3):
        driver.tick()
    assert not ends and [place.position for _, place in shown] == 3 * [pytest.approx((1.0, 2.0))]
    assert goal.yaw == pytest.approx(math.pi / 2)


def test_old_transform_at_the_start_of_a_goal_is_waited_for(monkeypatch):
    monkeypatch.setattr(Driver, 'stamp', 0.0)
    shown, ends = [], []
    driver, goal = driver_with(MovingFrames(looks_old=2), shown, ends), goal_in('map')
    driver.begin(goal)
    for _ in range(3):
        driver.tick()
    assert not ends and goal.target is not None


def test_goal_in_a_map_without_stamps_is_transformed_at_every_tick(monkeypatch):
    # Transforms without a stamp look static: all frames seem to be fixed to each other.
    monkeypatch.setattr(Driver, 'stamp', 0.0)
    shown, ends = [], []
    driver, goal = driver_with(MovingFrames(), shown, ends), goal_in('map')
    driver.begin(goal)
    for _ in range(3):
        driver.tick()
    assert not ends and goal.frame == 'map'
    assert [target.position for target, _ in shown] == [
        pytest.approx((x, 2.0)) for x in (1.0, 2.0, 3.0)]
