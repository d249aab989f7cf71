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

"""Uptime clock of the node, and ages and rates of messages."""

from bug_nav.ros.node.arrivals import Arrivals, DISCOVERY_TIME, REJECTION_HOLD
from bug_nav.ros.node.uptime_clock import MAX_SIMULATED_STEP, MAX_STEP, RECOVERY_TIME, UptimeClock
import pytest
from rclpy.clock import ROSClock
from rclpy.time import Time

pytestmark = pytest.mark.ros


class Steady:
    """A steady clock that a test advances."""

    now = 100.0

    def __call__(self):
        return self.now


def set_to(clock, seconds):
    """Set a clock to simulated time, at ``seconds``."""
    clock._set_ros_time_is_active(True)
    clock.set_ros_time_override(
        Time(nanoseconds=int(seconds * 1e9), clock_type=clock.clock_type))


def pass_time(steady, uptime, seconds, step=0.1):
    for _ in range(round(seconds / step)):
        steady.now += step
        uptime.update()


def test_rate_is_a_mean_and_drops_to_zero_after_a_silence():
    steady = Steady()
    arrivals = Arrivals(steady)
    assert arrivals.rate == 0.0
    for _ in range(20):
        steady.now += 0.2
        arrivals.add(steady())
    assert arrivals.rate == pytest.approx(5.0)
    steady.now += 3.0
    assert arrivals.age == pytest.approx(3.0)
    assert arrivals.rate == 0.0


def test_first_message_is_missing_only_after_the_discovery_time():
    steady = Steady()
    arrivals = Arrivals(steady)
    steady.now += DISCOVERY_TIME + 0.5
    assert (arrivals.age, arrivals.missing) == (DISCOVERY_TIME + 0.5, 0.5)
    arrivals.add(steady())
    steady.now += 1.5
    assert (arrivals.age, arrivals.missing) == (1.5, 1.5)


@pytest.mark.parametrize('factor', [0.1, 10.0])
def test_uptime_follows_simulated_time_at_any_rate(factor):
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    uptime = UptimeClock(clock, steady)
    began = uptime()
    for i in range(1, 24):
        steady.now += 0.1
        set_to(clock, 10.0 + 0.1 * i * factor)
        uptime.update()
    assert uptime() - began == pytest.approx(2.3 * factor)


def test_start_pause_and_reset_of_a_simulation_do_not_advance_uptime():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 0.0)
    uptime = UptimeClock(clock, steady)
    began = uptime()
    for stamp in (0.0, 25.0, 25.0, 3.0):
        pass_time(steady, uptime, 3.0)
        set_to(clock, stamp)
        uptime.update()
        assert uptime() == began
    set_to(clock, 3.1)
    uptime.update()
    assert uptime() - began == pytest.approx(0.1)


def test_forward_jump_of_simulated_time_is_capped():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    uptime = UptimeClock(clock, steady)
    began = uptime()
    set_to(clock, 1e6)
    uptime.update()
    assert uptime() - began == MAX_SIMULATED_STEP


def test_switching_between_real_and_simulated_time_keeps_uptime():
    steady, clock = Steady(), ROSClock()
    uptime = UptimeClock(clock, steady)
    began = uptime()
    set_to(clock, 5000.0)
    uptime.update()
    assert uptime() == began
    clock._set_ros_time_is_active(False)
    uptime.update()
    assert uptime() == began


def test_suspension_of_the_process_is_capped_in_message_age():
    steady = Steady()
    uptime = UptimeClock(steady=steady)
    arrivals = Arrivals(uptime)
    arrivals.add(uptime())
    pass_time(steady, uptime, 0.4)
    assert arrivals.age == pytest.approx(0.4)
    steady.now += 30.0
    uptime.update()
    assert arrivals.age == pytest.approx(0.4 + MAX_STEP)
    pass_time(steady, uptime, 0.1)
    assert arrivals.age == pytest.approx(0.5 + MAX_STEP)


def test_simulated_time_that_passed_in_a_stall_is_capped():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    uptime = UptimeClock(clock, steady)
    began = uptime()
    steady.now += 3.0
    uptime.update()  # a timer fires before the clock message is processed
    steady.now += 0.5 * RECOVERY_TIME
    set_to(clock, 13.0)
    uptime.update()
    assert uptime() - began == MAX_STEP


def test_reading_does_not_advance_uptime():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    uptime = UptimeClock(clock, steady)
    arrivals = Arrivals(uptime)
    steady.now += 0.3
    set_to(clock, 10.5)
    assert (uptime(), uptime.real_time, arrivals.age) == (uptime(), uptime.real_time, arrivals.age)
    assert (uptime.real_time, arrivals.age) == (0.0, 0.0)
    uptime.update()
    assert (uptime.real_time, arrivals.age) == (pytest.approx(0.3), pytest.approx(0.5))


def test_occasional_rejected_message_does_not_increase_age():
    steady = Steady()
    arrivals = Arrivals(steady)
    for _ in range(5):
        for _ in range(20):
            steady.now += 0.05
            arrivals.add(steady())
        arrivals.reject('it is absurd', steady())
        assert arrivals.reason and arrivals.age == 0.0
    steady.now += REJECTION_HOLD + 0.01
    arrivals.add(steady())
    assert (arrivals.reason, arrivals.age) == ('', 0.0)


def test_topic_with_half_of_its_messages_rejected_counts_as_silent():
    steady = Steady()
    arrivals = Arrivals(steady)
    arrivals.add(steady())
    for _ in range(40):
        steady.now += 0.05
        arrivals.reject('it is absurd', steady())
        arrivals.add(steady())
    assert arrivals.reason == 'it is absurd'
    assert arrivals.age == pytest.approx(2.0)


def test_topic_with_only_rejected_messages_is_missing_at_once():
    steady = Steady()
    arrivals = Arrivals(steady)
    steady.now += 1.0
    arrivals.reject('it is absurd', steady())
    assert arrivals.missing == pytest.approx(1.0)


def test_withdrawn_reason_no_longer_hides_why_messages_are_missing():
    steady = Steady()
    arrivals = Arrivals(steady)
    arrivals.reject('its frame is missing', steady())
    arrivals.withdraw('the frame of another one is missing')
    assert arrivals.reason == 'its frame is missing'
    arrivals.withdraw('its frame is missing')
    assert arrivals.reason == ''
