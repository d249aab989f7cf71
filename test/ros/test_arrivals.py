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

"""The one notion of time of the node, and the ages of messages in it."""

from bug_nav.ros.node.arrivals import Arrivals, DISCOVERY, RELAPSE
from bug_nav.ros.node.running_time import LEAP, RECOVERY, RunningTime, STALL
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
    """Have a clock be simulated, and show this time."""
    clock._set_ros_time_is_active(True)
    clock.set_ros_time_override(
        Time(nanoseconds=int(seconds * 1e9), clock_type=clock.clock_type))


def pass_time(steady, running, seconds, step=0.1):
    for _ in range(round(seconds / step)):
        steady.now += step
        running.look()


def test_age_is_steady_and_rate_is_a_mean():
    steady = Steady()
    arrivals = Arrivals(steady)
    assert arrivals.rate == 0.0
    for _ in range(20):
        steady.now += 0.2
        arrivals.note(steady())
    assert arrivals.rate == pytest.approx(5.0)
    steady.now += 3.0
    assert arrivals.age == pytest.approx(3.0)
    assert arrivals.rate == 0.0


def test_first_message_may_take_a_while():
    steady = Steady()
    arrivals = Arrivals(steady)
    steady.now += DISCOVERY + 0.5
    assert (arrivals.age, arrivals.missing) == (DISCOVERY + 0.5, 0.5)
    arrivals.note(steady())
    steady.now += 1.5
    assert (arrivals.age, arrivals.missing) == (1.5, 1.5)


@pytest.mark.parametrize('pace', [0.1, 10.0])
def test_simulated_time_is_what_counts_however_fast_it_is(pace):
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    running = RunningTime(clock, steady)
    began = running()
    for i in range(1, 24):
        steady.now += 0.1
        set_to(clock, 10.0 + 0.1 * i * pace)
        running.look()
    assert running() - began == pytest.approx(2.3 * pace)


def test_simulation_that_is_paused_begins_or_is_reset_makes_nothing_old():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 0.0)
    running = RunningTime(clock, steady)
    began = running()
    for stamp in (0.0, 25.0, 25.0, 3.0):
        pass_time(steady, running, 3.0)
        set_to(clock, stamp)
        running.look()
        assert running() == began
    set_to(clock, 3.1)
    running.look()
    assert running() - began == pytest.approx(0.1)


def test_simulated_time_that_is_set_forward_is_no_silence():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    running = RunningTime(clock, steady)
    began = running()
    set_to(clock, 1e6)
    running.look()
    assert running() - began == LEAP


def test_time_that_becomes_another_does_not_jump():
    steady, clock = Steady(), ROSClock()
    running = RunningTime(clock, steady)
    began = running()
    set_to(clock, 5000.0)
    running.look()
    assert running() == began
    clock._set_ros_time_is_active(False)
    running.look()
    assert running() == began


def test_time_in_which_the_process_did_not_run_is_no_silence():
    steady = Steady()
    running = RunningTime(steady=steady)
    arrivals = Arrivals(running)
    arrivals.note(running())
    pass_time(steady, running, 0.4)
    assert arrivals.age == pytest.approx(0.4)
    steady.now += 30.0
    running.look()
    assert arrivals.age == pytest.approx(0.4 + STALL)
    pass_time(steady, running, 0.1)
    assert arrivals.age == pytest.approx(0.5 + STALL)


def test_simulated_time_that_passed_in_a_stall_is_no_silence():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    running = RunningTime(clock, steady)
    began = running()
    steady.now += 3.0
    running.look()  # a timer is due before the clock's message is taken in
    steady.now += 0.5 * RECOVERY
    set_to(clock, 13.0)
    running.look()
    assert running() - began == STALL


def test_time_does_not_change_when_it_is_read():
    steady, clock = Steady(), ROSClock()
    set_to(clock, 10.0)
    running = RunningTime(clock, steady)
    arrivals = Arrivals(running)
    steady.now += 0.3
    set_to(clock, 10.5)
    assert (running(), running.awake, arrivals.age) == (running(), running.awake, arrivals.age)
    assert (running.awake, arrivals.age) == (0.0, 0.0)
    running.look()
    assert (running.awake, arrivals.age) == (pytest.approx(0.3), pytest.approx(0.5))


def test_message_that_cannot_be_used_now_and_then_does_no_harm():
    steady = Steady()
    arrivals = Arrivals(steady)
    for _ in range(5):
        for _ in range(20):
            steady.now += 0.05
            arrivals.note(steady())
        arrivals.refuse('it is absurd', steady())
        assert arrivals.reason and arrivals.age == 0.0
    steady.now += RELAPSE + 0.01
    arrivals.note(steady())
    assert (arrivals.reason, arrivals.age) == ('', 0.0)


def test_messages_of_which_half_cannot_be_used_count_as_none():
    steady = Steady()
    arrivals = Arrivals(steady)
    arrivals.note(steady())
    for _ in range(40):
        steady.now += 0.05
        arrivals.refuse('it is absurd', steady())
        arrivals.note(steady())
    assert arrivals.reason == 'it is absurd'
    assert arrivals.age == pytest.approx(2.0)


def test_messages_that_could_never_be_used_are_missing_at_once():
    steady = Steady()
    arrivals = Arrivals(steady)
    steady.now += 1.0
    arrivals.refuse('it is absurd', steady())
    assert arrivals.missing == pytest.approx(1.0)
