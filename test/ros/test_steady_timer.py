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

"""Timer outside the executor, and the events handled between its ticks."""

import time

from bug_nav.cli.ros_domain import reserved_domain
from bug_nav.ros.node import steady_timer as pacing
from bug_nav.ros.node.steady_timer import MAX_WAIT, spin_ready, SteadyTimer
from bug_nav.ros.node.watchdog import IDLE_PERIOD
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

pytestmark = pytest.mark.ros
PERIOD = 0.02


class Clock:
    """A clock that only sleep advances."""

    def __init__(self):
        self.now, self.slept = 100.0, []

    def monotonic(self):
        return self.now

    def sleep(self, duration):
        self.slept.append(duration)
        self.now += duration


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pacing, 'time', clock)
    return clock


@pytest.fixture
def spun():
    """Return a node and its own executor."""
    context = Context()
    with reserved_domain() as domain:
        rclpy.init(context=context, domain_id=domain)
        node = rclpy.create_node('spun', context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        yield node, executor
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def waits(executor, monkeypatch):
    """Return the list to which each check of the nodes' entities is appended."""
    found, get_nodes = [], executor.get_nodes
    monkeypatch.setattr(executor, 'get_nodes', lambda: found.append(1) or get_nodes())
    return found


def test_call_rate_does_not_depend_on_the_duration_of_calls(clock):
    calls = []

    def call():
        calls.append(clock.now)
        clock.now += 0.3 * PERIOD
    timer = SteadyTimer(PERIOD, call)
    assert not timer.is_running
    timer.reset()
    for _ in range(4):
        timer.wait()
    assert calls == pytest.approx([100.0 + k * PERIOD for k in (1, 2, 3, 4)])


def test_missed_calls_are_not_repeated(clock):
    calls = []
    timer = SteadyTimer(PERIOD, lambda: calls.append(clock.now))
    timer.reset()
    clock.now += 5.5 * PERIOD
    timer.wait()
    timer.wait()
    assert calls == pytest.approx([100.0 + k * PERIOD for k in (5.5, 6)])


def test_wait_for_a_slow_tick_is_bounded(clock):
    calls = []
    timer = SteadyTimer(1.0, lambda: calls.append(clock.now))
    timer.reset()
    timer.wait()
    assert clock.slept == [MAX_WAIT] and not calls


def test_timer_cancelled_by_its_callback_stops(clock):
    calls = []
    timer = SteadyTimer(PERIOD, lambda: (calls.append(1), timer.cancel()))
    timer.reset()
    timer.wait()
    timer.wait()
    assert calls == [1] and not timer.is_running and not timer.is_due


def test_idle_node_is_checked_once_per_tick(spun, monkeypatch):
    _, executor = spun
    spin_ready(executor, lambda: False)
    checks = waits(executor, monkeypatch)
    spin_ready(executor, lambda: False)
    assert len(checks) == 1


def test_ready_entities_and_their_successors_are_handled(spun):
    node, executor = spun
    called = []
    last = node.create_guard_condition(lambda: called.append('last'))
    for name in 'ab':
        node.create_timer(0.01, lambda name=name: called.append(name) or last.trigger())
    time.sleep(0.015)
    spin_ready(executor, lambda: False)
    assert set(called) == {'a', 'b', 'last'}


def test_flood_of_events_does_not_delay_a_tick(spun):
    node, executor = spun
    called = []

    def call():
        called.append(1)
        again.trigger()
    again = node.create_guard_condition(call)
    again.trigger()
    spin_ready(executor, lambda: len(called) == 3)
    assert len(called) == 3
    spin_ready(executor, lambda: True)
    assert len(called) == 4


def test_exception_of_a_callback_is_raised(spun):
    node, executor = spun
    node.create_timer(1e-3, lambda: 1 / 0)
    time.sleep(0.01)
    with pytest.raises(ZeroDivisionError):
        spin_ready(executor, lambda: False)


def test_idle_node_waits_longer_than_the_watchdog_period():
    from bug_nav.ros.node.main import SPIN_TIMEOUT
    assert SPIN_TIMEOUT > IDLE_PERIOD
