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

"""Wake-up period of the watchdog."""

from types import SimpleNamespace

from bug_nav.cli.ros_domain import reserved_domain
from bug_nav.ros.node.uptime_clock import UptimeClock
from bug_nav.ros.node.watchdog import IDLE_PERIOD, PERIOD, Watchdog
import pytest
import rclpy
from rclpy.context import Context

pytestmark = pytest.mark.ros


@pytest.fixture
def node():
    context = Context()
    with reserved_domain() as domain:
        rclpy.init(context=context, domain_id=domain)
        node = rclpy.create_node('watched', context=context)
        yield node
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def test_ticks_postpone_the_check_and_a_goal_shortens_its_period(node):
    driver = SimpleNamespace(goal=None, stamp=0.0)
    watchdog = Watchdog(node, driver, SimpleNamespace(poll=lambda: None, poses=[]),
                        SimpleNamespace(beat=lambda: None, stop_once_connected=lambda: None),
                        UptimeClock())
    (timer,) = node.timers
    assert timer.timer_period_ns == pytest.approx(IDLE_PERIOD * 1e9)
    driver.goal = SimpleNamespace()
    due = timer.time_until_next_call()
    watchdog.postpone()
    assert timer.timer_period_ns == pytest.approx(PERIOD * 1e9)
    assert timer.time_until_next_call() < due  # a whole period from now, of the shorter ones
    due = timer.time_until_next_call()
    while timer.time_until_next_call() > due / 2:
        pass
    watchdog.postpone()
    assert timer.time_until_next_call() > 0.9 * due
    driver.goal = None
    watchdog.check()
    assert timer.timer_period_ns == pytest.approx(IDLE_PERIOD * 1e9)
    watchdog.close()
